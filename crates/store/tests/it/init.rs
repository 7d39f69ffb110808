//! `aide init`.

use crate::helpers::{names, without_lines};
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::process::Command;
use store::{Config, DEFAULT_CONFIG, FlowConfig, InitError, InitReport, KEYS, Kind, Project, parse_config};

#[test]
fn a_fresh_folder_becomes_a_project_and_again_does_no_harm() {
    let folder = tempfile::tempdir().unwrap();
    let first = store::init(folder.path()).unwrap();
    assert_eq!(first, InitReport { config_created: true, gitignore_updated: false });
    let aide = folder.path().join(".aide");
    assert_eq!(names(folder.path()), [".aide"]);
    assert_eq!(names(&aide), [".gitignore", "config.toml", "decisions", "logs"]);
    assert_eq!(fs::read_to_string(aide.join("config.toml")).unwrap(), DEFAULT_CONFIG);
    assert_eq!(without_lines(Project::at(folder.path()).unwrap().config().unwrap()), Config::default());

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

/// An earlier version wrote fewer lines, and whoever keeps the folder under version control may have written others.
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
    for name in [".gitignore.tmp", "config.toml.tmp"] {
        fs::write(aide.join(name), "half a").unwrap();
    }
    store::init(folder.path()).unwrap();
    assert_eq!(names(&aide), [".gitignore", "config.toml", "decisions", "logs"]);
}

#[test]
fn the_default_configuration_names_every_key_with_its_default() {
    assert_eq!(without_lines(parse_config(DEFAULT_CONFIG, Path::new("x")).unwrap()), Config::default());
    let folder = tempfile::tempdir().unwrap();
    store::init(folder.path()).unwrap();
    let flow = || Project::at(folder.path()).unwrap().layers(None).unwrap().flow(&[]);
    assert_eq!(flow().unwrap(), FlowConfig::default());
    for key in KEYS.iter().filter(|key| !key.user_only) {
        let (section, name) = key.name.rsplit_once('.').unwrap();
        let line = match key.kind {
            Kind::Tables => format!("# [[{}]]", key.name),
            // What differs between computers is shown in a comment.
            _ if section == "plantuml" => format!("# {name} = {}", key.default()),
            _ => format!("{name} = {}", key.default()),
        };
        let header = match key.kind {
            Kind::Tables => "",
            _ => &format!("\n[{section}]\n"),
        };
        let below = DEFAULT_CONFIG.split_once(header).unwrap_or_else(|| panic!("{header}")).1;
        assert!(below.lines().any(|text| text == line), "{line}");
    }
    // The examples in its comments are good ones.
    let examples: String = DEFAULT_CONFIG
        .split_inclusive('\n')
        .map(|line| line.strip_prefix("# ").filter(|line| example(line)).unwrap_or(line))
        .collect();
    assert_ne!(examples, DEFAULT_CONFIG);
    fs::write(folder.path().join(".aide/config.toml"), examples).unwrap();
    let flow = flow().unwrap();
    assert_eq!((flow.hooks.len(), flow.hooks[0].timeout, flow.require.len()), (1, 600, 1));
    assert_eq!(flow.plantuml, FlowConfig::default().plantuml);
}

/// Whether a comment is a line of TOML.
fn example(line: &str) -> bool {
    let is_header = line.starts_with("[[") && line.trim_end().ends_with("]]");
    is_header
        || line
            .split_once(" = ")
            .is_some_and(|(name, _)| name.chars().all(|c| c.is_ascii_lowercase() || c == '_'))
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
    for name in [".lock", "server.json", "draft.json", "pending.json", "pending.json.tmp"] {
        fs::write(decisions.join(name), "").unwrap();
    }
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
        [".aide/.gitignore", ".aide/config.toml", ".aide/decisions/pending.json", ".aide/logs/server.json"]
    );
}
