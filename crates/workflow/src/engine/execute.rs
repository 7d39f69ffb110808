//! One task, step by step (contract/workflows §6.4): an agent proposes the next action, the action is executed, and the agent
//! gets its result, until it says that the task is done or has no steps left.

use super::Shared;
use super::assignment::Assignment;
use super::observation::{Observation, StepReport};
use super::prompt::{Prompt, Repair, action_of, clipped};
use super::proposal::Proposal;
use super::tools::Tool;
use super::track::{StopReason, Track};
use crate::active_work::WorkKind;
use crate::draft::Draft;
use crate::failure::Failure;
use crate::rows;
use crate::{answers, decisions};
use aide_core::decision::DecisionReason;
use aide_core::decision::NewDecision;
use journal::{Decision, Lease, Query, Step, ViewExt as _};
use llm::{Cancellation, Provider};
use protocol::workflow::{Consent, DecisionStatus, Effect, ErrorCode, ToolName, ToolPolicy};
use serde_json::{Map, Value, json};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// How many of its last steps an agent is shown.
const SHOWN: usize = 5;

/// How long they may be together, in bytes: less than a prompt shows of one part, which would be cut at its end.
const MAX_HISTORY: usize = 60 << 10;

/// How long what a step was called with may be to be shown as an object, in bytes.
const MAX_PARAMS: usize = 24 << 10;

/// After how many equal observations an agent gets nowhere.
const NO_PROGRESS: usize = 5;

/// After how many equal refusals an agent is stuck.
const STUCK: usize = 3;

/// After how many refusals in all it is given up.
const REFUSALS: usize = 4;

/// A task that is being done.
struct Execution<'a> {
    shared: &'a Shared,
    track: Track<'a>,
    given: Assignment,
    provider: Arc<dyn Provider>,
    /// What was wrong with the try before.
    error: Value,
    /// What was done so far.
    rounds: Vec<Round>,
    /// Files that were written, in their order.
    files: Vec<String>,
}

/// One step that was done.
struct Round {
    thought: String,
    action: String,
    params: Map<String, Value>,
    observation: Observation,
}

/// Why the user is not asked to allow a tool.
const TOO_LONG: &str = "The parameters are too long to show to the user: use a file or several calls";

/// Whether a tool may be used.
enum Permission {
    Granted,
    /// It may not; with the reason in words for the agent, if there is one.
    Refused {
        why: Option<String>,
    },
}

/// Does a task that was given away under this name.
pub(crate) fn run(
    shared: &Shared,
    lease: &Lease,
    id: &str,
    dispatch: &str,
    cancellation: &Cancellation,
) -> Result<(), StopReason> {
    let Some(given) = Assignment::find(shared, lease, id, dispatch)? else { return Ok(()) };
    let provider = shared.providers.get(&given.agent).cloned().ok_or(StopReason::Unwanted)?;
    let (track, error) = given.begin(shared, lease, cancellation)?;
    let (rounds, files) = (Vec::new(), Vec::new());
    let mut execution = Execution { shared, track, given, provider, error, rounds, files };
    match execution.go() {
        Err(StopReason::Unanswered(error)) => {
            let is_transient = error.is_transient();
            execution.fail(&format!("LLM_ERROR: {}", error.describe()), is_transient)
        }
        done => done,
    }
}

