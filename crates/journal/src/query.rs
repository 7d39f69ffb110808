//! What is asked of the tables. Each question has an index, which a test holds it to.

use crate::cell::{Cell, CellValue, Millis};
use crate::rows::{
    Agent, Checkpoint, Decision, Idempotency, Instruction, Mailbox, Message, Outbox, Project, Row, Session,
    Step, Table, Task, Tool, Workflow,
};
use protocol::workflow::{DecisionStatus, EventType, MailStatus, WorkflowState};
use std::marker::PhantomData;

/// A question whose answer is rows of one kind, in an order that is always the same.
#[derive(Debug)]
pub struct Query<R> {
    query: RawQuery,
    row: PhantomData<fn() -> R>,
}

impl<R> Clone for Query<R> {
    fn clone(&self) -> Self {
        Self { query: self.query.clone(), row: PhantomData }
    }
}

/// The same without the kind of row.
#[derive(Debug, Clone)]
pub struct RawQuery {
    pub(crate) table: Table,
    pub(crate) conditions: Vec<(&'static str, Condition)>,
    /// Columns that together are different for every row.
    pub(crate) order: &'static [&'static str],
    pub(crate) is_descending: bool,
    /// Where the row stands, in that order, behind which the answer begins; empty for one that begins with the first row.
    pub(crate) after: Vec<Cell>,
    /// How many rows are left out first.
    pub(crate) skip: u32,
    pub(crate) limit: Option<u32>,
}

/// What a column must hold.
#[derive(Debug, Clone)]
pub(crate) enum Condition {
    Equal(Cell),
    OneOf(Vec<Cell>),
    Above(i64),
    AtMost(i64),
    Present,
    Positive,
}

impl<R: Row> Query<R> {
    fn all(order: &'static [&'static str]) -> Self {
        let query = RawQuery {
            table: R::TABLE,
            conditions: Vec::new(),
            order,
            is_descending: false,
            after: Vec::new(),
            skip: 0,
            limit: None,
        };
        Self { query, row: PhantomData }
    }

    /// Latest first.
    fn latest(order: &'static [&'static str]) -> Self {
        let mut query = Self::all(order);
        query.query.is_descending = true;
        query
    }

    fn with(mut self, column: &'static str, is: Condition) -> Self {
        self.query.conditions.push((column, is));
        self
    }

    fn equal(self, column: &'static str, value: &str) -> Self {
        self.with(column, Condition::Equal(value.to_owned().to_cell()))
    }

    fn one_of(self, column: &'static str, values: &[String]) -> Self {
        self.with(column, Condition::OneOf(values.iter().map(CellValue::to_cell).collect()))
    }

    /// Those of which `value` says nothing else.
    fn maybe(self, column: &'static str, value: Option<&str>) -> Self {
        match value {
            Some(value) => self.equal(column, value),
            None => self,
        }
    }

    /// Only the first so many.
    #[must_use]
    pub fn limit(mut self, limit: u32) -> Self {
        self.query.limit = Some(limit);
        self
    }

    /// Without the first so many of those that a limit ([`Self::limit`]) is for: they are passed over in the index.
    #[must_use]
    pub fn skip(mut self, skip: u32) -> Self {
        self.query.skip = skip;
        self
    }

    /// Only what comes behind this position in their order ([`Self::position`]); empty: all of them.
    #[must_use]
    pub fn after(mut self, position: Vec<Cell>) -> Self {
        self.query.after = position;
        self
    }

    /// Where a row stands in their order: what comes behind it stays behind it, unless that row itself changes.
    pub fn position(&self, row: &R) -> Vec<Cell> {
        let (columns, cells) = (self.query.table.layout().columns, row.cells());
        let cell = |name: &&'static str| {
            let at = columns.iter().position(|column| column == name)?;
            cells.get(at).cloned()
        };
        self.query.order.iter().filter_map(cell).collect()
    }

    /// Whether this is where a row could stand.
    pub fn is_position(&self, position: &[Cell]) -> bool {
        let layout = self.query.table.layout();
        let is_number = |name: &&str| {
            let mut columns = layout.columns.iter().zip(layout.are_numbers);
            columns.find_map(|(column, is_number)| (column == name).then_some(*is_number))
        };
        let is_fit = |(name, cell): (&&str, &Cell)| match cell {
            Cell::Null => false,
            Cell::Integer(_) => is_number(name) == Some(true),
            Cell::Text(_) => is_number(name) == Some(false),
        };
        position.len() == self.query.order.len() && self.query.order.iter().zip(position).all(is_fit)
    }

    /// Returns it without the kind of row.
    pub fn raw(&self) -> &RawQuery {
        &self.query
    }
}

impl Query<crate::rows::Event> {
    /// The events that a reader asks for, in the order in which it asks for them.
    pub fn events(filter: &crate::EventFilter) -> Self {
        let mut query = match filter.newest {
            true => Self::latest(&["seq"]),
            false => Self::all(&["seq"]),
        };
        if filter.after > 0 {
            query = query.with("seq", Condition::Above(filter.after));
        }
        query =
            query.maybe("workflow", filter.workflow.as_deref()).maybe("session", filter.session.as_deref());
        if let Some(kinds) = &filter.kinds {
            query = query.with("kind", Condition::OneOf(kinds.iter().map(CellValue::to_cell).collect()));
        }
        query.limit(filter.limit)
    }

