//! What the configuration says of `aide flow`.

use crate::folder::Folder;
use settings::{
    AddStrategy, CommitChoice, ConfigError, ConfigErrorKind, FlowConfig, FlowHook, HookPoint, KEYS,
    OnMissing, PhasesFault, RequiredDecision, Requirement,
};
use std::fs;

fn flow_of(folder: &Folder) -> Result<FlowConfig, ConfigError> {
    folder.files().layers()?.flow()
}

fn flow(project: &str) -> Result<FlowConfig, ConfigError> {
    flow_of(&Folder::with(project, ""))
}

fn owned(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|&text| text.to_owned()).collect()
}

#[test]
fn what_is_not_said_of_tasks_has_its_default() {
    let default = FlowConfig::default();
    assert_eq!(default.phases, ["task-optimize", "flow-design", "impl", "verify", "docs", "finish"]);
    for text in ["", "[flow]\n[plantuml]\n", "[flow.git]\nother = 1\n", "[plantuml]\ndpi = 300\n"] {
        assert_eq!(flow(text).unwrap(), default, "{text}");
    }
    assert_eq!(flow_of(&Folder::new()).unwrap(), default);
    // The defaults of the table, written down, are those of the program.
    let written: String = KEYS.iter().map(|key| format!("{} = {}\n", key.name, key.default())).collect();
    assert_eq!(flow(&written).unwrap(), default);
}

#[test]
fn every_key_of_tasks_is_read() {
    let text = r#"
[flow]
phases = [" plan ", "做"]
back_confirm = true
commit = "ask"
git = { enabled = false, required = false, allow_empty_commit = true, allow_detached = true, add_strategy = "staged" }
plantuml.enabled = false
plantuml.glob = ["*.puml"]
plantuml.on_missing_tool = "error"
plantuml.generate_png = false

[flow.changelog]
enabled = false
path = "NEWS"
required = false

[[flow.hooks]]
on = "leave"
phase = "做 "
run = "make | tee log"
timeout = 3600

[[flow.hooks]]
on = "step"
run = ["make", "check", ""]

[[flow.require]]
phase = "plan"
decision = "answered"

[plantuml]
jar_path = "/p.jar"
java_path = "/java"
"#;
    let flow = flow(text).unwrap();
    assert_eq!(flow.phases, ["plan", "做"]);
    assert!(flow.back_confirm);
    assert!(
        !flow.git.enabled && !flow.git.required && flow.git.allow_empty_commit && flow.git.allow_detached
    );
    assert_eq!(flow.git.add_strategy, AddStrategy::Staged);
    assert_eq!(flow.commit, CommitChoice::Ask);
    assert!(!flow.plantuml.enabled && !flow.plantuml.generate_png);
    assert_eq!(flow.plantuml.glob, ["*.puml"]);
    assert_eq!(flow.plantuml.on_missing_tool, OnMissing::Error);
    assert_eq!([&flow.plantuml.jar_path, &flow.plantuml.java_path], ["/p.jar", "/java"]);
    assert!(!flow.changelog.enabled && !flow.changelog.required);
    assert_eq!(flow.changelog.path, "NEWS");
    let leave = FlowHook {
        on: HookPoint::Leave,
        phase: Some("做".to_owned()),
        run: owned(&["sh", "-c", "make | tee log"]),
        timeout: 3600,
    };
    let step = FlowHook { on: HookPoint::Step, phase: None, run: owned(&["make", "check", ""]), timeout: 60 };
    assert_eq!(flow.hooks, [leave, step]);
    let required = Requirement { phase: "plan".to_owned(), decision: RequiredDecision::Answered };
    assert_eq!(flow.require, [required]);
}

