//! The process of the stock-decrement function.

#[tokio::main]
async fn main() -> Result<(), lambda_runtime::Error> {
    holdfast::lambda::run(stock_decrement::function).await
}
