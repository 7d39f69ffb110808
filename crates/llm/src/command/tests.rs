//! A program that misbehaves.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

use super::CommandProvider;
use crate::answer::MAX_LINE;
use crate::testing::{TestLedger, environment, pauses, record_pause};
use crate::{Limits, LlmError, Provider, Reply, Request, read};
use model::provider::{CommandConfig, Preset};
use process::Cancellation;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::Duration;

const LONG: Duration = Duration::from_secs(600);
const SHORT: Duration = Duration::from_millis(60);

/// Does what the variable `FAKE` says.
const PROGRAM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fake-program");

const CLAUDE: &str =
    r#"{"type":"result","subtype":"success","is_error":false,"result":"42","usage":{"output_tokens":1}}"#;
const CODEX: &str = "{\"type\":\"thread.started\"}\n{\"type\":\"item.completed\",\"item\":{\"type\":\"agent_message\",\
                     \"text\":\"42\"}}\n{\"type\":\"turn.completed\",\"usage\":{}}";
const GEMINI: &str = "{\n  \"response\": \"42\",\n  \"stats\": {}\n}";

fn fake(preset: Preset, script: &str) -> CommandProvider {
    CommandProvider {
        name: "test".to_owned(),
        model: None,
        timeout: LONG,
        config: CommandConfig {
            preset,
            command: PROGRAM.to_owned(),
            args: Vec::new(),
            env: vec![("FAKE".to_owned(), script.to_owned())],
            pass_env: Vec::new(),
        },
        environment: environment(&[]),
        limits: Limits { grace: SHORT, max_stdout: 4 << 20, ..Limits::default() },
        pause: record_pause,
    }
}

fn ask(provider: &CommandProvider, prompt: &str) -> (Result<Reply, LlmError>, Vec<String>) {
    let book = TestLedger::default();
    let result = provider.ask(&Request::new(prompt), &book, &Cancellation::default());
    (result, book.entries())
}

/// The text, or the error in its own words.
fn outcome_of(provider: &CommandProvider) -> Result<String, String> {
    let reply = ask(provider, "What is it?").0;
    reply.map(|reply| reply.answer.text).map_err(|error| error.to_string().replace(PROGRAM, "PROGRAM"))
}

fn does(preset: Preset, script: &str) -> Result<String, String> {
    outcome_of(&fake(preset, script))
}

/// The script that reads its prompt and prints a text.
fn prints(text: &str) -> String {
    format!("cat >/dev/null; cat <<'EOF'\n{text}\nEOF\n")
}

fn wait_until_gone(file: &Path) {
    let pid = fs::read_to_string(file).unwrap();
    let is_gone = || {
        let status = fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
        status.rsplit_once(") ").is_none_or(|(_, rest)| rest.starts_with('Z'))
    };
    while !is_gone() {
        thread::yield_now();
    }
}

#[test]
fn it_reads_the_prompt_and_its_answer_is_recorded_and_read() {
    let provider = fake(Preset::Plain, "printf 'you said '; cat; echo; echo aside >&2");
    let (result, entries) = ask(&provider, "hello, 世界");
    let reply = result.unwrap();
    assert_eq!((reply.answer.text.as_str(), reply.attempts), ("you said hello, 世界", 1));
    assert_eq!(reply.raw, "you said hello, 世界\n".as_bytes());
    assert_eq!(read(provider.format(), &reply.raw), Ok(reply.answer));
    assert_eq!(
        entries,
        [
            format!(
                "request RecordedRequest {{ attempt: 1, provider: \"test\", format: Plain, target: {PROGRAM:?}, model: None, \
                 prompt: \"hello, 世界\", wants_json: false, idempotency_key: None }}"
            ),
            "answer 1 plain: you said hello, 世界\n".to_owned(),
        ]
    );
}

