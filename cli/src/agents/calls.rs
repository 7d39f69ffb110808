//! What providers do while agents wait for them, for people and for programs.

use crate::due::{Due, Work};
use crate::messages::{AgentMessage, Message};
use crate::output::Output;
use agent::{CurrentCall, ModelCall};
use serde_json::{Value, json};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// How often is looked what a provider does.
pub(crate) const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// Returns the calls that are to be reported now, of all that are under way, each with the name of its agent.
pub(crate) fn due(
    due: &mut Due,
    calls: impl IntoIterator<Item = (String, ModelCall)>,
) -> Vec<(String, ModelCall)> {
    due.take_due(calls.into_iter().map(|(agent, call)| Work {
        key: format!("{agent} {:?}", call.in_flight.since),
        age: call.in_flight.since.elapsed().as_secs(),
        failed: call.in_flight.retry.is_some().then(|| u64::from(call.in_flight.attempt)),
        what: (agent, call),
    }))
}

/// A line for people.
pub(crate) fn line(agent: &str, call: &ModelCall) -> AgentMessage {
    let ModelCall { plan_id, task_id, in_flight } = call;
    AgentMessage::ModelWorks {
        agent: agent.to_owned(),
        provider: in_flight.provider.clone(),
        task: format!("{plan_id}/{task_id}"),
        seconds: in_flight.since.elapsed().as_secs(),
        tokens: in_flight.received.output_tokens,
        characters: in_flight.received.characters,
        failed: in_flight
            .retry
            .as_ref()
            .map(|(error, at)| (in_flight.attempt, error.clone(), seconds_to(*at))),
    }
}

/// A line for programs.
pub(crate) fn json(agent: &str, call: &ModelCall) -> Value {
    let ModelCall { plan_id, task_id, in_flight } = call;
    let retry = in_flight.retry.as_ref();
    json!({
        "event": "model_works", "plan_id": plan_id, "task_id": task_id, "agent_id": agent,
        "provider": in_flight.provider, "model": in_flight.model,
        "seconds": in_flight.since.elapsed().as_secs(), "attempt": in_flight.attempt,
        "output_tokens": in_flight.received.output_tokens, "characters": in_flight.received.characters,
        "error": retry.map(|(error, _)| error), "retry_in_seconds": retry.map(|(_, at)| seconds_to(*at)),
    })
}

fn seconds_to(at: Instant) -> u64 {
    at.saturating_duration_since(Instant::now()).as_millis().div_ceil(1000).try_into().unwrap_or(u64::MAX)
}

/// Does something during which an agent may wait for a provider, and tells of that meanwhile: a person on standard error, or, with
/// `as_json`, a program on standard output.
pub(crate) fn with_reports<T>(
    output: &Output,
    (agent, call): (&str, &CurrentCall),
    as_json: bool,
    act: impl FnOnce() -> T,
) -> T {
    thread::scope(|scope| {
        // It ends with `act`, also where that panics.
        let (_end, ended) = mpsc::channel::<()>();
        scope.spawn(move || {
            let mut reported = Due::default();
            while ended.recv_timeout(POLL_INTERVAL) == Err(RecvTimeoutError::Timeout) {
                for (agent, call) in due(&mut reported, call.get().map(|call| (agent.to_owned(), call))) {
                    if as_json {
                        // The reader may have gone.
                        let _ = output.json(&json(&agent, &call).to_string());
                    } else {
                        output.notice(&Message::agent(line(&agent, &call)));
                    }
                }
            }
        });
        act()
    })
}
