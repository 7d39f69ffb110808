//! `aide flow` on a disk that is full, and on one that may only be read.

use crate::support::disk::unshare;
use crate::support::repository::Repository;
use serde_json::Value;
use std::fs;
use std::process::Command;

/// A repository on a small disk, with a task in the phase `impl`. `kept` shows what an action may change.
const PRELUDE: &str = r#"
mount -t tmpfs -o size=1536k none disk || exit
mkdir disk/repository && cd disk/repository || exit
{ git init -q --template= && "$AIDE" init && "$AIDE" flow start impl begin; } >../../out 2>../../err || exit
kept() { cat .aide/flow-status.json .git/index .git/HEAD .git/refs/heads/main | cksum; ls -A .aide .aide/logs .git .git/aide; }
printf new >new
"#;

/// What a script has said, line by line.
fn run(repository: &Repository, flags: &str, script: &str) -> Vec<String> {
    let mut command = Command::new("unshare");
    repository.equip(&mut command);
    command.env("AIDE", env!("CARGO_BIN_EXE_aide")).args([flags, "sh", "-c", &format!("{PRELUDE}{script}")]);
    let output = command.output().unwrap();
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

fn prepared() -> Repository {
    let repository = Repository::bare_folder();
    fs::create_dir(repository.join("disk")).unwrap();
    repository
}

/// Whatever the moment at which the disk is full: nothing has changed then, and when there is space again all goes on.
#[test]
fn a_full_disk_lets_an_action_be_done_or_not() {
    let Some(flags) = unshare() else { return };
    let (mut refused, mut done) = (0, 0);
    for action in ["next-step", "start verify"] {
        for free in 0..22 {
            let repository = prepared();
            let said = run(
                &repository,
                flags,
                &format!(
                    r#"cat /dev/zero >../filler 2>/dev/null
                truncate -s -{} ../filler
                before=$(kept)
                "$AIDE" flow {action} first >../../out 2>../../err; echo $?
                [ "$before" = "$(kept)" ] && echo same || echo another
                rm ../filler
                "$AIDE" flow next-step second >../../out 2>../../err2; echo $?
                git status --porcelain | wc -l
                git log --format=%s | wc -l
                "$AIDE" flow show --json"#,
                    free * 4096
                ),
            );
            let case = format!(
                "{action}, {free} free: {said:?} {}",
                fs::read_to_string(repository.join("err")).unwrap()
            );
            let (code, shown) = (said[0].as_str(), said.last().unwrap());
            let shown: Value = serde_json::from_str(shown).unwrap();
            assert_eq!([&*said[2], said[3].trim()], ["0", "0"], "{case}");
            match code {
                "0" => done += 1,
                _ => {
                    refused += 1;
                    assert_eq!(said[1], "same", "{case}");
                    assert!(fs::read_to_string(repository.join("err")).unwrap().starts_with("✗ "), "{case}");
                }
            }
            assert_eq!(said[4].trim(), if code == "0" { "3" } else { "2" }, "{case}");
            let entries = shown["history"].as_array().unwrap().len();
            assert_eq!(entries, if code == "0" && action == "next-step" { 3 } else { 2 }, "{case}");
        }
    }
    assert!(refused > 10 && done > 2, "{refused} {done}");
}

/// Root may write whatever the mode is, but not where nothing can be written.
#[test]
fn where_nothing_can_be_written_nothing_is_recorded_and_all_can_be_seen() {
    let Some(flags) = unshare() else { return };
    let repository = prepared();
    let said = run(
        &repository,
        flags,
        r#"
        mount -o remount,ro "$(cd .. && pwd)"
        before=$(kept)
        for action in "start impl" next-step back-step "next-part verify" "back-part flow-design" issue error; do
            "$AIDE" flow $action x >../../out 2>../../err; echo $? "$(head -1 ../../err)"
        done
        for look in status list show "status --json" "list --json" "show --json"; do
            "$AIDE" flow $look >../../out 2>../../err; echo $? "$(cat ../../err)"
        done
        [ "$before" = "$(kept)" ] && echo same"#,
    );
    assert_eq!(said.len(), 14, "{said:?}");
    for line in &said[..7] {
        assert!(line.starts_with("1 ✗ "), "{said:?}");
    }
    assert_eq!(said[7..13], ["0 "; 6], "{said:?}");
    assert_eq!(said[13], "same");
}
