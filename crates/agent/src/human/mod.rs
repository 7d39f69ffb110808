//! Requests to a person, and what was answered (contract/plans §13): questions are made of a request, and a response of how they
//! ended. The gateway does it for a plan, and an agent that executes a command for itself.

pub(crate) mod asking;
mod message;
mod questions;
pub(crate) mod response;

pub(crate) use message::{InjectedFile, artifact, envelope_of, filled_id};
pub(crate) use questions::CONTEXT;
pub use questions::{Words, questions};

use protocol::agent::Id;
use store::Decisions;

/// The agent that asks people.
pub const GATEWAY: &str = "agent_human_gateway";

/// Where agents ask people, and in which words: for those that ask by themselves.
#[derive(Debug, Clone, Copy)]
pub struct People<'p> {
    /// Where people are asked.
    pub decisions: &'p Decisions,
    /// In which words.
    pub words: &'p Words,
}

/// The name of the file that a request is in.
pub(crate) fn request_name(request_id: &Id) -> String {
    format!("human_intervention_request_{request_id}.json")
}

/// The name of the file that a response is in.
pub(crate) fn response_name(request_id: &Id) -> String {
    format!("human_intervention_response_{request_id}.json")
}

/// The file name of an answer in the requester's inbox.
pub(crate) fn answer_name(request_id: &Id) -> String {
    format!("human_response_{request_id}.json")
}
