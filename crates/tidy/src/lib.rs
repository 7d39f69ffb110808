//! Rules about the sources and documents of this repository, checked by `tests/repository.rs`.
//!
//! Each rule is a function of a [`Tree`] and, where the repository does not hold to it yet, of an [`Allowed`] list. It returns
//! [`Finding`]s: where, what is wrong, and what to do. A list only shrinks: an entry that is no longer needed is a finding too.

pub mod architecture;
pub mod arrows;
pub mod circles;
pub mod citations;
pub mod glossary;
pub mod length;
pub mod numbers;
pub mod paths;
pub mod phrases;

mod allowed;
mod crates;
mod finding;
mod markdown;
mod measures;
mod rust;
mod tree;

pub use allowed::{Allowed, Checked};
pub use finding::Finding;
pub use measures::Measures;
pub use rust::{Comment, Kind, Rust, Token};
pub use tree::{File, Tree};
