//! What a process finds in its environment: what template.yaml sets, with its references resolved as they would be for
//! these stores, and what Lambda sets by itself. Nothing else.

use std::collections::BTreeMap;

use crate::cases::Stores;
use crate::servers::TABLE;
use crate::template::Function;
use crate::{loaded, template};

/// What Lambda gives a function that states no memory, if neither does the template for all.
const MEMORY_MB: u64 = 256;

/// What CloudFormation calls a function of a stack.
pub fn deployed_name(function: &str) -> String {
    format!("tickets-{}-Q5xTAb7c9Zw1", template::logical_id(function))
}

/// The variables of a function on these stores. DynamoDB is asked at `dynamo_endpoint`.
pub(super) fn variables(
    name: &str,
    function: &Function,
    stores: &Stores,
    dynamo_endpoint: &str,
) -> BTreeMap<String, String> {
    let resolved = |name: &str| match name {
        "REDIS_URL" => stores.redis_url.clone(),
        "REDIS_CLUSTER" => "false".to_owned(),
        "TABLE_NAME" => TABLE.to_owned(),
        "TOKEN_SECRET" => loaded::TOKEN_SECRET.to_owned(),
        "REDIS_USERNAME" | "REDIS_PASSWORD" | "REDIS_IAM_CACHE" | "TOKEN_SECRET_PREVIOUS" => String::new(),
        name => panic!("what does {name} of template.yaml refer to?"),
    };
    let of_the_template = function.environment().into_iter().map(|(name, value)| {
        let value = value.unwrap_or_else(|| resolved(&name));
        (name, value)
    });
    let memory = function.memory_mb().unwrap_or(MEMORY_MB).to_string();
    let deployed = deployed_name(name);
    let log_group = format!("/aws/lambda/{deployed}");
    let of_lambda = [
        ("AWS_LAMBDA_FUNCTION_NAME", deployed.as_str()),
        ("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", &memory),
        ("AWS_LAMBDA_FUNCTION_VERSION", "$LATEST"),
        ("AWS_LAMBDA_INITIALIZATION_TYPE", "on-demand"),
        ("AWS_LAMBDA_LOG_GROUP_NAME", &log_group),
        ("AWS_LAMBDA_LOG_STREAM_NAME", "2026/12/01/[$LATEST]0"),
        ("AWS_REGION", "us-east-1"),
        ("AWS_DEFAULT_REGION", "us-east-1"),
        ("AWS_ACCESS_KEY_ID", "AKIAIOSFODNN7EXAMPLE"),
        ("AWS_SECRET_ACCESS_KEY", "secret"),
        ("AWS_SESSION_TOKEN", "session"),
        ("AWS_ENDPOINT_URL_DYNAMODB", dynamo_endpoint),
        ("_HANDLER", "bootstrap"),
        ("LAMBDA_TASK_ROOT", "/var/task"),
        ("LAMBDA_RUNTIME_DIR", "/var/runtime"),
        ("LANG", "en_US.UTF-8"),
        ("PATH", "/usr/local/bin:/usr/bin:/bin"),
        ("TZ", ":UTC"),
    ];
    let of_lambda = of_lambda.map(|(name, value)| (name.to_owned(), value.to_owned()));
    of_the_template.chain(of_lambda).collect()
}
