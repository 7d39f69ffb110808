//! The form as plain HTML.

use super::Shared;
use crate::answer::html;
use crate::assets::{HYDRATED, LAST, PLAIN};
use crate::gate::RequestLang;
use app::{Arrival, Complaint, Farewell, Form, Hall, NextSet, Notice, Rendered, Shown};
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
    let post = form::read(form_urlencoded::parse(&body));
    // What a page says is about the questions it shows, whatever is to be done with it.
    match shared.hall.form_named(&post.session) {
        Some(form) => Submission { hall: &shared.hall, form: &form, lang }.take(post),
        None => stale(lang, &post),
    }
}

/// What came from the form of one set.
struct Submission<'s> {
    hall: &'s Hall,
    form: &'s Form,
    lang: Lang,
}

impl Submission<'_> {
    fn take(&self, mut post: Post) -> Response {
        let Self { form, lang, .. } = *self;
        let page = match post.action {
            Action::Recommend | Action::Show | Action::Extend => {
                match (post.action, form.time_limit()) {
                    (Action::Recommend, _) => post.sheet.take_recommendations(form.questions().input()),
                    (Action::Extend, Some(limit)) => limit.extend(),
                    _ => {}
                }
                self.keep_draft(&post.sheet);
                Ok(self.shown(&post.sheet, None))
            }
            Action::Review => {
                self.keep_draft(&post.sheet);
                Ok(app::render_review(form, lang, &post.sheet, self.waiting(), PLAIN))
            }
            // Whoever leaves takes nothing along: what cannot be kept is shown again.
            Action::History | Action::Inbox => match form.save_draft(&post.sheet, Via::Form) {
                Ok(()) => {
                    let path = if post.action == Action::History { "/history" } else { "/" };
                    return Redirect::to(&format!("{path}?lang={}", lang.code())).into_response();
                }
                Err(refusal) => return self.refused(&post, refusal),
            },
            Action::Submit => form.submit_sheet(&post.sheet, Via::Form).map(|chosen| {
                app::render_farewell(lang, form.session(), Farewell::Decided, chosen, self.next(), LAST)
            }),
            Action::Return => {
                let sent_back = form.send_back(&post.sheet.returned.clone().unwrap_or_default(), Via::Form);
                sent_back.map(|returned| {
                    let notice = Notice::Returned(returned.message);
                    app::render_notice_before(lang, &notice, self.next(), LAST)
                })
            }
        };
        match page {
            Ok(page) => html(StatusCode::OK, page),
            Err(refusal) => {
                self.keep_draft(&post.sheet);
                self.refused(&post, refusal)
            }
        }
    }

    fn waiting(&self) -> usize {
        self.hall.waiting_beside(self.form.id())
    }

    fn next(&self) -> Option<NextSet> {
        self.hall.next_after(self.form.id()).map(NextSet::new)
    }

    fn shown(&self, sheet: &AnswerSheet, complaint: Option<Complaint<'_>>) -> Rendered {
        let shown = Shown { sheet, complaint, arrival: Arrival::Back, waiting: self.waiting() };
        app::render_form(self.form, self.lang, shown, HYDRATED)
    }

    fn refused(&self, post: &Post, refusal: Refusal) -> Response {
        let Self { form, lang, .. } = *self;
        let status = app::status_of(&refusal);
        let notice = |notice| app::render_notice_before(lang, &notice, self.next(), LAST);
        let page = match refusal {
            Refusal::Ended(ending @ Ending::Decided(_)) => {
                let (chosen, how) = (form.chosen_of(&ending), Farewell::DecidedElsewhere);
                app::render_farewell(lang, form.session(), how, chosen, self.next(), LAST)
            }
            Refusal::Stale | Refusal::Ended(Ending::Replaced(_)) => return stale(lang, post),
            Refusal::Ended(Ending::Returned(returned)) => notice(Notice::ReturnedBefore(returned.message)),
            Refusal::Ended(Ending::Cancelled) => notice(Notice::Cancelled),
            Refusal::Ended(Ending::Expired(_)) => notice(Notice::Expired),
            Refusal::NoReason
            | Refusal::Invalid(_)
            | Refusal::NotJson(_)
            | Refusal::FilesChanged
            | Refusal::Storage(_) => {
                let detail = app::detail_of(&refusal, lang);
                let complaint = match post.action {
                    Action::Return => Complaint::Return(&detail),
                    _ => Complaint::Submit(&detail),
                };
                self.shown(&post.sheet, Some(complaint))
            }
        };
        html(status, page)
    }

    /// What was posted is shown again in any case; that it also survives this process is worth a try, not a failure.
    fn keep_draft(&self, sheet: &AnswerSheet) {
        let _ = self.form.save_draft(sheet, Via::Form);
    }
}

/// The page that posted shows other questions than are open.
fn stale(lang: Lang, post: &Post) -> Response {
    let page = app::render_notice(lang, &Notice::Stale(post.sheet.texts()), LAST);
    html(app::status_of(&Refusal::Stale), page)
}
