//! Everything that can be asked of a daemon, as contract/workflows §3 has it.

use crate::{Client, ClientError};
use model::Via;
use protocol::workflow::api::{
    AgentView, DecisionAnswered, DecisionCreated, DecisionView, Decisions, LatestCheckpoint, MailboxMessage,
    MessageAccepted, QuestionsHosted, ResumableSessions, SessionResumption, SessionView, StageAnswer,
    StateSnapshot, TaskNode, TransitionAnswer, WorkflowAnswer, WorkflowOutput, WorkflowSummary,
};
use protocol::workflow::requests::{
    DecisionRequest, ExecuteRequest, InputRequest, MessageRequest, PauseRequest, PlanRequest,
    QuestionsRequest, RespondRequest, ResumeRequest, ReviewRequest, RouteRequest, TransitionRequest,
    UnderstandRequest, WorkflowRequest,
};
use serde_json::{Map, Value};

const API: [&str; 2] = ["api", "v1"];

macro_rules! path {
    ($($segment:expr),+) => { &[API[0], API[1], $($segment),+] };
}

impl Client {
    /// Whether it is well.
    ///
    /// # Errors
    ///
    /// When there is no answer.
    pub async fn health(&self) -> Result<Value, ClientError> {
        self.get(&["health"], &[]).await
    }

    /// Who can be sent something.
    ///
    /// # Errors
    ///
    /// When there is no answer.
    pub async fn modules(&self) -> Result<Value, ClientError> {
        self.get(path!["modules"], &[]).await
    }

    /// Sends a message. One to `finger-orchestrator` begins a workflow.
    ///
    /// # Errors
    ///
    /// When no module has this name, and when there is no answer.
    pub async fn send(&self, message: &MessageRequest) -> Result<MessageAccepted, ClientError> {
        self.post(path!["message"], message).await
    }

    /// Has an agent interpret a person's words.
    ///
    /// # Errors
    ///
    /// When no agent can do it or it fails, and when there is no answer.
    pub async fn understand(&self, asked: &UnderstandRequest) -> Result<StageAnswer, ClientError> {
        self.post(path!["agent", "understand"], asked).await
    }

    /// Has an agent choose where to continue.
    ///
    /// # Errors
    ///
    /// When no agent can do it or it fails, and when there is no answer.
    pub async fn route(&self, asked: &RouteRequest) -> Result<StageAnswer, ClientError> {
        self.post(path!["agent", "route"], asked).await
    }

    /// Has an agent plan a task.
    ///
    /// # Errors
    ///
    /// When no agent can do it or it fails, and when there is no answer.
    pub async fn plan(&self, asked: &PlanRequest) -> Result<StageAnswer, ClientError> {
        self.post(path!["agent", "plan"], asked).await
    }

    /// Has one agent execute a task. Without `blocking`, does not wait for it.
    ///
    /// # Errors
    ///
    /// When no agent can do it or it fails, and when there is no answer.
    pub async fn execute(&self, asked: &ExecuteRequest) -> Result<StageAnswer, ClientError> {
        self.post(path!["agent", "execute"], asked).await
    }

    /// Has an agent review a proposal.
    ///
    /// # Errors
    ///
    /// When no agent can do it or it fails, and when there is no answer.
    pub async fn review(&self, asked: &ReviewRequest) -> Result<StageAnswer, ClientError> {
        self.post(path!["agent", "review"], asked).await
    }

    /// The workflows, what changed last first: those that `query` looks for by the parameters of `GET /workflows`, or all.
    ///
    /// # Errors
    ///
    /// When it looks for a state that there is not, and when there is no answer.
    pub async fn workflows(&self, query: &[(&str, &str)]) -> Result<Vec<WorkflowSummary>, ClientError> {
        self.get(path!["workflows"], query).await
    }

    /// A part of them, where `query` has a `limit`, and the `cursor` of what comes behind it.
    ///
    /// # Errors
    ///
    /// As [`Self::workflows`], and when the limit or the cursor is not one.
    pub async fn part_of_workflows(
        &self,
        query: &[(&str, &str)],
    ) -> Result<(Vec<WorkflowSummary>, Option<String>), ClientError> {
        self.get_part(path!["workflows"], query).await
    }

    /// Removes a workflow that has ended.
    ///
    /// # Errors
    ///
    /// When there is none, it has not ended or waits for a person, and when there is no answer.
    pub async fn remove_workflow(&self, workflow: &str) -> Result<WorkflowAnswer, ClientError> {
        self.delete(path!["workflows", workflow]).await
    }

