//! What the files say, the nearest first: the project's, then the person's own.

use crate::layer::{Layer, LocatedItem, Origin};
use crate::{ConfigError, ConfigValue, KEYS, Key, Kind, Source, Spanned};
use std::path::PathBuf;

/// The files as they were read. What the project's says of a key stands above what the person's says.
///
/// Typed views of it are `config`, `notify` and `flow`.
#[derive(Debug, Clone, Copy)]
pub struct Layers<'f> {
    pub(crate) project: Option<&'f Layer>,
    user: Option<&'f Layer>,
    /// Keys of the project's file that are as good as missing.
    ignored: &'f [&'static Key],
}

/// What a file says of a key.
#[derive(Debug, Clone, PartialEq)]
pub struct ConfigEntry {
    /// The value.
    pub value: ConfigValue,
    /// Whose file it is.
    pub origin: Origin,
    /// The file.
    pub file: PathBuf,
    /// The line, from 1.
    pub line: Option<usize>,
}

/// What may be followed of the files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EffectiveValue<T> {
    /// What they say without the keys that are not followed.
    pub value: T,
    /// The keys of the project's file that are not followed, because the person has not trusted it.
    pub ignored: Vec<&'static Key>,
}

impl<'f> Layers<'f> {
    pub(crate) fn new(project: Option<&'f Layer>, user: Option<&'f Layer>) -> Self {
        Self { project, user, ignored: &[] }
    }

    /// The same as the project's file alone says it.
    #[must_use]
    pub fn project_alone(self) -> Self {
        Self { user: None, ..self }
    }

