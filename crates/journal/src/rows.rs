//! The tables, and what every row has in common.

use crate::cell::{Cell, Millis, UnreadableCell, named};
use crate::layout::rows;
use protocol::workflow::{
    AgentState, DecisionStatus, EventType, MailStatus, ResourceStatus, SessionKind, TaskState, ToolName,
    ToolPolicy, WorkflowState,
};
use sha2::{Digest, Sha256};

/// A row of a table.
pub trait Row: Sized + Into<Record> {
    /// Its table.
    const TABLE: Table;

    /// Returns what it is found by.
    fn key(&self) -> Key;

    /// Returns the number of the change that made it so, 0 for a row that is not kept yet; `None` if it is written once.
    fn version(&self) -> Option<i64>;

    /// Returns its cells, in the order of the columns of its table.
    fn cells(&self) -> Vec<Cell>;

    /// Returns the row with these cells.
    ///
    /// # Errors
    ///
    /// When a cell does not hold what its column is for.
    fn from_cells(cells: Vec<Cell>) -> Result<Self, UnreadableCell>;
}

/// What a row is found by.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    pub(crate) table: Table,
    pub(crate) cells: Vec<Cell>,
}

impl Key {
    /// Returns the table of the row.
    pub fn table(&self) -> Table {
        self.table
    }
}

named!(DecisionStatus, MailStatus, ResourceStatus, SessionKind, ToolName, ToolPolicy);

