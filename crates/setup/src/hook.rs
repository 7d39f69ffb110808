//! What agents call by themselves: `aide hook …`, as elements of the arrays that agents have their hooks in.

use crate::agent::{Agent, Places, Scope};
use crate::json::Flavour;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// How long an agent waits for a hook, in seconds.
pub const HOOK_SECONDS: u64 = 86_400;

/// How long Codex and Cursor wait for what does not wait itself, in seconds.
const SOON: u64 = 30;
const SUBMIT: &str = "mcp__aide__decide_submit";
const SUBMIT_OF_PLUGIN: &str = "mcp__plugin_aide_aide__decide_submit";

/// A hook of an agent.
#[derive(Debug, Clone)]
pub(crate) struct Hook {
    pub(crate) root: PathBuf,
    pub(crate) file: PathBuf,
    pub(crate) flavour: Flavour,
    /// Where the array is.
    pub(crate) path: &'static [&'static str],
    /// The element that is aide's.
    pub(crate) element: Value,
    /// What the file must say besides.
    pub(crate) version: Option<u64>,
}

/// The hooks of an agent; none where it has none that are of use.
pub(crate) fn hooks(agent: Agent, places: &Places, scope: Scope, command: &str) -> Vec<Hook> {
    let is_user = scope == Scope::User;
    let base = if is_user { &places.home } else { &places.project };
    let strict = |root: &Path, file: PathBuf, path, element| Hook {
        root: root.to_owned(),
        file,
        flavour: Flavour::Strict,
        path,
        element,
        version: None,
    };
    match agent {
        Agent::Claude => {
            let (root, folder) = match &places.claude {
                Some(folder) if is_user => (folder, folder.clone()),
                _ => (base, base.join(".claude")),
            };
            let file = folder.join("settings.json");
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
            vec![Hook { version: Some(1), ..hook }]
        }
        Agent::Gemini => {
            let command = format!("{} hook ask-user-question", quoted(command));
            let hook = json!({
                "name": "aide", "type": "command", "command": command, "timeout": HOOK_SECONDS * 1000,
            });
            let element = json!({ "matcher": "ask_user", "hooks": [hook] });
            let hook = strict(base, base.join(".gemini/settings.json"), &["hooks", "BeforeTool"], element);
            vec![Hook { flavour: Flavour::Comments, ..hook }]
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
        "description": "Bring the user's answers to the session that asked",
        "hooks": {
            "PostToolUse": [{ "matcher": SUBMIT_OF_PLUGIN, "hooks": [&wake] }],
            "Stop": [{ "hooks": [wake] }],
        },
    })
}

/// Whether an element of such an array starts a hook of aide, as `own` does.
pub(crate) fn is_ours(element: &Value, own: &Value) -> bool {
    let (Some(found), Some(own)) = (called(element), called(own)) else { return false };
    found == own
}

/// What an element has aide do: the words after the program. `None` where it starts another program, or several.
fn called(element: &Value) -> Option<String> {
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
    let (program, rest) = match arguments {
        Some(arguments) => {
            let words: Option<Vec<_>> = arguments.iter().map(Value::as_str).collect();
            (command.to_owned(), words?.join(" "))
        }
        None => {
            let at = command.find(" hook ")?;
            (command[..at].trim_matches('\'').to_owned(), command[at + 1..].to_owned())
        }
    };
    let name = Path::new(&program).file_name().unwrap_or_default().to_string_lossy();
    let is_aide = name.trim_end_matches(" (deleted)") == "aide";
    (is_aide && rest.starts_with("hook ")).then_some(rest)
}

/// A word for a shell.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '+');
    if word.chars().all(is_plain) { word.to_owned() } else { format!("'{}'", word.replace('\'', "'\\''")) }
}

#[cfg(test)]
mod tests {
    use super::{is_ours, quoted};
    use serde_json::json;

    #[test]
    fn a_hook_of_aide_is_known_wherever_the_program_is() {
        let own =
            json!({ "hooks": [{ "type": "command", "command": "/opt/aide", "args": ["hook", "wake"] }] });
        for element in [
            json!({ "hooks": [{ "command": "aide", "args": ["hook", "wake"], "timeout": 5 }] }),
            json!({ "matcher": "x", "hooks": [{ "command": "aide hook wake" }] }),
            json!({ "command": "'/a b/aide' hook wake" }),
        ] {
            assert!(is_ours(&element, &own), "{element}");
        }
        for element in [
            json!({ "hooks": [{ "command": "aide", "args": ["hook", "ask-user-question"] }] }),
            json!({ "hooks": [{ "command": "other", "args": ["hook", "wake"] }] }),
            json!({ "hooks": [{ "command": "aide hook wake" }, { "command": "mine" }] }),
            json!({ "hooks": [{ "command": "echo aide hook wakes" }] }),
            json!({ "hooks": {} }),
            json!(3),
        ] {
            assert!(!is_ours(&element, &own), "{element}");
        }
    }

    #[test]
    fn words_for_a_shell() {
        assert_eq!(quoted("/opt/aide/bin/aide"), "/opt/aide/bin/aide");
        assert_eq!(quoted("/home/a b/it's"), "'/home/a b/it'\\''s'");
    }
}
