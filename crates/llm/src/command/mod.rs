//! A program that reads a prompt and writes an answer.

#[cfg(test)]
mod tests;

use crate::ledger::RecordedRequest;
use crate::provider::settle;
use crate::retry::{PauseFn, Retries};
use crate::words::{last_line, last_words};
use crate::{
    AnswerStage, BadAnswer, Cause, Environment, Format, Ledger, Limits, LlmError, MAX_LINE, Provider, Reply,
    Request, read,
};
use model::provider::{CommandConfig, Preset};
use process::{Cancellation, OutputError, Program};
use std::io::ErrorKind;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// Lets Gemini CLI work in a folder that it does not know.
pub(crate) const GEMINI_TRUST: &str = "GEMINI_CLI_TRUST_WORKSPACE";

/// A program that answers.
#[derive(Debug)]
pub(crate) struct CommandProvider {
    pub(crate) name: String,
    pub(crate) model: Option<String>,
    pub(crate) timeout: Duration,
    pub(crate) config: CommandConfig,
    pub(crate) environment: Environment,
    pub(crate) limits: Limits,
    pub(crate) pause: PauseFn,
}

impl CommandProvider {
    /// Returns the arguments of the program. The prompt is not among them: it may be long, and other users would see it.
    fn arguments(&self, wants_json: bool) -> Vec<&str> {
        let CommandConfig { preset, args, .. } = &self.config;
        let mut arguments = Vec::new();
        let model = self.model.as_deref();
        let named = |flag| model.into_iter().flat_map(move |model| [flag, model]);
        match preset {
            Preset::Claude => {
                arguments.extend(["-p", "--output-format", "json", "--no-session-persistence"]);
                arguments.extend(named("--model"));
            }
            Preset::Codex => {
                arguments.extend(["exec", "--json", "--skip-git-repo-check", "--ephemeral"]);
                arguments.extend(named("--model"));
            }
            // The text of `-p` is appended to the prompt.
            Preset::Gemini => {
                arguments.extend(["-p", "", "--output-format", "json"]);
                arguments.extend(named("--model"));
            }
            Preset::Opencode => {
                arguments.extend(["run", "--format", "json"]);
                arguments.extend(named("--model"));
            }
            Preset::Ollama => {
                arguments.extend(["run", "--hidethinking", "--nowordwrap"]);
                arguments.extend(if wants_json { &["--format", "json"][..] } else { &[] });
                arguments.extend(model);
            }
            Preset::Plain => {}
        }
        arguments.extend(args.iter().map(String::as_str));
        if *preset == Preset::Codex {
            // Reads the prompt from its standard input.
            arguments.push("-");
        }
        arguments
    }

    fn run(
        &self,
        request: &Request,
        time: Duration,
        cancellation: &Cancellation,
    ) -> Result<Vec<u8>, LlmError> {
        let CommandConfig { command: program, .. } = &self.config;
        let run = Program::new(self.command(request))
            .limited_to(time, cancellation)
            .with_grace(self.limits.grace)
            .with_max_stdout(self.limits.max_stdout);
        let run = if self.format() == Format::Plain { run } else { run.with_max_line(MAX_LINE) };
        match run.output(request.prompt.as_bytes()) {
            Ok(output) if output.status.success() => Ok(output.stdout),
            Ok(output) => {
                let said = self.reason(&output.stdout, &output.stderr);
                let cause = Cause::from_message(&said);
                // A fault may come from looking for the model elsewhere than a variable says.
                let is_told = matches!(cause, Some(Cause::Busy | Cause::Quota));
                let unpassed = if is_told { Vec::new() } else { self.unpassed() };
                Err(LlmError::Failed { program: program.clone(), status: output.status, said, unpassed })
            }
            Err(OutputError::NotStarted(source)) if source.kind() == ErrorKind::NotFound => {
                Err(LlmError::NotFound { program: program.clone() })
            }
            Err(OutputError::NotStarted(source)) => {
                Err(LlmError::NotStarted { program: program.clone(), source })
            }
            Err(OutputError::TimedOut { stdout, stderr }) => Err(LlmError::TimedOut {
                awaited: AnswerStage::End,
                after: self.timeout,
                said: self.last_words(&stdout, &stderr),
            }),
            Err(OutputError::Cancelled { .. }) => Err(LlmError::Cancelled),
            Err(OutputError::TooMuch { limit, .. }) => Err(LlmError::TooMuch { limit }),
        }
    }

    fn command(&self, request: &Request) -> Command {
        let mut command = self.bare(request.folder.as_deref());
        command.args(self.arguments(request.wants_json));
        command
    }

    /// The program without arguments, with the variables that it gets.
    pub(crate) fn bare(&self, folder: Option<&Path>) -> Command {
        let CommandConfig { preset, command: program, env, pass_env, .. } = &self.config;
        let mut command = Command::new(program);
        command.env_clear();
        if *preset == Preset::Gemini && self.trusts(folder) {
            command.env(GEMINI_TRUST, "true");
        }
        command.envs(self.environment.for_program(pass_env));
        command.envs(env.iter().map(|(name, value)| (name, value)));
        if let Some(folder) = folder {
            command.current_dir(folder);
        }
        command
    }

