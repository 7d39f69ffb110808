//! The page with the questions.

use super::document::{Assets, RenderedPage, render_around};
use super::glyph::{self, Glyph};
use super::masthead::{CurrentPage, FormNavigation, Masthead};
use super::result_page::SeeAgain;
use super::time::today;
use crate::bar::{AnswerBar, BarWords};
use crate::html::files::{self, DefaultButton, Uploads};
use crate::html::item;
use crate::html::markup::IntoMarkup;
use crate::html::preview::Pictures;
use crate::html::sources::Sources;
use crate::html::text_area::TextAreaOf;
use crate::site;
use crate::{Form, OtherPages, Undo};
use decide::Halt;
use leptos::either::Either;
use leptos::prelude::*;
use model::{AnswerSheet, DecideInput, DecideItem, Origin, Returned, form};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::time::Duration;
use texts::{Lang, PageTexts, fill};

/// From how many items on the browser lays out only those in view. Below that it costs more than it saves: Chromium's
/// autofill looks at every field of a form of up to some hundred fields, and for each in an item that is not laid out
/// yet it lays out that item alone (200 items: 0.7 s).
const MANY_ITEMS: usize = 300;

/// How many of many items are in one list of the rail (`main.css` knows how high that is).
const RAIL_LIST: usize = 50;

/// What a form is shown with.
#[derive(Debug, Clone)]
pub struct FormContext<'a> {
    /// What was given so far.
    pub sheet: &'a AnswerSheet,
    /// Why the form came back.
    pub complaint: Option<FormError<'a>>,
    /// How the person came here.
    pub arrival: Arrival<'a>,
    /// Where else there is something to see.
    pub elsewhere: OtherPages,
    /// For how long answers can be taken back once they are submitted; `None` when they cannot.
    pub undo: Option<Duration>,
}

/// How the user came to the form.
#[derive(Debug, Clone, Copy)]
pub enum Arrival<'a> {
    /// From another page of these questions, just now: that everything is still there is no news.
    Back,
    /// From the page of the result: the answers were taken back.
    TakenBack,
    /// From elsewhere, or after a crash; and when what was given was kept, if there is anything.
    Anew(Option<&'a str>),
}

