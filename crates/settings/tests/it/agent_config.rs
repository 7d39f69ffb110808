//! `[agent]` and `[[agent.providers]]`.

use crate::folder::Folder;
use model::provider::{CommandConfig, EndpointConfig, KeySource, Preset, ProviderConfig, ProviderKind};
use settings::{AgentConfig, ConfigErrors};
use std::time::Duration;

fn agent(project: &str, user: &str) -> Result<AgentConfig, ConfigErrors> {
    Folder::with(project, user).files().layers().unwrap().agent()
}

/// Each problem: its line, its key and what it is.
fn problems(project: &str) -> Vec<(Option<usize>, Option<&'static str>, String)> {
    let ConfigErrors { first, more } = agent(project, "").expect_err(project);
    [*first].into_iter().chain(more).map(|error| (error.line, error.key, error.kind.to_string())).collect()
}

fn only(table: &str) -> Vec<(Option<&'static str>, String)> {
    let found = problems(&format!("[[agent.providers]]\n{table}\n"));
    found.into_iter().map(|(_, key, kind)| (key, kind)).collect()
}

fn program(name: &str, preset: Preset, command: &str) -> ProviderConfig {
    ProviderConfig {
        name: name.to_owned(),
        model: None,
        timeout: ProviderConfig::DEFAULT_TIMEOUT,
        kind: ProviderKind::Command(CommandConfig {
            preset,
            command: command.to_owned(),
            args: Vec::new(),
            env: Vec::new(),
            pass_env: Vec::new(),
        }),
    }
}

#[test]
fn nothing_is_configured_by_default() {
    assert_eq!(agent("", "").unwrap(), AgentConfig::default());
    assert_eq!(agent("[agent]\nprovider = \"\"\nproviders = []\n", "").unwrap(), AgentConfig::default());
}

#[test]
fn providers_are_read() {
    let config = agent(
        r#"
[agent]
provider = "mine"
human_timeout = 60
settle_time = 5

[[agent.providers]]
name = "claude"
kind = "command"
preset = "claude"

[[agent.providers]]
name = "mine"
kind = "command"
command = "/opt/mine"
args = ["-x", ""]
env = { LEVEL = "1" }
pass_env = ["MY_API_KEY"]
model = "m"
timeout = 5

[[agent.providers]]
name = "local"
kind = "openai"
base_url = "http://localhost:11434/v1"
model = "qwen3"

[[agent.providers]]
name = "remote"
kind = "openai"
base_url = "https://example.com/v1"
model = "big"
api_key_command = ["pass", "show", "key"]
json_mode = false
temperature = 1
max_tokens = 4096

[[agent.providers]]
name = "other"
kind = "openai"
base_url = "https://example.com/v1"
model = "big"
api_key_env = "OTHER_KEY"
api_key_header = "api-key"
extra_headers = { "X-Title" = "aide" }
extra_body = { top_p = 0.5, provider = { order = ["a", "b"], only = true } }
first_byte_timeout = 5
idle_timeout = 600
max_completion_tokens = 100
reasoning_effort = "low"
temperature = 0.5
unknown = 1
"#,
        "",
    )
    .unwrap();
    let endpoint = |name: &str, model: &str, endpoint| ProviderConfig {
        model: Some(model.to_owned()),
        kind: ProviderKind::OpenAi(endpoint),
        ..program(name, Preset::Plain, "")
    };
    let plain = |base_url: &str| EndpointConfig::new(base_url, KeySource::None);
    let mut mine = program("mine", Preset::Plain, "/opt/mine");
    (mine.model, mine.timeout) = (Some("m".to_owned()), Duration::from_secs(5));
    if let ProviderKind::Command(command) = &mut mine.kind {
        command.args = vec!["-x".to_owned(), String::new()];
        command.env = vec![("LEVEL".to_owned(), "1".to_owned())];
        command.pass_env = vec!["MY_API_KEY".to_owned()];
    }
    let remote = EndpointConfig {
        key: KeySource::Command(["pass", "show", "key"].map(str::to_owned).into()),
        json_mode: false,
        temperature: Some(1.0),
        max_tokens: Some(4096),
        ..plain("https://example.com/v1")
    };
    let other = EndpointConfig {
        key: KeySource::Variable("OTHER_KEY".to_owned()),
        api_key_header: Some("api-key".to_owned()),
        extra_headers: vec![("X-Title".to_owned(), "aide".to_owned())],
        extra_body: serde_json::json!({ "top_p": 0.5, "provider": { "order": ["a", "b"], "only": true } })
            .as_object()
            .unwrap()
            .clone(),
        first_byte_timeout: Some(Duration::from_secs(5)),
        idle_timeout: Some(Duration::from_secs(600)),
        max_completion_tokens: Some(100),
        reasoning_effort: Some("low".to_owned()),
        temperature: Some(0.5),
        ..plain("https://example.com/v1")
    };
    let expected = AgentConfig {
        provider: Some("mine".to_owned()),
        human_timeout: 60,
        settle_time: 5,
        providers: vec![
            program("claude", Preset::Claude, "claude"),
            mine.clone(),
            endpoint("local", "qwen3", plain("http://localhost:11434/v1")),
            endpoint("remote", "big", remote),
            endpoint("other", "big", other),
        ],
    };
    assert_eq!(config, expected);
    assert_eq!(config.find("mine"), Some(&mine));
    assert_eq!(config.find("none"), None);
}

