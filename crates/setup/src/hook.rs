//! What agents call by themselves: `aide hook …`, as elements of the arrays that agents have their hooks in.

use crate::agent::{Agent, Places, Scope};
use crate::json::{self, Flavour};
use serde_json::{Value, json};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// How long an agent waits for a hook, in seconds.
pub const HOOK_SECONDS: u64 = 86_400;

/// How long Codex and Cursor wait for what does not wait itself, in seconds.
const SOON: u64 = 30;
const SUBMIT: &str = "mcp__aide__decide_submit";
const SUBMIT_OF_PLUGIN: &str = "mcp__plugin_aide_aide__decide_submit";

/// An element of an array in a file of an agent: a hook, or a permission.
#[derive(Debug, Clone)]
pub(crate) struct Element {
    pub(crate) root: PathBuf,
    pub(crate) file: PathBuf,
    pub(crate) flavour: Flavour,
    /// Where the array is.
    pub(crate) path: &'static [&'static str],
    /// The element that is aide's.
    pub(crate) element: Value,
    /// What the file must say besides.
    pub(crate) version: Option<u64>,
    /// The programs that aide was written as before, by their names.
    pub(crate) former: Vec<String>,
}

/// The hooks of an agent; none where it has none that are of use.
pub(crate) fn hooks(agent: Agent, places: &Places, scope: Scope, command: &str) -> Vec<Element> {
    let is_user = scope == Scope::User;
    let base = if is_user { &places.home } else { &places.project };
    let strict = Element::strict;
    match agent {
        Agent::Claude => {
            let (root, file) = places.claude_settings(scope);
            let wake = json!({
                "type": "command", "command": command, "args": ["hook", "wake"], "asyncRewake": true,
                "timeout": HOOK_SECONDS,
            });
            let ask = json!({
                "type": "command", "command": command, "args": ["hook", "ask-user-question"],
                "timeout": HOOK_SECONDS, "statusMessage": "Waiting for your decision in aide",
            });
            vec![
                strict(
                    root,
                    file.clone(),
                    &["hooks", "PostToolUse"],
                    json!({ "matcher": SUBMIT, "hooks": [&wake] }),
                ),
                strict(root, file.clone(), &["hooks", "Stop"], json!({ "hooks": [wake] })),
                strict(
                    root,
                    file,
                    &["hooks", "PreToolUse"],
                    json!({ "matcher": "AskUserQuestion", "hooks": [ask] }),
                ),
            ]
        }
        Agent::Codex => {
            let folder = if is_user { places.codex_home() } else { places.project.join(".codex") };
            let root = if is_user && places.codex.is_some() { &folder } else { base };
            let command = format!("{} hook wake --agent codex", quoted(command));
            let hook = json!({ "type": "command", "command": command, "timeout": SOON });
            vec![strict(root, folder.join("hooks.json"), &["hooks", "Stop"], json!({ "hooks": [hook] }))]
        }
        Agent::Cursor => {
            let command = format!("{} hook wake --agent cursor", quoted(command));
            let element = json!({ "command": command, "timeout": SOON });
            let hook = strict(base, base.join(".cursor/hooks.json"), &["hooks", "stop"], element);
            vec![Element { version: Some(1), ..hook }]
        }
        Agent::Gemini => {
            let command = format!("{} hook ask-user-question", quoted(command));
            let hook = json!({
                "name": "aide", "type": "command", "command": command, "timeout": HOOK_SECONDS * 1000,
            });
            let element = json!({ "matcher": "ask_user", "hooks": [hook] });
            let hook = strict(base, base.join(".gemini/settings.json"), &["hooks", "BeforeTool"], element);
            vec![Element { flavour: Flavour::Comments, ..hook }]
        }
        Agent::VsCode | Agent::Opencode | Agent::Zed | Agent::Windsurf => Vec::new(),
    }
}

/// The hooks of the plugin, for Claude Code. Each is one line for a shell: another agent that reads the file as well then calls
/// something that has nothing to say to it.
pub(crate) fn plugin_hooks() -> Value {
    let wake = json!({
        "type": "command", "command": "aide hook wake", "asyncRewake": true, "timeout": HOOK_SECONDS,
    });
    json!({
        "description": "Deliver the user's answers to the session that asked",
        "hooks": {
            "PostToolUse": [{ "matcher": SUBMIT_OF_PLUGIN, "hooks": [&wake] }],
            "Stop": [{ "hooks": [wake] }],
        },
    })
}

