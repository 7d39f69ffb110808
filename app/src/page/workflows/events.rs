//! What has happened to a workflow.

use super::super::markup::IntoMarkup;
use super::super::parts::LocalTime;
use super::one::{Place, WorkflowQuery};
use super::parts::clipped;
use leptos::prelude::*;
use model::workflow::EventGroup;
use texts::{Lang, WorkflowTexts};
use workflow::Happened;

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

/// How much JSON of an event is shown, in characters.
const LONG_JSON: usize = 2000;

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
    let rows = workflow.events.iter().map(|event| Row(lang, words, event)).collect_view();
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

/// What has happened as a sentence, with the JSON behind it.
#[expect(non_snake_case, reason = "it is a component in all but the macro")]
fn Row(lang: Lang, words: &'static WorkflowTexts, happened: &Happened) -> impl IntoView + use<> {
    let sentence = happened.event.as_ref().map(|event| lang.sentence(event));
    let sentence = sentence.unwrap_or_else(|| words.event(happened.kind).to_owned());
    let id = format!("event-{}", happened.seq);
    view! {
        <li data-seq=happened.seq.to_string() data-type=happened.kind.name()>
            {LocalTime(&happened.at)}
            <span class="detail">
                <span>{sentence}</span>
                <details id=id>
                    <summary>{words.json}</summary>
                    <pre class="json">{json(happened)}</pre>
                </details>
            </span>
        </li>
    }
}

/// An event as programs are told of it, or the beginning of a very long one.
fn json(happened: &Happened) -> String {
    let payload = serde_json::from_str::<serde_json::Value>(&happened.payload).unwrap_or_default();
    let whole = serde_json::json!({ "seq": happened.seq, "type": happened.kind.name(), "payload": payload });
    clipped(&serde_json::to_string_pretty(&whole).unwrap_or_default(), LONG_JSON).into_owned()
}
