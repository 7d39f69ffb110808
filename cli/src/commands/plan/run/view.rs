//! What is shown while plans are carried out: on a terminal how they stand and what has happened last, drawn anew whenever
//! that changes; else a line for whatever happens.

use super::super::result::shown;
use super::super::{events, people as people_of_plans, table};
use super::crew::CrewMessage;
use crate::agents::{calls, events as agent_events, people};
use crate::context::Context;
use crate::due::Due;
use crate::failure::Failure;
use crate::messages::{AgainMessage, AgentMessage, Message, PlanMessage, RunMessage};
use crate::output::Tone;
use agent::ModelCall;
use agent::gateway::{GatewayEvent, RequestOutcome as Person};
use agent::heartbeat::{Event, EventKind};
use agent::plan::{Folders, PlanEvent, PlanOverview, Tick};
use model::SessionId;
use protocol::agent::{Code, Id, State};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use texts::Lang;

/// So many of the last lines are shown on a terminal.
const SHOWN: usize = 12;

/// What is shown.
pub(super) struct View<'c> {
    context: &'c Context,
    json: bool,
    is_live: bool,
    standing: BTreeMap<Id, PlanOverview>,
    paused: BTreeMap<Id, Code>,
    lines: VecDeque<(Option<Tone>, Message)>,
    scores: BTreeMap<Id, table::Scores>,
    spent: Spending,
    /// The plans of which it was said that nothing but their release is left to decide.
    told_release: BTreeSet<Id>,
    /// What was told of the work of providers.
    due: Due,
    /// What providers do, as it was last shown on a terminal.
    calls: Vec<(String, ModelCall)>,
}

/// What the answers of providers have cost.
#[derive(Default)]
struct Spending {
    answers: u64,
    tokens: u64,
    /// Of how many answers the tokens are unknown.
    unmeasured: u64,
    dollars: Option<f64>,
}

/// That nothing can be watched, which only makes it slower.
pub(super) fn cannot_watch(context: &Context, words: String) {
    context.output.warning(&Message::agent(AgentMessage::CannotWatch { words }));
}

impl<'c> View<'c> {
    pub(super) fn new(context: &'c Context, json: bool) -> Self {
        Self {
            context,
            json,
            is_live: !json && context.output.is_terminal(),
            standing: BTreeMap::new(),
            paused: BTreeMap::new(),
            lines: VecDeque::new(),
            scores: BTreeMap::new(),
            spent: Spending::default(),
            told_release: BTreeSet::new(),
            due: Due::default(),
            calls: Vec::new(),
        }
    }

