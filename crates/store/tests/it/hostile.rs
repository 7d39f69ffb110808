//! A folder that another user prepared: nothing leads out of it, nothing blocks, no other user may read it.

use crate::child::Process;
use crate::helpers::{Fixture, SESSION, ask, draft, names, output, publish, questions, slot};
use files::FileError;
use model::{AnswerSheet, SessionId, Via};
use rustix::fs::{CWD, FileType, Mode, RenameFlags, renameat_with};
use settings::ConfigErrorKind;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use store::{InitError, Project, ServerClaimOutcome, ServerInfo, StoreError};

const SECRET: &[u8] = b"{\"_meta\": {\"session_id\": \"2025-01-15T10-30-00\"}}";

fn is_symlink_error<T: std::fmt::Debug>(result: Result<T, StoreError>, name: &str) {
    let error = result.expect_err(name);
    assert!(
        matches!(&error, StoreError::File(FileError::Symlink { path }) if path.ends_with(name)),
        "{name}: {error:?}"
    );
}

fn is_file_error<T: std::fmt::Debug>(result: Result<T, StoreError>, name: &str) {
    let error = result.expect_err(name);
    assert!(
        matches!(&error, StoreError::File(FileError::NotAFile { path }) if path.ends_with(name)),
        "{name}: {error:?}"
    );
}

fn info() -> ServerInfo {
    ServerInfo {
        pid: 1,
        port: 1,
        url: String::new(),
        started_at: String::new(),
        session_id: "2025-01-15T10-30-00".parse().ok(),
        ..ServerInfo::default()
    }
}

#[test]
fn s51_a_symlinked_folder_is_refused_and_its_target_untouched() {
    for link in [".aide", ".aide/decisions"] {
        let folder = tempfile::tempdir().unwrap();
        let outside = tempfile::tempdir().unwrap();
        if link != ".aide" {
            fs::create_dir(folder.path().join(".aide")).unwrap();
        }
        symlink(outside.path(), folder.path().join(link)).unwrap();
        let project = Project::at(folder.path()).unwrap();
        is_symlink_error(project.decisions(), link);
        let error = store::init(folder.path()).unwrap_err();
        assert!(matches!(error, InitError::Store(StoreError::File(FileError::Symlink { .. }))), "{error:?}");
        assert!(names(outside.path()).is_empty());
    }
}

#[test]
fn s51_a_file_in_place_of_a_folder_is_refused() {
    for name in [".aide", ".aide/decisions", ".aide/logs"] {
        let folder = tempfile::tempdir().unwrap();
        if name != ".aide" {
            fs::create_dir(folder.path().join(".aide")).unwrap();
        }
        fs::write(folder.path().join(name), "mine").unwrap();
        let error = store::init(folder.path()).unwrap_err();
        assert!(
            matches!(&error, InitError::Store(StoreError::File(FileError::NotAFolder { path })) if path.ends_with(name)),
            "{error:?}"
        );
        assert_eq!(fs::read(folder.path().join(name)).unwrap(), b"mine");
    }
}

/// Everything that reads or writes `name` in a fresh project in which `prepare` was called with its path.
fn operations(name: &str, prepare: impl Fn(&Path), check: impl Fn(Result<(), StoreError>)) {
    let fixture = Fixture::new();
    let asked = questions("hostile");
    prepare(&fixture.file(name));
    let decisions = &fixture.decisions;
    let session: SessionId = "2025-01-15T10-30-00".parse().unwrap();
    let publish = || publish(decisions, &session, &asked, output("jwt", ""), Via::Page);
    match name {
        "pending.json" => {
            check(decisions.pending().map(drop));
            check(ask(decisions, &asked).map(drop));
        }
        "draft.json" => {
            assert_eq!(draft(decisions, &asked), AnswerSheet::default());
            check(decisions.save_draft(&slot(SESSION), &asked, &AnswerSheet::default(), Via::Page).map(drop));
        }
        "server.json" => {
            check(decisions.live_server().map(drop));
            check(decisions.claim_server().and_then(|claimed| match claimed {
                ServerClaimOutcome::Ours(claim) => claim.register(&info()).map(drop),
                ServerClaimOutcome::AlreadyRunning(other) => panic!("{other:?}"),
            }));
        }
        "2025-01-15T10-30-00.json" => {
            check(decisions.record(&session).map(drop));
            check(publish().map(drop));
        }
        ".lock" => {
            check(ask(decisions, &asked).map(drop));
            check(publish().map(drop));
        }
        _ => panic!("{name}"),
    }
    assert!(!fixture.names().iter().any(|name| name.ends_with(".tmp")), "{:?}", fixture.names());
}

