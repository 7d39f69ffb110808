//! What people are asked, and have answered (contract/plans §13): the system's side.

use super::PlanError;
use super::collect::{Disposition, OutboxDocument};
use super::ledger::Ledger;
use super::question_context::QuestionContext;
use super::turn::Turn;
use crate::cause::shortened;
use crate::clock::id;
use crate::dag::{
    AGAIN, HumanAnswer, Instruction, Question, QuestionSubject, instructed, latest_first, retried,
};
use crate::document::text;
use crate::folder::filled;
use crate::hash;
use crate::human::response::{NOTE, NOTES};
use crate::human::{CONTEXT, GATEWAY, filled_id, request_name, response_name};
use files::{durable, json};
use protocol::agent::{
    Code, DecisionChoice, Extra, Format, HumanDecision, HumanRequest, HumanResponse, Id, Needed,
    NeededDecision, PlanChoice, PlanQuestion, PlanTitle, RequestBlocking, RequestedBy, SchemaVersion,
    Severity, Text,
};
use serde_json::Value;
use std::collections::BTreeMap;

/// Where a request says which question of the plan it is.
pub(super) const QUESTION: &str = "question_key";
const APPROVE: &str = "approve";
const REJECT: &str = "reject";

/// What the plan itself has asked people.
#[derive(Debug, Default)]
pub(super) struct PlanQuestions {
    /// The questions by their keys, with what was answered.
    pub(super) answers: BTreeMap<String, Option<HumanAnswer>>,
    /// The tasks to do again, with the numbers of their commands.
    pub(super) retried: BTreeMap<Id, u64>,
    /// What the user has written for the next attempts at tasks, the latest first.
    pub(super) instructions: BTreeMap<Id, Vec<Instruction>>,
    /// How often a question was withdrawn, by its key: it may be asked again then.
    withdrawn: BTreeMap<String, usize>,
}

