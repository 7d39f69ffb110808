//! What a command has come to.

use super::macros::object;
use super::{Id, RelPath, SchemaVersion, Score, Sha256, Timestamp};
use serde_json::Value;

object! {
    /// What a command has come to.
    ResultDocument {
        /// The version of this format.
        schema_version: SchemaVersion,
        /// The plan.
        plan_id: Id,
        /// The task.
        task_id: Id,
        /// The command.
        command_id: Id,
        /// The number of the command.
        command_seq: u64,
        /// Who has executed it.
        agent_id: Id,
        /// What the LLM has answered: mostly a text.
        #[cfg_attr(feature = "schema", schemars(extend("not" = { "type": "null" })))]
        result: Value,
        /// The score, if one was asked for.
        score: Option<Score>,
        /// Why this score.
        score_explanation: Option<String>,
        /// The message that was made from the template of the command.
        message: String,
        /// What it was made from.
        inputs: Vec<UsedInput>,
        /// When it began.
        started_at: Timestamp,
        /// When it ended.
        finished_at: Timestamp,
    }
}

object! {
    /// A file that a command has used.
    UsedInput {
        /// What it is called.
        path: RelPath,
        /// The hash of its bytes.
        sha256: Sha256,
        /// The message that brought it; none for a file that lay in the folder of the task.
        message_id: Option<Id>,
    }
}
