//! SHA-256 hashes of files.

use super::Rule;
use super::macros::{leaf_schema, read_from_text};
use std::fmt;
use std::str::FromStr;

/// SHA-256 hash of a file's bytes, written as `sha256:` and 64 lower-case hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sha256([u8; 32]);

/// The text is not a valid [`Sha256`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sha256Error;

impl Sha256 {
    const PREFIX: &str = "sha256:";

    /// Returns the bytes of the hash.
    pub fn bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Returns the 64 hexadecimal digits.
    pub fn hex(&self) -> String {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let digits = self.0.iter().flat_map(|byte| [byte >> 4, byte & 15]);
        digits.map(|digit| char::from(DIGITS[usize::from(digit)])).collect()
    }
}

impl From<[u8; 32]> for Sha256 {
    fn from(digest: [u8; 32]) -> Self {
        Self(digest)
    }
}

impl FromStr for Sha256 {
    type Err = Sha256Error;

    fn from_str(text: &str) -> Result<Self, Sha256Error> {
        let digit = |digit: u8| match digit {
            b'0'..=b'9' => Ok(digit - b'0'),
            b'a'..=b'f' => Ok(digit - b'a' + 10),
            _ => Err(Sha256Error),
        };
        let hex = text.strip_prefix(Self::PREFIX).ok_or(Sha256Error)?.as_bytes();
        let (pairs, []) = hex.as_chunks::<2>() else { return Err(Sha256Error) };
        let mut digest = [0; 32];
        if pairs.len() != digest.len() {
            return Err(Sha256Error);
        }
        for (byte, [high, low]) in digest.iter_mut().zip(pairs) {
            *byte = digit(*high)? << 4 | digit(*low)?;
        }
        Ok(Self(digest))
    }
}

/// Whether the text is the written form of this hash.
impl PartialEq<str> for Sha256 {
    fn eq(&self, other: &str) -> bool {
        other.parse() == Ok(*self)
    }
}

impl fmt::Display for Sha256 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}{}", Self::PREFIX, self.hex()))
    }
}

impl fmt::Display for Sha256Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not sha256: with 64 lower-case hexadecimal digits")
    }
}

impl std::error::Error for Sha256Error {}

read_from_text!(Sha256, |Sha256Error| Rule::IsSha256);
leaf_schema!(Sha256, { "type": "string", "pattern": "^sha256:[0-9a-f]{64}$" });

#[cfg(test)]
mod tests {
    use super::Sha256;

    #[test]
    fn a_hash_is_written_in_one_way() {
        let hash = Sha256::from([0xab; 32]);
        assert_eq!(hash.to_string(), format!("sha256:{}", "ab".repeat(32)));
        assert_eq!(hash.to_string().parse(), Ok(hash));
        assert_eq!(hash.hex(), "ab".repeat(32));
        let upper = hash.to_string().to_uppercase();
        for bad in ["", "sha256:", "sha256:ab", &upper, &format!("{hash}0"), &hash.hex()] {
            assert!(bad.parse::<Sha256>().is_err(), "{bad:?}");
        }
    }
}
