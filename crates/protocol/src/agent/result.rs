//! Results of commands.

use super::macros::document;
use super::{Id, RelPath, SchemaVersion, Score, Sha256, Timestamp};
use serde_json::Value;

document! {
    /// Result of a command.
    ResultDocument {
        /// Version of this format.
        schema_version: SchemaVersion,
        /// Id of the plan.
        plan_id: Id,
        /// Id of the task.
        task_id: Id,
        /// Id of the command.
        command_id: Id,
        /// Sequence number of the command.
        command_seq: u64,
        /// Id of the agent that executed the command.
        agent_id: Id,
        /// Answer of the LLM, usually a text.
        #[cfg_attr(feature = "schema", schemars(extend("not" = { "type": "null" })))]
        result: Value,
        /// Score from 0 to 100; absent if none was requested.
        score: Option<Score>,
        /// Explanation of the score; absent if there is none.
        score_explanation: Option<String>,
        /// Message made from the command's template.
        message: String,
        /// Files that the command used.
        inputs: Vec<UsedInput>,
        /// Start time.
        started_at: Timestamp,
        /// End time.
        finished_at: Timestamp,
    }
}

document! {
    /// A file that a command used.
    UsedInput {
        /// Path by which the command refers to the file.
        path: RelPath,
        /// Hash of the file's bytes.
        sha256: Sha256,
        /// Id of the message that delivered the file; absent for a file from the task's folder.
        message_id: Option<Id>,
    }
}
