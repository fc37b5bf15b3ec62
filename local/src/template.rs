//! What template.yaml says about the functions: the one source of truth for routes, schedules and time-outs, here as on
//! AWS.
//!
//! Everything that this module does not understand is an error at the start: a route that worked on one side only
//! would be found out too late.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Deserialize;
use serde_yaml_ng::Value;

use crate::schedule::Schedule;

/// The template that is deployed, as of this build.
const TEMPLATE: &str = include_str!("../../template.yaml");

/// What Lambda gives a function that states no Timeout.
const DEFAULT_TIMEOUT_SECONDS: u64 = 3;

/// A function of the template.
#[derive(Debug, PartialEq, Eq)]
pub struct FunctionSpec {
    /// Its logical id, which is what local callers know it by.
    pub name: String,
    /// How long one invocation may take.
    pub timeout: Duration,
    /// The routes that lead to it, as API Gateway's route keys: `POST /shows/{showId}/holds`, `$default`.
    pub route_keys: Vec<String>,
    /// What calls it by itself.
    pub schedules: Vec<Schedule>,
}

/// What is wrong with the template.
#[derive(Debug, thiserror::Error)]
pub enum TemplateError {
    /// Not YAML, or not the shape of a template.
    #[error("template.yaml cannot be read")]
    Unreadable(#[from] serde_yaml_ng::Error),
    /// A resource that is no function has events.
    #[error("template.yaml: the routes of {resource} lead to no function")]
    RouteWithoutFunction {
        /// Its logical id.
        resource: String,
    },
    /// An event that this machine has no counterpart of.
    #[error("template.yaml: event {event} of {function}: {problem}")]
    Event {
        /// The function's logical id.
        function: String,
        /// The event's name.
        event: String,
        /// What is wrong with it.
        problem: String,
    },
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Template {
    #[serde(default)]
    parameters: BTreeMap<String, Parameter>,
    #[serde(default)]
    globals: Globals,
    resources: BTreeMap<String, Resource>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Parameter {
    default: Option<Value>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "PascalCase", default)]
struct Globals {
    function: Properties,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Resource {
    r#type: String,
    #[serde(default)]
    properties: Properties,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "PascalCase", default)]
struct Properties {
    timeout: Option<u64>,
    events: BTreeMap<String, Event>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Event {
    r#type: String,
    #[serde(default)]
    properties: BTreeMap<String, Value>,
}

/// The functions of the template that this binary was built with.
///
/// # Errors
///
/// When the template says something that is not understood.
pub fn functions() -> Result<Vec<FunctionSpec>, TemplateError> {
    parse(TEMPLATE)
}

/// The functions of a template.
///
/// # Errors
///
/// When the template says something that is not understood.
pub fn parse(yaml: &str) -> Result<Vec<FunctionSpec>, TemplateError> {
    let template: Template = serde_yaml_ng::from_str(yaml)?;
    let default_timeout = template.globals.function.timeout.unwrap_or(DEFAULT_TIMEOUT_SECONDS);
    let defaults = template.parameters.into_iter();
    let defaults = defaults.filter_map(|(name, parameter)| Some((name, parameter.default?.as_str()?.to_owned())));
    let defaults = defaults.collect();
    let mut functions = Vec::new();
    for (name, Resource { r#type, properties }) in template.resources {
        if r#type != "AWS::Serverless::Function" {
            if !properties.events.is_empty() {
                return Err(TemplateError::RouteWithoutFunction { resource: name });
            }
            continue;
        }
        let timeout = Duration::from_secs(properties.timeout.unwrap_or(default_timeout));
        let mut function = FunctionSpec { name, timeout, route_keys: Vec::new(), schedules: Vec::new() };
        for (event_name, event) in properties.events {
            if let Err(problem) = function.add(&event, &defaults) {
                return Err(TemplateError::Event { function: function.name, event: event_name, problem });
            }
        }
        functions.push(function);
    }
    Ok(functions)
}

impl FunctionSpec {
    /// Adds what an event of it says; `defaults` are those of the template's parameters.
    fn add(&mut self, event: &Event, defaults: &BTreeMap<String, String>) -> Result<(), String> {
        match Schedule::read(&event.r#type, &event.properties, defaults) {
            Some(schedule) => self.schedules.push(schedule?),
            None => self.route_keys.push(route_key(event)?),
        }
        Ok(())
    }
}

fn route_key(event: &Event) -> Result<String, String> {
    match event.r#type.as_str() {
        "HttpApi" => {}
        other => return Err(format!("events of type {other} have no counterpart here")),
    }
    let text = |name| event.properties.get(name).map(|value| value.as_str().ok_or(format!("{name} is no text")));
    match (text("Method").transpose()?, text("Path").transpose()?) {
        (Some(method), Some(path)) => Ok(format!("{} {path}", method.to_uppercase())),
        (None, None) => Ok("$default".to_owned()),
        _ => Err("Method and Path come together".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(yaml: &str) -> String {
        parse(yaml).expect_err("must be refused").to_string()
    }

    #[test]
    fn reads_routes_and_timeouts_among_tags() {
        let yaml = "
Globals: {Function: {Timeout: 5, Environment: {Variables: {TABLE_NAME: !Ref Table}}}}
Resources:
  Table: {Type: 'AWS::DynamoDB::Table', Properties: {TableName: !Sub '${AWS::StackName}-table'}}
  HoldFunction:
    Type: AWS::Serverless::Function
    Properties:
      Role: !GetAtt Role.Arn
      Events:
        Get: {Type: HttpApi, Properties: {ApiId: !Ref Api, Method: get, Path: '/holds/{id}'}}
  RestFunction:
    Type: AWS::Serverless::Function
    Properties: {Timeout: 60, Events: {Rest: {Type: HttpApi}}}
";
        let function = |name: &str, seconds, route: &str| FunctionSpec {
            name: name.to_owned(),
            timeout: Duration::from_secs(seconds),
            route_keys: vec![route.to_owned()],
            schedules: Vec::new(),
        };
        assert_eq!(
            parse(yaml).expect("a good template"),
            [function("HoldFunction", 5, "GET /holds/{id}"), function("RestFunction", 60, "$default")]
        );
    }

    #[test]
    fn refuses_a_route_that_leads_to_no_function() {
        let yaml = "Resources: {Bus: {Type: 'AWS::Events::EventBus', Properties: {Events: {Get: {Type: HttpApi}}}}}";
        assert_eq!(error(yaml), "template.yaml: the routes of Bus lead to no function");
    }

    #[test]
    fn refuses_events_that_it_does_not_understand() {
        let head = "Resources: {F: {Type: 'AWS::Serverless::Function', Properties: {Events: {E: {";
        let yaml = |event: &str| format!("{head}{event}}}}}}}}}}}");
        assert_eq!(error(&yaml("Type: S3")), "template.yaml: event E of F: events of type S3 have no counterpart here");
        assert_eq!(
            error(&yaml("Type: HttpApi, Properties: {Method: GET}")),
            "template.yaml: event E of F: Method and Path come together"
        );
    }

    #[test]
    fn reads_the_real_template() {
        let functions = functions().expect("template.yaml is understood");
        assert!(functions.iter().any(|function| function.route_keys == ["$default"]));
        let scheduled = functions.iter().find(|function| !function.schedules.is_empty()).expect("a schedule");
        let every: Vec<_> = scheduled.schedules.iter().map(|schedule| schedule.every.as_secs()).collect();
        assert_eq!((scheduled.name.as_str(), every.as_slice()), ("ReconcileFunction", [60].as_slice()));
    }
}
