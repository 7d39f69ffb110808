//! Who answers a prompt: a program, or an endpoint.

use serde_json::{Map, Value};
use std::error::Error;
use std::fmt::{self, Debug, Display, Formatter};
use std::str::FromStr;
use std::time::Duration;

/// What is configured of a provider.
#[derive(Debug, Clone, PartialEq)]
pub struct ProviderConfig {
    /// What it is called by.
    pub name: String,
    /// The model to ask, where there are several.
    pub model: Option<String>,
    /// How long one answer may take.
    pub timeout: Duration,
    /// What it is.
    pub kind: ProviderKind,
}

/// What a provider is.
#[derive(Debug, Clone, PartialEq)]
pub enum ProviderKind {
    /// A program, which reads the prompt and writes the answer.
    Command(CommandConfig),
    /// A server that speaks as that of OpenAI does.
    OpenAi(EndpointConfig),
}

/// What is configured of a program that answers.
#[derive(Clone, PartialEq, Eq)]
pub struct CommandConfig {
    /// How it is asked, and how its answer is read.
    pub preset: Preset,
    /// The program.
    pub command: String,
    /// Its arguments, beside those of the preset.
    pub args: Vec<String>,
    /// Variables that it gets, each with its value.
    pub env: Vec<(String, String)>,
    /// Variables that it gets as they are.
    pub pass_env: Vec<String>,
}

/// What is configured of an endpoint.
#[derive(Clone, PartialEq)]
pub struct EndpointConfig {
    /// What comes before `/chat/completions`.
    pub base_url: String,
    /// Where its key is found.
    pub key: KeySource,
    /// The header that the key is sent in, alone; `Authorization` with `Bearer` before it, if nothing is said.
    pub api_key_header: Option<String>,
    /// Headers that are sent as well, each with its value.
    pub extra_headers: Vec<(String, String)>,
    /// Members of the request that are sent as well, or in the place of our own.
    pub extra_body: Map<String, Value>,
    /// How long may pass until it begins to answer; as long as one answer may take, if nothing is said.
    pub first_byte_timeout: Option<Duration>,
    /// How long it may pause; as long as one answer may take, if nothing is said.
    pub idle_timeout: Option<Duration>,
    /// Whether the request asks for JSON output when JSON is wanted.
    pub json_mode: bool,
    /// How freely it chooses its words.
    pub temperature: Option<f64>,
    /// How long an answer may be, in tokens.
    pub max_tokens: Option<u32>,
    /// The same with what the model thinks, for endpoints that know it by this name.
    pub max_completion_tokens: Option<u32>,
    /// How much the model thinks, in a word of the endpoint: `low`, `high`.
    pub reasoning_effort: Option<String>,
}

/// Where a key is found. It stands in no file of ours.
#[derive(Clone, PartialEq, Eq)]
pub enum KeySource {
    /// There is none.
    None,
    /// In this variable.
    Variable(String),
    /// It is what this program, which comes with its arguments, prints.
    Command(Vec<String>),
}

/// A command line that is known: how it is asked, and how its answer is read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Preset {
    /// Claude Code.
    Claude,
    /// Codex.
    Codex,
    /// Gemini CLI.
    Gemini,
    /// OpenCode.
    Opencode,
    /// Ollama.
    Ollama,
    /// Any other: all that it prints is the answer.
    #[default]
    Plain,
}

/// A text that is none of [`Preset::NAMES`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnknownPreset;

impl ProviderConfig {
    /// How long one answer may take, where nothing is said.
    pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(900);
    /// The kinds, as they are written.
    pub const KINDS: &'static [&'static str] = &["command", "openai"];
}

impl EndpointConfig {
    /// An endpoint of which nothing else is said.
    pub fn new(base_url: impl Into<String>, key: KeySource) -> Self {
        Self {
            base_url: base_url.into(),
            key,
            api_key_header: None,
            extra_headers: Vec::new(),
            extra_body: Map::new(),
            first_byte_timeout: None,
            idle_timeout: None,
            json_mode: true,
            temperature: None,
            max_tokens: None,
            max_completion_tokens: None,
            reasoning_effort: None,
        }
    }
}

