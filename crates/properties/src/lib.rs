//! What must hold for any input whatever. Each property panics on an input for which it does not.
//!
//! `fuzz/` feeds them with what a fuzzer finds; a test of this crate replays the corpora there and everything near.

#![allow(clippy::unwrap_used, reason = "a property that does not hold panics")]

mod agents;
mod daemon;
mod flow;
mod gate;
mod html;
mod input;
mod model_answer;
mod plan;
mod proposal;
mod terminal;

/// Panics on an input for which it does not hold.
pub type Property = fn(&[u8]);

/// Every property, by the name of its fuzz target and its corpus.
pub const TARGETS: [(&str, Property); 19] = [
    ("agent_answer", plan::agent_answer),
    ("agent_json", agents::agent_json),
    ("answer_json", input::answer_json),
    ("api_body", daemon::api_body),
    ("client_frame", daemon::client_frame),
    ("configuration", input::configuration),
    ("decision_json", input::decision_json),
    ("event_glob", daemon::event_glob),
    ("flow_status", flow::flow_status),
    ("form_body", input::form_body),
    ("host_origin", gate::host_origin),
    ("markdown", html::markdown),
    ("model_answer", model_answer::model_answer),
    ("plan", plan::plan),
    ("proposal", proposal::proposal),
    ("proposed_plan", proposal::proposed_plan),
    ("server_sent_events", model_answer::server_sent_events),
    ("terminal", terminal::terminal),
    ("typed_answer", daemon::typed_answer),
];

/// Checks one property.
///
/// # Panics
///
/// When it does not hold for `data`, and when there is none of this name.
pub fn check(target: &str, data: &[u8]) {
    let (_, property) = TARGETS.iter().find(|(name, _)| *name == target).expect("no such target");
    property(data);
}
