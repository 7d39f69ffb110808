//! All sets of questions that are open, where there are several. The page is whole as it is served; a few lines of script
//! look whether something has changed, and then show it.

use super::document::{Assets, Rendered, render_counted};
use super::live;
use super::masthead::{Elsewhere, Here, Masthead};
use super::time::today;
use crate::site;
use crate::{Form, ProjectRoom, room_path};
use leptos::nonce::use_nonce;
use leptos::prelude::*;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::Path;
use std::sync::Arc;
use store::{Project, seconds_between};
use texts::{InboxTexts, Lang, fill};

const STYLE: &str = include_str!("../../../style/inbox.css");

/// Names what the inbox shows of `forms`, so that a change of it is seen.
pub fn inbox_version(forms: &[Arc<Form>]) -> String {
    // The same in every run of the program: a page may be older than the server.
    let mut hasher = DefaultHasher::new();
    let now = store::now();
    for form in forms {
        (form.id().to_string(), form.draft_saved_at(), age(form, &now)).hash(&mut hasher);
    }
    format!("{:016x}", hasher.finish())
}

/// How long ago a set was asked, in seconds: whole minutes, from an hour on whole hours, from a day on whole days. What a
/// person is told changes as rarely.
fn age(form: &Form, now: &str) -> Option<u64> {
    let seconds = seconds_between(&form.pending().created_at, now)?;
    let unit = [86_400, 3_600].into_iter().find(|unit| seconds >= *unit).unwrap_or(60);
    Some(seconds / unit * unit)
}

/// Renders the sets `forms`, the oldest first. `home` is where the server was started, if it was in a project; else it has
/// the projects `rooms`.
pub fn render_inbox(
    lang: Lang,
    home: Option<&Project>,
    rooms: &[ProjectRoom],
    elsewhere: Elsewhere,
    forms: &[Arc<Form>],
    assets: Assets,
) -> Rendered {
    let words = lang.inbox();
    let count = forms.len();
    render_counted(lang, words.title, assets, STYLE, u32::try_from(count).unwrap_or(u32::MAX), || {
        let version = inbox_version(forms);
        let sets = forms.iter().map(|form| Set(lang, words, form, home)).collect_view();
        let projects = home.is_none().then(|| Projects(lang, words, rooms));
        view! {
            <Masthead lang here=Here::Inbox elsewhere />
            <p id="not-live" class="notice" role="status" hidden>
                {words.not_live}
            </p>
            <main id="inbox" data-version=version>
                <div class="heading">
                    <h1 aria-live="polite">{words.open(count)}</h1>
                    <p class="lead">{if count == 0 { words.none_hint } else { words.lead }}</p>
                </div>
                <ol class="sets">{sets}</ol>
                {projects}
            </main>
            <noscript>
                <meta http-equiv="refresh" content="5" />
            </noscript>
            <script nonce=use_nonce()>{live::script(&site::address("/inbox/version"), "inbox")}</script>
        }
    })
}

#[expect(non_snake_case, reason = "it is a component in all but the macro")]
fn Set(lang: Lang, words: &'static InboxTexts, form: &Form, home: Option<&Project>) -> impl IntoView + use<> {
    let (pending, input) = (form.pending(), form.questions().input());
    let total = input.items.iter().filter(|item| item.needs_choice()).count();
    let done = total.saturating_sub(form.draft().open_items(input).len());
    let begun = (done > 0).then(|| {
        let (done, total) = (done.to_string(), total.to_string());
        view! { " · " <strong>{fill(words.begun, &[("done", &done), ("total", &total)])}</strong> }
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