#[test]
fn each_preset_asks_and_reads_in_its_way() {
    let arguments = |preset, wants_json| {
        let mut provider = fake(preset, "");
        provider.model = Some("m".to_owned());
        provider.config.args = vec!["--own".to_owned(), "x".to_owned()];
        provider.arguments(wants_json).join(" ")
    };
    assert_eq!(
        arguments(Preset::Claude, true),
        "-p --output-format json --no-session-persistence --model m --own x"
    );
    assert_eq!(
        arguments(Preset::Codex, true),
        "exec --json --skip-git-repo-check --ephemeral --model m --own x -"
    );
    assert_eq!(arguments(Preset::Gemini, true), "-p  --output-format json --model m --own x");
    assert_eq!(arguments(Preset::Ollama, true), "run --hidethinking --nowordwrap --format json m --own x");
    assert_eq!(arguments(Preset::Ollama, false), "run --hidethinking --nowordwrap m --own x");
    assert_eq!(arguments(Preset::Opencode, true), "run --format json --model m --own x");
    assert_eq!(arguments(Preset::Plain, true), "--own x");
    assert_eq!(
        fake(Preset::Claude, "").arguments(false),
        ["-p", "--output-format", "json", "--no-session-persistence"]
    );
    assert_eq!(fake(Preset::Gemini, "").arguments(false), ["-p", "", "--output-format", "json"]);

    for (preset, text) in [
        (Preset::Claude, CLAUDE),
        (Preset::Codex, CODEX),
        (Preset::Gemini, GEMINI),
        (Preset::Ollama, "42"),
        (Preset::Plain, "\n 42\n\n"),
    ] {
        assert_eq!(does(preset, &prints(text)), Ok("42".to_owned()), "{preset:?}");
    }
    assert_eq!(
        does(
            Preset::Codex,
            "[ \"$*\" = 'exec --json --skip-git-repo-check --ephemeral -' ] && cat <<'EOF'\n{\"type\":\"turn.failed\",\"error\":{\"message\":\"told\"}}\nEOF"
        ),
        Err("no answer was given: told".to_owned())
    );
}

#[test]
fn odd_ways_to_answer_are_good_ones() {
    for (preset, script) in [
        (Preset::Claude, format!("exec <&-; cat <<'EOF'\n{CLAUDE}\nEOF")),
        (
            Preset::Claude,
            format!("echo Updating... ; echo '{{half'; cat <<'EOF'\n{CLAUDE}\nEOF\necho 'Bye [x'"),
        ),
        (Preset::Claude, format!("cat <<'EOF'\n{}\n{CLAUDE}\nEOF", CLAUDE.replace("42", "first"))),
        (Preset::Claude, format!("cat <<'EOF' | tr '\\n' '\\r'\n{CLAUDE}\nEOF\necho")),
        (Preset::Claude, format!("yes >&2 & cat <<'EOF'\n{CLAUDE}\nEOF")),
        (Preset::Claude, format!("head -c 1000000 /dev/zero >&2; cat <<'EOF'\n{CLAUDE}\nEOF")),
        (
            Preset::Codex,
            prints(&format!(
                "{{\"type\":\"item.updated\",\"item\":null}}\n{{\"type\":5}}\n[]\n{{}}\n{CODEX}"
            )),
        ),
        (Preset::Gemini, prints(&format!("Loaded cached credentials.\n{GEMINI}\n{{\"later\":1}}"))),
        (Preset::Plain, "printf 42".to_owned()),
    ] {
        let mut provider = fake(preset, &script);
        provider.timeout = Duration::from_secs(60);
        assert_eq!(outcome_of(&provider), Ok("42".to_owned()), "{script}");
    }
    // It need not read a prompt that is larger than a pipe.
    let (result, _) = ask(&fake(Preset::Plain, "echo 42"), &"x".repeat(1 << 20));
    assert_eq!(result.unwrap().answer.text, "42");
}

#[test]
fn what_it_leaves_running_with_its_pipes_is_not_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pid");
    let script = format!("sleep 600 & echo $! >{}; cat <<'EOF'\n{CLAUDE}\nEOF", file.display());
    assert_eq!(does(Preset::Claude, &script), Ok("42".to_owned()));
    let left = fs::read_to_string(&file).unwrap();
    assert!(Command::new("kill").arg(left.trim()).status().unwrap().success());
}

