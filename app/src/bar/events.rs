//! The island wakes up, and what happens on the page reaches it.

use super::{BarState, Page, connection, dom, drafts, keyboard, news};
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, Event, SubmitEvent};

/// Attaches the island to the form around it.
pub(super) fn wake(state: BarState, page: Page) {
    dom::begin_title(page.total.saturating_sub(state.done.get_untracked()));
    let page = StoredValue::new(page);
    // After hydration, so that what the browser finds is what the server rendered.
    Effect::new(move || {
        dom::touch_all_changed();
        dom::say_restored(page.with_value(|page| drafts::restore(&page.draft_key)));
        if drafts::advances()
            && let Some(switch) = dom::find("#advance")
        {
            dom::check(&switch);
        }
        state.awake.set(true);
        if dom::find("[data-touched]").is_some() {
            connection::keep_soon(state, page);
        }
        dom::count_all(state, page);
        dom::begin();
        set_timeout(move || connection::begin(state, page), dom::SETTLED);
    });
    // One for all: what listens to one kind of event alone is code of its own for each.
    for name in ["beforeunload", "change", "input", "click", "focusin", "keydown", "pagehide", "submit"] {
        window_event_listener_untyped(name, move |event| react(state, page, name, &event));
    }
}

fn react(state: BarState, page: StoredValue<Page>, name: &str, event: &Event) {
    let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    let id = target.as_ref().map(Element::id).unwrap_or_default();
    match name {
        "change" if id == "advance" => drafts::set_advances(dom::find("#advance:checked").is_some()),
        "change" | "input" => {
            let Some(control) = target else { return };
            dom::touch(&control);
            if (name == "change" || dom::choose_written(&control))
                && let Ok(Some(item)) = control.closest("fieldset.item")
            {
                dom::count_item(state, page, &item);
            }
            edited(state, page);
        }
        "submit" => {
            match event.unchecked_ref::<SubmitEvent>().submitter().map(|button| button.id()).as_deref() {
                None | Some("submit-btn") => connection::send(state, page),
                Some("recommend-btn") => {
                    dom::take_recommendations(None);
                    dom::count_all(state, page);
                    edited(state, page);
                }
                // The answer to the others is a page of its own.
                _ => return,
            }
            event.prevent_default();
        }
        "keydown" => {
            if !state.is_editing() {
                return;
            }
            let item = dom::current();
            match keyboard::read(event.unchecked_ref(), target) {
                keyboard::Effect::None => return,
                keyboard::Effect::Submit => return connection::send(state, page),
                keyboard::Effect::Filled => dom::count_all(state, page),
                keyboard::Effect::Changed => {
                    if let Some(item) = item {
                        dom::count_item(state, page, &item);
                    }
                }
            }
            edited(state, page);
        }
        // From the first on another page is asked for, which may be made before what is sent now has arrived: the browser keeps
        // the draft for it, also where an answer still came to the page that is left.
        "beforeunload" | "pagehide" => {
            drafts::keep_now(page);
            connection::give_up_drafts();
        }
        "click" if id == "notify-btn" => news::ask(),
        _ => {
            // Where the person looks is where the keys are to act.
            if let Some(target) = target {
                dom::make_current(&target);
            }
        }
    }
}

/// Something was given, which is to be kept.
fn edited(state: BarState, page: StoredValue<Page>) {
    // Who goes on has something else in mind than what could not be sent.
    if connection::forget_answers() {
        state.error.set(String::new());
    }
    connection::keep_soon(state, page);
}