/// Why a plain post came back, as a sentence.
#[derive(Debug, Clone, Copy)]
pub enum FormError<'a> {
    /// The answers were not accepted.
    Submit(&'a str),
    /// The questions were not sent back.
    Return(&'a str),
}

/// Renders the questions with what was given so far.
pub fn render_form(questions: &Form, lang: Lang, shown: FormContext<'_>, assets: Assets) -> RenderedPage {
    let FormContext { sheet, complaint, arrival, elsewhere, undo } = shown;
    let (waiting, has_history) = (elsewhere.waiting, elsewhere.has_history);
    let (problem, unreturned) = match complaint {
        None => (None, None),
        Some(FormError::Submit(problem)) => (Some(problem), None),
        Some(FormError::Return(problem)) => (None, Some(problem)),
    };
    let words = lang.page();
    let input = &*lang.questions(questions.questions().input());
    let progress = Progress::new(input, sheet);
    let Progress { total, done, open, .. } = &progress;
    let items = items(questions, lang, (input, sheet), &progress, problem.is_some());
    let limit = questions.time_limit().map(|limit| limit.left());
    let recommends = input.items.iter().any(|item| item.recommend.is_some());
    // What counts the required ones alone takes more of the room.
    let has_room = !input.partial && *total == input.items.len();
    let take_all = recommends.then_some(has_room);
    let submit_hint = if input.partial { words.partial } else { words.submit_hint_of(input) };
    let asks_for_files = files::are_asked(&input.items);
    let sent_to =
        if asks_for_files { files::submit_address(questions.id()) } else { site::address("/submit") };
    let action = format!("{sent_to}?lang={}", lang.code());
    let (title, style) = (title(questions, lang), style(questions, undo));
    render_around(lang, &title, assets, &style, count(total - done), &items, |items| {
        let many = input.items.len() >= MANY_ITEMS;
        let id = questions.id().to_string();
        let session = view! { <input type="hidden" name=form::SESSION value=id /> };
        let see_again = SeeAgain(words, questions);
        // No optional parts: where there are none, these would leave marks in every page.
        let (session, see_again) = if asks_for_files {
            let uploads = Uploads(lang, questions.id());
            (Either::Left((session, DefaultButton())), Either::Left((see_again, uploads)))
        } else {
            (Either::Right(session), Either::Right(see_again))
        };
        view! {
            <Masthead lang here=CurrentPage::Form(address(questions, waiting)) elsewhere />
            <main class:railed=has_rail(input)>
                <Heading words input around=around(lang, questions, waiting) />
                <Restored words arrival />
                {problem.map(|problem| view! { <Problem words problem input open /> })}
                <form id="decide" class:many=many class:partial=input.partial method="post" action=action enctype=asks_for_files.then_some("multipart/form-data") autocomplete="off" novalidate>
                    {session}
                    {Rail(words, input, open)}
                    <div id="items-container" role="group" aria-label=words.items inner_html=items></div>
                    <AnswerBar
                        session=questions.id().to_string()
                        lang=lang.code().to_string()
                        draft_key=questions.questions().fingerprint().to_string()
                        total=count(*total)
                        done=count(*done)
                        words=bar_words(words, input)
                    >
                        {BarControls(words, limit, take_all, submit_hint)}
                    </AnswerBar>
                    <SendBack words input returned=sheet.returned.as_ref() problem=unreturned />
                    <FormNavigation lang stay=form::SHOW waiting has_history address=sent_to />
                </form>
                {see_again}
            </main>
        }
    })
}

/// How far the answers have come.
struct Progress {
    /// How many items need an answer.
    total: usize,
    /// How many of them have one.
    done: usize,
    /// Those that have none.
    open: HashSet<u64>,
    /// Where keys begin. The script knows better where the address or what the browser has kept says otherwise.
    current: Option<u64>,
}

impl Progress {
    fn new(input: &DecideInput, sheet: &AnswerSheet) -> Self {
        let total = input.items.iter().filter(|item| item.needs_choice()).count();
        let open = sheet.open_items(input);
        Self {
            total,
            done: total.saturating_sub(open.len()),
            current: open.first().copied().or(input.items.first().map(|item| item.id)),
            open: open.into_iter().collect(),
        }
    }
}

/// The HTML of each item, with what was given for it. Those that lack an answer say so if the form `came_back`.
fn items<'q>(
    questions: &'q Form,
    lang: Lang,
    (input, sheet): (&DecideInput, &AnswerSheet),
    progress: &Progress,
    came_back: bool,
) -> Vec<Cow<'q, str>> {
    // Read errors are reported on attaching and on submitting.
    let attached = questions.attachments().unwrap_or_default();
    let answers: HashMap<u64, _> = sheet.answers.iter().map(|answer| (answer.id, answer)).collect();
    let mut sources = Sources::new(questions.project(), questions.sources());
    let mut pictures = Pictures::new(questions.project());
    let items = input.items.iter().zip(questions.untouched_items(lang)).map(|(item, untouched)| {
        let pictures = pictures.for_item(item);
        let shown = item::ItemContext {
            passage: item.location.as_ref().map(|location| sources.passage(location)),
            given: answers.get(&item.id).copied(),
            is_done: is_done(item, &progress.open),
            is_missing: came_back && progress.open.contains(&item.id),
            is_current: progress.current == Some(item.id),
            attached: attached.get(&item.id).map_or(&[], Vec::as_slice),
            pictures: &pictures,
        };
        if shown.is_untouched() {
            return Cow::Borrowed(untouched);
        }
        Cow::Owned(item::html(lang, item, shown))
    });
    items.collect()
}

/// What the style sheet of all pages does not have.
fn style(questions: &Form, undo: Option<Duration>) -> Cow<'static, str> {
    let mut style = item::own_style(&questions.questions().input().items);
    if let Some(undo) = undo {
        style.to_mut().push_str(&Undo::style(undo));
    }
    style
}

/// The words that the bar needs in the browser.
fn bar_words(words: &PageTexts, input: &DecideInput) -> BarWords {
    let bar_words = BarWords::new(words).with_progress(words.progress_of(input));
    if input.partial { bar_words } else { bar_words.without_part() }
}

