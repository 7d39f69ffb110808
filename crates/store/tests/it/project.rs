//! Which folder the project is.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use store::Project;

fn make(root: &Path, folders: &[&str], files: &[&str]) {
    for folder in folders {
        fs::create_dir_all(root.join(folder)).unwrap();
    }
    for file in files {
        fs::create_dir_all(root.join(file).parent().unwrap()).unwrap();
        fs::write(root.join(file), "").unwrap();
    }
}

fn discovered(root: &Path, cwd: &str) -> String {
    let project = Project::discover(&root.join(cwd)).unwrap();
    let root = root.canonicalize().unwrap();
    project.root().strip_prefix(root).unwrap().to_str().unwrap().to_owned()
}

#[test]
fn a_folder_of_its_own_is_never_taken_over() {
    let folder = tempfile::tempdir().unwrap();
    make(folder.path(), &["a/b/.aide"], &[".aide/flow-status.json", "a/.aide/config.toml"]);
    assert_eq!(discovered(folder.path(), "a/b"), "a/b");
}

#[test]
fn a_task_in_progress_comes_before_a_nearer_configuration() {
    let folder = tempfile::tempdir().unwrap();
    make(folder.path(), &["a/b/c"], &[".aide/flow-status.json", "a/.aide/config.toml"]);
    assert_eq!(discovered(folder.path(), "a/b/c"), "");
    assert_eq!(discovered(folder.path(), "a"), "a");
    make(folder.path(), &[], &["a/b/.aide/flow-status.json"]);
    assert_eq!(discovered(folder.path(), "a/b/c"), "a/b");
    // In a fresh clone there is only the file of the branch.
    let folder = tempfile::tempdir().unwrap();
    let own = ".aide/logs/flow-status.2025-01-15T10-30-00.json";
    make(folder.path(), &["a/b/c"], &[own, "a/.aide/config.toml"]);
    assert_eq!(discovered(folder.path(), "a/b/c"), "");
}

#[test]
fn the_nearest_configuration_else_the_folder_itself() {
    let folder = tempfile::tempdir().unwrap();
    make(folder.path(), &["a/b/c", "d"], &["a/.aide/config.toml", "a/b/.aide/other"]);
    assert_eq!(discovered(folder.path(), "a/b/c"), "a");
    assert_eq!(discovered(folder.path(), "d"), "d");
}

#[test]
fn the_root_is_without_symlinks() {
    let folder = tempfile::tempdir().unwrap();
    make(folder.path(), &["real/.aide"], &[]);
    symlink(folder.path().join("real"), folder.path().join("link")).unwrap();
    assert_eq!(discovered(folder.path(), "link"), "real");
    let at = Project::at(&folder.path().join("link/../real/.")).unwrap();
    assert_eq!(at.root(), folder.path().canonicalize().unwrap().join("real"));
    assert_eq!(at.config_file(), at.root().join(".aide/config.toml"));
    assert!(Project::at(&folder.path().join("missing")).is_err());
    assert!(Project::discover(&folder.path().join("missing")).is_err());
}
