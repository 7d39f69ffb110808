//! Where the user's trust in projects is recorded, and what it says.

use crate::args::SubmitFlags;
use crate::commands::Context;
use crate::failure::Failure;
use crate::layers;
use crate::messages::Message;
use crate::settings::{Files, Settings, is_loopback};
use std::env;
use std::ffi::OsString;
use std::path::PathBuf;
use store::{ConfigEdit, Layers, Project, ServerInfo, Subject, Trust};

/// The user's records. `None` without a folder for them: then nothing is trusted.
pub(crate) fn records() -> Option<Trust> {
    state_folder(|name| env::var_os(name)).map(|state| Trust::below(&state))
}

/// As the XDG base directories are defined: a relative path there is as good as none.
fn state_folder(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let absolute = |name: &str| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    absolute("XDG_STATE_HOME").or_else(|| absolute("HOME").map(|home| home.join(".local/state")))
}

/// Whether `text` was trusted as the configuration of `project`.
pub(crate) fn trusts(project: &Project, text: &str) -> bool {
    records().is_some_and(|records| records.allows(project.root(), Subject::Config(text)))
}

/// The settings of a server of `project`, as far as they may be followed.
pub(crate) fn settings(project: &Project, flags: &SubmitFlags) -> Result<Settings, Failure> {
    let layers = layers::of(project)?;
    let config = |passed_over: &[&'static str]| Ok(layers.config(passed_over)?.decide);
    let (file, user) = (project.config_file(), layers::user_file().unwrap_or_default());
    let files = Files { project: &file, user: &user };
    let is_trusted = || trusts(project, layers.project_text());
    Settings::resolve(flags, |name| env::var_os(name), config, files, is_trusted)
}

/// The keys by which the project's file would have something done that needs trust.
pub(crate) fn needing(project: &Project, layers: &Layers) -> Result<Vec<&'static str>, Failure> {
    let config = layers.project_config()?;
    let (settings, _) = Settings::configured(&config.decide, &project.config_file())?;
    let mut keys = settings.risky();
    keys.extend(layers.risky_for_flow(&layers.flow(&[])?)?);
    Ok(keys)
}

/// After a change of the project's configuration, which is another content now. Where the person trusted what was there,
/// and no key was touched that needs it, they trust this as well; else they are told to look.
pub(crate) fn after_edit(context: &Context, project: &Project, edit: &ConfigEdit, needs_trust: bool) {
    let Some(after) = &edit.after else { return };
    if !needs_trust && trusts(project, &edit.before) {
        // Without the record, it is told below.
        let _ = records().map(|records| records.allow(project.root(), Subject::Config(after)));
    }
    // What is wrong elsewhere in the file is told by whoever follows it.
    let needing = layers::of(project).and_then(|layers| needing(project, &layers)).unwrap_or_default();
    if !needing.is_empty() && !trusts(project, after) {
        let (file, keys) = (project.config_file(), needing.join(", "));
        context.output.warning(&Message::NotTrusted { file, keys });
    }
}

/// Warns of what was passed over.
pub(crate) fn warn(context: &Context, project: &Project, settings: &Settings) {
    if !settings.untrusted.is_empty() {
        let (file, keys) = (project.config_file(), settings.untrusted.join(", "));
        context.output.warning(&Message::NotTrusted { file, keys });
    }
}

/// Notes what a server is started with, so that one that is brought back may be started so again: by then it stands in
/// the project's folder only.
pub(crate) fn remember(project: &Project, settings: &Settings) {
    if !settings.risky().is_empty()
        && let Some(records) = records()
    {
        // Without the note, the next one falls back to what needs none.
        let _ = records.allow(project.root(), settings.subject());
    }
}

/// `flags` with the settings that `last` was started with. Its file may have come with the repository: what could hurt
/// is taken from it only if it was noted by [`remember`].
pub(crate) fn as_before(project: &Project, last: &ServerInfo, flags: SubmitFlags) -> SubmitFlags {
    let ServerInfo { port, bind, configured_url: url, auth, .. } = last;
    let is_noted =
        records().is_some_and(|records| records.allows(project.root(), Subject::Server { bind, url, auth }));
    let given = |text: &String, is_harmless: bool| {
        (!text.is_empty() && (is_harmless || is_noted)).then(|| OsString::from(text))
    };
    SubmitFlags {
        port: Some(port.to_string().into()),
        bind: given(bind, is_loopback(bind)),
        url: given(url, false),
        auth: given(auth, auth != "never"),
        ..flags
    }
}

#[cfg(test)]
mod tests {
    use super::state_folder;
    use std::path::PathBuf;

    #[test]
    fn the_records_are_where_such_things_belong() {
        let folder = |variables: &'static [(&str, &str)]| {
            state_folder(|name| variables.iter().find(|(set, _)| *set == name).map(|(_, value)| value.into()))
        };
        assert_eq!(folder(&[("HOME", "/h"), ("XDG_STATE_HOME", "/s")]), Some(PathBuf::from("/s")));
        assert_eq!(
            folder(&[("HOME", "/h"), ("XDG_STATE_HOME", "s")]),
            Some(PathBuf::from("/h/.local/state"))
        );
        assert_eq!(folder(&[("HOME", "/h")]), Some(PathBuf::from("/h/.local/state")));
        assert_eq!(folder(&[("HOME", "")]), None);
        assert_eq!(folder(&[]), None);
    }
}