#[test]
fn the_nearest_file_says_all_the_providers() {
    let project = "[[agent.providers]]\nname = \"a\"\nkind = \"command\"\ncommand = \"a\"\n";
    let user =
        "agent.human_timeout = 7\n[[agent.providers]]\nname = \"b\"\nkind = \"command\"\ncommand = \"b\"\n";
    let config = agent(project, user).unwrap();
    assert_eq!((config.human_timeout, config.providers), (7, vec![program("a", Preset::Plain, "a")]));
    assert_eq!(agent("", user).unwrap().providers, [program("b", Preset::Plain, "b")]);
}

#[test]
fn everything_that_is_wrong_is_told_at_once_in_the_order_of_the_file() {
    let config = r#"[agent]
human_timeout = -1

[[agent.providers]]
name = " "
kind = "command"
env = { "A B" = "1" }
timeout = 0
base_url = "http://x"

[[agent.providers]]
name = "a"
kind = "openai"
base_url = "example.com"
temperature = 3
api_key = "sk-secret"

[[agent.providers]]
kind = "magic"

[[agent.providers]]
name = "twice"
kind = "command"
preset = "codex"

[[agent.providers]]
name = "twice"
kind = "command"
preset = "ollama"
model = "m"
"#;
    let told = |line, key, what: &str| (Some(line), Some(key), what.to_owned());
    assert_eq!(
        problems(config),
        [
            told(2, "agent.human_timeout", "expected 0 to 315360000, found -1"),
            told(5, "agent.providers.name", "is blank"),
            told(5, "agent.providers.command", "is missing"),
            told(7, "agent.providers.env", "not the name of a variable"),
            told(8, "agent.providers.timeout", "expected 1 to 86400, found 0"),
            told(9, "agent.providers.base_url", "not for kind \"command\""),
            told(12, "agent.providers.model", "is missing"),
            told(14, "agent.providers.base_url", "not a link"),
            told(15, "agent.providers.temperature", "expected number from 0 to 2, found 3"),
            told(16, "agent.providers.api_key", "a key in a file"),
            told(19, "agent.providers.name", "is missing"),
            told(19, "agent.providers.kind", "expected one of [\"command\", \"openai\"], found \"magic\""),
            told(27, "agent.providers.name", "twice: \"twice\""),
        ]
    );
}

#[test]
fn each_key_must_fit() {
    const COMMAND: &str = "name = \"a\"\nkind = \"command\"\ncommand = \"a\"\n";
    const ENDPOINT: &str =
        "name = \"a\"\nkind = \"openai\"\nbase_url = \"https://example.com\"\nmodel = \"m\"\n";
    for (table, line, key, what) in [
        (COMMAND, "args = \"-x\"", "agent.providers.args", "expected array of strings, found \"-x\""),
        (COMMAND, "env = []", "agent.providers.env", "expected table of strings, found []"),
        (COMMAND, "pass_env = [\"A=B\"]", "agent.providers.pass_env", "not the name of a variable"),
        (
            COMMAND,
            "preset = \"gpt\"",
            "agent.providers.preset",
            "expected one of [\"claude\", \"codex\", \"gemini\", \"opencode\", \"ollama\", \"plain\"], found \"gpt\"",
        ),
        (COMMAND, "preset = \"ollama\"", "agent.providers.model", "is missing"),
        (COMMAND, "model = \"\"", "agent.providers.model", "is blank"),
        (COMMAND, "api_key_env = \"X\"", "agent.providers.api_key_env", "not for kind \"command\""),
        (ENDPOINT, "args = []", "agent.providers.args", "not for kind \"openai\""),
        (ENDPOINT, "json_mode = 1", "agent.providers.json_mode", "expected boolean, found 1"),
        (
            ENDPOINT,
            "temperature = nan",
            "agent.providers.temperature",
            "expected number from 0 to 2, found nan",
        ),
        (ENDPOINT, "max_tokens = 0", "agent.providers.max_tokens", "expected 1 to 10000000, found 0"),
        (ENDPOINT, "api_key_command = []", "agent.providers.api_key_command", "names no program"),
        (
            ENDPOINT,
            "api_key_env = \"A\"\napi_key_command = [\"a\"]",
            "agent.providers.api_key_command",
            "not together with api_key_env",
        ),
    ] {
        assert_eq!(only(&format!("{table}{line}")), [(Some(key), what.to_owned())], "{line}");
    }
    assert_eq!(only("name = \"a\"\nkind = \"command\"\ncommand = \" \"")[0].1, "names no program");
    assert_eq!(problems("agent.providers = 5")[0].2, "expected array of tables, found 5");
    assert_eq!(problems("agent = 5").len(), 4);
}