    /// The same as if the project did not say anything of the keys `ignored`.
    #[must_use]
    pub fn ignoring(self, ignored: &'f [&'static Key]) -> Self {
        Self { ignored, ..self }
    }

    /// The keys whose values in the project's file have no effect before the person has trusted it, in the order of the
    /// table.
    pub fn needing_trust(&self) -> Vec<&'static Key> {
        let needs_trust = |key: &&Key| self.project_value(key).is_some_and(|value| key.needs_trust(&value));
        KEYS.into_iter().filter(needs_trust).collect()
    }

    /// What the file of `origin` says of a key, which may be a section, and need not be one of ours.
    pub fn entry(&self, origin: Origin, names: &[&str]) -> Option<ConfigEntry> {
        let layer = match origin {
            Origin::Project => self.project,
            Origin::User => self.user,
        }?;
        let mut item = layer.as_item();
        for name in names {
            item = item.as_table_like()?.get(name)?;
        }
        let (value, line) = (ConfigValue::from_item(item)?, layer.line(item));
        Some(ConfigEntry { value, origin, file: layer.file.clone(), line })
    }

    /// Whether the file of `origin` is missing or sets nothing.
    pub fn is_silent(&self, origin: Origin) -> bool {
        let layer = match origin {
            Origin::Project => self.project,
            Origin::User => self.user,
        };
        layer.is_none_or(|layer| layer.root().is_empty())
    }

    /// What the project's file says of a key.
    pub fn project_value(&self, key: &Key) -> Option<ConfigValue> {
        let names: Vec<&str> = key.name.split('.').collect();
        self.entry(Origin::Project, &names).map(|entry| entry.value)
    }

    /// The exact text of the project's file, for the check whether it is trusted; empty without one.
    pub fn project_text(&self) -> &'f str {
        self.project.map_or("", Layer::text)
    }

    /// The files, the nearest first, with all that they say.
    pub(crate) fn all(&self) -> impl Iterator<Item = &'f Layer> {
        [self.project, self.user].into_iter().flatten()
    }

    /// What the nearest file that has a key says of it.
    pub(crate) fn find(&self, key: &'static Key) -> Result<Option<LocatedItem<'f>>, ConfigError> {
        let project = self.project.filter(|_| !self.ignored.contains(&key));
        for layer in [project, self.user].into_iter().flatten() {
            if let Some(found) = layer.find(key.name)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    pub(crate) fn boolean(&self, key: &'static Key) -> Result<Option<bool>, ConfigError> {
        self.find(key)?.map(LocatedItem::boolean).transpose()
    }

    /// Within the limits of the table.
    pub(crate) fn integer<N: TryFrom<i64>>(&self, key: &'static Key) -> Result<Option<N>, ConfigError> {
        let limits = match key.kind {
            Kind::Integer { min, max } => (min, max),
            _ => (i64::MIN, i64::MAX),
        };
        self.find(key)?.map(|found| found.integer(limits)).transpose()
    }

    pub(crate) fn text(&self, key: &'static Key) -> Result<Option<String>, ConfigError> {
        self.find(key)?.map(|found| found.text().map(str::to_owned)).transpose()
    }

    pub(crate) fn spanned(&self, key: &'static Key) -> Result<Option<Spanned>, ConfigError> {
        let Some(found) = self.find(key)? else { return Ok(None) };
        let source =
            Source::File { origin: found.layer.origin, file: found.layer.file.clone(), line: found.line() };
        Ok(Some(Spanned { text: found.text()?.to_owned(), source }))
    }

    /// One of the texts of the table, as `read` understands it.
    pub(crate) fn choice<T>(
        &self,
        key: &'static Key,
        read: impl FnOnce(&str) -> Option<T>,
    ) -> Result<Option<T>, ConfigError> {
        let allowed = match key.kind {
            Kind::OneOf(allowed) => allowed,
            _ => &[],
        };
        self.find(key)?.map(|found| found.choice(allowed, read)).transpose()
    }

    /// A list of texts, none of them missing.
    pub(crate) fn texts(&self, key: &'static Key) -> Result<Option<Vec<String>>, ConfigError> {
        self.find(key)?.map(LocatedItem::texts).transpose()
    }

    /// A table of texts, each under its name, in the order of the file.
    ///
    /// # Errors
    ///
    /// When something else stands there.
    pub fn map(&self, key: &'static Key) -> Result<Option<Vec<(String, String)>>, ConfigError> {
        self.find(key)?.map(LocatedItem::map).transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::Layers;
    use crate::keys::{Key, Kind, key};
    use crate::layer::{Layer, Origin};
    use crate::{ConfigErrorKind, ConfigValue};
    use std::path::Path;

    static ENVIRONMENT: Key = key("agent.environment", Kind::Map, || ConfigValue::Table(Vec::new()));

    #[test]
    fn a_map_is_read_however_it_is_written_and_the_nearest_file_says_all_of_it() {
        let layer =
            |text, origin| Layer::parse(text, Path::new("c.toml"), origin).unwrap_or_else(|e| panic!("{e}"));
        let user = layer("agent.environment.C = \"3\"", Origin::User);
        for text in [
            "[agent.environment]\nB = \"1\"\n\"a b\" = ''",
            "agent = { environment = { B = \"1\", \"a b\" = '' } }",
            "agent.environment.B = '1'\nagent.environment.\"a b\" = \"\"",
        ] {
            let project = layer(text, Origin::Project);
            let found = Layers::new(Some(&project), Some(&user)).map(&ENVIRONMENT);
            let expected = [("B", "1"), ("a b", "")].map(|(name, text)| (name.to_owned(), text.to_owned()));
            assert_eq!(found.ok().flatten().as_deref(), Some(&expected[..]), "{text}");
        }
        assert!(Layers::new(None, None).map(&ENVIRONMENT).is_ok_and(|found| found.is_none()));
        for (text, expected_line) in [("\n[agent.environment]\nB = 1", 2), ("agent.environment = []", 1)] {
            let project = layer(text, Origin::Project);
            let error = Layers::new(Some(&project), None).map(&ENVIRONMENT).expect_err(text);
            assert_eq!((error.line, error.key), (Some(expected_line), Some("agent.environment")), "{text}");
            assert!(
                matches!(error.kind, ConfigErrorKind::WrongType { expected: "table of strings", .. }),
                "{error:?}"
            );
        }
    }
}
