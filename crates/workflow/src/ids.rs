//! Names of what begins here: a word, the time, and enough at random that no two are the same; and the
//! hash that stands for a text.

use crate::world::World;
use journal::Millis;
use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;

/// `word-<milliseconds>-<six characters>`.
pub(crate) fn timed(word: &str, now: Millis, world: &dyn World) -> String {
    format!("{word}-{now}-{}", random(world, 6))
}

/// `wf-<time and random, in base 36>`.
pub(crate) fn workflow(now: Millis, world: &dyn World) -> String {
    format!("wf-{}{}", base36(now.unsigned_abs()), random(world, 8))
}

/// `evt-<time and random, in base 36>`.
pub(crate) fn event(now: Millis, world: &dyn World) -> String {
    format!("evt-{}{}", base36(now.unsigned_abs()), random(world, 10))
}

fn random(world: &dyn World, length: usize) -> String {
    let mut text = base36(world.random());
    // The last digits are as good as any.
    while text.len() < length {
        text.insert(0, '0');
    }
    text.split_off(text.len() - length)
}

fn base36(mut number: u64) -> String {
    const DIGITS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";
    let mut digits = Vec::new();
    loop {
        digits.push(char::from(DIGITS[usize::try_from(number % 36).unwrap_or_default()]));
        number /= 36;
        if number == 0 {
            return digits.iter().rev().collect();
        }
    }
}

pub(crate) fn sha256(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(64);
    for byte in Sha256::digest(bytes) {
        let _ = write!(text, "{byte:02x}");
    }
    text
}
