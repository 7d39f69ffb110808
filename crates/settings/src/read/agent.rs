//! `[agent]`.

use super::flow::read_command;
use crate::error::shorten;
use crate::layer::{Entry, Layer, LocatedItem};
use crate::{AgentConfig, ConfigError, ConfigErrorKind, ConfigErrors, EffectiveValue, Layers, forms, keys};
use model::is_blank;
use model::provider::{CommandConfig, EndpointConfig, KeySource, Preset, ProviderConfig, ProviderKind};
use serde_json::Value as Json;
use std::time::Duration;
use toml_edit::{Item, TableLike, Value};

/// The shortest and longest time a provider may be given, in seconds.
const TIMEOUT: (i64, i64) = (1, 86_400);
/// How long an answer may be made, in tokens.
const MAX_TOKENS: (i64, i64) = (1, 10_000_000);
/// What the names of variables end in that hold secrets.
const SECRETS: &[&str] = &["API_KEY", "_TOKEN", "_SECRET", "_PASSWORD", "_ACCESS_KEY"];

/// What a table of `agent.providers` may have.
pub(crate) const PROVIDER_MEMBERS: &[&str] = &[
    "name",
    "kind",
    "model",
    "timeout",
    "preset",
    "command",
    "args",
    "env",
    "pass_env",
    "base_url",
    "api_key_env",
    "api_key_command",
    "api_key_header",
    "extra_headers",
    "extra_body",
    "first_byte_timeout",
    "idle_timeout",
    "json_mode",
    "temperature",
    "max_tokens",
    "max_completion_tokens",
    "reasoning_effort",
    // Refused, with its own error.
    "api_key",
];
/// What only a program has, and what only an endpoint has.
const OF_COMMANDS: &[&str] = &[
    "agent.providers.preset",
    "agent.providers.command",
    "agent.providers.args",
    "agent.providers.env",
    "agent.providers.pass_env",
];
const OF_ENDPOINTS: &[&str] = &[
    "agent.providers.base_url",
    "agent.providers.api_key_env",
    "agent.providers.api_key_command",
    "agent.providers.api_key_header",
    "agent.providers.extra_headers",
    "agent.providers.extra_body",
    "agent.providers.first_byte_timeout",
    "agent.providers.idle_timeout",
    "agent.providers.json_mode",
    "agent.providers.temperature",
    "agent.providers.max_tokens",
    "agent.providers.max_completion_tokens",
    "agent.providers.reasoning_effort",
];
/// What the names of headers contain that hold secrets, in lower case.
const SECRET_HEADERS: &[&str] =
    &["authorization", "api-key", "apikey", "token", "secret", "password", "cookie"];

impl Layers<'_> {
    /// What is said of agents.
    ///
    /// # Errors
    ///
    /// Whatever is wrong with it, all at once.
    pub fn agent(&self) -> Result<AgentConfig, ConfigErrors> {
        let mut problems = Problems::default();
        for layer in self.all() {
            problems.found.extend(keys_in(layer));
        }
        let tables = self
            .find(&keys::AGENT_PROVIDERS)
            .and_then(|found| found.map_or(Ok(Vec::new()), LocatedItem::tables));
        let mut providers: Vec<ProviderConfig> = Vec::new();
        for entry in problems.keep(tables).unwrap_or_default() {
            let Some(provider) = read_provider(entry, &mut problems) else { continue };
            if providers.iter().any(|other| other.name == provider.name) {
                let name = shorten(&provider.name);
                let error = entry.find("agent.providers.name");
                problems.found.extend(error.map(|found| found.error(ConfigErrorKind::Repeated { name })));
            }
            providers.push(provider);
        }
        let provider = problems.keep(self.text(&keys::AGENT_PROVIDER)).flatten();
        let human_timeout = problems.keep(self.integer(&keys::AGENT_HUMAN_TIMEOUT)).flatten();
        let settle_time = problems.keep(self.integer(&keys::AGENT_SETTLE_TIME)).flatten();
        problems.into_result(AgentConfig {
            provider: provider.filter(|name| !name.is_empty()),
            human_timeout: human_timeout.unwrap_or_default(),
            settle_time: settle_time.unwrap_or(AgentConfig::default().settle_time),
            providers,
        })
    }

    /// The same as far as it may be followed: providers of the project's file are not, unless `is_trusted` says that the
    /// person has trusted this text of it.
    ///
    /// # Errors
    ///
    /// Whatever is wrong with it, also where it would not be followed.
    pub fn followed_agent(
        &self,
        is_trusted: impl FnOnce(&str) -> bool,
    ) -> Result<EffectiveValue<AgentConfig>, ConfigErrors> {
        let agent = self.agent()?;
        let mut ignored = self.needing_trust();
        ignored.retain(|key| key.name.starts_with("agent."));
        if ignored.is_empty() || is_trusted(self.project_text()) {
            return Ok(EffectiveValue { value: agent, ignored: Vec::new() });
        }
        Ok(EffectiveValue { value: self.ignoring(&ignored).agent()?, ignored })
    }
}