    pub(super) fn context(&self) -> &'c Context {
        self.context
    }

    pub(super) fn lang(&self) -> Lang {
        self.context.output.lang()
    }

    pub(super) fn standing(&self) -> &BTreeMap<Id, PlanOverview> {
        &self.standing
    }

    /// The persons who are asked, for each task.
    pub(super) fn awaited(&self) -> Vec<Message> {
        let of_plan = |(plan, standing): (&Id, &PlanOverview)| {
            let waiting =
                standing.status.tasks.iter().filter(|task| task.state == State::BlockedWaitingHuman);
            let lines = waiting.map(|task| {
                let (plan, task) = (plan.clone(), task.task_id.clone());
                Message::run(RunMessage::AwaitedPerson { plan, task })
            });
            lines.collect::<Vec<_>>()
        };
        self.standing.iter().flat_map(of_plan).collect()
    }

    /// Whether nothing more will happen by itself.
    pub(super) fn is_over(&self) -> bool {
        !self.standing.is_empty() && self.standing.values().all(PlanOverview::is_over)
    }

    /// Shows what has happened, between what agents have said `before` it and `after` it, how the plans stand, and what providers
    /// do.
    pub(super) fn show(
        &mut self,
        tick: Tick,
        asked: Vec<GatewayEvent>,
        ([before, after], calls): ([Vec<CrewMessage>; 2], Vec<(String, ModelCall)>),
    ) -> Result<(), Failure> {
        self.calls = calls;
        let has_said = !before.is_empty() || !after.is_empty();
        let has_news = !tick.happened.is_empty() || has_said || !asked.is_empty();
        before.into_iter().for_each(|message| self.crew_message(message));
        for (plan, happened) in tick.happened {
            self.happened(plan, happened);
        }
        after.into_iter().for_each(|message| self.crew_message(message));
        for done in asked {
            self.person(done, &tick.standing);
        }
        for (_, error) in tick.trouble {
            self.trouble(&error.into());
        }
        for (plan, code) in &tick.paused {
            if self.paused.insert(plan.clone(), *code) == Some(*code) {
                continue;
            }
            if self.json {
                self.print_json(&events::paused(plan, *code));
            } else {
                self.line(Some(Tone::Warning), PlanMessage::Paused { plan: plan.clone(), code: *code });
            }
        }
        self.paused.retain(|plan, _| tick.paused.contains_key(plan));
        let is_changed = tick.standing.iter().any(|(plan, standing)| {
            self.standing.get(plan).is_none_or(|known| known.status.tasks != standing.status.tasks)
        });
        for (plan, standing) in &tick.standing {
            if standing.waits_for_release() && self.told_release.insert(plan.clone()) {
                self.notice(RunMessage::ReleasePending { plan: plan.clone() });
            }
        }
        self.standing.extend(tick.standing);
        if self.is_live && (has_news || is_changed) {
            self.draw()?;
        }
        Ok(())
    }

    fn crew_message(&mut self, message: CrewMessage) {
        match message {
            CrewMessage::Event(event) => self.event(&event),
            CrewMessage::Stalled(failure) => self.trouble(&failure),
            CrewMessage::KeepsProvider { agent, failure } => self.keeps_provider(&agent, &failure),
        }
    }

    /// Shows what providers do while nothing else happens: on a terminal each second, else from time to time.
    pub(super) fn works(&mut self, calls: Vec<(String, ModelCall)>) -> Result<(), Failure> {
        if self.is_live {
            let is_news = !calls.is_empty() || !self.calls.is_empty();
            self.calls = calls;
            return if is_news { self.draw() } else { Ok(()) };
        }
        for (agent, call) in calls::due(&mut self.due, calls) {
            if self.json {
                self.print_json(&calls::json(&agent, &call));
            } else {
                self.print(None, &Message::agent(calls::line(&agent, &call)));
            }
        }
        Ok(())
    }

    fn happened(&mut self, plan: Id, happened: PlanEvent) {
        let tone = match &happened {
            PlanEvent::GivenUp { .. } | PlanEvent::Alerted { .. } => Some(Tone::Warning),
            _ => None,
        };
        if self.json {
            self.print_json(&events::happened(&plan, &happened));
        } else {
            self.line(tone, PlanMessage::Event { plan, happened: Box::new(happened) });
        }
    }

    /// Tells what people were asked before and have not answered, except for the requests `asked_now`: the plans wait for it.
    pub(super) fn recall(&mut self, folders: &Folders, asked_now: &BTreeSet<String>) -> Result<(), Failure> {
        let standing = self.standing.clone();
        let mut has_news = false;
        for plan in standing.keys() {
            for request in folders.open_requests(plan)? {
                let request_id = request.request_id.to_string();
                let Some(session) = people_of_plans::session_of(self.context, &request)
                    .filter(|_| !asked_now.contains(&request_id))
                else {
                    continue;
                };
                has_news = true;
                self.person(
                    GatewayEvent { plan_id: plan.clone(), request_id, what: Person::Asked(session) },
                    &standing,
                );
            }
        }
        if has_news && self.is_live { self.draw() } else { Ok(()) }
    }

    /// What has become of a request to a person.
    fn person(&mut self, done: GatewayEvent, standing: &BTreeMap<Id, PlanOverview>) {
        if self.json {
            return self.print_json(&events::person(&done));
        }
        let GatewayEvent { plan_id, request_id, what } = done;
        match what {
            Person::Asked(session) => {
                let tasks = standing.get(&plan_id).map(failed_tasks).unwrap_or_default();
                if !tasks.is_empty() {
                    self.push(Some(Tone::Warning), Message::again(AgainMessage::FailedTasks { tasks }));
                }
                self.lead(&session);
            }
            Person::Answered | Person::AnsweredElsewhere | Person::Withdrawn => {}
            Person::Expired => {
                let message = RunMessage::NoAnswer { request: request_id };
                self.push(Some(Tone::Warning), Message::run(message));
            }
            Person::Refused(why) => {
                let message = RunMessage::CannotAsk { request: request_id, why };
                self.push(Some(Tone::Warning), Message::run(message));
            }
        }
    }

    /// Leads the person to the questions.
    fn lead(&mut self, session: &SessionId) {
        let led = self
            .context
            .project()
            .and_then(|project| people::how_to_answer(self.context, &project.decisions()?, session));
        match led {
            Ok((url, commands)) => {
                if let Some(url) = url {
                    self.push(None, Message::OpenLink { url });
                }
                self.push(None, commands);
            }
            Err(failure) => self.trouble(&failure),
        }
    }

    fn event(&mut self, event: &Event) {
        if let EventKind::Ended { about, ended } = &event.what {
            let spent = &ended.spent;
            self.spent.answers += u64::from(spent.answers);
            self.spent.tokens += spent.input_tokens + spent.output_tokens;
            self.spent.unmeasured += u64::from(spent.unmeasured);
            if let Some(dollars) = spent.cost_usd {
                self.spent.dollars = Some(self.spent.dollars.unwrap_or(0.0) + dollars);
            }
            let score = ended.document.as_ref().and_then(|document| document.score.as_ref());
            if let (Some(plan), Some(score)) = (&event.plan_id, score) {
                let scores = self.scores.entry(plan.clone()).or_default();
                scores.insert(about.task_id.clone(), score.to_string());
            }
        }
        if self.json {
            return self.print_json(&agent_events::json(event));
        }
        let (tone, message) = agent_events::line(event);
        self.push(tone, Message::agent(message));
    }

    /// Something that went wrong, and may go better another time.
    pub(super) fn trouble(&mut self, failure: &Failure) {
        self.context.output.warning_of(failure);
    }

    /// That an agent goes on with the provider from before.
    fn keeps_provider(&mut self, agent: &Id, failure: &Failure) {
        let (agent, why) = (agent.to_string(), failure.explain(self.lang()).what);
        let message = Message::run(RunMessage::KeepsProvider { agent, why });
        if self.is_live {
            self.push(Some(Tone::Warning), message);
        } else {
            self.context.output.warning(&message);
        }
    }

    pub(super) fn notice(&mut self, message: RunMessage) {
        if !self.json {
            return self.push(None, Message::run(message));
        }
        match &message {
            RunMessage::Runs { agents } => {
                self.print_json(&json!({ "event": "running", "agent_ids": agents }));
            }
            RunMessage::RunsElsewhere { agent } => {
                self.print_json(&json!({ "event": "runs_elsewhere", "agent_id": agent }));
            }
            RunMessage::ReleasePending { plan } => self.print_json(&events::release_pending(plan)),
            _ => {}
        }
    }

    fn line(&mut self, tone: Option<Tone>, message: PlanMessage) {
        self.push(tone, Message::plan(message));
    }

    fn push(&mut self, tone: Option<Tone>, message: Message) {
        if !self.is_live {
            return self.print(tone, &message);
        }
        self.lines.push_back((tone, message));
        if self.lines.len() > SHOWN {
            self.lines.pop_front();
        }
    }

    /// If this fails, the reader has gone away.
    fn print_json(&self, event: &Value) {
        let _ = self.context.output.json(&event.to_string());
    }

    fn print(&self, tone: Option<Tone>, message: &Message) {
        match tone {
            Some(tone) => self.context.output.outcome(tone, message),
            None => self.context.output.info(message),
        }
    }

    fn draw(&self) -> Result<(), Failure> {
        let output = &self.context.output;
        output.clear();
        for (plan, standing) in &self.standing {
            let (status, none) = (&standing.status, table::Scores::new());
            let updated_at = table::local(status.updated_at.as_str());
            output.found(&Message::plan(PlanMessage::Plan { plan: plan.clone(), updated_at }))?;
            let scores = self.scores.get(plan).unwrap_or(&none);
            output.text(&table::render(status, self.lang(), Some(scores)))?;
        }
        for (agent, call) in &self.calls {
            output.entry(0, &Message::agent(calls::line(agent, call)))?;
        }
        if self.spent.answers > 0 {
            output.entry(0, &self.spent.message())?;
        }
        output.text("\n")?;
        for (tone, message) in &self.lines {
            self.print(*tone, message);
        }
        Ok(())
    }

    /// Says how the plans have ended.
    ///
    /// # Errors
    ///
    /// When one of them is not done.
    pub(super) fn close(
        &self,
        folders: &Folders,
        standing: &BTreeMap<Id, PlanOverview>,
    ) -> Result<(), Failure> {
        let output = &self.context.output;
        if self.json {
            let status: Vec<_> = standing.values().map(|standing| json!(standing.status)).collect();
            output.json(&json!({ "event": "ended", "plans": status }).to_string())?;
        } else if self.spent.answers > 0 && !self.is_live {
            output.info(&self.spent.message());
        }
        let mut failed = None;
        for (plan, standing) in standing {
            if standing.has_succeeded() {
                if !self.json {
                    for artifact in folders.results(plan)? {
                        let path = shown(&artifact.path, self.context.folder()?);
                        let (plan, name) = (plan.to_string(), artifact.name);
                        output.info(&Message::again(AgainMessage::Made { plan, name, path }));
                    }
                    output.ok(&Message::run(RunMessage::Done { plan: plan.clone() }));
                }
                continue;
            }
            let what = Message::run(RunMessage::NotDone { plan: plan.clone() });
            let tasks = failed_tasks(standing);
            let hint = match tasks.is_empty() {
                true => Message::run(RunMessage::SeeStatus),
                false => Message::again(AgainMessage::TryAgain { tasks }),
            };
            let mut failure = Failure::new(what, hint);
            let open = standing.open.iter().flatten().cloned();
            failure.lines.extend(open.map(|open| Message::run(RunMessage::Open { open })));
            if let Some(earlier) = failed.replace(failure) {
                output.failure(&earlier);
            }
        }
        failed.map_or(Ok(()), Err)
    }
}

/// The names of the tasks that have failed.
fn failed_tasks(standing: &PlanOverview) -> Vec<String> {
    let failed = standing.status.tasks.iter().filter(|task| task.state == State::Failed);
    failed.map(|task| task.task_id.to_string()).collect()
}

impl Spending {
    fn message(&self) -> Message {
        let dollars = self.dollars.map(|dollars| format!("{dollars:.4}"));
        if self.unmeasured == self.answers {
            return Message::run(RunMessage::SpentUnknown { answers: self.answers, dollars });
        }
        Message::run(RunMessage::Spent { answers: self.answers, tokens: self.tokens, dollars })
    }
}
