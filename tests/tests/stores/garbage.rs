//! Answers that no script of ours gives: a server that says whatever the test wants.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use holdfast::Failure;
use holdfast::domain::{Buyer, Request, ShowId};
use holdfast_tests::loaded::{self, redis_port};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// Answers scripts with the given bytes, and everything else with `OK`. Counts the scripts.
struct Liar {
    addr: SocketAddr,
    asked: Arc<AtomicUsize>,
}

impl Liar {
    async fn saying(answer: &'static str) -> Liar {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (addr, asked) = (listener.local_addr().unwrap(), Arc::new(AtomicUsize::new(0)));
        let count = Arc::clone(&asked);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, answer, Arc::clone(&count)));
            }
        });
        Liar { addr, asked }
    }
}

async fn serve(stream: TcpStream, answer: &'static str, asked: Arc<AtomicUsize>) -> std::io::Result<()> {
    let mut stream = BufReader::new(stream);
    loop {
        let words = length(&mut stream).await?;
        let mut name = Vec::new();
        for index in 0..words {
            let mut word = vec![0; length(&mut stream).await? + 2];
            stream.read_exact(&mut word).await?;
            if index == 0 {
                name = word;
            }
        }
        let is_script = name.starts_with(b"EVAL");
        asked.fetch_add(usize::from(is_script), Ordering::Relaxed);
        stream.write_all(if is_script { answer.as_bytes() } else { b"+OK\r\n" }).await?;
    }
}

/// The number in a line like `*3` or `$5`.
async fn length(stream: &mut BufReader<TcpStream>) -> std::io::Result<usize> {
    let mut line = String::new();
    stream.read_line(&mut line).await?;
    line.get(1..).and_then(|digits| digits.trim_end().parse().ok()).ok_or(std::io::ErrorKind::InvalidData.into())
}

/// What a hold comes to, and how often it was sent.
async fn hold(answer: &'static str) -> (Failure, usize) {
    let liar = Liar::saying(answer).await;
    let port = redis_port(&format!("redis://{}", liar.addr));
    let (show, seats) = (ShowId::parse("42").unwrap(), loaded::seats(&["E1", "E2"]));
    let held = port.hold_seats(&show, &Request::once(loaded::any_token()), &seats, None, &Buyer::default()).await;
    (held.expect_err(answer), liar.asked.load(Ordering::Relaxed))
}

#[tokio::test]
async fn an_answer_that_no_script_gives_is_internal_and_is_not_asked_again() {
    let answers = [
        // A code that is not in the table, one that this script never gives, and none at all.
        "*4\r\n:-99\r\n:0\r\n:0\r\n$0\r\n\r\n",
        "*4\r\n:-13\r\n:0\r\n:0\r\n$0\r\n\r\n",
        "*4\r\n$2\r\nno\r\n:0\r\n:0\r\n$0\r\n\r\n",
        // Too short, of another shape, and nothing.
        "*1\r\n:0\r\n",
        "*0\r\n",
        ":0\r\n",
        "$-1\r\n",
        "+OK\r\n",
        // A state that is none, a deadline that is a text, a time left that is negative, a seat that was not asked for.
        "*4\r\n:0\r\n:5\r\n:6\r\n$4\r\nodd!\r\n",
        "*4\r\n:0\r\n:5\r\n$1\r\n6\r\n$6\r\nactive\r\n",
        "*4\r\n:0\r\n:-5\r\n:6\r\n$6\r\nactive\r\n",
        "*4\r\n:-4\r\n:0\r\n:0\r\n$1\r\n3\r\n",
        "*4\r\n:-7\r\n:0\r\n:0\r\n$6\r\n0:sold\r\n",
        // Errors that a repeat does not cure.
        "-ERR Error running script: attempt to compare nil with number\r\n",
        "-WRONGTYPE Operation against a key holding the wrong kind of value\r\n",
        "-CROSSSLOT Keys in request don't hash to the same slot\r\n",
    ];
    for answer in answers {
        let (failure, asked) = hold(answer).await;
        assert!(matches!(failure, Failure::Internal { .. }), "{failure:?} for {answer:?}");
        assert_eq!(asked, 1, "{answer:?}");
    }
}

#[tokio::test]
async fn a_server_that_cannot_now_is_unavailable_after_a_few_repeats() {
    let answers = [
        "-LOADING Redis is loading the dataset in memory\r\n",
        "-BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.\r\n",
        "-TRYAGAIN Multiple keys request during rehashing of slot\r\n",
        "-CLUSTERDOWN The cluster is down\r\n",
        "-MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.\r\n",
        "-READONLY You can't write against a read only replica.\r\n",
        "-UNHEARD of\r\n",
    ];
    for answer in answers {
        let (failure, asked) = hold(answer).await;
        assert!(matches!(failure, Failure::Unavailable { .. }), "{failure:?} for {answer:?}");
        assert_eq!(asked, 4, "{answer:?}");
    }
}

/// It is full, has too few replicas, or does not let us in: that does not change in a moment, and nothing was done.
#[tokio::test]
async fn a_server_that_refuses_writes_is_unavailable_at_once() {
    let answers = [
        "-OOM command not allowed when used memory > 'maxmemory'.\r\n",
        "-MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk.\r\n",
        "-NOREPLICAS Not enough good replicas to write.\r\n",
        "-NOPERM this user has no permissions\r\n",
        "-NOAUTH Authentication required.\r\n",
        "-ERR Error running script: @user_script: 68: -OOM command not allowed when used memory > 'maxmemory'.\r\n",
    ];
    for answer in answers {
        let (failure, asked) = hold(answer).await;
        assert!(matches!(failure, Failure::Unavailable { .. }), "{failure:?} for {answer:?}");
        assert_eq!(asked, 1, "{answer:?}");
    }
}
