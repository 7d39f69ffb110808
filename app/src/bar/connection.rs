//! Communication between page and server: drafts, answers, and whether the server is reachable. The asking process may be
//! killed and come back; the page waits for that as well.
//!
//! The page asks, and the server responds when there is news: a server that is about to end because the questions were answered
//! elsewhere can thus still notify every page.

use super::{BarState, BarWords, Page, Phase, dom, drafts, keyboard, news};
use crate::{SubmitFailure, functions};
use futures_util::future::{AbortHandle, abortable};
use leptos::prelude::*;
use leptos::task::spawn_local;
use std::cell::{Cell, RefCell};
use std::time::Duration;
use web_sys::js_sys::Date;

/// How long after a change the draft is kept: long enough for a word, short enough for a crash.
const PAUSE: Duration = Duration::from_millis(400);

/// One tick of the clock that is shown.
const TICK: Duration = Duration::from_secs(1);
/// How often to ask where no answer is held back, in ticks: a person should not wonder for long, nor a laptop stay awake
/// for it.
const INTERVAL: u32 = 3;
/// The same in milliseconds. A server that answers sooner does not hold back.
const HELD: f64 = 3000.0;

thread_local! {
    static TICKS: Cell<u32> = const { Cell::new(0) };
    /// Seconds until the server stops listening, where there is a limit.
    static LEFT: Cell<u32> = const { Cell::new(0) };
    /// Answers wait to be sent: the server was unreachable.
    static SEND_AGAIN: Cell<bool> = const { Cell::new(false) };
    /// The server was asked and has not answered yet.
    static ASKED: Cell<bool> = const { Cell::new(false) };
    /// Numbers the drafts that are sent.
    static DRAFTS: Cell<u32> = const { Cell::new(0) };
    /// Those of them that are under way.
    static UNDER_WAY: RefCell<Vec<(u32, AbortHandle)>> = const { RefCell::new(Vec::new()) };
    /// How the questions ended while the answers were on their way.
    static MEANWHILE: RefCell<Option<SubmitFailure>> = const { RefCell::new(None) };
    /// The server responded to the last request.
    static HEARD: Cell<bool> = const { Cell::new(false) };
}

/// Polls the server while the page is visible; also in the background while the server is reachable, while answers wait to be
/// sent, or if the user wants notifications of new questions.
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
        let is_editing = state.is_editing();
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
        let hold = state.is_editing() && HEARD.get();
        let began = Date::now();
        heard(state, page, functions::listen(session, lang, hold).await.and_then(|answer| answer));
        if !goes_on {
            return;
        }
        if !state.is_editing() || !HEARD.get() || hold && Date::now() - began < HELD {
            break;
        }
    }
    ASKED.set(false);
}

/// The answer to a draft; `None` when it was given up meanwhile.
async fn until_given_up<T>(draft: impl Future<Output = T>) -> Option<T> {
    let (answer, handle) = abortable(draft);
    let number = DRAFTS.get();
    DRAFTS.set(number.wrapping_add(1));
    UNDER_WAY.with_borrow_mut(|drafts| drafts.push((number, handle)));
    let answer = answer.await.ok();
    UNDER_WAY.with_borrow_mut(|drafts| drafts.retain(|(other, _)| *other != number));
    answer
}

/// Gives up the drafts that are under way: the answers that follow are newer, and a draft might arrive when its server has
/// ended.
pub(super) fn give_up_drafts() {
    for (_, draft) in UNDER_WAY.take() {
        draft.abort();
    }
}

