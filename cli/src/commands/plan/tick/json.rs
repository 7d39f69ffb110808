//! The result of a pass as JSON.

use super::super::events;
use agent::plan::Tick;
use serde_json::{Value, json};
use texts::{Explain, Lang};

/// All of it, with what went wrong worded in `lang`.
pub(super) fn from_tick(tick: &Tick, lang: Lang) -> Value {
    let happened = tick.happened.iter().map(|(plan, happened)| events::happened(plan, happened));
    let plans = tick.standing.iter().map(|(plan, standing)| {
        json!({
            "plan_id": plan,
            "is_over": standing.is_over(),
            "has_succeeded": standing.has_succeeded(),
        })
    });
    let paused = tick.paused.iter().map(|(plan, code)| json!({ "plan_id": plan, "code": code.name() }));
    let trouble = tick
        .trouble
        .iter()
        .map(|(plan, error)| json!({ "plan_id": plan, "message": error.explain(lang).what }));
    json!({
        "happened": happened.collect::<Vec<_>>(),
        "plans": plans.collect::<Vec<_>>(),
        "paused": paused.collect::<Vec<_>>(),
        "trouble": trouble.collect::<Vec<_>>(),
    })
}
