//! Every key that this program reads: the one table of them.

use super::value::ConfigValue;
use super::{Config, FlowConfig, LangSetting};

/// Ten years, in seconds: longer than any wait, short of any overflow.
const MAX_TIMEOUT: i64 = 315_360_000;

/// A key of the configuration.
#[derive(Debug)]
pub struct Key {
    /// With its sections, such as `decide.port`.
    pub name: &'static str,
    /// What its value must be.
    pub kind: Kind,
    /// Only the person's own file may have it: it says what to start, wherever they are.
    pub user_only: bool,
    /// What a project says here may need `aide trust`.
    pub needs_trust: bool,
    /// The variable of the environment that stands above every file.
    pub variable: Option<&'static str>,
    default: fn() -> ConfigValue,
}

impl Key {
    /// Its value where no file says one.
    pub fn default(&self) -> ConfigValue {
        (self.default)()
    }
}

/// What a value must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `true` or `false`.
    Boolean,
    /// A whole number.
    Integer {
        /// The smallest allowed.
        min: i64,
        /// The largest allowed.
        max: i64,
    },
    /// Any text.
    Text,
    /// One of these texts.
    OneOf(&'static [&'static str]),
    /// `localhost` or an IP address.
    Address,
    /// Empty, or a link to a web page.
    Link,
    /// A list of texts.
    Texts,
    /// The phases of a task: a list of different names, at least one.
    Phases,
    /// An array of tables.
    Tables,
}

/// The key `name`, if it is one of ours.
pub fn known(name: &str) -> Option<&'static Key> {
    KEYS.iter().find(|key| key.name == name)
}

/// The limits of a number.
pub(crate) fn limits(name: &str) -> (i64, i64) {
    match known(name).map(|key| key.kind) {
        Some(Kind::Integer { min, max }) => (min, max),
        _ => (i64::MIN, i64::MAX),
    }
}

const fn key(name: &'static str, kind: Kind, default: fn() -> ConfigValue) -> Key {
    Key { name, kind, user_only: false, needs_trust: false, variable: None, default }
}

const fn variable(variable: &'static str, key: Key) -> Key {
    Key { variable: Some(variable), ..key }
}

const fn needs_trust(key: Key) -> Key {
    Key { needs_trust: true, ..key }
}

const fn user_only(key: Key) -> Key {
    Key { user_only: true, ..key }
}

fn text(text: impl AsRef<str>) -> ConfigValue {
    ConfigValue::Text(text.as_ref().to_owned())
}

fn flow<T>(value: impl FnOnce(FlowConfig) -> T) -> T {
    value(FlowConfig::default())
}

fn config<T>(value: impl FnOnce(Config) -> T) -> T {
    value(Config::default())
}

