//! All sets of questions that are open, where there are several. The page is whole as it is served; a few lines of script
//! look whether something has changed, and then show it.

use super::document::{Assets, Rendered, render_counted};
use super::live;
use super::masthead::{Elsewhere, Here, Masthead};
use super::time::today;
use crate::Form;
use leptos::nonce::use_nonce;
use leptos::prelude::*;
use std::sync::Arc;
use store::Project;
use texts::{InboxTexts, Lang, fill};

const STYLE: &str = include_str!("../../../style/inbox.css");

/// Names what the inbox shows of `forms`, so that a change of it is seen.
pub fn inbox_version(forms: &[Arc<Form>]) -> String {
    let line = |form: &Arc<Form>| format!("{} {}", form.id(), form.draft_saved_at().unwrap_or_default());
    forms.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// Renders the sets `forms`, the oldest first. `project` is where the server was started, if it was in one.
pub fn render_inbox(
    lang: Lang,
    (project, elsewhere): (Option<&Project>, Elsewhere),
    forms: &[Arc<Form>],
    assets: Assets,
) -> Rendered {
    let words = lang.inbox();
    let count = forms.len();
    render_counted(lang, words.title, assets, STYLE, u32::try_from(count).unwrap_or(u32::MAX), || {
        let version = inbox_version(forms);
        let sets = forms.iter().map(|form| Set(lang, words, form, project)).collect_view();
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
            </main>
            <noscript>
                <meta http-equiv="refresh" content="5" />
            </noscript>
            <script nonce=use_nonce()>{live::script("/inbox/version", "inbox")}</script>
        }
    })
}

#[expect(non_snake_case, reason = "it is a component in all but the macro")]
fn Set(
    lang: Lang,
    words: &'static InboxTexts,
    form: &Form,
    project: Option<&Project>,
) -> impl IntoView + use<> {
    let (pending, input) = (form.pending(), form.questions().input());
    let total = input.items.iter().filter(|item| item.needs_choice()).count();
    let done = total.saturating_sub(form.draft().open_items(input).len());
    let begun = (done > 0).then(|| {
        let (done, total) = (done.to_string(), total.to_string());
        view! { " · " <strong>{fill(words.begun, &[("done", &done), ("total", &total)])}</strong> }
    });
    let deadline = pending.deadline.as_deref().map(|deadline| {
        let time = today(deadline, &store::now());
        view! { " · " <strong>{fill(words.deadline, &[("time", &time)])}</strong> }
    });
    // Which project it is about is said where there is another one.
    let root = (Some(form.project()) != project).then(|| {
        let name = form.project().root().file_name().unwrap_or_default().to_string_lossy().into_owned();
        view! { <code>{name}</code> " · " }
    });
    let origin = (!pending.origin.is_decide()).then(|| {
        view! { <p class="about">{words.origin(&pending.origin)}</p> }
    });
    let asked = pending.created_at.clone();
    let asked = view! { <time datetime=asked.clone()>{today(&asked, &store::now())}</time> };
    let task = if model::is_blank(&input.task) { form.session().to_string() } else { input.task.clone() };
    let id = form.id();
    view! {
        <li>
            <a id=format!("set-{id}") href=format!("/d/{id}?lang={}", lang.code())>
                {task}
            </a>
            {origin}
            <p class="about">
                {root} {input.source.clone()} " · " {lang.history().items(input.items.len())} " · " {words.asked_at}
                {asked} {begun} {deadline}
            </p>
        </li>
    }
}
