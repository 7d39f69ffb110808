//! Files of configuration, one above the other, and what stands in them.

use crate::error::{quoted_line, shorten};
use crate::{ConfigError, ConfigErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use toml_edit::{Document, Item, Table, TableLike};

/// Above all sections: the version of the format, 1 where it is not there.
pub(crate) const VERSION: &str = "version";
/// The latest version that this program reads.
const KNOWN_VERSION: i64 = 1;

/// Whose file it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The project's, which may have come from a stranger.
    Project,
    /// The person's own.
    User,
}

/// One file.
#[derive(Debug)]
pub(crate) struct Layer {
    pub(crate) origin: Origin,
    pub(crate) file: PathBuf,
    document: Document<Arc<str>>,
}

impl Layer {
    /// Reads the text of a file; `file` only names it in errors.
    pub(crate) fn parse(text: &str, file: &Path, origin: Origin) -> Result<Self, ConfigError> {
        let file = file.to_owned();
        match Document::parse(Arc::from(text)) {
            Ok(document) => {
                let layer = Self { origin, file, document };
                layer.check_version()?;
                Ok(layer)
            }
            Err(_) if files::json::is_conflict(text.as_bytes()) => {
                Err(ConfigError { file, line: None, key: None, kind: ConfigErrorKind::Conflict })
            }
            Err(error) => {
                let message = error.message().to_owned();
                let at = error.span().map_or(text.len(), |span| span.start);
                let line = text.get(..at).map(|before| line_after(before.as_bytes()));
                let (column, text) = quoted_line(text, at);
                Err(ConfigError {
                    file,
                    line,
                    key: None,
                    kind: ConfigErrorKind::Syntax { message, column, text },
                })
            }
        }
    }

    /// That the file is not for a later program, of whose keys this one would know half.
    fn check_version(&self) -> Result<(), ConfigError> {
        let Some(found) = self.find(VERSION)? else { return Ok(()) };
        match found.integer((1, i64::MAX))? {
            version if version > KNOWN_VERSION => {
                Err(found.error(ConfigErrorKind::Newer { found: version, known: KNOWN_VERSION }))
            }
            _ => Ok(()),
        }
    }

    pub(crate) fn text(&self) -> &str {
        self.document.raw()
    }

    pub(crate) fn as_item(&self) -> &Item {
        self.document.as_item()
    }

    pub(crate) fn root(&self) -> &Table {
        self.document.as_table()
    }

    /// What stands under a key, which may be a section.
    pub(crate) fn find(&self, key: &'static str) -> Result<Option<LocatedItem<'_>>, ConfigError> {
        let mut found = LocatedItem { layer: self, key: "", item: self.document.as_item() };
        let mut end = 0;
        for name in key.split('.') {
            let Some(item) = found.table()?.get(name) else { return Ok(None) };
            end += name.len() + usize::from(end > 0);
            found = LocatedItem { layer: self, key: key.get(..end).unwrap_or(key), item };
        }
        Ok(Some(found))
    }

    /// The line that something of this file begins on.
    pub(crate) fn line(&self, item: &Item) -> Option<usize> {
        let before = self.text().get(..item.span()?.start)?;
        Some(line_after(before.as_bytes()))
    }
}

/// The number of the line that comes after `before`, from 1.
pub(crate) fn line_after(before: &[u8]) -> usize {
    before.iter().filter(|byte| **byte == b'\n').count() + 1
}

/// What stands under a key.
#[derive(Clone, Copy)]
pub(crate) struct LocatedItem<'t> {
    pub(crate) layer: &'t Layer,
    /// The key or section.
    pub(crate) key: &'static str,
    pub(crate) item: &'t Item,
}

impl<'t> LocatedItem<'t> {
    pub(crate) fn boolean(self) -> Result<bool, ConfigError> {
        self.item.as_bool().ok_or_else(|| self.wrong_type("boolean"))
    }

