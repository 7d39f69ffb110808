//! What can be found out about a provider without a question to its model: where its program is, which version it has,
//! whether it is logged in, whether it works in a folder, and which models there are.

use crate::command::{CommandProvider, GEMINI_TRUST};
use crate::endpoint::Endpoint;
use crate::words::{last_line, last_words, one_line};
use crate::{Environment, Limits, LlmError, ProviderConfig, ProviderKind, configured};
use model::provider::Preset;
use process::{Cancellation, OutputError, Program};
use serde_json::Value;
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Output};
use std::time::Duration;
use std::{env, fs};

/// How long a program may take to tell what costs nothing: some begin slowly.
const TIMEOUT: Duration = Duration::from_secs(30);
/// How much of it is read, in bytes.
const MAX_TOLD: usize = 1 << 20;

/// Looks at a provider.
#[derive(Debug)]
pub struct Probe(Kind);

#[derive(Debug)]
enum Kind {
    Program(Box<CommandProvider>),
    Endpoint(Box<Endpoint>),
}

/// Whether a program is logged in, in its words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Login {
    /// It is.
    In(String),
    /// It is not. It may have a key all the same, in its own configuration or in a variable.
    Out(String),
}

impl Probe {
    /// Returns what looks at the provider that `config` describes.
    pub fn new(config: ProviderConfig, environment: Environment, limits: Limits) -> Self {
        let ProviderConfig { name, model, timeout, kind } = config;
        Self(match kind {
            ProviderKind::Command(config) => Kind::Program(Box::new(configured::command(
                (name, model, timeout),
                config,
                environment,
                limits,
            ))),
            ProviderKind::OpenAi(config) => Kind::Endpoint(Box::new(configured::endpoint(
                (name, model, timeout),
                config,
                environment,
                limits,
            ))),
        })
    }

    /// Returns the file of the program; `None` where there is none, and of an endpoint.
    pub fn program(&self) -> Option<PathBuf> {
        let Kind::Program(provider) = &self.0 else { return None };
        let name = Path::new(&provider.config.command);
        if name.components().count() > 1 {
            return is_program(name).then(|| name.to_owned());
        }
        let own = provider.config.env.iter().rev().find(|(name, _)| name == "PATH");
        let path =
            own.map(|(_, path)| path.into()).or_else(|| Some(provider.environment.get("PATH")?.to_owned()));
        env::split_paths(&path?).map(|folder| folder.join(name)).find(|path| is_program(path))
    }

    /// Returns what the program says of its version, on one line; `None` where nothing is known to ask, and of an endpoint.
    ///
    /// # Errors
    ///
    /// When the program cannot be run, or fails.
    pub fn version(&self, cancellation: &Cancellation) -> Result<Option<String>, LlmError> {
        let Kind::Program(provider) = &self.0 else { return Ok(None) };
        if provider.config.preset == Preset::Plain {
            return Ok(None);
        }
        let output = provider.run_successfully(&["--version"], cancellation)?;
        let said = String::from_utf8_lossy(&output.stdout);
        let has_number = |line: &&str| line.contains(|c: char| c.is_ascii_digit());
        Ok(said.lines().find(has_number).map(one_line))
    }

    /// Returns whether the program is logged in; `None` where it does not tell without a question to the model.
    ///
    /// # Errors
    ///
    /// When the program cannot be run.
    pub fn login(&self, cancellation: &Cancellation) -> Result<Option<Login>, LlmError> {
        let Kind::Program(provider) = &self.0 else { return Ok(None) };
        let arguments: &[&str] = match provider.config.preset {
            Preset::Claude => &["auth", "status"],
            Preset::Codex => &["login", "status"],
            Preset::Opencode => &["auth", "list"],
            Preset::Gemini | Preset::Ollama | Preset::Plain => return Ok(None),
        };
        let Output { status, stdout, stderr } = provider.run_to_its_end(arguments, cancellation)?;
        Ok(match provider.config.preset {
            Preset::Claude => claude_login(&stdout),
            Preset::Codex => codex_login(status, &stdout, &stderr),
            _ => opencode_login(&stdout),
        })
    }

    /// Returns whether the program works in `folder`; `None` of those that do not ask, and where nothing is known.
    pub fn is_folder_trusted(&self, folder: &Path) -> Option<bool> {
        let Kind::Program(provider) = &self.0 else { return None };
        if provider.config.preset != Preset::Gemini {
            return None;
        }
        let config = &provider.config;
        if let Some((_, value)) = config.env.iter().rev().find(|(name, _)| name == GEMINI_TRUST) {
            return Some(value == "true");
        }
        let is_passed = config.pass_env.iter().any(|name| name == GEMINI_TRUST)
            && provider.environment.get(GEMINI_TRUST).is_some_and(|value| value == "true");
        let is_skipped = config.args.iter().any(|argument| argument == "--skip-trust");
        let is_told = is_passed || is_skipped || provider.trusts(Some(folder));
        Some(is_told || gemini_trusts(&provider.environment, folder))
    }

