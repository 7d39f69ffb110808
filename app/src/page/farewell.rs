//! How the questions ended: a page after which nothing needs the server again, or the same in the place of the form.

use super::document::{Assets, Rendered, render};
use super::form::title as form_title;
use super::markup::{IntoMarkup, Markup};
use crate::site;
use crate::{ChosenItem, Form, Hall};
use leptos::prelude::*;
use model::{Ending, Origin};
use texts::{Lang, PageTexts, fill};

/// How the decision came about, for the person who reads the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Farewell {
    /// These are the answers of this page.
    Decided,
    /// Another submission was first.
    DecidedElsewhere,
}

/// Where whoever is done with some questions goes on.
#[derive(Debug, Clone)]
pub struct NextSet {
    way: Way,
    /// The workflow that asked, where it has a page.
    workflow: Option<String>,
}

#[derive(Debug, Clone)]
enum Way {
    /// To others that are open.
    Open {
        /// Where they are.
        address: String,
        /// What they are about.
        task: String,
        /// Who asks.
        origin: Origin,
        /// How many sets are open.
        count: usize,
    },
    /// To where those appear that are asked next.
    Inbox,
}

impl NextSet {
    /// What comes after `form` in `hall`; `None` where nothing does, and the server is about to end.
    pub fn after(hall: &Hall, form: &Form) -> Option<Self> {
        let way = match hall.next_after(form.id()) {
            Some((next, count)) => {
                let task = next.questions().input().task.clone();
                let origin = next.pending().origin.clone();
                Way::Open { address: site::address(format_args!("/d/{}", next.id())), task, origin, count }
            }
            None if hall.project().is_none() => Way::Inbox,
            None => return None,
        };
        let workflow = match &form.pending().origin {
            Origin::Workflow { workflow, .. } if hall.elsewhere().has_workflows => workflow.clone(),
            _ => None,
        };
        Some(Self { way, workflow })
    }

    /// The way on.
    pub(super) fn link(self, lang: Lang) -> Markup {
        let (words, code) = (lang.inbox(), lang.code());
        let workflow = self.workflow.map(|workflow| {
            let address = site::address(format_args!("/workflows/{workflow}?lang={code}"));
            view! {
                <p>
                    <a id="next-workflow" href=address>
                        "← "
                        {words.to_workflow}
                    </a>
                </p>
            }
        });
        let (id, address, name, rest) = match self.way {
            Way::Open { address, task, origin, count } => (
                "next-set",
                format!("{address}?lang={code}"),
                fill(words.next, &[("task", &lang.task(&task, &origin))]),
                words.waiting(count),
            ),
            Way::Inbox => (
                "next-inbox",
                site::address(format_args!("/?lang={code}")),
                words.inbox.to_owned(),
                words.none.to_owned(),
            ),
        };
        view! {
            <p class="next">
                <a id=id class="button" href=address>
                    {name}
                </a>
                " "
                {rest}
            </p>
            {workflow}
        }
        .into_markup()
    }
}

/// Renders the result of the questions `form` that stands, with a way on to the `next` ones.
pub fn render_farewell(
    lang: Lang,
    form: &Form,
    farewell: Farewell,
    chosen: Vec<ChosenItem>,
    next: Option<NextSet>,
    assets: Assets,
) -> Rendered {
    let words = lang.page();
    let next = next.map(|next| next.link(lang));
    let (title, hint) = heading(words, farewell);
    render(lang, &form_title(form, lang), assets, || {
        view! {
            <main>
                <Summary words title hint=hint.to_owned() chosen next news=() />
                {SeeAgain(words, form)}
            </main>
        }
    })
}

/// How to come back to a result. The server ends with it, so there is nothing that a link could lead to. On the page of
/// the form it is hidden until there is a result.
#[expect(non_snake_case, reason = "it is a component in all but the macro")]
pub(super) fn SeeAgain(words: &'static PageTexts, form: &Form) -> impl IntoView + use<> {
    let (one, all) = match &form.pending().origin {
        Origin::Workflow { .. } => ("aide workflow decision list --all".to_owned(), "aide workflow events"),
        _ => (format!("aide decide show {}", form.session()), "aide decide list"),
    };
    view! {
        <p class="see-again">
            {words.see_again} " " <code>{one}</code> " · " {words.see_all} " " <code>{all}</code>
        </p>
    }
}

/// The result that stands, as the part of a page that is open already.
pub(crate) fn decided_html(
    lang: Lang,
    farewell: Farewell,
    chosen: Vec<ChosenItem>,
    next: Option<NextSet>,
) -> String {
    let (title, hint) = heading(lang.page(), farewell);
    part(lang, title, hint.to_owned(), chosen, farewell == Farewell::Decided, next)
}

/// How the questions ended without an answer, as the part of a page that is open already.
pub(crate) fn closed_html(lang: Lang, ending: &Ending) -> String {
    let words = lang.page();
    let (title, hint) = match ending {
        Ending::Returned(returned) => {
            (words.returned, fill(words.returned_elsewhere, &[("message", &returned.message)]))
        }
        Ending::Expired(_) => (words.expired, words.expired_hint.to_owned()),
        _ => (words.cancelled, words.cancelled_hint.to_owned()),
    };
    part(lang, title, hint, Vec::new(), false, None)
}

fn heading(words: &'static PageTexts, farewell: Farewell) -> (&'static str, &'static str) {
    match farewell {
        Farewell::Decided => (words.decided, ""),
        Farewell::DecidedElsewhere => (words.decided_elsewhere, words.decided_elsewhere_hint),
    }
}

/// `is_own` is whether this page has ended the questions: another one may hold words that nobody will read.
fn part(
    lang: Lang,
    title: &'static str,
    hint: String,
    chosen: Vec<ChosenItem>,
    is_own: bool,
    next: Option<NextSet>,
) -> String {
    let words = lang.page();
    let next = next.map(|next| next.link(lang));
    // Shown by the script, when there is something to them.
    let news = view! {
        <p class="news">
            <a id="new-questions" class="button" href="" hidden>
                {words.new_questions}
            </a>
            <button type="button" id="notify-btn" hidden>
                {words.notify}
            </button>
        </p>
    };
    // The script puts them here.
    let unsent = (!is_own).then(|| {
        view! {
            <div id="unsent" hidden>
                <p>{words.unsent}</p>
            </div>
        }
    });
    view! { <Summary words title hint chosen next news=(news, unsent) /> }.to_html()
}

/// What has become of the questions, and every one that was answered with its answer. An empty hint is not shown.
#[component]
fn Summary(
    words: &'static PageTexts,
    title: &'static str,
    hint: String,
    chosen: Vec<ChosenItem>,
    /// The way on, where there is one.
    next: Option<Markup>,
    /// What else there is to do.
    news: impl IntoView,
) -> impl IntoView {
    let entries = chosen.into_iter().map(|item| {
        let note = (!item.note.is_empty()).then(|| {
            let note = fill(words.note_of, &[("note", &item.note)]);
            view! { <dd class="chosen-note">{note}</dd> }
        });
        view! {
            <div>
                <dt>{item.title}</dt>
                <dd class="chosen">{item.label}</dd>
                {note}
            </div>
        }
    });
    view! {
        <section id="success" class="farewell" role="status" tabindex="-1">
            <h1>{title}</h1>
            {(!hint.is_empty()).then(|| view! { <p class="hint">{hint}</p> })}
            {next.unwrap_or_else(|| view! { <p class="close">{words.close}</p> }.into_markup())}
            {news}
            <dl class="summary">{entries.collect_view()}</dl>
        </section>
    }
}
