//! `input_index.json`: inputs of an agent.

use super::macros::document;
use super::{Id, NonEmpty, RelPath, SchemaVersion, Sha256, Text, Timestamp};

document! {
    /// Inputs of an agent for a plan.
    InputIndex {
        /// Version of this format.
        schema_version: SchemaVersion,
        /// Id of the plan.
        plan_id: Id,
        /// Id of the agent.
        agent_id: Id,
        /// Time of the last change.
        updated_at: Timestamp,
        /// Received inputs in order of arrival, one entry per message.
        entries: Vec<InputEntry>,
    }
}

document! {
    /// Input received with a message.
    InputEntry {
        /// Id of the message.
        message_id: Id,
        /// Id of the task that produced the input.
        task_id: Id,
        /// Name of the task's output.
        output_name: Id,
        /// Time of arrival.
        received_at: Timestamp,
        /// Files of the input.
        files: NonEmpty<IndexedFile>,
    }
}

document! {
    /// A file of an input.
    IndexedFile {
        /// Path by which the commands refer to the file.
        path: RelPath,
        /// Hash of the file's bytes.
        sha256: Sha256,
        /// Path of the stored file, relative to the agent's folder.
        stored_at: Text,
    }
}
