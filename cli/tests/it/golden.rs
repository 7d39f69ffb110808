//! What earlier versions have written is read: a project, and the journal of a daemon, of each (`scripts/golden` makes them).
//!
//! 0.1.0 is the first version that had a daemon, while it was still called so.

use crate::daemon_questions::command;
use crate::support::daemon::Place;
use crate::support::{CommandOutput, Folder};
use rusqlite::Connection;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// A project as a version has left it, and a daemon with the journal that one of this version had.
struct Golden {
    place: Place,
    folder: Folder,
    names: Value,
}

impl Golden {
    fn parse(text: &str) -> Self {
        let golden: Value = serde_json::from_str(text).unwrap();
        let (place, folder) = (Place::new(), Folder::empty());
        for (path, text) in golden["project"].as_object().unwrap() {
            folder.write(path, text.as_str().unwrap());
        }
        let root = folder.path().canonicalize().unwrap();
        let lines: Vec<&str> =
            golden["journal"].as_array().unwrap().iter().map(|line| line.as_str().unwrap()).collect();
        place.start();
        place.finger(["daemon", "stop"]).succeeded("Daemon stopped\n");
        let journal = place.state().join("journal.db");
        fs::remove_file(&journal).unwrap();
        let raw = Connection::open(&journal).unwrap();
        // The rows come in the order of the tables' names.
        raw.pragma_update(None, "foreign_keys", false).unwrap();
        raw.execute_batch(&lines.join("\n").replace("@PROJECT@", root.to_str().unwrap())).unwrap();
        raw.close().unwrap();
        Self { place, folder, names: golden["names"].clone() }
    }

    fn name(&self, name: &str) -> &str {
        self.names[name].as_str().unwrap()
    }

    fn aide(&self, arguments: &[&str]) -> CommandOutput {
        CommandOutput::new(
            command(&self.place, &self.folder, &[&["--lang", "en"], arguments].concat()).output().unwrap(),
        )
    }

    #[track_caller]
    fn json(&self, arguments: &[&str]) -> Value {
        let done = self.aide(arguments);
        assert_eq!(done.code, Some(0), "{done:?}");
        serde_json::from_str(&done.stdout).unwrap_or_else(|error| panic!("{error}: {}", done.stdout))
    }
}

fn each(check: impl Fn(&Golden)) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let mut count = 0;
    for entry in fs::read_dir(folder).unwrap() {
        check(&Golden::parse(&fs::read_to_string(entry.unwrap().path()).unwrap()));
        count += 1;
    }
    assert!(count > 0);
}

#[test]
fn questions_of_an_earlier_version_are_found_and_those_that_are_open_are_answered() {
    each(|golden| {
        let records: Vec<String> = fs::read_dir(golden.folder.decision(""))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name.starts_with("20") && name.ends_with(".json"))
            .map(|name| name.trim_end_matches(".json").to_owned())
            .collect();
        assert_eq!(records.len(), 2, "{records:?}");
        let answered = records
            .iter()
            .find(|session| golden.aide(&["decide", "result", session]).code == Some(0))
            .unwrap();
        assert_eq!(
            golden.json(&["decide", "result", answered]),
            json!({ "decisions": [
                { "id": 1, "chosen": "b", "note": "cheaper" },
                { "id": 2, "chosen": ["x", "y"] },
                { "id": 3, "chosen": null, "other": "Because." },
            ] })
        );
        let shown = golden.aide(&["decide", "show", answered]);
        assert!(
            shown.code == Some(0) && shown.stdout.contains("Which one?") && shown.stdout.contains("cheaper"),
            "{shown:?}"
        );
        // The draft is there, and is what is not said anew.
        let open = golden.name("open").to_owned();
        let mut answering =
            command(&golden.place, &golden.folder, &["--lang", "en", "decide", "answer", &open]);
        answering.stdin(std::process::Stdio::piped());
        let mut answering = crate::support::begin(answering);
        std::io::Write::write_all(&mut answering.stdin.take().unwrap(), b"\n\n1\n\n\n\ny\n").unwrap();
        let answered = CommandOutput::new(answering.wait_with_output().unwrap());
        assert_eq!(answered.code, Some(0), "{answered:?}");
        assert_eq!(
            golden.json(&["decide", "result", &open])["decisions"][0],
            json!({ "id": 1, "chosen": "a", "note": "half" })
        );
        // The queued one is next.
        let list = golden.json(&["decide", "list", "--json"]);
        assert!(list.to_string().contains("Queued"), "{list}");
    });
}

#[test]
fn a_task_of_an_earlier_version_goes_on() {
    each(|golden| {
        let status = golden.aide(&["flow", "status"]);
        assert!(
            status.code == Some(0)
                && status.stdout.contains("flow-design")
                && status.stdout.contains("No baskets"),
            "{status:?}"
        );
        assert_eq!(golden.aide(&["flow", "next-step", "A step of today"]).code, Some(0));
        let log = golden.aide(&["flow", "log"]);
        assert!(log.stdout.contains("Only red ones") && log.stdout.contains("A step of today"), "{log:?}");
    });
}

#[test]
fn workflows_of_an_earlier_version_stand_as_they_stood_and_go_on() {
    each(|golden| {
        let place = &golden.place;
        place.start();
        let state = |workflow: &str| place.json(["status", workflow, "--json"])["fsmState"].clone();
        assert_eq!(state(golden.name("goes")), json!("paused"));
        assert_eq!(state(golden.name("ended")), json!("failed"));
        assert_eq!(place.json(["list", "--json"]).as_array().unwrap().len(), 3);
        let before = place.finger(["events", "--json"]).stdout.lines().count();
        assert!(before > 5, "{before}");
        let open = place.finger(["decision", "list"]);
        assert!(open.stdout.contains("Which one?") && !open.stdout.contains("This one?"), "{open:?}");
        let id = open.stdout.strip_prefix("- ").and_then(|rest| rest.split_once(": pending ")).unwrap().0;
        assert_eq!(place.finger(["decision", "respond", id, "new"]).code, Some(0));
        assert_eq!(place.finger(["resume", golden.name("goes")]).code, Some(0));
        let events = place.finger(["events", "--json", "--limit", "1000"]).stdout;
        let seqs: Vec<u64> = events
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap()["seq"].as_u64().unwrap())
            .collect();
        assert!(seqs.len() > before && seqs.windows(2).all(|pair| pair[1] == pair[0] + 1), "{seqs:?}");
    });
}