#[test]
fn answers_of_no_use_are_recorded_and_told() {
    for (preset, script, message) in [
        (Preset::Claude, prints(&CLAUDE[..70]), "there is no answer"),
        (Preset::Claude, prints(""), "there is no answer"),
        (Preset::Claude, prints("Not logged in"), "there is no answer"),
        (Preset::Claude, prints("{\"type\":\"assistant\",\"message\":\"42\"}"), "there is no answer"),
        (Preset::Claude, prints(&CLAUDE.replace("\"is_error\":false,", "")), "there is no answer"),
        (Preset::Claude, prints(&CLAUDE.replace("false", "true")), "no answer was given: 42"),
        (Preset::Claude, prints(&CLAUDE.replace("42", " ")), "there is no answer"),
        (Preset::Claude, "exec >&-; cat >/dev/null".to_owned(), "there is no answer"),
        (
            Preset::Codex,
            prints("{\"type\":\"turn.started\"}\n{\"type\":\"error\",\"message\":\"offline\"}"),
            "no answer was given: offline",
        ),
        (
            Preset::Gemini,
            prints("{\"error\":{\"message\":\"quota\",\"code\":1}}"),
            "no answer was given: quota",
        ),
        (Preset::Plain, "echo only here >&2".to_owned(), "there is no answer"),
        (Preset::Plain, "printf ' \\n\\t\\n'".to_owned(), "there is no answer"),
        (Preset::Plain, "printf 'ab\\377'".to_owned(), "the answer is not valid UTF-8 (at byte 2)"),
        (
            Preset::Claude,
            "printf '{\"type\":\"result\",\"is_error\":false,\"result\":\"\\377\"}'".to_owned(),
            "the answer is not valid UTF-8 (at byte 44)",
        ),
    ] {
        let (result, entries) = ask(&fake(preset, &script), "x");
        let error = result.unwrap_err();
        assert!(error.to_string().starts_with(message), "{script}: {error}");
        assert!(matches!(error, LlmError::BadAnswer(_)) && !error.is_transient());
        let noted = if message.starts_with("no answer was given") { "failure 1: " } else { "answer 1 " };
        assert!(entries.len() == 2 && entries[1].starts_with(noted), "{entries:?}");
    }
}

#[test]
fn a_long_line_does_not_hide_the_answer_behind_it() {
    let long = |bytes: usize| {
        format!("cat >/dev/null; head -c {bytes} /dev/zero | tr '\\0' x; echo; echo '{CLAUDE}'")
    };
    // Longer than all that it may print.
    for bytes in [2 << 20, MAX_LINE + 1, 5 << 20] {
        assert_eq!(does(Preset::Claude, &long(bytes)), Ok("42".to_owned()), "{bytes}");
    }
    let only = format!("head -c {} /dev/zero", 5 << 20);
    assert_eq!(
        does(Preset::Claude, &only),
        Err("there is no answer: [a line of 5242880 bytes was left out]".to_owned())
    );
}

#[test]
fn one_that_fails_gives_no_answer_whatever_it_prints() {
    let refused = CLAUDE.replace("false", "true").replace("42", "Credit balance is too low");
    for (preset, script, message) in [
        (
            Preset::Claude,
            format!("{}exit 1", prints(CLAUDE)),
            format!("PROGRAM failed (exit code 1): {CLAUDE}"),
        ),
        (
            Preset::Claude,
            format!("{}echo noise >&2; exit 1", prints(&refused)),
            "PROGRAM failed (exit code 1): Credit balance is too low".to_owned(),
        ),
        (
            Preset::Codex,
            "echo '{\"type\":\"turn.failed\",\"error\":{\"message\":\"no quota\"}}'; exit 1".to_owned(),
            "PROGRAM failed (exit code 1): no quota".to_owned(),
        ),
        (Preset::Plain, "echo 42; exit 3".to_owned(), "PROGRAM failed (exit code 3): 42".to_owned()),
        (Preset::Plain, "exit 42".to_owned(), "PROGRAM failed (exit code 42)".to_owned()),
        (
            Preset::Plain,
            "echo 42; echo why >&2; kill -9 $$".to_owned(),
            "PROGRAM failed (signal 9): why".to_owned(),
        ),
        (Preset::Plain, "kill -15 $$".to_owned(), "PROGRAM failed (signal 15)".to_owned()),
        (
            Preset::Plain,
            "printf 'one\\ntwo\\r\\n\\033[31mthree\\n\\nfour\\n' >&2; exit 2".to_owned(),
            "PROGRAM failed (exit code 2): two three four".to_owned(),
        ),
    ] {
        let (result, entries) = ask(&fake(preset, &script), "x");
        let error = result.unwrap_err().to_string().replace(PROGRAM, "PROGRAM");
        assert_eq!(error, message, "{script}");
        assert_eq!(entries[1..], [format!("failure 1: {error}").replace("PROGRAM", PROGRAM)]);
    }
    let flood = does(Preset::Plain, "yes 'no space left' | head -n 100000 >&2; exit 2").unwrap_err();
    assert_eq!(flood, format!("PROGRAM failed (exit code 2): {}", ["no space left"; 3].join(" ")));
}

