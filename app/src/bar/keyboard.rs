//! Everything without a mouse.
//!
//! A key acts on the current question, which the page shows: the one that was last touched, be it by focus, pointer or
//! address; on a fresh page the first open one. What is out of sight is brought into view first, and not changed. A key that
//! opens a field leads into it wherever it is: what is typed next is meant for the field.

use super::dom::{
    OPEN, choose_exactly, current, each_in, find, focus, open_return, set_checked, show,
    take_recommendations, undo,
};
use leptos::prelude::document;
use std::cell::Cell;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, HtmlInputElement, KeyboardEvent};

thread_local! {
    /// The key that is held down has acted.
    static HAS_ACTED: Cell<bool> = const { Cell::new(false) };
}

/// What a key led to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    /// Nothing that the form must know of.
    None,
    /// Another choice in the question that was the current one, or none where it cannot be answered.
    Changed,
    /// Other choices in any question.
    Filled,
    /// The wish to submit.
    Submit,
}

/// Acts on a key. Keys that belong to an input method, to a text field or to the browser are left alone.
pub(super) fn read(event: &KeyboardEvent, target: Option<Element>) -> Effect {
    // 229 is what browsers report for a key that an input method has taken.
    if event.is_composing() || event.key_code() == 229 {
        return Effect::None;
    }
    let key = event.key();
    let has_modifier = event.ctrl_key() || event.meta_key();
    // A key that is held down moves on and on; all else it does once, also in a field that it has opened.
    let is_held = event.repeat() && (has_modifier || !moves(&key));
    if is_held && HAS_ACTED.get() {
        event.prevent_default();
        return Effect::None;
    }
    HAS_ACTED.set(false);
    let is_in =
        |scope: &str| target.as_ref().is_some_and(|target| matches!(target.closest(scope), Ok(Some(_))));
    let handled = if has_modifier {
        if key != "Enter" {
            return Effect::None;
        }
        // Who explains why there is no answer does not want to send one.
        if is_in("#return[open]") { press("#return-btn") } else { Some(Effect::Submit) }
    } else if event.alt_key() {
        None
    } else if key == "Escape" {
        // What is open without anything written in it is closed; what was written stays.
        for open in ["#keys[open]", "#return[open]:has(:placeholder-shown)"] {
            toggle(open);
        }
        if is_in("textarea, #return, #keys") {
            focus_choice(current());
        }
        None
    } else if is_held
        || is_in("textarea")
        // Beside the field for the reason, which is what is typed next.
        || is_in("#return[open]") && !matches!(&*key, "b" | "i" | "Enter")
    {
        None
    } else {
        act(&key, is_in("input"), is_in(".item"))
    };
    HAS_ACTED.set(handled.is_some());
    if handled.is_some() {
        event.prevent_default();
    }
    handled.unwrap_or(Effect::None)
}

/// Whether a key moves to another question.
fn moves(key: &str) -> bool {
    matches!(key, "j" | "l" | "]" | "k" | "h" | "[" | "Enter")
}

/// Acts on a key that stands for itself, with the focus on a control, or in a question.
fn act(key: &str, on_input: bool, in_item: bool) -> Option<Effect> {
    match key {
        "j" | "l" | "]" => step(1),
        "k" | "h" | "[" => step(-1),
        // Elsewhere it would submit.
        "Enter" if on_input => step(i32::from(in_item)),
        "a" => {
            take_recommendations(None);
            Some(Effect::Filled)
        }
        "r" => in_view().map(|item| {
            take_recommendations(Some(&item));
            Effect::Changed
        }),
        "n" => write(".item-note + textarea"),
        // Where there is no such field, what is typed next belongs in the note, which comes after it.
        "o" => write(".other textarea, .item-note + textarea"),
        "u" | "U" => {
            undo(key == "U");
            Some(Effect::None)
        }
        "c" => press("#review-btn"),
        "x" => clear(),
        // Later, or never where that is allowed.
        "d" => clear().inspect(|_| {
            step(1);
        }),
        "i" => send_back(&current()?.get_attribute("data-item")?),
        "b" => send_back(""),
        "?" => toggle("#keys"),
        // One item after the other: the style sheet folds all but the current one.
        "v" => toggle("#items-container").inspect(|_| {
            if let Some(item) = current() {
                show(&item);
            }
        }),
        digit => digit.parse().ok().and_then(choose),
    }
}

