//! All workflows.

use super::super::document::{Assets, Rendered, render_counted};
use super::super::masthead::{Elsewhere, Here, Masthead};
use super::super::pages::{Pages, page_address};
use super::super::parts::{LocalTime, Mark};
use super::follow;
use super::parts::{SHORT, STYLE, clipped};
use crate::site;
use leptos::nonce::use_nonce;
use leptos::prelude::*;
use texts::{Lang, WorkflowTexts, fill};
use workflow::{ListPage, Listed};

/// Renders the workflows `list`, which are page `page` of all, counted from 1.
pub fn render_workflows(
    lang: Lang,
    page: usize,
    list: &ListPage,
    elsewhere: Elsewhere,
    assets: Assets,
) -> Rendered {
    let words = lang.workflows();
    let address = |lang, page| page_address("/workflows", lang, page);
    let open = u32::try_from(list.waiting).unwrap_or(u32::MAX);
    render_counted(lang, words.title, assets, STYLE, open, || {
        let rows = list.workflows.iter().map(|listed| Row(lang, words, listed)).collect_view();
        let is_empty = list.workflows.is_empty() && page == 1;
        let (heading, lead) =
            if is_empty { (words.none, words.none_hint) } else { (words.workflows, words.lead) };
        let say = if list.waiting > 0 { words.waiting(list.waiting) } else { String::new() };
        view! {
            <Masthead lang here=Here::Workflows(address(lang.other(), page)) elsewhere />
            <p id="not-live" class="notice" role="status" hidden>
                {words.not_live}
            </p>
            <p id="heard" class="unseen" role="status"></p>
            <main id="workflows" data-seq=list.seq.to_string() data-say=say tabindex="-1">
                <div id="list" data-live>
                    <div class="heading" class:nothing=is_empty>
                        <h1>{heading}</h1>
                        <p class="lead">{lead}</p>
                    </div>
                    <ol class="rows">{rows}</ol>
                    {Pages(lang, page, list.has_more, &|page| address(lang, page))}
                </div>
            </main>
            <noscript>
                <meta http-equiv="refresh" content="5" />
            </noscript>
            <script nonce=use_nonce()>{follow::script("")}</script>
        }
    })
}

#[expect(non_snake_case, reason = "it is a component in all but the macro")]
fn Row(lang: Lang, words: &'static WorkflowTexts, listed: &Listed) -> impl IntoView + use<> {
    let workflow = &listed.summary;
    let href = site::address(format_args!("/workflows/{}?lang={}", workflow.id, lang.code()));
    let progress = (workflow.task_count > 0).then(|| {
        let (done, total) = (workflow.completed_tasks.to_string(), workflow.task_count.to_string());
        format!(" · {}", fill(words.done_of, &[("done", &done), ("total", &total)]))
    });
    let note = |count: usize, text: String, class: &'static str| {
        (count > 0).then(|| view! { " · " <strong class=class>{text}</strong> })
    };
    let failed = usize::try_from(workflow.failed_tasks).unwrap_or(usize::MAX);
    let title = if model::is_blank(&workflow.user_task) { &workflow.id } else { &workflow.user_task };
    view! {
        <li>
            <a id=format!("workflow-{}", workflow.id) class="chosen" href=href>
                {clipped(title, SHORT).into_owned()}
            </a>
            " "
            {Mark(workflow.fsm_state.name(), words.phase(workflow.fsm_state))}
            <p class="about">
                <code>{workflow.id.clone()}</code>
                {progress}
                {note(listed.waiting, words.waiting(listed.waiting), "waiting")}
                {note(failed, words.failed(failed), "failed")}
                " · "
                {LocalTime(&workflow.updated_at)}
            </p>
        </li>
    }
}
