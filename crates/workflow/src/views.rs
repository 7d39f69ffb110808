//! Workflow views for the API.

use crate::draft::{Draft, iso};
use crate::failure::{Failure, unwritable};
use crate::lists::{ListKey, ListRange, TakePage};
use crate::runtime::Runtime;
use crate::{checkpoints, decisions, lists, rows, tasks, waiting};
use aide_core::Context;
use journal::{Cell, Count, Decision, Millis, Project, Query, Session, Task, View, ViewExt as _, Workflow};
use protocol::workflow::api::{
    AgentSnapshot, PhaseEntry, StateSnapshot, TaskNode, TaskSnapshot, WorkflowOutput, WorkflowSummary,
};
use protocol::workflow::{
    DecisionStatus, ErrorCode, EventType, PhaseTransition, Refusal, TaskState, TaskStatus, Trigger,
    WorkflowState,
};
use serde_json::{Map, Value};
use std::collections::{BTreeSet, HashMap};

/// The names of the lists in their cursors.
const WORKFLOWS: &str = "workflows";
const STATES: &str = "states";
const TASKS: &str = "tasks";

impl Runtime {
    /// Reads a part of the workflows that are looked for, page by page as of one moment, what changed last first. Returns the
    /// cursor of what comes behind it.
    ///
    /// # Errors
    ///
    /// When they cannot be read, and when the cursor is not one of this list.
    pub fn read_workflows(
        &self,
        sought: &WorkflowFilter,
        range: &ListRange,
        take: &mut TakePage<'_, WorkflowSummary>,
    ) -> Result<Option<String>, Failure> {
        let view = lists::view(&*self.journal, range)?;
        let draft = Draft::new(&*view, &*self.world);
        // The list is as of one moment, however long it takes.
        let now = self.now();
        let make = |rows: &[Workflow]| {
            let around = ListContext::of(&*view, rows, now)?;
            let summary = |row: &Workflow| match around.matches(row, sought) {
                true => Ok(vec![self.summary(&draft, row, &around)?]),
                false => Ok(Vec::new()),
            };
            rows.iter().map(summary).collect()
        };
        lists::read(&*view, &sought.list(), &Query::workflows(), range, make, take)
    }

    /// Returns a workflow.
    ///
    /// # Errors
    ///
    /// When there is none, or it cannot be read.
    pub fn workflow(&self, id: &str) -> Result<WorkflowSummary, Failure> {
        let view = self.journal.view()?;
        let draft = Draft::new(&*view, &*self.world);
        let row = rows::workflow(&draft, id)?;
        let mut counts = Counts::default();
        for task in view.find(&Query::tasks_of(id))? {
            counts.add(task.state, 1);
        }
        let session = view.row::<Session>(&Session::key_of(&row.session))?;
        let project = session.and_then(|session| session.project);
        let project = project.map(|project| view.row::<Project>(&Project::key_of(&project))).transpose()?;
        let mut asked = view.find(&Query::decisions(Some(id), Some(DecisionStatus::Pending)))?;
        asked.retain(|decision| !decisions::is_due(decision, self.now()));
        let around = ListContext {
            counts: HashMap::from([(id.to_owned(), counts)]),
            roots: project.flatten().map(|project| (row.session.clone(), project.root)).into_iter().collect(),
            asked: HashMap::from([(id.to_owned(), asked.len())]),
        };
        self.summary(&draft, &row, &around)
    }

    pub(crate) fn summary(
        &self,
        draft: &Draft<'_>,
        row: &Workflow,
        around: &ListContext,
    ) -> Result<WorkflowSummary, Failure> {
        let counts = around.counts.get(&row.id).copied().unwrap_or_default();
        let pending = around.asked.get(&row.id).copied().unwrap_or_default();
        let waiting_for = if row.state.is_terminal() { None } else { waiting::waiting_for(draft, row)? };
        Ok(WorkflowSummary {
            id: row.id.clone(),
            workflow_id: row.id.clone(),
            session_id: row.session.clone(),
            status: row.state.simple(),
            fsm_state: row.state,
            task_count: counts.all,
            completed_tasks: counts.completed,
            failed_tasks: counts.failed,
            created_at: iso(row.created),
            updated_at: iso(row.updated),
            user_task: row.task.clone(),
            project_path: around.roots.get(&row.session).cloned(),
            cancelled: row.cancelled.then_some(true),
            error: row.error.clone().filter(|_| row.state == WorkflowState::Failed && !row.cancelled),
            interrupted: (!row.state.is_terminal() && checkpoints::is_interrupted(row)).then_some(true),
            pending_decisions: (pending > 0).then_some(pending as u64),
            waiting_for: self.with_work(row, waiting_for).or_else(|| self.lacked_provider(row, pending > 0)),
        })
    }