const FILES: [&str; 5] = ["pending.json", "draft.json", "server.json", "2025-01-15T10-30-00.json", ".lock"];

#[test]
fn s51_a_symlinked_file_is_refused_and_its_target_untouched() {
    for name in FILES {
        let outside = tempfile::tempdir().unwrap();
        let target = outside.path().join("target.json");
        fs::write(&target, SECRET).unwrap();
        let point = |to: &Path| {
            let to = to.to_owned();
            move |path: &Path| {
                let _ = fs::remove_file(path);
                symlink(&to, path).unwrap();
            }
        };
        operations(name, point(&target), |result| is_symlink_error(result, name));
        assert_eq!(fs::read(&target).unwrap(), SECRET, "{name}");
        // Pointing at nothing, it would otherwise be created there.
        operations(name, point(&outside.path().join("new")), |result| is_symlink_error(result, name));
        assert_eq!(names(outside.path()), ["target.json"], "{name}");
    }
}

/// A process that can write in the project may turn a folder or a file into a symlink, and back, at any moment.
#[test]
fn s51_what_is_swapped_for_a_symlink_in_the_middle_leads_nowhere() {
    // For each of four names.
    const SWAPS: usize = 2_500;
    const ROUNDS: usize = 20;
    for name in [".aide", ".aide/decisions", ".aide/decisions/pending.json", ".aide/decisions/draft.json"] {
        let fixture = Fixture::new();
        let asked = questions("swapped");
        let work = |decisions: &store::Decisions| -> Result<(), StoreError> {
            let session = ask(decisions, &asked)?.session;
            decisions.save_draft(&slot(&session), &asked, &AnswerSheet::default(), Via::Page)?;
            if name.ends_with("draft.json") {
                // The answer would take it away.
                return Ok(());
            }
            publish(decisions, &session, &asked, output("jwt", ""), Via::Page).map(drop)
        };
        work(&fixture.decisions).unwrap();
        let session = ask(&fixture.decisions, &asked).unwrap().session;
        fixture.decisions.save_draft(&slot(&session), &asked, &AnswerSheet::default(), Via::Page).unwrap();

        let outside = tempfile::tempdir().unwrap();
        let target = outside.path().join("target");
        if name.ends_with(".json") {
            fs::write(&target, SECRET).unwrap();
        } else {
            fs::create_dir_all(target.join("decisions")).unwrap();
        }
        let (trap, victim) = (fixture.root().join("trap"), fixture.root().join(name));
        let (swaps, over) = (AtomicUsize::new(0), AtomicBool::new(false));
        let mut rounds = 0;
        thread::scope(|scope| {
            scope.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    // What takes the place of a symlink is what the store wrote; then a new one is laid.
                    let _ = fs::remove_file(&trap);
                    let _ = symlink(&target, &trap);
                    for _ in 0..2 {
                        // A file that is just being written again cannot be swapped.
                        let _ = renameat_with(CWD, &trap, CWD, &victim, RenameFlags::EXCHANGE);
                        swaps.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
            while swaps.load(Ordering::Relaxed) < SWAPS || rounds < ROUNDS {
                let project = Project::at(fixture.root()).unwrap();
                // Sometimes the symlink is in the way, sometimes it is not.
                let _ = project.decisions().and_then(|decisions| work(&decisions));
                rounds += 1;
            }
            over.store(true, Ordering::Relaxed);
        });
        if name.ends_with(".json") {
            assert_eq!(fs::read(&target).unwrap(), SECRET, "{name}");
        } else {
            assert_eq!(names(&target), ["decisions"], "{name}");
            assert_eq!(names(&target.join("decisions")), [""; 0], "{name}");
        }
        assert_eq!(names(outside.path()), ["target"], "{name}");
    }
}

#[test]
fn s51_a_symlinked_temporary_file_is_removed_not_written_through() {
    let fixture = Fixture::new();
    let outside = tempfile::tempdir().unwrap();
    let target = outside.path().join("target");
    fs::write(&target, SECRET).unwrap();
    symlink(&target, fixture.file("pending.json.tmp")).unwrap();
    fixture.ask(&questions("tmp")).unwrap();
    assert_eq!(fs::read(&target).unwrap(), SECRET);
    assert_eq!(fixture.pending_document()["task"], "tmp");
}

#[test]
fn s51_a_pipe_or_a_folder_in_place_of_a_file_is_refused_without_blocking() {
    for name in FILES {
        let pipe = |path: &Path| {
            let _ = fs::remove_file(path);
            rustix::fs::mknodat(CWD, path, FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
        };
        operations(name, pipe, |result| is_file_error(result, name));
        let folder = |path: &Path| {
            let _ = fs::remove_file(path);
            fs::create_dir(path).unwrap();
        };
        operations(name, folder, |result| is_file_error(result, name));
    }
}

#[test]
fn s51_a_symlinked_configuration_is_refused() {
    let fixture = Fixture::new();
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("config.toml"), "[decide]\nport = 1\n").unwrap();
    let path = fixture.root().join(".aide/config.toml");
    fs::remove_file(&path).unwrap();
    symlink(outside.path().join("config.toml"), &path).unwrap();
    let error = fixture.project.config_files(None).layers().unwrap_err();
    assert!(matches!(error.kind, ConfigErrorKind::Symlink), "{error:?}");
    assert_eq!(error.file, path);
    assert!(matches!(store::init(fixture.root()), Err(InitError::Config(_))));
}

#[test]
fn s51_a_symlinked_gitignore_is_refused() {
    let fixture = Fixture::new();
    let outside = tempfile::tempdir().unwrap();
    let target = outside.path().join("excludes");
    fs::write(&target, "target\n").unwrap();
    symlink(&target, fixture.root().join(".gitignore")).unwrap();
    fs::write(fixture.root().join(".aide/config.toml"), "general.gitignore_aide = true\n").unwrap();
    let error = store::init(fixture.root()).unwrap_err();
    assert!(
        matches!(&error, InitError::Store(StoreError::File(FileError::Symlink { path })) if path.ends_with(".gitignore")),
        "{error:?}"
    );
    assert_eq!(fs::read(&target).unwrap(), b"target\n");
}

#[test]
fn s52_nobody_else_may_read_whatever_the_umask() {
    let folder = tempfile::tempdir().unwrap();
    let mut process = Process::start("init-and-work", folder.path(), "", "umask 000");
    assert_eq!(process.line(), "ready");
    let mut seen = Vec::new();
    let mut folders = vec![folder.path().join(".aide")];
    while let Some(path) = folders.pop() {
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o7777;
        assert_eq!(mode(&path), 0o700, "{}", path.display());
        for name in names(&path) {
            let path = path.join(&name);
            if path.is_dir() {
                folders.push(path);
            } else {
                assert_eq!(mode(&path), 0o600, "{}", path.display());
                seen.push(name);
            }
        }
    }
    process.go();
    process.finish();
    seen.retain(|name| !name.starts_with("20"));
    seen.sort();
    assert_eq!(
        seen,
        [".gitignore", ".lock", "config.toml", "draft.json", "format.json", "pending.json", "server.json"]
    );
}

/// Other users who can write there could write the answer.
#[test]
fn s53_a_folder_that_others_can_write_to_is_refused() {
    for folder in [".aide", ".aide/decisions"] {
        let fixture = Fixture::new();
        let path = fixture.project.root().join(folder);
        for (mode, is_ours) in [(0o700, true), (0o755, true), (0o775, true), (0o777, false), (0o702, false)] {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            match fixture.project.decisions() {
                Ok(_) => assert!(is_ours, "{folder} {mode:o}"),
                Err(StoreError::File(FileError::NotOurs { path: told })) => {
                    assert!(!is_ours && told == path, "{folder} {mode:o}")
                }
                Err(other) => panic!("{folder} {mode:o}: {other:?}"),
            }
        }
    }
}