    pub(crate) fn integer<N: TryFrom<i64>>(self, (min, max): (i64, i64)) -> Result<N, ConfigError> {
        let found = self.item.as_integer().ok_or_else(|| self.wrong_type("integer"))?;
        let number = if (min..=max).contains(&found) { N::try_from(found).ok() } else { None };
        number.ok_or_else(|| self.error(ConfigErrorKind::OutOfRange { min, max, found }))
    }

    pub(crate) fn text(self) -> Result<&'t str, ConfigError> {
        self.item.as_str().ok_or_else(|| self.wrong_type("string"))
    }

    pub(crate) fn choice<T>(
        self,
        allowed: &'static [&'static str],
        read: impl FnOnce(&str) -> Option<T>,
    ) -> Result<T, ConfigError> {
        let text = self.text()?;
        read(text).ok_or_else(|| self.error(ConfigErrorKind::NotOneOf { allowed, found: shorten(text) }))
    }

    pub(crate) fn texts(self) -> Result<Vec<String>, ConfigError> {
        let texts = self.item.as_array().and_then(|array| {
            array.iter().map(|value| value.as_str().map(str::to_owned)).collect::<Option<Vec<_>>>()
        });
        texts.ok_or_else(|| self.wrong_type("array of strings"))
    }

    pub(crate) fn table(self) -> Result<&'t dyn TableLike, ConfigError> {
        self.item.as_table_like().ok_or_else(|| self.wrong_type("table"))
    }

    /// The tables of an array of them, however it is written.
    pub(crate) fn tables(self) -> Result<Vec<Entry<'t>>, ConfigError> {
        let entry = |table| Entry { array: self, table };
        let tables = match self.item {
            Item::ArrayOfTables(tables) => {
                Some(tables.iter().map(|table| entry(table as &dyn TableLike)).collect())
            }
            item => item.as_array().and_then(|array| {
                array.iter().map(|value| Some(entry(value.as_inline_table()? as &dyn TableLike))).collect()
            }),
        };
        tables.ok_or_else(|| self.wrong_type("array of tables"))
    }

    /// The texts of a table, each under its name, in the order of the file.
    pub(crate) fn map(self) -> Result<Vec<(String, String)>, ConfigError> {
        let entries = self.item.as_table_like().and_then(|table| {
            table.iter().map(|(name, item)| Some((name.to_owned(), item.as_str()?.to_owned()))).collect()
        });
        entries.ok_or_else(|| self.wrong_type("table of strings"))
    }

    pub(crate) fn line(self) -> Option<usize> {
        self.layer.line(self.item)
    }

    pub(crate) fn wrong_type(self, expected: &'static str) -> ConfigError {
        let found = self.item.span().and_then(|span| self.layer.text().get(span));
        let found = shorten(found.unwrap_or(self.item.type_name()));
        self.error(ConfigErrorKind::WrongType { expected, found })
    }

    pub(crate) fn error(self, kind: ConfigErrorKind) -> ConfigError {
        ConfigError { file: self.layer.file.clone(), line: self.line(), key: Some(self.key), kind }
    }
}

/// One table of an array of them.
#[derive(Clone, Copy)]
pub(crate) struct Entry<'t> {
    array: LocatedItem<'t>,
    table: &'t dyn TableLike,
}

impl<'t> Entry<'t> {
    /// What stands under the last name of `key`, which is written with the array's name in front.
    pub(crate) fn find(self, key: &'static str) -> Option<LocatedItem<'t>> {
        let name = key.rsplit('.').next().unwrap_or(key);
        Some(LocatedItem { layer: self.array.layer, key, item: self.table.get(name)? })
    }

    /// The same, when it must be there.
    pub(crate) fn need(self, key: &'static str) -> Result<LocatedItem<'t>, ConfigError> {
        self.find(key).ok_or_else(|| ConfigError {
            key: Some(key),
            line: self.line(),
            ..self.array.error(ConfigErrorKind::Missing)
        })
    }

    fn line(self) -> Option<usize> {
        let any = self.table.iter().find_map(|(_, item)| item.span()).map(|span| span.start);
        let layer = self.array.layer;
        let before = any.and_then(|start| layer.text().get(..start));
        before.map(|before| line_after(before.as_bytes())).or_else(|| self.array.line())
    }
}
