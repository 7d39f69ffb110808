//! Everything without a mouse.

use super::dom::{check, each, each_in, find, focus, open_return, set_checked, take_recommendations};
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, HtmlInputElement, KeyboardEvent};

/// What a key led to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    /// Nothing that the form must know of.
    None,
    /// Another choice.
    Changed,
    /// The wish to submit.
    Submit,
}

/// Acts on a key. Keys that belong to an input method, to a text field or to the browser are left alone.
pub(super) fn read(event: &KeyboardEvent) -> Effect {
    // 229 is what browsers report for a key that an input method has taken.
    if event.is_composing() || event.key_code() == 229 {
        return Effect::None;
    }
    let target = event.target().and_then(|target| target.dyn_into::<HtmlElement>().ok());
    let key = event.key();
    // Who explains why there is no answer does not want to send one.
    if target.as_ref().is_some_and(|target| target.closest("#return").is_ok_and(|found| found.is_some())) {
        return Effect::None;
    }
    if key == "Enter" && (event.ctrl_key() || event.meta_key()) {
        event.prevent_default();
        return Effect::Submit;
    }
    if event.ctrl_key() || event.meta_key() || event.alt_key() {
        return Effect::None;
    }
    if target.as_ref().is_some_and(|target| target.tag_name() == "TEXTAREA") {
        if key == "Escape"
            && let Some(target) = target
        {
            let item = target.closest("fieldset.item").ok().flatten();
            focus_choice(item.as_ref());
        }
        return Effect::None;
    }
    let handled = match key.as_str() {
        "j" | "l" | "]" => step(&target, 1),
        "k" | "h" | "[" => step(&target, -1),
        "Enter" if is_choice(&target) => step(&target, 1),
        "a" => {
            take_recommendations(None);
            Some(Effect::Changed)
        }
        "r" => current(&target).map(|item| {
            take_recommendations(Some(&item));
            Effect::Changed
        }),
        "n" => write(&target, ".item-note textarea"),
        "o" => write(&target, ".other textarea"),
        "x" => clear(&target),
        // Later, or never where that is allowed.
        "d" => clear(&target).inspect(|_| {
            step(&target, 1);
        }),
        "i" => current(&target).and_then(|item| {
            let id = item.get_attribute("data-item")?;
            open_return();
            // A set of one has nothing to choose from.
            each(&format!("#return input[value=\"{id}\"]"), |choice| check(&choice));
            focus(&find("#return textarea")?);
            Some(Effect::Changed)
        }),
        "?" => toggle("#keys"),
        // One item after the other: the style sheet folds all but the one with the focus.
        "v" => toggle("#items-container").inspect(|_| {
            if current(&target).is_none() {
                step(&target, 1);
            }
        }),
        digit => digit.parse().ok().and_then(|number: u32| choose(&current(&target)?, number)),
    };
    if handled.is_some() {
        event.prevent_default();
    }
    handled.unwrap_or(Effect::None)
}

/// Opens what is folded, and the other way round.
fn toggle(selector: &str) -> Option<Effect> {
    // Setting an attribute of an element that is in the document does not fail.
    let _ = find(selector)?.toggle_attribute("open");
    Some(Effect::None)
}

/// Takes the choice of an item back.
fn clear(target: &Option<HtmlElement>) -> Option<Effect> {
    // Only the one that stands for nothing, where there is one.
    each_in(&current(target)?, ".options-list input", |choice| {
        set_checked(&choice, |choice| choice.value().is_empty());
    });
    Some(Effect::Changed)
}

/// Chooses the option `number`, counted from 1.
fn choose(item: &Element, number: u32) -> Option<Effect> {
    let choices = item.query_selector_all(".options-list input").ok()?;
    let choice = choices.get(number.checked_sub(1)?)?.dyn_into::<Element>().ok()?;
    set_checked(&choice, |choice| choice.type_() == "radio" || !choice.checked());
    focus(&choice);
    Some(Effect::Changed)
}

/// Goes to a field of the item.
fn write(target: &Option<HtmlElement>, field: &str) -> Option<Effect> {
    focus(&current(target)?.query_selector(field).ok()??);
    Some(Effect::None)
}

/// The item with the focus. Without one a key changes nothing: the person could not see what.
fn current(target: &Option<HtmlElement>) -> Option<Element> {
    target.as_ref().and_then(|target| target.closest("fieldset.item").ok().flatten())
}

/// Moves to the item after or before the one with the focus; without one, to the first.
fn step(target: &Option<HtmlElement>, by: i32) -> Option<Effect> {
    let item = match current(target) {
        Some(item) if by > 0 => item.next_element_sibling(),
        Some(item) => item.previous_element_sibling(),
        None => find("fieldset.item"),
    };
    focus_choice(item.as_ref());
    Some(Effect::None)
}

/// Puts the focus on the chosen option of an item, else on its first.
fn focus_choice(item: Option<&Element>) {
    let Some(item) = item else { return };
    let radio = item
        .query_selector("input:checked")
        .ok()
        .flatten()
        .or_else(|| item.query_selector("input").ok().flatten());
    if let Some(radio) = radio {
        focus(&radio);
    }
}

/// Radio buttons and check boxes are the only input elements among the items.
fn is_choice(target: &Option<HtmlElement>) -> bool {
    target.as_ref().is_some_and(JsCast::has_type::<HtmlInputElement>)
}
