//! What a request to a store is called.

use std::collections::HashMap;
use std::sync::LazyLock;

use holdfast::adapters::dynamo::keys::{PARTITION, SORT};
use holdfast::adapters::redis::scripts;
use serde_json::Value;

/// The script of a request to Redis; `None`: it is no call of the product's, but opens a connection.
pub(crate) fn of_redis(request: &[u8]) -> Option<String> {
    static NAMES: LazyLock<HashMap<&'static str, &'static str>> =
        LazyLock::new(|| scripts::all().into_iter().map(|script| (script.sha1.as_str(), script.name)).collect());
    // *N, $7, EVALSHA, $40, the SHA-1
    let mut lines = request.split(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    let verb = std::str::from_utf8(lines.nth(2)?).ok()?;
    match verb {
        "EVALSHA" => {
            let sha1 = std::str::from_utf8(lines.nth(1)?).ok()?;
            Some(NAMES.get(sha1).map_or_else(|| format!("EVALSHA {sha1}"), |name| (*name).to_owned()))
        }
        "EVAL" => Some(verb.to_owned()),
        _ => None,
    }
}

/// The action of a request to DynamoDB, and what kind of item it is about; a transaction is about several.
pub(crate) fn of_dynamo(operation: &str, body: &[u8]) -> Option<String> {
    let body: Value = serde_json::from_slice(body).unwrap_or_default();
    let kind = match operation {
        "GetItem" | "UpdateItem" => kind(&body["Key"]),
        "PutItem" => kind(&body["Item"]),
        "Query" => body["ExpressionAttributeValues"].as_object().and_then(|values| {
            let mut texts = values.values().filter_map(|value| value["S"].as_str());
            texts.find_map(|text| text.split_once('#')).map(|(kind, _)| kind.to_owned())
        }),
        _ => None,
    };
    Some(kind.map_or_else(|| operation.to_owned(), |kind| format!("{operation} {kind}")))
}

/// An item is called by its sort key, if that is one word for all items of its kind, else by its partition.
fn kind(key: &Value) -> Option<String> {
    let (partition, sort) = (key[PARTITION]["S"].as_str()?, key[SORT]["S"].as_str()?);
    let is_word = sort.bytes().all(|byte| byte.is_ascii_lowercase());
    Some(if is_word { sort } else { partition.split('#').next()? }.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_script_is_called_by_its_name_and_what_opens_a_connection_is_no_step() {
        let sha1 = &scripts::PIN.sha1;
        let call = format!("*3\r\n$7\r\nEVALSHA\r\n$40\r\n{sha1}\r\n$1\r\n0\r\n");
        assert_eq!(of_redis(call.as_bytes()).as_deref(), Some("pin"));
        assert_eq!(of_redis(b"*2\r\n$5\r\nHELLO\r\n$1\r\n3\r\n"), None);
    }

    #[test]
    fn an_item_is_called_by_its_kind() {
        let name = |operation: &str, body: Value| of_dynamo(operation, body.to_string().as_bytes()).unwrap();
        let key = |partition: &str, sort: &str| json!({"Key": {"pk": {"S": partition}, "sk": {"S": sort}}});
        assert_eq!(name("GetItem", key("a#42", "booking")), "GetItem booking");
        assert_eq!(name("UpdateItem", key("list#07", "t42")), "UpdateItem list");
        let query = json!({"ExpressionAttributeValues": {":pk": {"S": "places#42#07"}}});
        assert_eq!(name("Query", query), "Query places");
        assert_eq!(name("TransactWriteItems", json!({})), "TransactWriteItems");
    }
}
