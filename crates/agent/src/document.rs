//! Documents as they are written: JSON that a person can read.

use serde::Serialize;

/// A document as it is written.
pub(crate) fn text(value: &impl Serialize) -> Result<Vec<u8>, serde_json::Error> {
    let mut bytes = serde_json::to_vec_pretty(value)?;
    bytes.push(b'\n');
    Ok(bytes)
}
