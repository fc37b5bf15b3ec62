//! The whole system on one machine: stores, table, functions, gateway, the demo show and the schedule, started in this
//! order and stopped in the other.

use std::io;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;

use holdfast::{App, Deadline, adapters};
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::config::LocalConfig;
use crate::data_dir::{self, DataDirError};
use crate::gateway::Gateway;
use crate::handlers::handlers;
use crate::lambda::{Invocations, Lambda};
use crate::scheduler::Scheduler;
use crate::stores::Stores;
use crate::token_secret::TokenSecret;
use crate::{demo, server, table, template};

/// How long what is under way may hold up a stop: longer than any request takes. A reconcile that takes longer is cut
/// off, which harms nothing: the next one goes on.
const STOP_LIMIT: Duration = Duration::from_secs(10);

/// How long a Redis that is there already may take to answer.
const REDIS_LIMIT: Duration = Duration::from_secs(2);

/// Why the system cannot start. Boxed, for it is only ever printed.
pub type StartError = Box<dyn std::error::Error + Send + Sync>;

/// A running system.
#[derive(Debug)]
pub struct System {
    port: u16,
    table_name: String,
    stores: Stores,
    stop: oneshot::Sender<()>,
    serving: JoinHandle<io::Result<()>>,
    invocations: Invocations,
    scheduler: Scheduler,
    /// Held for as long as the stores are up.
    _data_dir: Option<std::fs::File>,
}

impl System {
    /// Starts everything, and returns once it answers.
    ///
    /// # Errors
    ///
    /// A line for a person to read: what cannot be had, and where to change it.
    pub async fn start(config: LocalConfig) -> Result<Self, StartError> {
        let data_dir = config.data_dir.as_deref().map(|dir| {
            data_dir::lock(dir, "lock").map_err(|error: DataDirError| format!("DATA_DIR: {}: {error}", dir.display()))
        });
        let data_dir = data_dir.transpose()?;
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, config.port))
            .await
            .map_err(|error| format!("PORT: cannot listen on 127.0.0.1:{}: {error}", config.port))?;
        let port = listener.local_addr()?.port();
        let template = template::functions()?;
        let stores = Stores::start(&config).await?;

        let secret = match config.data_dir.as_deref() {
            Some(dir) => TokenSecret::of(dir).map_err(|error| format!("DATA_DIR: {}: {error}", dir.display()))?,
            None => TokenSecret::random(),
        };
        let functions = config.of_functions(&stores.redis_url, &stores.dynamo_url, &secret)?;
        table::create(&adapters::dynamo::client(&functions.dynamo), &config.table_name).await?;
        let app = Arc::new(App::new(functions));
        let inspected = app.stores(Deadline::after(REDIS_LIMIT)).redis.inspect_cache().await;
        inspected.map_err(|failure| format!("REDIS_URL: no Redis that lets us in: {}", failure.chain()))?;
        let (lambda, invocations) = Lambda::deploy(&template, handlers(&app))?;
        let gateway = Arc::new(Gateway::new(&template, &lambda, port)?);
        demo::put_up(&gateway).await?;

        let scheduler = Scheduler::start(&template, &lambda, config.reconcile_every);
        let (stop, stopped) = oneshot::channel::<()>();
        let router = server::router(gateway, lambda);
        let serving = tokio::spawn(server::serve(listener, router, async { stopped.await.unwrap_or_default() }));
        let table_name = config.table_name;
        Ok(Self { port, table_name, stores, stop, serving, invocations, scheduler, _data_dir: data_dir })
    }

    /// Where the HTTP API answers.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// What is printed once it answers: the three addresses, then three commands to try.
    pub fn greeting(&self) -> String {
        let Stores { redis_url, dynamo_url, .. } = &self.stores;
        let (url, table, redis_url) = (self.url(), &self.table_name, without_login(redis_url));
        format!("ready {url}\nredis {redis_url}\ndynamodb {dynamo_url} table {table}\n{}\n", demo::commands(&url))
    }

    /// Stops everything. Requests under way are answered first.
    pub async fn stop(self) {
        drop(self.stop);
        self.scheduler.stop().await;
        let requests = async {
            // It fails only by a panic, which has been printed.
            let _ = self.serving.await;
            self.invocations.ended().await;
        };
        // A caller that never finishes its request does not keep us.
        let _ = tokio::time::timeout(STOP_LIMIT, requests).await;
        self.stores.stop().await;
    }
}

/// A URL without its user and password.
fn without_login(url: &str) -> String {
    match url.split_once("://").map(|(scheme, rest)| (scheme, rest.rsplit_once('@'))) {
        Some((scheme, Some((_, host)))) => format!("{scheme}://{host}"),
        _ => url.to_owned(),
    }
}