    /// Returns everything about a workflow.
    ///
    /// # Errors
    ///
    /// When there is none, or it cannot be read.
    pub fn state(&self, id: &str) -> Result<StateSnapshot, Failure> {
        let view = self.journal.view()?;
        let draft = Draft::new(&*view, &*self.world);
        let row = draft.look::<Workflow>(&Workflow::key_of(id))?;
        let missing =
            || Refusal::new(ErrorCode::WorkflowNotFound, "State snapshot not found").with("workflowId", id);
        self.snapshot(&draft, &row.ok_or_else(missing)?)
    }

    /// Reads everything about all workflows, or a part of them, what changed last first, page by page as of one moment. Returns the
    /// cursor of what comes behind it.
    ///
    /// # Errors
    ///
    /// When they cannot be read, and when the cursor is not one of this list.
    pub fn read_states(
        &self,
        range: &ListRange,
        take: &mut TakePage<'_, StateSnapshot>,
    ) -> Result<Option<String>, Failure> {
        let view = lists::view(&*self.journal, range)?;
        let draft = Draft::new(&*view, &*self.world);
        let make = |rows: &[Workflow]| {
            rows.iter().map(|row| Ok(vec![self.snapshot(&draft, row)?])).collect::<Result<_, Failure>>()
        };
        lists::read(&*view, &ListKey::new(STATES, &[]), &Query::workflows(), range, make, take)
    }

    fn snapshot(&self, draft: &Draft<'_>, row: &Workflow) -> Result<StateSnapshot, Failure> {
        let task = |task: &Task| TaskSnapshot {
            id: task.id.clone(),
            fsm_state: task.state,
            simplified_status: task.state.simple(),
            assignee: task.agent.clone(),
        };
        let pending_decision = pending_decision(draft, row)?;
        let agents = draft.find(&Query::agents_of(&row.id))?;
        let agents = agents.into_iter().map(|agent| AgentSnapshot {
            simplified_status: agent.state.simple().to_owned(),
            id: agent.id,
            fsm_state: agent.state,
        });
        Ok(StateSnapshot {
            workflow_id: row.id.clone(),
            session_id: row.session.clone(),
            fsm_state: row.state,
            simplified_status: row.state.simple(),
            previous_state: row.previous,
            tasks: draft.tasks(&row.id)?.iter().map(task).collect(),
            agents: agents.collect(),
            context: shown_context(draft, row)?,
            user_task: row.task.clone(),
            round: u64::try_from(row.round).unwrap_or_default(),
            history: phases(draft, row)?,
            waiting_for: self
                .with_work(row, waiting::waiting_for(draft, row)?)
                .or_else(|| self.lacked_provider(row, pending_decision.is_some())),
            pending_decision,
            output: output_of(row),
            error: row.error.clone(),
            timestamp: iso(row.updated),
        })
    }

    /// Returns the tasks of a workflow, in its order.
    ///
    /// # Errors
    ///
    /// When there is no such workflow, or it cannot be read.
    pub fn tasks(&self, id: &str) -> Result<Vec<TaskNode>, Failure> {
        Ok(self.part_of_tasks(id, &ListRange::all())?.0)
    }

    /// Returns a part of them, and the cursor of what comes behind it.
    ///
    /// # Errors
    ///
    /// As [`Self::tasks`], and when the cursor is not one of this list.
    pub fn part_of_tasks(
        &self,
        id: &str,
        range: &ListRange,
    ) -> Result<(Vec<TaskNode>, Option<String>), Failure> {
        let view = self.journal.view()?;
        let draft = Draft::new(&*view, &*self.world);
        let (workflow, rows) = (rows::workflow(&draft, id)?, draft.tasks(id)?);
        let keys = rows.iter().map(|task| format!("{:012}", task.no));
        let list = ListKey::new(TASKS, &[("workflow", Some(id))]);
        lists::part(&list, keys.zip(tasks::assigned(&workflow, &rows)).collect(), range)
    }

    /// Returns the output of a workflow.
    ///
    /// # Errors
    ///
    /// When there is no such workflow, it has no output yet, or it cannot be read.
    pub fn output(&self, id: &str) -> Result<WorkflowOutput, Failure> {
        let view = self.journal.view()?;
        let row = rows::workflow(&Draft::new(&*view, &*self.world), id)?;
        let missing =
            || Refusal::new(ErrorCode::OutputNotFound, "Workflow has no output").with("workflowId", id);
        let output = output_of(&row).ok_or_else(|| missing().at(row.state))?;
        let (path, text) = aide_core::task::file_and_text(&output);
        let (path, output) = (path.map(str::to_owned), text.unwrap_or(&output).clone());
        Ok(WorkflowOutput { workflow_id: row.id, output, path })
    }
}

