//! The form as plain HTML.

use super::Shared;
use crate::answer::html;
use crate::assets::{HYDRATED, LAST, PLAIN};
use crate::gate::RequestLang;
use app::{Arrival, Complaint, Farewell, Notice, Session, Shown};
use axum::body::Bytes;
use axum::extract::State;
use axum::response::{IntoResponse, Redirect, Response};
use decide::Refusal;
use http::{StatusCode, Uri};
use model::form::{self, Action, Post};
use model::{AnswerSheet, Ending, Via};
use std::sync::Arc;
use texts::Lang;

/// Somebody asks again for the address of a form that came back.
pub(super) async fn back(uri: Uri) -> Redirect {
    match uri.query() {
        Some(query) => Redirect::to(&format!("/?{query}")),
        None => Redirect::to("/"),
    }
}

/// `POST /submit`. The answer is a complete page: nothing has to be fetched from a server that may be
/// gone by then.
pub(super) async fn submit(
    State(shared): State<Arc<Shared>>,
    RequestLang(lang): RequestLang,
    body: Bytes,
) -> Response {
    let session = &shared.session;
    let mut post = form::read(form_urlencoded::parse(&body));
    // What a page says is about the questions it shows, whatever is to be done with it.
    if let Err(refusal) = session.check_current(&post.session) {
        return refused_form(session, lang, &post, refusal);
    }
    let page = match post.action {
        Action::Recommend | Action::Show | Action::Extend => {
            match (post.action, session.time_limit()) {
                (Action::Recommend, _) => post.sheet.take_recommendations(session.questions().input()),
                (Action::Extend, Some(limit)) => limit.extend(),
                _ => {}
            }
            keep_draft(session, &post.session, &post.sheet);
            let shown = Shown { sheet: &post.sheet, complaint: None, arrival: Arrival::Back };
            Ok(app::render_form(session, lang, shown, HYDRATED))
        }
        Action::Review => {
            keep_draft(session, &post.session, &post.sheet);
            Ok(app::render_review(session, lang, &post.sheet, PLAIN))
        }
        // Whoever leaves takes nothing along: what cannot be kept is shown again.
        Action::History => match session.save_draft(&post.session, &post.sheet, Via::Form) {
            Ok(()) => return Redirect::to(&format!("/history?lang={}", lang.code())).into_response(),
            Err(refusal) => return refused_form(session, lang, &post, refusal),
        },
        Action::Submit => session
            .submit_sheet(&post.session, &post.sheet, Via::Form)
            .map(|chosen| app::render_farewell(lang, session.id(), Farewell::Decided, chosen, LAST)),
        Action::Return => session
            .send_back(&post.session, &post.sheet.returned.clone().unwrap_or_default(), Via::Form)
            .map(|returned| app::render_notice(lang, &Notice::Returned(returned.message), LAST)),
    };
    match page {
        Ok(page) => html(StatusCode::OK, page),
        Err(refusal) => {
            keep_draft(session, &post.session, &post.sheet);
            refused_form(session, lang, &post, refusal)
        }
    }
}

fn refused_form(session: &Session, lang: Lang, post: &Post, refusal: Refusal) -> Response {
    let status = app::status_of(&refusal);
    let detail = app::detail_of(&refusal, lang);
    let page = match refusal {
        Refusal::Ended(ending @ Ending::Decided(_)) => {
            let chosen = session.chosen_of(&ending);
            app::render_farewell(lang, session.id(), Farewell::DecidedElsewhere, chosen, LAST)
        }
        Refusal::Stale | Refusal::Ended(Ending::Replaced(_)) => {
            app::render_notice(lang, &Notice::Stale(post.sheet.texts()), LAST)
        }
        Refusal::Ended(Ending::Returned(returned)) => {
            app::render_notice(lang, &Notice::ReturnedBefore(returned.message), LAST)
        }
        Refusal::Ended(Ending::Cancelled) => app::render_notice(lang, &Notice::Cancelled, LAST),
        Refusal::NoReason | Refusal::Invalid(_) | Refusal::NotJson(_) | Refusal::Storage(_) => {
            let complaint = match post.action {
                Action::Return => Complaint::Return(&detail),
                _ => Complaint::Submit(&detail),
            };
            let shown = Shown { sheet: &post.sheet, complaint: Some(complaint), arrival: Arrival::Back };
            app::render_form(session, lang, shown, HYDRATED)
        }
    };
    html(status, page)
}

/// What was posted is shown again in any case; that it also survives this process is worth a try, not a failure.
fn keep_draft(session: &Session, page_session: &str, sheet: &AnswerSheet) {
    let _ = session.save_draft(page_session, sheet, Via::Form);
}
