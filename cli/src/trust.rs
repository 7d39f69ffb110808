//! What the person trusts: where that is recorded, and what it means for a command.

use crate::context::Context;
use crate::failure::Failure;
use crate::messages::{ConfigMessage, Message};
use crate::server_flags::ServerFlags;
use crate::user_files;
use settings::trust::{Subject, Trust};
use settings::{
    BadSetting, ConfigEdit, ConfigError, ConfigValue, EffectiveValue, FlowConfig, Key, Layers,
    ServerSettings, forms,
};
use std::env;
use std::ffi::OsString;
use std::path::Path;
use store::{Project, ServerInfo};

/// The person's records. `None` without a folder for them: then nothing is trusted.
pub(crate) fn records() -> Option<Trust> {
    user_files::state().map(|state| Trust::below(&state))
}

/// Whether `text` was trusted as the configuration of `project`.
pub(crate) fn trusts(project: &Project, text: &str) -> bool {
    records().is_some_and(|records| records.allows(project.root(), Subject::Config(text)))
}

/// Whether the person has trusted the configuration, as it is now, of the project that `folder` is in.
pub(crate) fn trusts_folder(folder: &Path) -> bool {
    let Ok(project) = Project::discover(folder) else { return false };
    let files = project.config_files(None);
    files.layers().is_ok_and(|layers| trusts(&project, layers.project_text()))
}

/// The settings of a server of `project`, as far as they may be followed.
pub(crate) fn server_settings(
    project: &Project,
    layers: Layers<'_>,
    flags: &ServerFlags,
) -> Result<EffectiveValue<ServerSettings>, Failure> {
    let flag = |key: &Key| flags.get(key).cloned();
    let is_trusted = |text: &str| trusts(project, text);
    Ok(ServerSettings::resolve(layers, flag, |name| env::var_os(name), is_trusted)?)
}

/// The settings of `aide flow` in `project`, without those that need trust and have none.
pub(crate) fn flow_config(
    project: &Project,
    layers: Layers<'_>,
) -> Result<EffectiveValue<FlowConfig>, ConfigError> {
    layers.followed_flow(|text| trusts(project, text))
}

/// What needs trust in a project's file, in the order of the table.
pub(crate) struct UntrustedSettings {
    /// Each key with its value.
    pub(crate) values: Vec<(&'static Key, ConfigValue)>,
    /// What is wrong with them taken together.
    pub(crate) contradiction: Option<BadSetting>,
}

/// What needs trust in a project's file, all of which is checked.
pub(crate) fn needing(layers: Layers<'_>) -> Result<UntrustedSettings, Failure> {
    let (server, contradiction) = ServerSettings::of_project(layers)?;
    layers.flow()?;
    layers.agent()?;
    let mut values = server.needing_trust();
    for key in layers.needing_trust() {
        let is_listed = values.iter().any(|(listed, _)| *listed == key);
        if let (false, Some(value)) = (is_listed, layers.project_value(key)) {
            values.push((key, value));
        }
    }
    Ok(UntrustedSettings { values, contradiction })
}

/// After a change of the project's configuration, which is another content now. If the user trusted the previous content and no
/// key that needs trust was changed, the new content is trusted as well. Otherwise the command asks the user to review it.
pub(crate) fn after_edit(context: &Context, project: &Project, edit: &ConfigEdit, can_need_trust: bool) {
    let Some(after) = &edit.after else { return };
    if !can_need_trust && trusts(project, &edit.before) {
        // If the record cannot be written, the message below says so.
        let _ = records().map(|records| records.allow(project.root(), Subject::Config(after)));
    }
    // Read again: the context has the previous content. Other errors in the file are reported where it is applied.
    let files = project.config_files(None);
    let needing = files.layers().map_err(Failure::from).and_then(needing);
    let keys = needing.map(|needing| needing.values).unwrap_or_default();
    if !keys.is_empty() && !trusts(project, after) {
        warn(context, project, keys.into_iter().map(|(key, _)| key));
    }
}

/// Warns of the keys that have no effect because the project's file is not trusted.
pub(crate) fn warn(context: &Context, project: &Project, ignored: impl IntoIterator<Item = &'static Key>) {
    let mut ignored = ignored.into_iter().peekable();
    if ignored.peek().is_some() {
        context.output.warning(&not_trusted(project, ignored));
    }
}

/// That these keys have no effect because the project's file is not trusted.
pub(crate) fn not_trusted(project: &Project, ignored: impl IntoIterator<Item = &'static Key>) -> Message {
    let mut keys: Vec<&str> = ignored.into_iter().map(|key| key.name).collect();
    // A key of tables has a value for each.
    keys.dedup();
    Message::config(ConfigMessage::NotTrusted { file: project.config_file(), keys: keys.join(", ") })
}

/// Notes what a server is started with, so that one that is brought back may be started so again: by then it stands in
/// the project's folder only.
pub(crate) fn remember(project: &Project, settings: &ServerSettings) {
    if !settings.needing_trust().is_empty()
        && let Some(records) = records()
    {
        // Without the note, the next one falls back to what needs none.
        let _ = records.allow(project.root(), settings.subject());
    }
}

/// `flags` with the settings that `last` was started with. Its file may have come with the repository: what could hurt
/// is taken from it only if it was noted by [`remember`].
pub(crate) fn as_before(project: &Project, last: &ServerInfo, flags: ServerFlags) -> ServerFlags {
    let ServerInfo { port, bind, configured_url: url, auth, .. } = last;
    let is_noted =
        records().is_some_and(|records| records.allows(project.root(), Subject::Server { bind, url, auth }));
    let given = |text: &String, is_harmless: bool| {
        (!text.is_empty() && (is_harmless || is_noted)).then(|| OsString::from(text))
    };
    ServerFlags {
        port: Some(port.to_string().into()),
        bind: given(bind, forms::is_loopback(bind)),
        url: given(url, false),
        auth: given(auth, auth != "never"),
        ..flags
    }
}
