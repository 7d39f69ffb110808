//! The files that hold for a project: its own, and the person's below it.

use super::layer::{Layer, Origin, Reader};
use super::{ConfigValue, FlowConfig, file, read_file, read_text, refused};
use crate::ConfigError;
use crate::user_config::user_layer;
use std::path::Path;

/// The files as they were read. What the project's says of a key stands above what the person's says.
#[derive(Debug)]
pub struct Layers {
    /// The nearest first.
    layers: Vec<Layer>,
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
