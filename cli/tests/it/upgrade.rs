//! Another version of the program: a daemon that one before has started, and what one after has written.

use crate::daemon_questions::{answer, command};
use crate::support::daemon::Place;
use crate::support::http::{get, post_json};
use crate::support::{CommandOutput, Folder, begin, minimal};
use rusqlite::Connection;
use serde_json::{Value, json};
use std::env;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

/// The program of an earlier version, for `scripts/soak`; this one takes its place otherwise.
const BEFORE: &str = "AIDE_BEFORE";
const THIS: &str = env!("CARGO_PKG_VERSION");

fn aide(place: &Place, folder: &Folder, arguments: &[&str]) -> CommandOutput {
    CommandOutput::new(command(place, folder, arguments).output().unwrap())
}

#[test]
fn a_daemon_of_another_version_is_named_by_the_commands_that_ask_it() {
    let (place, folder) = (Place::started(), Folder::project_on_any_port());
    let file = place.state().join("daemon.json");
    // In place: the daemon holds the lock of this file.
    let told = fs::read_to_string(&file).unwrap();
    fs::write(&file, told.replace(&format!("\"version\": \"{THIS}\""), "\"version\": \"0.0.9\"")).unwrap();
    let notice = format!(
        "→ the running daemon is aide 0.0.9, this program is {THIS}; aide daemon restart replaces it without losing anything\n"
    );
    for arguments in [&["daemon", "status"][..], &["daemon", "start"], &["events"]] {
        let done = place.finger(arguments);
        assert_eq!((done.code, &done.stderr), (Some(0), &notice), "{arguments:?}");
    }
    assert_eq!(place.finger(["list"]).stderr, format!("{notice}No workflows yet\n"));
    let missing = place.finger(["status", "wf-0"]);
    assert!(missing.stderr.starts_with(&notice), "{}", missing.stderr);
    let detached =
        aide(&place, &folder, &["--lang", "en", "decide", "submit", "--detach", &minimal().to_string()]);
    assert!(detached.code == Some(0) && detached.stderr.contains(&notice), "{detached:?}");
    // Standard error of a script is one line of JSON or empty.
    assert_eq!(place.json(["list", "--json"]), json!([]));
    let restarted = place.finger(["daemon", "restart"]);
    assert_eq!(restarted.code, Some(0), "{restarted:?}");
    assert_eq!(place.told()["version"], json!(THIS));
    place.finger(["list"]).succeeded_and_said("", "No workflows yet\n");
}

