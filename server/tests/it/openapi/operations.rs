//! What each endpoint is for, what it is asked with, and what it answers. That no other exists, and none is missing, is tested.

use model::workflow::ErrorCode::{self, *};
use model::workflow::api::*;
use model::workflow::requests::*;
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
}

impl Operation {
    fn query(mut self, name: &'static str, about: &'static str, schema: Value) -> Self {
        self.query.push(Query { name, about, schema });
        self
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
            "Say something to a module. To `finger-orchestrator` it begins a workflow. Where the answer is waited for, and the \
             workflow fails, that is `AGENT_FAILED` with status 400.",
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
            "The messages, the newest first.",
            object([("messages", schema_of::<Vec<MailboxMessage>>())]),
        )
        .query("target", "Those to this module alone.", text())
        .query(
            "status",
            "Those that have come so far alone.",
            json!({ "enum": model::workflow::MailStatus::NAMES }),
        )
        .query("limit", "How many at most; 10 if nothing is said.", count(1000))
        .codes([InvalidRequest, InvalidLimit]),
        get("/api/v1/mailbox/{message}", "A message.", schema_of::<MailboxMessage>()).codes([MessageNotFound]),
        get(
            "/api/v1/mailbox/callback/{callback}",
            "A message by the name that its sender gave it.",
            schema_of::<MailboxMessage>(),
        )
        .codes([MessageNotFound]),
        post(
            "/api/v1/mailbox/clear",
            "Forget messages: those that have come to their end, unless others are named. Those that somebody is at stay.",
            object([done(), ("message", schema_of::<String>())]),
        )
        .optional_body::<ClearRequest>()
        .codes([InvalidRequest]),
        get(
            "/api/v1/modules",
            "Who can be sent something.",
            object([("inputs", any()), ("outputs", any()), ("modules", any())]),
        ),
        get(
            "/api/v1/routes",
            "How messages are passed on between modules: they are not.",
            object([("routes", any())]),
        ),
    ]);

    let group = "Workflows";
    let get = |path, summary, answer| operation("GET", group, path, summary, answer);
    let post = |path, summary, answer| operation("POST", group, path, summary, answer);
    all.extend([
        get(
            "/api/v1/workflows",
            "The workflows, what changed last first: all, or those that are looked for.",
            schema_of::<Vec<WorkflowSummary>>(),
        )
        .query(
            "state",
            "Those in this state alone: `active` (not ended), `waiting` (a decision is open), `interrupted`, `cancelled`, or a \
             phase, which for `failed` leaves out what was cancelled.",
            json!({ "enum": workflow::StateFilter::names().collect::<Vec<_>>() }),
        )
        .query("project", "Those of the project in this folder, or in a folder of this name.", text())
        .query("search", "Those with this text in their task or name, in capitals or not.", text())
        .codes([InvalidRequest]),
        get("/api/v1/workflows/{workflow}", "A workflow.", schema_of::<WorkflowSummary>()).codes([WorkflowNotFound]),
        operation(
            "DELETE",
            group,
            "/api/v1/workflows/{workflow}",
            "Remove a workflow that has ended, with its tasks, steps, decisions and checkpoints. One that has not ended, or has an \
             open decision, stays.",
            schema_of::<WorkflowAnswer>(),
        )
        .codes([WorkflowNotFound, WorkflowActive]),
        get("/api/v1/workflows/{workflow}/state", "Everything about a workflow.", schema_of::<StateSnapshot>())
            .codes([WorkflowNotFound]),
        get(
            "/api/v1/workflows/{workflow}/tasks",
            "The tasks of a workflow, in their order.",
            schema_of::<Vec<TaskNode>>(),
        )
        .codes([WorkflowNotFound]),
        get("/api/v1/workflows/{workflow}/output", "What a workflow has come to.", schema_of::<WorkflowOutput>())
            .codes([WorkflowNotFound, OutputNotFound]),
        get("/api/v1/workflows/state", "Everything about all workflows.", schema_of::<Snapshots>()),
        post(
            "/api/v1/workflow/{workflow}/transition",
            "Say what has happened to a workflow, and with `taskId` to a task; `tasks` says the same of several. Its context is \
             kept only if it is not refused.",
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
            "Say something to a workflow; where it waits for a decision, this is the answer.",
            schema_of::<WorkflowAnswer>(),
        )
        .body::<InputRequest>()
        .codes([MissingField, InvalidResponse, WorkflowNotFound, WorkflowTerminal]),
        post(
            "/api/v1/workflow/pause",
            "Pause a workflow. What is running goes on to its end.",
            schema_of::<WorkflowAnswer>(),
        )
        .body::<PauseRequest>()
        .codes([MissingField, WorkflowNotFound, WorkflowAlreadyPaused, WorkflowTerminal]),
        post("/api/v1/workflow/resume", "Let a paused workflow go on, and one that was interrupted from its last checkpoint.", schema_of::<WorkflowAnswer>())
            .body::<WorkflowRequest>()
            .codes([MissingField, WorkflowNotFound, WorkflowNotPaused, WorkflowTerminal]),
        post("/api/v1/workflow/cancel", "End a workflow.", schema_of::<WorkflowAnswer>())
            .body::<WorkflowRequest>()
            .codes([MissingField, WorkflowNotFound, WorkflowTerminal]),
        post("/api/v1/workflows/{workflow}/cancel", "End a workflow.", schema_of::<WorkflowAnswer>())
            .codes([WorkflowNotFound, WorkflowTerminal]),
    ]);

    let group = "Decisions";
    let get = |path, summary, answer| operation("GET", group, path, summary, answer);
    let post = |path, summary, answer| operation("POST", group, path, summary, answer);
    all.extend([
        post(
            "/api/v1/questions",
            "Show the questions that lie open in a project's folder, and whatever else is asked there.",
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
            "Decisions, as they were asked.",
            schema_of::<Decisions>(),
        )
        .query("workflowId", "Those of this workflow alone.", text())
        .query(
            "status",
            "Those in this state alone.",
            json!({ "enum": model::workflow::DecisionStatus::NAMES }),
        )
        .codes([InvalidRequest]),
        post("/api/v1/decision", "Ask a person.", schema_of::<DecisionCreated>())
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
            .query("wait", "Answer once it has ended, or after so many seconds.", count(300))
            .codes([InvalidRequest, DecisionNotFound, Unavailable]),
        post(
            "/api/v1/decision/{decision}/respond",
            "Answer a decision. The first valid answer stands.",
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
        get("/api/v1/sessions", "All sessions.", schema_of::<Vec<SessionView>>()),
        post("/api/v1/sessions", "Begin a session.", schema_of::<SessionView>())
            .optional_body::<SessionRequest>()
            .codes([InvalidRequest]),
        get("/api/v1/sessions/current", "The session that was entered last.", schema_of::<SessionView>())
            .codes(missing),
        post("/api/v1/sessions/current", "Enter a session.", object([done(), ("sessionId", schema_of::<String>())]))
            .body::<CurrentSessionRequest>()
            .codes([MissingField, SessionNotFound]),
        get(
            "/api/v1/sessions/resumable",
            "The sessions that can be gone on with.",
            schema_of::<ResumableSessions>(),
        ),
        get("/api/v1/sessions/{session}", "A session.", schema_of::<SessionView>()).codes(missing),
        operation(
            "DELETE",
            group,
            "/api/v1/sessions/{session}",
            "Remove a session of which no workflow is running.",
            object([done()]),
        )
        .codes([SessionNotFound, SessionBusy]),
        get(
            "/api/v1/sessions/{session}/messages",
            "What was said in a session.",
            object([("messages", schema_of::<Vec<MessageView>>())]),
        )
        .query("limit", "How many of the last; 100 if nothing is said.", count(1000))
        .codes([InvalidLimit, SessionNotFound]),
        post("/api/v1/sessions/{session}/messages", "Say something in a session.", schema_of::<MessageView>())
            .body::<SessionMessageRequest>()
            .codes([MissingField, InvalidRequest, SessionNotFound]),
        post("/api/v1/sessions/{session}/pause", "Pause a session.", object([done()])).codes(missing),
        post(
            "/api/v1/sessions/{session}/resume",
            "Let a session go on from a checkpoint; one that was only paused goes on as it was. If none is named, from the last \
             one of a workflow that was left. From an earlier one its tasks are again what they were: what was done by then \
             stays done, everything else is to be begun again.",
            schema_of::<SessionResumption>(),
        )
        .optional_body::<ResumeRequest>()
        .codes([SessionNotFound, CheckpointNotFound, SessionNotResumable, SessionBusy]),
        post(
            "/api/v1/sessions/{session}/compress",
            "Forget all but the last messages of a session.",
            object([done(), ("originalSize", schema_of::<u64>()), ("compressedSize", schema_of::<u64>())]),
        )
        .codes(missing),
        get(
            "/api/v1/sessions/{session}/context",
            "What is known in a session.",
            object([("sessionId", schema_of::<String>()), ("context", any())]),
        )
        .codes(missing),
        get(
            "/api/v1/sessions/{session}/checkpoint/latest",
            "The last checkpoint of a session.",
            schema_of::<LatestCheckpoint>(),
        )
        .codes([SessionNotFound, CheckpointNotFound]),
        get(
            "/api/v1/session/{session}/checkpoint/latest",
            "The same by its earlier path.",
            schema_of::<LatestCheckpoint>(),
        )
        .codes([SessionNotFound, CheckpointNotFound]),
        post(
            "/api/v1/session/resume",
            "Let a session go on, by its earlier path.",
            schema_of::<SessionResumption>(),
        )
        .body::<NamedResumeRequest>()
        .codes([MissingField, SessionNotFound, CheckpointNotFound, SessionNotResumable, SessionBusy]),
        post(
            "/api/v1/session/checkpoint",
            "Make a checkpoint of a session by what the caller knows.",
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
        get("/api/v1/agents", "All agents.", schema_of::<Vec<AgentView>>()),
        get("/api/v1/agents/{agent}/capabilities", "What an agent is able to do.", schema_of::<AgentCapabilities>())
            .codes([AgentNotFound]),
        get(
            "/api/v1/agent/{agent}/progress",
            "What an agent is doing.",
            object([("agent", schema_of::<AgentView>())]),
        )
        .codes([AgentNotFound]),
        post("/api/v1/agent/understand", "Have words understood, alone: a workflow of this one phase. `result` is `normalizedIntent`, `taskRelation`, `suggestedRoute` and `confidence`, as far as the agent has said them.", schema_of::<StageAnswer>())
            .body::<UnderstandRequest>()
            .codes([
            MissingField, InvalidRequest, SessionNotFound, SessionBusy, ProviderMissing, AgentFailed, LlmError, Timeout,
            Unavailable,
        ]),
        post("/api/v1/agent/route", "Have it decided where to go on, alone. `result` is `route`, `confidence`, `payload` and `requiresConfirmation`: whether a workflow would ask a person first.", schema_of::<StageAnswer>())
            .body::<RouteRequest>()
            .codes([
            MissingField, InvalidRequest, SessionNotFound, SessionBusy, ProviderMissing, AgentFailed, LlmError, Timeout,
            Unavailable,
        ]),
        post("/api/v1/agent/plan", "Have a task planned, alone. `result` is `tasks`.", schema_of::<StageAnswer>())
            .body::<PlanRequest>()
            .codes([
            MissingField, InvalidRequest, SessionNotFound, SessionBusy, ProviderMissing, AgentFailed, LlmError, Timeout,
            Unavailable,
        ]),
        post("/api/v1/agent/execute", "Have a task done by one agent, alone. `result` is `output`, and `path` and `files` if there are any.", schema_of::<StageAnswer>())
            .body::<ExecuteRequest>()
            .codes([
            MissingField, InvalidRequest, SessionNotFound, SessionBusy, AgentNotFound, ProviderMissing, AgentFailed, LlmError, Timeout,
            Unavailable,
        ]),
        post("/api/v1/agent/review", "Have something judged, alone. `result` is `approved`, `score`, `feedback`, `requiredFixes`, `riskLevel` and `tasks`, as far as the agent has said them.", schema_of::<StageAnswer>())
            .body::<ReviewRequest>()
            .codes([
            MissingField, InvalidRequest, SessionNotFound, SessionBusy, ProviderMissing, AgentFailed, LlmError, Timeout,
            Unavailable,
        ]),
        post("/api/v1/agent/orchestrate", "Begin a workflow.", schema_of::<StageAnswer>())
            .body::<OrchestrateRequest>()
            .codes([
            MissingField, InvalidRequest, SessionNotFound, SessionBusy, AgentFailed, LlmError, Timeout,
            Unavailable,
        ]),
        get(
            "/api/v1/resources",
            "The agents that nobody uses.",
            object([("available", schema_of::<Vec<AgentView>>()), ("count", schema_of::<u64>())]),
        ),
        post(
            "/api/v1/resources/deploy",
            "Give an agent to a workflow.",
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
            "Take an agent back.",
            object([done(), ("resource", schema_of::<AgentView>())]),
        )
        .body::<ReleaseRequest>()
        .codes([MissingField, AgentNotFound]),
    ]);

    let group = "Tools";
    let get = |path, summary, answer| operation("GET", group, path, summary, answer);
    let put = |path, summary, answer| operation("PUT", group, path, summary, answer);
    all.extend([
        get("/api/v1/tools", "What agents can do beside thinking, and whether they may.", schema_of::<Vec<ToolView>>()),
        put(
            "/api/v1/tools/{tool}/policy",
            "Say whether a tool may be used, from its next call on: until that is said again, or something else is \
             configured. The name may be in capitals or not.",
            schema_of::<ToolPolicyAnswer>(),
        )
        .body::<ToolPolicyRequest>()
        .codes([InvalidRequest, NotFound]),
    ]);

    let group = "Events";
    let get = |path, summary, answer| operation("GET", group, path, summary, answer);
    let filters = |operation: Operation| {
        operation
            .query("type", "Types with commas between; `*` is any characters.", text())
            .query("group", "Groups with commas between.", text())
            .query("workflowId", "Those of this workflow alone.", text())
            .query("sessionId", "Those of this session alone.", text())
    };
    all.extend([
        get("/api/v1/events/types", "All types of events.", object([done(), ("types", schema_of::<Vec<String>>())])),
        get("/api/v1/events/groups", "All groups of events, and their types.", object([done(), ("groups", schema_of::<Vec<String>>()), ("groupTypes", any())])),
        filters(get(
            "/api/v1/events/history",
            "What has happened, as it happened: the last events, or with `since` the first after that. Types and groups must both fit.",
            object([done(), ("events", Box::new(|_| json_schema!({ "type": "array", "items": { "$ref": "#/components/schemas/Event" } })))]),
        ))
        .query("since", "After the event of this number.", number())
        .query("limit", "How many at most; 100 if nothing is said.", count(1000))
        .codes([InvalidRequest, InvalidGroup, InvalidLimit]),
        Operation {
            media_type: "text/event-stream",
            ..filters(get(
                "/api/v1/events/stream",
                "What happens from now on, or after `since` or `Last-Event-ID`, as server-sent events: `id` is the number, `event` the type, `data` the payload. Types and groups add up.",
                schema_of::<String>(),
            ))
            .query("since", "After the event of this number.", number())
            .codes([InvalidRequest, InvalidGroup, Unavailable])
        },
        get("/ws", "A WebSocket: an upgrade is needed. See below.", any()).codes([InvalidRequest, Unavailable]),
    ]);

    let group = "Daemon";
    let get = |path, summary, answer| operation("GET", group, path, summary, answer);
    all.extend([
        get(
            "/health",
            "That the daemon serves. The answer needs neither disk nor journal, so there is one even while all other requests wait.",
            object([
                ("status", Box::new(|_| json_schema!({ "const": "healthy" }))),
                ("timestamp", schema_of::<String>()),
            ]),
        ),
        get(
            "/api/test",
            "That something answers.",
            object([("ok", Box::new(|_| json_schema!({ "const": true }))), ("message", schema_of::<String>())]),
        ),
        get("/api/v1/openapi.json", "This, as OpenAPI 3.1.", any()),
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
