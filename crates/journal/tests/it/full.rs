//! No room on the disk: nothing is changed, all can be read, and it goes on when there is room.

use crate::support::{Commit, CommitError, change, log, session};
use journal::{JournalError, Sqlite};
use std::env;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

const PLACE: &str = "AIDE_JOURNAL_TEST_DISK";

/// Not a test by itself: works in a small disk of its own.
#[test]
#[ignore = "started by another test, in a small disk"]
fn in_a_small_disk() {
    let Some(place) = env::var_os(PLACE) else { return };
    let dir = files::Dir::open(Path::new(&place)).unwrap();
    let ballast = Path::new(&place).join("ballast");
    std::fs::write(&ballast, vec![1; 1 << 20]).unwrap();
    let journal = Sqlite::open(&dir, Box::new(|_| ())).unwrap();
    let mut kept = 0;
    let refused = loop {
        let name = format!("s{kept}");
        let mut row = session(&name);
        row.context = format!("\"{}\"", "x".repeat(20_000));
        match journal.commit(change([row.into()], &[&name])) {
            Ok(_) => kept += 1,
            Err(error) => break error,
        }
    };
    assert!(matches!(refused, CommitError::Journal(JournalError::Full { .. })), "{refused:?}");
    assert!(kept > 3, "{kept}");
    for _ in 0..3 {
        assert!(
            journal.commit(change([session("late").into()], &["late"])).is_err()
                || log(&journal).len() > kept
        );
        assert!(log(&journal).len() >= kept, "all of it can be read");
    }
    let kept = log(&journal).len();
    std::fs::remove_file(&ballast).unwrap();
    journal.commit(change([session("after").into()], &["after"])).unwrap();
    assert_eq!(log(&journal).last().unwrap().0, i64::try_from(kept).unwrap() + 1, "no number is left out");
    drop(journal);
    let journal = Sqlite::open(&dir, Box::new(|_| ())).unwrap();
    assert_eq!(log(&journal).len(), kept + 1);

    // And one that cannot even be begun.
    let other = dir.ensure_folder("other").unwrap();
    let free = |size: usize| std::fs::write(&ballast, vec![1; size]);
    let mut size = 4 << 20;
    while free(size).is_err() && size > 4096 {
        size -= 4096;
    }
    assert!(Sqlite::open(&other, Box::new(|_| ())).is_err());
    std::fs::remove_file(&ballast).unwrap();
    assert_eq!(log(&Sqlite::open(&other, Box::new(|_| ())).unwrap()), []);
    writeln!(std::io::stdout(), "all of it").unwrap();
}

#[test]
fn a_full_disk_refuses_changes_and_reads_on() {
    let Some(flags) = unshare() else { return };
    let place = tempfile::tempdir().unwrap();
    let script = "mount -t tmpfs -o size=2m none \"$1\" && exec \"$2\" --exact full::in_a_small_disk --ignored --nocapture";
    let output = Command::new("unshare")
        .args([flags, "sh", "-c", script, "sh"])
        .arg(place.path())
        .arg(env::current_exe().unwrap())
        .env(PLACE, place.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && said.contains("all of it"),
        "{said}{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// How to get a place where disks can be mounted; `None` where that is not allowed.
fn unshare() -> Option<&'static str> {
    ["-Urm", "-m"].into_iter().find(|flags| {
        let tried = Command::new("unshare").args([*flags, "true"]).stderr(Stdio::null()).status();
        tried.is_ok_and(|status| status.success())
    })
}
