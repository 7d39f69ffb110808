//! A program that reads a prompt and writes an answer.

#[cfg(test)]
mod tests;

use crate::ledger::RecordedRequest;
use crate::provider::settle;
use crate::words::last_line;
use crate::{
    Awaited, BadAnswer, Environment, Format, Ledger, Limits, LlmError, Provider, Reply, Request, read,
};
use model::provider::{CommandConfig, Preset};
use process::{Cancellation, OutputError, Program};
use std::io::ErrorKind;
use std::process::Command;
use std::time::{Duration, Instant};

/// A program that answers.
#[derive(Debug)]
pub(crate) struct CommandProvider {
    pub(crate) name: String,
    pub(crate) model: Option<String>,
    pub(crate) timeout: Duration,
    pub(crate) config: CommandConfig,
    pub(crate) environment: Environment,
    pub(crate) limits: Limits,
}

impl CommandProvider {
    /// What the program is told in its arguments. The prompt is not among them: it may be long, and others would see it.
    fn arguments(&self, wants_json: bool) -> Vec<&str> {
        let CommandConfig { preset, args, .. } = &self.config;
        let mut arguments = Vec::new();
        let model = self.model.as_deref();
        let named = |flag| model.into_iter().flat_map(move |model| [flag, model]);
        match preset {
            Preset::Claude => {
                arguments.extend(["-p", "--output-format", "json"]);
                arguments.extend(named("--model"));
            }
            Preset::Codex => {
                arguments.extend(["exec", "--json", "--skip-git-repo-check"]);
                arguments.extend(named("--model"));
            }
            // What it is told here comes after the prompt.
            Preset::Gemini => {
                arguments.extend(["-p", "", "--output-format", "json"]);
                arguments.extend(named("--model"));
            }
            Preset::Ollama => {
                arguments.push("run");
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

    fn run(&self, request: &Request, cancellation: &Cancellation) -> Result<Vec<u8>, LlmError> {
        let CommandConfig { command: program, env, pass_env, .. } = &self.config;
        let mut command = Command::new(program);
        command.args(self.arguments(request.wants_json));
        command.env_clear().envs(self.environment.for_program(pass_env));
        command.envs(env.iter().map(|(name, value)| (name, value)));
        if let Some(folder) = &request.folder {
            command.current_dir(folder);
        }
        let run = Program::new(command)
            .limited_to(self.timeout, cancellation)
            .with_grace(self.limits.grace)
            .with_max_stdout(self.limits.max_stdout);
        match run.output(request.prompt.as_bytes()) {
            Ok(output) if output.status.success() => Ok(output.stdout),
            Ok(output) => {
                // It may have failed in good form.
                let said = match read(self.format(), &output.stdout) {
                    Err(BadAnswer::Refused { message }) if !message.is_empty() => message,
                    _ => last_line(if output.stderr.is_empty() { &output.stdout } else { &output.stderr }),
                };
                Err(LlmError::Failed { program: program.clone(), status: output.status, said })
            }
            Err(OutputError::NotStarted(source)) if source.kind() == ErrorKind::NotFound => {
                Err(LlmError::NotFound { program: program.clone() })
            }
            Err(OutputError::NotStarted(source)) => {
                Err(LlmError::NotStarted { program: program.clone(), source })
            }
            Err(OutputError::TimedOut { stderr }) => Err(LlmError::TimedOut {
                awaited: Awaited::End,
                after: self.timeout,
                said: last_line(&stderr),
            }),
            Err(OutputError::Cancelled { .. }) => Err(LlmError::Cancelled),
            Err(OutputError::TooMuch { limit, .. }) => Err(LlmError::TooMuch { limit }),
        }
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
            Preset::Ollama | Preset::Plain => Format::Plain,
        }
    }

    fn ask(
        &self,
        request: &Request,
        ledger: &dyn Ledger,
        cancellation: &Cancellation,
    ) -> Result<Reply, LlmError> {
        let attempt = 1;
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
        let raw = self.run(request, cancellation).inspect_err(|error| ledger.failure(attempt, error))?;
        settle(ledger, self.format(), attempt, raw, started.elapsed())
    }
}
