//! The form in the browser: read, filled in, counted.
//!
//! The form's own controls hold what the person gave; nothing is copied into signals but the count. What was
//! typed before the island woke up is therefore simply there.

use super::{BarState, Page};
use crate::icon::icon;
use leptos::prelude::*;
use model::{Answer, AnswerSheet, Returned, form};
use std::cell::{Cell, RefCell};
use std::time::Duration;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::{
    Element, HtmlElement, HtmlInputElement, HtmlTextAreaElement, ScrollIntoViewOptions, ScrollLogicalPosition,
};

/// What an item is that needs an answer and has none.
pub(super) const OPEN: &str = ":not([data-optional], [data-done])";

thread_local! {
    /// The question that the keys act on. It is remembered, because to look for it among a thousand takes time.
    static CURRENT: RefCell<Option<Element>> = const { RefCell::new(None) };
    /// How many items are open, where that is still to be shown outside the page.
    static UNTOLD: Cell<Option<u32>> = const { Cell::new(None) };
    /// How many the title says to be open.
    static TOLD: Cell<u32> = const { Cell::new(0) };
    /// The number of the next draft that is sent, which will have what is changed now.
    static GENERATION: Cell<u32> = const { Cell::new(FILLED_IN + 1) };
}

/// What was filled in counts as changed before the first draft that is sent.
pub(super) const FILLED_IN: u32 = 0;

/// Delay of work that no user waits for: on a fresh page until it reacts, and after an answer until that is visible.
pub(super) const SETTLED: Duration = Duration::from_millis(150);

/// Shows what was written and is not part of the result, when the form that it stands in is of no use any more.
pub(super) fn show_words(place: &Element) {
    let result = find("#success").and_then(|result| result.text_content()).unwrap_or_default();
    each("#decide textarea:not(:placeholder-shown)", |area| {
        let words = area.unchecked_ref::<HtmlTextAreaElement>().value();
        if !result.contains(words.trim())
            && let Ok(quote) = document().create_element("blockquote")
        {
            quote.set_class_name("reason");
            quote.set_text_content(Some(&words));
            // To an element that is in the document another can be added, and an attribute of it be removed.
            let _ = place.append_child(&quote);
            let _ = place.remove_attribute("hidden");
        }
    });
}

/// The form as the person left it.
pub(super) fn read_sheet() -> AnswerSheet {
    read(Vec::new(), "")
}

/// What was changed since the server has last taken a draft, also what was cleared. The rest may have been changed in
/// another tab.
pub(super) fn read_changes() -> AnswerSheet {
    let mut cleared = Vec::new();
    each(".item[data-touched]", |item| {
        cleared.extend(item_of(&item).map(|id| Answer { id, ..Answer::default() }));
    });
    read(cleared, "[data-touched]")
}

/// Puts what is given into `answers`, of the items that are `such`. Only what was given is looked at: of a thousand items
/// that is a third of the fields. A text area that is empty shows its placeholder instead. Every call into the browser
/// counts here, so the name of a control says what it is; two simple selectors are found faster than one that is both.
fn read(mut answers: Vec<Answer>, such: &str) -> AnswerSheet {
    let (known, mut index) = (answers.len(), 0);
    each(&format!(".item{such} input:checked"), |control| {
        let control: &HtmlInputElement = control.unchecked_ref();
        let Some(id) = form::choice_id(&control.name()) else { return };
        // All choices of an item come after each other.
        if answers.get(index).is_none_or(|answer| answer.id != id) {
            index = place(&mut answers, known, id);
        }
        answers[index].options.extend(control.value().parse::<u32>().ok());
    });
    each(&format!(".item{such} textarea:not(:placeholder-shown)"), |control| {
        let control: &HtmlTextAreaElement = control.unchecked_ref();
        let name = control.name();
        let note = form::note_id(&name);
        let Some(id) = note.or_else(|| form::other_id(&name)) else { return };
        let known = answers.len();
        let answer = place(&mut answers, known, id);
        let answer = &mut answers[answer];
        *if note.is_some() { &mut answer.note } else { &mut answer.other } = control.value();
    });
    let returned = find(&format!("#return{such} textarea")).map(|message| {
        let mut items = Vec::new();
        each("#return input:checked", |item| {
            items.extend(item.unchecked_ref::<HtmlInputElement>().value().parse::<u64>().ok());
        });
        Returned { message: message.unchecked_ref::<HtmlTextAreaElement>().value(), items }
    });
    AnswerSheet { answers, returned }
}

