//! Whether somebody listens. Whoever asked may be killed and come back; the page waits for that as well.

use super::dom::{self, Page};
use super::{BarState, Phase, drafts, news};
use crate::{SubmitFailure, functions};
use leptos::prelude::*;
use leptos::task::spawn_local;
use std::cell::Cell;
use std::time::Duration;

/// One tick of the clock that is shown.
const TICK: Duration = Duration::from_secs(1);
/// How often to ask, in ticks: a person should not wonder for long, nor a laptop stay awake for it.
const INTERVAL: u32 = 3;

thread_local! {
    static TICKS: Cell<u32> = const { Cell::new(0) };
    /// Seconds until nobody listens any more, where there is a limit.
    static LEFT: Cell<u32> = const { Cell::new(0) };
    /// Answers were to be sent, and nobody was there.
    static SEND_AGAIN: Cell<bool> = const { Cell::new(false) };
}

/// Asks from time to time, while the page is looked at; always where answers wait to be sent, or where the person wants to be
/// told of new questions.
pub(super) fn begin(state: BarState, page: StoredValue<Page>) {
    let tick = move || {
        let ticks = TICKS.get();
        TICKS.set(ticks.wrapping_add(1));
        if ticks > 0
            && let Some(clock) = dom::find("#time-left")
        {
            let left = LEFT.get().saturating_sub(1);
            LEFT.set(left);
            clock.set_text_content(Some(&format!("{}:{:02}", left / 60, left % 60)));
        }
        let is_editing = state.phase.with_untracked(|phase| *phase == Phase::Editing);
        let is_over = state.phase.with_untracked(|phase| matches!(phase, Phase::Decided { .. }));
        if is_over {
            dom::show_if("#notify-btn", news::can_ask());
            dom::show_if("#new-questions", state.stale.get_untracked());
        }
        let is_wanted = is_editing && (SEND_AGAIN.get() || !document().hidden())
            || (is_editing || is_over) && !state.stale.get_untracked() && news::is_allowed();
        if !is_wanted || !ticks.is_multiple_of(INTERVAL) {
            return;
        }
        let (session, lang) = page.with_value(|page| (page.session.clone(), page.lang.clone()));
        spawn_local(async move {
            let answer = functions::save_draft(session, lang, None, false).await;
            heard(state, page, answer);
        });
    };
    tick();
    // A browser that cannot do it leaves the page as it is.
    let _ = set_interval_with_handle(tick, TICK);
}

/// Sends the answers as soon as somebody listens again.
pub(super) fn send_again() {
    SEND_AGAIN.set(true);
}

/// The person has gone on in the meantime. True when there was something to be sent.
pub(super) fn forget_answers() -> bool {
    SEND_AGAIN.replace(false)
}

/// Shows what the server said, or that it said nothing.
pub(super) fn heard(state: BarState, page: StoredValue<Page>, answer: Result<Option<u32>, SubmitFailure>) {
    if let Ok(Some(left)) = answer {
        LEFT.set(left);
    }
    let is_editing = state.phase.with_untracked(|phase| *phase == Phase::Editing);
    if let Err(SubmitFailure::Stale(hint)) = answer {
        forget_answers();
        let told = if is_editing { hint.clone() } else { page.with_value(|page| page.words.new_questions()) };
        if !state.stale.get_untracked() {
            news::tell(&told);
        }
        state.stale.set(true);
        if is_editing {
            state.offline.set(false);
            state.error.set(hint);
        }
        return;
    }
    if !is_editing {
        return;
    }
    let offline = matches!(answer, Err(SubmitFailure::Unreachable(_)));
    let was_offline = state.offline.get_untracked();
    if offline != was_offline {
        state.offline.set(offline);
    }
    if !offline && SEND_AGAIN.take() {
        dom::send(state, page);
    } else if was_offline && !offline {
        // What was typed meanwhile is only in this browser.
        drafts::schedule(state, page);
    }
}