    /// Everything about a workflow.
    ///
    /// # Errors
    ///
    /// When there is no such workflow, and when there is no answer.
    pub async fn state(&self, workflow: &str) -> Result<StateSnapshot, ClientError> {
        self.get(path!["workflows", workflow, "state"], &[]).await
    }

    /// Its tasks, in their order.
    ///
    /// # Errors
    ///
    /// When there is no such workflow, and when there is no answer.
    pub async fn tasks(&self, workflow: &str) -> Result<Vec<TaskNode>, ClientError> {
        self.get(path!["workflows", workflow, "tasks"], &[]).await
    }

    /// The output of a workflow.
    ///
    /// # Errors
    ///
    /// When there is no such workflow or it has no output, and when there is no answer.
    pub async fn output(&self, workflow: &str) -> Result<WorkflowOutput, ClientError> {
        self.get(path!["workflows", workflow, "output"], &[]).await
    }

    /// Pauses a workflow; `hard` also breaks off what is running.
    ///
    /// # Errors
    ///
    /// When it cannot be paused, and when there is no answer.
    pub async fn pause(&self, workflow: &str, hard: bool) -> Result<WorkflowAnswer, ClientError> {
        let paused = PauseRequest { workflow_id: workflow.to_owned(), hard: Some(hard) };
        self.post(path!["workflow", "pause"], &paused).await
    }

    /// Lets a paused workflow go on.
    ///
    /// # Errors
    ///
    /// When it is not paused, and when there is no answer.
    pub async fn resume(&self, workflow: &str) -> Result<WorkflowAnswer, ClientError> {
        self.post(path!["workflow", "resume"], &named(workflow)).await
    }

    /// Ends a workflow.
    ///
    /// # Errors
    ///
    /// When it has ended, and when there is no answer.
    pub async fn cancel(&self, workflow: &str) -> Result<WorkflowAnswer, ClientError> {
        self.post(path!["workflow", "cancel"], &named(workflow)).await
    }

    /// Says something to a workflow.
    ///
    /// # Errors
    ///
    /// When it has ended, and when there is no answer.
    pub async fn input(&self, workflow: &str, input: &str) -> Result<WorkflowAnswer, ClientError> {
        let said = InputRequest { workflow_id: workflow.to_owned(), input: input.into() };
        self.post(path!["workflow", "input"], &said).await
    }

    /// Says what has happened to a workflow.
    ///
    /// # Errors
    ///
    /// When it cannot happen, and when there is no answer.
    pub async fn transition(
        &self,
        workflow: &str,
        happened: &TransitionRequest,
    ) -> Result<TransitionAnswer, ClientError> {
        self.post(path!["workflow", workflow, "transition"], happened).await
    }

    /// Decisions, as they were asked: of one workflow, in one state, or all.
    ///
    /// # Errors
    ///
    /// When there is no answer.
    pub async fn decisions(
        &self,
        workflow: Option<&str>,
        status: Option<&str>,
    ) -> Result<Decisions, ClientError> {
        let query: Vec<(&str, &str)> = [("workflowId", workflow), ("status", status)]
            .into_iter()
            .filter_map(|(k, v)| Some((k, v?)))
            .collect();
        self.get(path!["decision"], &query).await
    }

    /// A part of them, by the parameters of `GET /decision`, and the `cursor` of what comes behind it.
    ///
    /// # Errors
    ///
    /// When the limit or the cursor is not one, and when there is no answer.
    pub async fn part_of_decisions(
        &self,
        query: &[(&str, &str)],
    ) -> Result<(Decisions, Option<String>), ClientError> {
        self.get_part(path!["decision"], query).await
    }

    /// A decision; with `wait`, in seconds, once it has ended or that is over.
    ///
    /// # Errors
    ///
    /// When there is no such decision, and when there is no answer.
    pub async fn decision(&self, id: &str, wait: Option<u32>) -> Result<DecisionView, ClientError> {
        let wait = wait.map(|seconds| seconds.to_string());
        let query: Vec<(&str, &str)> = wait.iter().map(|seconds| ("wait", seconds.as_str())).collect();
        self.get(path!["decision", id], &query).await
    }

