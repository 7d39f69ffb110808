//! One question.

use super::excerpt::SourceExcerpt;
use super::markdown;
use super::sources::Passage;
use super::text_area::TextArea;
use leptos::prelude::*;
use model::{Answer, DecideItem, DecideOption, form};
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
    passage: Option<Passage>,
    given: Option<&Answer>,
    open: bool,
) -> impl IntoView + use<> {
    let words = lang.page();
    let id = item.id;
    let recommended = item.recommended();
    let chosen = given.map_or(&[][..], |answer| &answer.options);
    let location = item
        .location
        .as_ref()
        .zip(passage)
        .map(|(location, passage)| SourceExcerpt(words, location, passage));
    let options = item.options.iter().zip(0..).map(|(option, index)| {
        Choice(words, item, index, option, Some(index) == recommended, chosen.contains(&index))
    });
    let other = item.other_position().map(|position| {
        let written = given.map_or("", |answer| &answer.other);
        Other(words, item, position, written, chosen.contains(&position))
    });
    // Radio buttons cannot be taken back; this one stands for that.
    let none = (!item.required && !item.multiple).then(|| LeaveOpen(words, id, chosen.is_empty()));
    let compare = is_comparison(item);
    let (least, most) = item.bounds();
    let bounded = item.multiple && item.needs_choice();
    let note_id = form::note_field(id);
    view! {
        <fieldset
            class="item"
            id=format!("item-{id}")
            data-item=id.to_string()
            data-optional=(!item.needs_choice()).then_some("")
            data-least=bounded.then(|| least.to_string())
            data-most=bounded.then(|| most.to_string())
            aria-describedby=open.then(|| error_id(id))
        >
            <legend>{Title(words, item)}</legend>
            {open.then(|| view! { <p class="item-error" id=error_id(id)>{words.incomplete_item}</p> })}
            {Context(words, item)}
            {location}
            <div class="options-list" class:compare=compare>
                {compare.then(|| ColumnHeads(words))}
                {options.collect_view()}
                {other}
                {none}
            </div>
            <div class="item-note">
                <label for=note_id.clone()>{words.note}</label>
                {TextArea(note_id, words.note_placeholder, given.map_or("", |answer| &answer.note))}
            </div>
        </fieldset>
    }
}

/// More than this is folded, so that the options stay in sight.
const LONG_CONTEXT: (usize, usize) = (1200, 20);

fn is_long(context: &str) -> bool {
    let (characters, lines) = LONG_CONTEXT;
    context.chars().nth(characters).is_some() || context.lines().nth(lines).is_some()
}

/// Whether options are better compared as the rows of a table: there are several of them, and they are described alike.
/// Two are side by side anyway.
fn is_comparison(item: &DecideItem) -> bool {
    let is_described = |option: &&DecideOption| {
        let argued = [&option.pros, &option.cons].into_iter().flatten().any(|list| !list.is_empty());
        option.score.is_some() && argued
    };
    item.options.len() > 2 && item.options.iter().filter(is_described).count() > 1
}

/// The heads of a comparison. Those who hear the page hear each name with its value.
#[expect(non_snake_case, reason = "it is a component in all but the macro")]
fn ColumnHeads(words: &'static PageTexts) -> impl IntoView + use<> {
    view! {
        <div class="column-heads" aria-hidden="true">
            <span>{words.option}</span>
            <span>{words.score_head}</span>
            <span>{words.pros}</span>
            <span>{words.cons}</span>
        </div>
    }
}

/// Number, title, and what is not said by there being options.
#[expect(non_snake_case, reason = "it is a component in all but the macro")]
pub(super) fn Title(words: &'static PageTexts, item: &DecideItem) -> impl IntoView + use<> {
    view! {
        <span class="item-number">{format!("{}.", item.id)}</span>
        " "
        <span class="item-title">{item.title.clone()}</span>
        {how_to_choose(words, item)}
    }
}

/// The explanation, as harmless HTML.
#[expect(non_snake_case, reason = "it is a component in all but the macro")]
pub(super) fn Context(words: &'static PageTexts, item: &DecideItem) -> impl IntoView + use<> {
    item.context.as_deref().filter(|context| !model::is_blank(context)).map(|context| {
        let fold = is_long(context).then(|| {
            view! {
                <details class="fold">
                    <summary>{words.unfold}</summary>
                </details>
            }
        });
        view! {
            {fold}
            <div class="item-context" inner_html=markdown::to_html(context)></div>
        }
    })
}

/// What is not said by there being options: that several can be chosen, or none.
fn how_to_choose(words: &'static PageTexts, item: &DecideItem) -> Option<impl IntoView + use<>> {
    let (least, most) = item.bounds();
    let range = if least == most { least.to_string() } else { format!("{least}–{most}") };
    let hints = [
        item.multiple.then(|| fill(words.several, &[("range", &range)])),
        (!item.required).then(|| words.optional.to_owned()),
    ];
    let hint: Vec<_> = hints.into_iter().flatten().collect();
    (!hint.is_empty()).then(|| view! { <span class="item-hint">{hint.join(words.separator)}</span> })
}

/// One option: the whole card is its label.
#[expect(non_snake_case, reason = "it is a component in all but the macro")]
fn Choice(
    words: &'static PageTexts,
    item: &DecideItem,
    index: u32,
    option: &DecideOption,
    recommended: bool,
    chosen: bool,
) -> impl IntoView + use<> {
    let label_id = format!("o-{}-{index}", item.id);
    let detail_id = format!("d-{}-{index}", item.id);
    view! {
        <label class="option" data-value=option.value.clone() data-recommended=recommended.to_string()>
            <input
                type=control(item)
                name=form::choice_field(item.id)
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
                {Details(words, option)}
            </span>
        </label>
    }
}

/// What speaks for and against an option.
#[expect(non_snake_case, reason = "it is a component in all but the macro")]
pub(super) fn Details(words: &'static PageTexts, option: &DecideOption) -> impl IntoView + use<> {
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
        {score}
        {Arguments("option-pros", words.pros, option.pros.as_deref())}
        {Arguments("option-cons", words.cons, option.cons.as_deref())}
    }
}

/// An answer in the person's own words, among the options.
#[expect(non_snake_case, reason = "it is a component in all but the macro")]
fn Other(
    words: &'static PageTexts,
    item: &DecideItem,
    position: u32,
    written: &str,
    chosen: bool,
) -> impl IntoView + use<> {
    let field = form::other_field(item.id);
    view! {
        <div class="option other">
            <label>
                <input
                    type=control(item)
                    name=form::choice_field(item.id)
                    value=position.to_string()
                    checked=chosen
                />
                <span class="option-label">{words.other}</span>
            </label>
            <label class="unseen" for=field.clone()>
                {words.other_label}
            </label>
            {TextArea(field, words.other_placeholder, written)}
        </div>
    }
}

/// The way back from having chosen where nothing needs to be.
#[expect(non_snake_case, reason = "it is a component in all but the macro")]
fn LeaveOpen(words: &'static PageTexts, item: u64, chosen: bool) -> impl IntoView + use<> {
    view! {
        <label class="option none">
            <input type="radio" name=form::choice_field(item) value="" checked=chosen />
            <span class="option-label">{words.leave_open}</span>
        </label>
    }
}

fn control(item: &DecideItem) -> &'static str {
    if item.multiple { "checkbox" } else { "radio" }
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
