//! Events of payload 2.0, made into what other set-ups would have sent.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Map, Value, json};

/// An event of payload 2.0; `None`: it is in the other format already.
fn of_payload_2(event: &str) -> Option<Value> {
    let event: Value = serde_json::from_str(event).unwrap();
    (event["version"] == "2.0").then_some(event)
}

fn under(mut event: Value, prefix: &str) -> Value {
    let path = format!("{prefix}{}", event["rawPath"].as_str().unwrap());
    event["requestContext"]["http"]["path"] = path.clone().into();
    event["rawPath"] = path.into();
    event
}

/// A stage of its own name stands before the path.
pub fn of_a_stage(event: &str) -> Option<Value> {
    let mut event = of_payload_2(event).filter(|event| event["requestContext"]["stage"] == "$default")?;
    event["requestContext"]["stage"] = "prod".into();
    Some(under(event, "/prod"))
}

/// A domain of one's own, which maps this path to the API.
pub fn of_a_domain(event: &str, mapped: &str) -> Option<Value> {
    let mut event = of_payload_2(event).filter(|event| event["requestContext"]["stage"] == "$default")?;
    event["requestContext"]["domainName"] = "tickets.example".into();
    event["requestContext"]["domainPrefix"] = "tickets".into();
    event["headers"]["host"] = "tickets.example".into();
    Some(under(event, mapped))
}

/// With its body in base64.
pub fn in_base64(event: &str) -> Option<Value> {
    let mut event = of_payload_2(event).filter(|event| event["isBase64Encoded"] == false)?;
    let body = BASE64_STANDARD.encode(event["body"].as_str()?);
    event["body"] = body.into();
    event["isBase64Encoded"] = true.into();
    Some(event)
}

/// In payload 1.0.
pub fn of_payload_1(event: &str) -> Option<Value> {
    let event = of_payload_2(event)?;
    let (context, key) = (&event["requestContext"], event["routeKey"].as_str().unwrap());
    let resource = key.split_once(' ').map_or(key, |(_, path)| path);
    let (method, path) = (&context["http"]["method"], &event["rawPath"]);
    let authorizer = match &context["authorizer"]["jwt"] {
        Value::Null => json!({"claims": null, "scopes": null}),
        jwt => jwt.clone(),
    };
    let iam = &context["authorizer"]["iam"];
    let query = event["rawQueryString"].as_str().unwrap();
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    let (mut single, mut multiple) = (Map::new(), Map::new());
    for (name, value) in pairs {
        assert!(!query.contains(['%', '+']), "{query} would have to be decoded");
        single.insert(name.to_owned(), value.into());
        multiple.entry(name).or_insert_with(|| json!([])).as_array_mut().unwrap().push(value.into());
    }
    let or_null = |map: Map<String, Value>| if map.is_empty() { Value::Null } else { Value::Object(map) };
    let headers = event["headers"].as_object().unwrap();
    let headers_of_many: Map<String, Value> =
        headers.iter().map(|(name, value)| (name.clone(), json!([value]))).collect();
    Some(json!({
        "version": "1.0", "resource": resource, "path": path, "httpMethod": method,
        "headers": headers, "multiValueHeaders": headers_of_many,
        "queryStringParameters": or_null(single), "multiValueQueryStringParameters": or_null(multiple),
        "requestContext": {
            "accountId": context["accountId"], "apiId": context["apiId"], "authorizer": authorizer,
            "domainName": context["domainName"], "domainPrefix": context["domainPrefix"],
            "extendedRequestId": context["requestId"], "httpMethod": method,
            "identity": {
                "accessKey": iam["accessKey"], "accountId": iam["accountId"], "caller": iam["callerId"],
                "cognitoAmr": null, "cognitoAuthenticationProvider": null, "cognitoAuthenticationType": null,
                "cognitoIdentityId": null, "cognitoIdentityPoolId": null, "principalOrgId": null,
                "sourceIp": context["http"]["sourceIp"], "user": iam["userId"],
                "userAgent": context["http"]["userAgent"], "userArn": iam["userArn"],
            },
            "path": path, "protocol": "HTTP/1.1", "requestId": context["requestId"], "requestTime": context["time"],
            "requestTimeEpoch": context["timeEpoch"], "resourceId": key, "resourcePath": resource,
            "stage": context["stage"],
        },
        "pathParameters": event["pathParameters"], "stageVariables": null,
        "body": event["body"], "isBase64Encoded": event["isBase64Encoded"],
    }))
}

/// An answer with its headers where payload 2.0 has them, wherever they were.
pub fn headers_of_payload_1(mut answer: Value) -> Value {
    let headers = answer["multiValueHeaders"].as_object().cloned().unwrap_or_default();
    if headers.is_empty() {
        return answer;
    }
    assert_eq!(answer["headers"], json!({}), "{answer}");
    let single = headers.into_iter().map(|(name, values)| match values.as_array().map(Vec::as_slice) {
        Some([value]) => (name, value.clone()),
        other => panic!("{name} is {other:?}"),
    });
    answer["headers"] = Value::Object(single.collect());
    answer["multiValueHeaders"] = json!({});
    answer
}
