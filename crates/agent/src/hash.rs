//! Hashes of bytes, and of files that do not fit into memory.

use files::{Dir, FileError};
use protocol::agent::Sha256;
use serde_json::Value;
use sha2::Digest;

/// The hash of bytes that come in pieces.
#[derive(Default)]
pub(crate) struct Hasher(sha2::Sha256);

impl Hasher {
    pub(crate) fn add(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    pub(crate) fn end(self) -> Sha256 {
        Sha256::from(<[u8; 32]>::from(self.0.finalize()))
    }
}

/// The hash of `bytes`.
pub fn sha256(bytes: &[u8]) -> Sha256 {
    let mut hasher = Hasher::default();
    hasher.add(bytes);
    hasher.end()
}

/// The hash and the size of the regular file `name`; `None` when nothing has that name.
pub(crate) fn of_file(dir: &Dir, name: &str) -> Result<Option<(Sha256, u64)>, FileError> {
    let mut hasher = Hasher::default();
    let size = dir.read_in_pieces(name, u64::MAX, |piece| {
        hasher.add(piece);
        Ok::<_, FileError>(())
    })?;
    Ok(size.map(|size| (hasher.end(), size)))
}

/// The hash of what a document says: neither its layout nor the order of its members matters.
pub(crate) fn of_content(value: &Value) -> Sha256 {
    sha256(sorted(value).to_string().as_bytes())
}

fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(object) => {
            let mut members: Vec<_> = object.iter().collect();
            members.sort_unstable_by_key(|(key, _)| *key);
            Value::Object(members.into_iter().map(|(key, value)| (key.clone(), sorted(value))).collect())
        }
        Value::Array(array) => array.iter().map(sorted).collect(),
        value => value.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::{of_content, sha256};
    use serde_json::json;

    #[test]
    fn a_hash_is_written_as_section_3_says() {
        let empty = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(sha256(b"").to_string(), empty);
    }

    #[test]
    fn the_order_of_members_says_nothing() {
        assert_eq!(of_content(&json!({"a": {"b": 1, "c": 2}})), of_content(&json!({"a": {"c": 2, "b": 1}})));
        assert_ne!(of_content(&json!([1, 2])), of_content(&json!([2, 1])));
    }
}
