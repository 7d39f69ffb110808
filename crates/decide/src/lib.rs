//! Operations on questions, once they are on the disk: find them, wait for their end, answer them, send them back, cancel them,
//! report their outcome, list them, search earlier ones, write them down elsewhere.
//!
//! Programs that ask or answer call this: the command line, the page, later other programs. Nothing here prints, words anything
//! for people, or knows HTTP. How a set of questions ends is one type everywhere, [`model::Ending`].
//!
//! # Where things are
//!
//! Operations on questions on the disk: find them (`lookup.rs`), accept a person's input (`submission.rs`), wait for their end
//! (`wait.rs`), determine their state (`outcome.rs`), list them and look through earlier ones (`list.rs`, `history.rs`), write
//! decisions into files (`adr.rs`); the trait `Desk` (`desk.rs`): the keeper of sets of questions. No words, no arguments, no
//! HTTP.

mod adr;
mod desk;
mod error;
mod history;
mod list;
mod lookup;
mod outcome;
mod replacement;
mod search;
mod state;
mod submission;
mod wait;

pub use adr::{Adr, WrittenAdr, write_adrs};
pub use desk::{Desk, Ended, EndedSets, Halt, Watch};
pub use error::DecideError;
pub use history::{HistoryEntry, HistoryPage, history};
pub use list::{Entry, ListPage, list, list_open, list_page};
pub use lookup::{
    cancel, is_there, latest, only_one_to_answer, open_questions, others_open, pending, record, removable,
    remove, session, to_answer,
};
pub use outcome::{Outcome, outcome};
pub use replacement::{Replacement, replacement};
pub use search::SearchCache;
pub use state::{State, serves};
pub use submission::{OpenSet, Submission, SubmitError};
pub use wait::{LOOK_INTERVAL, WaitEnd, changed, elapsed, wait};
