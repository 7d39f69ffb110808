//! One earlier decision, as it was shown and as it ended.

use super::document::{Assets, RenderedPage, render, render_around};
use super::history::state_word;
use super::masthead::{CurrentPage, Masthead};
use super::parts::FactList;
use super::time::Time;
use crate::html::excerpt::SourceExcerpt;
use crate::html::files::Given;
use crate::html::item::{Context, Details, Title, description_html, own_style};
use crate::html::markup::IntoMarkup;
use crate::html::preview;
use crate::html::sources::Passage;
use crate::site;
use crate::{OtherPages, SetId, room_path};
use decide::State;
use leptos::either::{Either, EitherOf3};
use leptos::prelude::*;
use model::{
    DecideItem, DecideOption, Decision, DecisionRecord, Ending, ItemKind, ItemMeta, Origin, Questions,
    Returned,
};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::HashMap;
use store::Delivery;
use texts::{HistoryTexts, Lang, PageTexts, UploadTexts, fill};

/// Why there is nothing to show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotFound {
    /// There is no decision of that name, or none that can be exported.
    Decision,
    /// There is no project of that name on this server.
    Project,
    /// There is no such workflow.
    Workflow,
    /// There is no such event of this workflow, which the page leads to.
    Event(String),
    /// There is no such plan.
    Plan,
    /// There is no such task of `aide flow`.
    Task,
    /// It cannot be read, for this reason.
    Unreadable(String),
}

/// Renders the page that says so.
pub fn render_lost(lang: Lang, elsewhere: OtherPages, lost: NotFound, assets: Assets) -> RenderedPage {
    let words = lang.history();
    let to = |path: &str| site::address(format_args!("{path}?lang={}", lang.code()));
    let (address, name) = match &lost {
        NotFound::Workflow => (to("/workflows"), lang.workflows().workflows),
        NotFound::Event(workflow) => (to(&format!("/workflows/{workflow}")), lang.inbox().to_workflow),
        NotFound::Plan => (to("/plans"), lang.plans().plans),
        NotFound::Task => (to("/flow"), lang.flow().flow),
        NotFound::Project => (to("/"), lang.inbox().inbox),
        NotFound::Decision | NotFound::Unreadable(_) => list(lang, &elsewhere),
    };
    let (title, hint) = match lost {
        NotFound::Decision => (words.missing, words.missing_hint.to_owned()),
        NotFound::Project => (words.no_project, words.no_project_hint.to_owned()),
        NotFound::Workflow => (words.no_workflow, words.no_workflow_hint.to_owned()),
        NotFound::Event(_) => (words.no_event, words.no_event_hint.to_owned()),
        NotFound::Plan => (words.no_plan, words.no_plan_hint.to_owned()),
        NotFound::Task => (words.no_task, words.no_task_hint.to_owned()),
        NotFound::Unreadable(reason) => (words.unreadable, reason),
    };
    let back = BackTo(address, name);
    render(lang, &format!("{title} · Aide"), assets, || {
        view! {
            <Masthead lang here=CurrentPage::Lost elsewhere />
            <main>
                <div class="heading" id="lost">
                    {back}
                    <h1>{title}</h1>
                    <p class="lead">{hint}</p>
                </div>
            </main>
        }
    })
}

/// Renders how the questions `set` were asked, and how they ended.
pub fn render_record(
    lang: Lang,
    set: &SetId,
    elsewhere: &OtherPages,
    (record, delivery): (&DecisionRecord, Option<Delivery>),
    assets: Assets,
) -> RenderedPage {
    let words = lang.history();
    let text = |key| record.input.get(key).and_then(Value::as_str).filter(|text| !model::is_blank(text));
    let task = text("task").unwrap_or(words.untitled);
    let task = record.meta.as_ref().map_or(task.into(), |meta| lang.task(task, &meta.origin)).into_owned();
    let (items, style, problem) = match Questions::from_value(Value::Object((*record.input).clone())) {
        Ok(questions) => {
            let items = &questions.input().items;
            let asked: Vec<_> = items.iter().map(|item| lang.asked(item).into_owned()).collect();
            (Items::new(lang, record).render(&asked), own_style(items), None)
        }
        Err(problems) => {
            let problem = problems.first().map(|problem| texts::problem(lang, problem)).unwrap_or_default();
            (Vec::new(), Cow::Borrowed(""), Some(problem))
        }
    };
    let title = format!("{task} · {}", words.title);
    let (address, name) = list(lang, elsewhere);
    render_around(lang, &title, assets, &style, 0, &items, |items| {
        view! {
            <Masthead lang here=CurrentPage::History(record_address(set, lang.other())) elsewhere=OtherPages::default() />
            <main>
                <div class="heading">
                    {BackTo(address, name)}
                    <h1 id="task-name">{task}</h1>
                    <Facts lang words set record delivery source=text("source").unwrap_or_default() />
                    {record.output().is_some().then(|| view! { <ExportLink lang words set /> })}
                    {Reason(words, &record.ending)}
                </div>
                {problem.map(|problem| view! { <Raw words record problem /> })}
                <div id="items-container" class="past" inner_html=items></div>
            </main>
        }
    })
}

