//! `aide init`.

use crate::helpers::names;
use settings::DEFAULT_CONFIG;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::process::Command;
use store::{InitError, InitReport, Project};

#[test]
fn a_fresh_folder_becomes_a_project_and_again_does_no_harm() {
    let folder = tempfile::tempdir().unwrap();
    let first = store::init(folder.path()).unwrap();
    assert_eq!(first, InitReport { config_created: true, gitignore_updated: false });
    let aide = folder.path().join(".aide");
    assert_eq!(names(folder.path()), [".aide"]);
    assert_eq!(names(&aide), [".gitignore", "config.toml", "decisions", "format.json", "logs"]);
    assert_eq!(fs::read_to_string(aide.join("config.toml")).unwrap(), DEFAULT_CONFIG);

    fs::write(aide.join("config.toml"), "# mine\n").unwrap();
    let mut ignored = fs::read_to_string(aide.join(".gitignore")).unwrap();
    ignored.push_str("# mine too\n");
    fs::write(aide.join(".gitignore"), &ignored).unwrap();
    fs::write(aide.join("logs/kept"), "x").unwrap();
    let again = store::init(folder.path()).unwrap();
    assert_eq!(again, InitReport { config_created: false, gitignore_updated: false });
    assert_eq!(fs::read_to_string(aide.join("config.toml")).unwrap(), "# mine\n");
    assert_eq!(fs::read_to_string(aide.join(".gitignore")).unwrap(), ignored);
    assert!(aide.join("logs/kept").exists());
}

/// An earlier version wrote fewer lines, and users who version the folder may have written others.
#[test]
fn missing_lines_come_to_an_ignore_file_and_nothing_else_changes() {
    let folder = tempfile::tempdir().unwrap();
    store::init(folder.path()).unwrap();
    let path = folder.path().join(".aide/.gitignore");
    let whole = fs::read_to_string(&path).unwrap();
    let project = Project::at(folder.path()).unwrap();
    for init in [true, false] {
        let open = || match init {
            true => _ = store::init(folder.path()).unwrap(),
            false => _ = project.decisions().unwrap(),
        };
        let old = whole.replace("decisions/open.html\n", "");
        for (text, expected) in [
            (format!("{old}mine"), format!("{old}mine\ndecisions/open.html\n")),
            (old.replace('\n', "\r\n"), format!("{old}decisions/open.html\n").replace('\n', "\r\n")),
            // Who wants a file in git says so.
            (format!("{old}!decisions/open.html\n"), format!("{old}!decisions/open.html\n")),
            (whole.replace("open.html", "open.html  "), whole.replace("open.html", "open.html  ")),
        ] {
            fs::write(&path, &text).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
            // Looking at a task leaves the work tree clean.
            project.flow().unwrap();
            project.look_at_decisions().unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
            open();
            assert_eq!(fs::read_to_string(&path).unwrap(), expected, "{text:?}");
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o644);
            let before = fs::metadata(&path).unwrap();
            open();
            assert_eq!(fs::metadata(&path).unwrap().ino(), before.ino(), "nothing was missing");
        }
    }
    // What is no file of ours is left alone.
    fs::remove_file(&path).unwrap();
    std::os::unix::fs::symlink("config.toml", &path).unwrap();
    store::init(folder.path()).unwrap();
    project.decisions().unwrap();
    assert!(path.is_symlink());
    assert_eq!(fs::read_to_string(&path).unwrap(), DEFAULT_CONFIG);
}

#[test]
fn what_a_killed_one_has_left_is_cleared_away() {
    let folder = tempfile::tempdir().unwrap();
    store::init(folder.path()).unwrap();
    let aide = folder.path().join(".aide");
    for name in [".gitignore.tmp", "config.toml.tmp", "format.json.tmp"] {
        fs::write(aide.join(name), "half a").unwrap();
    }
    store::init(folder.path()).unwrap();
    assert_eq!(names(&aide), [".gitignore", "config.toml", "decisions", "format.json", "logs"]);
}

#[test]
fn gitignore_gets_its_line_only_when_the_configuration_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let gitignore = folder.path().join(".gitignore");
    store::init(folder.path()).unwrap();
    assert!(!gitignore.exists());

    fs::write(folder.path().join(".aide/config.toml"), "[general]\ngitignore_aide = true\n").unwrap();
    assert!(store::init(folder.path()).unwrap().gitignore_updated);
    assert_eq!(fs::read_to_string(&gitignore).unwrap(), ".aide/\n");
    assert!(!store::init(folder.path()).unwrap().gitignore_updated);
    assert_eq!(fs::read_to_string(&gitignore).unwrap(), ".aide/\n");

    fs::write(&gitignore, b"target\n\xff").unwrap();
    fs::set_permissions(&gitignore, fs::Permissions::from_mode(0o664)).unwrap();
    assert!(store::init(folder.path()).unwrap().gitignore_updated);
    assert_eq!(fs::read(&gitignore).unwrap(), b"target\n\xff\n.aide/\n");
    assert_eq!(fs::metadata(&gitignore).unwrap().permissions().mode() & 0o777, 0o664);
    assert_eq!(names(folder.path()), [".aide", ".gitignore"]);
}

#[test]
fn a_broken_configuration_is_told_and_kept() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join(".aide")).unwrap();
    let path = folder.path().join(".aide/config.toml");
    fs::write(&path, "[general\n").unwrap();
    let error = store::init(folder.path()).unwrap_err();
    assert!(matches!(&error, InitError::Config(error) if error.line == Some(1)), "{error:?}");
    assert_eq!(fs::read_to_string(&path).unwrap(), "[general\n");
}

#[test]
fn git_ignores_the_runtime_files_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    store::init(folder.path()).unwrap();
    let decisions = folder.path().join(".aide/decisions");
    let record = "2025-01-15T10-30-00.json";
    let ended = "2025-01-15T10-30-00.ended";
    for name in [".lock", "server.json", "draft.json", "pending.json", "pending.json.tmp", record, ended] {
        fs::write(decisions.join(name), "").unwrap();
    }
    fs::write(folder.path().join(".aide/flow-status.json"), "").unwrap();
    fs::write(folder.path().join(".aide/logs/flow-status.2025-01-15T10-30-00.json"), "").unwrap();
    fs::write(folder.path().join(".aide/config.toml.tmp"), "").unwrap();
    fs::write(folder.path().join(".aide/logs/server.json"), "").unwrap();
    let git = |arguments: &[&str]| {
        let output = Command::new("git").arg("-C").arg(folder.path()).args(arguments).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    git(&["init", "--quiet"]);
    let seen = git(&["status", "--porcelain", "--untracked-files=all"]);
    let mut seen: Vec<_> = seen.lines().filter_map(|line| line.strip_prefix("?? ")).collect();
    seen.sort_unstable();
    assert_eq!(
        seen,
        [
            ".aide/.gitignore",
            ".aide/config.toml",
            ".aide/decisions/2025-01-15T10-30-00.json",
            ".aide/format.json",
            ".aide/logs/flow-status.2025-01-15T10-30-00.json",
            ".aide/logs/server.json"
        ]
    );
}