/// What is wrong, as it is found.
#[derive(Default)]
pub(super) struct Problems {
    pub(super) found: Vec<ConfigError>,
}

impl Problems {
    pub(super) fn keep<T>(&mut self, result: Result<T, ConfigError>) -> Option<T> {
        result.map_err(|error| self.found.push(error)).ok()
    }

    /// In the order of the file.
    pub(super) fn into_result<T>(mut self, value: T) -> Result<T, ConfigErrors> {
        self.found.sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
        let mut problems = self.found.into_iter();
        match problems.next() {
            Some(first) => Err(ConfigErrors { first: Box::new(first), more: problems.collect() }),
            None => Ok(value),
        }
    }
}

/// Every key that stands in a file, where none may: others read it, and it is forgotten there.
fn keys_in(layer: &Layer) -> Vec<ConfigError> {
    let Ok(Some(agent)) = layer.find("agent") else { return Vec::new() };
    let Ok(table) = agent.table() else { return Vec::new() };
    let found = |key, item| LocatedItem { layer, key, item };
    let mut inline: Vec<LocatedItem<'_>> =
        table.get("api_key").map(|item| found("agent.api_key", item)).into_iter().collect();
    let providers = table.get("providers").map(|item| found("agent.providers", item));
    let entries = providers.and_then(|providers| providers.tables().ok()).unwrap_or_default();
    inline.extend(entries.iter().filter_map(|entry| entry.find("agent.providers.api_key")));
    let mut errors: Vec<ConfigError> =
        inline.into_iter().map(|found| found.error(ConfigErrorKind::InlineKey)).collect();
    for env in entries.iter().filter_map(|entry| entry.find("agent.providers.env")) {
        let variables = env.item.as_table_like().into_iter().flat_map(|table| table.iter());
        let secret = |name: &str| SECRETS.iter().any(|end| name.to_ascii_uppercase().ends_with(end));
        errors.extend(variables.filter(|(name, _)| secret(name)).map(|(name, item)| {
            LocatedItem { item, ..env }.error(ConfigErrorKind::InlineSecret { name: shorten(name) })
        }));
    }
    errors
}

fn read_provider(entry: Entry<'_>, problems: &mut Problems) -> Option<ProviderConfig> {
    let name = problems.keep(entry.need("agent.providers.name").and_then(not_blank));
    let model = read(entry, "agent.providers.model", problems, not_blank);
    let timeout = read(entry, "agent.providers.timeout", problems, |found| found.integer(TIMEOUT));
    let kind = entry.need("agent.providers.kind").and_then(|found| {
        found.choice(ProviderConfig::KINDS, |text| ProviderConfig::KINDS.iter().find(|kind| **kind == text))
    });
    let kind = match *problems.keep(kind)? {
        "openai" => {
            refuse(entry, OF_COMMANDS, "openai", problems);
            // Every endpoint wants one.
            need(entry, "agent.providers.model", problems);
            ProviderKind::OpenAi(read_endpoint(entry, problems)?)
        }
        kind => {
            refuse(entry, OF_ENDPOINTS, kind, problems);
            ProviderKind::Command(read_program(entry, problems)?)
        }
    };
    let timeout = timeout.map_or(ProviderConfig::DEFAULT_TIMEOUT, Duration::from_secs);
    Some(ProviderConfig { name: name?, model, timeout, kind })
}