impl Execution<'_> {
    fn go(&mut self) -> Result<(), StopReason> {
        let needs = self.given.needs(self.shared)?;
        for round in 1..=self.shared.limits.rounds {
            // Whether a tool may be used can change from call to call.
            let tools = self.tools();
            let left = self.shared.limits.rounds - round;
            let proposal = match self.ask(&tools, &needs, left)? {
                Ok(proposal) => proposal,
                Err(problem) => return self.fail(&format!("proposal_error: {problem}"), true),
            };
            let observation = match &*proposal.action {
                "COMPLETE" => return self.complete(&proposal),
                "FAIL" => {
                    let reason =
                        proposal.text("reason").or(proposal.text("error")).unwrap_or("no reason given");
                    let is_recoverable = proposal.params.get("recoverable") == Some(&Value::Bool(true));
                    return self.fail(reason, is_recoverable);
                }
                "USER_ESCALATE" => self.escalate(round, &proposal)?,
                action => match named(&tools, action) {
                    Some(tool) => self.use_tool(round, tool, &proposal)?,
                    None => return self.fail(&format!("proposal_error: there is no action {action}"), true),
                },
            };
            self.rounds.push(Round {
                thought: proposal.thought,
                action: proposal.action,
                params: proposal.params,
                observation,
            });
            if let Some(reason) = self.is_lost() {
                return self.fail(reason, false);
            }
        }
        // An agent that runs out of steps has succeeded if the last step has.
        let is_good = self.rounds.last().is_some_and(|round| !round.observation.is_error);
        match self.rounds.last() {
            Some(last) if is_good => {
                let result = json!({ "output": last.observation.text, "stopReason": "max_rounds", "files": self.files });
                self.given.complete(&self.track, result)
            }
            _ => self.fail("max_rounds", true),
        }
    }

    /// The tools that there are, each as it may be used now.
    fn tools(&self) -> Vec<Tool> {
        self.shared.tools.list(self.track.folder().map(PathBuf::as_path))
    }

    fn ask(
        &mut self,
        tools: &[Tool],
        needs: &Value,
        left: u64,
    ) -> Result<Result<Proposal, String>, StopReason> {
        let mut actions: Vec<String> = tools.iter().filter_map(action_of).collect();
        actions
            .push("USER_ESCALATE {message, options: []} - ask the user and wait for the answer".to_owned());
        actions.push("COMPLETE {output, summary} - the task is done; output is its result".to_owned());
        actions.push("FAIL {reason, recoverable: true|false} - the task cannot be done; recoverable is true if another attempt may succeed".to_owned());
        let history = history(&self.rounds);
        let feedback = self.given.feedback();
        let whole = json!(self.given.workflow.task);
        let deliverable = self.given.deliverable();
        let task = json!({ "id": self.given.task.id, "description": self.given.task.description });
        let prompt = |said: &[String], repair: Option<&Repair<'_>>| {
            let left = if left == 1 { "1 step remains".to_owned() } else { format!("{left} steps remain") };
            let role = format!("You do one task of a larger job, step by step. {left} after this one.");
            Prompt::new(&role, &actions)
                .data("Overall task", &whole)
                .data("Your task", &task)
                .data("Deliverable", &deliverable)
                .data("Error of the previous attempt", &self.error)
                .data("Review of the previous result", &feedback)
                .data("Results of the tasks that this one depends on", needs)
                .data("Your last steps", &json!(history))
                .said(said)
                .repair(repair)
                .finish()
        };
        // What was used before may be forbidden by now.
        let was_done = self.track.is_behind();
        let check = |proposal: &Proposal| match &*proposal.action {
            "COMPLETE" | "FAIL" => Ok(()),
            "USER_ESCALATE" if proposal.text("message").is_some() => Ok(()),
            "USER_ESCALATE" => Err("`params.message` is not a string".to_owned()),
            action => match named(tools, action).filter(|tool| was_done || tool.policy != ToolPolicy::Deny) {
                Some(tool) => tool.name.check(&proposal.params).map_err(|missing| missing.to_string()),
                None => Err(format!("there is no action {action}")),
            },
        };
        super::phases::ask(
            &mut self.track,
            &self.given.agent,
            &*self.provider,
            self.shared.limits.repairs,
            &prompt,
            &check,
        )
    }

    /// A person is asked what the agent wants to know.
    fn escalate(&mut self, round: u64, proposal: &Proposal) -> Result<Observation, StopReason> {
        let message = proposal.text("message").unwrap_or_default().to_owned();
        let new = NewDecision {
            message,
            options: proposal.texts("options"),
            multi_select: proposal.params.get("multiSelect").and_then(Value::as_bool),
            ..NewDecision::default()
        };
        // What was no question before is none now.
        if self.track.is_next("refused") {
            return self.observe(round, "refused", proposal, None, |_| Value::Null);
        }
        let decision = match self.ask_user("ask", &new) {
            Ok(decision) => decision,
            // It is not the question that is wrong: the workflow has ended meanwhile.
            Err(StopReason::Failed(Failure::Refused(refusal)))
                if refusal.code == ErrorCode::WorkflowTerminal =>
            {
                return Err(StopReason::Unwanted);
            }
            // The question is invalid and cannot be asked.
            Err(StopReason::Failed(Failure::Refused(refusal))) => {
                let words = refusal.to_string();
                return self.observe(
                    round,
                    "refused",
                    proposal,
                    None,
                    |_| json!({ "error": words, "refused": true }),
                );
            }
            Err(stopped) => return Err(stopped),
        };
        let note = decisions::answer_to(&decision).note;
        let mut answer = match (decision.status, &decision.response) {
            (DecisionStatus::Answered | DecisionStatus::Expired, Some(answer)) => json!({
                "answer": answer,
                "selected": decision.selected.as_deref().and_then(|text| serde_json::from_str::<Value>(text).ok()),
            }),
            // Sent back with words: they are the answer.
            (_, _) if note.is_some() => json!({ "answer": null }),
            (status, _) => json!({ "error": format!("no answer: {status}") }),
        };
        if let Some(note) = note {
            answer["note"] = json!(note);
        }
        self.observe(round, "answer", proposal, None, |_| answer)
    }

    /// A tool is used, if it may be.
    fn use_tool(&mut self, round: u64, tool: &Tool, proposal: &Proposal) -> Result<Observation, StopReason> {
        if let Permission::Refused { why } = self.permission(tool, proposal)? {
            let mut words = format!("Tool {} is not allowed", tool.name);
            if let Some(why) = why {
                words = format!("{words}. {why}");
            }
            return self.observe(
                round,
                "refused",
                proposal,
                None,
                |_| json!({ "error": words, "refused": true }),
            );
        }
        let (tools, folder, params) =
            (Arc::clone(&self.shared.tools), self.track.folder().cloned(), proposal.params.clone());
        let name = tool.name;
        let observation =
            self.observe(round, "tool", proposal, Some(name), move |cancellation| {
                match tools.run(folder.as_deref(), name, &params, cancellation) {
                    Ok(output) => json!({ "output": output }),
                    Err(error) => json!({ "error": error }),
                }
            })?;
        if name == ToolName::WriteFile
            && !observation.is_error
            && let Some(path) = proposal.text("path")
        {
            let path = in_project(self.track.folder().map(PathBuf::as_path), path);
            self.files.retain(|known| *known != path);
            self.files.push(path);
        }
        Ok(observation)
    }

    /// Whether a person has allowed this tool for the whole workflow.
    fn is_granted(&self, tool: &Tool) -> Result<bool, StopReason> {
        let view = self.shared.runtime.journal.view()?;
        let permit = format!("/{}", permit(tool));
        for step in view.find(&Query::steps_of(&self.given.workflow.id).with_outcome())? {
            let Some(decision) = step.outcome.as_ref().filter(|_| step.name.ends_with(&permit)) else {
                continue;
            };
            let decision = view.row::<Decision>(&Decision::key_of(decision))?;
            if decision.is_some_and(|decision| decisions::effect_of(&decision) == Some(Effect::AllowTool)) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether a tool may be used for this call. Of a call that was made before that is settled.
    fn permission(&mut self, tool: &Tool, proposal: &Proposal) -> Result<Permission, StopReason> {
        let refused = || Ok(Permission::Refused { why: None });
        let asked = match tool.policy {
            // What was asked for this very call is answered for this very call.
            _ if self.track.is_next(&permit(tool)) => Some(self.ask_permission(tool, proposal)?),
            _ if self.track.is_done("tool") => return Ok(Permission::Granted),
            ToolPolicy::Allow if !proposal.needs_confirmation => None,
            ToolPolicy::Deny => return refused(),
            // What is allowed is asked for as well where the agent itself wants that.
            _ if self.is_granted(tool)? => None,
            _ if !tool.name.is_shown_whole(&proposal.params) => {
                return Ok(Permission::Refused { why: Some(TOO_LONG.to_owned()) });
            }
            _ => Some(self.ask_permission(tool, proposal)?),
        };
        match asked {
            Some(decision) if !allows(&decision) => {
                let note = decisions::answer_to(&decision).note;
                Ok(Permission::Refused { why: note.map(|note| format!("The person says: {note}")) })
            }
            _ if self.track.is_done("tool") => Ok(Permission::Granted),
            // The tool was forbidden while the user was being asked.
            _ if self.is_denied(tool) => refused(),
            _ => Ok(Permission::Granted),
        }
    }

    fn is_denied(&self, tool: &Tool) -> bool {
        let now = self.tools().into_iter().find(|known| known.name == tool.name);
        now.is_none_or(|now| now.policy == ToolPolicy::Deny)
    }

    /// Asks a person whether this tool may be used.
    fn ask_permission(&mut self, tool: &Tool, proposal: &Proposal) -> Result<Decision, StopReason> {
        let new = NewDecision {
            message: tool.name.question(&proposal.params),
            options: Consent::OPTIONS.map(str::to_owned).to_vec(),
            multi_select: Some(false),
            context: Some(tool.name.shown(&proposal.params)),
            ..NewDecision::default()
        };
        self.ask_user(&permit(tool), &new)
    }

    fn ask_user(&mut self, kind: &str, new: &NewDecision) -> Result<Decision, StopReason> {
        let id = self.given.workflow.id.clone();
        let (task, agent) = (self.given.task.id.clone(), self.given.agent.clone());
        // Another task may have asked for the same call: one answer is enough.
        let permit = kind.starts_with("permit:").then(|| format!("/{kind}"));
        self.track.ask_user(kind, &json!(new.message), |draft| {
            let mut workflow = rows::workflow(draft, &id)?;
            if let Some(asked) =
                permit.as_ref().map(|permit| asked_already(draft, &id, permit, new)).transpose()?.flatten()
            {
                return Ok(asked);
            }
            let new = NewDecision {
                workflow_id: Some(id.clone()),
                task_id: Some(task.clone()),
                agent_id: Some(agent.clone()),
                ..new.clone()
            };
            let why = DecisionReason::Confirmation;
            Ok(answers::create(draft, &new, Some(&mut workflow), why, false)?.id)
        })
    }

    /// Does something once, and emits its events.
    fn observe(
        &mut self,
        round: u64,
        kind: &str,
        proposal: &Proposal,
        tool: Option<ToolName>,
        act: impl FnOnce(&Cancellation) -> Value,
    ) -> Result<Observation, StopReason> {
        let began = self.shared.runtime.now();
        let request = json!({ "action": proposal.action, "params": proposal.params });
        let report = StepReport {
            given: &self.given,
            proposal,
            tool,
            tool_id: format!("{}-{}-{began}", self.given.agent, tool.map_or(kind, |tool| tool.name())),
            began,
            round,
            rounds: self.shared.limits.rounds,
        };
        let work = tool.map(|tool| self.track.work(&self.given.agent, WorkKind::Tool(tool)));
        let runtime = &self.shared.runtime;
        let act = |cancellation: &Cancellation| {
            let _work = work.map(|work| runtime.begin_work(work));
            act(cancellation)
        };
        let announce = |draft: &mut Draft<'_>| {
            if let Some(tool) = tool {
                report.emit_call(draft, tool);
            }
        };
        let emit = |draft: &mut Draft<'_>, outcome: &Value| report.emit(draft, outcome);
        let outcome = self.track.act(kind, &request, announce, act, emit)?;
        Ok(Observation::from_outcome(&outcome))
    }

    /// Why it makes no sense to continue.
    fn is_lost(&self) -> Option<&'static str> {
        let refused = self.rounds.iter().filter(|round| round.observation.is_refusal).count();
        let is_same = |count: usize, is_refused: bool| {
            let last = self.rounds.len().checked_sub(count).map(|from| &self.rounds[from..]);
            last.is_some_and(|rounds| {
                rounds.iter().all(|round| {
                    round.observation.text == rounds[0].observation.text
                        && round.observation.is_refusal == is_refused
                        && (is_refused
                            || round.action == rounds[0].action && round.params == rounds[0].params)
                })
            })
        };
        if is_same(STUCK, true) {
            Some("stuck")
        } else if refused >= REFUSALS {
            Some("max_rejections")
        } else if is_same(NO_PROGRESS, false) {
            Some("no_progress")
        } else {
            None
        }
    }

    fn complete(&self, proposal: &Proposal) -> Result<(), StopReason> {
        let mut result = Map::new();
        for key in ["output", "summary"] {
            if let Some(value) = proposal.params.get(key) {
                result.insert(key.to_owned(), value.clone());
            }
        }
        if !self.files.is_empty() {
            result.insert("files".to_owned(), json!(self.files));
        }
        self.given.complete(&self.track, Value::Object(result))
    }

    /// It has failed; tried again by itself if that makes sense.
    fn fail(&self, error: &str, is_retryable: bool) -> Result<(), StopReason> {
        self.given.fail(&self.track, self.shared, error, is_retryable)
    }
}

