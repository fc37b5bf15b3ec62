//! What can happen to a request, and how DynamoDB says it.

use std::sync::Arc;
use std::time::Duration;

use hyper::body::Bytes;
use serde_json::{Value, json};

use crate::gate::Gate;

const NAMESPACE: &str = "com.amazonaws.dynamodb.v20120810";

/// What happens to a request, or to its reply.
#[derive(Debug, Clone)]
pub enum Fault {
    /// An error of DynamoDB's: status, and body.
    Answer(u16, Bytes),
    /// The connection is reset.
    Reset,
    /// Nothing is answered, and the connection stays open.
    Mute,
    /// It takes so much longer, and is then as it would have been.
    Slow(Duration),
    /// It waits until the test opens the gate, and is then as it would have been.
    Hold(Arc<Gate>),
}

/// Why one item of a transaction cancelled it, or did not.
#[derive(Debug, Clone, PartialEq)]
pub struct Reason {
    code: &'static str,
    message: Option<String>,
    item: Option<Value>,
}

impl Fault {
    /// The table has no capacity left.
    pub fn throughput_exceeded() -> Fault {
        error(
            400,
            "ProvisionedThroughputExceededException",
            "The level of configured provisioned throughput was exceeded.",
        )
    }

    /// The account, or an on-demand table, is asked too much.
    pub fn throttling() -> Fault {
        error(400, "ThrottlingException", "Rate exceeded")
    }

    /// A single item is part of a transaction that is under way.
    pub fn conflict() -> Fault {
        error(400, "TransactionConflictException", "Transaction is ongoing for the item")
    }

    /// A transaction with this client token is under way.
    pub fn in_progress() -> Fault {
        error(
            400,
            "TransactionInProgressException",
            "The transaction with the given request token is already in progress.",
        )
    }

    /// DynamoDB's own fault.
    pub fn internal() -> Fault {
        error(500, "InternalServerError", "Internal server error")
    }

    /// The request is not well-formed: a defect of its sender.
    pub fn validation(message: &str) -> Fault {
        error(400, "ValidationException", message)
    }

    /// A cancelled transaction, with a reason for each of its items, in their order.
    pub fn cancelled(reasons: &[Reason]) -> Fault {
        let codes: Vec<&str> = reasons.iter().map(|reason| reason.code).collect();
        let prefix = "Transaction cancelled, please refer cancellation reasons for specific reasons";
        let body = json!({
            "__type": format!("{NAMESPACE}#TransactionCanceledException"),
            "Message": format!("{prefix} [{}]", codes.join(", ")),
            "CancellationReasons": reasons.iter().map(Reason::to_json).collect::<Vec<_>>(),
        });
        Fault::Answer(400, Bytes::from(body.to_string()))
    }
}

fn error(status: u16, name: &str, message: &str) -> Fault {
    let body = json!({"__type": format!("{NAMESPACE}#{name}"), "message": message});
    Fault::Answer(status, Bytes::from(body.to_string()))
}

impl Reason {
    /// This item was not in the way.
    pub fn none() -> Reason {
        Reason { code: "None", message: None, item: None }
    }

    /// Its condition failed; `item` is what is there, as DynamoDB's JSON, where the request asked for it.
    pub fn condition_failed(item: Option<Value>) -> Reason {
        Reason { code: "ConditionalCheckFailed", message: Some("The conditional request failed".to_owned()), item }
    }

    /// It is part of another transaction.
    pub fn conflict() -> Reason {
        Reason {
            code: "TransactionConflict",
            message: Some("Transaction is ongoing for the item".to_owned()),
            item: None,
        }
    }

    /// Its partition is asked too much.
    pub fn throttling() -> Reason {
        let message = "Throughput exceeds the current capacity for one or more global secondary indexes or the table";
        Reason { code: "ThrottlingError", message: Some(message.to_owned()), item: None }
    }

    /// The table has no capacity left.
    pub fn throughput_exceeded() -> Reason {
        let message = "The level of configured provisioned throughput for the table was exceeded";
        Reason { code: "ProvisionedThroughputExceeded", message: Some(message.to_owned()), item: None }
    }

    /// It is not well-formed: a defect of its sender.
    pub fn validation(message: &str) -> Reason {
        Reason { code: "ValidationError", message: Some(message.to_owned()), item: None }
    }

    fn to_json(&self) -> Value {
        let mut json = json!({"Code": self.code});
        if let Some(message) = &self.message {
            json["Message"] = json!(message);
        }
        if let Some(item) = &self.item {
            json["Item"] = item.clone();
        }
        json
    }
}