/// Which workflows are looked for. What is not said does not matter.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WorkflowFilter {
    /// How they stand.
    pub state: Option<StateFilter>,
    /// The folder of their project, or its name.
    pub project: Option<String>,
    /// What stands in their task or name, whatever the case.
    pub text: Option<String>,
}

impl WorkflowFilter {
    /// Whether all are looked for.
    pub fn is_everything(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the list that it makes of all workflows.
    fn list(&self) -> ListKey {
        let (project, text) = (self.project.as_deref(), self.text.as_deref());
        let filters = [("state", self.state.map(StateFilter::name)), ("project", project), ("text", text)];
        ListKey::new(WORKFLOWS, &filters)
    }
}

/// How a workflow stands, in the words by which people look for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StateFilter {
    /// It has not ended.
    Active,
    /// A decision waits for a person.
    Waiting,
    /// The daemon was away, and it was not resumed.
    Interrupted,
    /// It was cancelled.
    Cancelled,
    /// It is in this phase. A cancelled workflow does not count as failed.
    Phase(WorkflowState),
}

impl StateFilter {
    /// The filters besides the names of phases.
    pub const WORDS: [&'static str; 4] = ["active", "waiting", "interrupted", "cancelled"];

    /// Returns the one of this name.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "active" => Self::Active,
            "waiting" => Self::Waiting,
            "interrupted" => Self::Interrupted,
            "cancelled" => Self::Cancelled,
            phase => Self::Phase(WorkflowState::named(phase)?),
        })
    }

    /// Returns all names.
    pub fn names() -> impl Iterator<Item = &'static str> {
        Self::WORDS.into_iter().chain(WorkflowState::NAMES.iter().copied())
    }

    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Waiting => "waiting",
            Self::Interrupted => "interrupted",
            Self::Cancelled => "cancelled",
            Self::Phase(phase) => phase.name(),
        }
    }
}

/// What a list of workflows needs besides their rows.
pub(crate) struct ListContext {
    counts: HashMap<String, Counts>,
    /// The folders of projects, by session.
    roots: HashMap<String, String>,
    /// How many decisions are open, by workflow.
    asked: HashMap<String, usize>,
}

impl ListContext {
    /// What [`Self::matches`] needs for these workflows, and nothing else.
    pub(crate) fn to_match(
        view: &dyn View,
        rows: &[Workflow],
        sought: &WorkflowFilter,
        now: Millis,
    ) -> Result<Self, Failure> {
        let (mut projects, mut sessions, mut asked) = (Vec::new(), Vec::new(), Vec::new());
        if sought.project.is_some() {
            (projects, sessions) = sessions_and_projects(view, rows)?;
        }
        if sought.state == Some(StateFilter::Waiting) {
            let ids: Vec<String> = rows.iter().map(|row| row.id.clone()).collect();
            asked = view.find(&Query::decisions_of_workflows(&ids, DecisionStatus::Pending))?;
        }
        Ok(Self::made_of(Vec::new(), projects, sessions, asked, now))
    }

    /// What a list of these workflows needs.
    pub(crate) fn of(view: &dyn View, rows: &[Workflow], now: Millis) -> Result<Self, Failure> {
        if rows.is_empty() {
            return Ok(Self::made_of(Vec::new(), Vec::new(), Vec::new(), Vec::new(), now));
        }
        let ids: Vec<String> = rows.iter().map(|row| row.id.clone()).collect();
        let (projects, sessions) = sessions_and_projects(view, rows)?;
        let asked = view.find(&Query::decisions_of_workflows(&ids, DecisionStatus::Pending))?;
        Ok(Self::made_of(view.count(&Count::TASKS.of(&ids))?, projects, sessions, asked, now))
    }

    fn made_of(
        counted: Vec<(Vec<Cell>, i64)>,
        projects: Vec<Project>,
        sessions: Vec<Session>,
        pending: Vec<Decision>,
        now: Millis,
    ) -> Self {
        let mut counts: HashMap<String, Counts> = HashMap::new();
        for (cells, count) in counted {
            if let [Cell::Text(workflow), Cell::Text(state)] = &cells[..]
                && let Some(state) = TaskState::named(state)
            {
                let count = u64::try_from(count).unwrap_or_default();
                counts.entry(workflow.clone()).or_default().add(state, count);
            }
        }
        let projects: HashMap<String, String> =
            projects.into_iter().map(|project| (project.id, project.root)).collect();
        let root = |session: Session| Some((session.id, projects.get(&session.project?)?.clone()));
        let mut asked: HashMap<String, usize> = HashMap::new();
        for decision in pending {
            if let Some(workflow) = decision.workflow.clone().filter(|_| !decisions::is_due(&decision, now)) {
                *asked.entry(workflow).or_default() += 1;
            }
        }
        Self { counts, roots: sessions.into_iter().filter_map(root).collect(), asked }
    }

    /// How many decisions of this workflow are open.
    pub(crate) fn waiting_of(&self, id: &str) -> usize {
        self.asked.get(id).copied().unwrap_or_default()
    }