/// What stands in the bar beside progress and submit. `take_all` is where all recommendations can be taken, and whether there is room
/// for the whole name of that button.
#[expect(non_snake_case, reason = "it is a component in all but the macro")]
fn BarControls(
    words: &'static PageTexts,
    limit: Option<Duration>,
    take_all: Option<bool>,
    submit_hint: &'static str,
) -> impl IntoView {
    view! {
        <div id="change">
            <p id="changed" role="status" data-words=words.changes.join("|")></p>
            <button type="button" id="undo" hidden>
                {words.undo}
            </button>
            <button type="button" id="redo" hidden>
                {words.redo}
            </button>
        </div>
        {limit.map(|left| view! { <Limit words left /> })}
        <Keys words />
        {take_all.map(|has_room| view! { <TakeAll words has_room /> })}
        <button type="submit" id="review-btn" name=form::ACTION value=form::REVIEW title=words.review>
            {Glyph(glyph::EYE)} <span>{words.review_button}</span>
        </button>
        <p id="submit-hint" class="unseen">
            {submit_hint}
        </p>
    }
}

/// Where questions are shown: at the root as long as no others are open in the project that the server was started in.
pub(super) fn address(questions: &Form, waiting: usize) -> String {
    if waiting == 0 && questions.id().room().is_empty() {
        site::address("/")
    } else {
        site::address(format_args!("/d/{}", questions.id()))
    }
}

/// What the pages of a set are called: its task, and the project where it is about one.
pub(super) fn title(questions: &Form, lang: Lang) -> String {
    let task = lang.task(&questions.questions().input().task, &questions.pending().origin);
    match questions.project().and_then(|project| project.root().file_name()) {
        Some(project) => format!("{task} · {}", project.to_string_lossy()),
        None => task.into_owned(),
    }
}

/// The page's own counts are 32 bits wide; an input of 16 MiB cannot reach that.
fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// Who asks, if it is not `submit`, what an answer waits for, until when, and how many other sets are open.
fn around(lang: Lang, questions: &Form, waiting: usize) -> String {
    let (words, pending) = (lang.inbox(), questions.pending());
    let origin = match &pending.origin {
        Origin::Decide => None,
        // The workflow itself is named as the source.
        Origin::Workflow { workflow: Some(_), task: None, agent: None, .. } => None,
        Origin::Workflow { session, task, agent, decision, .. } => Some(words.origin(&Origin::Workflow {
            workflow: None,
            session: session.clone(),
            task: task.clone(),
            agent: agent.clone(),
            decision: decision.clone(),
        })),
        Origin::Agent { .. } | Origin::Mcp { .. } => Some(words.origin(&pending.origin)),
    };
    let deadline = pending.deadline.as_deref();
    let deadline =
        deadline.map(|deadline| fill(words.deadline, &[("time", &today(deadline, &store::now()))]));
    let waiting = (waiting > 0).then(|| words.waiting(waiting));
    let halt = questions.halt().map(|halt| match halt {
        Halt::Paused => words.paused.to_owned(),
        Halt::Interrupted => words.interrupted.to_owned(),
    });
    [origin, halt, deadline, waiting].into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

/// What it is all about: the task says it best.
#[component]
fn Heading<'a>(
    words: &'static PageTexts,
    input: &'a DecideInput,
    /// What else is to be said of the set; empty for most.
    around: String,
) -> impl IntoView + use<> {
    // In one text: nothing that is not there leaves a trace in the page.
    let lead = if input.partial { words.partial } else { words.lead };
    let lead = if around.is_empty() { lead.to_owned() } else { format!("{lead} · {around}") };
    view! {
        <div class="heading">
            <h1 id="task-name">{input.task.clone()}</h1>
            <p class="lead">
                {words.source} " " <span id="task-source">{input.source.clone()}</span> " · " {lead}
            </p>
        </div>
    }
}

