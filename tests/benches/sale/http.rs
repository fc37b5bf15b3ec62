//! (b) The same holds over HTTP, through the server of `make run`; and the client that (b) and (c) use.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

use super::shows::{app, load, stores};

const HOLDS: usize = 50_000;

/// Prints the rates and their ratios.
pub async fn run(address: &str, redis_url: &str, baseline: &HashMap<usize, f64>) {
    for callers in [50, 500] {
        let show = load(&stores(&app(redis_url)), HOLDS as u32).await;
        let path = format!("/shows/{}/holds", show.id);
        let bodies: Arc<Vec<String>> = Arc::new(show.seats.iter().map(|seat| hold_body(seat.as_str())).collect());
        for (outcome, status) in [("granted", 201), ("refused", 409)] {
            let next = Arc::new(AtomicUsize::new(0));
            let began = Instant::now();
            let callers_at_work: Vec<_> = (0..callers)
                .map(|_| {
                    let (address, path) = (address.to_owned(), path.clone());
                    let (bodies, next) = (Arc::clone(&bodies), Arc::clone(&next));
                    tokio::spawn(async move {
                        let mut client = Client::connect(&address).await;
                        while let Some(body) = bodies.get(next.fetch_add(1, Ordering::Relaxed)) {
                            let (got, answer) = client.send("POST", &path, body).await;
                            assert_eq!(got, status, "{answer}");
                        }
                    })
                })
                .collect();
            for caller in callers_at_work {
                caller.await.expect("a caller");
            }
            let rate = HOLDS as f64 / began.elapsed().as_secs_f64();
            let ratio = rate / baseline[&callers];
            println!(
                "(b) HTTP  {outcome:<8} {callers:>3} callers: {rate:>7.0} a second, {ratio:.2} of redis-benchmark"
            );
        }
    }
}

/// The body of a one-seat hold.
pub fn hold_body(seat: &str) -> String {
    format!(r#"{{"seats":["{seat}"],"ttlSeconds":300}}"#)
}

/// One connection that is kept, as lean as a client can be: it shares the machine with what it measures.
pub struct Client(BufReader<TcpStream>);

impl Client {
    /// Connects.
    pub async fn connect(address: &str) -> Client {
        let stream = TcpStream::connect(address).await.expect("a connection");
        stream.set_nodelay(true).expect("a socket option");
        Client(BufReader::new(stream))
    }

    /// Sends a body, and answers status and body.
    pub async fn send(&mut self, method: &str, path: &str, body: &str) -> (u16, String) {
        let length = body.len();
        let request = format!("{method} {path} HTTP/1.1\r\nhost: localhost\r\ncontent-length: {length}\r\n\r\n{body}");
        self.0.write_all(request.as_bytes()).await.expect("a request");
        let (mut status, mut length, mut line) = (0, 0, String::new());
        loop {
            line.clear();
            self.0.read_line(&mut line).await.expect("an answer");
            let text = line.trim_end();
            if let Some(rest) = text.strip_prefix("HTTP/1.1 ") {
                status = rest.get(..3).and_then(|code| code.parse().ok()).unwrap_or(0);
            } else if let Some(value) = text.strip_prefix("content-length: ") {
                length = value.parse().unwrap_or(0);
            } else if text.is_empty() {
                break;
            }
        }
        let mut body = vec![0; length];
        self.0.read_exact(&mut body).await.expect("a body");
        (status, String::from_utf8_lossy(&body).into_owned())
    }
}
