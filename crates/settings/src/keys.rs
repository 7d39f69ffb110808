//! Every key that this program reads: the one table of them.

use crate::forms::{self, Auth};
use crate::{
    AddStrategy, AgentConfig, CommitChoice, Config, ConfigValue, CrewLimits, DaemonSettings, FlowConfig,
    LangSetting, LogLevel, OnMissing, ShowQuestions, Source, UncheckedValue, WhenToNotify,
};
use protocol::workflow::{ToolName, ToolPolicy};
use std::ffi::{OsStr, OsString};

/// Ten years, in seconds: longer than any wait, short of any overflow.
const MAX_TIMEOUT: i64 = 315_360_000;
/// A minute: the command that asked waits for as long.
const MAX_UNDO: i64 = 60;
/// As many as a file of some hundred gigabytes holds.
const MAX_EVENTS: i64 = 1_000_000_000;
/// A week, in seconds.
const MAX_TASK_TIMEOUT: i64 = 604_800;
/// How long what arrives may have to be still, in seconds.
const MAX_SETTLE_TIME: i64 = 3600;
/// As many agents as a machine has threads for.
const MAX_AT_A_TIME: i64 = 1000;
const PORT: Kind = Kind::Integer { min: 0, max: u16::MAX as i64 };

/// A key of the configuration.
#[derive(Debug)]
pub struct Key {
    /// With its sections, such as `decide.port`.
    pub name: &'static str,
    /// What its value must be.
    pub kind: Kind,
    /// What a project's file may say here.
    pub project: ProjectPolicy,
    /// The variables of the environment that stand above every file; the first that is set holds.
    pub variables: &'static [&'static str],
    /// The flag that stands above the variables, for the commands that have it.
    pub flag: Option<&'static str>,
    default: fn() -> ConfigValue,
}

/// What a project's file may say of a key. It comes with a repository, which may be a stranger's: this is the one rule
/// of what is followed there.
#[derive(Debug, Clone, Copy)]
pub enum ProjectPolicy {
    /// Anything: no value does harm.
    SayAnything,
    /// Anything once the person has trusted the file (`aide trust`); before that, no value for which this is true.
    NeedTrust(fn(&ConfigValue) -> bool),
    /// Nothing: only the person's own file is asked.
    SayNothing,
}

impl PartialEq for Key {
    /// Each stands in the table once.
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Key {}

impl Key {
    /// Its value where no file says one.
    pub fn default(&self) -> ConfigValue {
        (self.default)()
    }

    /// Whether `value` has no effect in a project's file before the person has trusted that.
    pub fn needs_trust(&self, value: &ConfigValue) -> bool {
        match self.project {
            ProjectPolicy::NeedTrust(does_harm) => does_harm(value),
            ProjectPolicy::SayAnything | ProjectPolicy::SayNothing => false,
        }
    }

    /// Whether some of its values need trust in a project's file.
    pub fn can_need_trust(&self) -> bool {
        matches!(self.project, ProjectPolicy::NeedTrust(_))
    }

    /// Whether only the person's own file may have it.
    pub fn is_user_only(&self) -> bool {
        matches!(self.project, ProjectPolicy::SayNothing)
    }
}

impl Key {
    /// What is said of this key above every file: by its flag, else by its variables, which `variable` looks up. An empty
    /// variable is one that is not set, but an empty link has a meaning.
    pub fn given(
        &self,
        flag: Option<&OsStr>,
        variable: impl Fn(&str) -> Option<OsString>,
    ) -> Option<UncheckedValue> {
        if let (Some(name), Some(text)) = (self.flag, flag) {
            return Some(UncheckedValue { source: Source::Flag(name), text: text.to_owned() });
        }
        self.variables.iter().find_map(|name| {
            let text = variable(name).filter(|text| !text.is_empty() || self.kind == Kind::Link)?;
            Some(UncheckedValue { source: Source::Variable(name), text })
        })
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
    /// A table of texts, each under a name that the user chooses.
    Map,
}

/// The key `name`, if it is one of ours.
pub fn known(name: &str) -> Option<&'static Key> {
    KEYS.into_iter().find(|key| key.name == name)
}

pub(crate) const fn key(name: &'static str, kind: Kind, default: fn() -> ConfigValue) -> Key {
    Key { name, kind, project: ProjectPolicy::SayAnything, variables: &[], flag: None, default }
}

impl Key {
    const fn variables(self, variables: &'static [&'static str]) -> Self {
        Self { variables, ..self }
    }

