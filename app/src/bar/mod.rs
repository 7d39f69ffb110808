//! The bar that stays in view: progress, recommendations, submit. The only part that the browser hydrates.

#[cfg(feature = "hydrate")]
mod dom;
#[cfg(feature = "hydrate")]
mod drafts;
#[cfg(feature = "hydrate")]
mod keyboard;
mod summary;

use crate::Outcome;
use leptos::prelude::*;
use model::form;
use serde::{Deserialize, Serialize};

pub(crate) use summary::Summary;

/// The words the bar needs, in the language of the page, so that the tables themselves stay on the server.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct BarWords {
    progress: String,
    submit: String,
    submitting: String,
    submit_hint: String,
    take: String,
    take_hint: String,
    failed: String,
    unreachable: String,
    incomplete: String,
    draft_kept: String,
    decided: String,
    decided_elsewhere: String,
    decided_elsewhere_hint: String,
    close: String,
    note_of: String,
    keys_title: String,
    keys: Vec<(String, String)>,
}

#[cfg(feature = "ssr")]
impl BarWords {
    pub(crate) fn new(words: &texts::PageTexts) -> Self {
        let keys = [
            ("j / k", words.key_next),
            ("1 – 9", words.key_choose),
            ("r", words.key_recommended),
            ("a", words.key_all),
            ("n", words.key_note),
            ("Esc", words.key_leave),
            ("Ctrl + Enter", words.key_submit),
            ("?", words.key_help),
        ];
        Self {
            progress: words.progress.to_owned(),
            submit: words.submit.to_owned(),
            submitting: words.submitting.to_owned(),
            submit_hint: words.submit_hint.to_owned(),
            take: words.take_recommendations.to_owned(),
            take_hint: words.take_recommendations_hint.to_owned(),
            failed: words.failed.to_owned(),
            unreachable: words.unreachable.to_owned(),
            incomplete: words.incomplete.to_owned(),
            draft_kept: words.draft_kept.to_owned(),
            decided: words.decided.to_owned(),
            decided_elsewhere: words.decided_elsewhere.to_owned(),
            decided_elsewhere_hint: words.decided_elsewhere_hint.to_owned(),
            close: words.close.to_owned(),
            note_of: words.note_of.to_owned(),
            keys_title: words.keys.to_owned(),
            keys: keys.map(|(key, text)| (key.to_owned(), text.to_owned())).to_vec(),
        }
    }
}

/// Where a submission stands.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Phase {
    Editing,
    Sending,
    #[cfg_attr(not(feature = "hydrate"), expect(dead_code, reason = "only the browser gets there"))]
    /// `mine` is false when another submission was first.
    Decided {
        outcome: Outcome,
        mine: bool,
    },
}

/// What the browser changes on the page.
#[derive(Debug, Clone, Copy)]
struct BarState {
    /// False on the server and until the island is awake: the plain page must stay usable.
    awake: RwSignal<bool>,
    /// Items with a chosen option.
    done: RwSignal<u32>,
    phase: RwSignal<Phase>,
    /// Why the last submission failed; empty when it did not.
    error: RwSignal<String>,
    /// The server did not take the last draft.
    offline: RwSignal<bool>,
}

/// Progress and submit. `done` and `total` count items; `draft_key` names the questions in the browser's storage.
#[island]
pub(crate) fn AnswerBar(
    session: String,
    lang: String,
    draft_key: String,
    total: u32,
    done: u32,
    recommends: bool,
    words: BarWords,
) -> impl IntoView {
    let state = BarState {
        awake: RwSignal::new(false),
        done: RwSignal::new(done),
        phase: RwSignal::new(Phase::Editing),
        error: RwSignal::new(String::new()),
        offline: RwSignal::new(false),
    };
    // Not by an attribute of the function: leptos names the island after its tokens, and an attribute that only
    // one of the two builds has would give it two names.
    #[cfg(not(feature = "hydrate"))]
    let _ = (session, lang, draft_key);
    #[cfg(feature = "hydrate")]
    dom::wake(state, dom::Page { session, lang, draft_key, total, words: words.clone() });

    let progress = words.progress;
    let progress = move || {
        progress.replace("{done}", &state.done.get().to_string()).replace("{total}", &total.to_string())
    };
    let sending = move || state.phase.with(|phase| *phase == Phase::Sending);
    let (submit, submitting) = (words.submit, words.submitting);
    let failed = words.failed;
    let error = move || {
        let detail = state.error.get();
        (!detail.is_empty()).then(|| failed.replace("{detail}", &detail))
    };
    let outcome = move || {
        let Phase::Decided { outcome, mine } = state.phase.get() else { return None };
        let (title, hint) = if mine {
            (words.decided.clone(), String::new())
        } else {
            (words.decided_elsewhere.clone(), words.decided_elsewhere_hint.clone())
        };
        let (close, note_of) = (words.close.clone(), words.note_of.clone());
        Some(view! { <Summary title hint close note_of outcome /> })
    };
    let keys = words.keys.into_iter().map(|(key, text)| {
        view! {
            <div>
                <dt>
                    <kbd>{key}</kbd>
                </dt>
                <dd>{text}</dd>
            </div>
        }
    });
    view! {
        <div class="bar">
            <progress max=total.to_string() value=done.to_string() prop:value=move || f64::from(state.done.get()) aria-hidden="true"></progress>
            <p id="error-toast" role="alert">{error}</p>
            <p id="draft-state" role="status">{move || state.offline.get().then(|| words.draft_kept.clone())}</p>
            <div class="bar-row">
                <p id="progress-text" role="status">{progress}</p>
                <button
                    type="submit"
                    id="submit-btn"
                    name=form::ACTION
                    value=form::SUBMIT
                    aria-describedby="submit-hint"
                    disabled=move || state.awake.get() && (state.done.get() < total || sending())
                >
                    {move || if sending() { submitting.clone() } else { submit.clone() }}
                </button>
                {recommends
                    .then(|| {
                        view! {
                            <button
                                type="submit"
                                id="recommend-btn"
                                name=form::ACTION
                                value=form::RECOMMEND
                                title=words.take_hint
                            >
                                {words.take}
                            </button>
                        }
                    })}
                <details id="keys">
                    <summary aria-label=words.keys_title>"?"</summary>
                    <dl>{keys.collect_view()}</dl>
                </details>
            </div>
            <p id="submit-hint">{words.submit_hint}</p>
        </div>
        {outcome}
    }
}