impl Turn<'_> {
    /// Gives a request to the agent that asks people; returns whether there is one.
    pub(super) fn pass_on(
        &self,
        request: &HumanRequest,
        name: &str,
        bytes: &[u8],
    ) -> Result<bool, PlanError> {
        let gateway: Id = filled_id(GATEWAY);
        if !self.folders.agents()?.contains(&gateway) {
            return Ok(false);
        }
        let inbox = self.folders.inbox(&gateway, &request.plan_id)?;
        let was_taken = match inbox.folder(".processed")? {
            Some(processed) => processed.kind(name)?.is_some(),
            None => false,
        };
        if !was_taken {
            durable::publish_once(self.lock, &inbox, name, bytes)?;
        }
        Ok(true)
    }

    /// Archives a response and delivers it to the waiting agents.
    pub(super) fn response(
        &mut self,
        found: &OutboxDocument<'_>,
        ledger: &mut Ledger,
    ) -> Result<Disposition, PlanError> {
        let is_of_gateway = found.owner.as_str() == GATEWAY;
        let is_ours = |it: &HumanResponse| it.plan_id == *self.plan && is_of_gateway;
        let Some(response) = HumanResponse::parse(&found.bytes).ok().filter(is_ours) else {
            let detail = "not a response about this plan by the agent that asks people";
            return self.refused(found, Code::HumanResponseSchemaInvalid, detail);
        };
        let request_id = response.request_id.clone();
        let requests = self.archive("human_requests")?;
        let request = requests.read(&request_name(&request_id), json::MAX_JSON)?;
        let Some(request) = request.and_then(|bytes| HumanRequest::parse(&bytes).ok()) else {
            let detail = format!("no request {request_id} was sent");
            return self.refused(found, Code::HumanResponseSchemaInvalid, &detail);
        };
        if let Err((code, detail)) = self.check_response(found, &response)? {
            return self.refused(found, code, &detail);
        }
        if !self.archive_once("human_responses", &response_name(&request_id), &found.bytes)? {
            let code = Code::HumanResponseIdReusedWithDifferentContent;
            return self.refused(found, code, request_id.as_str());
        }
        self.inject(found, &request, &response, ledger)
    }

    /// What the plan has asked people so far.
    pub(super) fn asked(&self) -> Result<PlanQuestions, PlanError> {
        let mut asked = PlanQuestions::default();
        let Some(plan) = self.folders.plan(self.plan)? else { return Ok(asked) };
        for (task, request) in super::retry::requested(&plan)? {
            asked.retried.insert(task.clone(), request.command_seq);
            asked.instructions.insert(task, request.instructions());
        }
        let Some(requests) = plan.folder("human_requests")? else { return Ok(asked) };
        let responses = plan.folder("human_responses")?;
        for name in requests.names()? {
            let Some(bytes) = requests.read(&name, json::MAX_JSON)? else { continue };
            let Ok(request) = HumanRequest::parse(&bytes) else { continue };
            let Some(key) = request.extra.get(QUESTION).and_then(Value::as_str) else { continue };
            let answer = match &responses {
                Some(responses) => responses.read(&response_name(&request.request_id), json::MAX_JSON)?,
                None => None,
            };
            let answer = answer.and_then(|bytes| HumanResponse::parse(&bytes).ok());
            // What was withdrawn is as if it had never been asked.
            if answer.is_none() && super::withdraw::is_withdrawn(&plan, &request.request_id)? {
                *asked.withdrawn.entry(key.to_owned()).or_default() += 1;
                continue;
            }
            let answer = answer.map(|response| {
                let answer = answer_of(&request, &response);
                let written = written_in(&response, &answer);
                for (task, seq) in instructed(key, &answer) {
                    let one = |text: &String| Instruction {
                        written_at: response.responded_at.clone(),
                        seq,
                        text: text.clone(),
                    };
                    asked.instructions.entry(task).or_default().extend(written.iter().map(one));
                }
                answer
            });
            let known = asked.answers.entry(key.to_owned()).or_insert(None);
            *known = answer.or(known.take());
        }
        for (task, seq) in retried(&asked.answers) {
            let known = asked.retried.entry(task).or_insert(seq);
            *known = seq.max(*known);
        }
        for written in asked.instructions.values_mut() {
            written.sort_by(latest_first);
        }
        Ok(asked)
    }

    /// Asks a person a question of the plan, by way of the issuer's outbox.
    /// Where it is about a task that has failed, `cause` says why; where it is about work that was judged, `shown` shows it.
    pub(super) fn ask(
        &self,
        question: &Question,
        (cause, shown): (Option<&str>, QuestionContext),
        issuer: &Id,
    ) -> Result<(), PlanError> {
        let times = self.asked()?.withdrawn.get(&question.key()).copied().unwrap_or(0);
        let request = self.request_of(question, (cause, shown), issuer, times);
        let outbox = self.folders.agents.ensure_folders([issuer.as_str(), "outbox", self.plan.as_str()])?;
        let name = request_name(&request.request_id);
        durable::publish_once(self.lock, &outbox, &name, &text(&request)?)?;
        Ok(())
    }

    fn request_of(
        &self,
        question: &Question,
        (cause, shown): (Option<&str>, QuestionContext),
        issuer: &Id,
        times: usize,
    ) -> HumanRequest {
        let key = question.key();
        // What was withdrawn and is asked again is another request.
        let about = if times == 0 { key.clone() } else { format!("{key}#{times}") };
        let (kind, reason, asked, options) = words(question, cause);
        let choice = |(key, label): &(String, String)| DecisionChoice {
            key: filled_or(key, REJECT),
            label: Some(label.clone()),
            impact: None,
            extra: Extra::new(),
        };
        let decision = NeededDecision {
            question: filled_or(&asked, kind),
            options: Some(options.iter().map(choice).collect()),
            default: None,
            extra: shown.text.map(|text| (CONTEXT.to_owned(), text.into())).into_iter().collect(),
        };
        HumanRequest {
            schema_version: SchemaVersion::CURRENT,
            request_id: id(&format!("human_req_{}", &hash::sha256(about.as_bytes()).hex()[..24])),
            plan_id: self.plan.clone(),
            created_at: self.now.clone(),
            created_by: Some(RequestedBy {
                agent_id: Some(issuer.clone()),
                task_id: Some(question.task_id.clone()),
                command_id: None,
                extra: Extra::new(),
            }),
            severity: Severity::High,
            kind: filled_or(kind, "CLARIFY"),
            title: Some(title(question)),
            blocking: Some(RequestBlocking {
                status: Some("BLOCKED_WAITING_HUMAN".to_owned()),
                reason: Some(reason.to_owned()),
                extra: Extra::new(),
            }),
            needed: Needed { files: None, decision: Some(decision), criteria: None, extra: Extra::new() },
            deadline: None,
            context_refs: Some(shown.files).filter(|files| !files.is_empty()),
            extra: [(QUESTION.to_owned(), key.into())].into_iter().collect(),
        }
    }
}

/// What a question is called, in a few words.
fn title(question: &Question) -> String {
    let task = question.task_id.as_str();
    let title = match &question.about {
        QuestionSubject::Dependency(failed) | QuestionSubject::Replan(failed) => {
            PlanTitle::Failed { task, failed: failed.as_str() }
        }
        QuestionSubject::Input(ambiguity) => PlanTitle::Which { task, input: ambiguity.input_name.as_str() },
        QuestionSubject::Gate(_) => PlanTitle::NotGoodEnough { task },
        QuestionSubject::Evidence { .. } => PlanTitle::NotReviewed { task },
    };
    title.to_string()
}

