//! Hashes of files.

use super::Rule;
use super::macros::{leaf_schema, text};
use std::fmt;
use std::str::FromStr;

/// The hash of a file's bytes: `sha256:` and 64 lower-case hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sha256(String);

/// A text that is no [`Sha256`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sha256Error;

impl Sha256 {
    const PREFIX: &str = "sha256:";

    /// Returns the 64 digits.
    pub fn hex(&self) -> &str {
        self.0.strip_prefix(Self::PREFIX).unwrap_or_default()
    }
}

impl From<[u8; 32]> for Sha256 {
    fn from(digest: [u8; 32]) -> Self {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let digits = digest.iter().flat_map(|byte| [byte >> 4, byte & 15]);
        let digits = digits.map(|digit| char::from(DIGITS[usize::from(digit)]));
        Self(Self::PREFIX.chars().chain(digits).collect())
    }
}

impl FromStr for Sha256 {
    type Err = Sha256Error;

    fn from_str(text: &str) -> Result<Self, Sha256Error> {
        let hex = text.strip_prefix(Self::PREFIX).ok_or(Sha256Error)?;
        let fits = hex.len() == 64 && hex.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        if fits { Ok(Self(text.to_owned())) } else { Err(Sha256Error) }
    }
}

impl fmt::Display for Sha256Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not sha256: with 64 lower-case hexadecimal digits")
    }
}

impl std::error::Error for Sha256Error {}

text!(Sha256, |Sha256Error| Rule::IsSha256);
leaf_schema!(Sha256, { "type": "string", "pattern": "^sha256:[0-9a-f]{64}$" });

#[cfg(test)]
mod tests {
    use super::Sha256;

    #[test]
    fn a_hash_is_written_in_one_way() {
        let hash = Sha256::from([0xab; 32]);
        assert_eq!(hash.as_str(), format!("sha256:{}", "ab".repeat(32)));
        assert_eq!(hash.parse(), Ok(hash.clone()));
        assert_eq!(hash.hex(), "ab".repeat(32));
        for bad in ["", "sha256:", "sha256:ab", &hash.to_uppercase(), &format!("{hash}0"), hash.hex()] {
            assert!(bad.parse::<Sha256>().is_err(), "{bad:?}");
        }
    }
}
