//! What was typed is kept: on the server, and in this browser until the server has it.

use super::dom::{self, Page, read_changes};
use super::{BarState, Phase, pulse};
use crate::{Outcome, functions};
use leptos::prelude::*;
use leptos::task::spawn_local;
use model::AnswerSheet;
use std::cell::Cell;
use std::time::Duration;

/// How long after a change the draft is kept: long enough for a word, short enough for a crash.
const PAUSE: Duration = Duration::from_millis(400);

thread_local! {
    static SCHEDULED: Cell<bool> = const { Cell::new(false) };
    static GENERATION: Cell<u32> = const { Cell::new(0) };
}

/// The number of the next draft that is sent, which will have what is changed now.
pub(super) fn generation() -> u32 {
    GENERATION.get()
}

/// Keeps the draft after a pause; further changes within it are kept along.
pub(super) fn schedule(state: BarState, page: StoredValue<Page>) {
    let decided = state.phase.with_untracked(|phase| matches!(phase, Phase::Decided { .. }));
    if decided || SCHEDULED.replace(true) {
        return;
    }
    set_timeout(
        move || {
            let Some(sheet) = keep_now(page) else { return };
            // While the answers are on their way the server may end at any moment; they are the better draft.
            if state.phase.with_untracked(|phase| *phase != Phase::Editing) {
                return;
            }
            let generation = GENERATION.get();
            GENERATION.set(generation.wrapping_add(1));
            let (session, lang) = page.with_value(|page| (page.session.clone(), page.lang.clone()));
            spawn_local(async move {
                // Whoever agreed to it needs more time as long as there is something to do.
                let extend = dom::find("#extend:checked").is_some();
                let taken = functions::save_draft(session, lang, Some(sheet), extend).await;
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
    let sheet = read_changes();
    let text = leptos::serde_json::to_string(&sheet).ok()?;
    if let Some(storage) = storage() {
        // A full or forbidden storage is no reason to stop; the server keeps the draft as well.
        let _ = page.with_value(|page| storage.set_item(&name(&page.draft_key), &text));
    }
    Some(sheet)
}

/// The draft of these questions, if this browser has one.
pub(super) fn load(key: &str) -> Option<AnswerSheet> {
    leptos::serde_json::from_str(&storage()?.get_item(&name(key)).ok()??).ok()
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

/// Tells the other tabs of this browser what was decided: the server that could have told them is about to end.
pub(super) fn tell_other_tabs(session: &str, outcome: &Outcome) {
    if let (Some(storage), Ok(text)) = (storage(), leptos::serde_json::to_string(outcome)) {
        let name = decided(session);
        // The news is in the change; a storage that refuses tells nobody.
        let _ = storage.set_item(&name, &text);
        let _ = storage.remove_item(&name);
    }
}

/// What another tab has just told about the questions `session`.
pub(super) fn decided_elsewhere(event: &web_sys::StorageEvent, session: &str) -> Option<Outcome> {
    let text = event.new_value().filter(|_| event.key().is_some_and(|key| key == decided(session)))?;
    leptos::serde_json::from_str(&text).ok()
}

fn decided(session: &str) -> String {
    format!("aide-decided-{session}")
}

fn name(key: &str) -> String {
    format!("aide-draft-{key}")
}

fn storage() -> Option<web_sys::Storage> {
    window().local_storage().ok().flatten()
}
