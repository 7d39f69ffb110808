//! A disk that is full, and one that may only be read: mounted where only the commands of the test see them.

use crate::support::disk::unshare;
use crate::support::http::post_json;
use crate::support::{Folder, minimal, minimal_answers};
use crate::uploads;
use serde_json::Value;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdout, Command, Stdio};

const RESULT: &str = r#"{"decisions":[{"id":1,"chosen":"a"}]}"#;

/// A shell on a small disk of its own. It says one line per command: its exit code, and what it printed.
struct Disk {
    folder: Folder,
    shell: Child,
    lines: BufReader<ChildStdout>,
}

const PRELUDE: &str = r#"
mount -t tmpfs -o size=256k none disk || exit
cd disk
aide() { "$AIDE" "$@" >../out 2>../err; echo "$? $(tr '\n' ' ' <../out)"; }
while read -r line; do eval "$line"; done
"#;

impl Disk {
    fn new(flags: &str) -> Self {
        Self::asking(flags, &minimal())
    }

    fn asking(flags: &str, questions: &Value) -> Self {
        let folder = Folder::empty();
        fs::create_dir(folder.join("disk")).unwrap();
        folder.write("questions.json", questions.to_string());
        let mut shell = Command::new("unshare")
            .args([flags, "sh", "-c", PRELUDE])
            .current_dir(folder.path())
            .env("AIDE", env!("CARGO_BIN_EXE_aide"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(shell.stdout.take().unwrap());
        Self { folder, shell, lines }
    }

    /// Runs a line of shell that does not say anything.
    fn run(&mut self, line: &str) {
        writeln!(self.shell.stdin.as_mut().unwrap(), "{line}").unwrap();
    }

    /// Runs the program; its exit code and what it printed. It must not have crashed, and a failure says why.
    fn aide(&mut self, arguments: &str) -> (u8, String) {
        self.run(&format!("aide {arguments}"));
        let mut line = String::new();
        self.lines.read_line(&mut line).unwrap();
        let (code, printed) = line.split_once(' ').unwrap();
        let code = code.parse().unwrap();
        let errors = fs::read_to_string(self.folder.join("err")).unwrap();
        assert!(code <= 1, "{arguments}: {code} {errors}");
        let failure = errors.strip_prefix("→ 会话 ").and_then(|named| named.split_once('\n'));
        let failure = failure.map_or(&*errors, |(_, failure)| failure);
        assert!(code == 0 || failure.starts_with("✗ ") && failure.contains("\n  "), "{arguments}: {errors}");
        (code, printed.trim_end().to_owned())
    }

    /// Submits in the background; the port, if that succeeded.
    fn submit(&mut self) -> Option<u16> {
        let (code, told) = self.aide("decide submit --detach --json --port 0 ../questions.json");
        (code == 0).then(|| {
            let told: Value = serde_json::from_str(&told).unwrap();
            told["url"].as_str().unwrap().rsplit_once(':').unwrap().1.parse().unwrap()
        })
    }

    /// What stands in the configuration.
    fn config(&mut self) -> String {
        self.run("cat .aide/config.toml | tr '\\n' '\\t'; echo");
        let mut line = String::new();
        self.lines.read_line(&mut line).unwrap();
        line
    }

    fn names(&mut self) -> String {
        self.listed(".aide/decisions")
    }

    /// The names of what is in a folder.
    fn listed(&mut self, folder: &str) -> String {
        self.run(&format!("ls -A {folder} | tr '\\n' ' '; echo"));
        let mut line = String::new();
        self.lines.read_line(&mut line).unwrap();
        line.trim_end_matches('\n').to_owned()
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        // Cancels the questions, so that clients waiting in the background end.
        let _ = writeln!(self.shell.stdin.as_mut().unwrap(), "aide decide cancel");
        drop(self.shell.stdin.take());
        let _ = self.shell.wait();
    }
}

#[test]
fn a_full_disk_loses_no_answer_and_when_it_is_free_again_all_goes_on() {
    let Some(flags) = unshare() else { return };
    let (mut not_asked, mut refused, mut accepted) = (0, 0, 0);
    for free in 0..10 {
        let mut disk = Disk::new(flags);
        assert_eq!(disk.aide("init").0, 0);
        disk.run("cat /dev/zero >filler 2>/dev/null");
        disk.run(&format!("truncate -s -{} filler", free * 4096));
        let answers = minimal_answers().to_string();
        match disk.submit().map(|port| post_json(port, "/api/submit", &answers).status) {
            None => {
                not_asked += 1;
                assert_eq!(disk.aide("decide result").0, 1);
            }
            Some(200) => {
                accepted += 1;
                assert_eq!(disk.aide("decide result"), (0, RESULT.to_owned()), "{free} free");
                continue;
            }
            Some(status) => {
                refused += 1;
                assert_eq!(status, 500);
                assert_eq!(disk.aide("decide result").0, 1, "an answer that was refused");
            }
        }
        disk.run("rm filler");
        let port = disk.submit().unwrap();
        assert_eq!(post_json(port, "/api/submit", &answers).status, 200);
        assert_eq!(disk.aide("decide result"), (0, RESULT.to_owned()));
        assert!(!disk.names().contains(".tmp"));
    }
    assert!(not_asked > 0 && refused > 0 && accepted > 0, "{not_asked} {refused} {accepted}");
}

#[test]
fn a_file_that_finds_no_room_is_refused_and_leaves_what_was_there() {
    let Some(flags) = unshare() else { return };
    let mut disk = Disk::asking(flags, &uploads::asking());
    assert_eq!(disk.aide("init").0, 0);
    let port = disk.submit().unwrap();
    let listed: Value = serde_json::from_str(&disk.aide("decide list --json").1).unwrap();
    let session = listed[0]["session_id"].as_str().unwrap();
    let attach = |name: &str, size: usize| uploads::attach(port, session, name, &vec![b'x'; size]);
    assert_eq!(attach("small", 20_000).status, 200);
    for name in ["small", "large"] {
        let refused = attach(name, 300_000);
        assert_eq!(refused.status, 507, "{}", refused.text());
        assert!(!refused.json()["detail"].as_str().unwrap().is_empty());
    }
    assert_eq!(attach("other", 10_000).status, 200);
    let answer = post_json(port, "/api/submit", r#"{"decisions":[{"id":1}]}"#);
    assert_eq!(answer.status, 200, "{}", answer.text());
    let (code, result) = disk.aide("decide result");
    let result: Value = serde_json::from_str(&result).unwrap();
    let files = result["decisions"][0]["files"].as_array().unwrap();
    let sizes: Vec<_> =
        files.iter().map(|file| (file["name"].as_str().unwrap(), file["size"].as_u64())).collect();
    assert_eq!((code, sizes), (0, vec![("small", Some(20_000)), ("other", Some(10_000))]));
    assert_eq!(disk.listed(".aide/decisions/files/*/1"), "other small ");
}

#[test]
fn a_configuration_that_cannot_be_written_stays_as_it_was() {
    let Some(flags) = unshare() else { return };
    let (mut refused, mut written) = (0, 0);
    for free in 0..8 {
        let mut disk = Disk::new(flags);
        assert_eq!(disk.aide("init").0, 0);
        let before = disk.config();
        disk.run("cat /dev/zero >filler 2>/dev/null");
        disk.run(&format!("truncate -s -{} filler", free * 4096));
        let (code, told) = disk.aide("config set decide.port 8080");
        let expected = if code == 0 {
            before.replace("# port = 3721\t", "# port = 3721\tport = 8080\t")
        } else {
            before.clone()
        };
        assert_eq!(disk.config(), expected, "{free} free");
        assert_eq!(told, if code == 0 { "✓ 已更新 decide.port = 8080" } else { "" });
        if code == 0 {
            written += 1
        } else {
            refused += 1
        }
        disk.run("rm filler");
        assert_eq!(disk.aide("config set decide.port 8080").0, 0);
        assert_eq!(disk.config(), before.replace("# port = 3721\t", "# port = 3721\tport = 8080\t"));
        disk.run("mount -o remount,ro \"$PWD\"");
        assert_eq!(disk.aide("config set decide.port 1").0, 1);
        assert_eq!(disk.aide("config unset decide.port").0, 1);
        assert_eq!(disk.aide("config get decide.port"), (0, "→ decide.port = 8080".to_owned()));
        assert_eq!(disk.config(), before.replace("# port = 3721\t", "# port = 3721\tport = 8080\t"));
    }
    assert!(refused > 0 && written > 0, "{refused} {written}");
}

#[test]
fn what_was_decided_can_be_read_where_nothing_can_be_written() {
    let Some(flags) = unshare() else { return };
    let mut disk = Disk::new(flags);
    assert_eq!(disk.aide("init").0, 0);
    let port = disk.submit().unwrap();
    assert_eq!(post_json(port, "/api/submit", &minimal_answers().to_string()).status, 200);
    let wait = disk.aide("decide wait");
    assert_eq!(wait, (0, RESULT.to_owned()));
    let reading = [
        "decide result",
        "decide wait",
        "decide list",
        "decide list --json",
        "decide show",
        "decide show --json",
    ];
    let before: Vec<_> = reading.iter().map(|command| disk.aide(command)).collect();
    let names = disk.names();
    // The server takes its file away after it has told everybody.
    disk.run("while [ -e .aide/decisions/server.json ]; do :; done; mount -o remount,ro \"$PWD\"");
    for (command, before) in reading.iter().zip(before) {
        assert_eq!(before.0, 0, "{command}");
        assert_eq!(disk.aide(command), before, "{command}");
    }
    for command in ["init", "decide submit --port 0 ../questions.json", "decide cancel"] {
        assert_eq!(disk.aide(command).0, 1, "{command}");
    }
    assert_eq!(disk.names(), names.replace("server.json ", ""));
}
