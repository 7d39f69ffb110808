//! The plain HTML form: how its fields are named, and how a post is read back. Page and server both use this,
//! so a field cannot be written under one name and read under another.

use crate::{Answer, AnswerSheet, Returned};
use std::collections::HashMap;

/// The hidden field that says which questions the page shows.
pub const SESSION: &str = "session";
/// The submit buttons' field.
pub const ACTION: &str = "action";
/// The value of the button that submits.
pub const SUBMIT: &str = "submit";
/// The value of the button that takes all recommendations and shows the page again.
pub const RECOMMEND: &str = "recommend";
/// The value of the button that only shows the page again, in another language.
pub const SHOW: &str = "show";
/// The value of the button that leads to the history.
pub const HISTORY: &str = "history";
/// The value of the button that leads to all open questions.
pub const INBOX: &str = "inbox";

/// The value of the button that shows everything that was chosen.
pub const REVIEW: &str = "review";
/// The value of the button that asks for more time and shows the page again.
pub const EXTEND: &str = "extend";

/// The field that a page with script adds to what it posts.
pub const SCRIPTED: &str = "scripted";

/// The value of the button that takes back what was submitted.
pub const TAKE_BACK: &str = "take-back";

/// The value of the button that sends the questions back unanswered.
pub const RETURN: &str = "return";
/// The field that says why they are sent back.
pub const RETURN_MESSAGE: &str = "return-message";
/// The check boxes of the items that are meant; their value is the item's id.
pub const RETURN_ITEM: &str = "return-item";

/// The buttons that take a file away; their value is [`removal_value`].
pub const REMOVE: &str = "remove";

const CHOICE: &str = "item-";
const NOTE: &str = "note-";
const OTHER: &str = "other-";
const FILES: &str = "files-";

/// The radio buttons or check boxes of an item; their value is the option's position, or nothing for leaving it open.
pub fn choice_field(id: u64) -> String {
    format!("{CHOICE}{id}")
}

/// The note of an item.
pub fn note_field(id: u64) -> String {
    format!("{NOTE}{id}")
}

/// The answer to an item in the person's own words.
pub fn other_field(id: u64) -> String {
    format!("{OTHER}{id}")
}

/// The files that are attached to an item, as they are sent with the form.
pub fn files_field(id: u64) -> String {
    format!("{FILES}{id}")
}

/// Which file is to be taken away from which item.
pub fn removal_value(id: u64, name: &str) -> String {
    format!("{id}/{name}")
}

/// The item whose [`choice_field`] this is.
pub fn choice_id(name: &str) -> Option<u64> {
    id_after(CHOICE, name)
}

/// The item whose [`note_field`] this is.
pub fn note_id(name: &str) -> Option<u64> {
    id_after(NOTE, name)
}

/// The item whose [`other_field`] this is.
pub fn other_id(name: &str) -> Option<u64> {
    id_after(OTHER, name)
}

/// The item whose [`files_field`] this is.
pub fn files_id(name: &str) -> Option<u64> {
    id_after(FILES, name)
}

fn id_after(prefix: &str, name: &str) -> Option<u64> {
    name.strip_prefix(prefix)?.parse().ok()
}

/// The item and the name of the file that a [`removal_value`] means.
pub fn removal(value: &str) -> Option<(u64, &str)> {
    let (id, name) = value.split_once('/')?;
    Some((id.parse().ok()?, name))
}

/// What a person asked for by pressing a button of the plain form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Send the answers.
    Submit,
    /// Fill in the recommendations and show the page again.
    Recommend,
    /// Show the page again as it is.
    Show,
    /// Keep what was filled in and show the history.
    History,
    /// Keep what was filled in and show all open questions.
    Inbox,
    /// Show everything that was chosen.
    Review,
    /// Begin the time limit again, and show the page as it is.
    Extend,
    /// Send the questions back.
    Return,
    /// Take back what was submitted.
    TakeBack,
}

/// One post of the form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Post {
    /// The session the page was made for, as it was sent.
    pub session: String,
    /// The button.
    pub action: Action,
    /// Whether the page had script, so that this is no plain form.
    pub is_scripted: bool,
    /// What was filled in; fields that no item has are left out.
    pub sheet: AnswerSheet,
}

/// Reads the decoded name-value pairs of a post. A browser sends every line break in a note, be it CR, LF or both, as
/// CR LF; each is read back as LF.
pub fn read<N: AsRef<str>, V: AsRef<str>>(pairs: impl IntoIterator<Item = (N, V)>) -> Post {
    let mut post = Post {
        session: String::new(),
        action: Action::Submit,
        is_scripted: false,
        sheet: AnswerSheet::default(),
    };
    let mut positions = HashMap::new();
    for (name, value) in pairs {
        let (name, value) = (name.as_ref(), value.as_ref());
        match name {
            SESSION => value.clone_into(&mut post.session),
            SCRIPTED => post.is_scripted = true,
            ACTION if value == RECOMMEND => post.action = Action::Recommend,
            ACTION if value == SHOW => post.action = Action::Show,
            ACTION if value == HISTORY => post.action = Action::History,
            ACTION if value == INBOX => post.action = Action::Inbox,
            ACTION if value == REVIEW => post.action = Action::Review,
            ACTION if value == EXTEND => post.action = Action::Extend,
            ACTION if value == RETURN => post.action = Action::Return,
            ACTION if value == TAKE_BACK => post.action = Action::TakeBack,
            RETURN_MESSAGE => returned(&mut post.sheet).message = with_plain_breaks(value),
            RETURN_ITEM => returned(&mut post.sheet).items.extend(value.parse::<u64>().ok()),
            _ => {
                if let Some(id) = choice_id(name) {
                    entry(&mut post.sheet, &mut positions, id).options.extend(value.parse::<u32>().ok());
                } else if let Some(id) = other_id(name) {
                    entry(&mut post.sheet, &mut positions, id).other = with_plain_breaks(value);
                } else if let Some(id) = note_id(name) {
                    entry(&mut post.sheet, &mut positions, id).note = with_plain_breaks(value);
                }
            }
        }
    }
    post
}

fn returned(sheet: &mut AnswerSheet) -> &mut Returned {
    sheet.returned.get_or_insert_default()
}

/// Returns `text` with `\n` for each line break: browsers send `\r\n`.
pub fn with_plain_breaks(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

fn entry<'s>(sheet: &'s mut AnswerSheet, positions: &mut HashMap<u64, usize>, id: u64) -> &'s mut Answer {
    let position = *positions.entry(id).or_insert_with(|| {
        sheet.answers.push(Answer { id, ..Answer::default() });
        sheet.answers.len() - 1
    });
    &mut sheet.answers[position]
}
