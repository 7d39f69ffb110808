//! Attaching files by their paths.

use super::QuestionSet;
use files::FileError;
use model::{Attachments, ItemKind};
use std::env;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use store::{AttachError, StoreError};
use texts::{Explain, Lang};

/// So much is copied at a time.
const CHUNK: usize = 64 << 10;

impl QuestionSet<'_> {
    /// What is attached to the questions, by whichever door.
    pub(super) fn attachments(&self) -> Result<Attachments, StoreError> {
        let asks_files = self.open.questions.input().items.iter().any(|item| item.kind == ItemKind::Files);
        if asks_files {
            self.open.desk.attachments(&self.open.pending.session)
        } else {
            Ok(Attachments::new())
        }
    }

    /// Attaches a copy of the file at the path that was typed to the item `item`; says what it is called here, or why it
    /// was not attached.
    pub(super) fn attach(&self, item: u64, typed: &str, lang: Lang) -> Result<String, String> {
        let path = path(typed, env::home_dir());
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        self.attach_as(item, &path, &name, lang)
    }

    /// The same with the file at `path`, as if it were called `name`.
    pub(super) fn attach_as(&self, item: u64, path: &Path, name: &str, lang: Lang) -> Result<String, String> {
        let unreadable = |source| FileError::Io { path: path.to_owned(), source }.explain(lang).what;
        // A pipe would be waited for without end.
        match path.metadata().map_err(unreadable)? {
            found if found.is_dir() => return Err(unreadable(io::ErrorKind::IsADirectory.into())),
            found if !found.is_file() => return Err(unreadable(io::ErrorKind::InvalidInput.into())),
            _ => {}
        }
        let mut file = File::open(path).map_err(unreadable)?;
        let refused = |error: AttachError| app::attach_detail_of(&error, lang);
        let open = self.open;
        let mut upload = open.desk.attach(open.pending, open.questions, item, name).map_err(refused)?;
        let mut chunk = vec![0; CHUNK];
        loop {
            match file.read(&mut chunk) {
                Ok(0) => break,
                Ok(length) => upload.write(&chunk[..length]).map_err(refused)?,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(unreadable(error)),
            }
        }
        let attached = upload.finish().map_err(refused)?;
        Ok(format!("{} ({})", attached.name, texts::size(attached.size)))
    }

    /// Takes away the file `name` of the item `item`.
    pub(super) fn detach(&self, item: u64, name: &str) -> Result<bool, StoreError> {
        self.open.desk.detach(self.open.pending, item, name)
    }
}

/// The path that the user means: `~` is their home, and a path dragged into the terminal comes in quotes.
fn path(typed: &str, home: Option<PathBuf>) -> PathBuf {
    let typed = typed.trim();
    let within = |quote: char| typed.strip_prefix(quote)?.strip_suffix(quote);
    let typed = within('\'').or_else(|| within('"')).unwrap_or(typed);
    match (typed.strip_prefix('~'), home) {
        (Some(""), Some(home)) => home,
        (Some(rest), Some(home)) if rest.starts_with('/') => home.join(rest.trim_start_matches('/')),
        _ => Path::new(typed).to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::path;
    use std::path::{Path, PathBuf};

    #[test]
    fn a_path_is_what_somebody_means() {
        for (typed, meant) in [
            (" a b.pdf\n", "a b.pdf"),
            ("~/a", "/home/ann/a"),
            ("~//a", "/home/ann/a"),
            ("~", "/home/ann"),
            ("~ann/a", "~ann/a"),
            ("'/tmp/a b'", "/tmp/a b"),
            ("\"~/a\"", "/home/ann/a"),
            ("it's", "it's"),
            ("'", "'"),
        ] {
            assert_eq!(path(typed, Some(PathBuf::from("/home/ann"))), Path::new(meant), "{typed}");
        }
        assert_eq!(path("~/a", None), Path::new("~/a"));
    }
}