    /// What has happened to a workflow, the last first: of these types only, if any are said, and before that number.
    pub fn events_of(workflow: &str, kinds: Option<&[EventType]>, before: Option<i64>) -> Self {
        let mut query = Self::latest(&["seq"]).equal("workflow", workflow);
        if let Some(before) = before {
            query = query.with("seq", Condition::AtMost(before.saturating_sub(1)));
        }
        match kinds {
            Some(kinds) => {
                query.with("kind", Condition::OneOf(kinds.iter().map(CellValue::to_cell).collect()))
            }
            None => query,
        }
    }
}

impl Query<Project> {
    /// All projects, by name.
    pub fn projects() -> Self {
        Self::all(&["id"])
    }

    /// Those of these names.
    pub fn projects_named(names: &[String]) -> Self {
        Self::projects().one_of("id", names)
    }

    /// The project in this folder.
    pub fn project_at(root: &str) -> Self {
        Self::all(&["id"]).equal("root", root)
    }
}

impl Query<Session> {
    /// All sessions, what changed last first.
    pub fn sessions() -> Self {
        Self::latest(&["updated", "id"])
    }

    /// Those of these names.
    pub fn sessions_named(names: &[String]) -> Self {
        Self::all(&["id"]).one_of("id", names)
    }

    /// Those of a project.
    pub fn sessions_of(project: &str) -> Self {
        Self::sessions().equal("project", project)
    }

    /// One of them, if there are any.
    pub fn any_session_of(project: &str) -> Self {
        Self::all(&["project"]).equal("project", project).limit(1)
    }
}

impl Query<Message> {
    /// What was said in a session, the latest first.
    pub fn messages_of(session: &str) -> Self {
        Self::latest(&["no"]).equal("session", session)
    }

    /// The same, as it was said.
    pub fn messages_from(session: &str) -> Self {
        Self::all(&["no"]).equal("session", session)
    }
}

impl Query<Workflow> {
    /// All workflows, what changed last first.
    pub fn workflows() -> Self {
        Self::latest(&["updated", "id"])
    }

    /// Those of a session.
    pub fn workflows_of(session: &str) -> Self {
        Self::workflows().equal("session", session)
    }

    /// Those in one of these phases.
    pub fn workflows_in(states: &[WorkflowState]) -> Self {
        Self::all(&["id"]).with("state", Condition::OneOf(states.iter().map(CellValue::to_cell).collect()))
    }

    /// Those that the end of a daemon interrupts, by the number of the daemon that drives them: by an index of these alone.
    pub fn driven_workflows() -> Self {
        Self::all(&["driven", "id"]).with("driven", Condition::Positive)
    }

    /// Of these, those that were driven by daemons before the one of this number.
    pub fn driven_before(daemon: i64) -> Self {
        Self::driven_workflows().with("driven", Condition::AtMost(daemon.saturating_sub(1)))
    }

    /// The same as [`Self::driven_workflows`], what the last daemon drives first.
    pub fn last_driven() -> Self {
        Self::latest(&["driven", "id"]).with("driven", Condition::Positive)
    }

    /// Of these, those of some sessions.
    #[must_use]
    pub fn of_sessions(self, sessions: &[String]) -> Self {
        self.one_of("session", sessions)
    }
}

impl Query<Task> {
    /// The tasks of a workflow, in its order.
    pub fn tasks_of(workflow: &str) -> Self {
        Self::all(&["no"]).equal("workflow", workflow)
    }
}

impl Query<Step> {
    /// The steps of a workflow, as they were done.
    pub fn steps_of(workflow: &str) -> Self {
        Self::all(&["no", "attempt"]).equal("workflow", workflow)
    }

    /// The same, the latest first.
    pub fn last_steps_of(workflow: &str) -> Self {
        Self::latest(&["no", "attempt"]).equal("workflow", workflow)
    }

    /// Of these, those that were done for a task.
    #[must_use]
    pub fn for_task(self, task: &str) -> Self {
        self.equal("task", task)
    }

    /// Of these, those that something was made for that has a name of its own: a decision.
    #[must_use]
    pub fn with_outcome(self) -> Self {
        self.with("outcome", Condition::Present)
    }
}

impl Query<Agent> {
    /// All agents, by name.
    pub fn agents() -> Self {
        Self::all(&["id"])
    }

    /// Those of a kind.
    pub fn agents_of_kind(kind: &str) -> Self {
        Self::agents().equal("kind", kind)
    }

    /// Those that work for a workflow.
    pub fn agents_of(workflow: &str) -> Self {
        Self::agents().equal("workflow", workflow)
    }
}

impl Query<Decision> {
    /// Decisions, as they were asked: of this workflow, or in this state, or all.
    pub fn decisions(workflow: Option<&str>, status: Option<DecisionStatus>) -> Self {
        Self::all(&["created", "id"])
            .maybe("workflow", workflow)
            .maybe("status", status.map(DecisionStatus::name))
    }

