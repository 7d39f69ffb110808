//! What clients that watch a workflow see, as of one moment and limited in size.

use crate::draft::{Draft, iso};
use crate::failure::Failure;
use crate::lists::PAGE;
use crate::runtime::Runtime;
use crate::views::{ListContext, WorkflowFilter};
use crate::{checkpoints, decisions, rows, tasks, views, waiting};
use journal::{Agent, Millis, Query, Sum, View, ViewExt as _, Workflow};
use protocol::workflow::api::{DecisionView, PhaseEntry, TaskNode, WorkflowSummary};
use protocol::workflow::{
    AgentState, AgentStep, DecisionStatus, Event, EventGroup, EventType, WaitingFor, WorkflowState,
};

/// How many events of agents are looked through for what these do.
const STEPS_SOUGHT: u32 = 200;

/// How many steps of an agent are listed.
const STEPS_OF_AGENT: usize = 3;

/// How many ended decisions are listed.
const MAX_DECIDED: usize = 20;

/// The page of events to return with the workflow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventPageRequest {
    /// Of which group.
    pub group: EventGroup,
    /// Events before this one; by default, the last ones.
    pub before: Option<i64>,
    /// The maximum number of events.
    pub limit: u32,
}

/// A workflow in a list, with what it waits for.
#[derive(Debug, Clone)]
pub struct ListedWorkflow {
    /// The workflow.
    pub summary: WorkflowSummary,
    /// How many questions wait for a person.
    pub waiting: usize,
}

/// The workflows of a page of a list.
#[derive(Debug, Clone)]
pub struct ListPage {
    /// What changed last first.
    pub workflows: Vec<ListedWorkflow>,
    /// Whether there are more.
    pub has_more: bool,
    /// How many questions wait for a person, of workflows on this page and of all others, and of clients without one.
    pub waiting: usize,
    /// The folders of the projects that there are workflows of.
    pub projects: Vec<String>,
    /// The number of the last event that it includes.
    pub seq: i64,
}

/// Everything that the page of a workflow shows.
#[derive(Debug, Clone)]
pub struct WorkflowDetails {
    /// Its name.
    pub id: String,
    /// The task of the workflow.
    pub task: String,
    /// Its phase.
    pub state: WorkflowState,
    /// The phase that was paused, while it is.
    pub previous: Option<WorkflowState>,
    /// Whether the daemon was down while the workflow was in progress, and it has not been resumed since.
    pub is_interrupted: bool,
    /// Whether the workflow was cancelled.
    pub is_cancelled: bool,
    /// How often it was planned.
    pub round: i64,
    /// When it began.
    pub created_at: String,
    /// When it last changed.
    pub updated_at: String,
    /// The phases that it has been in, as they came.
    pub phases: Vec<PhaseEntry>,
    /// Its tasks, in its order.
    pub tasks: Vec<TaskNode>,
    /// The agents that work for it.
    pub agents: Vec<AgentActivity>,
    /// What it waits for, as it was asked.
    pub pending: Vec<DecisionView>,
    /// What it waits for besides the user.
    pub waiting_for: Vec<WaitingFor>,
    /// What has been decided, the last first; not all of it.
    pub decided: Vec<DecisionView>,
    /// Its output, as text or JSON, and the file with it.
    pub output: Option<(String, Option<String>)>,
    /// What went wrong.
    pub error: Option<String>,
    /// Its known cost so far.
    pub cost: Cost,
    /// What has happened, the last first.
    pub events: Vec<EventSummary>,
    /// Whether more has happened before.
    pub has_older: bool,
    /// The number of the last event of all.
    pub seq: i64,
}

/// What an agent is doing.
#[derive(Debug, Clone)]
pub struct AgentActivity {
    /// Its name.
    pub id: String,
    /// What it is called.
    pub name: String,
    /// What it is doing.
    pub state: AgentState,
    /// The task that it does.
    pub task: Option<String>,
    /// How busy it is, of a hundred.
    pub load: Option<u8>,
    /// What it did last, the last first.
    pub steps: Vec<AgentStep>,
    /// What went wrong last.
    pub error: Option<String>,
}

/// Something that has happened.
#[derive(Debug, Clone)]
pub struct EventSummary {
    /// Its number.
    pub seq: i64,
    /// When.
    pub at: String,
    /// What kind of thing.
    pub kind: EventType,
    /// The task that it concerns.
    pub task: Option<String>,
    /// The agent that it concerns.
    pub agent: Option<String>,
    /// What; nothing where it was written in another way.
    pub event: Option<Event>,
    /// The payload as it was sent.
    pub payload: String,
}

