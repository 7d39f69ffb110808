//! The bar that stays in view: progress, recommendations, submit. The only part that the browser hydrates.
//!
//! # Why an island
//!
//! With ordinary hydration, the browser walks the whole page again and needs all its code and data to do so, which grows with
//! every question. Here only `AnswerBar` is compiled to WASM. The items stay plain HTML whose controls are read and set in place,
//! so hydration hardly depends on their number. Choices made before the WASM arrived are simply there: the island reads the form,
//! and a draft fills only fields that were not touched.
//!
//! The price: the state that the bar shows (the count, the marks in the rail) is recomputed from the DOM in `app/src/bar/dom.rs`
//! instead of following from signals, and Leptos names an island after its tokens, so `AnswerBar` must have the same tokens in
//! both builds.

#[cfg(feature = "hydrate")]
mod connection;
#[cfg(feature = "hydrate")]
mod dom;
#[cfg(feature = "hydrate")]
mod drafts;
#[cfg(feature = "hydrate")]
mod events;
#[cfg(feature = "hydrate")]
mod keyboard;
#[cfg(feature = "hydrate")]
mod news;

use leptos::prelude::*;
use model::form;
use serde::{Deserialize, Serialize};

/// The words the bar needs, in the language of the page, so that the tables themselves stay on the server. A list in
/// the browser: to read it takes much less code there than to read a member for each.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct BarWords(Vec<String>);

/// The words by their names in [`texts::PageTexts`], in the order in which they are sent.
macro_rules! bar_words {
    ($($name:ident),* $(,)?) => {
        #[allow(non_camel_case_types, reason = "each is the name of a method")]
        #[allow(dead_code, reason = "some are needed in the browser only")]
        enum Place { $($name),* }

        #[allow(dead_code, reason = "some are needed in the browser only")]
        impl BarWords {
            $(pub(crate) fn $name(&self) -> String {
                self.0.get(Place::$name as usize).cloned().unwrap_or_default()
            })*

            #[cfg(feature = "ssr")]
            pub(crate) fn new(words: &texts::PageTexts) -> Self {
                Self(vec![$(words.$name.to_owned()),*])
            }

            /// The same with another text for how many are answered.
            #[cfg(feature = "ssr")]
            pub(crate) fn with_progress(mut self, progress: &str) -> Self {
                self.0[Place::progress as usize] = progress.to_owned();
                self
            }

            /// The same for a set of which no part can be submitted.
            #[cfg(feature = "ssr")]
            pub(crate) fn without_part(mut self) -> Self {
                self.0[Place::submit_part as usize].clear();
                self
            }
        }
    };
}

bar_words! {
    progress,
    submit,
    submit_part,
    submitting,
    failed,
    unreachable,
    left_open,
    draft_kept,
    reload,
    new_questions,
}

/// Where a submission stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(not(feature = "hydrate"), expect(dead_code, reason = "only the browser gets beyond the first"))]
enum Phase {
    Editing,
    Sending,
    /// The questions have ended, by this page or otherwise.
    Over,
}

/// What the browser changes on the page.
#[derive(Debug, Clone, Copy)]
struct BarState {
    /// False on the server and until the island is awake: the plain page must stay usable.
    awake: RwSignal<bool>,
    /// Items with a chosen option.
    done: RwSignal<u32>,
    phase: RwSignal<Phase>,
    /// What went wrong, in a sentence; empty when nothing did.
    error: RwSignal<String>,
    /// No server takes drafts or answers at the moment.
    offline: RwSignal<bool>,
    /// Other questions have taken the place of these.
    stale: RwSignal<bool>,
}

#[cfg(feature = "hydrate")]
impl BarState {
    /// Whether the person can still change the answers.
    fn is_editing(self) -> bool {
        self.phase.get_untracked() == Phase::Editing
    }
}

/// What the page says about itself.
#[cfg(feature = "hydrate")]
#[derive(Debug, Clone)]
struct Page {
    session: String,
    lang: String,
    draft_key: String,
    total: u32,
    words: BarWords,
}

/// Progress and submit. `done` and `total` count items; `draft_key` names the questions in the browser's storage.
#[island]
pub(crate) fn AnswerBar(
    session: String,
    lang: String,
    draft_key: String,
    total: u32,
    done: u32,
    words: BarWords,
    /// What stands in the bar and never changes.
    children: Children,
) -> impl IntoView {
    let state = BarState {
        awake: RwSignal::new(false),
        done: RwSignal::new(done),
        phase: RwSignal::new(Phase::Editing),
        error: RwSignal::new(String::new()),
        offline: RwSignal::new(false),
        stale: RwSignal::new(false),
    };
    // Not by an attribute of the function: leptos names the island after its tokens, and an attribute that only
    // one of the two builds has would give it two names.
    #[cfg(not(feature = "hydrate"))]
    let _ = (session, lang, draft_key);
    #[cfg(feature = "hydrate")]
    events::wake(state, Page { session, lang, draft_key, total, words: words.clone() });

    let progress = words.progress();
    let progress = move || counted(&progress, state.done.get(), total);
    // Not disabled: where answers are missing, a click on it leads to them.
    let sending = move || state.phase.get() == Phase::Sending;
    let (submit, submitting, submit_part) = (words.submit(), words.submitting(), words.submit_part());
    let allows_part = !submit_part.is_empty();
    let is_part = move || allows_part && (1..total).contains(&state.done.get());
    // Nothing at all rather than an empty text: the style sheet tells the two apart.
    let error = move || Some(state.error.get()).filter(|error| !error.is_empty());
    let (draft_kept, reload) = (words.draft_kept(), words.reload());
    // The same page again: the server has the new questions under the same address.
    let reload = move || state.stale.get().then(|| view! { <a class="button" href="">{reload.clone()}</a> });
    view! {
        <div class="bar">
            <progress max=total.to_string() value=done.to_string() prop:value=move || f64::from(state.done.get()) aria-hidden="true"></progress>
            <p id="error-toast" role="alert">{error}{reload}</p>
            <p id="draft-state" role="status">{move || state.offline.get().then(|| draft_kept.clone())}</p>
            <div class="bar-row">
                <p id="progress-text" role="status">{progress}</p>
                <button
                    type="submit"
                    id="submit-btn"
                    name=form::ACTION
                    value=form::SUBMIT
                    aria-describedby="submit-hint"
                    aria-disabled=move || {
                        (state.awake.get() && (state.done.get() < total && !is_part() || sending())).then_some("true")
                    }
                >
                    {move || if sending() {
                        submitting.clone()
                    } else if is_part() {
                        counted(&submit_part, state.done.get(), total)
                    } else {
                        submit.clone()
                    }}
                </button>
                {children()}
            </div>
        </div>
        <div id="outcome"></div>
    }
}

/// A text with the number of items that are answered, and of all.
fn counted(text: &str, done: u32, total: u32) -> String {
    text.replace("{done}", &done.to_string()).replace("{total}", &total.to_string())
}
