//! The one table, as template.yaml declares it for AWS: string keys `pk` and `sk`, on demand, `expiresAt` as TTL.

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::error::{BuildError, DisplayErrorContext, SdkError};
use aws_sdk_dynamodb::types::{
    AttributeDefinition, BillingMode, KeySchemaElement, KeyType, ScalarAttributeType, TimeToLiveSpecification,
};

const TTL_ATTRIBUTE: &str = "expiresAt";

/// Why there is no table.
#[derive(Debug, thiserror::Error)]
#[error("cannot create the table: {0}")]
pub struct CreateError(String);

impl From<BuildError> for CreateError {
    fn from(error: BuildError) -> Self {
        Self(error.to_string())
    }
}

impl<E: std::error::Error + 'static, R: std::fmt::Debug + 'static> From<SdkError<E, R>> for CreateError {
    fn from(error: SdkError<E, R>) -> Self {
        Self(DisplayErrorContext(error).to_string())
    }
}

/// Creates the table, unless it exists.
///
/// # Errors
///
/// When DynamoDB refuses it or does not answer.
pub async fn create(client: &Client, table_name: &str) -> Result<(), CreateError> {
    let created = client
        .create_table()
        .table_name(table_name)
        .billing_mode(BillingMode::PayPerRequest)
        .attribute_definitions(string_attribute("pk")?)
        .attribute_definitions(string_attribute("sk")?)
        .key_schema(key("pk", KeyType::Hash)?)
        .key_schema(key("sk", KeyType::Range)?)
        .send()
        .await;
    match created {
        Ok(_) => {}
        Err(error) if error.as_service_error().is_some_and(|error| error.is_resource_in_use_exception()) => {
            return Ok(());
        }
        Err(error) => return Err(error.into()),
    }
    let ttl = TimeToLiveSpecification::builder().attribute_name(TTL_ATTRIBUTE).enabled(true).build()?;
    client.update_time_to_live().table_name(table_name).time_to_live_specification(ttl).send().await?;
    Ok(())
}

fn string_attribute(name: &str) -> Result<AttributeDefinition, BuildError> {
    AttributeDefinition::builder().attribute_name(name).attribute_type(ScalarAttributeType::S).build()
}

fn key(name: &str, key_type: KeyType) -> Result<KeySchemaElement, BuildError> {
    KeySchemaElement::builder().attribute_name(name).key_type(key_type).build()
}
