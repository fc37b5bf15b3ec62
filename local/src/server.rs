//! The HTTP server: one address, behind which are the gateway and Lambda's own interface.

use std::io;
use std::sync::Arc;

use axum::Router;
use axum::routing::post;
use axum::serve::ListenerExt;
use tokio::net::TcpListener;

use crate::gateway::{self, Gateway};
use crate::invoke_api;
use crate::lambda::Lambda;

/// Which request is for whom.
pub fn router(gateway: Arc<Gateway>, lambda: Lambda) -> Router {
    Router::new()
        .route(invoke_api::PATH, post(invoke_api::invoke).with_state(lambda))
        .fallback(gateway::handle)
        .with_state(gateway)
}

/// Serves until `stop` resolves, and returns once the last request is answered.
///
/// # Errors
///
/// None that axum knows of today.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    stop: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    // Small answers to waiting callers: nothing is gained by collecting them. (It only fails on a closed connection.)
    let listener = listener.tap_io(|connection| drop(connection.set_nodelay(true)));
    axum::serve(listener, router).with_graceful_shutdown(stop).await
}
