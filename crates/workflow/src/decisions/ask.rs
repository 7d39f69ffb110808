//! Creates a decision: its question becomes a set of one item.

use super::{NewDecision, about};
use crate::draft::Draft;
use crate::failure::Failure;
use crate::{ids, rows};
use aide_core::decision::{DecisionReason, Subject, option_labels};
use journal::{Decision, Query, ViewExt as _, Workflow};
use model::SessionId;
use model::workflow::{DecisionStatus, ErrorCode, RecoveryQuestion, Refusal, UserDecisionRequired};

/// Checks whether a person can be asked this.
///
/// # Errors
///
/// What is wrong with it.
pub(crate) fn check(new: &NewDecision) -> Result<(), Failure> {
    Ok(new.question().check().map_err(Refusal::from)?)
}

/// Returns the decision that asks how a workflow continues, without workflow and context.
pub(crate) fn recovery(question: RecoveryQuestion<'_>) -> NewDecision {
    NewDecision {
        message: question.to_string(),
        options: question.options().iter().copied().map(str::to_owned).collect(),
        multi_select: Some(false),
        ..NewDecision::default()
    }
}

/// Asks a person, for this workflow.
pub(crate) fn create(
    draft: &mut Draft<'_>,
    new: &NewDecision,
    workflow: Option<&Workflow>,
    why: DecisionReason,
) -> Result<Decision, Failure> {
    let question = new.question();
    question.check_message().map_err(Refusal::from)?;
    if let Some(workflow) = workflow.filter(|workflow| workflow.state.is_terminal()) {
        let refusal = Refusal::new(ErrorCode::WorkflowTerminal, "Workflow has ended").at(workflow.state);
        return Err(refusal.into());
    }
    let options = question.read_options().map_err(Refusal::from)?;
    let session = new.session_id.as_deref().or(workflow.map(|workflow| &*workflow.session));
    let project = match session {
        Some(session) => rows::session(draft, session)?.project,
        None => None,
    };
    let now = draft.now();
    let id = ids::timed("decision", now, draft.world());
    let subject = Subject {
        task: workflow.map(|workflow| &*workflow.task),
        source: workflow.map_or(&*id, |workflow| &*workflow.id),
    };
    let question = question.ask(&options, subject, now).map_err(Refusal::from)?;
    let decision = Decision {
        id: id.clone(),
        workflow: workflow.map(|workflow| workflow.id.clone()),
        session: session.map(str::to_owned),
        task: new.task_id.clone(),
        agent: new.agent_id.clone(),
        project,
        ask: ask_name(draft)?,
        questions: question.document.to_string(),
        multiple: question.item.multiple,
        fallback: new.default.clone(),
        status: DecisionStatus::Pending,
        draft: None,
        record: None,
        response: None,
        selected: None,
        via: None,
        created: now,
        expires: question.expires,
        ended: None,
        version: 0,
    };
    draft.put(decision.clone());
    let options = option_labels(&question.item);
    let told = UserDecisionRequired {
        decision_id: id.clone(),
        workflow_id: decision.workflow.clone(),
        message: new.message.clone(),
        options: (!options.is_empty()).then_some(options.clone()),
    };
    draft.emit(about(&decision), told);
    draft.emit(about(&decision), why.waiting(&id, options));
    Ok(decision)
}

/// A name for its set of questions that no other decision has.
fn ask_name(draft: &Draft<'_>) -> Result<String, Failure> {
    let second = draft.world().local_second(draft.now());
    let mut name = SessionId::next(&second, None)
        .map_err(|error| Refusal::new(ErrorCode::InternalError, error.to_string()))?;
    while draft.view().first(Query::asked_as(&name.to_string()))?.is_some() {
        name = SessionId::next(&second, Some(&name))
            .map_err(|error| Refusal::new(ErrorCode::InternalError, error.to_string()))?;
    }
    Ok(name.to_string())
}