impl Preset {
    /// What may be written.
    pub const NAMES: &'static [&'static str] = &["claude", "codex", "gemini", "opencode", "ollama", "plain"];

    /// As it is written.
    pub fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::Opencode => "opencode",
            Self::Ollama => "ollama",
            Self::Plain => "plain",
        }
    }

    /// The program that it is for.
    pub fn program(self) -> Option<&'static str> {
        match self {
            Self::Claude | Self::Codex | Self::Gemini | Self::Opencode | Self::Ollama => Some(self.name()),
            Self::Plain => None,
        }
    }
}

impl FromStr for Preset {
    type Err = UnknownPreset;

    fn from_str(text: &str) -> Result<Self, UnknownPreset> {
        let all = [Self::Claude, Self::Codex, Self::Gemini, Self::Opencode, Self::Ollama, Self::Plain];
        all.into_iter().find(|preset| preset.name() == text).ok_or(UnknownPreset)
    }
}

impl Display for UnknownPreset {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        out.write_str("not a known preset")
    }
}

impl Error for UnknownPreset {}

impl Debug for CommandConfig {
    /// Without what may be secret: arguments, and the values of variables.
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        let Self { preset, command, args, env, pass_env } = self;
        let names: Vec<&str> = env.iter().map(|(name, _)| name.as_str()).collect();
        out.debug_struct("CommandConfig")
            .field("preset", preset)
            .field("command", command)
            .field("args", &args.len())
            .field("env", &names)
            .field("pass_env", pass_env)
            .finish()
    }
}

impl Debug for EndpointConfig {
    /// Without what may be secret: the values of headers, and what is sent as well.
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        let headers: Vec<&str> = self.extra_headers.iter().map(|(name, _)| name.as_str()).collect();
        out.debug_struct("EndpointConfig")
            .field("base_url", &self.base_url)
            .field("key", &self.key)
            .field("api_key_header", &self.api_key_header)
            .field("extra_headers", &headers)
            .field("extra_body", &self.extra_body.keys().collect::<Vec<_>>())
            .field("first_byte_timeout", &self.first_byte_timeout)
            .field("idle_timeout", &self.idle_timeout)
            .field("json_mode", &self.json_mode)
            .field("temperature", &self.temperature)
            .field("max_tokens", &self.max_tokens)
            .field("max_completion_tokens", &self.max_completion_tokens)
            .field("reasoning_effort", &self.reasoning_effort)
            .finish()
    }
}

impl Debug for KeySource {
    /// Without the arguments of a program, which may be secret.
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => out.write_str("None"),
            Self::Variable(name) => out.debug_tuple("Variable").field(name).finish(),
            Self::Command(command) => out.debug_tuple("Command").field(&command.first()).finish(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{CommandConfig, KeySource, Preset};

    #[test]
    fn a_preset_is_what_it_is_called() {
        for name in Preset::NAMES {
            assert_eq!(name.parse::<Preset>().map(Preset::name), Ok(*name));
        }
        assert!("Claude".parse::<Preset>().is_err());
        assert_eq!(Preset::default().program(), None);
    }

    #[test]
    fn what_may_be_secret_is_not_shown() {
        let config = CommandConfig {
            preset: Preset::Claude,
            command: "claude".to_owned(),
            args: vec!["--token=hunter2".to_owned()],
            env: vec![("TOKEN".to_owned(), "hunter2".to_owned())],
            pass_env: vec!["KEY".to_owned()],
        };
        let key = KeySource::Command(vec!["pass".to_owned(), "hunter2".to_owned()]);
        let shown = format!("{config:?} {key:?}");
        assert!(!shown.contains("hunter2") && shown.contains("TOKEN") && shown.contains("pass"), "{shown}");
    }
}