#[test]
fn one_that_does_not_start_is_told() {
    let of = |command: &str| {
        let mut provider = fake(Preset::Plain, "");
        provider.config.command = command.to_owned();
        ask(&provider, "x").0.unwrap_err()
    };
    assert!(
        matches!(of("no-such-program-anywhere"), LlmError::NotFound { program } if program == "no-such-program-anywhere")
    );
    assert!(matches!(of("/nowhere/program"), LlmError::NotFound { .. }));
    for command in [concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"), env!("CARGO_MANIFEST_DIR")] {
        let error = of(command);
        let expected = format!("cannot run {command}: Permission denied (os error 13)");
        assert!(matches!(error, LlmError::NotStarted { .. }) && error.to_string() == expected, "{error}");
    }
}

#[test]
fn one_that_does_not_end_is_ended() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pid");
    let file_name = file.display();
    for (script, message) in [
        (format!("echo $$ >{file_name}; exec sleep 600"), "the answer did not end within 0.06 seconds"),
        (
            format!("echo $$ >{file_name}; echo 42; exec sleep 600"),
            "the answer did not end within 0.06 seconds",
        ),
        (
            format!("trap '' TERM; echo $$ >{file_name}; exec sleep 600"),
            "the answer did not end within 0.06 seconds",
        ),
        (format!("sleep 600 & echo $! >{file_name}; wait"), "the answer did not end within 0.06 seconds"),
    ] {
        let mut provider = fake(Preset::Plain, &script);
        // Long enough to begin: the test waits for the end of what has begun.
        provider.timeout = SHORT;
        let error = ask(&provider, "x").0.unwrap_err();
        assert!(error.is_transient());
        assert!(error.to_string().starts_with(message), "{error}");
        if file.exists() && !fs::read_to_string(&file).unwrap().is_empty() {
            wait_until_gone(&file);
        }
    }
    assert_eq!(does(Preset::Plain, "exec yes"), Err("the answer has more than 4194304 bytes".to_owned()));
    assert_eq!(
        does(Preset::Claude, "trap '' TERM; yes"),
        Err("the answer has more than 4194304 bytes".to_owned())
    );
}

#[test]
fn a_cancellation_ends_it_with_all_that_it_has_started() {
    let folder = tempfile::tempdir().unwrap();
    let (new, file) = (folder.path().join("new"), folder.path().join("pid"));
    let script = format!(
        "trap '' TERM; sleep 600 & echo $! >{0}; mv {0} {1}; while :; do wait; done",
        new.display(),
        file.display()
    );
    let provider = fake(Preset::Plain, &script);
    let cancellation = Cancellation::default();
    thread::scope(|scope| {
        let asking = scope
            .spawn(|| provider.ask(&Request::new("x"), &TestLedger::default(), &cancellation).unwrap_err());
        while !file.exists() {
            thread::yield_now();
        }
        cancellation.cancel();
        assert!(matches!(asking.join().unwrap(), LlmError::Cancelled));
    });
    wait_until_gone(&file);
}

