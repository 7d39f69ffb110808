//! Decisions of users, and consent to calls of tools.

use crate::workflow::ToolName;
use crate::workflow::macros::payload;
use serde_json::{Map, Value};

payload! {
    /// Answer to a decision, given as input to its workflow.
    AskResolution {
        /// Whether the input was accepted as the answer.
        ok: bool,
        /// Id of the decision.
        request_id: String,
        /// The answer as text.
        answer: String,
        /// Label of the first selected option; absent if none was selected.
        selected_option: Option<String>,
        /// Time of the answer (ISO 8601, UTC).
        responded_at: String,
    }
}

payload! {
    /// A decision was created.
    DecisionCreated {
        /// Id of the decision.
        decision_id: String,
        /// Always `pending`.
        status: String,
        /// Deadline for the answer (ISO 8601, UTC); absent if there is none.
        expires_at: Option<String>,
    }
}

payload! {
    /// A decision was answered.
    DecisionAnswered {
        /// Always true.
        success: bool,
        /// Id of the decision.
        decision_id: String,
        /// The answer as given.
        response: String,
        /// Labels of the selected options; empty for a free-text answer.
        selected: Vec<String>,
        /// Id of the workflow that waited for the decision; absent if none did.
        workflow_id: Option<String>,
    }
}

payload! {
    /// A set of questions of a project is shown to users.
    QuestionsHosted {
        /// Always true.
        success: bool,
        /// Id of the set of questions.
        set_id: String,
        /// URL of the set of questions.
        url: String,
    }
}

payload! {
    /// A tool call that needs the user's consent.
    ConsentView {
        /// Name of the tool.
        tool: ToolName,
        /// Complete parameters of the call.
        params: Map<String, Value>,
        /// Possible answers, in the order in which the options are numbered.
        answers: Vec<ConsentAnswer>,
    }
}

payload! {
    /// A possible answer to a request for consent.
    ConsentAnswer {
        /// The answer: `Y`, `n` or `always`.
        answer: String,
        /// Effect of the answer: `allow_call` (only this call), `allow_tool` (every call of this tool until the workflow ends) or
        /// `deny`.
        effect: String,
    }
}

payload! {
    /// A decision that is requested from a user.
    DecisionView {
        /// Id of the decision.
        decision_id: String,
        /// Id of the workflow that waits for the decision; absent if none does.
        workflow_id: Option<String>,
        /// Id of the session; absent if there is none.
        session_id: Option<String>,
        /// Id of the decision as a set of questions, for `aide decide show`.
        set_id: Option<String>,
        /// Id of the task that waits for the decision; absent if none does.
        task_id: Option<String>,
        /// Id of the agent that waits for the decision; absent if none does.
        agent_id: Option<String>,
        /// The question.
        message: String,
        /// Options; absent if the answer is free text. A tool call can also be answered with `always`: see `consent`.
        options: Option<Vec<String>>,
        /// True if the user can also answer in their own words; absent otherwise.
        allow_other: Option<bool>,
        /// Background of the question, as Markdown; absent if there is none.
        context: Option<String>,
        /// The tool call that needs consent; absent if the decision is about anything else.
        consent: Option<ConsentView>,
        /// Answer that applies if none is given; absent if there is no default.
        default as "default": Option<String>,
        /// Whether several options can be selected.
        multi_select: bool,
        /// Creation time (ISO 8601, UTC).
        created_at: String,
        /// Deadline for the answer (ISO 8601, UTC); absent if there is none.
        expires_at: Option<String>,
        /// `pending`, `answered`, `expired`, `cancelled` or `returned`.
        status: String,
        /// The answer as given; absent if there is none.
        response: Option<String>,
        /// Labels of the selected options; empty if none is selected.
        selected: Vec<String>,
        /// Note that the user added to the answer, or the reason why the decision was returned; absent if there is none.
        note: Option<String>,
        /// Time at which the decision ended (ISO 8601, UTC); absent while it is pending.
        responded_at: Option<String>,
        /// Channel of the answer: `page`, `form`, `api`, `terminal` or `clock`; absent while the decision is pending.
        responded_by: Option<String>,
    }
}

payload! {
    /// List of decisions.
    Decisions {
        /// The decisions.
        decisions: Vec<DecisionView>,
    }
}
