//! One question.

use super::excerpt::SourceExcerpt;
use super::markdown;
use super::text_area::TextArea;
use leptos::prelude::*;
use model::{Answer, DecideItem, DecideOption, form};
use store::Excerpt;
use texts::{Lang, PageTexts, fill};

/// An item for which nothing was given, and which names no place in a file, as HTML.
pub(crate) fn untouched_item(lang: Lang, item: &DecideItem) -> String {
    Item(lang, item, None, None, false).to_html()
}

/// A plain function, not a component: a thousand of them are built for one page.
#[expect(non_snake_case, reason = "it is a component in all but the macro")]
pub(super) fn Item(
    lang: Lang,
    item: &DecideItem,
    excerpt: Option<Excerpt>,
    given: Option<&Answer>,
    open: bool,
) -> impl IntoView + use<> {
    let words = lang.page();
    let id = item.id;
    let recommended = item.recommended();
    let chosen = given.and_then(|answer| answer.option);
    let badge =
        item.options.iter().zip(0..).find(|(_, index)| Some(*index) == recommended).map(|(option, _)| {
            let text = fill(words.recommends, &[("label", &option.label)]);
            view! { <p class="recommend-badge">{text}</p> }
        });
    let context = item.context.as_deref().filter(|context| !model::is_blank(context)).map(|context| {
        view! { <div class="item-context" inner_html=markdown::to_html(context)></div> }
    });
    let location = item.location.as_ref().map(|location| SourceExcerpt(words, location, excerpt));
    let options = item.options.iter().zip(0..).map(|(option, index)| {
        Choice(words, id, index, option, Some(index) == recommended, Some(index) == chosen)
    });
    let note_id = form::note_field(id);
    view! {
        <fieldset
            class="item"
            id=format!("item-{id}")
            data-item=id.to_string()
            aria-describedby=open.then(|| error_id(id))
        >
            <legend>
                <span class="item-number">{format!("{id}.")}</span>
                " "
                <span class="item-title">{item.title.clone()}</span>
            </legend>
            {open.then(|| view! { <p class="item-error" id=error_id(id)>{words.incomplete_item}</p> })}
            {badge}
            {context}
            {location}
            <div class="options-list">{options.collect_view()}</div>
            <div class="item-note">
                <label for=note_id.clone()>{words.note}</label>
                {TextArea(note_id, words.note_placeholder, given.map_or("", |answer| &answer.note))}
            </div>
        </fieldset>
    }
}

/// One option: the whole card is its label.
#[expect(non_snake_case, reason = "it is a component in all but the macro")]
fn Choice(
    words: &'static PageTexts,
    item: u64,
    index: u32,
    option: &DecideOption,
    recommended: bool,
    chosen: bool,
) -> impl IntoView + use<> {
    let label_id = format!("o-{item}-{index}");
    let detail_id = format!("d-{item}-{index}");
    let score = option.score.map(|score| {
        let text = fill(words.score, &[("score", &score.to_string())]);
        view! {
            <span class="option-score">
                {text}
                <svg viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
                    <rect width=score.to_string() height="1" />
                </svg>
            </span>
        }
    });
    view! {
        <label class="option" data-value=option.value.clone() data-recommended=recommended.to_string()>
            <input
                type="radio"
                name=form::choice_field(item)
                value=index.to_string()
                checked=chosen
                aria-labelledby=label_id.clone()
                aria-describedby=detail_id.clone()
            />
            <span class="option-head" id=label_id>
                <span class="option-label">{option.label.clone()}</span>
                {recommended.then(|| view! { <span class="mark">{words.recommended}</span> })}
            </span>
            <span class="option-details" id=detail_id>
                {score}
                {Arguments("option-pros", words.pros, option.pros.as_deref())}
                {Arguments("option-cons", words.cons, option.cons.as_deref())}
            </span>
        </label>
    }
}

/// Arguments for or against; sign and colour come from the style sheet, the word is for those who hear the page.
#[expect(non_snake_case, reason = "it is a component in all but the macro")]
fn Arguments(
    class: &'static str,
    heading: &'static str,
    arguments: Option<&[String]>,
) -> impl IntoView + use<> {
    let arguments = arguments.filter(|arguments| !arguments.is_empty())?;
    let list = arguments.iter().map(|argument| view! { <span class="argument">{argument.clone()}</span> });
    Some(view! {
        <span class=class>
            <span class="unseen">{heading} ": "</span>
            {list.collect_view()}
        </span>
    })
}

fn error_id(item: u64) -> String {
    format!("item-{item}-error")
}
