//! Everything that was chosen, before it is sent. A page of its own: it is the same with and without script.

use super::document::{Assets, Rendered, render};
use super::masthead::{Here, Masthead};
use crate::Session;
use leptos::nonce::use_nonce;
use leptos::prelude::*;
use model::{Answer, AnswerSheet, DecideItem, form};
use texts::{Lang, fill};

/// Esc goes back.
const ESCAPE: &str = "\
addEventListener('keydown',(event)=>{if(event.key==='Escape')document.getElementById('review-back').click()})";

/// Renders what `sheet` answers, with the ways to send it or to go on.
pub fn render_review(session: &Session, lang: Lang, sheet: &AnswerSheet, assets: Assets) -> Rendered {
    let words = lang.page();
    let input = session.questions().input();
    let open = sheet.open_items(input);
    let none = Answer::default();
    let entries = input.items.iter().map(|item| {
        let answer = sheet.get(item.id).unwrap_or(&none);
        let state = if open.contains(&item.id) { words.incomplete_item } else { words.leave_open };
        let labels = labels(item, answer);
        let label = if labels.is_empty() { state.to_owned() } else { labels.join(" · ") };
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
            <div>
                <dt>
                    <a href=format!("/?lang={}#item-{}", lang.code(), item.id)>
                        {format!("{}. {}", item.id, item.title)}
                    </a>
                </dt>
                <dd class="chosen">
                    {label} " " {advice.map(|advice| view! { <span class="mark">{advice}</span> })}
                </dd>
                {note}
            </div>
        }
    });
    let entries = entries.collect_view();
    let fields = fields(session, sheet);
    let fields =
        fields.into_iter().map(|(name, value)| view! { <input type="hidden" name=name value=value /> });
    let fields = fields.collect_view();
    let submit = open.is_empty().then(|| {
        view! {
            <button type="submit" id="submit-btn" name=form::ACTION value=form::SUBMIT>
                {words.submit}
            </button>
        }
    });
    let hint = if open.is_empty() { words.review_hint } else { words.submit_hint };
    render(lang, words.title, assets, || {
        view! {
            <Masthead lang here=Here::Form has_task=session.project().has_task() />
            <main>
                <form id="review" class="farewell" method="post" action=format!("/submit?lang={}", lang.code())>
                    <h1 tabindex="-1" autofocus>
                        {words.review}
                    </h1>
                    <p class="hint">{hint}</p>
                    {fields}
                    <dl class="summary">{entries}</dl>
                    <p class="review-ways">
                        {submit}
                        <button type="submit" id="review-back" class="button" name=form::ACTION value=form::SHOW>
                            {words.review_back}
                        </button>
                    </p>
                </form>
            </main>
            <script nonce=use_nonce()>{ESCAPE}</script>
        }
    })
}

/// The labels of what is chosen, and the person's own words.
fn labels<'a>(item: &'a DecideItem, answer: &'a Answer) -> Vec<&'a str> {
    let chosen = item.options.iter().zip(0..).filter(|(_, position)| answer.options.contains(position));
    let mut labels: Vec<_> = chosen.map(|(option, _)| option.label.as_str()).collect();
    let is_other = item.other_position().is_some_and(|other| {
        answer.options.contains(&other) || answer.options.is_empty() && !model::is_blank(&answer.other)
    });
    labels.extend(is_other.then_some(answer.other.as_str()));
    labels
}

/// The whole form once more, as it was posted.
fn fields(session: &Session, sheet: &AnswerSheet) -> Vec<(String, String)> {
    let mut fields = vec![(form::SESSION.to_owned(), session.id().to_string())];
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
