//! One event of a workflow, whole: the page of the workflow leads here, and its script shows the JSON there.

use super::super::document::{Assets, RenderedPage, render_counted};
use super::super::masthead::{CurrentPage, Masthead};
use super::super::parts::LocalTime;
use super::one::WorkflowQuery;
use super::parts::{SHORT, STYLE, clipped};
use crate::OtherPages;
use crate::site;
use leptos::prelude::*;
use protocol::workflow::EventGroup;
use texts::Lang;
use workflow::EventSummary;

/// The address of the page of an event.
pub(super) fn address(workflow: &str, seq: i64, lang: Lang) -> String {
    site::address(format_args!("/workflows/{workflow}/events/{seq}?lang={}", lang.code()))
}

/// An event as a sentence.
pub(super) fn sentence(lang: Lang, happened: &EventSummary) -> String {
    let sentence = happened.event.as_ref().map(|event| lang.sentence(event));
    sentence.unwrap_or_else(|| lang.workflows().event(happened.kind).to_owned())
}

/// Renders an event of this workflow.
pub fn render_event(
    lang: Lang,
    workflow: &str,
    happened: &EventSummary,
    elsewhere: OtherPages,
    assets: Assets,
) -> RenderedPage {
    let words = lang.workflows();
    let sentence = sentence(lang, happened);
    let title = format!("{} · {}", clipped(&sentence, 80), words.title);
    render_counted(lang, &title, assets, STYLE, 0, || {
        let here = CurrentPage::Workflow(address(workflow, happened.seq, lang.other()));
        let all = WorkflowQuery { group: EventGroup::All, before: None, tasks: None };
        let back = all.address(workflow, lang);
        view! {
            <Masthead lang here elsewhere />
            <main id="event">
                <div class="heading">
                    <p class="back">
                        <a href=back>"← " <code>{workflow.to_owned()}</code></a>
                    </p>
                    <h1>{clipped(&sentence, SHORT).into_owned()}</h1>
                    <p class="lead">
                        {LocalTime(&happened.at)} " · " <code>{happened.kind.name()}</code>
                    </p>
                </div>
                <pre class="json" tabindex="0" role="region" aria-label=words.json>
                    {json(happened)}
                </pre>
            </main>
        }
    })
}

/// An event as programs read it.
fn json(happened: &EventSummary) -> String {
    let payload = serde_json::from_str::<serde_json::Value>(&happened.payload).unwrap_or_default();
    let whole = serde_json::json!({ "seq": happened.seq, "type": happened.kind.name(), "payload": payload });
    serde_json::to_string_pretty(&whole).unwrap_or_default()
}