#[test]
fn phases_are_never_made_up() {
    for (value, expected) in [
        ("[]", PhasesFault::Empty),
        ("\"impl\"", PhasesFault::Empty),
        ("{}", PhasesFault::Empty),
        ("7", PhasesFault::Empty),
        ("[\"\"]", PhasesFault::Blank),
        ("[\"a\", \" \\t\u{3000}\"]", PhasesFault::Blank),
        ("[\"a\", 1]", PhasesFault::Blank),
        ("[\"a\", \"b\", \" a\"]", PhasesFault::Repeated("a".to_owned())),
    ] {
        let error = flow(&format!("\n[flow]\nphases = {value}\n")).unwrap_err();
        assert_eq!((error.line, error.key), (Some(3), Some("flow.phases")), "{value}");
        assert!(
            matches!(&error.kind, ConfigErrorKind::Phases(fault) if *fault == expected),
            "{value}: {error:?}"
        );
    }
}

#[test]
fn what_is_wrong_with_a_hook_is_told_with_its_place() {
    for (text, key, line, expected) in [
        ("[flow.hooks.plantuml]\nenabled = true", "flow.hooks", 1, "expected array of tables, found "),
        ("flow.hooks = [1]", "flow.hooks", 1, "expected array of tables, found [1]"),
        ("[[flow.hooks]]\nrun = \"x\"", "flow.hooks.on", 2, "is missing"),
        ("[[flow.hooks]]\non = \"step\"", "flow.hooks.run", 2, "is missing"),
        ("\n[[flow.hooks]]\n", "flow.hooks.on", 2, "is missing"),
        (
            "[[flow.hooks]]\non = \"exit\"\nrun = \"x\"",
            "flow.hooks.on",
            2,
            "expected one of [\"enter\", \"leave\", \"step\"], found \"exit\"",
        ),
        ("[[flow.hooks]]\non = \"step\"\nrun = []", "flow.hooks.run", 3, "names no program"),
        ("[[flow.hooks]]\non = \"step\"\nrun = \" \"", "flow.hooks.run", 3, "names no program"),
        ("[[flow.hooks]]\non = \"step\"\nrun = [\"\", \"x\"]", "flow.hooks.run", 3, "names no program"),
        (
            "flow.hooks = [{ on = \"step\", run = 1 }]",
            "flow.hooks.run",
            1,
            "expected string or array of strings, found 1",
        ),
        (
            "[[flow.hooks]]\non = \"step\"\nrun = \"x\"\ntimeout = 0",
            "flow.hooks.timeout",
            4,
            "expected 1 to 3600, found 0",
        ),
        (
            "[[flow.hooks]]\non = \"step\"\nrun = \"x\"\nphase = \"confirm\"",
            "flow.hooks.phase",
            4,
            "no phase of flow.phases: \"confirm\"",
        ),
        (
            "[[flow.require]]\nphase = \"build\"\ndecision = \"answered\"",
            "flow.require.phase",
            2,
            "no phase of flow.phases: \"build\"",
        ),
        (
            "[[flow.require]]\nphase = \"impl\"\ndecision = \"made\"",
            "flow.require.decision",
            3,
            "expected one of [\"answered\"], found \"made\"",
        ),
        (
            "[flow.git]\nadd_strategy = \"dot\"",
            "flow.git.add_strategy",
            2,
            "expected one of [\"all\", \"tracked\", \"staged\"], found \"dot\"",
        ),
        ("[flow]\ngit = 1", "flow.git", 2, "expected table, found 1"),
        ("flow = 1", "flow", 1, "expected table, found 1"),
    ] {
        let error = flow(text).unwrap_err();
        assert_eq!((error.line, error.key), (Some(line), Some(key)), "{text}");
        assert!(error.kind.to_string().starts_with(expected), "{text}: {}", error.kind);
    }
}

