//! What a workflow asks, to be answered where it stands, and what was decided.

use super::super::parts::LocalTime;
use super::one::Place;
use super::parts::{SHORT, clipped};
use crate::SetId;
use crate::html::markdown::to_html;
use crate::html::markup::IntoMarkup;
use crate::site;
use leptos::prelude::*;
use protocol::workflow::Effect;
use protocol::workflow::api::{ConsentView, DecisionView};
use std::borrow::Cow;
use std::collections::BTreeMap;
use texts::{Lang, WorkflowTexts, fill};

/// What is open. A single choice is a button for each option, so that one press answers; none is drawn as the right one.
#[expect(non_snake_case, reason = "it is a component in all but the macro")]
pub(super) fn Asked(place: &Place<'_>, pages: &BTreeMap<String, SetId>) -> impl IntoView + use<> {
    let Place { words, workflow, .. } = *place;
    let rows = workflow
        .pending
        .iter()
        .map(|decision| Question(place, decision, pages.get(&decision.decision_id)).into_markup());
    let rows: Vec<_> = rows.collect();
    let is_empty = rows.is_empty();
    view! {
        <section id="asked" class="part" data-live hidden=is_empty>
            <h2>{words.waits_for_you}</h2>
            {rows}
        </section>
    }
}

#[expect(non_snake_case, reason = "it is a component in all but the macro")]
fn Question(place: &Place<'_>, decision: &DecisionView, page: Option<&SetId>) -> impl IntoView + use<> {
    let Place { words, lang, .. } = *place;
    let id = &decision.decision_id;
    let options = decision.options.as_deref().unwrap_or_default();
    let legend = format!("asked-{id}");
    let fields = if let Some(consent) = &decision.consent {
        Answers(lang, decision, consent).into_markup()
    } else if options.is_empty() {
        view! {
            <textarea id=format!("words-{id}") name="choice" rows="2" required aria-labelledby=legend.clone()></textarea>
            <button class="main" type="submit">{words.answer}</button>
        }
        .into_markup()
    } else if decision.multi_select {
        let boxes = options.iter().enumerate().map(|(at, option)| {
            let own = format!("choice-{id}-{at}");
            view! {
                <label for=own.clone()>
                    <input id=own.clone() type="checkbox" name="choice" value=option.clone() />
                    <span>{option.clone()}</span>
                </label>
            }
        });
        let boxes: Vec<_> = boxes.collect();
        view! {
            <p class="hint">{words.answer_hint}</p>
            <div class="boxes">{boxes}</div>
            <button class="main" type="submit">{words.answer}</button>
        }
        .into_markup()
    } else {
        let buttons = options.iter().enumerate().map(|(at, option)| {
            view! {
                <button id=format!("choice-{id}-{at}") type="submit" name="choice" value=option.clone()>
                    {in_words(words, options, at).map_or_else(|| lang.answer(decision, option), Cow::Borrowed).into_owned()}
                </button>
            }
        });
        let buttons: Vec<_> = buttons.collect();
        view! { <div class="buttons">{buttons}</div> }.into_markup()
    };
    let part = |name: &'static str, value: &Option<String>| {
        value.as_ref().map(|value| view! { " · " {name} <code>{value.clone()}</code> })
    };
    let task = decision.task_id.as_ref().map(|task| view! { " · " <code>{task.clone()}</code> });
    let default = decision.default.as_ref();
    let default = default.map(|default| format!(" · {}", fill(words.fallback, &[("default", default)])));
    let until = decision.expires_at.as_deref().map(|until| {
        let (before, after) = words.until.split_once("{time}").unwrap_or((words.until, ""));
        view! { " · " {before} {LocalTime(until)} {after} }
    });
    let there = page.map(|set| {
        let href = site::address(format_args!("/d/{set}?lang={}", lang.code()));
        view! { " · " <a id=format!("there-{id}") href=href>{words.answer_there}</a> }
    });
    let about = decision.context.as_deref().filter(|context| !model::is_blank(context));
    let about = about.map(|context| view! { <div class="item-context" inner_html=to_html(context)></div> });
    view! {
        <form class="question" method="post" action=place.action()>
            <input type="hidden" name="action" value="answer" />
            <input type="hidden" name="decision" value=id.clone() />
            <fieldset>
                <legend id=legend>{lang.message(decision).into_owned()}</legend>
                {about}
                {fields}
            </fieldset>
            <p class="about">
                {LocalTime(&decision.created_at)} {task} {part(words.by, &decision.agent_id)} {default} {until} {there}
            </p>
        </form>
    }
}

/// The word for the option in this place, where the options are the two letters that stand for yes and no in a terminal.
fn in_words(words: &'static WorkflowTexts, options: &[String], at: usize) -> Option<&'static str> {
    let [yes, no] = options else { return None };
    let is_asked = yes.eq_ignore_ascii_case("y") && no.eq_ignore_ascii_case("n");
    is_asked.then(|| words.yes_no.get(at).copied()).flatten()
}

/// What can be answered to whether a tool may be used, each a button that says what it does; to deny comes last.
#[expect(non_snake_case, reason = "it is a component in all but the macro")]
fn Answers(lang: Lang, decision: &DecisionView, consent: &ConsentView) -> impl IntoView + use<> {
    let id = &decision.decision_id;
    let mut answers: Vec<_> = consent.answers.iter().enumerate().collect();
    answers.sort_by_key(|(_, answer)| Effect::named(&answer.effect) == Some(Effect::Deny));
    let buttons = answers.into_iter().map(|(at, answer)| {
        let value = answer.answer.clone();
        view! {
            <button id=format!("choice-{id}-{at}") type="submit" name="choice" value=value>
                {lang.answer(decision, &answer.answer).into_owned()}
            </button>
        }
    });
    let buttons: Vec<_> = buttons.collect();
    view! { <div class="buttons">{buttons}</div> }
}

/// What was decided.
#[expect(non_snake_case, reason = "it is a component in all but the macro")]
pub(super) fn Decided(place: &Place<'_>) -> impl IntoView + use<> {
    let Place { words, workflow, lang, .. } = *place;
    let rows = workflow.decided.iter().map(|decision| {
        // An option of a question about a tool may have been named by its number.
        let named = decision.consent.as_ref().and(decision.selected.first());
        let answer = named.or(decision.response.as_ref());
        let answer = answer.map(|answer| lang.answer(decision, answer));
        let answer = answer.map(|answer| clipped(&answer, SHORT).into_owned());
        let answer = match answer {
            Some(answer) => view! { <strong>{answer}</strong> }.into_markup(),
            None => view! { <em>{words.nobody}</em> }.into_markup(),
        };
        let note = decision.note.as_deref().map(|note| format!(" · {}", clipped(note, SHORT)));
        let ended = decision.responded_at.as_deref().unwrap_or(&decision.created_at);
        view! {
            <li>
                {LocalTime(ended)}
                <span>{clipped(&lang.message(decision), SHORT).into_owned()}</span>
                <span>{answer} {note}</span>
            </li>
        }
    });
    let rows: Vec<_> = rows.collect();
    let is_empty = rows.is_empty();
    view! {
        <section id="decided" class="part" data-live hidden=is_empty>
            <h2>{words.decided}</h2>
            <ol class="log">{rows}</ol>
        </section>
    }
}