    /// Returns the models that there are, as they are written in `model`; `None` where that is not told.
    ///
    /// # Errors
    ///
    /// When there is no answer, or it is not a list of models.
    pub fn models(&self, cancellation: &Cancellation) -> Result<Option<Vec<String>>, LlmError> {
        match &self.0 {
            Kind::Endpoint(endpoint) => endpoint.models(cancellation).map(Some),
            Kind::Program(provider) => {
                let (arguments, heads) = match provider.config.preset {
                    Preset::Ollama => (&["list"], 1),
                    Preset::Opencode => (&["models"], 0),
                    Preset::Claude | Preset::Codex | Preset::Gemini | Preset::Plain => return Ok(None),
                };
                let output = provider.run_successfully(arguments, cancellation)?;
                let said = crate::terminal::shown(&String::from_utf8_lossy(&output.stdout));
                let names = said.lines().skip(heads).filter_map(|line| line.split_whitespace().next());
                Ok(Some(names.map(str::to_owned).collect()))
            }
        }
    }
}

impl CommandProvider {
    /// Runs the program with other arguments than those of a question, to its end.
    fn run_to_its_end(&self, arguments: &[&str], cancellation: &Cancellation) -> Result<Output, LlmError> {
        let mut command = self.bare(None);
        command.args(arguments);
        let program = Program::new(command)
            .limited_to(TIMEOUT, cancellation)
            .with_grace(self.limits.grace)
            .with_max_stdout(MAX_TOLD);
        let name = || self.config.command.clone();
        program.output(b"").map_err(|error| match error {
            OutputError::NotStarted(source) if source.kind() == ErrorKind::NotFound => {
                LlmError::NotFound { program: name() }
            }
            OutputError::NotStarted(source) => LlmError::NotStarted { program: name(), source },
            OutputError::TimedOut { stdout, stderr } => LlmError::TimedOut {
                awaited: crate::AnswerStage::End,
                after: TIMEOUT,
                said: last_line(if stderr.trim_ascii().is_empty() { &stdout } else { &stderr }),
            },
            OutputError::Cancelled { .. } => LlmError::Cancelled,
            OutputError::TooMuch { limit, .. } => LlmError::TooMuch { limit },
        })
    }

    /// The same of what must succeed.
    fn run_successfully(&self, arguments: &[&str], cancellation: &Cancellation) -> Result<Output, LlmError> {
        let output = self.run_to_its_end(arguments, cancellation)?;
        if output.status.success() {
            return Ok(output);
        }
        let said = if output.stderr.trim_ascii().is_empty() { &output.stdout } else { &output.stderr };
        Err(LlmError::Failed {
            program: self.config.command.clone(),
            status: output.status,
            said: last_words(said),
            unpassed: Vec::new(),
        })
    }
}

fn is_program(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}

/// One object: `{"loggedIn": true, "authMethod": "api_key"}`.
fn claude_login(stdout: &[u8]) -> Option<Login> {
    let told: Value = serde_json::from_slice(stdout).ok()?;
    let by = told.get("authMethod").and_then(Value::as_str).map(one_line).unwrap_or_default();
    Some(if told.get("loggedIn")?.as_bool()? { Login::In(by) } else { Login::Out(String::new()) })
}

/// A sentence on one of its streams, behind warnings; the exit code says which.
fn codex_login(status: ExitStatus, stdout: &[u8], stderr: &[u8]) -> Option<Login> {
    let both = [stdout, stderr].map(|said| crate::terminal::shown(&String::from_utf8_lossy(said)));
    let mut lines = both.iter().flat_map(|said| said.lines()).map(str::trim);
    let is_answer = |line: &&str| !line.is_empty() && !line.to_ascii_lowercase().starts_with("warning");
    let said = lines.find(is_answer).map(one_line)?;
    match (status.success(), said.to_ascii_lowercase().starts_with("not logged in")) {
        (true, _) => Some(Login::In(said)),
        (false, true) => Some(Login::Out(String::new())),
        (false, false) => None,
    }
}