    const fn flag(self, flag: &'static str) -> Self {
        Self { flag: Some(flag), ..self }
    }

    /// A value needs trust in a project's file where `does_harm` says so, which it does of whatever it does not know.
    const fn needs_trust_if(self, does_harm: fn(&ConfigValue) -> bool) -> Self {
        Self { project: ProjectPolicy::NeedTrust(does_harm), ..self }
    }

    /// Whether the value is a program with its arguments.
    pub fn is_program(&self) -> bool {
        self.kind == Kind::Texts && self.name.ends_with("command")
    }

    const fn user_only(self) -> Self {
        Self { project: ProjectPolicy::SayNothing, ..self }
    }
}

/// Others could come.
fn lets_others_in(bind: &ConfigValue) -> bool {
    let host = bind.as_text().and_then(forms::address);
    !host.is_some_and(|host| forms::is_loopback(&host))
}

/// The person could be led elsewhere.
fn leads_elsewhere(url: &ConfigValue) -> bool {
    url.as_text() != Some("")
}

/// No login would be required.
fn asks_nobody(auth: &ConfigValue) -> bool {
    let mode = auth.as_text().and_then(|text| text.parse().ok());
    !matches!(mode, Some(Auth::Auto | Auth::Always))
}

fn starts_programs(tables: &ConfigValue) -> bool {
    *tables != ConfigValue::List(Vec::new())
}

fn is_another_jar(path: &ConfigValue) -> bool {
    path.as_text() != Some(&flow(|f| f.plantuml.jar_path))
}

