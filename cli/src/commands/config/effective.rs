//! What holds, and where it comes from.

use super::super::Context;
use super::{code, typed};
use crate::failure::Failure;
use crate::messages::{Place, Source};
use crate::{layers, settings, trust};
use serde_json::{Map, Value, json};
use std::env;
use store::{ConfigValue, Key, Layers, Origin, Project, Said, known, user_config};

/// The configuration of a project, all of it checked.
pub(super) struct Effective<'c> {
    context: &'c Context,
    pub(super) layers: Layers,
    /// The keys of the project's file that are passed over, because it is not trusted.
    untrusted: Vec<&'static str>,
}

/// What holds for a key.
pub(super) struct Setting {
    pub(super) value: ConfigValue,
    pub(super) source: Source,
    /// What the project says and is passed over.
    pub(super) passed_over: Option<Said>,
}

impl<'c> Effective<'c> {
    pub(super) fn read(context: &'c Context, project: &Project) -> Result<Self, Failure> {
        let layers = layers::of(project)?;
        layers.config(&[])?;
        if let Some(file) = layers::user_file() {
            settings::notify_by_default(&user_config(&file)?)?;
        }
        let needing = trust::needing(project, &layers)?;
        let is_followed = needing.is_empty() || trust::trusts(project, layers.project_text());
        let untrusted = if is_followed { Vec::new() } else { needing };
        Ok(Self { context, layers, untrusted })
    }

    pub(super) fn of(&self, key: &'static Key) -> Result<Setting, Failure> {
        let names: Vec<&str> = key.name.split('.').collect();
        let said = |origin| self.layers.said(origin, &names);
        // A project has no say in what only the person may say.
        let project = if key.user_only { None } else { said(Origin::Project) };
        let (followed, passed_over) =
            if self.untrusted.contains(&key.name) { (None, project) } else { (project, None) };
        let (value, source) = if let Some(above) = self.above(key)? {
            above
        } else if let Some(said) = followed.or_else(|| said(Origin::User)) {
            (said.value, Source::File { origin: said.origin, file: said.file, line: said.line })
        } else {
            (key.default(), Source::Default)
        };
        Ok(Setting { value, source, passed_over })
    }

    /// What a flag or a variable says, which stand above every file.
    fn above(&self, key: &'static Key) -> Result<Option<(ConfigValue, Source)>, Failure> {
        if key.name == "general.lang"
            && let Some(Ok(value)) = self.context.lang_flag.as_deref().map(|flag| typed::read(key, flag))
        {
            return Ok(Some((value, Source::Flag("--lang"))));
        }
        let Some(name) = key.variable else { return Ok(None) };
        // An empty variable is one that is not set, but an empty link has a meaning.
        let text = env::var_os(name).filter(|text| !text.is_empty() || key.name == "decide.url");
        let Some(text) = text else { return Ok(None) };
        match typed::read(key, &text) {
            Ok(value) => Ok(Some((value, Source::Variable(name)))),
            Err(_) => {
                let value = text.to_string_lossy().into_owned();
                Err(Failure::setting(Place::Variable(name), value, typed::need(key)))
            }
        }
    }

    /// What the files say of a key that is none of ours, or of a section.
    pub(super) fn said(&self, names: &[&str]) -> Option<ConfigValue> {
        [Origin::Project, Origin::User]
            .into_iter()
            .find_map(|origin| Some(self.layers.said(origin, names)?.value))
    }

    /// The keys of others that stand in a section of the files, each with its value.
    pub(super) fn others(&self, section: &[&str]) -> Vec<(String, ConfigValue)> {
        let mut others: Vec<(String, ConfigValue)> = Vec::new();
        for origin in [Origin::Project, Origin::User] {
            if let Some(Said { value: ConfigValue::Table(entries), .. }) = self.layers.said(origin, section) {
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
        if let Some(said) = &self.passed_over {
            let untrusted = json!({ "value": said.value.to_json(), "file": said.file.to_string_lossy(), "line": said.line });
            object.insert("untrusted".to_owned(), untrusted);
        }
        Value::Object(object)
    }
}

/// The names as one key.
fn key_of<'n>(names: impl Iterator<Item = &'n str>) -> String {
    names.map(store::key_text).collect::<Vec<_>>().join(".")
}

/// Tables are sections, and their keys have values.
fn flatten(key: &str, value: ConfigValue, leaves: &mut Vec<(String, ConfigValue)>) {
    match value {
        ConfigValue::Table(entries) => {
            for (name, value) in entries {
                flatten(&format!("{key}.{}", store::key_text(&name)), value, leaves);
            }
        }
        value => leaves.push((key.to_owned(), value)),
    }
}