#[test]
fn the_project_stands_above_the_person_key_by_key() {
    let folder = Folder::with(
        "[flow]\nphases = [\"a\", \"b\"]\n[flow.git]\nenabled = false\n",
        "[flow]\nphases = [\"c\"]\nback_confirm = true\n[flow.git]\nenabled = true\nrequired = false\n",
    );
    let flow = flow_of(&folder).unwrap();
    assert_eq!(flow.phases, ["a", "b"]);
    assert!(flow.back_confirm && !flow.git.enabled && !flow.git.required);
    // A broken file is reported, not ignored.
    fs::write(&folder.user, "[flow").unwrap();
    let error = folder.files().layers().unwrap_err();
    assert_eq!((error.file, error.line), (folder.user.clone(), Some(1)));
    fs::write(&folder.user, "\n[flow]\nback_confirm = 1\n").unwrap();
    let error = flow_of(&folder).unwrap_err();
    assert_eq!(
        (error.file, error.line, error.key),
        (folder.user.clone(), Some(3), Some("flow.back_confirm"))
    );
}

#[test]
fn what_starts_programs_is_known_by_whose_file_it_stands_in() {
    const PROGRAMS: &str = "[plantuml]\njar_path = \"/x.jar\"\njava_path = \"/x\"\n\
                            [[flow.hooks]]\non = \"step\"\nrun = \"x\"\n";
    const ALL: [&str; 3] = ["flow.hooks", "plantuml.jar_path", "plantuml.java_path"];
    let needing = |project, user| {
        let folder = Folder::with(project, user);
        let followed = folder.files().layers().unwrap().followed_flow(|_| false).unwrap();
        followed.ignored.iter().map(|key| key.name).collect::<Vec<_>>()
    };
    assert_eq!(needing(PROGRAMS, ""), ALL);
    assert!(needing("", PROGRAMS).is_empty());
    assert!(
        needing("flow.hooks = []\nplantuml = { jar_path = \"\", java_path = \"java\" }", PROGRAMS).is_empty()
    );

    // What is ignored lets the person's own be seen.
    let own = "plantuml.jar_path = \"/own.jar\"\n";
    let folder = Folder::with(PROGRAMS, own);
    let flow = folder.files().layers().unwrap().followed_flow(|_| false).unwrap().value;
    assert!(flow.hooks.is_empty());
    assert_eq!([&flow.plantuml.jar_path, &flow.plantuml.java_path], ["/own.jar", "java"]);
}

#[test]
fn what_starts_programs_is_ignored_until_it_is_trusted() {
    let project = "flow.back_confirm = true\nplantuml.java_path = \"/evil\"\n\
                   [[flow.hooks]]\non = \"step\"\nrun = \"evil\"\n";
    let user = "[plantuml]\njava_path = \"/mine\"\njar_path = \"/mine.jar\"\n";
    let files = Folder::with(project, user);
    let files = files.files();
    let layers = files.layers().unwrap();
    let flow = layers.followed_flow(|_| false).unwrap().value;
    assert!(flow.hooks.is_empty() && flow.back_confirm);
    assert_eq!([&flow.plantuml.java_path, &flow.plantuml.jar_path], ["/mine", "/mine.jar"]);

    let trusts = |text: &str| {
        assert_eq!(text, project, "the very text is asked for");
        true
    };
    let followed = layers.followed_flow(trusts).unwrap();
    assert!(followed.ignored.is_empty());
    assert_eq!(followed.value.hooks[0].run, ["sh", "-c", "evil"]);
    let plantuml = followed.value.plantuml;
    assert_eq!([&plantuml.java_path, &plantuml.jar_path], ["/evil", "/mine.jar"]);
}

#[test]
fn the_persons_own_programs_need_no_trust() {
    let folder = Folder::with("", "[[flow.hooks]]\non = \"step\"\nrun = [\"mine\"]\n");
    let files = folder.files();
    let followed = files.layers().unwrap().followed_flow(|_| panic!("nobody is asked")).unwrap();
    assert!(followed.ignored.is_empty());
    assert_eq!(followed.value.hooks[0].run, ["mine"]);
}

#[test]
fn a_mistake_is_told_also_where_it_would_be_ignored() {
    let folder = Folder::with("[[flow.hooks]]\non = \"step\"\n", "");
    assert!(folder.files().layers().unwrap().followed_flow(|_| false).is_err());
}
