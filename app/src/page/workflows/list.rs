//! All workflows.

use super::super::document::{Assets, RenderedPage, render_counted};
use super::super::masthead::{CurrentPage, Masthead};
use super::super::pages::Pages;
use super::super::parts::{LocalTime, Mark, Nothing, ProjectFilter, Reload, WithCode};
use super::follow;
use super::parts::{SHORT, STYLE, clipped};
use crate::OtherPages;
use crate::site;
use leptos::nonce::use_nonce;
use leptos::prelude::*;
use protocol::workflow::WorkflowState;
use texts::{Lang, WorkflowTexts, fill};
use workflow::{ListPage, ListedWorkflow, StateFilter, WorkflowFilter};

/// Which workflows are wanted, and which page of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WorkflowsQuery {
    /// Which.
    pub sought: WorkflowFilter,
    /// Which page, from 1.
    pub page: usize,
}

impl WorkflowsQuery {
    /// Reads what stands behind the `?`; what is no such thing was not said.
    pub fn read(query: &str) -> Self {
        let mut read = Self { page: 1, ..Self::default() };
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            let text = || Some(value.trim().to_owned()).filter(|text| !text.is_empty());
            match &*name {
                "page" => read.page = value.parse().ok().filter(|page| *page > 0).unwrap_or(1),
                "state" => read.sought.state = StateFilter::named(&value),
                "project" => read.sought.project = text(),
                "search" => read.sought.text = text(),
                _ => {}
            }
        }
        read
    }

    /// The address of one page of the same.
    fn address(&self, lang: Lang, page: usize) -> String {
        let mut query = form_urlencoded::Serializer::new(String::new());
        let WorkflowFilter { state, project, text } = &self.sought;
        let state = state.map(StateFilter::name);
        for (name, value) in [("state", state), ("project", project.as_deref()), ("search", text.as_deref())]
        {
            if let Some(value) = value {
                query.append_pair(name, value);
            }
        }
        if page > 1 {
            query.append_pair("page", &page.to_string());
        }
        query.append_pair("lang", lang.code());
        site::address(format_args!("/workflows?{}", query.finish()))
    }
}

/// Renders the workflows `list`, which are those that `query` looks for.
pub fn render_workflows(
    lang: Lang,
    query: &WorkflowsQuery,
    list: &ListPage,
    elsewhere: OtherPages,
    assets: Assets,
) -> RenderedPage {
    let words = lang.workflows();
    let page = query.page;
    let open = u32::try_from(list.waiting).unwrap_or(u32::MAX);
    render_counted(lang, words.title, assets, STYLE, open, || {
        let rows = list.workflows.iter().map(|listed| Row(lang, words, listed)).collect_view();
        let is_filtered = !query.sought.is_everything();
        let is_empty = list.workflows.is_empty() && page == 1;
        let is_missed = is_empty && is_filtered;
        let is_none = is_empty && !is_filtered;
        let (heading, lead) =
            if is_none { (words.none, words.none_hint) } else { (words.workflows, words.lead) };
        let nothing = is_missed.then(|| {
            let all = (WorkflowsQuery::default().address(lang, 1), words.show_all);
            Nothing(words.none_found, "", Some(all))
        });
        let say = if list.waiting > 0 { words.waiting(list.waiting) } else { String::new() };
        let filter = (is_filtered || !is_empty || page > 1).then(|| Filter(lang, words, query, list));
        let unscripted = Reload(filter.is_some().then(|| query.address(lang, page)), words.reload);
        view! {
            <Masthead lang here=CurrentPage::Workflows(query.address(lang.other(), page)) elsewhere />
            <p id="not-live" class="notice" role="status" hidden>
                {words.not_live}
            </p>
            <p id="heard" class="unseen" role="status"></p>
            <main id="workflows" data-seq=list.seq.to_string() data-say=say tabindex="-1">
                <div id="list-heading" class="heading" class:nothing=is_none data-live>
                    <h1>{heading}</h1>
                    <p class="lead">{WithCode(lead)}</p>
                </div>
                {filter}
                <div id="list" data-live>
                    <ol class="rows">{rows}</ol>
                    {nothing}
                    {Pages(lang, page, list.has_more, &|page| query.address(lang, page))}
                </div>
            </main>
            <noscript>{unscripted}</noscript>
            <script nonce=use_nonce()>{follow::script("")}</script>
        }
    })
}

