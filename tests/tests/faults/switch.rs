//! An address that leads to another server from now on, as the name of a cache does after a failover.

use std::net::SocketAddr;

use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// A forwarder. It ends with the runtime of its test.
pub struct Switch {
    addr: SocketAddr,
    target: watch::Sender<SocketAddr>,
}

impl Switch {
    /// Listens on a free port.
    pub async fn to(target: SocketAddr) -> Switch {
        Switch::at("127.0.0.1:0".parse().unwrap(), target).await
    }

    /// Listens on an address that nobody has any more.
    pub async fn at(addr: SocketAddr, target: SocketAddr) -> Switch {
        let listener = TcpListener::bind(addr).await.unwrap();
        let addr = listener.local_addr().unwrap();
        let target = watch::Sender::new(target);
        let now = target.subscribe();
        tokio::spawn(async move {
            while let Ok((mut client, _)) = listener.accept().await {
                let target = *now.borrow();
                tokio::spawn(async move {
                    let mut server = TcpStream::connect(target).await?;
                    copy_bidirectional(&mut client, &mut server).await
                });
            }
        });
        Switch { addr, target }
    }

    /// New connections lead there; those that are open stay where they are.
    pub fn lead_to(&self, target: SocketAddr) {
        self.target.send_replace(target);
    }

    pub fn redis_url(&self) -> String {
        format!("redis://{}", self.addr)
    }
}