/// Where the answer for an item is among the first `known` ones, else at the end.
fn place(answers: &mut Vec<Answer>, known: usize, id: u64) -> usize {
    answers[..known].iter().position(|answer| answer.id == id).unwrap_or_else(|| {
        answers.push(Answer { id, ..Answer::default() });
        answers.len() - 1
    })
}

/// The item a control belongs to.
fn item_of(control: &Element) -> Option<u64> {
    control.closest("fieldset.item").ok()??.get_attribute("data-item")?.parse().ok()
}

/// Writes a draft into the form, in the place of what the server knew. Items that the page does not have are passed over,
/// and so is what the person has touched since the page was loaded: that is newer than any draft.
pub(super) fn fill_in(sheet: &AnswerSheet) {
    let next = GENERATION.replace(FILLED_IN);
    for answer in &sheet.answers {
        each(&format!("#item-{}:not([data-touched])", answer.id), |item| {
            choose_exactly(&item, |choice| {
                choice
                    .value()
                    .parse()
                    .map_or(answer.options.is_empty(), |option| answer.options.contains(&option))
            });
            each_in(&item, "textarea", |area| {
                let area: &HtmlTextAreaElement = area.unchecked_ref();
                let is_note = form::note_id(&area.name()).is_some();
                area.set_value(if is_note { &answer.note } else { &answer.other });
            });
            touch(&item);
        });
    }
    if let Some(returned) = &sheet.returned {
        each("#return:not([data-touched])", |details| {
            choose_exactly(&details, |choice| {
                choice.value().parse().is_ok_and(|id| returned.items.contains(&id))
            });
            each_in(&details, "textarea", |area| {
                area.unchecked_ref::<HtmlTextAreaElement>().set_value(&returned.message);
            });
            touch(&details);
            if !returned.is_empty() {
                open_return();
            }
        });
    }
    GENERATION.set(next);
}

/// What is changed from now on belongs to the next draft. Returns the number of the one that has what was changed so far.
pub(super) fn next_generation() -> u32 {
    let generation = GENERATION.get();
    GENERATION.set(generation.wrapping_add(1));
    generation
}

/// Opens what is there for sending the questions back.
pub(super) fn open_return() {
    if let Some(details) = find("#return") {
        // Setting an attribute of an element that is in the document does not fail.
        let _ = details.set_attribute("open", "");
    }
}

/// Sets every radio button and check box within `scope`.
pub(super) fn choose_exactly(scope: &Element, is_chosen: impl Fn(&HtmlInputElement) -> bool) {
    each_in(scope, "input", |choice| set_checked(&choice, &is_chosen));
}

/// Says that a draft was restored: one of this browser, or what the server has already put into the page. Only what
/// changes is spoken of to those who hear the page.
pub(super) fn say_restored(is_own: bool) {
    let restored = find(if is_own { "#restored" } else { "#restored:not([hidden])" });
    if let Some(restored) = restored {
        let _ = restored.remove_attribute("hidden");
        restored.set_text_content(restored.text_content().as_deref());
    }
}

/// Remembers that what a control belongs to was changed.
pub(super) fn touch(control: &Element) {
    if let Ok(Some(scope)) = control.closest(".item, #return") {
        // Setting an attribute of an element that is in the document does not fail.
        let _ = scope.set_attribute("data-touched", &GENERATION.get().to_string());
    }
}

/// Forgets what was changed up to `generation`.
pub(super) fn untouch(generation: u32) {
    each("[data-touched]", |scope| {
        let changed = scope.get_attribute("data-touched").and_then(|changed| changed.parse::<u32>().ok());
        if changed.is_some_and(|changed| changed <= generation) {
            let _ = scope.remove_attribute("data-touched");
        }
    });
}

/// Marks the fields that the user changed before this script ran.
pub(super) fn touch_all_changed() {
    each("#decide input:is(:checked:not([checked]), [checked]:not(:checked))", |choice| touch(&choice));
    each("#decide textarea:not(:placeholder-shown)", |area| {
        let text: &HtmlTextAreaElement = area.unchecked_ref();
        if text.default_value().is_ok_and(|sent| sent != text.value()) {
            touch(&area);
        }
    });
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
        touch(choice);
    }
}

pub(super) fn focus(element: &Element) {
    if let Some(element) = element.dyn_ref::<HtmlElement>() {
        // An element that cannot take the focus is left without.
        let _ = element.focus();
    }
}

/// Scrolls no further than it must for the whole of an element to be seen, or as much of it as there is room for.
pub(super) fn show(element: &Element) {
    let options = ScrollIntoViewOptions::new();
    options.set_block(ScrollLogicalPosition::Nearest);
    element.scroll_into_view_with_scroll_into_view_options(&options);
}

