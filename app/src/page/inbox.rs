//! All sets of questions that are open, where there are several. The page is whole as it is served; a few lines of script
//! look whether something has changed, and then show it.

use super::document::{Assets, RenderedPage, render_counted};
use super::live;
use super::masthead::{CurrentPage, Masthead};
use super::pages::PageLinks;
use super::parts::{Nothing, ProjectFilter, Reload};
use super::time::today;
use crate::hall::{InboxPage, age};
use crate::inbox_query::{InboxQuery, InboxState};
use crate::site;
use crate::{Form, OtherPages, ProjectRoom, room_path};
use leptos::nonce::use_nonce;
use leptos::prelude::*;
use std::path::Path;
use store::Project;
use texts::{InboxTexts, Lang, fill};

const STYLE: &str =
    concat!(include_str!("../../../style/filter.css"), include_str!("../../../style/inbox.css"));

/// Renders `shown`, which is what `query` looks for. `home` is where the server was started, if it was in a project; else it has
/// the projects `rooms`.
pub fn render_inbox(
    lang: Lang,
    home: Option<&Project>,
    rooms: &[ProjectRoom],
    elsewhere: OtherPages,
    shown: &InboxPage,
    query: &InboxQuery,
    assets: Assets,
) -> RenderedPage {
    let words = lang.inbox();
    // How much waits is said of all.
    let open = u32::try_from(shown.open).unwrap_or(u32::MAX);
    render_counted(lang, words.title, assets, STYLE, open, || {
        let is_filtered = !query.is_for_all();
        let count = shown.found;
        let filter = (is_filtered || shown.open > 1)
            .then(|| Filter(lang, words, shown.projects.iter().cloned().collect(), query));
        let is_missed = is_filtered && count == 0;
        let (heading, lead) = match count {
            _ if is_missed => (words.inbox.to_owned(), words.lead),
            0 => (words.open(count), words.none_hint),
            _ => (words.open(count), words.lead),
        };
        let nothing = is_missed.then(|| {
            let all = (InboxQuery::default().address(lang), words.show_all);
            Nothing(words.none_found, "", Some(all))
        });
        let sets = shown.forms.iter().map(|form| Set(lang, words, form, home)).collect_view();
        let page = shown.page;
        let labels = (words.earlier, words.later);
        let pages = PageLinks(lang, page, shown.has_later, labels, &|page| query.on_page(page).address(lang));
        let version = site::address(format_args!("/inbox/version?{}", query.to_text(lang)));
        let projects = home.is_none().then(|| Projects(lang, words, rooms));
        let unscripted = Reload(filter.is_some().then(|| query.address(lang)), words.reload);
        view! {
            <Masthead lang here=CurrentPage::Inbox(query.address(lang.other())) elsewhere />
            <p id="not-live" class="notice" role="status" hidden>
                {words.not_live}
            </p>
            <main id="inbox" data-version=shown.version.clone()>
                <div id="inbox-heading" class="heading" data-live>
                    <h1 aria-live="polite">{heading}</h1>
                    <p class="lead">{lead}</p>
                </div>
                // What is written there stays when the list changes.
                {filter}
                <div id="inbox-list" data-live>
                    <ol class="sets">{sets}</ol>
                    {nothing}
                    {pages}
                    {projects}
                </div>
            </main>
            <noscript>{unscripted}</noscript>
            <script nonce=use_nonce()>{live::script(&version, "inbox")}</script>
        }
    })
}

/// To look for some of them, without script.
#[expect(non_snake_case, reason = "it is a component in all but the macro")]
fn Filter(
    lang: Lang,
    words: &'static InboxTexts,
    projects: Vec<String>,
    query: &InboxQuery,
) -> impl IntoView + use<> {
    let projects = ProjectFilter(words.any_project, projects, query.project.as_ref());
    let states = InboxState::ALL.map(|state| {
        view! {
            <option value=state.name() selected=query.state == Some(state)>
                {state.words(words)}
            </option>
        }
    });
    let all = (!query.is_for_all()).then(|| {
        let href = InboxQuery::default().address(lang);
        view! { <a id="show-all" href=href>{words.show_all}</a> }
    });
    let search = query.search.clone().unwrap_or_default();
    view! {
        <form id="filter" class="filter" method="get" action=site::address("/") role="search">
            <input type="hidden" name="lang" value=lang.code() />
            <input id="search" type="search" name="search" value=search aria-label=words.search placeholder=words.search />
            <select id="filter-state" name="state" aria-label=words.any_state>
                <option value="">{words.any_state}</option>
                {states.into_iter().collect_view()}
            </select>
            {projects}
            <button type="submit">{words.search}</button>
            {all}
        </form>
    }
}

