//! What the real programs have printed, both streams and exit code, as `end2end/providers` recorded it, is read as what it is.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

use llm::{
    Cancellation, Cause, CommandConfig, Environment, Limits, LlmError, NoLedger, Preset, ProviderConfig,
    ProviderKind, Reply, Request, Usage,
};
use std::env;
use std::path::Path;
use std::time::Duration;

/// What a program makes of the question that prints again what was recorded.
fn played(preset: &str, scenario: &str) -> Result<Reply, LlmError> {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let recorded = tests.join("recorded").join(preset).join(scenario);
    assert!(recorded.with_extension("code").exists(), "{}", recorded.display());
    let script = "cat >/dev/null; cat \"$R.out\"; cat \"$R.err\" >&2; exit $(cat \"$R.code\")";
    let config = ProviderConfig {
        name: preset.to_owned(),
        model: None,
        timeout: Duration::from_secs(600),
        kind: ProviderKind::Command(CommandConfig {
            preset: preset.parse::<Preset>().unwrap(),
            command: tests.join("fake-program").display().to_string(),
            args: Vec::new(),
            env: vec![
                ("FAKE".to_owned(), script.to_owned()),
                ("R".to_owned(), recorded.display().to_string()),
            ],
            pass_env: Vec::new(),
        }),
    };
    let environment: Environment = [("PATH", env::var_os("PATH").unwrap())].into_iter().collect();
    let limits = Limits { attempts: 1, busy_attempts: 1, cut_attempts: 1, ..Limits::default() };
    let provider = llm::provider(config, environment, limits);
    provider.ask(&Request::new("What is the answer?"), &NoLedger, &Cancellation::default())
}

#[test]
fn answers_are_read_with_what_they_cost() {
    for (preset, model, cost) in [
        ("claude", Some("claude-opus-5-5"), true),
        ("codex", None, false),
        ("gemini", Some("gemini-2.5-pro"), false),
        ("opencode", None, true),
    ] {
        for (scenario, text) in [("answer", "The answer is 42."), ("emoji", "done 🎉 好 👩‍👩‍👧 end")]
        {
            let answer = played(preset, scenario).unwrap().answer;
            assert_eq!((&*answer.text, answer.model.as_deref()), (text, model), "{preset}");
            assert_eq!(answer.usage, Some(Usage { input_tokens: 120, output_tokens: 7 }), "{preset}");
            assert_eq!(answer.cost.is_some(), cost, "{preset}");
        }
    }
}

#[test]
fn failures_are_told_in_their_own_words_and_known_by_their_cause() {
    for (preset, scenario, cause, words) in [
        (
            "claude",
            "busy",
            Cause::Busy,
            "API Error: Request rejected (429) · Rate limit reached for requests",
        ),
        ("claude", "overloaded", Cause::Busy, "API Error: 529 Overloaded."),
        ("claude", "key", Cause::Key, "Invalid API key · Fix external API key"),
        ("claude", "cut", Cause::Fault, "API Error: Connection dropped (ECONNRESET)"),
        ("claude", "length", Cause::Lasting, "exceeded the 128000 output token maximum"),
        ("codex", "busy", Cause::Busy, "exceeded retry limit, last status: 429 Too Many Requests"),
        ("codex", "overloaded", Cause::Busy, "unexpected status 529 <unknown status code>: Overloaded"),
        ("codex", "key", Cause::Key, "unexpected status 401 Unauthorized: invalid x-api-key"),
        ("codex", "cut", Cause::Fault, "stream disconnected before completion"),
        ("gemini", "busy", Cause::Busy, "(exit code 173): Rate limit reached for requests"),
        ("gemini", "overloaded", Cause::Busy, "(exit code 17): Overloaded"),
        ("gemini", "key", Cause::Key, "(exit code 145): invalid x-api-key"),
        ("gemini", "cut", Cause::Fault, "(exit code 1): exception TypeError: fetch failed sending request"),
        (
            "gemini",
            "untrusted",
            Cause::Lasting,
            "(exit code 55): Gemini CLI is not running in a trusted directory.",
        ),
        ("opencode", "busy", Cause::Busy, "status 429: Rate limit reached for requests"),
        ("opencode", "key", Cause::Key, "status 401: invalid x-api-key"),
        ("opencode", "length", Cause::Lasting, "cut off at the length limit (max_tokens)"),
    ] {
        let error = played(preset, scenario).unwrap_err();
        assert_eq!(error.cause(), cause, "{preset} {scenario}: {error}");
        let told = error.describe();
        assert!(told.contains(words), "{preset} {scenario}: {told}");
        assert!(!told.contains('\u{1b}') && !told.contains("[31m"), "{told}");
        let hint = match (scenario, cause) {
            ("untrusted", _) => "aide trust",
            (_, Cause::Busy | Cause::Fault) => "try again later",
            (_, Cause::Key) => "log in with the program itself",
            _ => "",
        };
        assert!(told.contains(hint), "{told}");
    }
}
