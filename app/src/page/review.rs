//! Everything that was chosen, before it is sent. A page of its own: it is the same with and without script.

use super::document::{Assets, RenderedPage, render};
use super::form::{address, title};
use super::masthead::{CurrentPage, FormNavigation, Masthead};
use crate::html::item::missing;
use crate::site;
use crate::{Form, OtherPages};
use leptos::nonce::use_nonce;
use leptos::prelude::*;
use model::form::Post;
use model::{Answer, Attachment, DecideItem, ItemKind, form};
use texts::{Lang, fill, named_file};

/// Esc goes back, and that leads where one was: the script of the questions has put that into the address. As there, Ctrl+Enter
/// submits; while something is open, it leads to the first such question.
const KEYS: &str = "\
const way=(id)=>document.getElementById(id);\
for(const back of document.querySelectorAll('.back button,#review-back'))\
back.formAction=way('review').getAttribute('action')+location.hash;\
addEventListener('keydown',({key,ctrlKey,metaKey})=>{\
if(key==='Escape')way('review-back').click();\
if(key==='Enter'&&(ctrlKey||metaKey))(way('submit-btn')??document.querySelector('[data-open] .to-item'))?.click()})";

/// Renders what `post` answers, with the ways to send it or to go on.
pub fn render_review(
    questions: &Form,
    lang: Lang,
    post: &Post,
    elsewhere: OtherPages,
    assets: Assets,
) -> RenderedPage {
    let (words, waiting, has_history) = (lang.page(), elsewhere.waiting, elsewhere.has_history);
    let sheet = &post.sheet;
    let input = &*lang.questions(questions.questions().input());
    let open = sheet.open_items(input);
    let none = Answer::default();
    // Read errors are reported on submitting.
    let attached = questions.attachments().unwrap_or_default();
    let entries = input.items.iter().map(|item| {
        let answer = sheet.get(item.id).unwrap_or(&none);
        let attached = attached.get(&item.id).map_or(&[][..], Vec::as_slice);
        Entry(lang, item, answer, attached, open.contains(&item.id))
    });
    let entries = entries.collect_view();
    let fields = fields(questions, post);
    let fields =
        fields.into_iter().map(|(name, value)| view! { <input type="hidden" name=name value=value /> });
    let fields = fields.collect_view();
    let total = input.items.iter().filter(|item| item.needs_choice()).count();
    let done = total.saturating_sub(open.len());
    let can_submit = open.is_empty() || input.partial && done > 0;
    let submit = can_submit.then(|| {
        view! {
            <button type="submit" id="submit-btn" name=form::ACTION value=form::SUBMIT>
                {words.submit_of(input, done, total)}
            </button>
        }
    });
    let hint = match (open.is_empty(), input.partial) {
        (true, _) => words.review_hint,
        (false, true) => words.partial,
        (false, false) => words.submit_hint_of(input),
    };
    let back = |id: Option<&'static str>, sign: &'static str| {
        view! {
            <button type="submit" id=id name=form::ACTION value=form::SHOW>
                {sign}
                {words.review_back}
            </button>
        }
    };
    let title = format!("{} · {}", words.review, title(questions, lang));
    render(lang, &title, assets, || {
        view! {
            <Masthead lang here=CurrentPage::Review(address(questions, waiting)) elsewhere />
            <main>
                <form id="review" method="post" action=site::address(format_args!("/submit?lang={}", lang.code()))>
                    {fields}
                    <div class="heading">
                        <p class="back">{back(None, "← ")}</p>
                        <h1 tabindex="-1" autofocus>
                            {words.review}
                        </h1>
                        <p class="lead">{hint}</p>
                    </div>
                    <dl class="summary">{entries}</dl>
                    <div class="bar">
                        <p class="bar-row review-ways">{submit} {back(Some("review-back"), "")}</p>
                    </div>
                    <FormNavigation lang stay=form::REVIEW waiting has_history />
                </form>
            </main>
            <script nonce=use_nonce()>{KEYS}</script>
        }
    })
}

/// One question with its answer. Its title leads back to it, with everything that was given.
#[expect(non_snake_case, reason = "it is a component in all but the macro")]
fn Entry(
    lang: Lang,
    item: &DecideItem,
    answer: &Answer,
    attached: &[Attachment],
    is_open: bool,
) -> impl IntoView + use<> {
    let words = lang.page();
    let labels = labels(item, answer, attached);
    let is_blank = labels.is_empty();
    let label = match (is_blank, is_open) {
        (true, true) => words.not_answered.to_owned(),
        (true, false) => lang.history().left_open.to_owned(),
        (false, _) => labels.join(" · "),
    };
    let class = match (is_blank, is_open) {
        (true, true) => "not-chosen",
        (true, false) => "chosen-note",
        (false, _) => "chosen",
    };
    // Several may be chosen, and yet not enough of them.
    let missing =
        (is_open && !is_blank).then(|| view! { <dd class="item-error">{missing(words, item)}</dd> });
    let advice = item.recommended().map(|recommended| match answer.options.contains(&recommended) {
        true => words.recommended.to_owned(),
        false => {
            let option = item.options.iter().zip(0..).find(|(_, position)| *position == recommended);
            fill(words.recommends, &[("label", option.map_or("", |(option, _)| &option.label))])
        }
    });
    let note = (!model::is_blank(&answer.note)).then(
        || view! { <dd class="chosen-note">{fill(words.note_of, &[("note", answer.note.trim())])}</dd> },
    );
    view! {
        <div data-open=is_open.then_some("")>
            <dt>
                <button
                    type="submit"
                    class="to-item"
                    name=form::ACTION
                    value=form::SHOW
                    formaction=site::address(format_args!("/submit?lang={}#item-{}", lang.code(), item.id))
                >
                    {format!("{}. {}", item.id, item.title)}
                </button>
            </dt>
            <dd class=class>
                {label} " " {advice.map(|advice| view! { <span class="mark">{advice}</span> })}
            </dd>
            {missing}
            {note}
        </div>
    }
}

/// The labels of what is chosen, and the person's own words; the names of what is attached.
fn labels(item: &DecideItem, answer: &Answer, attached: &[Attachment]) -> Vec<String> {
    if item.kind == ItemKind::Files {
        return attached.iter().map(|file| named_file(&file.name, file.size)).collect();
    }
    let chosen = answer.choices(item);
    let options = item.options.iter().zip(0..).filter(|(_, position)| chosen.contains(position));
    let mut labels: Vec<_> = options.map(|(option, _)| option.label.clone()).collect();
    let is_other = item.other_position().is_some_and(|other| chosen.contains(&other));
    labels.extend(is_other.then(|| answer.other.clone()));
    labels
}

/// The whole form once more, as it was posted.
fn fields(questions: &Form, post: &Post) -> Vec<(String, String)> {
    let sheet = &post.sheet;
    let mut fields = vec![(form::SESSION.to_owned(), questions.id().to_string())];
    if post.is_scripted {
        fields.push((form::SCRIPTED.to_owned(), String::new()));
    }
    for answer in &sheet.answers {
        let choices = answer.options.iter().map(|option| (form::choice_field(answer.id), option.to_string()));
        fields.extend(choices);
        fields.push((form::other_field(answer.id), answer.other.clone()));
        fields.push((form::note_field(answer.id), answer.note.clone()));
    }
    if let Some(returned) = &sheet.returned {
        fields.push((form::RETURN_MESSAGE.to_owned(), returned.message.clone()));
        fields.extend(returned.items.iter().map(|id| (form::RETURN_ITEM.to_owned(), id.to_string())));
    }
    fields
}
