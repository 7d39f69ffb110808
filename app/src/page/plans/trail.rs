//! What has happened to a plan: what was delivered, decided, and told, the latest first.

use super::super::parts::{LocalTime, Mark};
use crate::html::markup::{IntoMarkup, Markup};
use crate::site;
use agent::plan::Listing;
use leptos::prelude::*;
use protocol::agent::{AgentDecision, Alert, Code, DeadLetter, Delivery, Id};
use texts::{Lang, PlanTexts, fill, plan_alert, plan_code};

/// A part of the page with the latest `most` of `all`, which are in the order of their time; nothing where there are none.
fn latest<T, V: IntoView + 'static>(
    words: &'static PlanTexts,
    title: &'static str,
    all: &[T],
    most: usize,
    row: impl Fn(&T) -> V,
) -> Option<Markup> {
    if all.is_empty() {
        return None;
    }
    let note = Shown(words, all.len().min(most), all.len());
    let rows = all.iter().rev().take(most).map(row).collect_view();
    let part = view! {
        <section class="part">
            <h2>{title}</h2>
            {note}
            <ol class="rows">{rows}</ol>
        </section>
    };
    Some(part.into_markup())
}

/// How much is shown, where it is not all.
#[expect(non_snake_case, reason = "it is a component in all but the macro")]
fn Shown(words: &'static PlanTexts, shown: usize, total: usize) -> impl IntoView + use<> {
    (shown < total).then(|| {
        let (shown, total) = (shown.to_string(), total.to_string());
        view! { <p class="omitted">{fill(words.latest, &[("shown", &shown), ("total", &total)])}</p> }
    })
}

/// The messages that were given up, and how each is delivered again.
#[expect(non_snake_case, reason = "it is a component in all but the macro")]
pub(super) fn Lost(
    lang: Lang,
    words: &'static PlanTexts,
    plan: &Id,
    all: &[DeadLetter],
    most: usize,
) -> Option<Markup> {
    latest(words, words.given_up, all, most, |letter| {
        // What has no message of its own cannot be delivered again.
        let command = letter.original.message_id.as_ref().map(|_| {
            let command = format!("aide plan replay {plan} {}", letter.deadletter_id);
            view! { <p class="about">{words.replay} <code>{command}</code></p> }
        });
        let reason = Code::named(&letter.reason.code).map(|code| format!("{}: ", plan_code(lang, code)));
        let from = letter.original.producer_agent_id.clone().map(|from| view! { {from} " · " });
        view! {
            <li>
                <span class="chosen">{letter.original.file_name.to_string()}</span>
                " "
                {Mark("FAILED", letter.reason.code.to_string())}
                <p class="about">{from} {LocalTime(letter.created_at.as_str())}</p>
                <p class="wrong">{reason} {letter.reason.message.to_string()}</p>
                {command}
            </li>
        }
    })
}

/// The alerts.
#[expect(non_snake_case, reason = "it is a component in all but the macro")]
pub(super) fn Alerts(lang: Lang, words: &'static PlanTexts, all: &[Alert], most: usize) -> Option<Markup> {
    latest(words, words.alerts, all, most, |alert| {
        let task = alert.source.as_ref().and_then(|source| source.task_id.clone());
        let task = task.map(|task| view! { <code>{task.to_string()}</code> " · " });
        view! {
            <li>
                <span class="chosen">{plan_alert(lang, alert)}</span>
                <p class="about">
                    {task} {words.severity(alert.severity)} " · " {LocalTime(alert.created_at.as_str())} " · "
                    <code>{alert.kind.to_string()}</code>
                </p>
            </li>
        }
    })
}

/// What was decided.
#[expect(non_snake_case, reason = "it is a component in all but the macro")]
pub(super) fn Decided(words: &'static PlanTexts, all: &[AgentDecision], most: usize) -> Option<Markup> {
    latest(words, words.decisions, all, most, |decision| {
        let by = fill(words.decided_by, &[("agent", decision.decided_by_agent_id.as_str())]);
        let task =
            decision.subject.task_id.as_ref().map(|task| view! { " · " <code>{task.to_string()}</code> });
        let notes = decision.notes.clone().filter(|notes| !notes.is_empty());
        let notes = notes.map(|notes| view! { <p class="chosen-note">{notes}</p> });
        view! {
            <li>
                <span class="chosen">{decision.decision_type.name()}</span>
                " "
                {Mark(decision.decision.name(), decision.decision.name())}
                <p class="about">{by} {task} " · " {LocalTime(decision.created_at.as_str())}</p>
                {notes}
            </li>
        }
    })
}

/// What was delivered; the rest is there for programs.
#[expect(non_snake_case, reason = "it is a component in all but the macro")]
pub(super) fn Deliveries(
    words: &'static PlanTexts,
    plan: &Id,
    deliveries: &Listing<Delivery>,
) -> impl IntoView + use<> {
    let rows = deliveries.items.iter().rev().map(|delivery| DeliveryLine(words, delivery)).collect_view();
    let note = if deliveries.items.is_empty() {
        view! { <p class="omitted">{words.nothing_delivered}</p> }.into_markup()
    } else {
        let href = site::address(format_args!("/api/plans/{plan}/deliveries?limit=500"));
        let shown = Shown(words, deliveries.items.len(), deliveries.total);
        view! {
            {shown}
            <p class="omitted">
                <a href=href>{words.all_as_json}</a>
            </p>
        }
        .into_markup()
    };
    view! {
        <section class="part">
            <h2>{words.deliveries}</h2>
            {note}
            <ol class="log">{rows}</ol>
        </section>
    }
}

#[expect(non_snake_case, reason = "it is a component in all but the macro")]
fn DeliveryLine(words: &'static PlanTexts, delivery: &Delivery) -> impl IntoView + use<> {
    let task = delivery.task_id.clone().unwrap_or_else(|| delivery.message_id.to_string());
    let what = delivery.output_name.clone().unwrap_or_else(|| words.command.to_owned());
    let to = delivery.to_agent_id.agent().map_or_else(|| words.archive.to_owned(), |agent| agent.to_string());
    view! {
        <li>
            <div>
                <span class="chosen">{task} " / " {what}</span>
                " "
                {Mark(delivery.status.name(), words.status(delivery.status))}
            </div>
            <p class="about">
                {delivery.from_agent_id.to_string()} " → " {to} " · " {LocalTime(delivery.delivered_at.as_str())}
            </p>
        </li>
    }
}