#[expect(non_snake_case, reason = "it is a component in all but the macro")]
fn Set(lang: Lang, words: &'static InboxTexts, form: &Form, home: Option<&Project>) -> impl IntoView + use<> {
    let (pending, input) = (form.pending(), &*lang.questions(form.questions().input()));
    let total = input.items.iter().filter(|item| item.needs_choice()).count();
    let done = total.saturating_sub(form.draft().open_items(input).len());
    let begun = (done > 0).then(|| {
        view! { " · " <strong>{words.begun(done, total, total < input.items.len())}</strong> }
    });
    let now = store::now();
    let deadline = pending.deadline.as_deref().map(|deadline| {
        let time = today(deadline, &now);
        view! { " · " <strong>{fill(words.deadline, &[("time", &time)])}</strong> }
    });
    // Which project it is about is said where there is another one.
    let project = form.project().filter(|project| Some(*project) != home);
    let project = project.map(|project| view! { <code>{folder_name(project.root())}</code> " · " });
    // What a workflow asks is one question, whose source is the name of the workflow: the question says more than the task.
    let question = input.items.first().filter(|_| pending.origin.is_workflow()).map(|item| &item.title);
    let origin = (!pending.origin.is_decide()).then(|| {
        let task = question.filter(|question| **question != input.task).map(|_| format!(" · {}", input.task));
        view! { <p class="about">{words.origin(&pending.origin)} {task}</p> }
    });
    let source = question.is_none().then(|| view! { {input.source.clone()} " · " });
    let asked = pending.created_at.clone();
    let age = age(form, &now).filter(|age| *age > 0).map(|age| words.ago(lang, age));
    let asked = view! { <time datetime=asked.clone()>{today(&asked, &now)}</time> {age} };
    let title = question.unwrap_or(&input.task);
    let title = if model::is_blank(title) { form.session().to_string() } else { title.clone() };
    let id = form.id();
    view! {
        <li>
            <a id=format!("set-{id}") href=site::address(format_args!("/d/{id}?lang={}", lang.code()))>
                {title}
            </a>
            {origin}
            <p class="about">
                {project} {source} {lang.history().items(input.items.len())} " · " {words.asked_at} {asked} {begun}
                {deadline}
            </p>
        </li>
    }
}

/// The ways to what was decided, and to what is done, in each project.
#[expect(non_snake_case, reason = "it is a component in all but the macro")]
fn Projects(lang: Lang, words: &'static InboxTexts, rooms: &[ProjectRoom]) -> impl IntoView + use<> {
    let code = lang.code();
    let lines = rooms.iter().map(|room| {
        let (before, root) = (room_path(&room.name), room.project.root());
        let task = room.project.has_task().then(|| {
            view! { " · " <a href=format!("{before}/flow?lang={code}")>{lang.flow().flow}</a> }
        });
        view! {
            <li>
                <strong>{folder_name(root)}</strong>
                " "
                <a href=format!("{before}/history?lang={code}")>{lang.history().history}</a>
                {task}
                <p class="about">{root.display().to_string()}</p>
            </li>
        }
    });
    let lines: Vec<_> = lines.collect();
    (!lines.is_empty()).then(|| {
        view! {
            <section class="projects">
                <h2>{words.projects}</h2>
                <ul>{lines}</ul>
            </section>
        }
    })
}

fn folder_name(root: &Path) -> String {
    root.file_name().unwrap_or(root.as_os_str()).to_string_lossy().into_owned()
}
