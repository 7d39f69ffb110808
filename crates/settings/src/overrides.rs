//! Values that are given above the files, by flags and variables, each checked.

use crate::{ConfigError, ConfigValue, Key, Source, UncheckedValue};
use std::ffi::OsString;
use std::str::FromStr;

/// Why there are no settings.
#[derive(Debug, thiserror::Error)]
pub enum SettingError {
    /// A file is wrong.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A single value is wrong.
    #[error(transparent)]
    Bad(#[from] BadSetting),
}

/// A value that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: {value:?}", key.name)]
pub struct BadSetting {
    /// The key.
    pub key: &'static Key,
    /// Where it was said.
    pub at: Source,
    /// What was said.
    pub value: String,
    /// The value is good, but not together with an address that other machines can reach.
    pub lets_anybody_in: bool,
}

impl UncheckedValue {
    /// The value of `key`, checked.
    ///
    /// # Errors
    ///
    /// When it is none.
    pub fn value(&self, key: &'static Key) -> Result<ConfigValue, BadSetting> {
        key.read(&self.text).map_err(|_| self.bad(key, false))
    }

    /// The value of `key` as a type of its own.
    ///
    /// # Errors
    ///
    /// When it is none.
    pub fn parse<T: FromStr>(&self, key: &'static Key) -> Result<T, BadSetting> {
        self.as_a(key, |text| text.parse().ok())
    }

    /// The text as `read` understands it.
    pub(crate) fn as_a<T>(
        &self,
        key: &'static Key,
        read: impl FnOnce(&str) -> Option<T>,
    ) -> Result<T, BadSetting> {
        self.text.to_str().and_then(read).ok_or_else(|| self.bad(key, false))
    }

    pub(crate) fn bad(&self, key: &'static Key, lets_anybody_in: bool) -> BadSetting {
        let value = self.text.to_string_lossy().into_owned();
        BadSetting { key, at: self.source.clone(), value, lets_anybody_in }
    }
}

/// What is said above the files: by the flags of a command, and by variables of the environment.
pub(crate) struct Overrides<'a> {
    pub(crate) flag: &'a dyn Fn(&Key) -> Option<OsString>,
    pub(crate) variable: &'a dyn Fn(&str) -> Option<OsString>,
}

impl Overrides<'_> {
    pub(crate) fn given(&self, key: &Key) -> Option<UncheckedValue> {
        key.given((self.flag)(key).as_deref(), self.variable)
    }

    /// What is said of a whole number; `in_file` where nothing is.
    pub(crate) fn number<N: TryFrom<i64>>(&self, key: &'static Key, in_file: N) -> Result<N, BadSetting> {
        let Some(given) = self.given(key) else { return Ok(in_file) };
        let number = key.read(&given.text).ok().and_then(|value| N::try_from(value.as_integer()?).ok());
        number.ok_or_else(|| given.bad(key, false))
    }
}