fn list_address(lang: Lang, elsewhere: &OtherPages) -> String {
    format!("{}/history?lang={}", room_path(&elsewhere.room), lang.code())
}

fn record_address(set: &SetId, lang: Lang) -> String {
    format!("{}?lang={}", set.record_path(), lang.code())
}

/// Where the other earlier decisions are, and what that is called; where they are not kept together, the open questions.
fn list(lang: Lang, elsewhere: &OtherPages) -> (String, &'static str) {
    if elsewhere.has_history {
        (list_address(lang, elsewhere), lang.history().history)
    } else {
        (site::address(format_args!("/?lang={}", lang.code())), lang.inbox().inbox)
    }
}

/// The way back.
#[expect(non_snake_case, reason = "it is a component in all but the macro")]
fn BackTo(address: String, name: &'static str) -> impl IntoView + use<> {
    view! {
        <p class="back">
            <a href=address>"← " {name}</a>
        </p>
    }
}

#[component]
fn ExportLink<'a>(lang: Lang, words: &'static HistoryTexts, set: &'a SetId) -> impl IntoView + use<> {
    view! {
        <p class="location-label">
            <a
                class="button"
                id="export"
                href=format!("{}.md?lang={}", set.record_path(), lang.code())
            >
                {words.export}
            </a>
        </p>
    }
}

/// What is known of the whole.
#[component]
fn Facts<'a>(
    lang: Lang,
    words: &'static HistoryTexts,
    set: &'a SetId,
    record: &'a DecisionRecord,
    delivery: Option<Delivery>,
    source: &'a str,
) -> impl IntoView + use<> {
    let meta = record.meta.as_ref();
    let asked = meta.filter(|meta| !meta.created_at.is_empty()).map(|meta| &meta.created_at);
    let open_for = meta.and_then(|meta| meta.open_seconds).map(|seconds| words.duration(seconds));
    FactList([
        (lang.page().source, (!source.is_empty()).then(|| source.to_owned().into_markup())),
        (words.ending, Some(Fate(lang, words, set, &record.ending).into_markup())),
        (words.asked_at, asked.map(|asked| Time(asked).into_markup())),
        (words.ended_at, Some(Time(&record.completed_at).into_markup())),
        (words.open_for, open_for.map(IntoMarkup::into_markup)),
        (words.door, meta.map(|meta| words.via(meta.via).into_markup())),
        (words.delivery, told_delivery(lang, record, delivery).map(IntoMarkup::into_markup)),
        (words.session, Some(set.session.to_string().into_markup())),
    ])
}

/// What became of an answer, where its asker is an agent that fetches it.
fn told_delivery(lang: Lang, record: &DecisionRecord, delivery: Option<Delivery>) -> Option<String> {
    let Origin::Mcp { client, .. } = &record.meta.as_ref()?.origin else { return None };
    let is_answer = matches!(record.ending, Ending::Decided(_) | Ending::Returned(_));
    delivery.filter(|_| is_answer).map(|delivery| lang.history().told_delivery(delivery, client))
}