rows! {
    /// Something that happened.
    Event = "event" written_once {
        key {
            /// Its number, from 1, in the order in which it was committed.
            seq: i64 as i64,
        }
        /// Its name.
        id: String,
        /// When it happened.
        at: Millis,
        /// What kind of thing.
        kind: EventType,
        /// The session that it concerns.
        session: Option<String>,
        /// The workflow that it concerns.
        workflow: Option<String>,
        /// The task that it concerns.
        task: Option<String>,
        /// The agent that it concerns.
        agent: Option<String>,
        /// What happened, as JSON.
        payload: String,
    }

    /// A project that questions can be asked in.
    Project = "project" changing {
        key {
            /// Its name: the beginning of the hash of its folder.
            id: String as &str,
        }
        /// Its folder.
        root: String,
        /// When something last happened in it.
        seen: Millis,
    }

    /// A conversation, which workflows belong to.
    Session = "session" changing {
        key {
            /// Its name.
            id: String as &str,
        }
        /// Whose it is.
        kind: SessionKind,
        /// What it is called.
        name: String,
        /// The project that it is about.
        project: Option<String>,
        /// Whether nothing is to be begun in it.
        paused: bool,
        /// When it began.
        created: Millis,
        /// When it last changed.
        updated: Millis,
        /// When it was last accessed.
        accessed: Millis,
        /// What else is known of it: a JSON object.
        context: String,
    }

    /// What was said in a session.
    Message = "message" written_once {
        key {
            /// The session.
            session: String as &str,
            /// Its number there, from 1.
            no: i64 as i64,
        }
        /// Its name.
        id: String,
        /// Who said it: `user`, `assistant`, `system` or `orchestrator`.
        role: String,
        /// What.
        content: String,
        /// When.
        at: Millis,
        /// The workflow that it was said to, or of.
        workflow: Option<String>,
    }

    /// What is to be done, and how far it has come.
    Workflow = "workflow" changing {
        key {
            /// Its name.
            id: String as &str,
        }
        /// The session that it belongs to.
        session: String,
        /// The phase that it is in.
        state: WorkflowState,
        /// The phase that was paused, while it is.
        previous: Option<WorkflowState>,
        /// What is to be done, in words.
        task: String,
        /// What is known of it: a JSON object.
        context: String,
        /// How often it was planned.
        round: i64,
        /// The version of the engine that drives it.
        engine: i64,
        /// What went wrong.
        error: Option<String>,
        /// What came of it, as JSON.
        output: Option<String>,
        /// Whether it was cancelled.
        cancelled: bool,
        /// How often it could not be gone on with.
        failures: i64,
        /// When something is to be done for it; never, if absent.
        wake_at: Option<Millis>,
        /// When it began.
        created: Millis,
        /// When it last changed.
        updated: Millis,
        /// The number of the daemon whose end interrupts it, if it is under way, or paused while an agent may still be at work for
        /// it; else 0. Each daemon has a higher number than those before.
        driven: i64,
    }

    /// A part of a workflow.
    Task = "task" changing {
        key {
            /// The workflow.
            workflow: String as &str,
            /// Its name there.
            id: String as &str,
        }
        /// Its number there, from 1.
        no: i64,
        /// What is to be done.
        description: String,
        /// Who is to do it: `executor` or `reviewer`.
        kind: String,
        /// How far it has come.
        state: TaskState,
        /// The tasks that it needs: a JSON array of names.
        needs: String,
        /// The capabilities that its agent must have: a JSON array of names.
        capabilities: String,
        /// How well it must be able to do something of that, from 1 to 10.
        min_level: Option<i64>,
        /// Who does it.
        agent: Option<String>,
        /// The name under which it was given to that agent; no other task ever has the same.
        dispatch: Option<String>,
        /// How often it was begun.
        attempt: i64,
        /// How often its result was not accepted.
        rejections: i64,
        /// Until when it must be done.
        due: Option<Millis>,
        /// How long it is expected to take, in milliseconds.
        estimate: Option<i64>,
        /// When it was begun.
        started: Option<Millis>,
        /// When it ended.
        finished: Option<Millis>,
        /// What came of it, as JSON.
        result: Option<String>,
        /// What went wrong.
        error: Option<String>,
    }

    /// Something that was done for a workflow, once: asked before it was done, answered no later than what followed.
    Step = "step" changing {
        key {
            /// The workflow.
            workflow: String as &str,
            /// Its number there, from 1.
            no: i64 as i64,
            /// Which attempt, from 1.
            attempt: i64 as i64,
        }
        /// The task that it was done for.
        task: Option<String>,
        /// What kind of step.
        name: String,
        /// The hash of what was asked.
        request_sha256: String,
        /// What was asked.
        request: String,
        /// What came back, as it came.
        answer: Option<String>,
        /// What became of it.
        outcome: Option<String>,
        /// What it cost, as JSON.
        tokens: Option<String>,
        /// When it was begun.
        started: Millis,
        /// When it ended.
        finished: Option<Millis>,
    }

    /// An agent of the pool.
    Agent = "agent" changing {
        key {
            /// Its name.
            id: String as &str,
        }
        /// What it is called.
        name: String,
        /// What kind of agent it is.
        kind: String,
        /// What it is able to do: a JSON array.
        capabilities: String,
        /// What it is doing.
        state: AgentState,
        /// Whether it can be used.
        status: ResourceStatus,
        /// The session that it works for.
        session: Option<String>,
        /// The workflow that it works for.
        workflow: Option<String>,
        /// The task that it does.
        task: Option<String>,
        /// Since when it does.
        deployed: Option<Millis>,
        /// How often it was used.
        deployments: i64,
        /// How often it has failed.
        errors: i64,
        /// What went wrong last.
        last_error: Option<String>,
        /// When.
        last_error_at: Option<Millis>,
        /// When it last gave a sign of life.
        beat: Option<Millis>,
    }

    /// What a person is asked.
    Decision = "decision" changing {
        key {
            /// Its name.
            id: String as &str,
        }
        /// The workflow that waits for it.
        workflow: Option<String>,
        /// The session that it belongs to.
        session: Option<String>,
        /// The task that waits for it.
        task: Option<String>,
        /// The agent that waits for it.
        agent: Option<String>,
        /// The project in whose history it ends.
        project: Option<String>,
        /// The name of its set of questions.
        ask: String,
        /// The questions, as JSON.
        questions: String,
        /// Whether several options can be chosen.
        multiple: bool,
        /// The answer used if none is given.
        fallback: Option<String>,
        /// How it stands.
        status: DecisionStatus,
        /// What a person has filled in so far, as JSON.
        draft: Option<String>,
        /// How it ended, as JSON.
        record: Option<String>,
        /// The answer as it was given.
        response: Option<String>,
        /// The chosen options: a JSON array.
        selected: Option<String>,
        /// How the answer came in.
        via: Option<String>,
        /// When it was asked.
        created: Millis,
        /// Until when it can be answered.
        expires: Option<Millis>,
        /// When it ended.
        ended: Option<Millis>,
    }

    /// How far a session had come at some time.
    Checkpoint = "checkpoint" written_once {
        key {
            /// Its name.
            id: String as &str,
        }
        /// The session.
        session: String,
        /// Its number there, from 1.
        no: i64,
        /// The workflow that it tells of.
        workflow: Option<String>,
        /// When it was made.
        at: Millis,
        /// The phase that the workflow was in.
        state: Option<WorkflowState>,
        /// How much was done, of a hundred.
        progress: i64,
        /// All of it, as JSON.
        body: String,
    }

    /// What a person has said to a workflow.
    Instruction = "instruction" changing {
        key {
            /// The workflow.
            workflow: String as &str,
            /// Its number there, from 1.
            no: i64 as i64,
        }
        /// What was said.
        text: String,
        /// What it was used for; it is used once.
        used_by: Option<String>,
    }

    /// A message to a module.
    Mailbox = "mailbox" changing {
        key {
            /// Its name.
            id: String as &str,
        }
        /// The module.
        target: String,
        /// Who sent it.
        sender: Option<String>,
        /// The name that the sender gave it; no other message has the same.
        callback: Option<String>,
        /// The message, as JSON.
        content: String,
        /// How it stands.
        status: MailStatus,
        /// What came of it, as JSON.
        result: Option<String>,
        /// What went wrong.
        error: Option<String>,
        /// The workflow that it began.
        workflow: Option<String>,
        /// When it came.
        created: Millis,
        /// When it last changed.
        updated: Millis,
    }

    /// A request that may come again, and its answer.
    Idempotency = "idempotency" changing {
        key {
            /// The hash of what was requested and of the name that its caller gave it: [`Idempotency::name_of`].
            name: String as &str,
        }
        /// The hash of its body.
        request_sha256: String,
        /// The status of its answer; none as long as there is no answer.
        status: Option<i64>,
        /// The body of its answer.
        body: Option<String>,
        /// When it came.
        created: Millis,
    }

    /// What is still to be done outside of the journal.
    Outbox = "outbox" changing {
        key {
            /// Its name.
            id: String as &str,
        }
        /// What is to be done.
        kind: String,
        /// With what, as JSON.
        body: String,
        /// How often it was tried.
        attempts: i64,
        /// When it is to be tried.
        next: Millis,
    }

    /// What a person has said of a tool, while the daemon runs.
    Tool = "tool" changing {
        key {
            /// Its name.
            name: ToolName as ToolName,
        }
        /// Whether it may be used.
        policy: ToolPolicy,
        /// What was configured at that time.
        configured: ToolPolicy,
        /// When.
        changed: Millis,
    }
}

impl Idempotency {
    /// Returns the name of a request: `scope` is its method and path, `key` what its caller has named it.
    pub fn name_of(scope: &str, key: &str) -> String {
        let hash = Sha256::new().chain_update(scope).chain_update("\n").chain_update(key).finalize();
        // Half of it is enough: a caller who finds two keys with the same half hurts only itself.
        hash[..16].iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

impl Workflow {
    /// Returns the row of a workflow that begins: nothing is known of it yet.
    pub fn begin(id: String, session: String, task: String, now: Millis) -> Self {
        Self {
            id,
            session,
            state: WorkflowState::Idle,
            previous: None,
            task,
            context: "{}".to_owned(),
            round: 0,
            engine: 1,
            error: None,
            output: None,
            cancelled: false,
            failures: 0,
            wake_at: None,
            created: now,
            updated: now,
            driven: 0,
            version: 0,
        }
    }
}