/// A drawing with the lines `0 credentials` and, where there are some, `1 environment variable`.
fn opencode_login(stdout: &[u8]) -> Option<Login> {
    let said = crate::terminal::shown(&String::from_utf8_lossy(stdout));
    let counted = |of: &str| {
        let lines = said.lines().map(|line| line.trim_start_matches(|c: char| !c.is_alphanumeric()).trim());
        let counts =
            lines.filter(|line| line.contains(of)).filter_map(|line| line.split(' ').next()?.parse().ok());
        counts.reduce(|_: u32, last| last)
    };
    let (stored, set) = (counted(" credential")?, counted(" environment variable").unwrap_or_default());
    Some(if stored + set > 0 { Login::In(format!("{}", stored + set)) } else { Login::Out(String::new()) })
}

/// Whether Gemini CLI itself was told to trust a folder, or one that it is in.
fn gemini_trusts(environment: &Environment, folder: &Path) -> bool {
    let file = environment.get("HOME").map(|home| Path::new(home).join(".gemini/trustedFolders.json"));
    let folders = file
        .and_then(|file| fs::read(file).ok())
        .and_then(|text| serde_json::from_slice::<Value>(&text).ok());
    let Some(Value::Object(folders)) = folders else { return false };
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let nearest = folders.iter().filter_map(|(path, trust)| {
        let path = Path::new(path);
        match trust.as_str()? {
            "TRUST_PARENT" => Some((path.parent()?, true)),
            trust => Some((path, trust == "TRUST_FOLDER")),
        }
    });
    let nearest = nearest
        .filter(|(path, _)| folder.starts_with(path))
        .max_by_key(|(path, _)| path.components().count());
    nearest.is_some_and(|(_, trusted)| trusted)
}

#[cfg(test)]
mod tests {
    use super::{Login, claude_login, codex_login, gemini_trusts, opencode_login};
    use crate::Environment;
    use std::fs;
    use std::os::unix::process::ExitStatusExt;
    use std::process::ExitStatus;

    #[test]
    fn programs_say_whether_they_are_logged_in() {
        let logged_in = |by: &str| Some(Login::In(by.to_owned()));
        let out = || Some(Login::Out(String::new()));
        // As the programs of November 2026 say it.
        assert_eq!(claude_login(br#"{"loggedIn": true, "authMethod": "api_key"}"#), logged_in("api_key"));
        assert_eq!(claude_login(br#"{"loggedIn": false, "authMethod": "none"}"#), out());
        assert_eq!(claude_login(b"unknown command auth"), None);
        let (good, bad) = (ExitStatus::from_raw(0), ExitStatus::from_raw(256));
        let warned = "WARNING: proceeding, even though we could not create PATH aliases: x\n";
        let codex = |status, said: &str| codex_login(status, b"", format!("{warned}{said}\n").as_bytes());
        assert_eq!(codex(good, "Logged in using ChatGPT"), logged_in("Logged in using ChatGPT"));
        assert_eq!(codex(bad, "Not logged in"), out());
        assert_eq!(codex(bad, "error: unrecognized subcommand"), None);
        let none = "\u{250c}  Credentials \u{1b}[90m~/.local/share/opencode/auth.json\n\u{2502}\n\u{2514}  0 credentials\n";
        let set = format!(
            "{none}\n\u{250c}  Environment\n\u{2502}\n\u{25cf}  OpenAI \u{1b}[90mOPENAI_API_KEY\n\u{2502}\n\u{2514}  1 environment variable\n"
        );
        assert_eq!(opencode_login(none.as_bytes()), out());
        assert_eq!(opencode_login(set.as_bytes()), logged_in("1"));
        assert_eq!(opencode_login(b"?"), None);
    }

    #[test]
    fn the_nearest_folder_that_gemini_knows_counts() {
        let home = tempfile::tempdir().expect("a folder");
        let root = home.path().canonicalize().expect("there");
        let environment: Environment = [("HOME", root.as_os_str())].into_iter().collect();
        for folder in [".gemini", "known/below", "other", "sibling"] {
            fs::create_dir_all(root.join(folder)).expect("made");
        }
        assert!(!gemini_trusts(&environment, &root.join("known")));
        let path = |name: &str| root.join(name).display().to_string();
        let folders = serde_json::json!({
            path("known"): "TRUST_FOLDER", path("known/below"): "DO_NOT_TRUST", path("sibling/x"): "TRUST_PARENT",
        });
        fs::write(root.join(".gemini/trustedFolders.json"), folders.to_string()).expect("written");
        let trusted = ["known", "known/below", "other", "sibling"]
            .map(|name| gemini_trusts(&environment, &root.join(name)));
        assert_eq!(trusted, [true, false, false, true]);
    }
}