/// Sends the answers as soon as the server is reachable again.
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
    let is_editing = state.is_editing();
    if state.phase.get_untracked() == Phase::Sending {
        // The answers tell better how the questions ended, unless they arrive after the end of the server.
        MEANWHILE.set(answer.err().filter(|failure| !matches!(failure, SubmitFailure::Unreachable(_))));
        return;
    }
    if let Err(SubmitFailure::Stale(hint)) = answer {
        forget_answers();
        let text = if is_editing { hint.clone() } else { page.with_value(|page| page.words.new_questions()) };
        if !state.stale.get_untracked() {
            news::announce(&text);
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
    if let Err(SubmitFailure::Ended(html)) = answer {
        end(state, page, &html);
        return;
    }
    let offline = matches!(answer, Err(SubmitFailure::Unreachable(_)));
    let was_offline = state.offline.get_untracked();
    if offline != was_offline {
        state.offline.set(offline);
    }
    if !offline && SEND_AGAIN.take() {
        send(state, page);
    } else if was_offline && !offline {
        // What was typed meanwhile is only in this browser.
        keep_soon(state, page);
    }
}

/// Keeps the draft after a pause; further changes within it are kept along.
pub(super) fn keep_soon(state: BarState, page: StoredValue<Page>) {
    if state.phase.get_untracked() == Phase::Over || !drafts::schedule() {
        return;
    }
    set_timeout(
        move || {
            let Some(sheet) = drafts::keep_now(page) else { return };
            // While the answers are on their way the server may end at any moment; they are the better draft.
            if !state.is_editing() {
                return;
            }
            let generation = dom::next_generation();
            let (session, lang) = page.with_value(|page| (page.session.clone(), page.lang.clone()));
            spawn_local(async move {
                // A user who agreed to extensions needs more time while there is something to do.
                let extend = dom::find("#extend:checked").is_some();
                let taken = until_given_up(functions::save_draft(session, lang, sheet, extend)).await;
                let Some(taken) = taken else { return };
                if taken.is_ok() {
                    // From now on the server's is the newer one, also for another browser.
                    page.with_value(|page| drafts::remove(&page.draft_key));
                    dom::untouch(generation);
                }
                heard(state, page, taken);
            });
        },
        PAUSE,
    );
}

/// Sends the answers; the form stays as it is until the server has them.
pub(super) fn send(state: BarState, page: StoredValue<Page>) {
    if !state.is_editing() {
        return;
    }
    let stored = page;
    let page = stored.get_value();
    let done = state.done.get_untracked();
    if done < page.total && (done == 0 || page.words.submit_part().is_empty()) {
        state.error.set(left_open(&page.words));
        // Once that is said, and has taken its place on the page.
        request_animation_frame(keyboard::focus_open);
        return;
    }
    let sheet = dom::read_sheet();
    state.error.set(String::new());
    state.phase.set(Phase::Sending);
    MEANWHILE.take();
    spawn_local(async move {
        let detail = match functions::submit(page.session.clone(), page.lang.clone(), sheet).await {
            Ok(html) | Err(SubmitFailure::Ended(html)) => return end(state, stored, &html),
            Err(SubmitFailure::Refused(detail)) => detail,
            Err(SubmitFailure::Stale(detail)) => {
                state.stale.set(true);
                detail
            }
            Err(SubmitFailure::Unreachable(_)) => {
                if let Some(ended) = MEANWHILE.take() {
                    state.phase.set(Phase::Editing);
                    return heard(state, stored, Err(ended));
                }
                send_again();
                page.words.unreachable()
            }
        };
        state.phase.set(Phase::Editing);
        state.error.set(page.words.failed().replace("{detail}", &detail));
        // What was typed just before is still to be kept.
        keep_soon(state, stored);
    });
    // Once the answers are on their way: they are not to wait until the browser has closed another connection.
    spawn_local(async { give_up_drafts() });
}

/// Which items are open, as far as a sentence can say it.
fn left_open(words: &BarWords) -> String {
    /// So many are named.
    const NAMED: u32 = 5;
    let (mut names, mut count) = (String::new(), 0);
    dom::each(&format!("fieldset.item{}", dom::OPEN), |item| {
        count += 1;
        if count <= NAMED {
            names += if count > 1 { ", " } else { "" };
            names += &item.get_attribute("data-item").unwrap_or_default();
        } else if count == NAMED + 1 {
            names += " …";
        }
    });
    words.left_open().replace("{count}", &count.to_string()).replace("{items}", &names)
}

/// Hides the form behind how the questions ended, and moves the reader there.
///
/// `html` comes from the server: everything that a person reads is rendered there.
fn end(state: BarState, page: StoredValue<Page>, html: &str) {
    page.with_value(|page| drafts::forget(&page.draft_key));
    state.phase.set(Phase::Over);
    if let Some(outcome) = dom::find("#outcome") {
        outcome.set_inner_html(html);
    }
    if let Some(unsent) = dom::find("#unsent") {
        dom::show_words(&unsent);
    }
    if let Some(root) = document().document_element() {
        // Setting an attribute of an element that is in the document does not fail.
        let _ = root.set_attribute("data-state", "decided");
    }
    if let Some(success) = dom::find("#success") {
        dom::focus(&success);
    }
}
