//! `heartbeat_config.json` and `status_heartbeat.json`: how an agent works, and how it is.

use super::macros::{names, object};
use super::{Extra, Id, SchemaVersion, Timestamp};
use std::num::NonZeroU64;

names! {
    /// How an agent is.
    Health {
        /// As it should be.
        Healthy = "HEALTHY",
        /// Something is wrong.
        Warning = "WARNING",
        /// It cannot work.
        Critical = "CRITICAL",
    }
}

names! {
    /// Which plans an agent works for.
    ScanMode {
        /// All whose folders are there.
        Auto = "auto",
        /// Those that are listed.
        AllowlistOnly = "allowlist_only",
    }
}

object! {
    /// How an agent is, written by itself again and again.
    StatusHeartbeat {
        /// The version of this format.
        schema_version: SchemaVersion,
        /// Who it is.
        agent_id: Id,
        /// When it was last alive.
        last_heartbeat: Timestamp,
        /// How it is.
        health: Health,
        /// What it does.
        status: Option<String>,
        /// For how long it has been running.
        uptime_seconds: Option<u64>,
        /// The plans that it works for.
        current_plan_ids: Option<Vec<Id>>,
        /// The tasks that it works on.
        current_task_ids: Option<Vec<Id>>,
        /// What it needs of the machine.
        resource_usage: Option<Extra>,
        /// What went wrong last.
        last_error: Option<String>,
        /// When the monitor took this copy.
        collected_at: Option<Timestamp>,
    }
}

object! {
    /// How an agent works.
    HeartbeatConfig {
        /// The version of this format.
        schema_version: SchemaVersion,
        /// Who it is.
        agent_id: Id,
        /// How often it looks for messages, in seconds.
        poll_interval_seconds: NonZeroU64,
        /// How many new messages it takes at a time; 50 if nothing is said.
        max_new_messages_per_tick: Option<NonZeroU64>,
        /// How many waiting messages it looks at again at a time; 10 if nothing is said.
        max_resume_messages_per_tick: Option<NonZeroU64>,
        /// Which plans it works for.
        plans: Option<PlansConfig>,
        /// What it does with inputs.
        inputs: Option<InputsConfig>,
        /// Names of folders. Nobody looks at them.
        paths: Option<Extra>,
        /// Where schemas lie. Nobody looks at them.
        schema_validation: Option<Extra>,
    }
}

object! {
    /// Which plans an agent works for.
    PlansConfig {
        /// All, or those that are listed.
        scan_mode: Option<ScanMode>,
        /// The list, in its order.
        allowlist: Option<Vec<Id>>,
    }
}

object! {
    /// What an agent does with inputs.
    InputsConfig {
        /// Whether a file that comes again with another content is kept beside the earlier one, and counts from then on; it is
        /// refused only if this says `false`.
        keep_versions: Option<bool>,
    }
}

impl HeartbeatConfig {
    /// How many new messages it takes at a time.
    pub fn max_new_messages(&self) -> u64 {
        self.max_new_messages_per_tick.map_or(50, NonZeroU64::get)
    }

    /// How many waiting messages it looks at again at a time.
    pub fn max_resume_messages(&self) -> u64 {
        self.max_resume_messages_per_tick.map_or(10, NonZeroU64::get)
    }

    /// Whether a file that comes again with another content is kept beside the earlier one, so that the latest counts.
    pub fn keeps_versions(&self) -> bool {
        self.inputs.as_ref().and_then(|inputs| inputs.keep_versions).unwrap_or(true)
    }

    /// The plans that it works for; `None` for all.
    pub fn allowlist(&self) -> Option<&[Id]> {
        let plans = self.plans.as_ref().filter(|plans| plans.scan_mode == Some(ScanMode::AllowlistOnly))?;
        Some(plans.allowlist.as_deref().unwrap_or_default())
    }
}