fn read_program(entry: Entry<'_>, problems: &mut Problems) -> Option<CommandConfig> {
    let preset = read(entry, "agent.providers.preset", problems, |found| {
        found.choice(Preset::NAMES, |text| text.parse().ok())
    });
    let preset = preset.unwrap_or_default();
    let command = read(entry, "agent.providers.command", problems, |found| match found.text()? {
        text if is_blank(text) => Err(found.error(ConfigErrorKind::NoProgram)),
        text => Ok(text.to_owned()),
    });
    if preset == Preset::Plain {
        need(entry, "agent.providers.command", problems);
    }
    if preset == Preset::Ollama {
        need(entry, "agent.providers.model", problems);
    }
    let args = read(entry, "agent.providers.args", problems, LocatedItem::texts);
    let env = read(entry, "agent.providers.env", problems, |found| {
        let variables = found.map()?;
        let fits = variables.iter().all(|(name, value)| is_variable(name) && !value.contains('\0'));
        if fits { Ok(variables) } else { Err(found.error(ConfigErrorKind::NotAVariable)) }
    });
    let pass_env = read(entry, "agent.providers.pass_env", problems, |found| {
        let names = found.texts()?;
        let fits = names.iter().all(|name| is_variable(name));
        if fits { Ok(names) } else { Err(found.error(ConfigErrorKind::NotAVariable)) }
    });
    Some(CommandConfig {
        preset,
        command: command.or_else(|| preset.program().map(str::to_owned))?,
        args: args.unwrap_or_default(),
        env: env.unwrap_or_default(),
        pass_env: pass_env.unwrap_or_default(),
    })
}

fn read_endpoint(entry: Entry<'_>, problems: &mut Problems) -> Option<EndpointConfig> {
    let base_url = entry.need("agent.providers.base_url").and_then(|found| match found.text()? {
        text if !text.is_empty() && forms::is_link(text) => Ok(text.to_owned()),
        // It may hold a password.
        _ => Err(found.error(ConfigErrorKind::NotALink)),
    });
    let base_url = problems.keep(base_url);
    let variable = read(entry, "agent.providers.api_key_env", problems, |found| match found.text()? {
        text if is_variable(text) => Ok(text.to_owned()),
        // It may well be the key itself.
        _ => Err(found.error(ConfigErrorKind::NotAVariable)),
    });
    let command = read(entry, "agent.providers.api_key_command", problems, read_command);
    if let (Some(_), Some(found)) =
        (entry.find("agent.providers.api_key_env"), entry.find("agent.providers.api_key_command"))
    {
        problems.found.push(found.error(ConfigErrorKind::NotTogether { other: "api_key_env" }));
    }
    let temperature = read(entry, "agent.providers.temperature", problems, |found| {
        // A whole number is one as well.
        let number = found.item.as_float().or_else(|| Some(found.item.as_integer()? as f64));
        let number = number.filter(|number| (0.0..=2.0).contains(number));
        number.ok_or_else(|| found.wrong_type("number from 0 to 2"))
    });
    let mut tokens = |key| read(entry, key, problems, |found| found.integer(MAX_TOKENS));
    let max_tokens = tokens("agent.providers.max_tokens");
    let max_completion_tokens = tokens("agent.providers.max_completion_tokens");
    if let (Some(_), Some(found)) =
        (entry.find("agent.providers.max_tokens"), entry.find("agent.providers.max_completion_tokens"))
    {
        problems.found.push(found.error(ConfigErrorKind::NotTogether { other: "max_tokens" }));
    }
    let mut seconds =
        |key| read(entry, key, problems, |found| found.integer(TIMEOUT).map(Duration::from_secs));
    let first_byte_timeout = seconds("agent.providers.first_byte_timeout");
    let idle_timeout = seconds("agent.providers.idle_timeout");
    let api_key_header = read(entry, "agent.providers.api_key_header", problems, |found| {
        let name = found.text()?;
        is_header(name).then(|| name.to_owned()).ok_or_else(|| found.wrong_type("name of an HTTP header"))
    });
    let extra_headers = read(entry, "agent.providers.extra_headers", problems, read_headers);
    let extra_body = read(entry, "agent.providers.extra_body", problems, |found| {
        json_of(found.item)
            .and_then(|value| value.as_object().cloned())
            .ok_or_else(|| found.wrong_type("table"))
    });
    Some(EndpointConfig {
        base_url: base_url?,
        key: match (variable, command) {
            (Some(name), _) => KeySource::Variable(name),
            (None, Some(command)) => KeySource::Command(command),
            (None, None) => KeySource::None,
        },
        api_key_header,
        extra_headers: extra_headers.unwrap_or_default(),
        extra_body: extra_body.unwrap_or_default(),
        first_byte_timeout,
        idle_timeout,
        json_mode: read(entry, "agent.providers.json_mode", problems, LocatedItem::boolean).unwrap_or(true),
        temperature,
        max_tokens,
        max_completion_tokens,
        reasoning_effort: read(entry, "agent.providers.reasoning_effort", problems, not_blank),
    })
}

