//! What has happened to a workflow.

use super::super::parts::LocalTime;
use super::event;
use super::one::{Place, WorkflowQuery};
use crate::html::markup::IntoMarkup;
use leptos::prelude::*;
use protocol::workflow::EventGroup;
use workflow::EventSummary;

/// The groups that a workflow has events of, in the order in which they are offered.
const GROUPS: [EventGroup; 8] = [
    EventGroup::All,
    EventGroup::Phase,
    EventGroup::Task,
    EventGroup::HumanInLoop,
    EventGroup::Tool,
    EventGroup::Dialog,
    EventGroup::Progress,
    EventGroup::Resource,
];

#[expect(non_snake_case, reason = "it is a component in all but the macro")]
pub(super) fn Events(place: &Place<'_>) -> impl IntoView + use<> {
    let Place { words, workflow, query, lang } = *place;
    let to = |query: WorkflowQuery| format!("{}#events", query.address(&workflow.id, lang));
    let groups = GROUPS.into_iter().map(|group| {
        let is_this = query.group == group;
        view! {
            <a
                id=format!("group-{group}")
                href=to(WorkflowQuery { group, before: None, ..query })
                aria-current=is_this.then_some("true")
            >
                {words.group(group)}
            </a>
        }
    });
    let groups: Vec<_> = groups.collect();
    let rows = workflow.events.iter().map(|event| Row(place, event)).collect_view();
    let rows = if workflow.events.is_empty() {
        view! { <p class="omitted">{words.no_events}</p> }.into_markup()
    } else {
        view! { <ol class="log">{rows}</ol> }.into_markup()
    };
    let link = |query: Option<WorkflowQuery>, rel: &'static str, name: &'static str| {
        query.map(|query| {
            view! {
                <a id=format!("events-{rel}") href=to(query) rel=rel>
                    {name}
                </a>
            }
        })
    };
    let newest = query.before.map(|_| WorkflowQuery { before: None, ..query });
    let last = workflow.events.last().filter(|_| workflow.has_older);
    let older = last.map(|last| WorkflowQuery { before: Some(last.seq), ..query });
    let pages = (newest.is_some() || older.is_some()).then(|| {
        view! {
            <nav class="pages" aria-label=words.events>
                {link(newest, "prev", words.newest)}
                {link(older, "next", words.older)}
            </nav>
        }
    });
    view! {
        <section id="events" class="part" data-live>
            <h2>{words.events}</h2>
            <nav class="groups" aria-label=words.only>
                {groups}
            </nav>
            {rows}
            {pages}
        </section>
    }
}

/// What has happened as a sentence, with the way to the JSON behind it: the script of the page puts it in the place of the link.
#[expect(non_snake_case, reason = "it is a component in all but the macro")]
fn Row(place: &Place<'_>, happened: &EventSummary) -> impl IntoView + use<> {
    let Place { words, workflow, lang, .. } = *place;
    let sentence = event::sentence(lang, happened);
    let id = format!("event-{}", happened.seq);
    view! {
        <li data-seq=happened.seq.to_string() data-type=happened.kind.name()>
            {LocalTime(&happened.at)}
            <span class="detail">
                <span>{sentence}</span>
                <details id=id>
                    <summary>{words.json}</summary>
                    <a href=event::address(&workflow.id, happened.seq, lang)>{words.open_json}</a>
                </details>
            </span>
        </li>
    }
}
