//! How a set of questions ended, as a part of a page: of one of its own, or of the page that shows the form.

use crate::html::markup::{IntoMarkup, Markup};
use crate::site;
use crate::{ChosenItem, Form, Hall, SetId};
use decide::Halt;
use leptos::prelude::*;
use model::{DecideOutput, Ending, Origin, form};
use std::time::Duration;
use store::Delivery;
use texts::{Lang, PageTexts, fill};

/// How the decision came about, for the person who reads the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResultPage {
    /// These are the answers of this page.
    Decided,
    /// The same, and so many items were left for later.
    DecidedInPart(usize),
    /// Another submission was first.
    DecidedElsewhere,
}

impl ResultPage {
    /// That of the page whose answers have led to `ending`.
    pub fn from_ending(ending: &Ending) -> Self {
        match ending {
            Ending::Decided(DecideOutput { open: Some(open), .. }) => Self::DecidedInPart(open.items.len()),
            _ => Self::Decided,
        }
    }
}

/// Where the user continues after finishing some questions.
#[derive(Debug, Clone)]
pub struct NextSet {
    way: NextLink,
    /// The workflow that asked, where it has a page.
    workflow: Option<String>,
    /// Why that does not continue by itself.
    halt: Option<Halt>,
}

#[derive(Debug, Clone)]
enum NextLink {
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
    /// To what was left for later of the same questions.
    Remainder {
        /// Where it is, or will be once the answers cannot be taken back any more.
        address: String,
        /// How many other sets are open.
        others: usize,
    },
    /// To where those appear that are asked next.
    Inbox,
}

impl NextSet {
    /// What comes after `form` in `hall`; `None` where nothing does, and the server is about to end.
    pub fn after(hall: &Hall, form: &Form) -> Option<Self> {
        let way = match Self::remainder(hall, form) {
            Some(remainder) => remainder,
            None => match hall.next_after(form.id()) {
                Some((next, count)) => {
                    let task = next.questions().input().task.clone();
                    let origin = next.pending().origin.clone();
                    let address = site::address(format_args!("/d/{}", next.id()));
                    NextLink::Open { address, task, origin, count }
                }
                None if hall.project().is_none() => NextLink::Inbox,
                None => return None,
            },
        };
        let workflow = match &form.pending().origin {
            Origin::Workflow { workflow, .. } if hall.elsewhere().has_workflows => workflow.clone(),
            _ => None,
        };
        let halt = workflow.as_ref().and_then(|_| form.halt());
        Some(Self { way, workflow, halt })
    }

    /// The way to what was left for later, where a part of `form` was answered.
    fn remainder(hall: &Hall, form: &Form) -> Option<NextLink> {
        let left = form.remainder().map(|left| SetId::new(form.id().room(), left));
        let address = match &left {
            Some(left) => site::address(format_args!("/d/{left}")),
            // It has no name yet.
            None => match ResultPage::from_ending(&form.held()?) {
                ResultPage::DecidedInPart(_) => site::address("/"),
                _ => return None,
            },
        };
        let open = hall.open();
        let others = open.iter().filter(|set| *set != form.id() && Some(*set) != left.as_ref());
        Some(NextLink::Remainder { address, others: others.count() })
    }

    /// The way on, for a page of its own.
    pub(crate) fn link(self, lang: Lang) -> Markup {
        let (resume, rest) = self.parts(lang);
        let resume = resume.map(|resume| view! { <form method="post">{resume}</form> });
        view! { {resume} {rest} }.into_markup()
    }

    /// The same for the place of the form, within its element: forms do not nest.
    fn link_in_form(self, lang: Lang) -> Markup {
        let (resume, rest) = self.parts(lang);
        view! { {resume} {rest} }.into_markup()
    }