fn is_another_java(path: &ConfigValue) -> bool {
    path.as_text() != Some(&flow(|f| f.plantuml.java_path))
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

fn daemon<T>(value: impl FnOnce(DaemonSettings) -> T) -> T {
    value(DaemonSettings::default())
}

/// `general.gitignore_aide`
pub static GENERAL_GITIGNORE_AIDE: Key =
    key("general.gitignore_aide", Kind::Boolean, || ConfigValue::Boolean(config(|c| c.gitignore_aide)));
/// `general.lang`
pub static GENERAL_LANG: Key =
    key("general.lang", Kind::OneOf(LangSetting::NAMES), || text(config(|c| c.lang.name())))
        .variables(&["AIDE_LANG"])
        .flag("--lang");
/// `decide.port`
pub static DECIDE_PORT: Key =
    key("decide.port", PORT, || ConfigValue::Integer(config(|c| c.decide.port).into()))
        .variables(&["AIDE_DECIDE_PORT"])
        .flag("--port");
/// `decide.bind`
pub static DECIDE_BIND: Key = key("decide.bind", Kind::Address, || text(config(|c| c.decide.bind.text)))
    .variables(&["AIDE_DECIDE_BIND"])
    .flag("--bind")
    .needs_trust_if(lets_others_in);
/// `decide.url`
pub static DECIDE_URL: Key = key("decide.url", Kind::Link, || text(config(|c| c.decide.url.text)))
    .variables(&["AIDE_DECIDE_URL"])
    .flag("--url")
    .needs_trust_if(leads_elsewhere);
/// `decide.auth`
pub static DECIDE_AUTH: Key =
    key("decide.auth", Kind::OneOf(Auth::NAMES), || text(config(|c| c.decide.auth.text)))
        .variables(&["AIDE_DECIDE_AUTH"])
        .flag("--auth")
        .needs_trust_if(asks_nobody);
/// `decide.timeout`
pub static DECIDE_TIMEOUT: Key = key("decide.timeout", Kind::Integer { min: 0, max: MAX_TIMEOUT }, || {
    ConfigValue::Integer(config(|c| c.decide.timeout).try_into().unwrap_or_default())
})
.variables(&["AIDE_DECIDE_TIMEOUT"])
.flag("--timeout");
/// `decide.undo`
pub static DECIDE_UNDO: Key = key("decide.undo", Kind::Integer { min: 0, max: MAX_UNDO }, || {
    ConfigValue::Integer(config(|c| c.decide.undo).into())
});
/// `flow.phases`
pub static FLOW_PHASES: Key = key("flow.phases", Kind::Phases, || ConfigValue::texts(flow(|f| f.phases)));
/// `flow.back_confirm`
pub static FLOW_BACK_CONFIRM: Key =
    key("flow.back_confirm", Kind::Boolean, || ConfigValue::Boolean(flow(|f| f.back_confirm)));
/// `flow.commit`
pub static FLOW_COMMIT: Key =
    key("flow.commit", Kind::OneOf(CommitChoice::NAMES), || text(flow(|f| f.commit.name())));
/// `flow.git.enabled`
pub static FLOW_GIT_ENABLED: Key =
    key("flow.git.enabled", Kind::Boolean, || ConfigValue::Boolean(flow(|f| f.git.enabled)));
/// `flow.git.required`
pub static FLOW_GIT_REQUIRED: Key =
    key("flow.git.required", Kind::Boolean, || ConfigValue::Boolean(flow(|f| f.git.required)));
/// `flow.git.allow_empty_commit`
pub static FLOW_GIT_ALLOW_EMPTY_COMMIT: Key = key("flow.git.allow_empty_commit", Kind::Boolean, || {
    ConfigValue::Boolean(flow(|f| f.git.allow_empty_commit))
});
/// `flow.git.allow_detached`
pub static FLOW_GIT_ALLOW_DETACHED: Key =
    key("flow.git.allow_detached", Kind::Boolean, || ConfigValue::Boolean(flow(|f| f.git.allow_detached)));
/// `flow.git.add_strategy`
pub static FLOW_GIT_ADD_STRATEGY: Key = key("flow.git.add_strategy", Kind::OneOf(AddStrategy::NAMES), || {
    text(flow(|f| f.git.add_strategy.name()))
});
/// `flow.plantuml.enabled`
pub static FLOW_PLANTUML_ENABLED: Key =
    key("flow.plantuml.enabled", Kind::Boolean, || ConfigValue::Boolean(flow(|f| f.plantuml.enabled)));
/// `flow.plantuml.glob`
pub static FLOW_PLANTUML_GLOB: Key =
    key("flow.plantuml.glob", Kind::Texts, || ConfigValue::texts(flow(|f| f.plantuml.glob)));
/// `flow.plantuml.on_missing_tool`
pub static FLOW_PLANTUML_ON_MISSING_TOOL: Key =
    key("flow.plantuml.on_missing_tool", Kind::OneOf(OnMissing::NAMES), || {
        text(flow(|f| f.plantuml.on_missing_tool.name()))
    });
/// `flow.plantuml.generate_png`
pub static FLOW_PLANTUML_GENERATE_PNG: Key = key("flow.plantuml.generate_png", Kind::Boolean, || {
    ConfigValue::Boolean(flow(|f| f.plantuml.generate_png))
});
/// `flow.changelog.enabled`
pub static FLOW_CHANGELOG_ENABLED: Key =
    key("flow.changelog.enabled", Kind::Boolean, || ConfigValue::Boolean(flow(|f| f.changelog.enabled)));
/// `flow.changelog.path`
pub static FLOW_CHANGELOG_PATH: Key =
    key("flow.changelog.path", Kind::Text, || text(flow(|f| f.changelog.path)));
/// `flow.changelog.required`
pub static FLOW_CHANGELOG_REQUIRED: Key =
    key("flow.changelog.required", Kind::Boolean, || ConfigValue::Boolean(flow(|f| f.changelog.required)));
/// `flow.hooks`
pub static FLOW_HOOKS: Key =
    key("flow.hooks", Kind::Tables, || ConfigValue::List(Vec::new())).needs_trust_if(starts_programs);
/// `flow.require`
pub static FLOW_REQUIRE: Key = key("flow.require", Kind::Tables, || ConfigValue::List(Vec::new()));
/// `plantuml.jar_path`
pub static PLANTUML_JAR_PATH: Key =
    key("plantuml.jar_path", Kind::Text, || text(flow(|f| f.plantuml.jar_path)))
        .needs_trust_if(is_another_jar);
/// `plantuml.java_path`
pub static PLANTUML_JAVA_PATH: Key =
    key("plantuml.java_path", Kind::Text, || text(flow(|f| f.plantuml.java_path)))
        .needs_trust_if(is_another_java);
/// `agent.provider`
pub static AGENT_PROVIDER: Key = key("agent.provider", Kind::Text, || text(""));
/// `agent.human_timeout`
pub static AGENT_HUMAN_TIMEOUT: Key =
    key("agent.human_timeout", Kind::Integer { min: 0, max: MAX_TIMEOUT }, || {
        ConfigValue::Integer(AgentConfig::default().human_timeout.try_into().unwrap_or_default())
    });
/// `agent.settle_time`
pub static AGENT_SETTLE_TIME: Key =
    key("agent.settle_time", Kind::Integer { min: 0, max: MAX_SETTLE_TIME }, || {
        ConfigValue::Integer(AgentConfig::default().settle_time.try_into().unwrap_or_default())
    });
/// `agent.providers`
pub static AGENT_PROVIDERS: Key =
    key("agent.providers", Kind::Tables, || ConfigValue::List(Vec::new())).needs_trust_if(starts_programs);
/// `notify.when`
pub static NOTIFY_WHEN: Key =
    key("notify.when", Kind::OneOf(WhenToNotify::NAMES), || text(WhenToNotify::default().name()))
        .variables(&["AIDE_NOTIFY"])
        .flag("--notify")
        .user_only();
/// `notify.command`
pub static NOTIFY_COMMAND: Key =
    key("notify.command", Kind::Texts, || ConfigValue::List(Vec::new())).user_only();
/// `notify.steps`
pub static NOTIFY_STEPS: Key =
    key("notify.steps", Kind::Tables, || ConfigValue::List(Vec::new())).user_only();
/// `notify.details`
pub static NOTIFY_DETAILS: Key =
    key("notify.details", Kind::Boolean, || ConfigValue::Boolean(false)).user_only();

/// `daemon.http_port`
pub static DAEMON_HTTP_PORT: Key =
    key("daemon.http_port", PORT, || ConfigValue::Integer(daemon(|d| d.http_port).into()))
        .variables(&["FINGER_HTTP_PORT", "PORT"])
        .flag("--http-port")
        .user_only();
/// `daemon.ws_port`
pub static DAEMON_WS_PORT: Key =
    key("daemon.ws_port", PORT, || ConfigValue::Integer(daemon(|d| d.ws_port).into()))
        .variables(&["FINGER_WS_PORT", "WS_PORT"])
        .flag("--ws-port")
        .user_only();
/// `daemon.bind`
pub static DAEMON_BIND: Key =
    key("daemon.bind", Kind::Address, || text(daemon(|d| d.host))).flag("--bind").user_only();
/// `daemon.url`
pub static DAEMON_URL: Key =
    key("daemon.url", Kind::Link, || text(daemon(|d| d.url))).flag("--url").user_only();
/// `daemon.log_level`
pub static DAEMON_LOG_LEVEL: Key =
    key("daemon.log_level", Kind::OneOf(LogLevel::NAMES), || text(daemon(|d| d.log_level.name())))
        .variables(&["FINGER_LOG_LEVEL"])
        .user_only();
/// `daemon.keep_events`
pub static DAEMON_KEEP_EVENTS: Key =
    key("daemon.keep_events", Kind::Integer { min: 0, max: MAX_EVENTS }, || {
        ConfigValue::Integer(daemon(|d| d.keep_events).try_into().unwrap_or_default())
    })
    .user_only();

/// `daemon.stall_limit`
pub static DAEMON_STALL_LIMIT: Key = key("daemon.stall_limit", Kind::Integer { min: 2, max: 86_400 }, || {
    ConfigValue::Integer(daemon(|d| d.stall_limit).into())
})
.user_only();

/// `daemon.decide`
pub static DAEMON_DECIDE: Key =
    key("daemon.decide", Kind::OneOf(ShowQuestions::NAMES), || text(daemon(|d| d.decide.name()))).user_only();

/// `daemon.metrics`
pub static DAEMON_METRICS: Key =
    key("daemon.metrics", Kind::Boolean, || ConfigValue::Boolean(daemon(|d| d.metrics))).user_only();

/// `daemon.provider`
pub static DAEMON_PROVIDER: Key = key("daemon.provider", Kind::Text, || text("")).user_only();
/// `daemon.agents`
pub static DAEMON_AGENTS: Key =
    key("daemon.agents", Kind::Tables, || ConfigValue::List(Vec::new())).user_only();
/// `daemon.task_timeout`
pub static DAEMON_TASK_TIMEOUT: Key =
    key("daemon.task_timeout", Kind::Integer { min: 1, max: MAX_TASK_TIMEOUT }, || {
        ConfigValue::Integer(CrewLimits::default().task_timeout.into())
    })
    .user_only();
/// `daemon.concurrency.total`
pub static DAEMON_CONCURRENCY_TOTAL: Key =
    at_a_time("daemon.concurrency.total", || many(|limits| limits.total));
/// `daemon.concurrency.executor`
pub static DAEMON_CONCURRENCY_EXECUTOR: Key =
    at_a_time("daemon.concurrency.executor", || many(|limits| limits.executor));
/// `daemon.concurrency.orchestrator`
pub static DAEMON_CONCURRENCY_ORCHESTRATOR: Key =
    at_a_time("daemon.concurrency.orchestrator", || many(|limits| limits.orchestrator));
/// `daemon.concurrency.reviewer`
pub static DAEMON_CONCURRENCY_REVIEWER: Key =
    at_a_time("daemon.concurrency.reviewer", || many(|limits| limits.reviewer));
/// `daemon.concurrency.tool`
pub static DAEMON_CONCURRENCY_TOOL: Key = at_a_time("daemon.concurrency.tool", || many(|limits| limits.tool));
/// `daemon.concurrency.api`
pub static DAEMON_CONCURRENCY_API: Key = at_a_time("daemon.concurrency.api", || many(|limits| limits.api));
/// `daemon.concurrency.database`
pub static DAEMON_CONCURRENCY_DATABASE: Key =
    at_a_time("daemon.concurrency.database", || many(|limits| limits.database));
/// `daemon.tools.web_search`
pub static DAEMON_TOOLS_WEB_SEARCH: Key =
    policy("daemon.tools.web_search", || usual_policy(ToolName::WebSearch));
/// `daemon.tools.fetch_url`
pub static DAEMON_TOOLS_FETCH_URL: Key =
    policy("daemon.tools.fetch_url", || usual_policy(ToolName::FetchUrl));
/// `daemon.tools.read_file`
pub static DAEMON_TOOLS_READ_FILE: Key =
    policy("daemon.tools.read_file", || usual_policy(ToolName::ReadFile));
/// `daemon.tools.write_file`
pub static DAEMON_TOOLS_WRITE_FILE: Key =
    policy("daemon.tools.write_file", || usual_policy(ToolName::WriteFile));
/// `daemon.tools.shell_exec`
pub static DAEMON_TOOLS_SHELL_EXEC: Key =
    policy("daemon.tools.shell_exec", || usual_policy(ToolName::ShellExec));
/// `daemon.tools.search_command`
pub static DAEMON_TOOLS_SEARCH_COMMAND: Key =
    key("daemon.tools.search_command", Kind::Texts, || ConfigValue::List(Vec::new())).user_only();
/// `daemon.tools.search_url`
pub static DAEMON_TOOLS_SEARCH_URL: Key = key("daemon.tools.search_url", Kind::Link, || text("")).user_only();

/// How many agents work at a time.
const fn at_a_time(name: &'static str, default: fn() -> ConfigValue) -> Key {
    key(name, Kind::Integer { min: 1, max: MAX_AT_A_TIME }, default).user_only()
}

fn many(limit: impl FnOnce(CrewLimits) -> u16) -> ConfigValue {
    ConfigValue::Integer(limit(CrewLimits::default()).into())
}

/// Whether a tool may be used.
const fn policy(name: &'static str, default: fn() -> ConfigValue) -> Key {
    key(name, Kind::OneOf(ToolPolicy::NAMES), default).user_only()
}

fn usual_policy(tool: ToolName) -> ConfigValue {
    text(tool.default_policy().name())
}

/// All of them, in the order of the file that `aide init` writes; those of the person's own file alone come last.
pub static KEYS: [&Key; 61] = [
    &GENERAL_GITIGNORE_AIDE,
    &GENERAL_LANG,
    &DECIDE_PORT,
    &DECIDE_BIND,
    &DECIDE_URL,
    &DECIDE_AUTH,
    &DECIDE_TIMEOUT,
    &DECIDE_UNDO,
    &FLOW_PHASES,
    &FLOW_BACK_CONFIRM,
    &FLOW_COMMIT,
    &FLOW_GIT_ENABLED,
    &FLOW_GIT_REQUIRED,
    &FLOW_GIT_ALLOW_EMPTY_COMMIT,
    &FLOW_GIT_ALLOW_DETACHED,
    &FLOW_GIT_ADD_STRATEGY,
    &FLOW_PLANTUML_ENABLED,
    &FLOW_PLANTUML_GLOB,
    &FLOW_PLANTUML_ON_MISSING_TOOL,
    &FLOW_PLANTUML_GENERATE_PNG,
    &FLOW_CHANGELOG_ENABLED,
    &FLOW_CHANGELOG_PATH,
    &FLOW_CHANGELOG_REQUIRED,
    &FLOW_HOOKS,
    &FLOW_REQUIRE,
    &PLANTUML_JAR_PATH,
    &PLANTUML_JAVA_PATH,
    &AGENT_PROVIDER,
    &AGENT_HUMAN_TIMEOUT,
    &AGENT_SETTLE_TIME,
    &AGENT_PROVIDERS,
    &NOTIFY_WHEN,
    &NOTIFY_COMMAND,
    &NOTIFY_STEPS,
    &NOTIFY_DETAILS,
    &DAEMON_HTTP_PORT,
    &DAEMON_WS_PORT,
    &DAEMON_BIND,
    &DAEMON_URL,
    &DAEMON_LOG_LEVEL,
    &DAEMON_KEEP_EVENTS,
    &DAEMON_STALL_LIMIT,
    &DAEMON_DECIDE,
    &DAEMON_METRICS,
    &DAEMON_PROVIDER,
    &DAEMON_AGENTS,
    &DAEMON_TASK_TIMEOUT,
    &DAEMON_CONCURRENCY_TOTAL,
    &DAEMON_CONCURRENCY_EXECUTOR,
    &DAEMON_CONCURRENCY_ORCHESTRATOR,
    &DAEMON_CONCURRENCY_REVIEWER,
    &DAEMON_CONCURRENCY_TOOL,
    &DAEMON_CONCURRENCY_API,
    &DAEMON_CONCURRENCY_DATABASE,
    &DAEMON_TOOLS_WEB_SEARCH,
    &DAEMON_TOOLS_FETCH_URL,
    &DAEMON_TOOLS_READ_FILE,
    &DAEMON_TOOLS_WRITE_FILE,
    &DAEMON_TOOLS_SHELL_EXEC,
    &DAEMON_TOOLS_SEARCH_COMMAND,
    &DAEMON_TOOLS_SEARCH_URL,
];

#[cfg(test)]
mod tests {
    use super::{KEYS, Kind, known};
    use crate::ConfigValue;
    use std::collections::HashSet;

    #[test]
    fn every_key_is_there_once_with_a_default_of_its_kind() {
        let names: HashSet<_> = KEYS.iter().map(|key| key.name).collect();
        assert_eq!(names.len(), KEYS.len());
        for key in KEYS {
            assert!(key.name.contains('.') && known(key.name).is_some_and(|found| found.name == key.name));
            let default = key.default();
            let fits = match (key.kind, &default) {
                (Kind::Boolean, ConfigValue::Boolean(_))
                | (Kind::Text | Kind::Address | Kind::Link, ConfigValue::Text(_))
                | (Kind::Texts | Kind::Phases | Kind::Tables, ConfigValue::List(_)) => true,
                (Kind::Map, ConfigValue::Table(_)) => true,
                (Kind::Integer { min, max }, ConfigValue::Integer(number)) => (min..=max).contains(number),
                (Kind::OneOf(allowed), ConfigValue::Text(text)) => allowed.contains(&text.as_str()),
                _ => false,
            };
            assert!(fits, "{}: {default}", key.name);
        }
        assert!(known("decide").is_none() && known("").is_none() && known("decide.Port").is_none());
    }
}