impl Element {
    /// One in a file that is JSON without comments.
    pub(crate) fn strict(root: &Path, file: PathBuf, path: &'static [&'static str], element: Value) -> Self {
        let (root, flavour) = (root.to_owned(), Flavour::Strict);
        Self { root, file, flavour, path, element, version: None, former: Vec::new() }
    }

    /// Whether an element of such an array has aide do the same, whatever aide is called there.
    pub(crate) fn is_ours(&self, element: &Value) -> bool {
        if self.element.is_string() {
            return *element == self.element;
        }
        let (Some(found), Some(own)) = (HookCommand::by(element), HookCommand::by(&self.element)) else {
            return false;
        };
        let is_known = |name: &String| *name == found.program;
        found.words == own.words
            && (found.program == PROGRAM || is_known(&own.program) || self.former.iter().any(is_known))
    }

    /// Whether it brings answers.
    pub(crate) fn wakes(&self) -> bool {
        HookCommand::by(&self.element).is_some_and(|called| called.words.starts_with("hook wake"))
    }

    /// Whether the file `path` has it, whatever aide is called there; the error says why the agent cannot read the file.
    pub(crate) fn is_in(&self, path: &Path) -> Result<bool, String> {
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(error.to_string()),
        };
        let value = json::read(text.trim_start_matches('\u{feff}'), self.flavour)?;
        let elements = json::get(&value, self.path).and_then(Value::as_array);
        Ok(elements.is_some_and(|elements| elements.iter().any(|element| self.program_of(element).is_some())))
    }

    /// The name of the program that an element has do the same.
    pub(crate) fn program_of(&self, element: &Value) -> Option<String> {
        let (found, own) = (HookCommand::by(element)?, HookCommand::by(&self.element)?);
        (found.words == own.words).then_some(found.program)
    }
}

/// The program's usual name.
const PROGRAM: &str = "aide";

/// What an element starts.
struct HookCommand {
    /// The name of the program.
    program: String,
    /// The words after it.
    words: String,
}

impl HookCommand {
    /// `None` for what no element of aide looks like: it starts something without `hook`, or several programs.
    fn by(element: &Value) -> Option<Self> {
        let handler = match element.get("hooks") {
            Some(Value::Array(handlers)) => match &handlers[..] {
                [handler] => handler,
                _ => return None,
            },
            Some(_) => return None,
            None => element,
        };
        let command = handler.get("command")?.as_str()?;
        let arguments = handler.get("args").and_then(Value::as_array);
        let (program, words) = match arguments {
            Some(arguments) => {
                let words: Option<Vec<_>> = arguments.iter().map(Value::as_str).collect();
                (command, words?.join(" "))
            }
            None => {
                // The folders of the program may be called anything.
                let at = command.rfind(" hook ")?;
                (command[..at].trim_matches('\''), command[at + 1..].to_owned())
            }
        };
        let name = Path::new(program).file_name().unwrap_or_default().to_string_lossy();
        let program = name.trim_end_matches(" (deleted)").to_owned();
        words.starts_with("hook ").then_some(Self { program, words })
    }
}

/// A word for a shell.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '+');
    if word.chars().all(is_plain) { word.to_owned() } else { format!("'{}'", word.replace('\'', "'\\''")) }
}

#[cfg(test)]
mod tests {
    use super::{Element, quoted};
    use crate::json::Flavour;
    use serde_json::{Value, json};

    fn hook(element: Value) -> Element {
        let flavour = Flavour::Strict;
        let (root, file) = ("/".into(), "/x".into());
        Element { root, file, flavour, path: &[], element, version: None, former: vec!["decider".to_owned()] }
    }

    #[test]
    fn a_hook_of_aide_is_known_wherever_the_program_is_and_whatever_it_is_called() {
        let words = json!(["hook", "wake"]);
        let own =
            hook(json!({ "hooks": [{ "type": "command", "command": "/opt/aide-0.1", "args": words }] }));
        for element in [
            json!({ "hooks": [{ "command": "aide", "args": ["hook", "wake"], "timeout": 5 }] }),
            json!({ "hooks": [{ "command": "/usr/bin/aide-0.1", "args": ["hook", "wake"] }] }),
            json!({ "hooks": [{ "command": "/old/decider", "args": ["hook", "wake"] }] }),
            json!({ "matcher": "x", "hooks": [{ "command": "aide hook wake" }] }),
            json!({ "command": "'/a hook b/aide' hook wake" }),
        ] {
            assert!(own.is_ours(&element), "{element}");
        }
        for element in [
            json!({ "hooks": [{ "command": "aide", "args": ["hook", "ask-user-question"] }] }),
            json!({ "hooks": [{ "command": "other", "args": ["hook", "wake"] }] }),
            json!({ "hooks": [{ "command": "/opt/aide-0.2", "args": ["hook", "wake"] }] }),
            json!({ "hooks": [{ "command": "aide hook wake" }, { "command": "mine" }] }),
            json!({ "hooks": [{ "command": "echo aide hook wakes" }] }),
            json!({ "hooks": {} }),
            json!(3),
        ] {
            assert!(!own.is_ours(&element), "{element}");
        }
    }

    #[test]
    fn words_for_a_shell() {
        assert_eq!(quoted("/opt/aide/bin/aide"), "/opt/aide/bin/aide");
        assert_eq!(quoted("/home/a b/it's"), "'/home/a b/it'\\''s'");
    }
}
