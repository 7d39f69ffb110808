//! The DAG of a plan (contract/plans §11): what is wrong with it, how far its tasks have come, and which commands are due.
//!
//! All of it is computed from what is known: nothing here reads, writes, or looks at a clock. A gate is one before a task
//! if all that gives its evidence comes before the task, and else one after it. What judges a task does not wait for the
//! gate that it serves. A command says which commands it builds on, so what is done again makes what was built on it be
//! done again as well.

mod agents;
mod completion;
mod gate;
mod graph;
mod issue;
mod lint;
mod progress;
mod select;
mod slips;
#[cfg(test)]
pub(crate) mod tests;
mod version;

pub(crate) use agents::{assignee, targets};
pub(crate) use completion::is_deliverable;
pub use completion::{OpenItem, Outcome, open};
pub use gate::{Evidence, GateVerdict, Requirement, judge, producers, requirements};
pub(crate) use gate::{evidence_formats, format_of_name};
pub use graph::Graph;
pub(crate) use issue::{IMPROVES, is_still_asked};
pub use issue::{Issuer, JUDGEMENT, Step, default_key, steps};
pub use lint::{Document, Drafts, Finding, Flaw, Surroundings, lint};
pub(crate) use progress::{AGAIN, instructed, latest_first, retried};
pub use progress::{
    Facts, HumanAnswer, Instruction, LastCommand, NodeProgress, Question, QuestionSubject, Reviewer,
    StateReason, progress, reexecutions,
};
pub(crate) use select::pattern_fits;
pub use select::{
    Ambiguity, AmbiguityReason, Arrivals, ArrivedFile, Choice, ResolvedInputs, Scores, compile_inputs,
};
pub(crate) use slips::slips;
pub use version::{Content, VersionDecision, Versions, version};