/// In the order of the file that `aide init` writes.
pub static KEYS: [Key; 27] = [
    key("general.gitignore_aide", Kind::Boolean, || ConfigValue::Boolean(config(|c| c.gitignore_aide))),
    variable(
        "AIDE_LANG",
        key("general.lang", Kind::OneOf(LangSetting::NAMES), || text(config(|c| c.lang.name()))),
    ),
    variable(
        "AIDE_DECIDE_PORT",
        key("decide.port", Kind::Integer { min: 0, max: u16::MAX as i64 }, || {
            ConfigValue::Integer(config(|c| c.decide.port).into())
        }),
    ),
    needs_trust(variable(
        "AIDE_DECIDE_BIND",
        key("decide.bind", Kind::Address, || text(config(|c| c.decide.bind.text))),
    )),
    needs_trust(variable(
        "AIDE_DECIDE_URL",
        key("decide.url", Kind::Link, || text(config(|c| c.decide.url.text))),
    )),
    needs_trust(variable(
        "AIDE_DECIDE_AUTH",
        key("decide.auth", Kind::OneOf(&["auto", "always", "never"]), || {
            text(config(|c| c.decide.auth.text))
        }),
    )),
    variable(
        "AIDE_DECIDE_TIMEOUT",
        key("decide.timeout", Kind::Integer { min: 0, max: MAX_TIMEOUT }, || {
            ConfigValue::Integer(config(|c| c.decide.timeout).try_into().unwrap_or_default())
        }),
    ),
    key("flow.phases", Kind::Phases, || ConfigValue::texts(flow(|f| f.phases))),
    key("flow.back_confirm", Kind::Boolean, || ConfigValue::Boolean(flow(|f| f.back_confirm))),
    key("flow.git.enabled", Kind::Boolean, || ConfigValue::Boolean(flow(|f| f.git.enabled))),
    key("flow.git.required", Kind::Boolean, || ConfigValue::Boolean(flow(|f| f.git.required))),
    key("flow.git.allow_empty_commit", Kind::Boolean, || {
        ConfigValue::Boolean(flow(|f| f.git.allow_empty_commit))
    }),
    key("flow.git.allow_detached", Kind::Boolean, || ConfigValue::Boolean(flow(|f| f.git.allow_detached))),
    key("flow.git.add_strategy", Kind::OneOf(super::AddStrategy::NAMES), || {
        text(flow(|f| f.git.add_strategy.name()))
    }),
    key("flow.plantuml.enabled", Kind::Boolean, || ConfigValue::Boolean(flow(|f| f.plantuml.enabled))),
    key("flow.plantuml.glob", Kind::Texts, || ConfigValue::texts(flow(|f| f.plantuml.glob))),
    key("flow.plantuml.on_missing_tool", Kind::OneOf(super::OnMissing::NAMES), || {
        text(flow(|f| f.plantuml.on_missing_tool.name()))
    }),
    key("flow.plantuml.generate_png", Kind::Boolean, || {
        ConfigValue::Boolean(flow(|f| f.plantuml.generate_png))
    }),
    key("flow.changelog.enabled", Kind::Boolean, || ConfigValue::Boolean(flow(|f| f.changelog.enabled))),
    key("flow.changelog.path", Kind::Text, || text(flow(|f| f.changelog.path))),
    key("flow.changelog.required", Kind::Boolean, || ConfigValue::Boolean(flow(|f| f.changelog.required))),
    needs_trust(key("flow.hooks", Kind::Tables, || ConfigValue::List(Vec::new()))),
    key("flow.require", Kind::Tables, || ConfigValue::List(Vec::new())),
    needs_trust(key("plantuml.jar_path", Kind::Text, || text(flow(|f| f.plantuml.jar_path)))),
    needs_trust(key("plantuml.java_path", Kind::Text, || text(flow(|f| f.plantuml.java_path)))),
    user_only(variable(
        "AIDE_NOTIFY",
        key("notify.when", Kind::OneOf(&["none", "bell", "desktop", "command"]), || text("none")),
    )),
    user_only(key("notify.command", Kind::Texts, || ConfigValue::List(Vec::new()))),
];

#[cfg(test)]
mod tests {
    use super::{KEYS, Kind, known};
    use crate::config::value::ConfigValue;
    use std::collections::HashSet;

    #[test]
    fn every_key_is_there_once_with_a_default_of_its_kind() {
        let names: HashSet<_> = KEYS.iter().map(|key| key.name).collect();
        assert_eq!(names.len(), KEYS.len());
        for key in &KEYS {
            assert!(key.name.contains('.') && known(key.name).is_some_and(|found| found.name == key.name));
            let default = key.default();
            let fits = match (key.kind, &default) {
                (Kind::Boolean, ConfigValue::Boolean(_))
                | (Kind::Text | Kind::Address | Kind::Link, ConfigValue::Text(_))
                | (Kind::Texts | Kind::Phases | Kind::Tables, ConfigValue::List(_)) => true,
                (Kind::Integer { min, max }, ConfigValue::Integer(number)) => (min..=max).contains(number),
                (Kind::OneOf(allowed), ConfigValue::Text(text)) => allowed.contains(&text.as_str()),
                _ => false,
            };
            assert!(fits, "{}: {default}", key.name);
        }
        assert!(known("decide").is_none() && known("").is_none() && known("decide.Port").is_none());
    }
}
