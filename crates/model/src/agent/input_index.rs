//! `input_index.json`: the inputs that an agent has.

use super::macros::object;
use super::{Filled, Id, RelPath, SchemaVersion, Sha256, Text, Timestamp};

object! {
    /// The inputs that an agent has for a plan.
    InputIndex {
        /// The version of this format.
        schema_version: SchemaVersion,
        /// The plan.
        plan_id: Id,
        /// The agent.
        agent_id: Id,
        /// When it last changed.
        updated_at: Timestamp,
        /// What came, in its order; one for each message.
        entries: Vec<InputEntry>,
    }
}

object! {
    /// What came with a message.
    InputEntry {
        /// The message.
        message_id: Id,
        /// The task that has made it.
        task_id: Id,
        /// Which output of the task it is.
        output_name: Id,
        /// When it came.
        received_at: Timestamp,
        /// Its files.
        files: Filled<IndexedFile>,
    }
}

object! {
    /// A file that came.
    IndexedFile {
        /// What it is called by those who need it.
        path: RelPath,
        /// The hash of its bytes.
        sha256: Sha256,
        /// Where it lies, from the folder of the agent.
        stored_at: Text,
    }
}