#[test]
fn it_gets_ordinary_variables_and_those_that_are_configured() {
    let mut provider = fake(Preset::Plain, "env");
    provider.environment = environment(&[
        ("HOME", "/home/ann"),
        ("LC_ALL", "C.UTF-8"),
        ("XDG_CONFIG_HOME", "/x"),
        ("https_proxy", "http://proxy"),
        ("ANTHROPIC_API_KEY", "secret"),
        ("OPENAI_API_KEY", "secret"),
        ("AIDE_TOKEN", "secret"),
        ("PASSED", "as it is"),
        ("AWS_SECRET_ACCESS_KEY", "secret"),
    ]);
    provider.config.pass_env = vec!["PASSED".to_owned(), "NOT_THERE".to_owned()];
    provider.config.env.push(("HOME".to_owned(), "/elsewhere".to_owned()));
    let text = outcome_of(&provider).unwrap();
    let mut lines: Vec<_> = text.lines().filter(|line| !line.starts_with("PATH=")).collect();
    // The shell's own.
    lines.retain(|line| !["PWD=", "SHLVL=", "_=", "OLDPWD="].iter().any(|own| line.starts_with(own)));
    lines.sort_unstable();
    let expected = [
        "FAKE=env",
        "HOME=/elsewhere",
        "LC_ALL=C.UTF-8",
        "PASSED=as it is",
        "XDG_CONFIG_HOME=/x",
        "https_proxy=http://proxy",
    ];
    assert_eq!(lines, expected);
    assert!(!format!("{provider:?}").contains("secret"));
}

#[test]
fn it_runs_in_the_folder_that_it_is_given() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().canonicalize().unwrap();
    let request = Request { folder: Some(path.clone()), ..Request::new("x") };
    let reply =
        fake(Preset::Plain, "pwd").ask(&request, &TestLedger::default(), &Cancellation::default()).unwrap();
    assert_eq!(reply.answer.text, path.display().to_string());
}

#[test]
fn what_cannot_be_recorded_is_not_asked_and_what_was_answered_is_not_lost() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("started");
    let provider = fake(Preset::Plain, &format!("touch {}; echo 42", file.display()));
    let ask =
        |book: TestLedger| provider.ask(&Request::new("x"), &book, &Cancellation::default()).unwrap_err();
    let error = ask(TestLedger { is_closed_to_requests: true, ..TestLedger::default() });
    assert!(matches!(error, LlmError::NotRecorded { raw: None, .. }), "{error:?}");
    assert!(!file.exists());
    let error = ask(TestLedger { is_closed_to_answers: true, ..TestLedger::default() });
    assert!(matches!(&error, LlmError::NotRecorded { raw: Some(raw), .. } if raw == b"42\n"), "{error:?}");
}

#[test]
fn what_it_said_before_its_time_was_up_is_told() {
    let waits = "{\"type\":\"error\",\"message\":\"waiting for network\"}";
    for (preset, line) in [(Preset::Plain, "waiting for network"), (Preset::Codex, waits)] {
        let mut provider = fake(preset, &format!("echo aside >&2; echo '{line}'; exec sleep 600"));
        provider.timeout = Duration::from_secs(3);
        assert_eq!(
            outcome_of(&provider),
            Err("the answer did not end within 3 seconds: aside / waiting for network".to_owned())
        );
    }
}

#[test]
fn one_that_is_busy_is_asked_again_and_one_without_quota_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let calls = folder.path().join("calls");
    let asked = || {
        let calls_now = fs::read_to_string(&calls).unwrap_or_default().lines().count();
        let _ = fs::remove_file(&calls);
        calls_now
    };
    let refused = |words: &str| CLAUDE.replace("false", "true").replace("42", words);
    let script = |output: &str, code: i32| {
        let calls = calls.display();
        format!(
            "cat >/dev/null; if [ -e {calls} ]; then echo x >>{calls}; echo '{CLAUDE}'; exit; fi; echo x >>{calls}; \
             echo '{output}'; exit {code}"
        )
    };
    // With any exit code, in good form or not.
    for (output, code) in [
        (refused("API Error: 529 overloaded_error"), 0),
        (refused("API Error: 429 rate_limit_error"), 1),
        ("error: 503 Service Unavailable".to_owned(), 2),
    ] {
        let (result, entries) = ask(&fake(Preset::Claude, &script(&output, code)), "x");
        assert_eq!(result.unwrap().attempts, 2, "{output}");
        assert_eq!((asked(), pauses().len()), (2, 1));
        // What was no answer is not kept as one.
        assert_eq!(entries.iter().filter(|entry| entry.starts_with("answer")).count(), 1, "{entries:?}");
    }
    for (output, code, hint) in [
        (refused("Credit balance is too low"), 0, "balance is used up"),
        (refused("Claude usage limit reached"), 1, "balance is used up"),
        (refused("Invalid API key - Please run /login"), 1, "log in with the program"),
        ("error: unknown option".to_owned(), 1, ""),
    ] {
        let error = ask(&fake(Preset::Claude, &script(&output, code)), "x").0.unwrap_err();
        assert!(!error.is_transient() && error.describe().contains(hint), "{}", error.describe());
        assert_eq!((asked(), pauses()), (1, Vec::new()), "{output}");
    }
}

