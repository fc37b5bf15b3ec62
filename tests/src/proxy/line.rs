//! One connection through the proxy.
//!
//! Each direction is a loop of its own. They share the set of replies that are to be lost: the n-th reply on a
//! connection answers its n-th request.

use std::collections::BTreeMap;
use std::future::pending;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};

use super::frames::{Frames, Framing, is_push};
use super::rules::{Action, After, Lose};
use super::{Mode, Plan, State};
use crate::steps::{Met, of_redis};

const CHUNK: usize = 64 * 1024;

/// The replies that are to be lost, by their place on the connection.
type Doomed = Mutex<BTreeMap<usize, After>>;

/// Carries a connection until one end closes it, or the mode or a rule cuts it.
pub(super) async fn carry(client: TcpStream, plan: Arc<Plan>) {
    let mut state = plan.state.subscribe();
    let born = *state.borrow();
    if born.mode == Mode::Cut || plan.steps.get().is_some_and(|steps| steps.is_gone()) {
        return;
    }
    let target = *plan.target.borrow();
    let Ok(server) = TcpStream::connect(target).await else { return };
    // Without this the proxy would add the 40 ms of Nagle and delayed acknowledgement to a call. A socket that refuses
    // is closed already.
    let _ = (client.set_nodelay(true), server.set_nodelay(true));
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = server.into_split();
    let doomed = Doomed::default();
    tokio::select! {
        _ = state.wait_for(|state| state.cuts != born.cuts) => {}
        _ = requests(from_client, to_server, &plan, born, &doomed) => {}
        _ = replies(from_server, to_client, &plan, born, &doomed) => {}
    }
}

async fn requests(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    plan: &Plan,
    born: State,
    doomed: &Doomed,
) -> std::io::Result<()> {
    let mut frames = Frames::new(plan.framing);
    let mut count = 0;
    loop {
        let chunk = read(&mut from, plan, born.cuts, &plan.counters.bytes_up).await?;
        if plan.state.borrow().mode == Mode::Swallow || is_mute(plan, born) {
            continue;
        }
        frames.push(&chunk);
        while let Some(request) = frames.next() {
            match plan.steps.get().map_or(Met::Pass, |steps| steps.meet(of_redis(&request))) {
                Met::Pass => {}
                Met::Lost => return Ok(()),
                Met::LosesItsReply => drop(lock(doomed).insert(count, After::Cut)),
            }
            match plan.rules.meet(&request) {
                None => {}
                Some(Action::Hold(gate)) => gate.pass().await,
                Some(Action::Lose(Lose::Request, After::Cut)) => return Ok(()),
                Some(Action::Lose(Lose::Request, After::Mute)) => pending().await,
                Some(Action::Lose(Lose::Reply, after)) => drop(lock(doomed).insert(count, after)),
            }
            count += 1;
            to.write_all(&request).await?;
        }
    }
}

async fn replies(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    plan: &Plan,
    born: State,
    doomed: &Doomed,
) -> std::io::Result<()> {
    let mut frames = Frames::new(plan.framing);
    let mut count = 0;
    loop {
        let chunk = read(&mut from, plan, born.cuts, &plan.counters.bytes_down).await?;
        frames.push(&chunk);
        while let Some(reply) = frames.next() {
            if !is_push(&reply) {
                let after = match plan.framing {
                    Framing::Resp => lock(doomed).remove(&count),
                    // Chunks cannot be told apart: what comes next is lost.
                    Framing::Chunks => lock(doomed).pop_first().map(|(_, after)| after),
                };
                count += 1;
                match after {
                    None => {}
                    Some(After::Cut) => {
                        plan.steps.get().inspect(|steps| steps.reply_is_lost());
                        return Ok(());
                    }
                    Some(After::Mute) => pending().await,
                }
            }
            let is_lost = matches!(plan.state.borrow().mode, Mode::Swallow | Mode::DropReplies);
            if !is_lost && !is_mute(plan, born) {
                to.write_all(&reply).await?;
            }
        }
    }
}

/// Whether everything on a connection is swallowed that was `born` then.
fn is_mute(plan: &Plan, born: State) -> bool {
    plan.state.borrow().mutes != born.mutes
}

/// Reads what is there, and delays it where the mode says so.
async fn read(from: &mut OwnedReadHalf, plan: &Plan, cuts: usize, counter: &AtomicUsize) -> std::io::Result<Vec<u8>> {
    let mut chunk = vec![0; CHUNK];
    let length = from.read(&mut chunk).await?;
    if length == 0 {
        return Err(std::io::ErrorKind::UnexpectedEof.into());
    }
    chunk.truncate(length);
    counter.fetch_add(length, Ordering::Relaxed);
    let delay = match plan.state.borrow().mode {
        Mode::Delay(delay) => Some(delay),
        Mode::Pass | Mode::Swallow | Mode::DropReplies | Mode::Cut => None,
    };
    if let Some(delay) = delay {
        tokio::time::sleep(delay).await;
    }
    // The task that is to end this connection may not have run yet: what was sent after the cut must go nowhere.
    if plan.state.borrow().cuts != cuts {
        return Err(std::io::ErrorKind::ConnectionAborted.into());
    }
    Ok(chunk)
}

fn lock(doomed: &Doomed) -> std::sync::MutexGuard<'_, BTreeMap<usize, After>> {
    doomed.lock().unwrap_or_else(PoisonError::into_inner)
}