/// That what was given before is there again, or that answers were taken back. The browser may have kept a draft as well, and shows this then.
#[component]
fn Restored<'a>(words: &'static PageTexts, arrival: Arrival<'a>) -> impl IntoView + use<> {
    let (text, is_hidden) = match arrival {
        Arrival::Back => return None,
        Arrival::TakenBack => (words.taken_back.to_owned(), false),
        Arrival::Anew(Some(at)) => (fill(words.restored, &[("time", &today(at, &store::now()))]), false),
        Arrival::Anew(None) => (words.restored_here.to_owned(), true),
    };
    Some(view! {
        <p id="restored" role="status" hidden=is_hidden>
            {text}
        </p>
    })
}

/// Why the page came back, with a way to each open item.
#[component]
fn Problem<'a>(
    words: &'static PageTexts,
    problem: &'a str,
    input: &'a DecideInput,
    open: &'a HashSet<u64>,
) -> impl IntoView + use<> {
    let open = input.items.iter().filter(|item| open.contains(&item.id));
    let links = open.map(|item| {
        view! {
            <li>
                <a href=format!("#item-{}", item.id)>{format!("{}. {}", item.id, item.title)}</a>
            </li>
        }
    });
    view! {
        <div id="error" class="notice" role="alert" tabindex="-1" autofocus>
            <p>{fill(words.failed, &[("detail", problem)])}</p>
            <ul class="open-items">{links.collect_view()}</ul>
        </div>
    }
}

/// Takes every recommendation. Its name is shorter where there is little room; those who hear the page hear all of it.
#[component]
fn TakeAll(
    words: &'static PageTexts,
    /// Whether the other buttons leave room for all of its name.
    has_room: bool,
) -> impl IntoView {
    let name = if has_room { words.take_recommendations } else { words.take_recommendations_short };
    view! {
        <button
            type="submit"
            id="recommend-btn"
            name=form::ACTION
            value=form::RECOMMEND
            title=words.take_recommendations_hint
        >
            {Glyph(glyph::CHECKS)}
            <span class="long">{name}</span>
            <span class="short" aria-hidden="true">
                {words.take_recommendations_short}
            </span>
        </button>
    }
}

/// Until when the questions are served, and behind it the ways to extend that. The browser counts down where it can.
#[component]
fn Limit(words: &'static PageTexts, left: Duration) -> impl IntoView {
    let time = store::time_of_day(left);
    let closes_at = fill(words.closes_at, &[("time", &time)]);
    view! {
        <details id="time-limit">
            <summary title=closes_at.clone()>
                {Glyph(glyph::CLOCK)} <span class="unseen">{words.time_left}</span> <span class="plain">{time}</span>
                <span class="scripted" id="time-left" role="timer"></span>
            </summary>
            <div class="panel">
                <p>{closes_at}</p>
                <button type="submit" class="plain" name=form::ACTION value=form::EXTEND>
                    {words.extend}
                </button>
                <label class="scripted">
                    <input type="checkbox" id="extend" />
                    {words.extend_by_itself}
                </label>
            </div>
        </details>
    }
}

/// The table of keys, behind a question mark, and what they are to do.
#[component]
fn Keys(words: &'static PageTexts) -> impl IntoView {
    // What stands between the keys of a row.
    let or = words.key_or;
    let keys = [
        ("j l ]", or, words.key_forward),
        ("k h [", or, words.key_backward),
        ("1 9", "–", words.key_choose),
        ("r", "", words.key_recommended),
        ("a", "", words.key_all),
        ("n", "", words.key_note),
        ("o", "", words.key_other),
        ("x", "", words.key_clear),
        ("d", "", words.key_defer),
        ("u U", "/", words.key_undo),
        ("i", "", words.key_ask_back),
        ("b", "", words.key_send_back),
        ("v", "", words.key_view),
        ("c", "", words.key_review),
        ("Esc", "", words.key_leave),
        ("Ctrl Enter", "+", words.key_submit),
        ("?", "", words.key_help),
    ];
    let rows = keys.map(|(keys, between, text)| {
        let keys: Vec<_> = keys.split(' ').map(|key| format!("<kbd>{key}</kbd>")).collect();
        view! {
            <dt inner_html=keys.join(&format!(" {between} "))></dt>
            <dd>{text}</dd>
        }
    });
    view! {
        <details id="keys">
            <summary aria-label=words.keys title=words.keys>"?"</summary>
            <div class="panel">
                <dl>{rows.into_iter().collect_view()}</dl>
                <label>
                    <input type="checkbox" id="advance" />
                    {words.key_advance}
                </label>
            </div>
        </details>
    }
}

