//! Configuration: the one table of [`KEYS`], the files that say something of them, editing these, and what a person trusts.
//!
//! A value comes from the nearest that says one: a flag, a variable of the environment, the project's file, the person's
//! own file, the table. What a project's file may say stands in the table as well ([`ProjectPolicy`]).
//!
//! Errors are data: which file, which line, which key, what was found. The sentences are written elsewhere.
//!
//! `KEYS` (`crates/settings/src/keys.rs`) is the one table of keys: the type of a value, its default, its flag and variable, and
//! what a project's file may set (`ProjectPolicy`): anything, only values that need no trust, or nothing. A command reads each
//! file once (`ConfigFiles`); `Layers` finds a key in the nearest file that has it, the project's before the person's. Untrusted
//! keys of the project are ignored there, so that the layer below applies. `edit.rs` changes the text of a file instead of
//! printing a parsed document: the value's own bytes, or a whole line. Its proposal is parsed and compared with the intended
//! result; if they differ, the edit is refused, so that an unforeseen file structure does no harm. `file.rs` edits under the
//! lock; `trust::after_edit` determines the effect on trust. Only the language is read leniently (`ConfigFiles::lang`), because
//! even a broken file is reported in some language.
//!
//! # Where things are
//!
//! Configuration: the one table of keys (`keys.rs`), the project's file above the person's own (`layers.rs`), editing them
//! (`edit.rs`, `file.rs`), the settings of a server and of a task (`server.rs`, `flow.rs`), flags and variables, which override
//! the files (`overrides.rs`), the agents that work on workflows and their permissions (`crew.rs`), records of trust (`trust.rs`).

mod agent;
mod config_files;
mod crew;
mod daemon;
mod edit;
mod error;
mod file;
mod flow;
pub mod forms;
mod general;
pub mod keys;
mod layer;
mod layers;
mod notify;
mod overrides;
mod read;
mod server;
mod source;
pub mod trust;
mod typed;
mod unknown;
mod value;

pub use agent::AgentConfig;
pub use config_files::ConfigFiles;
pub use crew::{AnsweredBy, CrewAgent, CrewConfig, CrewLimits, SearchBy};
pub use daemon::{DaemonSettings, LogLevel, ShowQuestions, UnknownLevel, UnknownShowQuestions};
pub use edit::{EditError, read_any_in, set_any_in, set_in, unset_in};
pub use error::{ConfigError, ConfigErrorKind, ConfigErrors, PhasesFault};
pub use file::{ConfigChange, ConfigEdit, edit, edit_user_file};
pub use flow::{
    AddStrategy, ChangelogHook, CommitChoice, FlowConfig, FlowGit, FlowHook, HookPoint, OnMissing,
    PlantUmlHook, RequiredDecision, Requirement, phases_fault,
};
pub use forms::{Auth, WhenToNotify};
pub use general::{Config, DEFAULT_CONFIG, DecideConfig, LangSetting, UnknownLang};
pub use keys::{KEYS, Key, Kind, ProjectPolicy, known};
pub use layer::Origin;
pub use layers::{ConfigEntry, EffectiveValue, Layers};
pub use notify::{Channel, NotifyConfig, NotifyStep, Ntfy, Reference, Webhook};
pub use overrides::{BadSetting, SettingError};
pub use read::parse_config;
pub use server::ServerSettings;
pub use source::{Source, Spanned, UncheckedValue};
pub use typed::NotAValue;
pub use unknown::{KeyFault, UnknownKey, nearest_key};
pub use value::{ConfigValue, key_names, key_text};
