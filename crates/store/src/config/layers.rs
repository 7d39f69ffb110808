//! The files that hold for a project: its own, and the person's below it.

use super::layer::{Layer, Origin, Reader};
use super::{Config, ConfigValue, FlowConfig, LangSetting, file, read, read_file, read_text, refused};
use crate::ConfigError;
use crate::user_config::user_layer;
use std::path::{Path, PathBuf};

/// The files as they were read. What the project's says of a key stands above what the person's says.
#[derive(Debug)]
pub struct Layers {
    /// The nearest first.
    layers: Vec<Layer>,
}

/// What a file says of a key.
#[derive(Debug, Clone, PartialEq)]
pub struct Said {
    /// The value.
    pub value: ConfigValue,
    /// Whose file it is.
    pub origin: Origin,
    /// The file.
    pub file: PathBuf,
    /// The line, from 1.
    pub line: Option<usize>,
}

/// The language that is configured, as far as that can be read: a mistake is told by whoever reads the rest, in some
/// language. The person's file is only asked where the project's does not say one.
pub(crate) fn lang(root: Option<&Path>, user: Option<&Path>) -> Option<LangSetting> {
    let of = |layer: &Layer| {
        let reader = Reader { layers: std::slice::from_ref(layer), passed_over: &[] };
        reader.choice("general.lang", |text| text.parse().ok())
    };
    let project = || {
        let root = root?;
        let text = read_text(read_file(root).ok()??, &file(root)).ok()?;
        of(&Layer::parse(&text, &file(root), Origin::Project).ok()?).ok()?
    };
    project().or_else(|| of(&user_layer(user?).ok()??).ok()?)
}

impl Layers {
    /// Reads the configuration of the project in `root`, and the person's in the file `user`. Either may be missing.
    pub(crate) fn read(root: &Path, user: Option<&Path>) -> Result<Self, ConfigError> {
        let path = file(root);
        let mut layers = Vec::new();
        if let Some(bytes) = read_file(root).map_err(|error| refused(error, path.clone()))? {
            layers.push(Layer::parse(&read_text(bytes, &path)?, &path, Origin::Project)?);
        }
        layers.extend(user.map(user_layer).transpose()?.flatten());
        Ok(Self { layers })
    }

    /// What is said in general and of asking a person, as if the project did not say anything of the keys `passed_over`.
    ///
    /// # Errors
    ///
    /// When a key has a wrong value.
    pub fn config(&self, passed_over: &[&'static str]) -> Result<Config, ConfigError> {
        read(&Reader { layers: &self.layers, passed_over })
    }

    /// The same as the project's file alone says it.
    ///
    /// # Errors
    ///
    /// When a key has a wrong value.
    pub fn project_config(&self) -> Result<Config, ConfigError> {
        read(&Reader { layers: self.project().map_or(&[], std::slice::from_ref), passed_over: &[] })
    }

    /// What the file of `origin` says of a key, which may be a section and anybody's.
    pub fn said(&self, origin: Origin, names: &[&str]) -> Option<Said> {
        let layer = self.layers.iter().find(|layer| layer.origin == origin)?;
        let mut item = layer.as_item();
        for name in names {
            item = item.as_table_like()?.get(name)?;
        }
        let (value, line) = (ConfigValue::of(item)?, layer.line(item));
        Some(Said { value, origin, file: layer.file.clone(), line })
    }

    /// What is said of tasks and their phases, as if the project did not say anything of the keys `passed_over`.
    ///
    /// # Errors
    ///
    /// When a key has a wrong value.
    pub fn flow(&self, passed_over: &[&'static str]) -> Result<FlowConfig, ConfigError> {
        FlowConfig::read(&Reader { layers: &self.layers, passed_over })
    }

    /// The keys by which the project would have `flow` start programs: a stranger could have written them.
    ///
    /// # Errors
    ///
    /// When a key has a wrong value.
    pub fn risky_for_flow(&self, flow: &FlowConfig) -> Result<Vec<&'static str>, ConfigError> {
        let reader = Reader { layers: &self.layers, passed_over: &[] };
        let mut risky = Vec::new();
        for key in flow.risky() {
            if reader.find(key)?.is_some_and(|found| found.layer.origin == Origin::Project) {
                risky.push(key);
            }
        }
        Ok(risky)
    }

    /// What the project's file says of a key, which may be a section.
    ///
    /// # Errors
    ///
    /// When something else stands where a section should.
    pub fn project_value(&self, key: &'static str) -> Result<Option<ConfigValue>, ConfigError> {
        let found = self.project().map(|layer| layer.find(key)).transpose()?.flatten();
        Ok(found.and_then(|found| ConfigValue::of(found.item)))
    }

    /// The very text of the project's file, for whoever asks whether it is trusted; empty without one.
    pub fn project_text(&self) -> &str {
        self.project().map_or("", Layer::text)
    }

    fn project(&self) -> Option<&Layer> {
        self.layers.iter().find(|layer| layer.origin == Origin::Project)
    }
}
