//! One question.

use super::excerpt::SourceExcerpt;
use super::files::{self, Attach};
use super::sources::Passage;
use super::text_area::{TextArea, TextAreaOf};
use super::{markdown, preview};
use leptos::either::{Either, EitherOf3};
use leptos::prelude::*;
use model::{Answer, Attachment, DecideItem, DecideOption, ItemKind, form, is_blank};
use protocol::workflow::Consent;
use std::borrow::Cow;
use texts::{Lang, PageTexts, fill};

/// The style of what only some questions have: the page of a set of plain choices is not to wait for it.
const STYLE: &str = include_str!("../../../style/kinds.css");
/// The same where files are asked for.
const STYLE_WITH_FILES: &str =
    concat!(include_str!("../../../style/kinds.css"), include_str!("../../../style/files.css"));

/// A user who agrees to a call has seen all of it: nothing of it is out of sight beside the page.
const CONSENT_STYLE: &str =
    "@layer components{.item-context :is(pre,pre code){white-space:pre-wrap;overflow-wrap:anywhere}}";

/// The style that the page of these items needs beside the style sheet of all pages.
pub(crate) fn own_style(items: &[DecideItem]) -> Cow<'static, str> {
    let is_own = |item: &DecideItem| {
        item.kind != ItemKind::Choice
            || item.options.iter().any(|option| description(option).is_some())
            || preview::has_any(item)
    };
    let style = match items.iter().any(is_own) {
        false if matches!(items, [item] if Consent::read(item).is_some()) => CONSENT_STYLE,
        true if files::are_asked(items) => STYLE_WITH_FILES,
        true => STYLE,
        false => "",
    };
    if items.iter().any(preview::has_any) {
        return Cow::Owned([style, preview::STYLE].concat());
    }
    Cow::Borrowed(style)
}

/// An item for which nothing was given, and which names no place in a file, as HTML.
pub(crate) fn untouched_item(lang: Lang, item: &DecideItem) -> String {
    html(lang, item, ItemContext::default())
}

/// What an item is shown with.
#[derive(Default)]
pub(crate) struct ItemContext<'a> {
    /// The lines that it is about.
    pub(crate) passage: Option<Passage>,
    /// The answer so far.
    pub(crate) given: Option<&'a Answer>,
    /// Whether it needs an answer and has one.
    pub(crate) is_done: bool,
    /// Whether it is said that an answer is missing.
    pub(crate) is_missing: bool,
    /// Whether keys act on it, once there is a script that listens to them.
    pub(crate) is_current: bool,
    /// The files that are attached to it.
    pub(crate) attached: &'a [Attachment],
    /// The pictures of the project that its options look like, as addresses; empty where there are none.
    pub(crate) pictures: &'a [Option<String>],
}

impl ItemContext<'_> {
    /// Whether there is nothing to be seen that the blank form does not have.
    pub(crate) fn is_untouched(&self) -> bool {
        matches!(
            self,
            Self {
                passage: None,
                given: None,
                is_done: false,
                is_missing: false,
                is_current: false,
                attached: [],
                pictures: []
            }
        )
    }
}

/// An item as HTML. Nothing of it is hydrated, so that it does without the marks by which the renderer would find its
/// places again; what a person wrote contains none, as it is escaped.
pub(crate) fn html(lang: Lang, item: &DecideItem, shown: ItemContext<'_>) -> String {
    Item(lang, item, shown).to_html().replace(MARK, "")
}

/// What stands where something could be, and between two texts.
const MARK: &str = "<!>";