/// What steps have cost.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Cost {
    /// How many tokens were read.
    pub input: u64,
    /// How many were written.
    pub output: u64,
    /// The price in dollars, if reported.
    pub money: Option<f64>,
}

impl WorkflowDetails {
    /// Whether agents work for it, or may begin to at any moment.
    pub fn is_under_way(&self) -> bool {
        let is_held = matches!(self.state, WorkflowState::Paused | WorkflowState::WaitUserDecision);
        !self.state.is_terminal() && !self.is_interrupted && (!is_held || !self.waiting_for.is_empty())
    }
}

impl Runtime {
    /// Returns the workflows of a page of a list, of those that are looked for: not the first `skip`, and `limit` at most.
    ///
    /// # Errors
    ///
    /// When they cannot be read.
    pub fn list_page(&self, sought: &WorkflowFilter, skip: usize, limit: usize) -> Result<ListPage, Failure> {
        let view = self.journal.view()?;
        let draft = Draft::new(&*view, &*self.world);
        let now = self.now();
        let wanted = limit.saturating_add(1);
        let mut rows = if sought.is_everything() {
            let number = |count| u32::try_from(count).unwrap_or(u32::MAX);
            view.find(&Query::workflows().skip(number(skip)).limit(number(wanted)))?
        } else {
            sought_rows(&*view, sought, skip, wanted, now)?
        };
        let has_more = rows.len() > limit;
        rows.truncate(limit);
        let around = ListContext::of(&*view, &rows, now)?;
        let listed = |row: &Workflow| {
            let waiting = around.waiting_of(&row.id);
            Ok(ListedWorkflow { summary: self.summary(&draft, row, &around)?, waiting })
        };
        let workflows = rows.iter().map(listed).collect::<Result<_, Failure>>()?;
        let (waiting, projects) = (views::waiting_decisions(&*view, now)?, views::folders_in_use(&*view)?);
        Ok(ListPage { workflows, has_more, waiting, projects, seq: view.log()?.last })
    }

    /// Returns the details of a workflow, with this page of its events.
    ///
    /// # Errors
    ///
    /// When there is none, or it cannot be read.
    pub fn watched(&self, id: &str, wanted: EventPageRequest) -> Result<WorkflowDetails, Failure> {
        let view = self.journal.view()?;
        let draft = Draft::new(&*view, &*self.world);
        let row = rows::workflow(&draft, id)?;
        let now = self.now();
        let (mut pending, mut decided) = (Vec::new(), Vec::new());
        for decision in view.find(&Query::decisions(Some(id), None))? {
            let view = decisions::view_of(&decision, now)?;
            let is_open = view.status == DecisionStatus::Pending.name();
            if is_open { &mut pending } else { &mut decided }.push(view);
        }
        decided.reverse();
        decided.truncate(MAX_DECIDED);
        let types: Vec<_> =
            EventType::ALL.iter().copied().filter(|kind| kind.group() == wanted.group).collect();
        let kinds = (wanted.group != EventGroup::All).then_some(&types[..]);
        let find = Query::events_of(id, kinds, wanted.before).limit(wanted.limit.saturating_add(1));
        let mut events: Vec<_> = view.find(&find)?.into_iter().map(happened).collect();
        let shown = usize::try_from(wanted.limit).unwrap_or(usize::MAX);
        let has_older = events.len() > shown;
        events.truncate(shown);
        Ok(WorkflowDetails {
            phases: views::phases(&draft, &row)?,
            tasks: tasks::nodes(&draft.tasks(id)?),
            agents: agents(&draft, id)?,
            waiting_for: self.with_work(&row, waiting::waiting_for(&draft, &row)?).unwrap_or_default(),
            pending,
            decided,
            output: views::output_of(&row).as_ref().map(words_of),
            cost: cost(&*view, id)?,
            events,
            has_older,
            seq: view.log()?.last,
            created_at: iso(row.created),
            updated_at: iso(row.updated),
            is_interrupted: !row.state.is_terminal() && checkpoints::is_interrupted(&row),
            id: row.id,
            task: row.task,
            state: row.state,
            previous: row.previous,
            is_cancelled: row.cancelled,
            round: row.round,
            error: row.error,
        })
    }