/// What has become of them, with a way to the questions in their place.
#[expect(non_snake_case, reason = "it is a component in all but the macro")]
fn Fate(lang: Lang, words: &'static HistoryTexts, set: &SetId, ending: &Ending) -> impl IntoView + use<> {
    let by = match ending {
        Ending::Replaced(by) => by.as_ref(),
        _ => None,
    };
    let by = by.map(|by| {
        view! {
            ": "
            <a href=record_address(&SetId::new(&set.room, by.clone()), lang)>{by.to_string()}</a>
        }
    });
    let rest = match ending {
        Ending::Decided(output) => output.open.as_ref(),
        _ => None,
    };
    let rest = rest.map(|rest| {
        let left = lang.page().left_for_later(rest.items.len());
        let session = rest.session_id.clone().map(|session| {
            view! {
                ": "
                <a href=record_address(&SetId::new(&set.room, session.clone()), lang)>{session.to_string()}</a>
            }
        });
        view! { " · " {left} {session} }
    });
    view! { {state_word(words, State::from_ending(ending))} {by} {rest} }
}

/// What a person said who sent the questions back.
#[expect(non_snake_case, reason = "it is a component in all but the macro")]
fn Reason(words: &'static HistoryTexts, ending: &Ending) -> impl IntoView + use<> {
    let Ending::Returned(Returned { message, .. }) = ending else { return None };
    Some(view! {
        <p class="location-label">{words.reason}</p>
        <blockquote class="reason">{message.clone()}</blockquote>
    })
}

/// A record whose questions would not be asked today, as it stands.
#[component]
fn Raw<'a>(
    words: &'static HistoryTexts,
    record: &'a DecisionRecord,
    problem: String,
) -> impl IntoView + use<> {
    // What was read from JSON can be written as such.
    let text = serde_json::to_string_pretty(record).unwrap_or_default();
    view! {
        <p class="notice">{fill(words.unreadable_questions, &[("problem", &problem)])}</p>
        <pre class="source-content" tabindex="0">{text}</pre>
    }
}

/// The questions with what was said to each.
struct Items<'r> {
    page: &'static PageTexts,
    uploads: &'static UploadTexts,
    words: &'static HistoryTexts,
    decisions: Option<HashMap<u64, &'r Decision>>,
    metas: HashMap<u64, &'r ItemMeta>,
    returned: &'r [u64],
    left_for_later: &'r [u64],
}

impl<'r> Items<'r> {
    fn new(lang: Lang, record: &'r DecisionRecord) -> Self {
        let decisions = record.output().map(|output| output.decisions.iter());
        let metas = record.meta.iter().flat_map(|meta| &meta.items);
        Self {
            page: lang.page(),
            uploads: lang.uploads(),
            words: lang.history(),
            decisions: decisions.map(|all| all.map(|decision| (decision.id, decision)).collect()),
            metas: metas.map(|meta| (meta.id, meta)).collect(),
            returned: match &record.ending {
                Ending::Returned(returned) => &returned.items,
                _ => &[],
            },
            left_for_later: record
                .output()
                .and_then(|output| output.open.as_ref())
                .map_or(&[], |open| &open.items),
        }
    }

