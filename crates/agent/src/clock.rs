//! Time and randomness, supplied by the caller.

use protocol::agent::{Id, Timestamp};

/// The time, and unpredictable numbers. Tests supply their own.
pub trait Clock {
    /// The present moment.
    fn now(&self) -> Timestamp;

    /// Unpredictable bits, different on each call.
    fn random(&self) -> u128;
}

/// Makes an id of the form `msg_20260112T090000Z_1a2b3c4d`.
pub(crate) fn stamped(kind: &str, time: &Timestamp, random: u128) -> Id {
    let time = Timestamp::from_unix(time.unix_seconds());
    let time: String = time.as_str().chars().filter(|c| !matches!(c, '-' | ':')).collect();
    // The lowest 32 bits.
    let random = (random & 0xffff_ffff) as u32;
    id(&format!("{kind}_{time}_{random:08x}"))
}

/// Returns `text`, which was made from ids, as an id. If it is too long, it is cut off and ends with its hash.
pub(crate) fn id(text: &str) -> Id {
    text.parse().unwrap_or_else(|_| {
        let hash = crate::hash::sha256(text.as_bytes());
        let kept = &text[..text.floor_char_boundary(Id::MAX - 17)];
        let fallback = || Id::from_hash(&hash);
        format!("{kept}-{}", &hash.hex()[..16]).parse().unwrap_or_else(|_| fallback())
    })
}

/// An id that is only a hash.
trait FromHash {
    fn from_hash(hash: &protocol::agent::Sha256) -> Self;
}

impl FromHash for Id {
    #[expect(clippy::expect_used, reason = "64 hexadecimal digits are an id")]
    fn from_hash(hash: &protocol::agent::Sha256) -> Self {
        hash.hex().parse().expect("64 hexadecimal digits")
    }
}

#[cfg(test)]
mod tests {
    use super::{id, stamped};

    #[test]
    fn s3_an_id_says_when_it_was_made() {
        let time = "2026-01-12T17:00:00.25+08:00".parse().unwrap();
        assert_eq!(stamped("msg", &time, 0x1_1a2b_3c4d), "msg_20260112T090000Z_1a2b3c4d");
    }

    #[test]
    fn an_id_that_is_too_long_is_still_one_of_its_own() {
        let long = "x".repeat(200);
        assert_eq!(id(&long).len(), 128);
        assert_ne!(id(&long), id(&format!("{long}y")));
    }
}