    /// Returns this event of a workflow; `None` if there is none, or it is no longer kept.
    ///
    /// # Errors
    ///
    /// When there is no such workflow, or it cannot be read.
    pub fn watched_event(&self, id: &str, seq: i64) -> Result<Option<EventSummary>, Failure> {
        let view = self.journal.view()?;
        rows::workflow(&Draft::new(&*view, &*self.world), id)?;
        let newest = Query::events_of(id, None, Some(seq.saturating_add(1))).limit(1);
        Ok(view.find(&newest)?.into_iter().find(|event| event.seq == seq).map(happened))
    }
}

/// The workflows that are looked for: not the first `skip`, and `wanted` at most. They are looked through page by page.
fn sought_rows(
    view: &dyn View,
    sought: &WorkflowFilter,
    skip: usize,
    wanted: usize,
    now: Millis,
) -> Result<Vec<Workflow>, Failure> {
    let query = Query::workflows().limit(PAGE);
    let (mut position, mut skipped, mut found) = (Vec::new(), 0, Vec::new());
    loop {
        let rows = view.find(&query.clone().after(position))?;
        let context = ListContext::to_match(view, &rows, sought, now)?;
        let is_last = rows.len() < usize::try_from(PAGE).unwrap_or(usize::MAX);
        position = rows.last().map(|row| query.position(row)).unwrap_or_default();
        for row in rows.into_iter().filter(|row| context.matches(row, sought)) {
            if skipped < skip {
                skipped += 1;
                continue;
            }
            found.push(row);
            if found.len() == wanted {
                return Ok(found);
            }
        }
        if is_last {
            return Ok(found);
        }
    }
}

fn happened(event: journal::Event) -> EventSummary {
    EventSummary {
        seq: event.seq,
        at: iso(event.at),
        kind: event.kind,
        event: Event::read(event.kind, &event.payload).ok(),
        payload: event.payload,
        task: event.task,
        agent: event.agent,
    }
}

/// The agents that work for a workflow, and those that did so just now.
fn agents(draft: &Draft<'_>, id: &str) -> Result<Vec<AgentActivity>, Failure> {
    let mut seen: Vec<AgentActivity> =
        draft.find(&Query::agents_of(id))?.into_iter().map(|agent| seen_of(agent, true)).collect();
    let find = Query::events_of(id, Some(&[EventType::AgentUpdate]), None).limit(STEPS_SOUGHT);
    for event in draft.find(&find)? {
        let Ok(Event::AgentUpdate(told)) = Event::read(event.kind, &event.payload) else { continue };
        let at = match seen.iter().position(|agent| agent.id == told.agent_id) {
            Some(at) => at,
            None => {
                // The agent has left the pool or works for another workflow now; its steps here are still shown.
                let row = draft.look::<Agent>(&Agent::key_of(&told.agent_id))?;
                let Some(row) = row else { continue };
                let is_ours = row.workflow.as_deref() == Some(id);
                seen.push(seen_of(row, is_ours));
                seen.len() - 1
            }
        };
        let agent = &mut seen[at];
        agent.load = agent.load.or(told.load);
        if let Some(step) = told.step.filter(|_| agent.steps.len() < STEPS_OF_AGENT) {
            agent.steps.push(step);
        }
    }
    Ok(seen)
}

/// Its work for other workflows is not shown here.
fn seen_of(agent: Agent, is_ours: bool) -> AgentActivity {
    AgentActivity {
        id: agent.id,
        name: agent.name,
        state: if is_ours { agent.state } else { AgentState::Idle },
        task: agent.task.filter(|_| is_ours),
        load: (!is_ours).then_some(0),
        steps: Vec::new(),
        error: agent.last_error.filter(|_| is_ours),
    }
}

fn cost(view: &dyn View, id: &str) -> Result<Cost, Failure> {
    let sums = view.sum(&Sum::cost_of(id))?;
    let sum = |at: usize| sums.get(at).copied().flatten();
    Ok(Cost { input: tokens(sum(0)), output: tokens(sum(1)), money: sum(2) })
}

/// As many as can be written down.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it stops at the ends")]
fn tokens(sum: Option<f64>) -> u64 {
    sum.unwrap_or_default() as u64
}

/// The output of a workflow for people: its text, if it is one, and the file with it.
fn words_of(output: &serde_json::Value) -> (String, Option<String>) {
    let (path, text) = aide_core::task::file_and_text(output);
    let words = match text {
        None => String::new(),
        Some(serde_json::Value::String(text)) => text.clone(),
        Some(other) => serde_json::to_string_pretty(other).unwrap_or_default(),
    };
    (words, path.map(str::to_owned))
}