    /// Asks a person.
    ///
    /// # Errors
    ///
    /// When it is no question, and when there is no answer.
    pub async fn create_decision(&self, asked: &DecisionRequest) -> Result<DecisionCreated, ClientError> {
        self.post(path!["decision"], asked).await
    }

    /// Answers a decision.
    ///
    /// # Errors
    ///
    /// When the response is invalid, when the decision was answered before, and when there is no answer.
    pub async fn respond(&self, id: &str, response: &str) -> Result<DecisionAnswered, ClientError> {
        self.respond_via(id, response, Via::Api).await
    }

    /// Answers a decision with what came in this way: `terminal`, where a person has typed it.
    ///
    /// # Errors
    ///
    /// As [`Self::respond`].
    pub async fn respond_via(
        &self,
        id: &str,
        response: &str,
        via: Via,
    ) -> Result<DecisionAnswered, ClientError> {
        // An older daemon knows of no other way.
        let named = (via != Via::Api).then(|| via.name().to_owned());
        let request = RespondRequest { response: response.to_owned(), via: named };
        self.post(path!["decision", id, "respond"], &request).await
    }

    /// Has the questions shown that lie open in the folder of a project.
    ///
    /// # Errors
    ///
    /// When there are none, when another server shows them, and when there is no answer.
    pub async fn host_questions(&self, questions: &QuestionsRequest) -> Result<QuestionsHosted, ClientError> {
        self.post(path!["questions"], questions).await
    }

    /// All sessions.
    ///
    /// # Errors
    ///
    /// When there is no answer.
    pub async fn sessions(&self) -> Result<Vec<SessionView>, ClientError> {
        self.get(path!["sessions"], &[]).await
    }

    /// A session.
    ///
    /// # Errors
    ///
    /// When there is none of this name, and when there is no answer.
    pub async fn session(&self, session: &str) -> Result<SessionView, ClientError> {
        self.get(path!["sessions", session], &[]).await
    }

    /// The sessions that can be gone on with.
    ///
    /// # Errors
    ///
    /// When there is no answer.
    pub async fn resumable_sessions(&self) -> Result<ResumableSessions, ClientError> {
        self.get(path!["sessions", "resumable"], &[]).await
    }

    /// Lets a session go on, from its last checkpoint where none is named.
    ///
    /// # Errors
    ///
    /// When there is nothing to go on with, and when there is no answer.
    pub async fn resume_session(
        &self,
        session: &str,
        checkpoint: Option<&str>,
    ) -> Result<SessionResumption, ClientError> {
        let from = ResumeRequest { checkpoint_id: checkpoint.map(str::to_owned) };
        self.post(path!["sessions", session, "resume"], &from).await
    }

    /// The last checkpoint of a session.
    ///
    /// # Errors
    ///
    /// When there is none, and when there is no answer.
    pub async fn latest_checkpoint(&self, session: &str) -> Result<LatestCheckpoint, ClientError> {
        self.get(path!["sessions", session, "checkpoint", "latest"], &[]).await
    }

    /// All agents.
    ///
    /// # Errors
    ///
    /// When there is no answer.
    pub async fn agents(&self) -> Result<Vec<AgentView>, ClientError> {
        self.get(path!["agents"], &[]).await
    }

    /// Idle agents.
    ///
    /// # Errors
    ///
    /// When there is no answer.
    pub async fn resources(&self) -> Result<Value, ClientError> {
        self.get(path!["resources"], &[]).await
    }

    /// A message by its own name, or by that which its sender gave it.
    ///
    /// # Errors
    ///
    /// When there is none, and when there is no answer.
    pub async fn message(&self, name: &str) -> Result<MailboxMessage, ClientError> {
        match self.get(path!["mailbox", "callback", name], &[]).await {
            Err(ClientError::Refused { status: 404, .. }) => self.get(path!["mailbox", name], &[]).await,
            found => found,
        }
    }

    /// What has happened: `query` has the parameters of `GET /events/history`.
    ///
    /// # Errors
    ///
    /// When there is no answer.
    pub async fn history(&self, query: &[(&str, &str)]) -> Result<Vec<Value>, ClientError> {
        let mut history: Map<String, Value> = self.get(path!["events", "history"], query).await?;
        match history.remove("events") {
            Some(Value::Array(events)) => Ok(events),
            _ => Err(self.unintelligible("no events".to_owned())),
        }
    }
}

fn named(workflow: &str) -> WorkflowRequest {
    WorkflowRequest { workflow_id: workflow.to_owned() }
}
