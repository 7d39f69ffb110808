//! The `.aide/` folder of a project, and the only code that reads or writes it.
//!
//! Three rules hold throughout. A file is replaced or published as a whole, durably, or not at all
//! (`durable`). Below `.aide/` no symlink is followed and nothing but regular files is opened (`dir`).
//! Whatever changes `.aide/` holds one lock, and a server lives as long as it holds another. Outside of it, records are
//! written down where a person wants them (`folder`), as whole and as wary of what is there.
//!
//! Errors are data: which file, which rule, what was found. The sentences are written elsewhere.

mod clock;
mod config;
mod decisions;
mod dir;
mod durable;
mod error;
mod excerpt;
mod flow;
mod folder;
mod init;
mod json;
mod lease;
mod lock;
mod presence;
mod project;
#[cfg(test)]
mod proof;
mod source;
mod sys;
mod trust;
mod user_config;

pub use clock::{is_since, now, seconds_between, time_of_day};
pub use config::keys::{KEYS, Key, Kind, known};
pub use config::{
    AddStrategy, ChangelogHook, Config, ConfigChange, ConfigEdit, ConfigError, ConfigErrorKind, ConfigValue,
    DEFAULT_CONFIG, DecideConfig, EditError, FlowConfig, FlowGit, FlowHook, HookPoint, LangSetting, Layers,
    Located, OnMissing, Origin, PhasesFault, PlantUmlHook, RequiredDecision, Requirement, Said, UnknownLang,
    key_names, key_text, parse_config, phases_fault, set_in, unset_in,
};
pub use decisions::{Asked, Change, Decisions, Pending, Published, Retention, Watch};
pub use error::{InitError, StoreError};
pub use excerpt::{Excerpt, MAX_EXCERPT, MAX_EXCERPT_LINE, MAX_EXCERPT_LINES};
pub use flow::{
    BackRequest, EarlierTask, FlowFileError, FlowFiles, Former, Staged, flow_archive_path, flow_status_path,
};
pub use folder::Folder;
pub use init::{InitReport, init, init_below};
pub use lease::{Holder, Lease};
pub use presence::{Announced, Presence, Secret, ServerInfo};
pub use project::{Project, lang};
pub use source::{Since, SourceFile, SourceHashes};
pub use trust::{Subject, Trust};
pub use user_config::{UserConfig, edit_user_config, user_config};
