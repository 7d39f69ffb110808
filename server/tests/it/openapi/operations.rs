//! What each endpoint is for, what it is asked with, and what it answers. That no other exists, and none is missing, is tested.

use protocol::workflow::ErrorCode::{self, *};
use protocol::workflow::api::*;
use protocol::workflow::requests::*;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value, json};

/// Makes the schema of a type, and notes what that refers to.
pub(super) type SchemaOf = Box<dyn Fn(&mut SchemaGenerator) -> Schema>;

/// A parameter behind the `?`.
pub(super) struct Query {
    pub(super) name: &'static str,
    pub(super) about: &'static str,
    pub(super) schema: Value,
}

/// A method of a path.
pub(super) struct Operation {
    pub(super) method: &'static str,
    pub(super) path: &'static str,
    pub(super) group: &'static str,
    pub(super) summary: &'static str,
    pub(super) query: Vec<Query>,
    /// Whether there must be a body.
    pub(super) body: Option<(SchemaOf, bool)>,
    pub(super) answer: SchemaOf,
    /// The content type of the answer.
    pub(super) media_type: &'static str,
    /// What can be refused beside what the gate does.
    pub(super) codes: Vec<ErrorCode>,
    /// Whether it is a list, parts of which can be asked for.
    pub(super) is_list: bool,
}

impl Operation {
    fn query(mut self, name: &'static str, about: &'static str, schema: Value) -> Self {
        self.query.push(Query { name, about, schema });
        self
    }

    /// A list, of which parts can be asked for; all of it is given without `limit`, unless that is described before.
    fn list(mut self) -> Self {
        if self.query.iter().all(|query| query.name != "limit") {
            let limit = json!({ "type": "integer", "minimum": 1, "maximum": 1000 });
            self = self.query("limit", "Maximum number; default: all.", limit);
        }
        let cursor = "The `Next-Cursor` of the part before, to get the part that follows it.";
        self = self.query("cursor", cursor, json!({ "type": "string" }));
        for code in [InvalidRequest, InvalidLimit] {
            if !self.codes.contains(&code) {
                self.codes.push(code);
            }
        }
        Self { is_list: true, ..self }
    }

    fn body<T: JsonSchema>(self) -> Self {
        Self { body: Some((schema_of::<T>(), true)), ..self }
    }

    fn optional_body<T: JsonSchema>(self) -> Self {
        Self { body: Some((schema_of::<T>(), false)), ..self }
    }

    fn codes(self, codes: impl IntoIterator<Item = ErrorCode>) -> Self {
        Self { codes: codes.into_iter().collect(), ..self }
    }
}

fn schema_of<T: JsonSchema>() -> SchemaOf {
    Box::new(|generator| generator.subschema_for::<T>())
}

