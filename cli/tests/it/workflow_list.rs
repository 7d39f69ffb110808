//! Workflows that no agent works on, that are looked for, resumed, cancelled and removed.

use crate::support::daemon::Place;
use crate::support::{CommandOutput, until};
use rustix::process::Signal;
use serde_json::{Value, json};
use std::thread;

/// What to add to the configuration.
const LINES: &str = "
    agent.providers = [{ name = \"claude\", kind = \"command\", preset = \"claude\" }]
    [daemon]
    provider = \"claude\"
";

fn begin(place: &Place, task: &str) -> String {
    let begun = place.finger(["orchestrate", task]);
    assert_eq!(begun.code, Some(0), "{begun:?}");
    begun.stdout.trim_end().strip_prefix("Workflow started: ").unwrap().to_owned()
}

#[test]
fn a_workflow_without_a_provider_names_the_lines_to_add() {
    let place = Place::started();
    let begun = place.finger(["orchestrate", "a"]);
    assert_eq!(begun.code, Some(0), "{begun:?}");
    assert!(begun.stdout.starts_with("Workflow started: wf-"), "{begun:?}");
    assert!(begun.stderr.starts_with("⚠ no provider is configured: "), "{begun:?}");
    assert!(begun.stderr.ends_with(LINES), "{begun:?}");
    let json = place.finger(["orchestrate", "a", "--json"]);
    let told: Value = serde_json::from_str(&json.stderr).unwrap();
    assert_eq!((&told["type"], &told["code"]), (&"unattended".into(), &"PROVIDER_MISSING".into()));
    // They are what they are said to be.
    let lines: String = LINES.lines().map(|line| format!("{}\n", line.trim())).collect();
    place.folder.write("home/.config/aide/config.toml", lines);
    place.finger(["daemon", "stop"]).succeeded("Daemon stopped\n");
    place.start();
    let begun = place.finger(["orchestrate", "a"]);
    assert_eq!((begun.code, &*begun.stderr), (Some(0), ""));
}

/// What is missing depends on what is configured, and following the hint makes the agents work.
#[test]
fn what_to_do_without_a_provider_fits_the_configuration_that_is_there() {
    const USER: &str = "home/.config/aide/config.toml";
    let provider = "[[agent.providers]]\nname = \"demo\"\nkind = \"command\"\ncommand = \"true\"\n";
    let place = Place::new();
    place.folder.write(USER, "general.lang = \"en\"\n\n[daemon]\nkeep_events = 7\n\n[decide]\nport = 0\n");
    place.start();
    let begun = place.finger(["orchestrate", "a"]);
    assert!(begun.stderr.starts_with("⚠ no provider is configured: "), "{begun:?}");
    let (hint, lines) = begun.stderr.split_once("\n    ").unwrap();
    let resume = |begun: &CommandOutput| {
        let workflow = begun.stdout.trim_end().strip_prefix("Workflow started: ").unwrap();
        format!("aide daemon restart && aide workflow resume {workflow}")
    };
    let set_and = format!("aide config set --user daemon.provider claude && {}", resume(&begun));
    assert!(hint.ends_with(&set_and), "{begun:?}");
    let lines: String = lines.lines().map(|line| format!("{}\n", line.trim())).collect();
    let before = std::fs::read_to_string(place.folder.join(USER)).unwrap();
    place.folder.write(USER, format!("{before}\n{lines}"));
    let set = |place: &Place, name: &str| {
        let mut command = place.folder.command(["config", "set", "--user", "daemon.provider", name]);
        command.env("HOME", place.folder.join("home"));
        assert!(command.output().unwrap().status.success());
    };
    set(&place, "claude");
    // The daemon does not know it yet.
    let begun = place.finger(["orchestrate", "a"]);
    assert!(
        begun.stderr.starts_with("⚠ the daemon was started before its provider was configured"),
        "{begun:?}"
    );
    assert!(begun.stderr.ends_with(&format!("  hint: run {}\n", resume(&begun))), "{begun:?}");
    place.finger(["daemon", "stop"]).succeeded("Daemon stopped\n");
    place.start();
    assert_eq!(place.finger(["orchestrate", "a"]).stderr, "");
    // A provider that only has to be named: neither is it said to be missing, nor is there anything to add.
    let place = Place::new();
    place.folder.write(USER, provider);
    place.start();
    let begun = place.finger(["orchestrate", "a"]);
    let named = format!(
        "⚠ daemon.provider is not set: the daemon's agents leave this workflow to a client that drives it over HTTP\n  \
         hint: run aide config set --user daemon.provider demo && {}\n",
        resume(&begun)
    );
    assert_eq!(begun.stderr, named);
    set(&place, "demo");
    place.finger(["daemon", "stop"]).succeeded("Daemon stopped\n");
    place.start();
    assert_eq!(place.finger(["orchestrate", "a"]).stderr, "");
}

#[test]
fn a_list_that_is_empty_says_so_beside_it() {
    let place = Place::started();
    let told = |arguments: &[&str]| {
        let told = place.finger(arguments);
        assert_eq!((told.code, &*told.stdout), (Some(0), ""), "{arguments:?}");
        told.stderr
    };
    assert_eq!(told(&["list"]), "No workflows yet\n");
    assert_eq!(told(&["sessions"]), "No sessions yet\n");
    assert_eq!(told(&["sessions", "--resumable"]), "No session can be resumed\n");
    begin(&place, "Write a report");
    assert_eq!(told(&["list", "--search", "money"]), "No workflow matches\n");
}

#[test]
fn sessions_are_told_apart_by_their_workflows() {
    let place = Place::started();
    let (first, second) = (begin(&place, "Write a report"), begin(&place, "Count money"));
    place.finger(["cancel", &second]).succeeded_with("Workflow cancelled");
    let list = place.finger(["list"]).stdout;
    let sessions = place.finger(["sessions"]).stdout;
    for (workflow, told) in
        [(first, "semantic_understanding (planning): Write a report"), (second, "cancelled: Count money")]
    {
        let session = place.json(["status", &workflow, "--json"])["sessionId"].as_str().unwrap().to_owned();
        let lines = format!("- {session}: work (active)\n  {workflow}: {told}\n");
        assert!(sessions.contains(&lines), "{sessions}");
        // The list names the session as well.
        assert!(list.contains(&format!("\n  Session: {session}\n")), "{list}");
    }
}

#[test]
fn watching_a_workflow_that_no_agent_works_on_ends_with_4() {
    let place = Place::started();
    // All at the same time: each waits until it is sure.
    thread::scope(|scope| {
        for mode in ["--watch", "--blocking", "--stream"] {
            let place = &place;
            scope.spawn(move || {
                let watched = place.finger(["orchestrate", "a", mode]);
                assert_eq!(watched.code, Some(4), "{mode}: {watched:?}");
                let (said, again) = watched
                    .stderr
                    .split_once("✗ the daemon's agents have no provider, and no client drives")
                    .unwrap();
                assert!(said.ends_with(LINES) && again.contains("add the three lines above"), "{watched:?}");
            });
        }
    });
    // It is there all the same, for a client that drives it; both say what is missing.
    let list = place.json(["list", "--json"]);
    assert_eq!(list.as_array().unwrap().len(), 3);
    assert_eq!(list[0]["waitingFor"], json!([{ "type": "provider" }]));
    let lines = "  Waiting for: a provider (the daemon has none)\n";
    assert_eq!(place.finger(["list"]).stdout.matches(lines).count(), 3);
    let status = place.finger(["status", list[0]["id"].as_str().unwrap()]);
    assert!(status.stdout.contains("a provider (the daemon has none)"), "{status:?}");
}

#[test]
fn a_list_says_what_tells_a_workflow_from_others_and_is_searched() {
    let place = Place::started();
    let (first, second) = (begin(&place, "Write a report"), begin(&place, "Count money"));
    place.finger(["decision", "create", "Go on?", "--workflow", &first]).succeeded_with("Decision created");
    place.finger(["cancel", &second]).succeeded_with("Workflow cancelled");
    let list = |arguments: &[&str]| place.finger(["list"].iter().chain(arguments)).stdout;
    let all = list(&[]);
    let line = |id: &str| all.lines().find(|line| line.starts_with(&format!("- {id}: "))).unwrap();
    let told = line(&first);
    assert!(
        told.starts_with(&format!("- {first}: semantic_understanding (waiting for you), started ")),
        "{told}"
    );
    assert!(
        told.ends_with(" s ago, work: Write a report") || told.ends_with(" min ago, work: Write a report"),
        "{told}"
    );
    assert!(line(&second).starts_with(&format!("- {second}: cancelled, ")), "{all}");
    assert!(all.contains("\n  Waiting for: 1 decision\n"), "{all}");
    let names = |arguments: &[&str]| -> Vec<String> {
        let lines = list(arguments);
        let named =
            lines.lines().filter_map(|line| Some(line.strip_prefix("- ")?.split_once(": ")?.0.to_owned()));
        named.collect()
    };
    for (arguments, found) in [
        (&["--state", "active"][..], vec![first.clone()]),
        (&["--state", "waiting"], vec![first.clone()]),
        (&["--state", "cancelled"], vec![second.clone()]),
        (&["--state", "failed"], vec![]),
        (&["--search", "MONEY"], vec![second.clone()]),
        (&["--project", "work", "--state", "active"], vec![first.clone()]),
        (&["--project", ".", "--search", "report"], vec![first.clone()]),
        (&["--project", "elsewhere"], vec![]),
    ] {
        assert_eq!(names(arguments), found, "{arguments:?}");
    }
    assert_eq!(place.finger(["list", "--state", "asleep"]).code, Some(2));
    // What was cancelled is called so; programs read the state of the contract.
    let status = place.finger(["status", &second]).stdout;
    assert!(status.contains("Status: cancelled\nPhase: cancelled\n"), "{status}");
    let state = place.json(["status", &second, "--json"]);
    assert_eq!((&state["fsmState"], &state["simplifiedStatus"]), (&"failed".into(), &"failed".into()));
}

#[test]
fn an_interrupted_workflow_is_resumed_by_resume() {
    let place = Place::started();
    let workflow = begin(&place, "a");
    place.signal(Signal::KILL);
    until("it is gone", || !place.finger(["daemon", "status"]).stdout.contains("running"));
    place.start();
    let list = place.finger(["list"]).stdout;
    assert!(list.contains(&format!("- {workflow}: semantic_understanding (interrupted), ")), "{list}");
    assert!(list.contains(&format!("  To resume: aide workflow resume {workflow}\n")), "{list}");
    assert!(!list.contains("Waiting for"), "{list}");
    place.finger(["resume", &workflow]).succeeded(&format!("Workflow resumed: {workflow}\n"));
    assert!(!place.finger(["list"]).stdout.contains("interrupted"));
    assert_eq!(place.finger(["resume", &workflow]).code, Some(1), "it goes on already");
}

#[test]
fn old_workflows_are_removed_and_never_one_that_goes_on() {
    let place = Place::started();
    let all: Vec<String> = ["a", "b", "c"].map(|task| begin(&place, task)).into();
    let refused = place.finger(["remove", &all[0]]);
    assert_eq!(refused.code, Some(1), "{refused:?}");
    assert!(refused.stderr.contains("Workflow has not ended"), "{refused:?}");
    for workflow in &all[..2] {
        place.finger(["cancel", workflow]).succeeded_with("Workflow cancelled");
    }
    place.finger(["remove", &all[0]]).succeeded(&format!("Workflow removed: {}\n", all[0]));
    assert_eq!(place.finger(["remove", &all[0]]).code, Some(4));
    place.finger(["prune", "--older-than", "1d"]).succeeded("Nothing to remove\n");
    let dry = place.finger(["prune", "--older-than", "0h", "--dry-run"]);
    assert_eq!(dry.stdout, format!("Would remove: {}\n", all[1]));
    place.finger(["prune", "--older-than", "0h"]).succeeded(&format!("Workflow removed: {}\n", all[1]));
    assert_eq!(place.json(["list", "--json"]).as_array().unwrap().len(), 1);
    assert_eq!(place.finger(["prune", "--older-than", "long"]).code, Some(2));
    assert_eq!(place.finger(["prune"]).code, Some(2));
}

/// contract/workflows §3: a cursor belongs to the filters of its list.
#[test]
fn a_list_does_not_go_on_with_other_filters() {
    let place = Place::started();
    begin(&place, "a");
    begin(&place, "b");
    let first = place.finger(["list", "--state", "active", "--limit", "1"]);
    assert_eq!(first.code, Some(0), "{first:?}");
    let (_, cursor) = first.stderr.trim_end().rsplit_once("--cursor ").unwrap();
    let second = place.finger(["list", "--state", "active", "--cursor", cursor]);
    assert_eq!((second.code, &*second.stderr), (Some(0), ""), "{second:?}");
    assert_ne!(second.stdout, first.stdout);
    let other = place.finger(["list", "--state", "waiting", "--cursor", cursor]);
    assert_eq!((other.code, &*other.stdout), (Some(2), ""), "{other:?}");
    assert!(other.stderr.contains("cursor"), "{other:?}");
}
