//! The form in the browser: read, filled in, sent.
//!
//! The form's own controls hold what the person gave; nothing is copied into signals but the count. What was
//! typed before the island woke up is therefore simply there.

use super::{BarState, BarWords, Phase, drafts, keyboard, pulse};
use crate::{SubmitFailure, functions};
use leptos::ev;
use leptos::prelude::*;
use leptos::task::spawn_local;
use model::{Answer, AnswerSheet, form};
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, HtmlInputElement, HtmlTextAreaElement};

/// What the page says about itself.
#[derive(Debug, Clone)]
pub(super) struct Page {
    pub(super) session: String,
    pub(super) lang: String,
    pub(super) draft_key: String,
    pub(super) total: u32,
    pub(super) words: BarWords,
}

/// Attaches the island to the form around it.
pub(super) fn wake(state: BarState, page: Page) {
    let page = StoredValue::new(page);
    // After hydration, so that what the browser finds is what the server rendered.
    Effect::new(move || {
        if let Some(sheet) = drafts::load(&page.with_value(|page| page.draft_key.clone())) {
            fill_in(&sheet);
        }
        state.awake.set(true);
        recount(state);
        pulse::begin(state, page);
    });
    let changed = move || {
        // Who goes on has something else in mind than what could not be sent.
        pulse::forget_answers();
        recount(state);
        drafts::schedule(state, page);
    };
    window_event_listener(ev::change, move |_| changed());
    window_event_listener(ev::input, move |_| {
        pulse::forget_answers();
        drafts::schedule(state, page);
    });
    window_event_listener(ev::pagehide, move |_| {
        drafts::keep_now(page);
    });
    window_event_listener(ev::submit, move |event| {
        let button = event.dyn_ref::<web_sys::SubmitEvent>().and_then(web_sys::SubmitEvent::submitter);
        match button.map(|button| button.id()).as_deref() {
            // The answer to this one is a page of its own.
            Some("return-btn") => return,
            Some("recommend-btn") => {
                take_recommendations(None);
                changed();
            }
            _ => send(state, page),
        }
        event.prevent_default();
    });
    window_event_listener(ev::keydown, move |event| {
        if state.phase.with_untracked(|phase| *phase != Phase::Editing) {
            return;
        }
        match keyboard::read(&event) {
            keyboard::Effect::None => {}
            keyboard::Effect::Changed => changed(),
            keyboard::Effect::Submit => send(state, page),
        }
    });
}

/// Sends the answers; the form stays as it is until the server has them.
pub(super) fn send(state: BarState, page: StoredValue<Page>) {
    if state.phase.with_untracked(|phase| *phase != Phase::Editing) {
        return;
    }
    let stored = page;
    let page = stored.get_value();
    if state.done.get_untracked() < page.total {
        state.error.set(page.words.incomplete());
        focus_first_open();
        return;
    }
    let sheet = read_sheet();
    state.error.set(String::new());
    state.phase.set(Phase::Sending);
    spawn_local(async move {
        let decided = |outcome, mine| {
            drafts::forget(&page.draft_key);
            state.phase.set(Phase::Decided { outcome, mine });
            show_farewell();
        };
        let detail = match functions::submit(page.session.clone(), page.lang.clone(), sheet).await {
            Ok(outcome) => return decided(outcome, true),
            Err(SubmitFailure::AlreadyDecided(outcome)) => return decided(outcome, false),
            Err(SubmitFailure::Refused(detail)) => detail,
            Err(SubmitFailure::Stale(detail)) => {
                state.stale.set(true);
                detail
            }
            Err(SubmitFailure::Unreachable(_)) => {
                pulse::send_again();
                page.words.unreachable()
            }
        };
        state.phase.set(Phase::Editing);
        state.error.set(page.words.failed().replace("{detail}", &detail));
        // What was typed just before is still to be kept.
        drafts::schedule(state, stored);
    });
}

/// Hides the form behind the result and moves the reader there.
fn show_farewell() {
    if let Some(root) = document().document_element() {
        // Setting an attribute of an element that is in the document does not fail.
        let _ = root.set_attribute("data-state", "decided");
    }
    request_animation_frame(|| {
        if let Some(success) = find("#success") {
            focus(&success);
        }
    });
}

