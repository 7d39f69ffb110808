//! What was typed is kept in this browser until the server has it.

use super::Page;
use super::dom::{self, read_changes};
use leptos::prelude::*;
use model::{Answer, AnswerSheet, Returned};
use std::cell::{Cell, RefCell};
use std::str::FromStr;

/// Where it is remembered that a digit leads on.
const ADVANCE: &str = "aide-advance";

thread_local! {
    static SCHEDULED: Cell<bool> = const { Cell::new(false) };
    /// The draft that was found in the browser's storage, until this page keeps one itself.
    static FOUND: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// The draft is to be kept; false when it was to be already.
pub(super) fn schedule() -> bool {
    !SCHEDULED.replace(true)
}

/// Writes the draft into the browser's storage, if anything has changed since the last time.
pub(super) fn keep_now(page: StoredValue<Page>) -> Option<AnswerSheet> {
    if !SCHEDULED.replace(false) {
        return None;
    }
    // Another tab may have written what was found, and have gone on or sent it since: then it is not for this one to keep.
    let found = FOUND.take();
    if found.is_some() && found != page.with_value(|page| stored(&page.draft_key)) {
        dom::untouch(dom::FILLED_IN);
        dom::find("[data-touched]")?;
    }
    let sheet = read_changes();
    let text = leptos::serde_json::to_string(&texts_of(&sheet)).ok()?;
    if let Some(storage) = storage() {
        // A full or forbidden storage is no reason to stop; the server keeps the draft as well.
        let _ = page.with_value(|page| storage.set_item(&name(&page.draft_key), &text));
    }
    Some(sheet)
}

/// Fills in the draft of these questions, if this browser has one; true when it has.
pub(super) fn restore(key: &str) -> bool {
    let found = stored(key);
    let draft = found.as_deref().and_then(parse);
    if let Some(draft) = &draft {
        dom::fill_in(draft);
        FOUND.set(found);
    }
    draft.is_some()
}

fn parse(text: &str) -> Option<AnswerSheet> {
    let texts: Vec<String> = leptos::serde_json::from_str(text).ok()?;
    let mut sheet = AnswerSheet::default();
    for texts in texts.chunks(4) {
        match texts {
            [id, options, other, note] => sheet.answers.push(Answer {
                id: id.parse().ok()?,
                options: numbers(options),
                other: other.clone(),
                note: note.clone(),
            }),
            [message, items] => {
                sheet.returned = Some(Returned { message: message.clone(), items: numbers(items) });
            }
            _ => return None,
        }
    }
    Some(sheet)
}

/// A sheet as a list of texts, four for each answer and at the end two for what is sent back. To read a list takes hardly
/// any code that is not there anyway; to read a member for each takes more than a kilobyte.
fn texts_of(sheet: &AnswerSheet) -> Vec<String> {
    let mut texts = Vec::new();
    for Answer { id, options, other, note } in &sheet.answers {
        texts.extend([id.to_string(), list(options), other.clone(), note.clone()]);
    }
    if let Some(Returned { message, items }) = &sheet.returned {
        texts.extend([message.clone(), list(items)]);
    }
    texts
}

fn list<T: ToString>(numbers: &[T]) -> String {
    numbers.iter().map(T::to_string).collect::<Vec<_>>().join(",")
}

fn numbers<T: FromStr>(list: &str) -> Vec<T> {
    list.split(',').filter_map(|number| number.parse().ok()).collect()
}

/// Removes the draft, and any that is still to be kept.
pub(super) fn forget(key: &str) {
    SCHEDULED.set(false);
    remove(key);
}

/// The server has a newer one.
pub(super) fn remove(key: &str) {
    if let Some(storage) = storage() {
        // A storage that refuses has nothing to remove.
        let _ = storage.remove_item(&name(key));
    }
}

/// Whether a digit leads on to the next question.
pub(super) fn advances() -> bool {
    storage().is_some_and(|storage| storage.get_item(ADVANCE).is_ok_and(|kept| kept.is_some()))
}

/// Remembers whether a digit leads on. Without a storage it does so until the page is left.
pub(super) fn set_advances(advances: bool) {
    if let Some(storage) = storage() {
        let _ = if advances { storage.set_item(ADVANCE, "") } else { storage.remove_item(ADVANCE) };
    }
}

fn stored(key: &str) -> Option<String> {
    storage()?.get_item(&name(key)).ok()?
}

fn name(key: &str) -> String {
    format!("aide-draft-{key}")
}

fn storage() -> Option<web_sys::Storage> {
    window().local_storage().ok().flatten()
}
