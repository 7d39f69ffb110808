//! Requests about a workflow as a whole: transitions, pause, resumption, cancellation and input.

use crate::aggregate::{Transition, carry_out, drive};
use crate::failure::Failure;
use crate::input::{answer, take_input};
use crate::runtime::{RequestKey, Runtime};
use crate::views::shown_context;
use crate::{checkpoints, rows};
use aide_core::{Command, TriggerPayload};
use journal::{Query, ViewExt as _};
use model::Via;
use protocol::workflow::api::TransitionAnswer;
use protocol::workflow::{SimpleStatus, Trigger, WorkflowState};

impl Runtime {
    /// Lets something happen to a workflow.
    ///
    /// # Errors
    ///
    /// When it cannot happen now; nothing of what is known of it is kept then.
    pub fn transition(
        &self,
        request: Option<&RequestKey>,
        id: &str,
        transition: &Transition,
    ) -> Result<String, Failure> {
        let payload = TriggerPayload::from_members(transition.context.clone());
        self.act(request, |draft| {
            let mut workflow = rows::workflow(draft, id)?;
            drive(draft, &mut workflow, transition.trigger, payload.clone())?;
            let context = shown_context(draft, &workflow)?;
            Ok(TransitionAnswer { success: true, current_state: workflow.state, context })
        })
    }

    /// Pauses a workflow: no new work is begun. Running work continues, unless `is_hard` stops it.
    ///
    /// # Errors
    ///
    /// When it is paused or has ended.
    pub fn pause(&self, request: Option<&RequestKey>, id: &str, is_hard: bool) -> Result<String, Failure> {
        self.act(request, |draft| {
            let mut workflow = rows::workflow(draft, id)?;
            carry_out(draft, &mut workflow, Command::Pause { is_hard })?;
            Ok(answer(&workflow, Some(SimpleStatus::Paused), None))
        })
    }

    /// Resumes a paused workflow where it was, or an interrupted one from its last checkpoint.
    ///
    /// # Errors
    ///
    /// When it is neither.
    pub fn resume(&self, request: Option<&RequestKey>, id: &str) -> Result<String, Failure> {
        self.mark_one(id)?;
        self.act(request, |draft| {
            let mut workflow = rows::workflow(draft, id)?;
            let is_interrupted = workflow.state != WorkflowState::Paused
                && !workflow.state.is_terminal()
                && checkpoints::is_interrupted(&workflow);
            if is_interrupted && let Some(last) = draft.view().first(Query::checkpoints_of_workflow(id))? {
                let session = workflow.session.clone();
                checkpoints::resume_in(draft, &session, Some(&last.id))?;
                let workflow = rows::workflow(draft, id)?;
                return Ok(answer(&workflow, Some(SimpleStatus::Executing), Some(workflow.state)));
            }
            drive(draft, &mut workflow, Trigger::ResumeRequested, TriggerPayload::default())?;
            // The word of the contract, whatever the phase.
            Ok(answer(&workflow, Some(SimpleStatus::Executing), Some(workflow.state)))
        })
    }

    /// Ends a workflow.
    ///
    /// # Errors
    ///
    /// When it has ended.
    pub fn cancel(&self, request: Option<&RequestKey>, id: &str) -> Result<String, Failure> {
        self.act(request, |draft| {
            let mut workflow = rows::workflow(draft, id)?;
            carry_out(draft, &mut workflow, Command::trigger(Trigger::CancelRequested))?;
            Ok(answer(&workflow, Some(SimpleStatus::Failed), None))
        })
    }

    /// Takes what a person says to a workflow: the answer to the decision that is open in it or, if there is none,
    /// something to be used by whatever is done next.
    ///
    /// # Errors
    ///
    /// When the workflow has ended, several decisions are open in it, or what was said is no answer.
    pub fn input(&self, request: Option<&RequestKey>, id: &str, input: &str) -> Result<String, Failure> {
        self.input_via(request, id, input, Via::Api)
    }

    /// The same for what came in this way.
    ///
    /// # Errors
    ///
    /// As [`Self::input`].
    pub fn input_via(
        &self,
        request: Option<&RequestKey>,
        id: &str,
        input: &str,
        via: Via,
    ) -> Result<String, Failure> {
        // What came too late answers nothing.
        self.expire_decisions()?;
        self.act(request, |draft| {
            let mut workflow = rows::workflow(draft, id)?;
            take_input(draft, &mut workflow, input, via)
        })
    }
}
