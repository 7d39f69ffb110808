//! What was typed is kept: on the server, and in this browser until the server has it.

use super::dom::{self, Page, read_changes};
use super::{BarState, Phase, pulse};
use crate::functions;
use leptos::prelude::*;
use leptos::task::spawn_local;
use model::{Answer, AnswerSheet, Returned};
use std::cell::{Cell, RefCell};
use std::str::FromStr;
use std::time::Duration;

/// How long after a change the draft is kept: long enough for a word, short enough for a crash.
const PAUSE: Duration = Duration::from_millis(400);

/// Where it is remembered that a digit leads on.
const ADVANCE: &str = "aide-advance";

/// What was filled in from the browser's storage counts as changed before the first draft that is sent.
const FILLED_IN: u32 = 0;

thread_local! {
    static SCHEDULED: Cell<bool> = const { Cell::new(false) };
    static GENERATION: Cell<u32> = const { Cell::new(FILLED_IN + 1) };
    /// The draft that was found in the browser's storage, until this page keeps one itself.
    static FOUND: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// The number of the next draft that is sent, which will have what is changed now.
pub(super) fn generation() -> u32 {
    GENERATION.get()
}

/// Keeps the draft after a pause; further changes within it are kept along.
pub(super) fn schedule(state: BarState, page: StoredValue<Page>) {
    if state.phase.get_untracked() == Phase::Over || SCHEDULED.replace(true) {
        return;
    }
    set_timeout(
        move || {
            let Some(sheet) = keep_now(page) else { return };
            // While the answers are on their way the server may end at any moment; they are the better draft.
            if !pulse::is_editing(state) {
                return;
            }
            let generation = GENERATION.get();
            GENERATION.set(generation.wrapping_add(1));
            let (session, lang) = page.with_value(|page| (page.session.clone(), page.lang.clone()));
            spawn_local(async move {
                // Whoever agreed to it needs more time as long as there is something to do.
                let extend = dom::find("#extend:checked").is_some();
                let taken = pulse::until_sent(functions::save_draft(session, lang, sheet, extend)).await;
                let Some(taken) = taken else { return };
                if taken.is_ok() {
                    // From now on the server's is the newer one, also for another browser.
                    page.with_value(|page| remove(&page.draft_key));
                    dom::untouch(generation);
                }
                pulse::heard(state, page, taken);
            });
        },
        PAUSE,
    );
}

/// Writes the draft into the browser's storage, if anything has changed since the last time.
pub(super) fn keep_now(page: StoredValue<Page>) -> Option<AnswerSheet> {
    if !SCHEDULED.replace(false) {
        return None;
    }
    // Another tab may have written what was found, and have gone on or sent it since: then it is not for this one to keep.
    let found = FOUND.take();
    if found.is_some() && found != page.with_value(|page| stored(&page.draft_key)) {
        dom::untouch(FILLED_IN);
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
        let next = GENERATION.replace(FILLED_IN);
        dom::fill_in(draft);
        GENERATION.set(next);
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

fn remove(key: &str) {
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