impl Round {
    fn shown(&self) -> Value {
        json!({
            "thought": clipped(&self.thought),
            "action": self.action,
            "params": briefly(&self.params),
            "observation": clipped(&self.observation.text),
            "isError": self.observation.is_error,
        })
    }
}

/// The last steps, as many as can be shown. The very last is always there: the agent needs its result.
fn history(rounds: &[Round]) -> Vec<Value> {
    let mut length = 0;
    let mut shown: Vec<Value> = rounds
        .iter()
        .rev()
        .take(SHOWN)
        .map(Round::shown)
        .enumerate()
        .take_while(|(back, step)| {
            length += step.to_string().len() + 1;
            *back == 0 || length <= MAX_HISTORY
        })
        .map(|(_, step)| step)
        .collect();
    shown.reverse();
    shown
}

/// What a step was called with, without the rest of long texts: the agent has written them itself.
fn briefly(params: &Map<String, Value>) -> Value {
    let brief = |value: &Value| value.as_str().map_or_else(|| value.clone(), |text| json!(clipped(text)));
    let params = Value::Object(params.iter().map(|(name, value)| (name.clone(), brief(value))).collect());
    match params.to_string() {
        long if long.len() > MAX_PARAMS => json!(clipped(&long)),
        _ => params,
    }
}

