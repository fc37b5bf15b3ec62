//! An address that swallows packets: connecting to it neither succeeds nor fails.
//!
//! A listener whose queue is full and that accepts nobody: the kernel drops the packets that ask for more. It is what a
//! closed security group looks like, and it needs no address outside this machine.

use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use tokio::net::{TcpListener, TcpSocket};

use crate::servers::runtime;

/// More than the shortest queue that a kernel keeps.
const FILLERS: usize = 64;

/// A listener with a full queue.
#[derive(Debug)]
pub struct Blackhole {
    addr: SocketAddr,
    _listener: TcpListener,
    _fillers: Vec<TcpStream>,
}

impl Blackhole {
    /// Fills the queue of a new listener.
    ///
    /// # Panics
    /// When it never fills.
    pub async fn start() -> Blackhole {
        let listener = runtime().spawn(async {
            let socket = TcpSocket::new_v4().unwrap();
            socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
            socket.listen(1).unwrap()
        });
        let listener = listener.await.unwrap();
        let addr = listener.local_addr().unwrap();
        let mut fillers = Vec::new();
        // On this machine a connection takes microseconds: one that takes long is one that the queue has no room for.
        while let Ok(filler) = TcpStream::connect_timeout(&addr, Duration::from_millis(100)) {
            fillers.push(filler);
            assert!(fillers.len() < FILLERS, "the queue of {addr} does not fill");
        }
        Blackhole { addr, _listener: listener, _fillers: fillers }
    }

    /// The address.
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }
}
