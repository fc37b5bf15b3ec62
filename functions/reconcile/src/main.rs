//! The process of the reconcile function.

#[tokio::main]
async fn main() -> Result<(), lambda_runtime::Error> {
    holdfast::lambda::run(reconcile::function).await
}
