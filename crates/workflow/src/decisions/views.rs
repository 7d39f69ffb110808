//! Views of decisions and their answers for the API.

use super::kept::kept_item;
use super::{is_due, status_of};
use crate::draft::iso;
use crate::failure::Failure;
use aide_core::decision::{fallback_answer, option_labels};
use journal::{Decision, Millis};
use model::{Ending, Via};
use protocol::workflow::api::{ConsentAnswer, ConsentView, DecisionView};
use protocol::workflow::{Consent, DecisionStatus, Effect};
use serde_json::Map;

pub(crate) fn selected_of(decision: &Decision) -> Vec<String> {
    decision.selected.as_deref().and_then(|selected| serde_json::from_str(selected).ok()).unwrap_or_default()
}

/// The user's note with the answer, or in its place.
pub(super) fn note_of(decision: &Decision) -> Option<String> {
    let record = store::read_record(decision.record.as_deref()?.as_bytes()).ok()?;
    match record.ending {
        Ending::Decided(output) => output.decisions.into_iter().next()?.note,
        Ending::Returned(returned) => Some(returned.message),
        _ => None,
    }
}

fn consent_view(consent: Consent) -> ConsentView {
    let mut params = Map::new();
    for (name, text) in consent.params {
        // What the tool uses comes first.
        params.entry(name).or_insert_with(|| text.into());
    }
    let answer =
        |(answer, effect): (String, Effect)| ConsentAnswer { answer, effect: effect.name().to_owned() };
    ConsentView { tool: consent.tool, params, answers: consent.answers.into_iter().map(answer).collect() }
}

pub(crate) fn view_of(decision: &Decision, now: Millis) -> Result<DecisionView, Failure> {
    let item = kept_item(decision)?;
    let options = option_labels(&item);
    let fallback = fallback_answer(&item, decision.fallback.as_deref());
    let mut view = DecisionView {
        consent: Consent::read(&item).map(consent_view),
        decision_id: decision.id.clone(),
        workflow_id: decision.workflow.clone(),
        session_id: decision.session.clone(),
        set_id: Some(decision.ask.clone()),
        task_id: decision.task.clone(),
        agent_id: decision.agent.clone(),
        message: item.title,
        context: item.context,
        options: (!options.is_empty()).then_some(options),
        allow_other: item.allow_other.then_some(true),
        default: decision.fallback.clone(),
        multi_select: decision.multiple,
        created_at: iso(decision.created),
        expires_at: decision.expires.map(iso),
        status: status_of(decision, now).name().to_owned(),
        response: decision.response.clone(),
        selected: selected_of(decision),
        note: note_of(decision),
        responded_at: decision.ended.map(iso),
        responded_by: decision.via.clone(),
    };
    if decision.status == DecisionStatus::Pending && is_due(decision, now) {
        // As it will be noted.
        (view.response, view.selected) = match fallback {
            Some(fallback) => (Some(fallback.text), fallback.selected),
            None => (None, Vec::new()),
        };
        view.responded_at = decision.expires.map(iso);
        view.responded_by = Some(Via::Clock.name().to_owned());
    }
    Ok(view)
}