/// A plain function, not a component: a thousand of them are built for one page.
#[expect(non_snake_case, reason = "it is a component in all but the macro")]
fn Item(lang: Lang, item: &DecideItem, shown: ItemContext<'_>) -> impl IntoView + use<> {
    let ItemContext { passage, given, is_done, is_missing, is_current, attached, pictures } = shown;
    let words = lang.page();
    let id = item.id;
    let recommended = item.recommended();
    let chosen = given.map_or(&[][..], |answer| &answer.options);
    let location = item
        .location
        .as_ref()
        .zip(passage)
        .map(|(location, passage)| SourceExcerpt(words, location, passage));
    let compare = is_comparison(item);
    let options = item.options.iter().zip(0..).map(|(option, index)| {
        let is_recommended = Some(index) == recommended;
        let picture = usize::try_from(index).ok().and_then(|index| pictures.get(index)?.as_deref());
        let preview = preview::to_html(option, picture);
        Choice(words, item, (index, option), compare, is_recommended, chosen.contains(&index), preview)
    });
    let written = given.map_or("", |answer| &answer.other);
    let other = item
        .other_position()
        .map(|position| Other(words, item, position, written, chosen.contains(&position)));
    // Radio buttons cannot be taken back; this one stands for that.
    let none = (!item.required && item.kind == ItemKind::Choice && control(item) == "radio")
        .then(|| LeaveOpen(words, id, chosen.is_empty()));
    let (least, most) = item.bounds();
    let bounded = item.multiple && item.needs_choice();
    let note_id = form::note_field(id);
    let answer = match item.kind {
        ItemKind::Text => EitherOf3::A(Written(words, id, written)),
        ItemKind::Files => EitherOf3::B(Attach(lang, item, attached)),
        ItemKind::Choice | ItemKind::Confirm => EitherOf3::C(view! {
            <div class=list_class(item, compare)>
                {compare.then(|| ColumnHeads(words))}
                {options.collect_view()}
                {other}
                {none}
            </div>
        }),
    };
    view! {
        <fieldset
            class="item"
            id=format!("item-{id}")
            data-item=id.to_string()
            data-optional=(!item.needs_choice()).then_some("")
            data-least=bounded.then(|| least.to_string())
            data-most=bounded.then(|| most.to_string())
            data-current=is_current.then_some("")
            data-done=is_done.then_some("")
            aria-describedby=is_missing.then(|| error_id(id))
        >
            <legend>{Title(words, item)}</legend>
            {is_missing.then(|| view! { <p class="item-error" id=error_id(id)>{missing(words, item)}</p> })}
            {Context(words, item)}
            {location}
            {answer}
            <label class="item-note" for=note_id.clone()>
                {words.note}
            </label>
            {TextArea(note_id, words.note_placeholder, given.map_or("", |answer| &answer.note))}
        </fieldset>
    }
}

fn list_class(item: &DecideItem, compare: bool) -> &'static str {
    match (item.kind, compare) {
        (ItemKind::Confirm, _) => "options-list confirm",
        (_, true) => "options-list compare",
        (_, false) => "options-list",
    }
}

/// The request shown for an item without an answer.
pub(crate) fn missing(words: &PageTexts, item: &DecideItem) -> &'static str {
    match item.kind {
        ItemKind::Choice => words.incomplete_item,
        ItemKind::Text => words.incomplete_text,
        ItemKind::Confirm => words.incomplete_confirm,
        ItemKind::Files => words.incomplete_files,
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
    let is_described = |option: &&DecideOption| option.score.is_some() && is_argued(option);
    // A row of a table is no place for a text.
    let has_text = item.options.iter().any(|option| description(option).is_some()) || preview::has_any(item);
    item.options.len() > 2 && !has_text && item.options.iter().filter(is_described).count() > 1
}

/// Whether something speaks for an option, or against it.
fn is_argued(option: &DecideOption) -> bool {
    [&option.pros, &option.cons].into_iter().flatten().any(|list| !list.is_empty())
}

/// The longer explanation of an option, if it says anything.
fn description(option: &DecideOption) -> Option<&str> {
    option.description.as_deref().filter(|description| !is_blank(description))
}

