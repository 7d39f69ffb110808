//! Whether somebody listens. Whoever asked may be killed and come back; the page waits for that as well.
//!
//! The page asks, and the server answers when there is something to say: a server that is about to end, because the
//! questions were answered elsewhere, can so still tell every page.

use super::dom::{self, Page};
use super::{BarState, Phase, drafts, news};
use crate::{SubmitFailure, functions};
use futures_util::future::{AbortHandle, abortable};
use leptos::prelude::*;
use leptos::task::spawn_local;
use std::cell::{Cell, RefCell};
use std::time::Duration;
use web_sys::js_sys::Date;

/// One tick of the clock that is shown.
const TICK: Duration = Duration::from_secs(1);
/// How often to ask where no answer is held back, in ticks: a person should not wonder for long, nor a laptop stay awake
/// for it.
const INTERVAL: u32 = 3;
/// The same in milliseconds. A server that answers sooner does not hold back.
const HELD: f64 = 3000.0;

thread_local! {
    static TICKS: Cell<u32> = const { Cell::new(0) };
    /// Seconds until nobody listens any more, where there is a limit.
    static LEFT: Cell<u32> = const { Cell::new(0) };
    /// Answers were to be sent, and nobody was there.
    static SEND_AGAIN: Cell<bool> = const { Cell::new(false) };
    /// The server was asked and has not answered yet.
    static ASKED: Cell<bool> = const { Cell::new(false) };
    /// Numbers the requests that are given up once the answers are on their way.
    static REQUESTS: Cell<u32> = const { Cell::new(0) };
    /// Those of them that are under way.
    static UNDER_WAY: RefCell<Vec<(u32, AbortHandle)>> = const { RefCell::new(Vec::new()) };
    /// Somebody listened the last time that was to be seen.
    static HEARD: Cell<bool> = const { Cell::new(false) };
}

/// Whether the person can still change the answers.
pub(super) fn is_editing(state: BarState) -> bool {
    state.phase.get_untracked() == Phase::Editing
}

/// Asks from time to time, while the page is looked at; always where somebody listens, where answers wait to be sent, or
/// where the person wants to be told of new questions.
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
        let is_editing = is_editing(state);
        let is_over = state.phase.get_untracked() == Phase::Over;
        if is_over {
            dom::show_if("#notify-btn", news::can_ask());
            dom::show_if("#new-questions", state.stale.get_untracked());
        }
        let is_wanted = is_editing && (HEARD.get() || SEND_AGAIN.get() || !document().hidden())
            || (is_editing || is_over) && !state.stale.get_untracked() && news::is_allowed();
        if is_wanted && ticks.is_multiple_of(INTERVAL) {
            let is_first = !ASKED.replace(true);
            // What failed beside an answer that is held back is tried without waiting for that.
            if is_first || !HEARD.get() {
                spawn_local(listen(state, page, is_first));
            }
        }
    };
    tick();
    // A browser that cannot do it leaves the page as it is.
    let _ = set_interval_with_handle(tick, TICK);
}

/// Asks once; and if it `goes_on`, as long as the server keeps the page waiting for its answers: it is then never without
/// a question to tell the end by.
async fn listen(state: BarState, page: StoredValue<Page>, goes_on: bool) {
    loop {
        let (session, lang) = page.with_value(|page| (page.session.clone(), page.lang.clone()));
        let hold = is_editing(state) && HEARD.get();
        let began = Date::now();
        let Some(answer) = until_sent(functions::listen(session, lang, hold)).await else { break };
        heard(state, page, answer.and_then(|answer| answer));
        if !goes_on {
            return;
        }
        if !is_editing(state) || !HEARD.get() || hold && Date::now() - began < HELD {
            break;
        }
    }
    ASKED.set(false);
}

/// The answer to `request`; `None` when it was given up meanwhile.
pub(super) async fn until_sent<T>(request: impl Future<Output = T>) -> Option<T> {
    let (answer, handle) = abortable(request);
    let number = REQUESTS.get();
    REQUESTS.set(number.wrapping_add(1));
    UNDER_WAY.with_borrow_mut(|requests| requests.push((number, handle)));
    let answer = answer.await.ok();
    UNDER_WAY.with_borrow_mut(|requests| requests.retain(|(other, _)| *other != number));
    answer
}

/// Gives up what is under way: what comes next is the answer to what the page has to say itself. Else the server would have
/// to tell the end twice, and it would not end before it has; and a draft might arrive where nobody is any more.
pub(super) fn hang_up() {
    for (_, request) in UNDER_WAY.take() {
        request.abort();
    }
}

/// Sends the answers as soon as somebody listens again.
pub(super) fn send_again() {
    SEND_AGAIN.set(true);
    HEARD.set(false);
}

/// The person has gone on in the meantime. True when there was something to be sent.
pub(super) fn forget_answers() -> bool {
    SEND_AGAIN.replace(false)
}

/// Shows what the server said, or that it said nothing.
pub(super) fn heard(state: BarState, page: StoredValue<Page>, answer: Result<Option<u32>, SubmitFailure>) {
    HEARD.set(answer.is_ok());
    if let Ok(Some(left)) = answer {
        LEFT.set(left);
    }
    let is_editing = is_editing(state);
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
    // Of what this page has just sent, the answer to that tells.
    if !is_editing {
        return;
    }
    if let Err(SubmitFailure::Ended(html)) = answer {
        dom::end(state, page, &html);
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
