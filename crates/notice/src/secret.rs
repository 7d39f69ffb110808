//! Texts that stand elsewhere than in the configuration.

use crate::Undelivered;
use settings::Reference;
use std::env;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};

/// How long an address or a token may be, in bytes.
const MAX: u64 = 8 << 10;

/// Returns the text that `reference` means.
///
/// # Errors
///
/// When there is none.
pub(crate) fn resolve(reference: &Reference) -> Result<String, Undelivered> {
    let (found, name) = match reference {
        Reference::Text(text) => return Ok(text.clone()),
        Reference::Variable(name) => (env::var(name).ok(), name.clone()),
        Reference::File(path) => {
            let mut line = String::new();
            // Reading a pipe or a device might never end.
            let is_file = path.metadata().is_ok_and(|metadata| metadata.is_file());
            let file = is_file.then(|| File::open(path).ok()).flatten();
            let read = file.and_then(|file| BufReader::new(file.take(MAX)).read_line(&mut line).ok());
            (read.map(|_| line), path.display().to_string())
        }
    };
    let text = found.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
    text.ok_or(Undelivered::NoSecret { name })
}

#[cfg(test)]
mod tests {
    use super::resolve;
    use crate::Undelivered;
    use settings::Reference;
    use std::fs;

    #[test]
    fn the_first_line_of_a_file_is_the_secret() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("token");
        fs::write(&file, "  tk_1 \nsecond\n").unwrap();
        assert_eq!(resolve(&Reference::File(file.clone())).unwrap(), "tk_1");
        fs::write(&file, "\n").unwrap();
        for path in [file, folder.path().to_owned(), folder.path().join("none")] {
            let name = path.display().to_string();
            let Err(Undelivered::NoSecret { name: told }) = resolve(&Reference::File(path)) else {
                panic!("{name}")
            };
            assert_eq!(told, name);
        }
        assert!(resolve(&Reference::Variable("AIDE_NO_SUCH_VARIABLE".to_owned())).is_err());
        assert_eq!(
            resolve(&Reference::Variable("CARGO_MANIFEST_DIR".to_owned())).unwrap(),
            env!("CARGO_MANIFEST_DIR")
        );
    }
}
