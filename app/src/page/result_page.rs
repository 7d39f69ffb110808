//! How the questions ended: a page after which nothing needs the server again.

use super::document::{Assets, RenderedPage, render, render_counted};
use super::form::title as form_title;
use crate::html::markup::IntoMarkup;
use crate::result::{Summary, delivered, heading};
use crate::site;
use crate::{ChosenItem, Form, NextSet, ResultPage, Undo};
use leptos::prelude::*;
use model::{Origin, Returned, form};
use texts::{Lang, PageTexts};

/// Renders the result of the questions `form` that stands, with a way on to the `next` ones.
pub fn render_result(
    lang: Lang,
    form: &Form,
    farewell: ResultPage,
    chosen: Vec<ChosenItem>,
    next: Option<NextSet>,
    assets: Assets,
) -> RenderedPage {
    let words = lang.page();
    let next = next.map(|next| next.link(lang));
    let (title, hint) = heading(words, farewell);
    let undo = Undo::for_form(form);
    let delivery = delivered(lang, form).filter(|_| undo.is_none());
    let style = undo.as_ref().map(|undo| Undo::style(undo.left)).unwrap_or_default();
    let undo = undo.map(|undo| {
        view! {
            <form method="post" action=site::address(format_args!("/submit?lang={}", lang.code()))>
                <input type="hidden" name=form::SESSION value=undo.session.clone() />
                {undo.button(words)}
            </form>
        }
    });
    render_counted(lang, &form_title(form, lang), assets, &style, 0, || {
        view! {
            <main>
                <Summary words title hint chosen next news=undo />
                {delivery.map(|text| view! { <p class="see-again" id="delivery">{text}</p> })}
                {SeeAgain(words, form)}
            </main>
        }
    })
}

/// Renders that the questions `form` were sent back just now: with which words, which of them were named, and what comes next.
pub fn render_returned(
    lang: Lang,
    form: &Form,
    returned: &Returned,
    next: Option<NextSet>,
    assets: Assets,
) -> RenderedPage {
    let words = lang.page();
    let next = next.map(|next| next.link(lang));
    let input = &*lang.questions(form.questions().input());
    let named = input.items.iter().filter(|item| returned.items.contains(&item.id));
    let named: Vec<_> =
        named.map(|item| view! { <li>{format!("{}. {}", item.id, item.title)}</li> }).collect();
    let named = (!named.is_empty()).then(|| {
        view! {
            <p>{words.returned_items}</p>
            <ul class="named">{named}</ul>
        }
    });
    let message = returned.message.clone();
    let title = format!("{} · {}", words.returned, form_title(form, lang));
    render(lang, &title, assets, || {
        view! {
            <main>
                <section class="farewell" id="notice">
                    <h1>{words.returned}</h1>
                    <p>{words.returned_hint}</p>
                    <blockquote class="reason">{message}</blockquote>
                    {named}
                    {delivered(lang, form).map(|text| view! { <p id="delivery">{text}</p> })}
                    {next.unwrap_or_else(|| view! { <p class="close">{words.close}</p> }.into_markup())}
                </section>
                {SeeAgain(words, form)}
            </main>
        }
    })
}

/// How to come back to a result. The server ends with it, so there is nothing that a link could lead to. On the page of
/// the form it is hidden until there is a result.
#[expect(non_snake_case, reason = "it is a component in all but the macro")]
pub(super) fn SeeAgain(words: &'static PageTexts, form: &Form) -> impl IntoView + use<> {
    let one = format!("aide decide show {}", form.session());
    let is_of_workflow = matches!(form.pending().origin, Origin::Workflow { .. });
    let all = (!is_of_workflow).then(|| view! { <br /> {words.see_all} " " <code>"aide decide list"</code> });
    view! {
        <p class="see-again">
            {words.see_again} " " <code>{one}</code> {all}
        </p>
    }
}