/// An object with these members, all of which are there.
fn object<const N: usize>(members: [(&'static str, SchemaOf); N]) -> SchemaOf {
    Box::new(move |generator| {
        let properties: Map<String, Value> =
            members.iter().map(|(name, schema)| ((*name).to_owned(), schema(generator).to_value())).collect();
        let required: Vec<&str> = members.iter().map(|(name, _)| *name).collect();
        json_schema!({ "type": "object", "properties": properties, "required": required })
    })
}

fn done() -> (&'static str, SchemaOf) {
    ("success", Box::new(|_| json_schema!({ "const": true })))
}

fn any() -> SchemaOf {
    Box::new(|_| json_schema!({}))
}

fn operation(
    method: &'static str,
    group: &'static str,
    path: &'static str,
    summary: &'static str,
    answer: SchemaOf,
) -> Operation {
    let (query, codes) = (Vec::new(), Vec::new());
    Operation {
        method,
        path,
        group,
        summary,
        query,
        body: None,
        answer,
        media_type: "application/json",
        codes,
        is_list: false,
    }
}

/// All of them, as they are documented.
pub(super) fn all() -> Vec<Operation> {
    let text = || json!({ "type": "string" });
    let count = |most: u32| json!({ "type": "integer", "minimum": 1, "maximum": most });
    let number = || json!({ "type": "integer", "minimum": 0 });
    let mut all = Vec::new();

    let group = "Messages";
    let get = |path, summary, answer| operation("GET", group, path, summary, answer);
    let post = |path, summary, answer| operation("POST", group, path, summary, answer);
    all.extend([
        post(
            "/api/v1/message",
            "Send a message to a module. A message to `finger-orchestrator` starts a workflow. If the client waits for the \
             answer and the workflow fails, the answer is `AGENT_FAILED` with status 400.",
            schema_of::<MessageAccepted>(),
        )
        .body::<MessageRequest>()
        .codes([
            MissingField,
            InvalidRequest,
            ModuleNotFound,
            SessionNotFound,
            WorkflowNotFound,
            WorkflowTerminal,
            InvalidResponse,
            SessionBusy,
            QueueFull,
            AgentFailed,
            Timeout,
            Unavailable,
        ]),
        get(
            "/api/v1/mailbox",
            "List messages, newest first.",
            object([("messages", schema_of::<Vec<MailboxMessage>>())]),
        )
        .query("target", "Only messages to this module.", text())
        .query(
            "status",
            "Only messages with this status.",
            json!({ "enum": protocol::workflow::MailStatus::NAMES }),
        )
        .query("limit", "Maximum number; default 10.", count(1000))
        .codes([InvalidRequest, InvalidLimit])
        .list(),
        get("/api/v1/mailbox/{message}", "A message.", schema_of::<MailboxMessage>()).codes([MessageNotFound]),
        get(
            "/api/v1/mailbox/callback/{callback}",
            "Get a message by the name that its sender gave it.",
            schema_of::<MailboxMessage>(),
        )
        .codes([MessageNotFound]),
        post(
            "/api/v1/mailbox/clear",
            "Delete messages: those that have ended, or those that the body selects. Messages in progress stay.",
            object([done(), ("message", schema_of::<String>())]),
        )
        .optional_body::<ClearRequest>()
        .codes([InvalidRequest]),
        get(
            "/api/v1/modules",
            "List the modules that accept messages.",
            object([("inputs", any()), ("outputs", any()), ("modules", any())]),
        ),
        get(
            "/api/v1/routes",
            "List the routes between modules: always empty.",
            object([("routes", any())]),
        ),
    ]);

    let group = "Workflows";
    let get = |path, summary, answer| operation("GET", group, path, summary, answer);
    let post = |path, summary, answer| operation("POST", group, path, summary, answer);
    all.extend([
        get(
            "/api/v1/workflows",
            "List workflows, latest change first: all, or those that match the query.",
            schema_of::<Vec<WorkflowSummary>>(),
        )
        .query(
            "state",
            "Only workflows in this state: `active` (not ended), `waiting` (a decision is open), `interrupted`, `cancelled`, \
             or a phase; `failed` excludes cancelled workflows.",
            json!({ "enum": workflow::StateFilter::names().collect::<Vec<_>>() }),
        )
        .query("project", "Only workflows of the project in this folder, or in a folder with this name.", text())
        .query("search", "Only workflows with this text in their task or name, ignoring case.", text())
        .codes([InvalidRequest])
        .list(),
        get("/api/v1/workflows/{workflow}", "A workflow.", schema_of::<WorkflowSummary>()).codes([WorkflowNotFound]),
        operation(
            "DELETE",
            group,
            "/api/v1/workflows/{workflow}",
            "Remove a workflow that has ended, with its tasks, steps, decisions and checkpoints. A workflow that has not \
             ended or has an open decision stays.",
            schema_of::<WorkflowAnswer>(),
        )
        .codes([WorkflowNotFound, WorkflowActive]),
        get("/api/v1/workflows/{workflow}/state", "Get the full state of a workflow.", schema_of::<StateSnapshot>())
            .codes([WorkflowNotFound]),
        get(
            "/api/v1/workflows/{workflow}/tasks",
            "List the tasks of a workflow, in their order.",
            schema_of::<Vec<TaskNode>>(),
        )
        .codes([WorkflowNotFound])
        .list(),
        get("/api/v1/workflows/{workflow}/output", "Get the result of a workflow.", schema_of::<WorkflowOutput>())
            .codes([WorkflowNotFound, OutputNotFound]),
        get("/api/v1/workflows/state", "Get the full state of all workflows.", schema_of::<Snapshots>()).list(),
        post(
            "/api/v1/workflow/{workflow}/transition",
            "Report a trigger of a workflow, or with `taskId` of a task; `tasks` reports several. Its context is kept only if \
             the request is accepted.",
            schema_of::<TransitionAnswer>(),
        )
        .body::<TransitionRequest>()
        .codes([
            MissingField,
            InvalidRequest,
            InvalidTrigger,
            WorkflowNotFound,
            NotFound,
            InvalidTransition,
            WorkflowAlreadyPaused,
            WorkflowNotPaused,
            WorkflowTerminal,
        ]),
        post(
            "/api/v1/workflow/input",
            "Send input to a workflow; if it is waiting for a decision, the input is the answer.",
            schema_of::<WorkflowAnswer>(),
        )
        .body::<InputRequest>()
        .codes([MissingField, InvalidResponse, WorkflowNotFound, WorkflowTerminal]),
        post(
            "/api/v1/workflow/pause",
            "Pause a workflow. Running steps are finished.",
            schema_of::<WorkflowAnswer>(),
        )
        .body::<PauseRequest>()
        .codes([MissingField, WorkflowNotFound, WorkflowAlreadyPaused, WorkflowTerminal]),
        post(
            "/api/v1/workflow/resume",
            "Resume a paused workflow, or an interrupted one from its last checkpoint.",
            schema_of::<WorkflowAnswer>(),
        )
            .body::<WorkflowRequest>()
            .codes([MissingField, WorkflowNotFound, WorkflowNotPaused, WorkflowTerminal]),
        post("/api/v1/workflow/cancel", "Cancel a workflow.", schema_of::<WorkflowAnswer>())
            .body::<WorkflowRequest>()
            .codes([MissingField, WorkflowNotFound, WorkflowTerminal]),
        post("/api/v1/workflows/{workflow}/cancel", "Cancel a workflow.", schema_of::<WorkflowAnswer>())
            .codes([WorkflowNotFound, WorkflowTerminal]),
    ]);

    let group = "Decisions";
    let get = |path, summary, answer| operation("GET", group, path, summary, answer);
    let post = |path, summary, answer| operation("POST", group, path, summary, answer);
    all.extend([
        post(
            "/api/v1/questions",
            "Serve the open questions in a project's folder, and later questions there.",
            schema_of::<QuestionsHosted>(),
        )
        .body::<QuestionsRequest>()
        .codes([
            InvalidJson,
            InvalidRequest,
            MissingField,
            NotFound,
            ServedElsewhere,
            IdempotencyConflict,
        ]),
        get(
            "/api/v1/decision",
            "List decisions, in the order in which they were asked.",
            schema_of::<Decisions>(),
        )
        .query("workflowId", "Only those of this workflow.", text())
        .query(
            "status",
            "Only those in this state.",
            json!({ "enum": protocol::workflow::DecisionStatus::NAMES }),
        )
        .codes([InvalidRequest])
        .list(),
        post("/api/v1/decision", "Ask the user.", schema_of::<DecisionCreated>())
            .body::<DecisionRequest>()
            .codes([
                MissingField,
                InvalidRequest,
                InvalidResponse,
                WorkflowNotFound,
                SessionNotFound,
                WorkflowTerminal,
            ]),
        get("/api/v1/decision/{decision}", "A decision.", schema_of::<DecisionView>())
            .query("wait", "Respond once it has ended, or after this many seconds.", count(300))
            .codes([InvalidRequest, DecisionNotFound, Unavailable]),
        post(
            "/api/v1/decision/{decision}/respond",
            "Answer a decision. The first valid answer counts.",
            schema_of::<DecisionAnswered>(),
        )
        .body::<RespondRequest>()
        .codes([
            MissingField,
            InvalidResponse,
            DecisionNotFound,
            DecisionAlreadyResolved,
            DecisionExpired,
        ]),
    ]);

    let group = "Sessions";
    let get = |path, summary, answer| operation("GET", group, path, summary, answer);
    let post = |path, summary, answer| operation("POST", group, path, summary, answer);
    let missing = [SessionNotFound];
    all.extend([
        get("/api/v1/sessions", "List all sessions.", schema_of::<Vec<SessionView>>()).list(),
        post("/api/v1/sessions", "Create a session.", schema_of::<SessionView>())
            .optional_body::<SessionRequest>()
            .codes([InvalidRequest]),
        get("/api/v1/sessions/current", "Get the session that was entered last.", schema_of::<SessionView>())
            .codes(missing),
        post("/api/v1/sessions/current", "Enter a session.", object([done(), ("sessionId", schema_of::<String>())]))
            .body::<CurrentSessionRequest>()
            .codes([MissingField, SessionNotFound]),
        get(
            "/api/v1/sessions/resumable",
            "List the sessions that can be resumed.",
            schema_of::<ResumableSessions>(),
        )
        .list(),
        get("/api/v1/sessions/{session}", "A session.", schema_of::<SessionView>()).codes(missing),
        operation(
            "DELETE",
            group,
            "/api/v1/sessions/{session}",
            "Remove a session without a running workflow.",
            object([done()]),
        )
        .codes([SessionNotFound, SessionBusy]),
        get(
            "/api/v1/sessions/{session}/messages",
            "List the messages of a session.",
            object([("messages", schema_of::<Vec<MessageView>>())]),
        )
        .query("limit", "Maximum number of latest messages; default 100.", count(1000))
        .codes([InvalidLimit, SessionNotFound])
        .list(),
        post("/api/v1/sessions/{session}/messages", "Add a message to a session.", schema_of::<MessageView>())
            .body::<SessionMessageRequest>()
            .codes([MissingField, InvalidRequest, SessionNotFound]),
        post("/api/v1/sessions/{session}/pause", "Pause a session.", object([done()])).codes(missing),
        post(
            "/api/v1/sessions/{session}/resume",
            "Resume a session from a checkpoint; a session that was only paused continues as it was. The default is the last \
             checkpoint of an interrupted workflow. An earlier checkpoint restores the tasks of that time: those completed by \
             then stay completed, all others start again.",
            schema_of::<SessionResumption>(),
        )
        .optional_body::<ResumeRequest>()
        .codes([SessionNotFound, CheckpointNotFound, SessionNotResumable, SessionBusy]),
        post(
            "/api/v1/sessions/{session}/compress",
            "Delete all but the latest messages of a session.",
            object([done(), ("originalSize", schema_of::<u64>()), ("compressedSize", schema_of::<u64>())]),
        )
        .codes(missing),
        get(
            "/api/v1/sessions/{session}/context",
            "Get the context of a session.",
            object([("sessionId", schema_of::<String>()), ("context", any())]),
        )
        .codes(missing),
        get(
            "/api/v1/sessions/{session}/checkpoint/latest",
            "Get the last checkpoint of a session.",
            schema_of::<LatestCheckpoint>(),
        )
        .codes([SessionNotFound, CheckpointNotFound]),
        get(
            "/api/v1/session/{session}/checkpoint/latest",
            "The same at an earlier path.",
            schema_of::<LatestCheckpoint>(),
        )
        .codes([SessionNotFound, CheckpointNotFound]),
        post(
            "/api/v1/session/resume",
            "Resume a session, at an earlier path.",
            schema_of::<SessionResumption>(),
        )
        .body::<NamedResumeRequest>()
        .codes([MissingField, SessionNotFound, CheckpointNotFound, SessionNotResumable, SessionBusy]),
        post(
            "/api/v1/session/checkpoint",
            "Create a checkpoint of a session from data of the caller.",
            object([done(), ("checkpointId", schema_of::<String>())]),
        )
        .body::<CheckpointRequest>()
        .codes([MissingField, InvalidRequest, SessionNotFound]),
        get("/api/v1/session/checkpoint/{checkpoint}", "A checkpoint.", schema_of::<LatestCheckpoint>())
            .codes([CheckpointNotFound]),
    ]);

    let group = "Agents";
    let get = |path, summary, answer| operation("GET", group, path, summary, answer);
    let post = |path, summary, answer| operation("POST", group, path, summary, answer);
    all.extend([
        get("/api/v1/agents", "List all agents.", schema_of::<Vec<AgentView>>()).list(),
        get(
            "/api/v1/agents/{agent}/capabilities",
            "Get the capabilities of an agent.",
            schema_of::<AgentCapabilities>(),
        )
        .codes([AgentNotFound]),
        get(
            "/api/v1/agent/{agent}/progress",
            "Get the current work of an agent.",
            object([("agent", schema_of::<AgentView>())]),
        )
        .codes([AgentNotFound]),
        post(
            "/api/v1/agent/understand",
            "Analyze a request: a workflow of this phase only. `result` has `normalizedIntent`, \
        `taskRelation`, `suggestedRoute` and `confidence`, as far as the agent gave them.",
            schema_of::<StageAnswer>(),
        )
        .body::<UnderstandRequest>()
        .codes([
            MissingField,
            InvalidRequest,
            SessionNotFound,
            SessionBusy,
            ProviderMissing,
            AgentFailed,
            LlmError,
            Timeout,
            Unavailable,
        ]),
        post(
            "/api/v1/agent/route",
            "Choose the next step: this phase only. `result` has `route`, `confidence`, `payload` and \
        `requiresConfirmation`: whether a workflow would ask the user first.",
            schema_of::<StageAnswer>(),
        )
        .body::<RouteRequest>()
        .codes([
            MissingField,
            InvalidRequest,
            SessionNotFound,
            SessionBusy,
            ProviderMissing,
            AgentFailed,
            LlmError,
            Timeout,
            Unavailable,
        ]),
        post(
            "/api/v1/agent/plan",
            "Plan a task: this phase only. `result` has `tasks`.",
            schema_of::<StageAnswer>(),
        )
        .body::<PlanRequest>()
        .codes([
            MissingField,
            InvalidRequest,
            SessionNotFound,
            SessionBusy,
            ProviderMissing,
            AgentFailed,
            LlmError,
            Timeout,
            Unavailable,
        ]),
        post(
            "/api/v1/agent/execute",
            "Let one agent do a task: this phase only. `result` has `output`, and `path` and \
        `files` if there are any.",
            schema_of::<StageAnswer>(),
        )
        .body::<ExecuteRequest>()
        .codes([
            MissingField,
            InvalidRequest,
            SessionNotFound,
            SessionBusy,
            AgentNotFound,
            ProviderMissing,
            AgentFailed,
            LlmError,
            Timeout,
            Unavailable,
        ]),
        post(
            "/api/v1/agent/review",
            "Review a proposal or result: this phase only. `result` has `approved`, `score`, \
        `feedback`, `requiredFixes`, `riskLevel` and `tasks`, as far as the agent gave them.",
            schema_of::<StageAnswer>(),
        )
        .body::<ReviewRequest>()
        .codes([
            MissingField,
            InvalidRequest,
            SessionNotFound,
            SessionBusy,
            ProviderMissing,
            AgentFailed,
            LlmError,
            Timeout,
            Unavailable,
        ]),
        post("/api/v1/agent/orchestrate", "Start a workflow.", schema_of::<StageAnswer>())
            .body::<OrchestrateRequest>()
            .codes([
                MissingField,
                InvalidRequest,
                SessionNotFound,
                SessionBusy,
                AgentFailed,
                LlmError,
                Timeout,
                Unavailable,
            ]),
        get(
            "/api/v1/resources",
            "List idle agents.",
            object([("available", schema_of::<Vec<AgentView>>()), ("count", schema_of::<u64>())]),
        )
        .list(),
        post(
            "/api/v1/resources/deploy",
            "Assign an agent to a workflow.",
            object([done(), ("resource", schema_of::<AgentView>())]),
        )
        .body::<DeployRequest>()
        .codes([
            MissingField,
            InvalidRequest,
            AgentNotFound,
            SessionNotFound,
            WorkflowNotFound,
            WorkflowTerminal,
            ResourceBusy,
        ]),
        post(
            "/api/v1/resources/release",
            "Release an agent.",
            object([done(), ("resource", schema_of::<AgentView>())]),
        )
        .body::<ReleaseRequest>()
        .codes([MissingField, AgentNotFound]),
    ]);

    let group = "Tools";
    let get = |path, summary, answer| operation("GET", group, path, summary, answer);
    let put = |path, summary, answer| operation("PUT", group, path, summary, answer);
    all.extend([
        get("/api/v1/tools", "List the tools of agents, with their policies.", schema_of::<Vec<ToolView>>()),
        put(
            "/api/v1/tools/{tool}/policy",
            "Set the policy of a tool, from its next call on, until it is set again or the configured policy changes. The \
             case of the name is ignored.",
            schema_of::<ToolPolicyAnswer>(),
        )
        .body::<ToolPolicyRequest>()
        .codes([InvalidRequest, NotFound]),
    ]);

    let group = "Events";
    let get = |path, summary, answer| operation("GET", group, path, summary, answer);
    let filters = |operation: Operation| {
        operation
            .query("type", "Types, separated by commas; `*` matches any characters.", text())
            .query("group", "Groups, separated by commas.", text())
            .query("workflowId", "Only those of this workflow.", text())
            .query("sessionId", "Only those of this session.", text())
    };
    all.extend([
        get("/api/v1/events/types", "List all types of events.", object([done(), ("types", schema_of::<Vec<String>>())])),
        get(
            "/api/v1/events/groups",
            "List all groups of events and their types.",
            object([done(), ("groups", schema_of::<Vec<String>>()), ("groupTypes", any())]),
        ),
        filters(get(
            "/api/v1/events/history",
            "List events in order: the latest, or with `since` the first after that number. Types and groups must both match.",
            object([done(), ("events", Box::new(|_| json_schema!({ "type": "array", "items": { "$ref": "#/components/schemas/Event" } })))]),
        ))
        .query("since", "Only events after this number.", number())
        .query("limit", "Maximum number; default 100.", count(1000))
        .codes([InvalidRequest, InvalidGroup, InvalidLimit])
        .list(),
        Operation {
            media_type: "text/event-stream",
            ..filters(get(
                "/api/v1/events/stream",
                "Stream events from now on, or after `since` or `Last-Event-ID`, as server-sent events: `id` is the number, \
                 `event` the type, `data` the payload. An event is sent if its type or its group matches.",
                schema_of::<String>(),
            ))
            .query("since", "Only events after this number.", number())
            .codes([InvalidRequest, InvalidGroup, Unavailable])
        },
        get("/ws", "Open a WebSocket: an upgrade is required. See below.", any()).codes([InvalidRequest, Unavailable]),
    ]);

    let group = "Daemon";
    let get = |path, summary, answer| operation("GET", group, path, summary, answer);
    all.extend([
        get(
            "/health",
            "Check that the daemon is serving, and how much it has to do. The answer needs neither disk nor journal, so it is \
             available even while all other requests wait.",
            object([
                ("status", Box::new(|_| json_schema!({ "const": "healthy" }))),
                ("timestamp", schema_of::<String>()),
                ("load", schema_of::<DaemonLoad>()),
            ]),
        ),
        Operation {
            media_type: "text/plain",
            ..get(
                "/metrics",
                "Get the same numbers in the text format 0.0.4 of Prometheus, if `daemon.metrics` is `true`.",
                schema_of::<String>(),
            )
            .codes([NotFound])
        },
        get(
            "/api/test",
            "Check that the server responds.",
            object([("ok", Box::new(|_| json_schema!({ "const": true }))), ("message", schema_of::<String>())]),
        ),
        get("/api/v1/openapi.json", "Get this API as OpenAPI 3.1.", any()),
    ]);
    for operation in all.iter_mut().filter(|operation| operation.method != "GET") {
        // The idempotency key can be malformed, or that of another request.
        for code in [InvalidRequest, IdempotencyConflict] {
            if !operation.codes.contains(&code) {
                operation.codes.push(code);
            }
        }
    }
    all
}
