//! A page that says one thing, in place of a form that cannot be used.

use super::document::{Assets, RenderedPage, render};
use super::masthead::{CurrentPage, Masthead};
use crate::html::markup::IntoMarkup;
use crate::site;
use crate::{NextSet, OtherPages};
use leptos::prelude::*;
use texts::{Lang, PageTexts};

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
    let (title, text) = notice.title_and_text(words);
    let close = (notice.is_end() && next.is_none()).then(|| view! { <p class="close">{words.close}</p> });
    let masthead =
        notice.place().map(|here| view! { <Masthead lang here elsewhere=OtherPages::default() /> });
    render(lang, &format!("{title} · Aide"), assets, || {
        view! {
            {masthead}
            <main>
                <div class="farewell" id="notice">
                    <h1>{title}</h1>
                    <p>{with_command(text)}</p>
                    {notice.quoted().map(|quoted| view! { <blockquote class="reason">{quoted}</blockquote> })}
                    {Commands(notice)}
                    {WayOn(lang, notice)}
                    {DoorButton(words, notice)}
                    {next}
                    {close}
                    {Written(words, notice)}
                </div>
            </main>
        }
    })
}

impl Notice {
    fn title_and_text(&self, words: &'static PageTexts) -> (&'static str, &'static str) {
        match self {
            Self::Stale(_) => (words.stale, words.stale_hint),
            Self::ReturnedBefore(_) => (words.returned, words.returned_already),
            Self::Cancelled => (words.cancelled, words.cancelled_hint),
            Self::Expired => (words.expired, words.expired_hint),
            Self::UnknownAddress(UnknownAddress { settings, .. }) if settings.is_empty() => {
                (words.unknown_address, words.only_addresses_hint)
            }
            Self::UnknownAddress(_) => (words.unknown_address, words.unknown_address_hint),
            Self::NoPage => (words.no_page, words.no_page_hint),
            Self::Door => (words.door, words.door_hint),
            Self::Welcome => (words.welcome, words.welcome_hint),
            Self::LoggedOut => (words.logged_out, words.logged_out_hint),
            Self::NotSent => (words.logged_out, words.not_sent_hint),
            Self::OtherUser => (words.other_user, words.other_user_hint),
            Self::OtherUserNotSent => (words.other_user, words.other_user_not_sent_hint),
            Self::TicketOver => (words.ticket_over, words.ticket_over_hint),
            Self::TooManyTickets => (words.ticket_over, words.too_many_tickets_hint),
        }
    }

    /// The text of a user or a browser that the notice is about.
    fn quoted(&self) -> Option<String> {
        match self {
            Self::ReturnedBefore(message) => Some(message.clone()),
            Self::UnknownAddress(UnknownAddress { address, .. }) => Some(address.clone()),
            _ => None,
        }
    }

    /// The address that the notice leads to, and the name of the link.
    fn way_on(&self, lang: Lang) -> Option<(String, &'static str)> {
        let (words, root) = (lang.page(), || site::address(format_args!("/?lang={}", lang.code())));
        match self {
            Self::NoPage => Some((root(), words.no_page_way_on)),
            Self::Stale(_) => Some((root(), words.reload)),
            Self::Welcome => Some((site::address("/"), words.go_on)),
            // Another page of this browser may have come in: a link from elsewhere is without its cookie, one from here is
            // not.
            Self::LoggedOut | Self::OtherUser | Self::TicketOver => Some((site::address("/"), words.reload)),
            Self::Door
            | Self::UnknownAddress(_)
            | Self::ReturnedBefore(_)
            | Self::Cancelled
            | Self::Expired
            | Self::NotSent
            | Self::OtherUserNotSent
            | Self::TooManyTickets => None,
        }
    }

    /// Whether nothing more happens on the page.
    fn is_end(&self) -> bool {
        matches!(self, Self::ReturnedBefore(_) | Self::Cancelled | Self::Expired)
    }

    /// The place in the masthead; `None` for a page without one. Where the server says nothing of what there is, the masthead is
    /// still the way to it, and to the other language. What was posted would be lost on that way.
    fn place(&self) -> Option<CurrentPage> {
        match self {
            Self::NoPage => Some(CurrentPage::Lost),
            Self::Door | Self::LoggedOut | Self::OtherUser | Self::TicketOver | Self::TooManyTickets => {
                Some(CurrentPage::Outside)
            }
            _ => None,
        }
    }
}

/// The commands that make an unknown address one of the server's.
#[expect(non_snake_case, reason = "it is a component in all but the macro")]
fn Commands(notice: &Notice) -> impl IntoView + use<> {
    let settings = match notice {
        Notice::UnknownAddress(UnknownAddress { settings, .. }) => settings.clone(),
        _ => Vec::new(),
    };
    let commands =
        settings.into_iter().map(|command| view! { <p class="command"><code>{command}</code></p> });
    commands.collect_view()
}

#[expect(non_snake_case, reason = "it is a component in all but the macro")]
fn WayOn(lang: Lang, notice: &Notice) -> impl IntoView + use<> {
    notice.way_on(lang).map(|(href, label)| {
        view! {
            <p>
                <a class="button" href=href>
                    {label}
                </a>
            </p>
        }
    })
}

/// The button that lets in. It goes to the address of this page.
#[expect(non_snake_case, reason = "it is a component in all but the macro")]
fn DoorButton(words: &'static PageTexts, notice: &Notice) -> impl IntoView + use<> {
    (*notice == Notice::Door).then(|| {
        view! {
            <form method="post">
                <p>
                    <button type="submit">{words.door_button}</button>
                </p>
            </form>
        }
    })
}

/// What was written on a page whose questions are not open any more.
#[expect(non_snake_case, reason = "it is a component in all but the macro")]
fn Written(words: &'static PageTexts, notice: &Notice) -> impl IntoView + use<> {
    let texts = match notice {
        Notice::Stale(texts) if !texts.is_empty() => Some(texts.clone()),
        _ => None,
    };
    texts.map(|texts| {
        let texts = texts.into_iter().map(|text| view! { <blockquote class="reason">{text}</blockquote> });
        view! {
            <p>{words.written}</p>
            {texts.collect_view()}
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
