//! What holds, and where it comes from.

use super::code;
use crate::context::Context;
use crate::failure::Failure;
use crate::{notify, trust};
use serde_json::{Map, Value, json};
use settings::{ConfigEntry, ConfigValue, Key, Layers, Origin, Source, key_text, keys, known};
use std::env;

/// The configuration of a project, all of it checked.
pub(super) struct EffectiveConfig<'c> {
    context: &'c Context,
    layers: Layers<'c>,
    /// The keys of the project's file that have no effect, because it is not trusted.
    ignored: Vec<&'static Key>,
}

/// What holds for a key.
pub(super) struct Setting {
    pub(super) value: ConfigValue,
    pub(super) source: Source,
    /// What the project says and has no effect.
    pub(super) ignored: Option<ConfigEntry>,
}

impl<'c> EffectiveConfig<'c> {
    pub(super) fn read(context: &'c Context) -> Result<Self, Failure> {
        let (project, layers) = (context.project()?, context.layers()?);
        layers.config()?;
        notify::when_configured(&context.user_layers()?.notify()?)?;
        trust::needing(layers)?;
        let needing = layers.needing_trust();
        let is_followed = needing.is_empty() || trust::trusts(project, layers.project_text());
        Ok(Self { context, layers, ignored: if is_followed { Vec::new() } else { needing } })
    }

    pub(super) fn get(&self, key: &'static Key) -> Result<Setting, Failure> {
        let names: Vec<&str> = key.name.split('.').collect();
        let entry = |origin| self.layers.entry(origin, &names);
        // A project has no say in what only the person may say.
        let project = if key.is_user_only() { None } else { entry(Origin::Project) };
        let (followed, ignored) = if self.ignored.contains(&key) { (None, project) } else { (project, None) };
        // A command that has flags checks them by itself; the language is the one that every command has.
        let flag = self.context.lang_flag.as_deref().filter(|_| *key == keys::GENERAL_LANG);
        let (value, source) = if let Some(given) = key.given(flag, |name| env::var_os(name)) {
            (given.value(key)?, given.source)
        } else if let Some(entry) = followed.or_else(|| entry(Origin::User)) {
            let ConfigEntry { value, origin, file, line } = entry;
            (value, Source::File { origin, file, line })
        } else {
            (key.default(), Source::Default)
        };
        Ok(Setting { value, source, ignored })
    }

    /// What the files say of a key that is none of ours, or of a section.
    pub(super) fn in_files(&self, names: &[&str]) -> Option<ConfigValue> {
        [Origin::Project, Origin::User]
            .into_iter()
            .find_map(|origin| Some(self.layers.entry(origin, names)?.value))
    }

    /// The keys of others that stand in a section of the files, each with its value.
    pub(super) fn others(&self, section: &[&str]) -> Vec<(String, ConfigValue)> {
        let mut others: Vec<(String, ConfigValue)> = Vec::new();
        for origin in [Origin::Project, Origin::User] {
            let found = self.layers.entry(origin, section);
            if let Some(ConfigEntry { value: ConfigValue::Table(entries), .. }) = found {
                for (name, value) in entries {
                    let mut leaves = Vec::new();
                    flatten(&key_of(section.iter().copied().chain([&*name])), value, &mut leaves);
                    leaves.retain(|(key, _)| {
                        known(key).is_none() && others.iter().all(|(other, _)| other != key)
                    });
                    others.append(&mut leaves);
                }
            }
        }
        others
    }
}

impl Setting {
    /// As an object.
    pub(super) fn to_json(&self) -> Value {
        let mut object = Map::new();
        object.insert("value".to_owned(), self.value.to_json());
        match &self.source {
            Source::Default => _ = object.insert("source".to_owned(), "default".into()),
            Source::Flag(name) => {
                object.insert("source".to_owned(), "flag".into());
                object.insert("name".to_owned(), (*name).into());
            }
            Source::Variable(name) => {
                object.insert("source".to_owned(), "environment".into());
                object.insert("name".to_owned(), (*name).into());
            }
            Source::File { origin, file, line } => {
                object.insert("source".to_owned(), code(*origin).into());
                object.insert("file".to_owned(), file.to_string_lossy().into());
                object.insert("line".to_owned(), json!(line));
            }
        }
        if let Some(entry) = &self.ignored {
            let untrusted = json!({ "value": entry.value.to_json(), "file": entry.file.to_string_lossy(), "line": entry.line });
            object.insert("untrusted".to_owned(), untrusted);
        }
        Value::Object(object)
    }
}

/// The names as one key.
fn key_of<'n>(names: impl Iterator<Item = &'n str>) -> String {
    names.map(key_text).collect::<Vec<_>>().join(".")
}

/// Tables are sections, and their keys have values.
fn flatten(key: &str, value: ConfigValue, leaves: &mut Vec<(String, ConfigValue)>) {
    match value {
        ConfigValue::Table(entries) => {
            for (name, value) in entries {
                flatten(&format!("{key}.{}", key_text(&name)), value, leaves);
            }
        }
        value => leaves.push((key.to_owned(), value)),
    }
}