    fn render(&self, items: &[DecideItem]) -> Vec<Cow<'static, str>> {
        items.iter().map(|item| Cow::Owned(self.item(item).to_html())).collect()
    }

    fn item(&self, item: &DecideItem) -> impl IntoView + use<> {
        let id = item.id;
        let title_id = format!("title-{id}");
        // The lines themselves may have changed since.
        let location =
            item.location.as_ref().map(|location| SourceExcerpt(self.page, location, Passage::unread()));
        let decision = self.decisions.as_ref().and_then(|decisions| decisions.get(&id).copied());
        let options = item.options.iter().map(|option| {
            let is_chosen = decision.is_some_and(|decision| decision.chosen.has(&option.value));
            let is_recommended = item.recommend.as_ref() == Some(&option.value);
            self.option(option, is_recommended, is_chosen)
        });
        let other = decision.and_then(|decision| decision.other.as_ref()).map(|other| match item.kind {
            ItemKind::Text => Either::Left(self.written(other)),
            ItemKind::Choice | ItemKind::Confirm | ItemKind::Files => Either::Right(self.other(other)),
        });
        let answers = match item.kind {
            ItemKind::Text => EitherOf3::A(other),
            ItemKind::Files => EitherOf3::B(
                decision
                    .filter(|decision| !decision.files.is_empty())
                    .map(|decision| Given(self.uploads, &decision.files)),
            ),
            ItemKind::Choice | ItemKind::Confirm => {
                EitherOf3::C(view! { <ul class="options-list">{options.collect_view()} {other}</ul> })
            }
        };
        let meant =
            self.returned.contains(&id).then(|| view! { <p class="item-error">{self.words.meant}</p> });
        view! {
            <section class="item" id=format!("item-{id}") aria-labelledby=title_id>
                <h2 id=title_id.clone()>{Title(self.page, item)}</h2>
                {meant}
                {Context(self.page, item)}
                {location}
                {answers}
                {self.decisions.is_some().then(|| self.answer(item, decision))}
            </section>
        }
    }

    fn option(&self, option: &DecideOption, is_recommended: bool, is_chosen: bool) -> impl IntoView + use<> {
        let mark =
            |is_so: bool, word: &'static str| is_so.then(|| view! { " " <span class="mark">{word}</span> });
        // What a file of the project looks like now need not be what it looked like.
        let preview = preview::to_html(option, None)
            .map(|html| view! { <div class="item-context preview" inner_html=html></div> });
        let about = description_html(option);
        if about.is_some() || preview.is_some() {
            let about = about.map(|html| view! { <div class="item-context" inner_html=html></div> });
            return Either::Left(view! {
                <li class="option described" class:taken=is_chosen>
                    <span aria-hidden="true">{if is_chosen { "●" } else { "○" }}</span>
                    <span class="option-label">
                        {option.label.clone()} {mark(is_recommended, self.page.recommended)}
                        {mark(is_chosen, self.words.chosen)}
                    </span>
                    {about}
                    {preview}
                    <span class="option-details">{Details(self.page, option, false)}</span>
                </li>
            });
        }
        Either::Right(view! {
            <li class="option" class:taken=is_chosen>
                <span aria-hidden="true">{if is_chosen { "●" } else { "○" }}</span>
                <span class="option-label">
                    {option.label.clone()} {mark(is_recommended, self.page.recommended)}
                    {mark(is_chosen, self.words.chosen)}
                </span>
                <span class="option-details">{Details(self.page, option, false)}</span>
            </li>
        })
    }

    /// The answer to what is answered in words.
    fn written(&self, answer: &str) -> impl IntoView + use<> {
        view! {
            <p class="location-label">{self.page.answered}</p>
            <blockquote class="reason">{answer.to_owned()}</blockquote>
        }
    }

    fn other(&self, other: &str) -> impl IntoView + use<> {
        view! {
            <li class="option taken">
                <span aria-hidden="true">"●"</span>
                <span class="option-label">
                    {self.page.other} " " <span class="mark">{self.words.chosen}</span>
                </span>
                <span class="option-details chosen-note">{other.to_owned()}</span>
            </li>
        }
    }

    /// The answer in words, how it came about, and the note.
    fn answer(&self, item: &DecideItem, decision: Option<&Decision>) -> impl IntoView + use<> {
        let words = self.words;
        let label = |value: &String| {
            let option = item.options.iter().find(|option| &option.value == value);
            option.map_or_else(|| value.clone(), |option| option.label.clone())
        };
        let mut labels: Vec<_> =
            decision.iter().flat_map(|decision| decision.chosen.values()).map(label).collect();
        labels.extend(decision.and_then(|decision| decision.other.clone()));
        labels.extend(decision.iter().flat_map(|decision| &decision.files).map(|file| file.name.clone()));
        // What was written or attached is seen already.
        let is_seen = matches!(item.kind, ItemKind::Text | ItemKind::Files) && !labels.is_empty();
        let answer = if self.left_for_later.contains(&item.id) {
            words.left_for_later.to_owned()
        } else if labels.is_empty() {
            words.left_open.to_owned()
        } else {
            fill(words.chosen_is, &[("labels", &labels.join(" · "))])
        };
        let note = decision.and_then(|decision| decision.note.clone()).map(|note| {
            view! {
                <p class="location-label">{words.note}</p>
                <blockquote class="reason">{note}</blockquote>
            }
        });
        let how = self.metas.get(&item.id).map(|meta| {
            let followed = meta.followed_recommendation.map(|yes| {
                let word = if yes { words.followed } else { words.not_followed };
                view! { {word} " · " }
            });
            view! { <p class="how">{followed} {words.via(meta.via)} " · " {Time(&meta.decided_at)}</p> }
        });
        let answer = if is_seen {
            Either::Left(())
        } else {
            Either::Right(view! { <p class="location-label chosen">{answer}</p> })
        };
        view! {
            {answer}
            {how}
            {note}
        }
    }
}
