//! The process of the refunds function.

#[tokio::main]
async fn main() -> Result<(), lambda_runtime::Error> {
    holdfast::lambda::run(refunds::function).await
}