    /// A button that resumes the workflow, where it needs that, and the links.
    fn parts(self, lang: Lang) -> (Option<Markup>, Markup) {
        let (words, code) = (lang.inbox(), lang.code());
        let workflow = self
            .workflow
            .map(|workflow| (site::address(format_args!("/workflows/{workflow}?lang={code}")), self.halt));
        let resume = workflow.as_ref().and_then(|(address, halt)| {
            let (action, hint) = match (*halt)? {
                Halt::Paused => ("resume", words.paused_hint),
                Halt::Interrupted => ("resume-interrupted", words.interrupted_hint),
            };
            let button = view! {
                <p class="next" id="halted">
                    <button type="submit" class="main" name=form::ACTION value=action formaction=address.clone()>
                        {lang.workflows().resume}
                    </button>
                    " "
                    {hint}
                </p>
            };
            Some(button.into_markup())
        });
        let workflow = workflow.map(|(address, _)| {
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
            NextLink::Open { address, task, origin, count } => (
                "next-set",
                format!("{address}?lang={code}"),
                fill(words.next, &[("task", &lang.task(&task, &origin))]),
                words.waiting(count),
            ),
            NextLink::Remainder { address, others } => (
                "next-set",
                format!("{address}?lang={code}"),
                words.remainder.to_owned(),
                if others == 0 { String::new() } else { words.waiting(others) },
            ),
            NextLink::Inbox => (
                "next-inbox",
                site::address(format_args!("/?lang={code}")),
                words.inbox.to_owned(),
                words.none.to_owned(),
            ),
        };
        let links = view! {
            <p class="next">
                <a id=id class="button" href=address>
                    {name}
                </a>
                " "
                {rest}
            </p>
            {workflow}
        };
        (resume, links.into_markup())
    }
}

/// That a submission can still be taken back.
#[derive(Debug, Clone)]
pub struct Undo {
    pub(crate) left: Duration,
    pub(crate) session: String,
}

impl Undo {
    /// That of what is held for `form`; `None` when that is nothing.
    pub fn for_form(form: &Form) -> Option<Self> {
        Some(Self { left: form.held_for()?, session: form.id().to_string() })
    }

    /// The style that takes the button away when it does nothing any more.
    pub(crate) fn style(left: Duration) -> String {
        let millis = left.as_millis();
        format!("#take-back{{animation:gone 0s {millis}ms forwards}}@keyframes gone{{to{{display:none}}}}")
    }

    /// The button, for a form that says which questions are meant.
    pub(crate) fn button(&self, words: &'static PageTexts) -> impl IntoView + use<> {
        // A part of a second is no promise.
        let seconds = self.left.as_secs_f64().round();
        view! {
            <p id="take-back">
                <button type="submit" name=form::ACTION value=form::TAKE_BACK>
                    {words.take_back}
                </button>
                <span>{fill(words.take_back_hint, &[("seconds", &seconds.to_string())])}</span>
            </p>
        }
    }
}

/// What became of the answer, where its asker is an agent that fetches it.
pub(crate) fn delivered(lang: Lang, form: &Form) -> Option<String> {
    let Origin::Mcp { client, .. } = &form.pending().origin else { return None };
    form.delivery().map(|delivery| lang.history().told_delivery(delivery, client))
}

/// That the session that asked has ended, on a page that says nothing else of the answer's way: it has only just begun.
pub(crate) fn asker_gone(lang: Lang, form: &Form) -> Option<String> {
    delivered(lang, form).filter(|_| form.delivery() == Some(Delivery::AskerGone))
}

/// The result that stands, as the part of a page that is open already.
pub(crate) fn decided_html(
    lang: Lang,
    farewell: ResultPage,
    chosen: Vec<ChosenItem>,
    (undo, gone): (Option<Undo>, Option<String>),
    next: Option<NextSet>,
) -> String {
    let (title, hint) = heading(lang.page(), farewell);
    // The form around it says which questions are meant.
    let undo = undo.map(|undo| undo.button(lang.page()));
    let gone = gone.map(|text| view! { <p id="delivery">{text}</p> });
    part(lang, title, hint, chosen, farewell != ResultPage::DecidedElsewhere, (next, Some((gone, undo))))
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
    part(lang, title, hint, Vec::new(), false, (None, None::<()>))
}

pub(crate) fn heading(words: &'static PageTexts, farewell: ResultPage) -> (&'static str, String) {
    match farewell {
        ResultPage::Decided => (words.decided, String::new()),
        ResultPage::DecidedInPart(left) => (words.decided, words.left_for_later_sentence(left)),
        ResultPage::DecidedElsewhere => (words.decided_elsewhere, words.decided_elsewhere_hint.to_owned()),
    }
}

/// `is_own` is whether this page has ended the questions: another one may hold text that will not be read.
fn part(
    lang: Lang,
    title: &'static str,
    hint: String,
    chosen: Vec<ChosenItem>,
    is_own: bool,
    (next, undo): (Option<NextSet>, Option<impl IntoView>),
) -> String {
    let words = lang.page();
    let next = next.map(|next| next.link_in_form(lang));
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
    view! { <Summary words title hint chosen next news=(undo, news, unsent) /> }.to_html()
}

/// What has become of the questions, and every one that was answered with its answer. An empty hint is not shown.
#[component]
pub(crate) fn Summary(
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