/// To look for some of them, without script.
#[expect(non_snake_case, reason = "it is a component in all but the macro")]
fn Filter(
    lang: Lang,
    words: &'static WorkflowTexts,
    query: &WorkflowsQuery,
    list: &ListPage,
) -> impl IntoView + use<> {
    let WorkflowFilter { state, project, text } = &query.sought;
    let named = |standing: StateFilter| match standing {
        StateFilter::Active => words.active,
        StateFilter::Waiting => words.waits,
        StateFilter::Interrupted => words.interrupted_word,
        StateFilter::Cancelled => words.cancelled,
        StateFilter::Phase(phase) => words.phase(phase),
    };
    let offered = [
        StateFilter::Active,
        StateFilter::Waiting,
        StateFilter::Interrupted,
        StateFilter::Phase(WorkflowState::Paused),
        StateFilter::Phase(WorkflowState::Completed),
        StateFilter::Phase(WorkflowState::Failed),
        StateFilter::Cancelled,
    ];
    let other = state.filter(|state| !offered.contains(state));
    let states = offered.into_iter().chain(other).map(|standing| {
        view! {
            <option value=standing.name() selected=*state == Some(standing)>
                {capitalised(named(standing))}
            </option>
        }
    });
    let states: Vec<_> = states.collect();
    let projects = ProjectFilter(words.any_project, list.projects.clone(), project.as_ref());
    let all = (!query.sought.is_everything()).then(|| {
        let href = WorkflowsQuery::default().address(lang, 1);
        view! { <a id="show-all" href=href>{words.show_all}</a> }
    });
    view! {
        <form id="filter" class="filter" method="get" action=site::address("/workflows") role="search">
            <input type="hidden" name="lang" value=lang.code() />
            <input id="search" type="search" name="search" value=text.clone().unwrap_or_default() aria-label=words.search placeholder=words.search />
            <select id="filter-state" name="state" aria-label=words.any_state>
                <option value="">{words.any_state}</option>
                {states}
            </select>
            {projects}
            <button type="submit">{words.search}</button>
            {all}
        </form>
    }
}

/// A word as it begins a choice of its own; Chinese has no capitals.
fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// The state of a workflow, as it is drawn: one that was cancelled has not failed, one that is interrupted does not go on, and one
/// that asks waits for the user, whatever phase it is in.
fn mark(words: &WorkflowTexts, listed: &ListedWorkflow) -> (&'static str, &'static str) {
    let workflow = &listed.summary;
    if workflow.cancelled == Some(true) {
        ("cancelled", words.cancelled)
    } else if workflow.interrupted == Some(true) {
        ("paused", words.interrupted_word)
    } else if listed.waiting > 0 {
        (WorkflowState::WaitUserDecision.name(), words.waits)
    } else {
        (workflow.fsm_state.name(), words.phase(workflow.fsm_state))
    }
}

#[expect(non_snake_case, reason = "it is a component in all but the macro")]
fn Row(lang: Lang, words: &'static WorkflowTexts, listed: &ListedWorkflow) -> impl IntoView + use<> {
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
    let (state, word) = mark(words, listed);
    let project = workflow.project_path.as_deref().and_then(|root| root.rsplit('/').next());
    let project = project.map(|name| view! { " · " <code>{name.to_owned()}</code> });
    view! {
        <li>
            <a id=format!("workflow-{}", workflow.id) class="chosen" href=href>
                {clipped(title, SHORT).into_owned()}
            </a>
            " "
            {Mark(state, word)}
            <p class="about">
                <code>{workflow.id.clone()}</code>
                {project}
                {progress}
                {note(listed.waiting, words.waiting(listed.waiting), "waiting")}
                {note(failed, words.failed(failed), "failed")}
                " · "
                {LocalTime(&workflow.updated_at)}
            </p>
        </li>
    }
}

#[cfg(test)]
mod tests {
    use super::WorkflowsQuery;
    use texts::Lang;

    #[test]
    fn what_is_looked_for_survives_its_address() {
        let read = |query: &str| WorkflowsQuery::read(query).address(Lang::En, 1);
        let all = "state=failed&project=%2Fshop&search=a+b&lang=en";
        assert_eq!(read(all), format!("/workflows?{all}"));
        assert_eq!(read("state=none&project=+&search=&page=x"), "/workflows?lang=en");
        assert_eq!(WorkflowsQuery::read("page=3").address(Lang::Zh, 3), "/workflows?page=3&lang=zh");
    }
}