#[test]
fn a_key_in_any_file_is_refused_and_never_quoted() {
    const KEY: &str = "sk-0123456789abcdef";
    let good = "[[agent.providers]]\nname = \"a\"\nkind = \"command\"\ncommand = \"a\"\n";
    let endpoint = "[[agent.providers]]\nname = \"a\"\nkind = \"openai\"\nmodel = \"m\"\n";
    for (wrong, what) in [
        (format!("{good}api_key = \"{KEY}\"\n"), "a key in a file"),
        (format!("agent = {{ api_key = \"{KEY}\" }}\n"), "a key in a file"),
        (format!("agent.providers = [{{ api_key = [\"{KEY}\"] }}]\n"), "a key in a file"),
        (
            format!("{good}env = {{ anthropic_api_key = \"{KEY}\" }}\n"),
            "a secret in a file: anthropic_api_key",
        ),
        (format!("{good}env = {{ GITHUB_TOKEN = \"{KEY}\" }}\n"), "a secret in a file: GITHUB_TOKEN"),
        (
            format!("{endpoint}base_url = \"https://x\"\napi_key_env = \"{KEY}\"\n"),
            "not the name of a variable",
        ),
        (format!("{endpoint}base_url = \"https://{KEY}@example.com\"\n"), "not a link"),
    ] {
        // In a file that another stands above as well.
        let in_user_file = wrong.contains("api_key = ").then(|| agent(good, &wrong));
        for result in [Some(agent(&wrong, "")), Some(agent("", &wrong)), in_user_file].into_iter().flatten() {
            let errors = result.expect_err(&wrong);
            let mut all = [(*errors.first).clone()].into_iter().chain(errors.more.clone());
            assert!(all.any(|error| error.kind.to_string() == what), "{wrong}: {errors:?}");
            assert!(!format!("{errors:?} {errors}").contains(KEY), "{errors:?}");
        }
    }
}

#[test]
fn providers_of_a_project_wait_until_it_is_trusted() {
    let project = "[agent]\nprovider = \"b\"\n[[agent.providers]]\nname = \"a\"\nkind = \"command\"\ncommand = \"evil\"\n";
    let user = "[[agent.providers]]\nname = \"b\"\nkind = \"command\"\ncommand = \"mine\"\n";
    let folder = Folder::with(project, user);
    let files = folder.files();
    let layers = files.layers().unwrap();
    let followed = layers.followed_agent(|_| false).unwrap();
    assert_eq!(followed.ignored.iter().map(|key| key.name).collect::<Vec<_>>(), ["agent.providers"]);
    assert_eq!(followed.value.provider.as_deref(), Some("b"));
    assert_eq!(followed.value.providers, [program("b", Preset::Plain, "mine")]);

    let trusts = |text: &str| {
        assert_eq!(text, project, "the very text is asked for");
        true
    };
    let followed = layers.followed_agent(trusts).unwrap();
    assert!(followed.ignored.is_empty());
    assert_eq!(followed.value.providers, [program("a", Preset::Plain, "evil")]);

    let folder = Folder::with("agent.human_timeout = 1\nagent.providers = []\n", user);
    let files = folder.files();
    let followed = files.layers().unwrap().followed_agent(|_| panic!("nobody is asked")).unwrap();
    assert!(followed.ignored.is_empty() && followed.value.providers.is_empty());
    // A mistake is an error, regardless of its author.
    let folder = Folder::with("[[agent.providers]]\nname = \"a\"\n", user);
    assert!(folder.files().layers().unwrap().followed_agent(|_| false).is_err());
}

#[test]
fn headers_hold_no_secret_and_two_limits_of_one_thing_do_not_go_together() {
    let endpoint = |more: &str| {
        let base = "name = \"a\"\nkind = \"openai\"\nbase_url = \"http://localhost/v1\"\nmodel = \"m\"\n";
        only(&format!("{base}{more}")).into_iter().map(|(_, kind)| kind).collect::<Vec<_>>().join("; ")
    };
    for (more, problem) in [
        ("extra_headers = { Authorization = \"x\" }", "a secret in a file: Authorization"),
        ("extra_headers = { \"X-Api-Key\" = \"x\" }", "a secret in a file: X-Api-Key"),
        ("max_tokens = 1\nmax_completion_tokens = 1", "not together with max_tokens"),
    ] {
        assert_eq!(endpoint(more), problem, "{more}");
    }
}
