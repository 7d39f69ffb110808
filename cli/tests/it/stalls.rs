//! What waits for something that does not come, and what must not wait for it.

use crate::daemon_questions::{DECIDED, answer, answer_where_it_is, command, path_on, submit};
use crate::support::daemon::Place;
use crate::support::http::get;
use crate::support::{CommandOutput, Folder, minimal, server, until};
use files::{Dir, Lock};
use rustix::process::Signal;
use serde_json::{Value, json};
use std::fs;

/// A project that the daemon knows; the name of its workflow.
fn known(place: &Place, folder: &Folder) -> String {
    let begun = CommandOutput::new(command(place, folder, &["orchestrate", "x"]).output().unwrap());
    assert_eq!(begun.code, Some(0), "{begun:?}");
    begun.stdout.strip_prefix("Workflow started: ").unwrap().trim_end().to_owned()
}

/// Lets the daemon wait for the folder of a project as for a disk that does not answer: it is to show what is asked there, and
/// another program has the lock for that. Each wait for it has an end, which is far longer than a look may take.
#[must_use]
fn hang(place: &Place, folder: &Folder) -> Lock {
    let own = folder.submit(&minimal());
    let lock = Lock::take(&Dir::open(&folder.join(".aide/decisions")).unwrap()).unwrap();
    own.signal(Signal::KILL);
    drop(own);
    until("the daemon waits for it", || {
        let log = fs::read_to_string(place.state().join("daemon.log")).unwrap();
        log.contains("the disk of a project does not answer")
    });
    lock
}

/// Something is asked in a workflow, and answered.
fn decide(place: &Place, workflow: &str) {
    let asked = place.json(["decision", "create", "Go on?", "--workflow", workflow, "--json"]);
    let id = asked["decisionId"].as_str().unwrap();
    place.finger(["decision", "respond", id, "Y"]).succeeded("Decision: Y\n");
}

/// Whether a decision of this workflow stands in the history of the project.
fn has_published(folder: &Folder, workflow: &str) -> bool {
    let listed: Value = serde_json::from_str(&folder.aide(["decide", "list", "--json"]).stdout).unwrap();
    let mut sets = listed.as_array().unwrap().iter();
    sets.any(|set| set["origin"]["workflow"] == json!(workflow) && set["status"] == "answered")
}

#[test]
fn a_project_whose_disk_is_gone_holds_up_no_other_and_no_workflow() {
    let (place, gone, folder) = (Place::started(), Folder::project(), Folder::project());
    let (of_gone, workflow) = (known(&place, &gone), known(&place, &folder));
    let lock = hang(&place, &gone);
    // What is asked elsewhere is offered to the daemon, and shown.
    let running = submit(&place, &folder, &[]);
    let (port, path) = (place.http_port(), path_on(&place, &running));
    let inbox = get(port, "/");
    assert!(inbox.text().contains(&format!("href=\"{path}?lang=en\"")), "{}", inbox.text());
    // What is decided goes into the history of its project.
    decide(&place, &of_gone);
    decide(&place, &workflow);
    until("it is published", || has_published(&folder, &workflow));
    assert_eq!(answer(port, &path).status, 200);
    running.finish().succeeded(DECIDED);
    assert!(!has_published(&gone, &of_gone));
    assert_ne!(server(&gone).unwrap()["scope"], "user");
    // The project is as any other when its disk answers again.
    drop(lock);
    until("the daemon shows it", || server(&gone).is_some_and(|told| told["scope"] == "user"));
    until("it is published", || has_published(&gone, &of_gone));
    assert_eq!(answer_where_it_is(&gone), 200);
}

#[test]
fn a_daemon_ends_though_a_disk_does_not_answer() {
    let (place, folder) = (Place::started(), Folder::project());
    known(&place, &folder);
    let lock = hang(&place, &folder);
    place.finger(["daemon", "stop"]).succeeded("Daemon stopped\n");
    drop(lock);
}
