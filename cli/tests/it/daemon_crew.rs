//! Who works on workflows and what they may do, as the person's own configuration says it.

use crate::support::CommandOutput;
use crate::support::daemon::Place;
use serde_json::{Value, json};
use std::fs;

/// A place for a daemon, with this configuration of the person.
fn place(config: &str) -> Place {
    let place = Place::new();
    let folder = place.folder.join("home").join(".config/aide");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("config.toml"), config).unwrap();
    place
}

fn names(agents: &Value) -> Vec<&str> {
    agents.as_array().unwrap().iter().map(|agent| agent["id"].as_str().unwrap()).collect()
}

#[test]
fn configured_agents_are_in_the_pool_and_a_missing_provider_is_told() {
    let place = place(
        "[daemon]\nprovider = 'gone'\n\
         [[daemon.agents]]\nid = 'legal'\ntype = 'reviewer'\ncapabilities = { contracts = 9 }\nfolder = '/srv/legal'\n",
    );
    let started = place.finger(["daemon", "start", "--http-port", "0", "--ws-port", "0"]);
    assert_eq!(started.code, Some(0), "{}", started.stderr);
    // It runs all the same.
    assert_eq!(started.stdout, format!("Daemon started with PID {}\n", place.told()["pid"]));
    assert_eq!(
        started.stderr,
        "⚠ there is no [[agent.providers]] named \"gone\" in your own configuration; these agents cannot work: \
         orchestrator-default, executor-general, executor-research, executor-coding, reviewer-default\n"
    );
    let log = place.finger(["daemon", "logs"]).stdout;
    assert!(log.contains("no such provider is configured") && log.contains("gone"), "{log}");
    let agents = place.json(["agents", "--json"]);
    assert_eq!(names(&agents).len(), 6);
    let legal = agents.as_array().unwrap().iter().find(|agent| agent["id"] == "legal").unwrap();
    assert_eq!((&legal["type"], &legal["capabilities"]), (&json!("reviewer"), &json!(["contracts"])));
}

#[test]
fn a_mistake_is_told_before_anything_is_begun() {
    for (config, told) in [
        ("[[daemon.agents]]\nid = 'a'\n", "daemon.agents.provider is missing"),
        (
            "[daemon.tools]\nshell_exec = 'maybe'\n",
            "daemon.tools.shell_exec must be one of allow, ask, deny, but is \"maybe\"",
        ),
        ("[[agent.providers]]\nname = 'x'\n", "agent.providers.kind is missing"),
    ] {
        let place = place(config);
        let refused = place.finger(["daemon", "start", "--http-port", "0", "--ws-port", "0"]);
        assert_eq!((refused.code, &*refused.stdout), (Some(1), ""), "{}", refused.stderr);
        assert!(refused.stderr.contains(told), "{}", refused.stderr);
        assert!(!place.state().exists());
    }
}

#[test]
fn policies_are_as_configured_and_can_be_listed_and_set() {
    let place = place("");
    let aide = |arguments: &[&str]| {
        let mut command = place.folder.command(arguments);
        CommandOutput::new(
            command.env("HOME", place.folder.join("home")).env("AIDE_LANG", "en").output().unwrap(),
        )
    };
    let set = aide(&["config", "set", "--user", "daemon.tools.fetch_url", "deny"]);
    assert_eq!(set.code, Some(0), "{}", set.stderr);
    let listed: Value = serde_json::from_str(&aide(&["config", "list", "--json"]).stdout).unwrap();
    assert_eq!(listed["daemon.tools.fetch_url"]["value"], "deny");
    assert_eq!(listed["daemon.tools.shell_exec"], json!({ "value": "ask", "source": "default" }));
    assert_eq!(listed["daemon.agents"]["value"], json!([]));
    place.start();
    let tools = crate::support::http::get(place.http_port(), "/api/v1/tools").json();
    let policies: Vec<_> = tools.as_array().unwrap().iter().map(|tool| tool["policy"].clone()).collect();
    assert_eq!(policies, ["ask", "deny", "allow", "allow", "ask"]);
    assert_eq!(tools[0]["available"], json!(false));
}