/// The same as harmless HTML.
pub(crate) fn description_html(option: &DecideOption) -> Option<String> {
    description(option).map(markdown::to_html)
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
pub(crate) fn Title(words: &'static PageTexts, item: &DecideItem) -> impl IntoView + use<> {
    view! {
        {format!("{}. {}", item.id, item.title)}
        {how_to_choose(words, item)}
    }
}

/// The explanation, as harmless HTML.
#[expect(non_snake_case, reason = "it is a component in all but the macro")]
pub(crate) fn Context(words: &'static PageTexts, item: &DecideItem) -> impl IntoView + use<> {
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
    (!hint.is_empty()).then(|| view! { " " <span class="item-hint">{hint.join(words.separator)}</span> })
}

/// One option: the whole card is its label.
#[expect(non_snake_case, reason = "it is a component in all but the macro")]
fn Choice(
    words: &'static PageTexts,
    item: &DecideItem,
    (index, option): (u32, &DecideOption),
    compare: bool,
    recommended: bool,
    chosen: bool,
    preview: Option<String>,
) -> impl IntoView + use<> {
    let label_id = format!("o-{}-{index}", item.id);
    let has_details = option.score.is_some() || is_argued(option);
    let detail_id = has_details.then(|| format!("d-{}-{index}", item.id));
    let details = detail_id
        .clone()
        .map(|id| view! { <span class="option-details" id=id>{Details(words, option, compare)}</span> });
    let about = description_html(option).map(|html| (format!("e-{}-{index}", item.id), html));
    let described_by = match (&about, detail_id) {
        (Some((about_id, _)), Some(detail_id)) => Some(format!("{about_id} {detail_id}")),
        (Some((about_id, _)), None) => Some(about_id.clone()),
        (None, detail_id) => detail_id,
    };
    let head = view! {
        <input
            type=control(item)
            name=form::choice_field(item.id)
            value=index.to_string()
            checked=chosen
            aria-labelledby=label_id.clone()
            aria-describedby=described_by
        />
        <span class="option-label" id=label_id>
            {option.label.clone()}
            {recommended.then(|| view! { " " <span class="mark">{words.recommended}</span> })}
        </span>
    };
    let (value, recommended) = (option.value.clone(), recommended.to_string());
    match (about, preview) {
        // A label holds no paragraphs, so that the explanation stands beside it. Its style makes all of the card the label.
        (Some((about_id, html)), None) => EitherOf3::A(view! {
            <div class="option described" data-value=value data-recommended=recommended>
                <label>{head}</label>
                <div class="item-context" id=about_id inner_html=html></div>
                {details}
            </div>
        }),
        (about, Some(preview)) => {
            let about =
                about.map(|(id, html)| view! { <div class="item-context" id=id inner_html=html></div> });
            EitherOf3::B(view! {
                <div class="option described" data-value=value data-recommended=recommended>
                    <label>{head}</label>
                    {about}
                    <div class="item-context preview" inner_html=preview></div>
                    {details}
                </div>
            })
        }
        (None, None) => EitherOf3::C(view! {
            <label class="option" data-value=value data-recommended=recommended>
                {head}
                {details}
            </label>
        }),
    }
}

/// What speaks for and against an option. Signs and colours come from the style sheet, and so do the words for those who
/// hear the page ([`heard_words`]).
#[expect(non_snake_case, reason = "it is a component in all but the macro")]
pub(crate) fn Details(
    words: &'static PageTexts,
    option: &DecideOption,
    compare: bool,
) -> impl IntoView + use<> {
    let score = option.score.map(|score| {
        let class = format!("option-score {}", meter(score));
        let score = score.to_string();
        match words.score.split_once("{score}").filter(|_| compare) {
            // The head of the column says what it is.
            Some((word, after)) => Either::Left(view! {
                <span class=class>
                    <span>
                        <span class="score-word">{word}</span>
                        {score}
                        {after}
                    </span>
                </span>
            }),
            None => {
                Either::Right(view! { <span class=class>{fill(words.score, &[("score", &score)])}</span> })
            }
        }
    });
    let pros = Arguments("option-pro", option.pros.as_deref());
    let cons = Arguments("option-con", option.cons.as_deref());
    // In a table each list is a cell.
    let arguments = if compare {
        Either::Left(view! { <span class="cell">{pros}</span><span class="cell">{cons}</span> })
    } else {
        Either::Right(view! { {pros} {cons} })
    };
    view! {
        {score}
        {arguments}
    }
}

/// How far the bar of a score is filled, as the classes of tens and units: the policy of the page allows no style in an
/// attribute.
fn meter(score: f64) -> String {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is from 0 to 100")]
    let percent = score.round() as u8;
    format!("t{} u{}", percent / 10, percent % 10)
}

/// The words that the style sheet says before each argument, as a style sheet.
pub(crate) fn heard_words(words: &PageTexts) -> String {
    format!(":root{{--pros:\"{}: \";--cons:\"{}: \"}}", words.pros, words.cons)
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

/// The field of an item that is answered in words. The radio button of these words is always chosen and never seen: an
/// answer is counted, kept and sent as where words are one of several answers, and keys find it. Tab passes it over.
#[expect(non_snake_case, reason = "it is a component in all but the macro")]
fn Written(words: &'static PageTexts, item: u64, written: &str) -> impl IntoView + use<> {
    let field = form::other_field(item);
    let label_id = format!("o-{item}-0");
    view! {
        <div class="other written">
            <input
                type="radio"
                class="unseen"
                tabindex="-1"
                name=form::choice_field(item)
                value="0"
                checked
                aria-labelledby=label_id.clone()
            />
            <label class="location-label" id=label_id for=field.clone()>
                {words.answer}
            </label>
            {TextAreaOf("5", field, words.answer_placeholder, written, false)}
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
    // What is confirmed can be taken back as easily.
    if item.multiple || item.kind == ItemKind::Confirm { "checkbox" } else { "radio" }
}

#[expect(non_snake_case, reason = "it is a component in all but the macro")]
fn Arguments(class: &'static str, arguments: Option<&[String]>) -> impl IntoView + use<> {
    let arguments = arguments.unwrap_or_default().iter();
    arguments.map(|argument| view! { <span class=class>{argument.clone()}</span> }).collect_view()
}

fn error_id(item: u64) -> String {
    format!("item-{item}-error")
}
