//! The form in the browser: read, filled in, sent.
//!
//! The form's own controls hold what the person gave; nothing is copied into signals but the count. What was
//! typed before the island woke up is therefore simply there.

use super::{BarState, BarWords, Phase, drafts, keyboard, pulse};
use crate::icon::icon;
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
    let total = page.total;
    let page = StoredValue::new(page);
    // After hydration, so that what the browser finds is what the server rendered.
    Effect::new(move || {
        if let Some(sheet) = drafts::load(&page.with_value(|page| page.draft_key.clone())) {
            fill_in(&sheet);
        }
        state.awake.set(true);
        recount(state, total);
        pulse::begin(state, page);
    });
    let changed = move || {
        // Who goes on has something else in mind than what could not be sent.
        pulse::forget_answers();
        recount(state, total);
        drafts::schedule(state, page);
    };
    window_event_listener(ev::change, move |_| changed());
    window_event_listener(ev::input, move |event| {
        if choose_written(&event) {
            return changed();
        }
        pulse::forget_answers();
        drafts::schedule(state, page);
    });
    window_event_listener(ev::pagehide, move |_| {
        drafts::keep_now(page);
    });
    window_event_listener(ev::submit, move |event| {
        let button = event.dyn_ref::<web_sys::SubmitEvent>().and_then(web_sys::SubmitEvent::submitter);
        match button.map(|button| button.id()).as_deref() {
            None | Some("submit-btn") => send(state, page),
            Some("recommend-btn") => {
                take_recommendations(None);
                changed();
            }
            // The answer to the others is a page of its own.
            _ => return,
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
/// A text area that is empty shows its placeholder instead. Every call into the browser counts here, so the name of a
/// control says what it is; two simple selectors are found faster than one that is both.
pub(super) fn read_sheet() -> AnswerSheet {
    let mut answers: Vec<Answer> = Vec::new();
    each("#items-container input:checked", |control| {
        let control: &HtmlInputElement = control.unchecked_ref();
        let Some(id) = form::choice_id(&control.name()) else { return };
        // All choices of an item come after each other.
        if answers.last().is_none_or(|answer| answer.id != id) {
            answers.push(Answer { id, ..Answer::default() });
        }
        let chosen = control.value().parse::<u32>().ok();
        answers.last_mut().into_iter().for_each(|answer| answer.options.extend(chosen));
    });
    each("#items-container textarea:not(:placeholder-shown)", |control| {
        let control: &HtmlTextAreaElement = control.unchecked_ref();
        let name = control.name();
        let note = form::note_id(&name);
        let Some(id) = note.or_else(|| form::other_id(&name)) else { return };
        let index = answers.iter().position(|answer| answer.id == id).unwrap_or_else(|| {
            answers.push(Answer { id, ..Answer::default() });
            answers.len() - 1
        });
        let field = if note.is_some() { &mut answers[index].note } else { &mut answers[index].other };
        *field = control.value();
    });
    AnswerSheet { answers }
}

/// The item a control belongs to.
fn item_of(control: &Element) -> Option<u64> {
    control.closest("fieldset.item").ok()??.get_attribute("data-item")?.parse().ok()
}

/// Writes a draft into the form. Items that the page does not have are passed over, and so is what the person has
/// touched since the page was loaded: that is newer than any draft.
fn fill_in(sheet: &AnswerSheet) {
    for answer in &sheet.answers {
        if was_touched(answer.id) {
            continue;
        }
        for option in &answer.options {
            let name = form::choice_field(answer.id);
            if let Some(choice) = find(&format!("input[name=\"{name}\"][value=\"{option}\"]")) {
                check(&choice);
            }
        }
        for (field, text) in
            [(form::note_field(answer.id), &answer.note), (form::other_field(answer.id), &answer.other)]
        {
            if !text.is_empty()
                && let Some(area) = find(&format!("#{field}"))
                && let Some(area) = area.dyn_ref::<HtmlTextAreaElement>()
            {
                area.set_value(text);
            }
        }
    }
}

/// Chooses what is recommended, in one item or in all, where nothing is chosen yet.
pub(super) fn take_recommendations(item: Option<&Element>) {
    let scope = "fieldset.item:not(:has(input:checked:not([value=\"\"]))) [data-recommended=true] input";
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

pub(super) fn check(choice: &Element) {
    set_checked(choice, |_| true);
}

/// Sets a radio button or check box to what `next` makes of its state.
pub(super) fn set_checked(choice: &Element, next: impl FnOnce(&HtmlInputElement) -> bool) {
    if let Some(choice) = choice.dyn_ref::<HtmlInputElement>() {
        choice.set_checked(next(choice));
    }
}

pub(super) fn focus(element: &Element) {
    if let Some(element) = element.dyn_ref::<HtmlElement>() {
        // An element that cannot take the focus is left without.
        let _ = element.focus();
    }
}

/// Whoever writes an answer of their own means to give it. True when that is what was written.
fn choose_written(event: &web_sys::Event) -> bool {
    let target = event.target().and_then(|target| target.dyn_into::<HtmlTextAreaElement>().ok());
    let other = target.and_then(|target| target.closest(".other").ok()?);
    let choice = other.and_then(|other| other.query_selector("input").ok()?);
    choice.inspect(check).is_some()
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
    if let Some(choice) = find("fieldset.item:not([data-optional], [data-done]) input") {
        focus(&choice);
    }
}

/// Counts the items that are answered, and marks them, in the rail as well. A choice of one's own words counts once
/// they are written.
fn recount(state: BarState, total: u32) {
    let mut done = 0;
    each("fieldset.item:is([data-done], :has(input:checked))", |item| {
        let mut chosen = 0_u32;
        each_in(&item, "input:checked:not([value=\"\"], .other:has(:placeholder-shown) *)", |_| chosen += 1);
        let bound = |name: &str| item.get_attribute(name).and_then(|bound| bound.parse().ok()).unwrap_or(1);
        let is_done = (bound("data-least")..=bound("data-most")).contains(&chosen);
        done += u32::from(is_done && !item.has_attribute("data-optional"));
        if is_done != item.has_attribute("data-done") {
            let entry = item_of(&item).and_then(|id| find(&format!("[data-rail=\"{id}\"]")));
            for element in [Some(item), entry].into_iter().flatten() {
                // An attribute of an element that is in the document can be set.
                let _ = element.toggle_attribute("data-done");
            }
        }
    });
    if done != state.done.get_untracked() {
        show_open(total.saturating_sub(done));
    }
    state.done.set(done);
    if done > 0 && !state.error.with_untracked(String::is_empty) {
        state.error.set(String::new());
    }
}

/// Says in title and icon how many items are open, for whoever looks at another page.
fn show_open(open: u32) {
    let title = document().title();
    let bare =
        title.strip_prefix('(').and_then(|title| title.split_once(") ")).map_or(&*title, |(_, bare)| bare);
    document().set_title(&if open > 0 { format!("({open}) {bare}") } else { bare.to_owned() });
    if let Some(link) = find("link[rel=icon]") {
        let _ = link.set_attribute("href", &icon(open));
    }
}

pub(super) fn find(selector: &str) -> Option<Element> {
    document().query_selector(selector).ok().flatten()
}

fn each(selector: &str, act: impl FnMut(Element)) {
    if let Some(root) = document().document_element() {
        each_in(&root, selector, act);
    }
}

pub(super) fn each_in(root: &Element, selector: &str, mut act: impl FnMut(Element)) {
    let Ok(nodes) = root.query_selector_all(selector) else { return };
    for index in 0..nodes.length() {
        // A selector finds elements only.
        nodes.get(index).map(JsCast::unchecked_into).map(&mut act);
    }
}
