//! Understanding what a user wants (contract/workflows §6.3).

use super::ask::ask;
use super::{PhaseExecution, picked};
use crate::decisions;
use crate::engine::prompt::{Prompt, Repair};
use crate::engine::proposal::Proposal;
use crate::engine::track::StopReason;
use crate::{images, tasks};
use aide_core::decision::DecisionReason;
use aide_core::decision::NewDecision;
use aide_core::{Context, TriggerPayload};
use protocol::workflow::{Refusal, Trigger};
use serde_json::{Value, json};
use std::path::PathBuf;

impl PhaseExecution<'_> {
    pub(super) fn understand(&mut self) -> Result<(), StopReason> {
        let mut asked: Vec<Value> = Vec::new();
        let (task, known) = (json!(self.workflow.task), self.known());
        let (tasks, earlier) = (json!(tasks::nodes(&self.tasks()?)), self.earlier()?);
        let standing = self.standing()?;
        let context = Context::read(&self.workflow.context);
        let folder = self.track.folder().map(PathBuf::as_path);
        let (images, pictures) = images::shown(folder, context.images());
        self.track.show(images);
        loop {
            let prompt = |said: &[String], repair: Option<&Repair<'_>>| {
                let actions = [
                    "INTENT_ANALYSIS {normalizedIntent: {goal, action: create|modify|query|cancel|continue|clarify, scope: full_task|partial_task|meta_control, urgency: low|medium|high}, \
                     taskRelation: {type: same_task_no_change|same_task_minor_change|same_task_major_change|different_task|\
                     control_instruction, confidence: 0-1, reasoning}, suggestedRoute: {nextPhase: plan_loop|execution|replan|new_task|wait_user|control, reason}}",
                    "CLARIFICATION_REQUIRED {question, suggestions: []} - only if you cannot do anything useful without an answer",
                ];
                Prompt::new("You understand what the user wants.", &actions.map(str::to_owned))
                    .data("The user's request", &task)
                    .data("Images attached to the request (files in your working folder)", &pictures)
                    .data("Known so far", &known)
                    .data("Workflow status", &standing)
                    .data("Tasks", &tasks)
                    .data("Earlier messages in this session", &earlier.said)
                    .data("Previous workflow of this session", &earlier.workflow)
                    .data("Asked and answered", &json!(asked))
                    .said(said)
                    .repair(repair)
                    .finish()
            };
            let check = |proposal: &Proposal| match &*proposal.action {
                "INTENT_ANALYSIS"
                    if proposal.params.get("normalizedIntent").is_some_and(Value::is_object) =>
                {
                    Ok(())
                }
                "INTENT_ANALYSIS" => Err("`params.normalizedIntent` is not an object".to_owned()),
                "CLARIFICATION_REQUIRED" if proposal.text("question").is_some() => clarification(proposal)
                    .question()
                    .check()
                    .map_err(|problem| Refusal::from(problem).to_string()),
                "CLARIFICATION_REQUIRED" => Err("`params.question` is not a string".to_owned()),
                other => Err(format!("there is no action {other}")),
            };
            let proposal = ask(
                &mut self.track,
                &self.agent,
                &*self.provider,
                self.shared.limits.repairs,
                &prompt,
                &check,
            )?;
            let proposal = match proposal {
                Ok(proposal) => proposal,
                Err(problem) => return self.fail(&self.unusable(&problem)),
            };
            if proposal.action == "INTENT_ANALYSIS" {
                let mut intent = proposal.params.clone();
                intent.insert("confidence".to_owned(), json!(proposal.confidence));
                const MEMBERS: [&str; 5] =
                    ["normalizedIntent", "taskRelation", "contextDependency", "suggestedRoute", "confidence"];
                let payload = self.with_result(TriggerPayload::default(), || picked(&intent, &MEMBERS));
                let payload = payload.with_intent(intent);
                return self.go(&proposal, Trigger::IntentAnalyzed, &payload);
            }
            let new = clarification(&proposal);
            let said = decisions::answer_to(&self.ask_user(&new, DecisionReason::Ambiguity)?);
            if said.choice.is_none() && said.note.is_none() {
                return self.fail("the user has not said what was meant");
            }
            let mut answered = json!({ "question": new.message, "answer": said.choice });
            if let Some(note) = said.note {
                answered["note"] = json!(note);
            }
            asked.push(answered);
        }
    }
}

/// What a person is asked who was not understood.
fn clarification(proposal: &Proposal) -> NewDecision {
    NewDecision {
        message: proposal.text("question").unwrap_or_default().to_owned(),
        options: proposal.texts("suggestions"),
        allow_other: true,
        multi_select: Some(false),
        ..NewDecision::default()
    }
}
