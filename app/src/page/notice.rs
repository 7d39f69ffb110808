//! A page that says one thing, in place of a form that cannot be used.

use super::document::{Assets, RenderedPage, render};
use super::masthead::{CurrentPage, Masthead};
use crate::html::markup::IntoMarkup;
use crate::site;
use crate::{NextSet, OtherPages};
use leptos::prelude::*;
use texts::Lang;

/// What it says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// The page that posted shows other questions than the open ones. The text written there is shown once more: there is no
    /// other copy.
    Stale(Vec<String>),
    /// They were sent back before this page was, with these words.
    ReturnedBefore(String),
    /// They were cancelled before this page was.
    Cancelled,
    /// Their deadline had passed before this page was sent.
    Expired,
    /// There is no page of this address.
    NoPage,
    /// The browser has opened the server by an address that is none of its own.
    UnknownAddress(UnknownAddress),
    /// The link lets in: a button sends it.
    Door,
    /// The person has come in.
    Welcome,
    /// A login is needed.
    LoggedOut,
    /// A login is needed, and what was sent did not arrive.
    NotSent,
    /// A login is needed, because another user of this machine runs the server.
    OtherUser,
    /// The same, and what was sent did not arrive.
    OtherUserNotSent,
    /// The link does not let in any more.
    TicketOver,
    /// Too many such links were tried.
    TooManyTickets,
}

/// An address that a browser has opened, and that is none of the server's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownAddress {
    /// The host, with its port if it has one.
    pub address: String,
    /// The commands that make it one of the server's; none where no setting does.
    pub settings: Vec<String>,
}

/// Renders the notice, with a way on if there is one.
pub fn render_notice(lang: Lang, notice: &Notice, assets: Assets) -> RenderedPage {
    render_notice_before(lang, notice, None, assets)
}

/// The same with a way on to the `next` questions.
pub fn render_notice_before(
    lang: Lang,
    notice: &Notice,
    next: Option<NextSet>,
    assets: Assets,
) -> RenderedPage {
    let words = lang.page();
    let next = next.map(|next| next.link(lang));
    let (title, text, quoted) = match notice {
        Notice::Stale(_) => (words.stale, words.stale_hint, None),
        Notice::ReturnedBefore(message) => (words.returned, words.returned_already, Some(message.clone())),
        Notice::Cancelled => (words.cancelled, words.cancelled_hint, None),
        Notice::Expired => (words.expired, words.expired_hint, None),
        Notice::UnknownAddress(UnknownAddress { address, settings }) => {
            let hint =
                if settings.is_empty() { words.only_addresses_hint } else { words.unknown_address_hint };
            (words.unknown_address, hint, Some(address.clone()))
        }
        Notice::NoPage => (words.no_page, words.no_page_hint, None),
        Notice::Door => (words.door, words.door_hint, None),
        Notice::Welcome => (words.welcome, words.welcome_hint, None),
        Notice::LoggedOut => (words.logged_out, words.logged_out_hint, None),
        Notice::NotSent => (words.logged_out, words.not_sent_hint, None),
        Notice::OtherUser => (words.other_user, words.other_user_hint, None),
        Notice::OtherUserNotSent => (words.other_user, words.other_user_not_sent_hint, None),
        Notice::TicketOver => (words.ticket_over, words.ticket_over_hint, None),
        Notice::TooManyTickets => (words.ticket_over, words.too_many_tickets_hint, None),
    };
    let way_on = match notice {
        Notice::NoPage => Some((site::address(format_args!("/?lang={}", lang.code())), words.no_page_way_on)),
        Notice::Stale(_) => Some((site::address(format_args!("/?lang={}", lang.code())), words.reload)),
        Notice::Welcome => Some((site::address("/"), words.go_on)),
        // Another page of this browser may have come in: a link from elsewhere is without its cookie, one from here is
        // not.
        Notice::LoggedOut | Notice::OtherUser | Notice::TicketOver => {
            Some((site::address("/"), words.reload))
        }
        Notice::Door
        | Notice::UnknownAddress(_)
        | Notice::ReturnedBefore(_)
        | Notice::Cancelled
        | Notice::Expired
        | Notice::NotSent
        | Notice::OtherUserNotSent
        | Notice::TooManyTickets => None,
    };
    let reload = way_on.map(|(href, label)| {
        view! {
            <p>
                <a class="button" href=href>
                    {label}
                </a>
            </p>
        }
    });
    // It goes to the address of this page.
    let door = (*notice == Notice::Door).then(|| {
        view! {
            <form method="post">
                <p>
                    <button type="submit">{words.door_button}</button>
                </p>
            </form>
        }
    });
    let settings = match notice {
        Notice::UnknownAddress(UnknownAddress { settings, .. }) => settings.clone(),
        _ => Vec::new(),
    };
    let settings =
        settings.into_iter().map(|command| view! { <p class="command"><code>{command}</code></p> });
    let settings = settings.collect_view();
    let written = match notice {
        Notice::Stale(texts) if !texts.is_empty() => Some(texts.clone()),
        _ => None,
    };
    let written = written.map(|texts| {
        let texts = texts.into_iter().map(|text| view! { <blockquote class="reason">{text}</blockquote> });
        view! {
            <p>{words.written}</p>
            {texts.collect_view()}
        }
    });
    // Nothing more happens here.
    let is_end = matches!(notice, Notice::ReturnedBefore(_) | Notice::Cancelled | Notice::Expired);
    let close = (is_end && next.is_none()).then(|| view! { <p class="close">{words.close}</p> });
    // Where the server says nothing of what there is, it is still the way to it, and to the other language. What was posted
    // would be lost on that way.
    let here = match notice {
        Notice::NoPage => Some(CurrentPage::Lost),
        Notice::Door
        | Notice::LoggedOut
        | Notice::OtherUser
        | Notice::TicketOver
        | Notice::TooManyTickets => Some(CurrentPage::Outside),
        _ => None,
    };
    let masthead = here.map(|here| view! { <Masthead lang here elsewhere=OtherPages::default() /> });
    render(lang, &format!("{title} · Aide"), assets, || {
        view! {
            {masthead}
            <main>
                <div class="farewell" id="notice">
                    <h1>{title}</h1>
                    <p>{with_command(text)}</p>
                    {quoted.map(|quoted| view! { <blockquote class="reason">{quoted}</blockquote> })}
                    {settings}
                    {reload}
                    {door}
                    {next}
                    {close}
                    {written}
                </div>
            </main>
        }
    })
}

/// The text, with the command that it may name set apart.
fn with_command(text: &'static str) -> impl IntoView {
    // The longer one first.
    const COMMANDS: [&str; 2] = ["aide decide open --link", "aide decide open"];
    let parts = |command| text.split_once(command).map(|(before, after)| (before, command, after));
    match COMMANDS.into_iter().find_map(parts) {
        Some((before, command, after)) => view! { {before}<code>{command}</code>{after} }.into_markup(),
        None => text.into_markup(),
    }
}
