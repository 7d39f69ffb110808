//! What is said between an agent, `aide` and a person, and what of it is valid.
//!
//! The types are those of contract/decide §2, contract/storage §2, and contract/flow §3 and §5; browser and backend compile the
//! same ones. Everything here is pure: no file, no clock, no network. What is wrong with an input is returned as data
//! ([`Problem`]: where, which rule, what was found); the sentences are written elsewhere.
//!
//! # Where things are
//!
//! The data: types shared by browser and backend, and their validation, also in the format of agents' own dialogs (`dialog.rs`);
//! pictures and fragments beside an option (`preview.rs`); the parsing of typed answers (`respond.rs`).

mod answer;
mod ask;
mod attachment;
mod blank;
mod decide;
mod dialog;
pub mod flow;
pub mod form;
mod glob;
mod input;
mod path;
mod preview;
mod problem;
pub mod provider;
mod read;
mod record;
pub mod respond;
mod returned;
mod schema;
mod session;
mod short;
mod slip;
pub mod strict;

pub use answer::{Answer, AnswerSheet, parse_output};
pub use ask::{Ask, Origin};
pub use attachment::{
    Attachment, Attachments, MAX_ATTACHED, MAX_FILES, MAX_NAME, USUAL_FILES, clean_name, name_matches,
    numbered_name,
};
pub use blank::is_blank;
pub use decide::{
    Chosen, DecideInput, DecideItem, DecideOption, DecideOutput, Decision, ItemKind, Location, Remainder,
};
pub use glob::glob_matches;
pub use input::{InputError, Questions};
pub use path::{Path, Segment};
pub use preview::{MAX_PICTURE, MAX_PREVIEW, PictureKind, Preview, is_picture};
pub use problem::{Found, Problem, Rule};
pub use record::{DecisionRecord, Ending, FilledAnswer, ItemMeta, RecordMeta, Via};
pub use returned::Returned;
pub use schema::{ANSWERS_SCHEMA, QUESTIONS_SCHEMA};
pub use session::{SessionId, SessionIdError};
pub use short::{beginning, on_one_line};
pub use slip::{Slip, edit_distance, nearest_member, slips};
pub use strict::SyntaxError;

/// The largest integer that every JSON reader keeps exact: 2^53 − 1. Larger ids are refused, because a caller
/// written in JavaScript would read another id than the one that was sent.
pub const MAX_SAFE_INTEGER: u64 = (1 << 53) - 1;
