//! The stand-in for Lambda: it hands an event to a function, with a context and a time limit, and keeps what goes
//! wrong in there away from everything else.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use holdfast::lambda::{Function, RawEvent};
use lambda_runtime::{Config, Context, Diagnostic, LambdaEvent};
use serde_json::value::RawValue;
use tokio::sync::mpsc;
use tower::Service;

use crate::event::ACCOUNT;
use crate::template::FunctionSpec;

/// The functions that can be invoked, by their names in the template.
#[derive(Clone)]
pub struct Lambda {
    functions: Arc<BTreeMap<String, Arc<Deployed>>>,
}

/// One function, ready to be invoked.
pub struct Deployed {
    handler: Function,
    timeout: Duration,
    context: Context,
    /// Each invocation under way has a clone: when all are gone, all have ended.
    running: mpsc::Sender<()>,
}

/// Tells when the last invocation has ended.
#[derive(Debug)]
pub struct Invocations(mpsc::Receiver<()>);

/// Why the template and the handlers do not fit.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum DeployError {
    /// The template has a function that is not in this binary.
    #[error("template.yaml: {0} has no handler here")]
    NoHandler(String),
    /// This binary has a handler that the template does not mention.
    #[error("template.yaml: it has no {0}")]
    NoFunction(String),
}

impl Lambda {
    /// Deploys the handler of each function of the template.
    ///
    /// # Errors
    ///
    /// When the two do not name the same functions.
    pub fn deploy(
        template: &[FunctionSpec],
        mut handlers: BTreeMap<&'static str, Function>,
    ) -> Result<(Self, Invocations), DeployError> {
        let (running, ended) = mpsc::channel(1);
        let mut functions = BTreeMap::new();
        for spec in template {
            let handler =
                handlers.remove(spec.name.as_str()).ok_or_else(|| DeployError::NoHandler(spec.name.clone()))?;
            let deployed =
                Deployed { handler, timeout: spec.timeout, context: context(&spec.name), running: running.clone() };
            functions.insert(spec.name.clone(), Arc::new(deployed));
        }
        match handlers.first_key_value() {
            Some((name, _)) => Err(DeployError::NoFunction(name.to_string())),
            None => Ok((Self { functions: Arc::new(functions) }, Invocations(ended))),
        }
    }

    /// A function by its name.
    pub fn function(&self, name: &str) -> Option<&Arc<Deployed>> {
        self.functions.get(name)
    }
}

impl Deployed {
    /// Runs the function on an event, and answers its JSON, or why it failed.
    ///
    /// An invocation has a task of its own: it ends the same way whether or not its caller still waits for it, as on
    /// AWS, where a caller that hangs up stops nothing.
    ///
    /// # Errors
    ///
    /// What Lambda calls a function error: the function failed, panicked, or ran out of time.
    pub async fn invoke(self: &Arc<Self>, request_id: &str, event: Box<RawValue>) -> Result<Box<RawValue>, Diagnostic> {
        let mut context = self.context.clone();
        request_id.clone_into(&mut context.request_id);
        context.deadline = milliseconds_since_epoch(SystemTime::now() + self.timeout);
        let function = Arc::clone(self);
        let invocation = tokio::spawn(async move {
            let _running = function.running.clone();
            function.run(LambdaEvent::new(event, context)).await
        });
        invocation.await.unwrap_or_else(|_| Err(failure("Runtime.ExitError", "the function panicked".to_owned())))
    }

    async fn run(&self, event: RawEvent) -> Result<Box<RawValue>, Diagnostic> {
        // By the trait through which Lambda's own runtime calls it.
        let answer = Service::call(&mut self.handler.clone(), event);
        match tokio::time::timeout(self.timeout, answer).await {
            Ok(answer) => Ok(answer?),
            Err(_) => {
                let seconds = self.timeout.as_secs_f64();
                Err(failure("Sandbox.Timedout", format!("Task timed out after {seconds:.2} seconds")))
            }
        }
    }
}

impl Invocations {
    /// Waits until no invocation is under way. Drop the [`Lambda`] first, or it never ends.
    pub async fn ended(mut self) {
        while self.0.recv().await.is_some() {}
    }
}

/// What the context of each of a function's invocations says alike.
fn context(name: &str) -> Context {
    let mut context = Context::default();
    context.invoked_function_arn = format!("arn:aws:lambda:us-east-1:{ACCOUNT}:function:{name}");
    context.env_config =
        Arc::new(Config { function_name: name.to_owned(), version: "$LATEST".to_owned(), ..Config::default() });
    context
}

fn failure(error_type: &str, error_message: String) -> Diagnostic {
    Diagnostic { error_type: error_type.to_owned(), error_message }
}

fn milliseconds_since_epoch(time: SystemTime) -> u64 {
    let since_epoch = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since_epoch.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_without_a_handler_is_refused() {
        let template = [FunctionSpec {
            name: "HoldFunction".to_owned(),
            timeout: Duration::from_secs(5),
            route_keys: vec!["GET /holds".to_owned()],
            schedules: Vec::new(),
        }];
        let refused = Lambda::deploy(&template, BTreeMap::new()).map(|_| ()).expect_err("there is no handler");
        assert_eq!(refused.to_string(), "template.yaml: HoldFunction has no handler here");
    }
}
