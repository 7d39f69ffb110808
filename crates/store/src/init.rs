//! `aide init`.

use crate::layout::{AIDE, CONFIG, DECISIONS};
use crate::{InitError, format};
use files::{Dir, FileError, FileType, Lock, Mode, durable};
use settings::{ConfigFiles, ConfigValue, DEFAULT_CONFIG, LangSetting, keys, set_in};
use std::path::Path;

/// What belongs to one checkout, by patterns relative to `.aide/`. Under version control belong the decisions and the tasks,
/// which have a file each: not the traces of a running server, nor what each of two branches has one of.
const IGNORE_TEXT: &str = "\
# 运行时文件，不纳入版本管理。
# Files of a running aide, not to be versioned.
flow-status.json
decisions/.lock
decisions/pending.json
decisions/*.ended
decisions/server.json
decisions/draft.json
decisions/open/*.draft.json
decisions/open/*.held.json
decisions/open/*.rest.json
decisions/server.log
decisions/open.html
decisions/files/
decisions/receipts/
flow.lock
back-confirm-state.json
*.tmp
";
const GITIGNORE: &str = ".gitignore";
/// The project's own folder is not ours: a `.gitignore.tmp` there could be the user's.
const GITIGNORE_TEMPORARY: &str = ".gitignore.aide-tmp";
const GITIGNORE_LINE: &str = ".aide/";
/// A `.gitignore` of more bytes than this is refused.
const GITIGNORE_LIMIT: u64 = 16 << 20;

/// What `init` did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InitReport {
    /// `.aide/config.toml` was missing and now holds the defaults.
    pub config_created: bool,
    /// The project's `.gitignore` now has the line `.aide/`.
    pub gitignore_updated: bool,
}

/// Makes `root` a project: `.aide/` with its folders and a documented configuration. What is there stays as it is, so
/// running again does no harm.
///
/// # Errors
///
/// When `.aide` is a symlink or no folder, when an existing configuration cannot be read, when a `.gitignore` that
/// should be changed is no regular file, and whatever the disk says.
pub fn init(root: &Path) -> Result<InitReport, InitError> {
    init_below(root, None, None)
}

/// The same where the user has a configuration of their own in the file `user`. A new configuration sets the language
/// `lang`.
///
/// # Errors
///
/// As [`init`], and when that file cannot be read.
pub fn init_below(
    root: &Path,
    user: Option<&Path>,
    lang: Option<LangSetting>,
) -> Result<InitReport, InitError> {
    let root = root.canonicalize().map_err(|source| FileError::Io { path: root.to_owned(), source })?;
    let dir = Dir::open(&root)?;
    let aide = dir.ensure_folder(AIDE)?;
    format::check(&aide)?;
    let decisions = aide.ensure_folder(DECISIONS)?;
    aide.ensure_folder("logs")?;
    ensure_ignore_file(&aide, &decisions)?;

    let lock = Lock::take(&decisions)?;
    for name in [GITIGNORE, CONFIG, format::FILE] {
        // These are seldom written: nothing else would ever clear away what a kill has left of them.
        durable::sweep_one(&lock, &aide, name);
    }
    format::note(&lock, &aide)?;
    let config_created = match aide.kind(CONFIG)? {
        None => durable::publish_once(&lock, &aide, CONFIG, defaults_in(lang).as_bytes())?,
        Some(_) => false,
    };
    let config = ConfigFiles::new(Some(root.join(AIDE).join(CONFIG)), user.map(Path::to_owned));
    let gitignore_updated = config.layers()?.config()?.gitignore_aide && ignore_aide(&lock, &dir)?;
    // What was there already may be what a killed one has left, and not be on the disk yet.
    aide.sync()?;
    dir.sync()?;
    Ok(InitReport { config_created, gitignore_updated })
}

/// The configuration of a new project, which sets the language `lang`.
fn defaults_in(lang: Option<LangSetting>) -> String {
    let set = |lang: LangSetting| {
        set_in(DEFAULT_CONFIG, &keys::GENERAL_LANG, &ConfigValue::Text(lang.name().to_owned())).ok()
    };
    lang.and_then(set).unwrap_or_else(|| DEFAULT_CONFIG.to_owned())
}

/// Creates `.aide/.gitignore` where there is none. An existing one stays as it is, because commands that only read use this: a
/// change would keep git from leaving the branch.
pub(crate) fn create_ignore_file(aide: &Dir, decisions: &Dir) -> Result<(), FileError> {
    if aide.kind(GITIGNORE)?.is_none() {
        let lock = Lock::take(decisions)?;
        durable::publish_once(&lock, aide, GITIGNORE, IGNORE_TEXT.as_bytes())?;
    }
    Ok(())
}

/// The same for commands that write: the lines that an earlier version did not write are added. A file that is not ours to
/// change stays as it is.
pub(crate) fn ensure_ignore_file(aide: &Dir, decisions: &Dir) -> Result<(), FileError> {
    match aide.kind(GITIGNORE)? {
        None => create_ignore_file(aide, decisions)?,
        Some(FileType::RegularFile) if with_runtime_files(&read(aide)?.0).is_some() => {
            let lock = Lock::take(decisions)?;
            // Read once more: another process may have been faster.
            let (bytes, mode) = read(aide)?;
            if let Some(bytes) = with_runtime_files(&bytes) {
                durable::replace_via(&lock, aide, &format!("{GITIGNORE}.tmp"), GITIGNORE, mode, &bytes)?;
            }
        }
        Some(_) => {}
    }
    Ok(())
}

/// `text` with every line of [`IGNORE_TEXT`] that it lacks; `None` when it lacks none. Who has negated one wants that file
/// in version control.
fn with_runtime_files(text: &[u8]) -> Option<Vec<u8>> {
    let patterns = IGNORE_TEXT.lines().filter(|line| !line.starts_with('#'));
    patterns.fold(None, |added, pattern| {
        let text = added.as_deref().unwrap_or(text);
        if has_line(text, &format!("!{pattern}")) { added } else { with_line(text, pattern).or(added) }
    })
}

/// Adds the line to the project's `.gitignore`; false when it was there.
fn ignore_aide(lock: &Lock, root: &Dir) -> Result<bool, FileError> {
    let (bytes, mode) = read(root)?;
    let Some(bytes) = with_line(&bytes, GITIGNORE_LINE) else { return Ok(false) };
    durable::replace_via(lock, root, GITIGNORE_TEMPORARY, GITIGNORE, mode, &bytes)?;
    Ok(true)
}

/// The `.gitignore` of a folder and its mode; an empty one when nothing has that name.
fn read(dir: &Dir) -> Result<(Vec<u8>, Mode), FileError> {
    let found = dir.read_with_mode(GITIGNORE, GITIGNORE_LIMIT)?;
    Ok(found.unwrap_or((Vec::new(), Mode::from_raw_mode(0o644))))
}

fn has_line(text: &[u8], wanted: &str) -> bool {
    text.split(|byte| *byte == b'\n').any(|line| line.trim_ascii() == wanted.as_bytes())
}

/// `text` with the line `line` at its end, every byte before it kept; `None` when it has the line.
fn with_line(text: &[u8], line: &str) -> Option<Vec<u8>> {
    if has_line(text, line) {
        return None;
    }
    let line_end: &[u8] = if text.windows(2).any(|pair| pair == b"\r\n") { b"\r\n" } else { b"\n" };
    let mut text = text.to_owned();
    if !text.is_empty() && !text.ends_with(b"\n") {
        text.extend_from_slice(line_end);
    }
    text.extend_from_slice(line.as_bytes());
    text.extend_from_slice(line_end);
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::{GITIGNORE_LINE, with_line};

    #[test]
    fn the_line_is_added_once_and_nothing_else_changes() {
        let added: [(&[u8], &[u8]); 6] = [
            (b"", b".aide/\n"),
            (b"target\n", b"target\n.aide/\n"),
            (b"target", b"target\n.aide/\n"),
            (b"a\r\nb\r\n", b"a\r\nb\r\n.aide/\r\n"),
            (b"\xff\xfe\n\n#.aide/", b"\xff\xfe\n\n#.aide/\n.aide/\n"),
            (b"x.aide/\n!.aide/\n", b"x.aide/\n!.aide/\n.aide/\n"),
        ];
        for (before, after) in added {
            assert_eq!(with_line(before, GITIGNORE_LINE).as_deref(), Some(after), "{before:?}");
            assert_eq!(with_line(after, GITIGNORE_LINE), None, "{after:?}");
        }
        for present in [&b".aide/"[..], b"a\n  .aide/\t\r\nb"] {
            assert_eq!(with_line(present, GITIGNORE_LINE), None, "{present:?}");
        }
    }
}
