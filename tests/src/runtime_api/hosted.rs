//! Either way to have a built function answer events.

use serde_json::Value;

use super::emulator::Emulator;
use super::process::Process;
use super::server::Failed;

/// What stands in for Lambda.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Host {
    /// The Runtime API of the tests' own.
    RuntimeApi,
    /// AWS' runtime interface emulator.
    Emulator,
}

/// One execution environment of a function, under either. It ends when it is dropped.
#[derive(Debug)]
pub enum Hosted {
    /// Under the Runtime API of the tests' own.
    Process(Process),
    /// Under the emulator.
    Emulated(Box<Emulator>),
}

impl Hosted {
    /// Has it answer an event.
    ///
    /// # Errors
    /// What Lambda calls a function error.
    pub async fn try_invoke(&self, event: &str) -> Result<Value, Failed> {
        match self {
            Hosted::Process(process) => process.try_invoke(event).await,
            Hosted::Emulated(emulator) => emulator.try_invoke(event).await,
        }
    }

    /// The same, where there must be an answer.
    ///
    /// # Panics
    /// When there is none.
    pub async fn invoke(&self, event: &str) -> Value {
        let answer = self.try_invoke(event).await;
        answer.unwrap_or_else(|failed| panic!("it failed: {failed:?}\n{}", self.log()))
    }

    /// What was written so far, by the emulator, too.
    pub fn log(&self) -> String {
        match self {
            Hosted::Process(process) => process.log(),
            Hosted::Emulated(emulator) => emulator.log(),
        }
    }
}