/// The type of a question, its reason, what is asked, and what can be chosen. `cause` is why a task has failed.
fn words(
    question: &Question,
    cause: Option<&str>,
) -> (&'static str, &'static str, String, Vec<(String, String)>) {
    let task = question.task_id.as_str();
    let choice = |key: &str, choice: PlanChoice<'_>| (key.to_owned(), choice.to_string());
    let cause = cause.map(shortened);
    let cause = cause.as_deref().filter(|cause| !cause.is_empty());
    let after_failure = |failed: &Id| {
        // What never had a command cannot be tried again by itself.
        let again = (question.seq > 0).then(|| choice(AGAIN, PlanChoice::TryAgain));
        let without = PlanChoice::Without { task, failed: failed.as_str() };
        let others = [choice(APPROVE, without), choice(REJECT, PlanChoice::Skip { task })];
        again.into_iter().chain(others).collect()
    };
    match &question.about {
        QuestionSubject::Dependency(failed) => {
            let asked = PlanQuestion::DependencyFailed { failed: failed.as_str(), cause, task };
            ("DECISION", "DEPENDENCY_FAILED", asked.to_string(), after_failure(failed))
        }
        QuestionSubject::Input(ambiguity) => {
            let asked = PlanQuestion::AmbiguousInput { input: ambiguity.input_name.as_str(), task };
            let choices = ambiguity.candidates.iter().map(|one| {
                let paths: Vec<&str> = one.paths.iter().map(|path| path.as_str()).collect();
                let (paths, message) = (paths.join(", "), one.message_id.as_str());
                choice(&one.key(), PlanChoice::Files { paths: &paths, message })
            });
            ("CLARIFY", "INPUT_AMBIGUOUS", asked.to_string(), choices.collect())
        }
        QuestionSubject::Gate(evidence) => {
            let found: Vec<String> = evidence
                .iter()
                .map(|one| {
                    let score = one.score.as_ref().map_or_else(String::new, |score| format!(", {score}"));
                    format!("{}: {}{score}", one.task_id, one.decision)
                })
                .collect();
            let asked = PlanQuestion::NotGoodEnough { task, found: &found.join("; ") }.to_string();
            let choices = vec![
                choice(APPROVE, PlanChoice::AsItIs),
                choice(AGAIN, PlanChoice::DoAgain),
                choice(REJECT, PlanChoice::Skip { task }),
            ];
            ("DECISION", "EVIDENCE_SHORT", asked, choices)
        }
        QuestionSubject::Evidence { missing, reviewers } => {
            let names: Vec<&str> = missing.iter().map(crate::dag::Requirement::name).collect();
            let failed = reviewers.iter().find(|reviewer| reviewer.has_failed);
            let failed = failed.map(|reviewer| reviewer.task_id.as_str());
            let asked = PlanQuestion::NotReviewed { task, missing: &names.join(", "), failed, cause };
            let again = (!reviewers.is_empty()).then(|| choice(AGAIN, PlanChoice::TryAgain));
            let others =
                [choice(APPROVE, PlanChoice::WithoutReview), choice(REJECT, PlanChoice::Skip { task })];
            ("DECISION", "EVIDENCE_MISSING", asked.to_string(), again.into_iter().chain(others).collect())
        }
        QuestionSubject::Replan(failed) => {
            let asked = PlanQuestion::NoPlanner { failed: failed.as_str(), cause, task };
            ("DECISION", "REPLAN_REQUESTED", asked.to_string(), after_failure(failed))
        }
    }
}

/// What was chosen says more than that something was.
fn answer_of(request: &HumanRequest, response: &HumanResponse) -> HumanAnswer {
    let selected = response.decision_answers.iter().flatten().find_map(|answer| answer.selected.as_ref());
    let selected = selected.and_then(Value::as_str).map(str::to_owned);
    let decision = match (response.decision, selected.as_deref()) {
        (HumanDecision::Reject, _) | (_, Some(REJECT)) => HumanDecision::Reject,
        (_, Some(AGAIN)) => HumanDecision::Clarify,
        (_, Some(APPROVE)) => HumanDecision::Approve,
        (decision, _) => decision,
    };
    let options = request.needed.decision.iter().flat_map(|decision| decision.options.iter().flatten());
    let keys: Vec<&str> = options.map(|option| option.key.as_str()).collect();
    let is_option = |selected: &str| [APPROVE, REJECT, AGAIN].contains(&selected) || keys.contains(&selected);
    let in_own_words = decision == HumanDecision::Clarify
        && selected.as_deref().is_some_and(|selected| !selected.trim().is_empty() && !is_option(selected));
    HumanAnswer { decision, selected, in_own_words }
}

/// What a person has written with an answer: it, in their own words, and the notes beside it.
fn written_in(response: &HumanResponse, answer: &HumanAnswer) -> Vec<String> {
    let own = answer.selected.clone().filter(|_| answer.in_own_words);
    let notes = response.extra.get(NOTES).and_then(Value::as_array).into_iter().flatten();
    let notes = notes.filter_map(|note| Some(note.get(NOTE)?.as_str()?.to_owned()));
    own.into_iter().chain(notes).filter(|text| !text.trim().is_empty()).collect()
}

fn filled_or(text: &str, instead: &str) -> Text {
    text.parse().unwrap_or_else(|_| filled(instead.parse()))
}