/// Presses a button.
fn press(button: &str) -> Option<Effect> {
    find(button)?.unchecked_ref::<HtmlElement>().click();
    Some(Effect::None)
}

/// Opens what is folded, and the other way round.
fn toggle(selector: &str) -> Option<Effect> {
    // Setting an attribute of an element that is in the document does not fail.
    let _ = find(selector)?.toggle_attribute("open");
    Some(Effect::None)
}

/// Leads to where the questions are sent back, with the one of this id ticked, or none, which means all.
fn send_back(id: &str) -> Option<Effect> {
    open_return();
    // Several ticks, or one that something was written about, are the person's own.
    const OWN: &str = "#return :is(textarea:not(:placeholder-shown), label:has(:checked) ~ label :checked)";
    let keeps = !id.is_empty() && find(OWN).is_some();
    choose_exactly(&find("#return")?, |choice| choice.value() == id || keeps && choice.checked());
    enter(&find("#return textarea")?);
    Some(Effect::Changed)
}

/// Takes the choice of an item back.
fn clear() -> Option<Effect> {
    // Only the one that stands for nothing, where there is one.
    each_in(&in_view()?, ".options-list input", |choice| {
        set_checked(&choice, |choice| choice.value().is_empty());
    });
    Some(Effect::Changed)
}

/// Chooses the option `number`, counted from 1. That leads on where the person wants it to and nothing is left to choose
/// or to write.
fn choose(number: u32) -> Option<Effect> {
    let choices = current()?.query_selector_all(".options-list input").ok()?;
    let choice = choices.get(number.checked_sub(1)?)?.dyn_into::<Element>().ok()?;
    // Another that is out of sight is only shown.
    if matches!(choice.closest(".other"), Ok(None)) {
        in_view()?;
    }
    let is_single = choice.unchecked_ref::<HtmlInputElement>().type_() == "radio";
    set_checked(&choice, |choice| is_single || !choice.checked());
    focus(&choice);
    if write(".other:has(:focus:checked) textarea").is_none()
        && is_single
        && find("#advance:checked").is_some()
    {
        step(1);
    }
    Some(Effect::Changed)
}

/// Goes to a field of the item, wherever that is.
fn write(field: &str) -> Option<Effect> {
    enter(&current()?.query_selector(field).ok()??);
    Some(Effect::None)
}

/// Puts the focus into a field, which the help is not to hide.
fn enter(field: &Element) {
    toggle("#keys[open]");
    focus(field);
}

/// The current item, if the person sees it. If not, that is what is done about it.
fn in_view() -> Option<Element> {
    /// What the bar covers of the window, about.
    const BAR: f64 = 96.0;
    let item = current()?;
    let place = item.get_bounding_client_rect();
    let height = document().document_element()?.client_height();
    if place.bottom() > 0.0 && place.top() < f64::from(height) - BAR {
        return Some(item);
    }
    focus_choice(Some(item));
    None
}

/// Moves to the item after or before the current one, or to that itself.
fn step(by: i32) -> Option<Effect> {
    let item = current()?;
    focus_choice(match by {
        0 => None,
        1 => item.next_element_sibling(),
        _ => item.previous_element_sibling(),
    });
    Some(Effect::None)
}

/// Leads to the first question that needs an answer and has none: into the field where that is to be written.
pub(super) fn focus_open() {
    let item = find(&format!("fieldset.item{OPEN}"));
    if let Some(item) = &item
        && let Ok(Some(field)) = item.query_selector(".other:has(:checked) textarea")
    {
        show(item);
        return focus(&field);
    }
    focus_choice(item);
}

/// Puts the focus on the chosen option of an item, else on its first, and as much as possible of the item into view.
fn focus_choice(item: Option<Element>) {
    let Some(item) = item else { return };
    show(&item);
    for choice in ["input:checked", "input"] {
        if let Ok(Some(choice)) = item.query_selector(choice) {
            return focus(&choice);
        }
    }
}
