//! The least that a function over HTTP can be: what `make bench` measures the start of the others by. It is not deployed.

use lambda_http::{Error, Request, run, service_fn};

#[tokio::main]
async fn main() -> Result<(), Error> {
    run(service_fn(async |_: Request| Ok::<_, Error>("hello"))).await
}