/// The way out for a person who cannot answer. Closed until it is needed, or was used. While something in it has the
/// focus, the style sheet keeps it in sight; a click beside its fields must not take the focus away, so it can have it.
#[component]
fn SendBack<'a>(
    words: &'static PageTexts,
    input: &'a DecideInput,
    returned: Option<&'a Returned>,
    problem: Option<&'a str>,
) -> impl IntoView + use<> {
    let nothing = Returned::default();
    let returned = returned.unwrap_or(&nothing);
    // Where it was missed, what is typed next is meant for it.
    let (field, is_missed) = (form::RETURN_MESSAGE.to_owned(), problem.is_some());
    let message = TextAreaOf("2", field, words.return_placeholder, &returned.message, is_missed);
    let items = input.items.iter().map(|item| {
        let checked = returned.items.contains(&item.id);
        view! {
            <label>
                <input type="checkbox" name=form::RETURN_ITEM value=item.id.to_string() checked=checked />
                {format!("{}. {}", item.id, item.title)}
            </label>
        }
    });
    // A set of one needs no choice.
    let items = (input.items.len() > 1).then(|| {
        view! {
            <fieldset class="return-items">
                <legend>{words.return_items}</legend>
                <div>{items.collect_view()}</div>
            </fieldset>
        }
    });
    let is_open = problem.is_some() || !returned.is_empty();
    view! {
        <details id="return" class="return" open=is_open tabindex="-1">
            <summary>{words.return_title}</summary>
            <p id="return-hint">{words.return_hint}</p>
            <p id="return-error" class="notice" role="alert" hidden=problem.is_none()>
                {problem.unwrap_or(words.return_missing).to_owned()}
            </p>
            <label for=form::RETURN_MESSAGE>{words.return_message}</label>
            {message}
            {items}
            <button type="submit" id="return-btn" name=form::ACTION value=form::RETURN>
                {words.return_button}
            </button>
        </details>
    }
}

/// Whether an item needs an answer and is none of those that are still `open`.
fn is_done(item: &DecideItem, open: &HashSet<u64>) -> bool {
    item.needs_choice() && !open.contains(&item.id)
}

/// Whether there is a list of items beside the form. A single item needs none. `main` carries the answer as a class, because
/// the heading, which comes before the list, stands elsewhere beside one.
fn has_rail(input: &DecideInput) -> bool {
    input.items.len() > 1
}

/// The list of items beside the form, on wide screens.
#[expect(non_snake_case, reason = "it is a component in all but the macro")]
fn Rail(words: &'static PageTexts, input: &DecideInput, open: &HashSet<u64>) -> impl IntoView + use<> {
    let list = |items: &[DecideItem]| {
        let entries = items.iter().map(|item| {
            let (id, title) = (item.id, format!("{}. {}", item.id, item.title));
            // One that is not counted says why.
            let optional = (!item.needs_choice()).then_some("");
            let name = match optional {
                None => title.into_markup(),
                Some(_) => view! { <span>{title}</span> " " <span class="item-hint">{words.optional}</span> }
                    .into_markup(),
            };
            view! {
                <li>
                    <a
                        href=format!("#item-{id}")
                        id=format!("rail-{id}")
                        data-done=is_done(item, open).then_some("")
                        data-optional=optional
                    >
                        {name}
                    </a>
                </li>
            }
        });
        view! { <ol>{entries.collect_view()}</ol> }
    };
    // What is out of sight is laid out list by list: for each entry alone the browser would have to look where it is.
    let in_one = if input.items.len() < MANY_ITEMS { MANY_ITEMS } else { RAIL_LIST };
    let lists = input.items.chunks(in_one).map(list);
    has_rail(input).then(|| {
        view! {
            <nav class="rail" aria-label=words.overview>
                {lists.collect_view()}
            </nav>
        }
    })
}
