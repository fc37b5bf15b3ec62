//! `make run`: the whole system on one machine, until it is interrupted. `make reconcile`: see [`reconcile_command`].

use std::io::{self, Write};
use std::process::ExitCode;

use holdfast_local::config::LocalConfig;
use holdfast_local::reconcile_command;
use holdfast_local::system::{StartError, System};
use tokio::signal::unix::{SignalKind, signal};

#[tokio::main]
async fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let ended = match arguments.next().as_deref() {
        None => run().await.map(|()| ExitCode::SUCCESS),
        Some("reconcile") => reconcile_command::run(arguments).await,
        Some(other) => {
            Err(format!("{other:?} is no command: there is reconcile, and none at all starts the system").into())
        }
    };
    match ended {
        Ok(code) => code,
        Err(error) => {
            let causes = std::iter::successors(error.source(), |cause| cause.source());
            eprintln!("{}", causes.fold(error.to_string(), |said, cause| format!("{said}: {cause}")));
            ExitCode::FAILURE
        }
    }
}

async fn run() -> Result<(), StartError> {
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    // What is no text is no variable of ours.
    let texts =
        std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    let system = System::start(LocalConfig::from_vars(texts.collect())?).await?;
    // Whoever started us may have stopped reading, and that is no reason to stop serving.
    let _ = io::stdout().write_all(system.greeting().as_bytes());
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
    system.stop().await;
    Ok(())
}
