//! The head of a page: where else there is something to see, and in which language.

use crate::html::markup::IntoMarkup;
use crate::site;
use crate::{OtherPages, room_path};
use leptos::prelude::*;
use model::form;
use texts::Lang;

/// The page below the masthead.
#[derive(Debug, Clone)]
pub(super) enum CurrentPage {
    /// Open questions, at their own address.
    Form(String),
    /// The answers to them, before they are sent; the address of the questions.
    Review(String),
    /// Open questions; the address of the same ones in the other language.
    Inbox(String),
    /// A page of the history; its own address in the other language.
    History(String),
    /// The page of the task; its own address in the other language.
    Flow(String),
    /// All plans.
    Plans,
    /// One of them; its own address in the other language.
    Plan(String),
    /// A page of all workflows; its own address in the other language.
    Workflows(String),
    /// One of them; its own address in the other language.
    Workflow(String),
    /// Nothing of what there is; its address is that of this page, whatever it is.
    Lost,
    /// The same before the user has logged in: the other pages are not open yet.
    Outside,
}

/// The name of the program, and the ways to the other pages.
#[component]
pub(super) fn Masthead(lang: Lang, here: CurrentPage, elsewhere: OtherPages) -> impl IntoView {
    let words = lang.history();
    let (code, other) = (lang.code(), lang.other());
    // The form is left by buttons that keep what was given; a link would lose it, until a script is awake that keeps it.
    let hidden_until_woken = matches!(here, CurrentPage::Form(_) | CurrentPage::Review(_));
    let before = room_path(&elsewhere.room);
    let history = elsewhere.has_history.then(|| (format!("{before}/history?lang={code}"), words.history));
    let questions = (site::address(format_args!("/?lang={code}")), words.questions);
    let inbox =
        (elsewhere.waiting > 0).then(|| (site::address(format_args!("/?lang={code}")), lang.inbox().inbox));
    let flow = elsewhere.has_task.then(|| (format!("{before}/flow?lang={code}"), lang.flow().flow));
    let plans =
        elsewhere.has_plans.then(|| (site::address(format_args!("/plans?lang={code}")), lang.plans().plans));
    let workflows = elsewhere
        .has_workflows
        .then(|| (site::address(format_args!("/workflows?lang={code}")), lang.workflows().workflows));
    let (elsewhere, same_in_other) = match here {
        CurrentPage::Form(path) | CurrentPage::Review(path) => {
            ([inbox, history, flow, plans, workflows], format!("{path}?lang={}", other.code()))
        }
        CurrentPage::Inbox(address) => ([history, flow, plans, workflows, None], address),
        CurrentPage::History(address) => ([Some(questions), flow, plans, workflows, None], address),
        CurrentPage::Flow(address) => ([Some(questions), history, plans, workflows, None], address),
        CurrentPage::Plans => (
            [Some(questions), history, flow, workflows, None],
            site::address(format_args!("/plans?lang={}", other.code())),
        ),
        CurrentPage::Plan(address) => ([Some(questions), history, flow, plans, workflows], address),
        CurrentPage::Workflows(address) => ([Some(questions), history, flow, plans, None], address),
        CurrentPage::Workflow(address) => ([Some(questions), workflows, history, flow, plans], address),
        CurrentPage::Lost => {
            ([Some(questions), workflows, history, flow, plans], format!("?lang={}", other.code()))
        }
        CurrentPage::Outside => ([None, None, None, None, None], format!("?lang={}", other.code())),
    };
    let elsewhere: Vec<_> = elsewhere
        .into_iter()
        .flatten()
        .map(|(address, name)| {
            view! {
                <a class="history" href=address>
                    {name}
                </a>
            }
        })
        .collect();
    view! {
        <header class="masthead">
            <p class="brand">"Aide"</p>
            <nav aria-label=words.navigation class:woken=hidden_until_woken>
                {elsewhere}
                <a class="language" href=same_in_other hreflang=other.html_lang() lang=other.html_lang()>
                    {lang.page().other_language}
                </a>
            </nav>
        </header>
    }
}

/// Ways out of the form where no script keeps what was typed: it is posted and kept; `stay` is the action that shows the
/// page again, `address` where the form is sent. The last buttons of the form, so that Enter never means these; the style
/// sheet puts them in the place of the masthead's links.
#[component]
pub(super) fn FormNavigation(
    lang: Lang,
    stay: &'static str,
    waiting: usize,
    has_history: bool,
    #[prop(default = site::address("/submit"))] address: String,
) -> impl IntoView {
    let other = lang.other();
    let in_lang = |lang: Lang| format!("{address}?lang={}", lang.code());
    let way = |action: &'static str, name: &'static str| {
        view! {
            <button
                class="history"
                type="submit"
                name=form::ACTION
                value=action
                formaction=in_lang(lang)
            >
                {name}
            </button>
        }
    };
    // Nothing that is not there leaves a trace in the page.
    let history = |there: bool| there.then(|| way(form::HISTORY, lang.history().history));
    let ways = match (waiting > 0, history(has_history)) {
        (true, Some(history)) => view! { {way(form::INBOX, lang.inbox().inbox)} {history} }.into_markup(),
        (true, None) => way(form::INBOX, lang.inbox().inbox).into_markup(),
        (false, Some(history)) => history.into_markup(),
        (false, None) => ().into_markup(),
    };
    view! {
        <div class="elsewhere plain">
            {ways}
            <button
                class="language"
                type="submit"
                name=form::ACTION
                value=stay
                formaction=in_lang(other)
                lang=other.html_lang()
            >
                {lang.page().other_language}
            </button>
        </div>
    }
}