#[test]
fn a_busy_one_is_given_up_after_a_minute_or_so() {
    let error = does(Preset::Plain, "echo 'error: 429 Too Many Requests' >&2; exit 1").unwrap_err();
    assert_eq!(error, "PROGRAM failed (exit code 1): error: 429 Too Many Requests");
    let pauses = pauses();
    assert_eq!(pauses.len(), 7);
    assert!(pauses.iter().sum::<Duration>() > Duration::from_secs(40), "{pauses:?}");
}

#[test]
fn half_a_turn_is_no_answer_and_asked_for_once_more() {
    let half = CODEX.replace("{\"type\":\"turn.completed\",\"usage\":{}}", "");
    assert_eq!(does(Preset::Codex, &prints(&half)), Err("the end of the answer is missing".to_owned()));
    assert_eq!(pauses().len(), 1);
}

#[test]
fn a_reason_is_found_behind_usage_and_on_the_other_stream() {
    let usage = "error: unexpected argument '--ephemeral' found\n\nUsage: codex exec [OPTIONS]\n\nFor more information, \
                 try '--help'.";
    let gemini = "Loaded cached credentials.\n{\n  \"session_id\": \"s\",\n  \"error\": {\n    \"type\": \"Error\",\n    \
                  \"message\": \"Please set an Auth method\",\n    \"code\": 41\n  }\n}";
    for (preset, stderr, message) in [
        (Preset::Codex, usage, "error: unexpected argument '--ephemeral' found"),
        (Preset::Gemini, gemini, "Please set an Auth method"),
    ] {
        let script = format!("cat >/dev/null; cat >&2 <<'EOF'\n{stderr}\nEOF\nexit 2");
        assert_eq!(does(preset, &script), Err(format!("PROGRAM failed (exit code 2): {message}")));
    }
}

#[test]
fn variables_that_are_set_and_not_passed_are_named_when_it_fails() {
    let mut provider = fake(Preset::Claude, "echo 'Not logged in' >&2; exit 1");
    provider.environment =
        environment(&[("ANTHROPIC_API_KEY", "secret"), ("ANTHROPIC_BASE_URL", "http://x")]);
    let words = |provider: &CommandProvider| ask(provider, "x").0.unwrap_err().describe();
    assert_eq!(
        words(&provider).replace(PROGRAM, "PROGRAM"),
        "PROGRAM failed (exit code 1): Not logged in (the environment variables ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL are \
         set, but not passed to the program: name them in the provider's pass_env if it needs them)"
    );
    provider.config.pass_env = vec!["ANTHROPIC_API_KEY".to_owned()];
    provider.config.env.push(("ANTHROPIC_BASE_URL".to_owned(), "http://y".to_owned()));
    assert!(words(&provider).ends_with("with the provider's pass_env)"), "{}", words(&provider));
}

#[test]
fn gemini_is_told_that_a_trusted_project_is_trusted() {
    let mut provider =
        fake(Preset::Gemini, "printf '{\"response\":\"trust: %s\"}' \"$GEMINI_CLI_TRUST_WORKSPACE\"");
    assert_eq!(outcome_of(&provider), Ok("trust: ".to_owned()));
    provider.environment = environment(&[]).trusted(true);
    assert_eq!(outcome_of(&provider), Ok("trust: true".to_owned()));
    // What is configured comes first.
    provider.config.env.push(("GEMINI_CLI_TRUST_WORKSPACE".to_owned(), "false".to_owned()));
    assert_eq!(outcome_of(&provider), Ok("trust: false".to_owned()));
}

#[test]
fn what_ollama_draws_is_no_part_of_its_answer() {
    let drawn =
        "printf '\\033[?25l\\033[2K\\033[1G\\033[?25hThe answer is fort\\033[4D\\033[K\\nforty-two\\n\\n'";
    assert_eq!(does(Preset::Ollama, drawn), Ok("The answer is \nforty-two".to_owned()));
}
