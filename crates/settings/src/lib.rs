//! Configuration: the one table of [`KEYS`], the files that say something of them, editing these, and what a person trusts.
//!
//! A value comes from the nearest that says one: a flag, a variable of the environment, the project's file, the person's
//! own file, the table. What a project's file may say stands in the table as well ([`ProjectPolicy`]).
//!
//! Errors are data: which file, which line, which key, what was found. The sentences are written elsewhere.

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