    /// Whether the person trusts the project that the program works for in `folder`.
    pub(crate) fn trusts(&self, folder: Option<&Path>) -> bool {
        self.environment.is_trusted(folder)
    }

    /// Why it has failed: in good form on one of its streams, or else in its last words.
    fn reason(&self, stdout: &[u8], stderr: &[u8]) -> String {
        let in_form = |stream| match read(self.format(), stream) {
            Err(BadAnswer::Refused { message }) if !message.is_empty() => Some(message),
            _ => None,
        };
        let in_words = || last_words(if stderr.trim_ascii().is_empty() { stdout } else { stderr });
        in_form(stdout).or_else(|| in_form(stderr)).unwrap_or_else(in_words)
    }

    /// What it has said last on both streams.
    fn last_words(&self, stdout: &[u8], stderr: &[u8]) -> String {
        let heard = match read(self.format(), stdout) {
            Err(BadAnswer::Refused { message }) if !message.is_empty() => message,
            _ => last_line(stdout),
        };
        let both = [last_line(stderr), heard].into_iter().filter(|words| !words.is_empty());
        both.collect::<Vec<_>>().join(" / ")
    }

    /// Variables that programs of this kind use and that are set, but that it does not get.
    fn unpassed(&self) -> Vec<String> {
        let gets = |name: &&&str| {
            self.config.env.iter().any(|(own, _)| own == **name)
                || self.config.pass_env.iter().any(|passed| passed == **name)
        };
        let is_set = |name: &&&str| self.environment.get(name).is_some_and(|value| !value.is_empty());
        let used = variables_of(self.config.preset).iter().filter(is_set).filter(|name| !gets(name));
        used.map(|name| (*name).to_owned()).collect()
    }
}

/// Variables that a program uses to reach its model, and gets only where that is configured.
fn variables_of(preset: Preset) -> &'static [&'static str] {
    match preset {
        Preset::Claude => &[
            "ANTHROPIC_API_KEY",
            "ANTHROPIC_AUTH_TOKEN",
            "ANTHROPIC_BASE_URL",
            "ANTHROPIC_CUSTOM_HEADERS",
            "CLAUDE_CODE_OAUTH_TOKEN",
            "CLAUDE_CODE_USE_BEDROCK",
            "CLAUDE_CODE_USE_VERTEX",
            "AWS_PROFILE",
            "AWS_REGION",
        ],
        Preset::Codex => &["OPENAI_API_KEY", "CODEX_API_KEY", "OPENAI_BASE_URL"],
        Preset::Gemini => &[
            "GEMINI_API_KEY",
            "GOOGLE_API_KEY",
            "GOOGLE_APPLICATION_CREDENTIALS",
            "GOOGLE_CLOUD_LOCATION",
            "GOOGLE_CLOUD_PROJECT",
            "GOOGLE_GEMINI_BASE_URL",
            "GOOGLE_GENAI_USE_VERTEXAI",
            GEMINI_TRUST,
        ],
        Preset::Opencode => &[
            "ANTHROPIC_API_KEY",
            "OPENAI_API_KEY",
            "OPENROUTER_API_KEY",
            "GEMINI_API_KEY",
            "OPENCODE_CONFIG",
            "OPENCODE_CONFIG_CONTENT",
        ],
        Preset::Ollama => &["OLLAMA_MODELS", "OLLAMA_API_KEY"],
        Preset::Plain => &["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "OPENROUTER_API_KEY"],
    }
}

impl Provider for CommandProvider {
    fn name(&self) -> &str {
        &self.name
    }

    fn format(&self) -> Format {
        match self.config.preset {
            Preset::Claude => Format::Claude,
            Preset::Codex => Format::Codex,
            Preset::Gemini => Format::Gemini,
            Preset::Opencode => Format::Opencode,
            Preset::Ollama | Preset::Plain => Format::Plain,
        }
    }

    fn ask(
        &self,
        request: &Request,
        ledger: &dyn Ledger,
        cancellation: &Cancellation,
    ) -> Result<Reply, LlmError> {
        let mut retries = Retries::new(&self.limits, self.timeout, self.pause, cancellation);
        let mut attempt = 1;
        loop {
            let recorded = RecordedRequest {
                attempt,
                provider: &self.name,
                format: self.format(),
                target: &self.config.command,
                model: self.model.as_deref(),
                prompt: &request.prompt,
                wants_json: request.wants_json,
                idempotency_key: request.idempotency_key.as_deref(),
            };
            ledger.request(&recorded).map_err(|source| LlmError::NotRecorded { source, raw: None })?;
            let started = Instant::now();
            let came = self.run(request, retries.left(), cancellation);
            let settled = came.and_then(|raw| settle(ledger, self.format(), attempt, raw, started.elapsed()));
            let error = match settled {
                Ok(reply) => return Ok(reply),
                Err(error @ LlmError::NotRecorded { .. }) => return Err(error),
                // It was recorded.
                Err(LlmError::BadAnswer(bad)) if bad.is_correctable() => return Err(bad.into()),
                Err(error) => error,
            };
            ledger.failure(attempt, &error);
            retries.wait(ledger, error)?;
            attempt += 1;
        }
    }
}