/// Headers, none of which holds a secret.
fn read_headers(found: LocatedItem<'_>) -> Result<Vec<(String, String)>, ConfigError> {
    let headers = found.map()?;
    for (name, value) in &headers {
        let lower = name.to_ascii_lowercase();
        if SECRET_HEADERS.iter().any(|part| lower.contains(part)) {
            return Err(found.error(ConfigErrorKind::InlineSecret { name: shorten(name) }));
        }
        if !is_header(name) || value.chars().any(|c| c != '\t' && (c.is_control() || !c.is_ascii())) {
            return Err(found.wrong_type("table of HTTP headers"));
        }
    }
    Ok(headers)
}

/// Whether a text can be the name of a header.
fn is_header(text: &str) -> bool {
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !text.is_empty() && text.bytes().all(is_token)
}

/// A value as JSON; `None` for a number that JSON does not have.
fn json_of(item: &Item) -> Option<Json> {
    match item {
        Item::None => None,
        Item::Value(value) => json_of_value(value),
        Item::Table(table) => json_of_table(table),
        Item::ArrayOfTables(tables) => {
            tables.iter().map(|table| json_of_table(table)).collect::<Option<Vec<_>>>().map(Json::from)
        }
    }
}

fn json_of_value(value: &Value) -> Option<Json> {
    Some(match value {
        Value::String(text) => text.value().as_str().into(),
        Value::Integer(number) => (*number.value()).into(),
        Value::Float(number) => Json::Number(serde_json::Number::from_f64(*number.value())?),
        Value::Boolean(value) => (*value.value()).into(),
        Value::Datetime(time) => time.value().to_string().into(),
        Value::Array(array) => array.iter().map(json_of_value).collect::<Option<Vec<_>>>()?.into(),
        Value::InlineTable(table) => return json_of_table(table),
    })
}

fn json_of_table(table: &dyn TableLike) -> Option<Json> {
    let member = |(name, item): (&str, &Item)| Some((name.to_owned(), json_of(item)?));
    table.iter().map(member).collect::<Option<serde_json::Map<_, _>>>().map(Json::Object)
}

/// What stands under a key of a table, if it is there and good.
pub(super) fn read<'t, T>(
    entry: Entry<'t>,
    key: &'static str,
    problems: &mut Problems,
    read: impl FnOnce(LocatedItem<'t>) -> Result<T, ConfigError>,
) -> Option<T> {
    entry.find(key).and_then(|found| problems.keep(read(found)))
}

/// Something must stand there.
fn need(entry: Entry<'_>, key: &'static str, problems: &mut Problems) {
    problems.keep(entry.need(key));
}

/// None of these may stand there: it would have no effect.
fn refuse(entry: Entry<'_>, names: &[&'static str], kind: &'static str, problems: &mut Problems) {
    let found = names.iter().filter_map(|key| entry.find(key));
    problems.found.extend(found.map(|found| found.error(ConfigErrorKind::NotForKind { kind })));
}

pub(super) fn not_blank(found: LocatedItem<'_>) -> Result<String, ConfigError> {
    match found.text()? {
        text if is_blank(text) => Err(found.error(ConfigErrorKind::Blank)),
        text => Ok(text.to_owned()),
    }
}

/// Whether a text can be the name of a variable.
pub(super) fn is_variable(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}