/// Makes the first question current that the person looks at or has to answer.
pub(super) fn begin() {
    // What the server takes for it.
    CURRENT.set(find("fieldset.item[data-current]"));
    let first = [":focus-within", ":target", OPEN, ""];
    let first = first.iter().find_map(|which| find(&format!("fieldset.item{which}")));
    if let Some(first) = first {
        make_current(&first);
    }
}

/// The question that the keys act on.
pub(super) fn current() -> Option<Element> {
    CURRENT.with_borrow(Clone::clone)
}

/// Makes the question that an element belongs to, or leads to, the current one.
pub(super) fn make_current(element: &Element) {
    let Ok(Some(found)) = element.closest("fieldset.item, [href^=\"#item-\"]") else { return };
    let item = found.get_attribute("href").map_or(Some(found), |address| find(&address));
    if let Some(item) = item {
        // An attribute of an element that is in the document can be set.
        let _ = item.set_attribute("data-current", "");
        if let Some(former) = CURRENT.replace(Some(item.clone()))
            && former != item
        {
            let _ = former.remove_attribute("data-current");
        }
    }
}

/// Chooses the user's own answer while it is being written: writing it means giving it. True if one is being written.
pub(super) fn choose_written(control: &Element) -> bool {
    let written = control.closest(".other:has(textarea:focus)").ok().flatten();
    let choice = written.and_then(|other| other.query_selector("input").ok()?);
    choice.inspect(check).is_some()
}

#[wasm_bindgen]
extern "C" {
    /// Marks an item that is answered, or is not any more; true when it is one that has to be. The rule stands in the page's
    /// script (`frontend/early.js`), which counts until the WASM is awake.
    #[wasm_bindgen(js_name = markDone)]
    fn mark_done(item: &Element) -> bool;

    /// Marks all items, and counts those that have to be answered and are.
    #[wasm_bindgen(js_name = markAllDone)]
    fn mark_all_done() -> u32;

    /// Has the last change back that was made to the answers, or what was undone last. What it changes says so as if
    /// the user had clicked there.
    pub(super) fn undo(is_again: bool);
}

pub(super) fn count_all(state: BarState, page: StoredValue<Page>) {
    show_done(state, page, mark_all_done());
}

/// Counts again after a change in one item. The others are left alone: there may be a thousand.
pub(super) fn count_item(state: BarState, page: StoredValue<Page>, item: &Element) {
    let was_done = item.has_attribute("data-done") && !item.has_attribute("data-optional");
    let is_done = mark_done(item);
    let others = state.done.get_untracked().saturating_sub(u32::from(was_done));
    show_done(state, page, others + u32::from(is_done));
}

/// Shows how many items are answered.
fn show_done(state: BarState, page: StoredValue<Page>, done: u32) {
    if done != state.done.get_untracked() {
        let total = page.with_value(|page| page.total);
        show_open_soon(total.saturating_sub(done));
        state.done.set(done);
    }
    if done > 0 && !state.error.with_untracked(String::is_empty) {
        state.error.set(String::new());
    }
}

/// Shows the number of open items in title and icon, for users on another tab. Redrawing the icon takes the browser longer than
/// all the rest of an answer, so many answers in a row lead to one redraw.
fn show_open_soon(open: u32) {
    if UNTOLD.replace(Some(open)).is_none() {
        set_timeout(|| UNTOLD.take().into_iter().for_each(show_open), SETTLED);
    }
}

fn show_open(open: u32) {
    let title = document().title();
    // The rest is the task, which may begin with a number itself.
    let bare = title.strip_prefix(&counted(TOLD.replace(open))).unwrap_or(&title);
    document().set_title(&(counted(open) + bare));
    if let Some(link) = find("link[rel=icon]") {
        let _ = link.set_attribute("href", &icon(open));
    }
}

/// What stands before the title.
fn counted(open: u32) -> String {
    if open > 0 { format!("({open}) ") } else { String::new() }
}

/// The server has counted so many open items in the title.
pub(super) fn begin_title(open: u32) {
    TOLD.set(open);
}

/// Shows or hides what has a place on the page in any case.
pub(super) fn show_if(selector: &str, is_shown: bool) {
    if let Some(element) = find(selector) {
        // An attribute of an element that is in the document can be set.
        let _ = element.toggle_attribute_with_force("hidden", !is_shown);
    }
}

pub(super) fn find(selector: &str) -> Option<Element> {
    document().query_selector(selector).ok().flatten()
}

pub(super) fn each(selector: &str, act: impl FnMut(Element)) {
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