/// What a person and an agent have when the daemon is replaced: nothing of it is lost.
#[test]
fn a_daemon_that_an_earlier_version_has_started_is_replaced_without_loss() {
    let this = OsString::from(env!("CARGO_BIN_EXE_aide"));
    let before = env::var_os(BEFORE).unwrap_or_else(|| this.clone());
    let (place, folder) = (Place::with(Path::new(&before)), Folder::project_on_any_port());
    place.start();
    let workflow = place.begin("Write a report");
    let created = place.finger([
        "decision",
        "create",
        "Which?",
        "--workflow",
        &workflow,
        "--option",
        "a",
        "--option",
        "new",
    ]);
    let id = created.stdout.strip_prefix("Decision created: ").unwrap().trim_end().to_owned();
    let mut asked =
        command(&place, &folder, &["decide", "submit", "--detach", "--json", &minimal().to_string()]);
    let asked = CommandOutput::new(asked.output().unwrap());
    let asked: Value = serde_json::from_str(&asked.stdout).unwrap();
    let (session, url) = (asked["session_id"].as_str().unwrap(), asked["url"].as_str().unwrap());
    let waiting = begin(command(&place, &folder, &["decide", "wait", session]));
    let port = place.http_port();
    let path = url.strip_prefix(&format!("http://localhost:{port}")).unwrap();
    let set = path.strip_prefix("/d/").unwrap();
    let draft =
        json!({ "session": set, "lang": "zh", "sheet": { "answers": [{ "id": 1, "note": "half" }] } });
    assert_eq!(post_json(port, "/fn/draft", &draft.to_string()).status, 200);
    assert!(get(port, path).text().contains("half</textarea>"), "the draft is on the page");
    let events = |further: &[&str]| -> Vec<Value> {
        let told = place.finger(["events", "--json"].iter().chain(further)).stdout;
        told.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    // A later version may say more of each.
    let decisions = || {
        let told = place.json(["decision", "list", "--json"])["decisions"].clone();
        ["decisionId", "workflowId", "message", "options", "status"].map(|member| told[0][member].clone())
    };
    let (list, open, seen) = (place.json(["list", "--json"]), decisions(), events(&[]));
    assert_eq!(open[0], json!(id));

    fs::remove_file(place.folder.join("finger")).unwrap();
    symlink(&this, place.folder.join("finger")).unwrap();
    let restarted = place.finger(["daemon", "restart"]);
    assert_eq!(restarted.code, Some(0), "{restarted:?}");

    assert_eq!(place.http_port(), port, "it has the ports that it had");
    assert_eq!(place.told()["version"], json!(THIS));
    assert_eq!(decisions(), open);
    let listed = place.json(["list", "--json"]);
    assert_eq!(
        (&listed[0]["id"], &listed[0]["status"], &listed[0]["createdAt"]),
        (&list[0]["id"], &list[0]["status"], &list[0]["createdAt"])
    );
    assert!(get(port, path).text().contains("half</textarea>"), "the draft is on the page still");
    // A client goes on after the last event that it has had, and misses none.
    assert_eq!(place.finger(["decision", "respond", &id, "new"]).code, Some(0));
    assert_eq!(events(&["--limit", "1000"])[..seen.len()], seen[..]);
    let last = seen.last().unwrap()["seq"].as_u64().unwrap();
    let new = events(&["--since", &last.to_string(), "--limit", "1000"]);
    assert_eq!(new[0]["seq"], json!(last + 1), "{new:?}");
    assert!(new.iter().any(|event| event["type"] == json!("user_decision_received")), "{new:?}");
    // The command that waits gets the answer.
    assert_eq!(answer(port, path).status, 200);
    let waited = CommandOutput::new(waiting.wait_with_output().unwrap());
    assert_eq!((waited.code, &*waited.stdout), (Some(0), "{\"decisions\":[{\"id\":1,\"chosen\":\"a\"}]}\n"));
}

#[test]
fn a_project_says_which_format_it_has() {
    let folder = Folder::project();
    let format: Value = serde_json::from_slice(&fs::read(folder.join(".aide/format.json")).unwrap()).unwrap();
    assert_eq!(format, json!({ "format": 1, "needs": "0.1.0" }));
    // One of a version that did not say has the first.
    fs::remove_file(folder.join(".aide/format.json")).unwrap();
    assert_eq!(folder.aide(["decide", "list"]).code, Some(0));
}

#[test]
fn a_project_of_a_later_version_is_refused_and_left_as_it_is() {
    let (place, folder) = (Place::new(), Folder::project());
    folder.write("q.json", minimal().to_string());
    folder.write(".aide/format.json", "{\"format\":2,\"needs\":\"7.8.9\",\"more\":[1]}\n");
    let before = folder.tree();
    let aide_folder = folder.path().canonicalize().unwrap().join(".aide");
    let told = format!(
        "✗ {} was written by a later version of aide\n  hint: nothing was changed; aide 7.8.9 or later is needed\n",
        aide_folder.display()
    );
    for arguments in [
        &["init"][..],
        &["decide", "submit", "q.json", "--detach"],
        &["decide", "list"],
        &["decide", "result"],
        &["decide", "wait"],
        &["decide", "cancel"],
        &["decide", "clean", "--keep", "1"],
        &["decide", "open"],
        &["config", "set", "decide.port", "4000"],
        &["flow", "start", "task-optimize", "x"],
        &["flow", "status"],
        &["plan", "init", "p"],
        &["plan", "run", "p"],
        &["agent", "run", "--agent", "a", "--once"],
    ] {
        let done = aide(&place, &folder, &[&["--lang", "en"], arguments].concat());
        assert_eq!((done.code, &done.stderr), (Some(1), &told), "{arguments:?}");
        assert!(folder.tree() == before, "{arguments:?} has changed something");
    }
    folder.write(".aide/format.json", "{\"format\":");
    let done = folder.aide(["--lang", "en", "decide", "list"]);
    assert!(done.code == Some(1) && done.stderr.contains("format.json"), "{done:?}");
}

#[test]
fn a_configuration_for_a_later_version_is_refused_and_one_of_the_first_is_read() {
    let folder = Folder::project();
    folder.write(".aide/config.toml", "version = 1\n[decide]\nport = 4321\n");
    let shown = folder.aide(["--lang", "en", "config", "get", "decide.port"]);
    shown.succeeded("→ decide.port = 4321\n");
    folder.write(".aide/config.toml", "# mine\nversion = 2\n[decide]\nport = \"any\"\n");
    let before = folder.tree();
    for arguments in [
        &["config", "get", "decide.port"][..],
        &["config", "set", "decide.port", "1"],
        &["decide", "submit", "{}"],
    ] {
        let done = folder.aide([&["--lang", "en"], arguments].concat());
        assert!(
            done.code == Some(1)
                && done.stderr.contains(
                    "config.toml, line 2: is for a later version of aide (version = 2, this program knows 1)\n  hint: use a later version of aide\n"
                ),
            "{arguments:?}: {done:?}"
        );
        assert!(folder.tree() == before, "{arguments:?} has changed something");
    }
}

#[test]
fn a_journal_of_a_later_version_is_refused_with_the_version_that_is_needed() {
    let place = Place::started();
    place.finger(["daemon", "stop"]).succeeded("Daemon stopped\n");
    let journal = place.state().join("journal.db");
    let raw = Connection::open(&journal).unwrap();
    raw.execute_batch(
        "INSERT INTO refinery_schema_history VALUES (99, 'later', '2030-01-01T00:00:00Z', '1'); PRAGMA user_version = 7008009;",
    )
    .unwrap();
    raw.close().unwrap();
    let before = fs::read(&journal).unwrap();
    let refused = place.finger(["daemon", "start", "--http-port", "0", "--ws-port", "0"]);
    assert_eq!(refused.code, Some(1));
    assert!(
        refused.stderr.contains("was written by a later version (it has version 99, this program knows 10)")
            && refused.stderr.contains("hint: nothing was changed; aide 7.8.9 or later is needed"),
        "{}",
        refused.stderr
    );
    assert_eq!(fs::read(&journal).unwrap(), before);
}