/// The form as the person left it. Only what was given is looked at: of a thousand items that is a third of the fields.
pub(super) fn read_sheet() -> AnswerSheet {
    let mut sheet = AnswerSheet::default();
    each("#items-container input:checked", |radio| {
        if let Some(radio) = radio.dyn_ref::<HtmlInputElement>()
            && let Some(id) = form::choice_id(&radio.name())
        {
            sheet.answers.push(Answer { id, option: radio.value().parse().ok(), note: String::new() });
        }
    });
    // A note that is empty shows its placeholder instead.
    each("#items-container textarea:not(:placeholder-shown)", |note| {
        if let Some(note) = note.dyn_ref::<HtmlTextAreaElement>()
            && let Some(id) = form::note_id(&note.name())
        {
            let value = note.value();
            match sheet.answers.iter_mut().find(|answer| answer.id == id) {
                Some(answer) => answer.note = value,
                None => sheet.answers.push(Answer { id, option: None, note: value }),
            }
        }
    });
    sheet
}

/// Writes a draft into the form. Items that the page does not have are passed over, and so is what the person has
/// touched since the page was loaded: that is newer than any draft.
fn fill_in(sheet: &AnswerSheet) {
    for answer in &sheet.answers {
        if was_touched(answer.id) {
            continue;
        }
        let radio = answer.option.and_then(|option| {
            find(&format!("input[name=\"{}\"][value=\"{option}\"]", form::choice_field(answer.id)))
        });
        if let Some(radio) = radio {
            check(&radio);
        }
        if !answer.note.is_empty()
            && let Some(note) = find(&format!("#{}", form::note_field(answer.id)))
            && let Some(note) = note.dyn_ref::<HtmlTextAreaElement>()
        {
            note.set_value(&answer.note);
        }
    }
}

/// Chooses what is recommended, in one item or in all, where nothing is chosen yet.
pub(super) fn take_recommendations(item: Option<&Element>) {
    let scope = "fieldset.item:not(:has(input:checked)) [data-recommended=true] input";
    match item {
        Some(item) => {
            if let Ok(Some(radio)) = item.query_selector("[data-recommended=true] input") {
                check(&radio);
                focus(&radio);
            }
        }
        None => each(scope, |radio| check(&radio)),
    }
}

pub(super) fn check(radio: &Element) {
    if let Some(radio) = radio.dyn_ref::<HtmlInputElement>() {
        radio.set_checked(true);
    }
}

pub(super) fn focus(element: &Element) {
    if let Some(element) = element.dyn_ref::<HtmlElement>() {
        // An element that cannot take the focus is left without.
        let _ = element.focus();
    }
}

/// True when a control of the item is not as the server sent it.
fn was_touched(item: u64) -> bool {
    let mut touched = false;
    each(&format!("#item-{item} :is(input, textarea)"), |control| {
        touched |= match control.dyn_ref::<HtmlInputElement>() {
            Some(radio) => radio.checked() != radio.default_checked(),
            None => control
                .dyn_ref::<HtmlTextAreaElement>()
                .is_some_and(|note| note.default_value().is_ok_and(|sent| sent != note.value())),
        };
    });
    touched
}

fn focus_first_open() {
    if let Some(radio) = find("fieldset.item:not(:has(input:checked)) input") {
        focus(&radio);
    }
}

/// Counts the chosen options and marks the items in the rail.
fn recount(state: BarState) {
    let mut done = 0;
    each("#items-container input:checked", |radio| {
        done += 1;
        let id = radio.get_attribute("name").and_then(|name| form::choice_id(&name));
        if let Some(entry) = id.and_then(|id| find(&format!("[data-rail=\"{id}\"]:not([data-done])"))) {
            let _ = entry.set_attribute("data-done", "");
        }
    });
    state.done.set(done);
    if done > 0 && !state.error.with_untracked(String::is_empty) {
        state.error.set(String::new());
    }
}

pub(super) fn find(selector: &str) -> Option<Element> {
    document().query_selector(selector).ok().flatten()
}

fn each(selector: &str, mut act: impl FnMut(Element)) {
    let Ok(nodes) = document().query_selector_all(selector) else { return };
    for index in 0..nodes.length() {
        if let Some(element) = nodes.get(index).and_then(|node| node.dyn_into::<Element>().ok()) {
            act(element);
        }
    }
}
