//! What the commits of a task have changed, file by file.

use crate::error::GitError;
use crate::git::Repository;
use model::flow::FileChange;
use std::collections::HashMap;
use store::{Project, flow_archive_path, flow_status_path};

/// Marks each commit in the output of git; no path begins with it.
const MARK: &str = "\u{1}";

/// The files that each of `commits` has changed, without the state of tasks. Commits that are not there any more are
/// left out.
///
/// # Errors
///
/// When there is no repository, or git fails.
pub fn changes(project: &Project, commits: &[&str]) -> Result<HashMap<String, Vec<FileChange>>, GitError> {
    let known: Vec<&str> = commits.iter().copied().filter(|commit| is_hash(commit)).collect();
    if known.is_empty() {
        return Ok(HashMap::new());
    }
    let repository = Repository::open(project.root())?;
    let format = format!("--format={MARK}%H");
    let state = format!(":(top,exclude,literal){}{}", repository.prefix, flow_status_path());
    let mut arguments =
        vec!["log", "--no-walk=unsorted", "--ignore-missing", "--no-show-signature", "--numstat"];
    arguments.extend(["-z", "--no-renames", &format]);
    arguments.extend(known);
    arguments.extend(["--", ":/", &state]);
    let output = repository.run(None, &arguments)?;
    let mut changes = read(&String::from_utf8_lossy(&output.stdout));
    let own = format!("{}{}", repository.prefix, flow_archive_path("flow-status."));
    for files in changes.values_mut() {
        files.retain(|file| !file.path.starts_with(&own));
    }
    Ok(changes)
}

/// A file may say anything; git is only told what cannot be an option.
fn is_hash(text: &str) -> bool {
    (7..=64).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn read(text: &str) -> HashMap<String, Vec<FileChange>> {
    let mut all = HashMap::new();
    let mut commit: Option<String> = None;
    for part in text.split(['\0', '\n']).filter(|part| !part.is_empty()) {
        if let Some(hash) = part.strip_prefix(MARK) {
            commit = Some(hash.to_owned());
            all.entry(hash.to_owned()).or_insert_with(Vec::new);
            continue;
        }
        let mut columns = part.splitn(3, '\t');
        let (Some(added), Some(removed), Some(path)) = (columns.next(), columns.next(), columns.next())
        else {
            continue;
        };
        let lines = added.parse().ok().zip(removed.parse().ok());
        if let Some(files) = commit.as_ref().and_then(|commit| all.get_mut(commit)) {
            files.push(FileChange { path: path.to_owned(), lines });
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::{is_hash, read};
    use model::flow::FileChange;

    #[test]
    fn what_git_says_is_read() {
        let all = read("\u{1}aa\0\n1\t2\ta b\tc.txt\0-\t-\tp.png\0\u{1}bb\0");
        let file = |path: &str, lines| FileChange { path: path.to_owned(), lines };
        assert_eq!(all["aa"], [file("a b\tc.txt", Some((1, 2))), file("p.png", None)]);
        assert!(all["bb"].is_empty());
    }

    #[test]
    fn nothing_but_a_hash_is_asked_for() {
        assert!(is_hash("a1b2c3d") && is_hash(&"0".repeat(40)));
        assert!(!is_hash("--all") && !is_hash("i7j8k9l") && !is_hash("HEAD") && !is_hash("abc"));
    }
}
