//! Which format a file of ours has, so that an older program leaves alone what it does not know.

use crate::FileError;
use serde_json::{Map, Value};
use std::path::Path;

const FORMAT: &str = "format";
const NEEDS: &str = "needs";

/// The format that this program writes into a JSON file, and the latest that it reads there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileFormat {
    /// Its number.
    pub number: u64,
    /// The oldest program that reads it.
    pub needs: &'static str,
}

impl FileFormat {
    /// The first of a file. One that does not say its format has it.
    pub const FIRST: Self = Self { number: 1, needs: "0.1.0" };

    /// Returns an object of this format with `members`.
    pub fn object(self, members: impl IntoIterator<Item = (&'static str, Value)>) -> Value {
        let own = [(FORMAT, self.number.into()), (NEEDS, self.needs.into())];
        let members = own.into_iter().chain(members);
        members.map(|(name, value)| (name.to_owned(), value)).collect::<Map<_, _>>().into()
    }

    /// Returns the document in the file `path` if it has this format or an earlier one.
    ///
    /// # Errors
    ///
    /// [`FileError::Newer`] when its format is a later one.
    pub fn known(self, path: &Path, document: Value) -> Result<Value, FileError> {
        if document.get(FORMAT).and_then(Value::as_u64).is_none_or(|number| number <= self.number) {
            return Ok(document);
        }
        let needs = document.get(NEEDS).and_then(Value::as_str).unwrap_or("?").to_owned();
        Err(FileError::Newer { path: path.to_owned(), needs })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on must fail")]
mod tests {
    use super::FileFormat;
    use crate::FileError;
    use serde_json::{Value, json};
    use std::path::Path;

    #[test]
    fn only_a_later_format_is_unknown() {
        let second = FileFormat { number: 2, needs: "0.3.0" };
        let written = second.object([("a", json!(1))]);
        assert_eq!(written, json!({ "format": 2, "needs": "0.3.0", "a": 1 }));
        let path = Path::new("/state/a.json");
        for known in [written.clone(), FileFormat::FIRST.object([]), json!({}), json!([5]), Value::Null] {
            assert_eq!(second.known(path, known.clone()).unwrap(), known);
        }
        let Err(FileError::Newer { path: told, needs }) = FileFormat::FIRST.known(path, written) else {
            panic!("the later format is known");
        };
        assert_eq!((&*told, &*needs), (path, "0.3.0"));
    }
}