    /// Those of these workflows that are in this state.
    pub fn decisions_of_workflows(workflows: &[String], status: DecisionStatus) -> Self {
        Self::all(&["created", "id"]).one_of("workflow", workflows).equal("status", status.name())
    }

    /// Those of a session.
    pub fn decisions_of(session: &str) -> Self {
        Self::all(&["created", "id"]).equal("session", session)
    }

    /// Those that were asked last, the last first.
    pub fn last_asked() -> Self {
        Self::latest(&["created", "id"])
    }

    /// The one whose questions have this name.
    pub fn asked_as(ask: &str) -> Self {
        Self::all(&["id"]).equal("ask", ask)
    }

    /// Pending decisions whose time is up.
    pub fn decisions_due(now: Millis) -> Self {
        Self::all(&["expires", "id"])
            .equal("status", DecisionStatus::Pending.name())
            .with("expires", Condition::AtMost(now))
    }
}

impl Query<Checkpoint> {
    /// The checkpoints of a session, the latest first.
    pub fn checkpoints_of(session: &str) -> Self {
        Self::latest(&["no"]).equal("session", session)
    }

    /// Those of a workflow, the latest first.
    pub fn checkpoints_of_workflow(workflow: &str) -> Self {
        Self::latest(&["no"]).equal("workflow", workflow)
    }
}

impl Query<Instruction> {
    /// What was said to a workflow, as it was said.
    pub fn instructions_of(workflow: &str) -> Self {
        Self::all(&["no"]).equal("workflow", workflow)
    }
}

impl Query<Mailbox> {
    /// Messages to a module, or in this state, or all; the latest first.
    pub fn mail(target: Option<&str>, status: Option<MailStatus>) -> Self {
        Self::latest(&["created", "id"]).maybe("target", target).maybe("status", status.map(MailStatus::name))
    }

    /// Messages in this state that have not changed since then, the oldest first.
    pub fn mail_until(status: MailStatus, then: Millis) -> Self {
        let query = Self::all(&["created", "id"]).equal("status", status.name());
        query.with("created", Condition::AtMost(then)).with("updated", Condition::AtMost(then))
    }

    /// The message that its sender has given this name.
    pub fn mail_called(callback: &str) -> Self {
        Self::all(&["id"]).equal("callback", callback)
    }

    /// The messages that have begun a workflow.
    pub fn mail_of(workflow: &str) -> Self {
        Self::all(&["id"]).equal("workflow", workflow)
    }
}

impl Query<Idempotency> {
    /// The requests whose answers are remembered.
    pub fn requests() -> Self {
        Self::all(&["name"])
    }
}

impl Query<Outbox> {
    /// What is to be tried now, in that order.
    pub fn outbox_due(now: Millis) -> Self {
        Self::all(&["next", "id"]).with("next", Condition::AtMost(now))
    }

    /// All that is to be done, in the order in which it is to be tried.
    pub fn outbox() -> Self {
        Self::all(&["next", "id"])
    }
}

impl Query<Tool> {
    /// What was said of tools, by name.
    pub fn tools() -> Self {
        Self::all(&["name"])
    }
}

/// How many rows there are, by some columns.
#[derive(Debug, Clone)]
pub struct Count {
    pub(crate) table: Table,
    pub(crate) by: &'static [&'static str],
    /// What the first of these columns must hold; empty for anything.
    pub(crate) of: Vec<Cell>,
}

impl Count {
    /// Whether it is [`Self::TASKS`], of all workflows or of some.
    pub fn is_of_tasks(&self) -> bool {
        self.table == Table::Task
    }

    /// The tasks in each state, by workflow.
    pub const TASKS: Self = Self { table: Table::Task, by: &["workflow", "state"], of: Vec::new() };
    /// The messages, by session.
    pub const MESSAGES: Self = Self { table: Table::Message, by: &["session"], of: Vec::new() };

    /// The pending decisions: by an index alone.
    pub fn pending_decisions() -> Self {
        let of = vec![DecisionStatus::Pending.to_cell()];
        Self { table: Table::Decision, by: &["status"], of }
    }

    /// Only those of these workflows or sessions, of which there must be one.
    #[must_use]
    pub fn of(mut self, names: &[String]) -> Self {
        self.of = names.iter().map(CellValue::to_cell).collect();
        self
    }
}

/// Numbers that are added up: of the JSON objects in a column, over the rows that are asked for.
#[derive(Debug, Clone)]
pub struct Sum {
    pub(crate) table: Table,
    pub(crate) column: &'static str,
    /// The names of the numbers. Where one is null or is not there, it adds nothing.
    pub(crate) members: &'static [&'static str],
    pub(crate) of: (&'static str, Cell),
}

impl Sum {
    /// What the steps of a workflow have cost: tokens that were read, tokens that were written, and dollars.
    pub fn cost_of(workflow: &str) -> Self {
        Self {
            table: Table::Step,
            column: "tokens",
            members: &["input", "output", "cost"],
            of: ("workflow", workflow.to_owned().to_cell()),
        }
    }
}