    pub(crate) fn matches(&self, row: &Workflow, sought: &WorkflowFilter) -> bool {
        let stands = sought.state.is_none_or(|state| match state {
            StateFilter::Active => !row.state.is_terminal(),
            StateFilter::Waiting => self.asked.contains_key(&row.id),
            StateFilter::Interrupted => !row.state.is_terminal() && checkpoints::is_interrupted(row),
            StateFilter::Cancelled => row.cancelled,
            StateFilter::Phase(phase) => row.state == phase && !row.cancelled,
        });
        let root = self.roots.get(&row.session).map(String::as_str).unwrap_or_default();
        let is_in = |project: &String| {
            let project = project.trim_end_matches('/');
            root == project || root.rsplit('/').next() == Some(project)
        };
        let says = |text: &String| {
            let text = text.to_lowercase();
            row.id.contains(&text) || row.task.to_lowercase().contains(&text)
        };
        stands && sought.project.as_ref().is_none_or(is_in) && sought.text.as_ref().is_none_or(says)
    }
}

/// The sessions of these workflows, and the projects of those.
fn sessions_and_projects(
    view: &dyn View,
    rows: &[Workflow],
) -> Result<(Vec<Project>, Vec<Session>), Failure> {
    let sessions: BTreeSet<String> = rows.iter().map(|row| row.session.clone()).collect();
    let sessions = view.find(&Query::sessions_named(&Vec::from_iter(sessions)))?;
    let projects: BTreeSet<String> = sessions.iter().filter_map(|session| session.project.clone()).collect();
    Ok((view.find(&Query::projects_named(&Vec::from_iter(projects)))?, sessions))
}

/// How many decisions wait for a person, of workflows and of clients without one.
pub(crate) fn waiting_decisions(view: &dyn View, now: Millis) -> Result<usize, Failure> {
    let counted = view.count(&Count::pending_decisions())?;
    let pending = counted.into_iter().map(|(_, count)| usize::try_from(count).unwrap_or_default()).sum();
    // The time of few is up and they are still pending.
    let due = view.find(&Query::decisions_due(now))?.len();
    Ok(usize::saturating_sub(pending, due))
}

/// The folders of the projects that have sessions, each once, by their paths.
pub(crate) fn folders_in_use(view: &dyn View) -> Result<Vec<String>, Failure> {
    let mut folders = Vec::new();
    for project in view.find(&Query::projects())? {
        if !view.find(&Query::any_session_of(&project.id))?.is_empty() {
            folders.push(project.root);
        }
    }
    folders.sort_unstable();
    folders.dedup();
    Ok(folders)
}

#[derive(Default, Clone, Copy)]
pub(crate) struct Counts {
    all: u64,
    completed: u64,
    failed: u64,
}

impl Counts {
    pub(crate) fn add(&mut self, state: TaskState, count: u64) {
        self.all += count;
        match state.simple() {
            TaskStatus::Completed => self.completed += count,
            TaskStatus::Failed => self.failed += count,
            _ => {}
        }
    }
}

pub(crate) fn output_of(row: &Workflow) -> Option<Value> {
    row.output.as_deref().and_then(|output| serde_json::from_str(output).ok())
}

/// The phases that a workflow has been in, as they came.
pub(crate) fn phases(draft: &Draft<'_>, row: &Workflow) -> Result<Vec<PhaseEntry>, Failure> {
    let mut history = Vec::new();
    for (at, payload) in draft.past_events(&row.id, EventType::PhaseTransition)? {
        let Ok(told) = serde_json::from_str::<PhaseTransition>(&payload) else { continue };
        let trigger = told.trigger.map(|trigger: Trigger| trigger.name().to_owned());
        history.push(PhaseEntry { state: told.to, timestamp: iso(at), trigger });
    }
    Ok(history)
}

/// The decision that the workflow waits for, else the oldest pending one.
fn pending_decision(draft: &Draft<'_>, workflow: &Workflow) -> Result<Option<String>, Failure> {
    let context = Context::read(&workflow.context);
    let pending = decisions::pending(draft, &workflow.id)?;
    let pending = pending.iter().map(|decision| (&*decision.id, decision.expires));
    Ok(aide_core::pending_decision(context.awaited(), pending, draft.now()))
}

/// The context as the workflow's driver knows it: with the tasks.
pub(crate) fn shown_context(draft: &Draft<'_>, workflow: &Workflow) -> Result<Map<String, Value>, Failure> {
    let tasks = tasks::nodes(&draft.tasks(&workflow.id)?);
    let tasks = (!tasks.is_empty()).then(|| serde_json::to_value(tasks));
    let tasks = tasks.transpose().map_err(|error| unwritable(&error))?;
    Ok(Context::read(&workflow.context).shown(tasks))
}
