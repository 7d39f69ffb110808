//! `heartbeat_config.json` and `status_heartbeat.json`: configuration and health of an agent.

use super::macros::{document, document_names};
use super::{Extra, Id, SchemaVersion, Timestamp};
use std::num::NonZeroU64;

document_names! {
    /// Health of an agent.
    Health {
        /// The agent works normally.
        Healthy = "HEALTHY",
        /// The agent has a problem.
        Warning = "WARNING",
        /// The agent cannot work.
        Critical = "CRITICAL",
    }
}

document_names! {
    /// Selection of the plans that an agent works for.
    ScanMode {
        /// All plans whose folders exist.
        Auto = "auto",
        /// Only the listed plans.
        AllowlistOnly = "allowlist_only",
    }
}

document! {
    /// Health of an agent, written periodically by the agent itself.
    StatusHeartbeat {
        /// Version of this format.
        schema_version: SchemaVersion,
        /// Id of the agent.
        agent_id: Id,
        /// Time of the last heartbeat.
        last_heartbeat: Timestamp,
        /// Health of the agent.
        health: Health,
        /// Current activity of the agent; absent if unknown.
        status: Option<String>,
        /// Uptime in seconds; absent if unknown.
        uptime_seconds: Option<u64>,
        /// Ids of the plans that the agent works for; absent if unknown.
        current_plan_ids: Option<Vec<Id>>,
        /// Ids of the tasks that the agent works on; absent if unknown.
        current_task_ids: Option<Vec<Id>>,
        /// Resource usage on the machine; absent if unknown.
        resource_usage: Option<Extra>,
        /// Last error; absent if there was none.
        last_error: Option<String>,
        /// Time at which the monitor took this copy; absent in the original.
        collected_at: Option<Timestamp>,
    }
}

document! {
    /// Configuration of an agent.
    HeartbeatConfig {
        /// Version of this format.
        schema_version: SchemaVersion,
        /// Id of the agent.
        agent_id: Id,
        /// Interval between checks for messages, in seconds.
        poll_interval_seconds: NonZeroU64,
        /// Maximum number of new messages per check; defaults to 50.
        max_new_messages_per_tick: Option<NonZeroU64>,
        /// Maximum number of waiting messages that are reconsidered per check; defaults to 10.
        max_resume_messages_per_tick: Option<NonZeroU64>,
        /// Plans that the agent works for; all if absent.
        plans: Option<PlansConfig>,
        /// Handling of inputs; absent for the defaults.
        inputs: Option<InputsConfig>,
        /// Folder names. Ignored.
        paths: Option<Extra>,
        /// Location of schemas. Ignored.
        schema_validation: Option<Extra>,
    }
}

document! {
    /// Selection of the plans that an agent works for.
    PlansConfig {
        /// Whether all plans or only the listed ones are selected; all if absent.
        scan_mode: Option<ScanMode>,
        /// Ids of the listed plans, in order.
        allowlist: Option<Vec<Id>>,
    }
}

document! {
    /// Handling of inputs by an agent.
    InputsConfig {
        /// Whether a file that arrives again with other content is kept next to the earlier one and becomes current; defaults to
        /// true. If false, the file is refused.
        keep_versions: Option<bool>,
    }
}

impl HeartbeatConfig {
    /// Maximum number of new messages per check.
    pub fn max_new_messages(&self) -> u64 {
        self.max_new_messages_per_tick.map_or(50, NonZeroU64::get)
    }

    /// Maximum number of waiting messages that are reconsidered per check.
    pub fn max_resume_messages(&self) -> u64 {
        self.max_resume_messages_per_tick.map_or(10, NonZeroU64::get)
    }

    /// Whether a file that arrives again with other content is kept next to the earlier one and becomes current.
    pub fn keeps_versions(&self) -> bool {
        self.inputs.as_ref().and_then(|inputs| inputs.keep_versions).unwrap_or(true)
    }

    /// Ids of the selected plans; `None` for all.
    pub fn allowlist(&self) -> Option<&[Id]> {
        let plans = self.plans.as_ref().filter(|plans| plans.scan_mode == Some(ScanMode::AllowlistOnly))?;
        Some(plans.allowlist.as_deref().unwrap_or_default())
    }
}
