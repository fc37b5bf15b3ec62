//! An embedded DynamoDB on a port of its own, so that the AWS CLI and SDKs can look into it.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4};
use std::path::Path;

use dynoxide::Database;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// The file that a server with a data directory keeps there.
const FILE: &str = "dynamodb.sqlite";

/// Why the embedded DynamoDB could not be started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The port could not be bound.
    #[error("cannot listen on {address}")]
    Listen {
        /// What was asked for; port 0 means any.
        address: SocketAddrV4,
        /// What the operating system said.
        source: io::Error,
    },
    /// The data could not be opened.
    #[error("cannot open the DynamoDB data: {0}")]
    Open(String),
}

/// A running server. Dropping it stops it; requests under way are still answered.
#[derive(Debug)]
pub struct DynamoServer {
    address: SocketAddr,
    stop: oneshot::Sender<()>,
    serving: JoinHandle<()>,
}

impl DynamoServer {
    /// Starts a server on `port` of 127.0.0.1 (0: a free one), which answers from now on.
    ///
    /// With `data_dir` it keeps a file there, without it keeps nothing.
    ///
    /// # Errors
    ///
    /// When the port or the file cannot be had.
    pub async fn start(port: u16, data_dir: Option<&Path>) -> Result<Self, StartError> {
        Self::start_at(SocketAddrV4::new(Ipv4Addr::LOCALHOST, port), data_dir).await
    }

    /// The same on another address of this machine. Whoever reaches that is let in.
    ///
    /// # Errors
    ///
    /// As above.
    pub async fn start_at(address: SocketAddrV4, data_dir: Option<&Path>) -> Result<Self, StartError> {
        let listen_error = |source| StartError::Listen { address, source };
        let listener = TcpListener::bind(address).await.map_err(listen_error)?;
        let address = listener.local_addr().map_err(listen_error)?;
        let database = open(data_dir)?;
        let (stop, stopped) = oneshot::channel::<()>();
        let serving = tokio::spawn(async move {
            let until = async { stopped.await.unwrap_or_default() };
            if let Err(reason) = dynoxide::server::serve_with_shutdown(listener, database, until).await {
                eprintln!("the embedded DynamoDB has stopped: {reason}");
            }
        });
        Ok(Self { address, stop, serving })
    }

    /// `http://ADDRESS:PORT`
    pub fn endpoint(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Stops it, and returns once the last request is answered and the data is on disk.
    pub async fn stop(self) {
        drop(self.stop);
        // It can only fail by a panic, which has been printed.
        let _ = self.serving.await;
    }
}

fn open(data_dir: Option<&Path>) -> Result<Database, StartError> {
    match data_dir {
        None => Database::memory(),
        Some(dir) => Database::new(&dir.join(FILE).to_string_lossy()),
    }
    .map_err(|error| StartError::Open(error.to_string()))
}