/// The tool that an action names.
fn named<'t>(tools: &'t [Tool], action: &str) -> Option<&'t Tool> {
    let name = ToolName::read(action)?;
    tools.iter().find(|tool| tool.name == name)
}

/// The kind of step in which a person is asked whether this tool may be used.
fn permit(tool: &Tool) -> String {
    format!("permit:{}", tool.name)
}

/// A path of the project, however an agent has written it, relative to the project.
fn in_project(folder: Option<&Path>, path: &str) -> String {
    let relative = folder.and_then(|folder| Path::new(path).strip_prefix(folder).ok());
    let names = relative.unwrap_or(Path::new(path)).components().filter_map(|component| match component {
        Component::Normal(name) => name.to_str(),
        _ => None,
    });
    names.collect::<Vec<_>>().join("/")
}

/// Whether a person has allowed the call that was asked for.
fn allows(decision: &Decision) -> bool {
    matches!(decisions::effect_of(decision), Some(Effect::AllowCall | Effect::AllowTool))
}

/// The open decision about the same call, or one by which the tool was allowed for the workflow since that was looked for.
fn asked_already(
    draft: &Draft<'_>,
    workflow: &str,
    permit: &str,
    new: &NewDecision,
) -> Result<Option<String>, Failure> {
    for step in draft.find(&Query::last_steps_of(workflow).with_outcome())? {
        let Step { name, outcome: Some(decision), .. } = &step else { continue };
        if !name.ends_with(permit) {
            continue;
        }
        let row = draft.look::<Decision>(&Decision::key_of(decision))?;
        let settles = |row: &Decision| match row.status {
            DecisionStatus::Pending => decisions::asks_the_same(row, new),
            _ => decisions::effect_of(row) == Some(Effect::AllowTool),
        };
        if row.as_ref().is_some_and(settles) {
            return Ok(Some(decision.clone()));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::in_project;
    use std::path::Path;

    #[test]
    fn a_file_is_named_from_the_project_on() {
        let folder = Some(Path::new("/home/me/project"));
        for path in ["a/b.md", "./a/b.md", "a//./b.md", "/home/me/project/a/b.md"] {
            assert_eq!(in_project(folder, path), "a/b.md", "{path}");
        }
    }
}
