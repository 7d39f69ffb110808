//! The form as plain HTML.

use super::Shared;
use super::files::{self, FileRejection, UploadNames};
use crate::InFlight;
use crate::answer::html;
use crate::assets::{HYDRATED, LAST, PLAIN};
use crate::gate::RequestLang;
use crate::multipart::{Part, PartError, Parts};
use app::site;
use app::{
    Arrival, Form, FormContext, FormError, Hall, NextSet, Notice, OtherPages, RenderedPage, ResultPage,
};
use axum::body::Bytes;
use axum::extract::{Path, Request, State};
use axum::response::{IntoResponse, Redirect, Response};
use decide::SubmitError;
use http::{StatusCode, Uri};
use model::form::{self, Action, Post};
use model::{AnswerSheet, DecideItem, Ending, ItemKind, Via};
use std::sync::Arc;
use texts::{Lang, fill};

/// Redirects to the page when the address of a redisplayed form is requested again.
pub(super) async fn back(uri: Uri) -> Redirect {
    match uri.query() {
        Some(query) => Redirect::to(&site::address(format_args!("/?{query}"))),
        None => Redirect::to(&site::address("/")),
    }
}

/// The same for the form of one set.
pub(super) async fn back_to(Path(set): Path<String>, uri: Uri) -> Redirect {
    match uri.query() {
        Some(query) => Redirect::to(&site::address(format_args!("/d/{set}?{query}"))),
        None => Redirect::to(&site::address(format_args!("/d/{set}"))),
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
    // A submission is for the questions that its page shows, whatever its action.
    match shared.hall.form_named(&post.session) {
        Some(form) => Submission { hall: &shared.hall, form: &form, lang, via: via_of(&post) }.take(post),
        None => stale(lang, &post),
    }
}

/// `POST /d/{session}/submit`: the same with files.
pub(super) async fn submit_files(
    State(shared): State<Arc<Shared>>,
    RequestLang(lang): RequestLang,
    Path(set): Path<String>,
    request: Request,
) -> Response {
    let not_attached = |refused: FileRejection| refused.respond(lang, lang.uploads().not_attached);
    let hall = Arc::clone(&shared.hall);
    let form = match shared.hall.reads().run("a set of questions", move || hall.form_named(&set)).await {
        Ok(form) => form,
        Err(error) => return not_attached(error.into()),
    };
    let in_flight = files::in_flight(&request);
    let fields = match Fields::read(form.as_ref(), request, &in_flight).await {
        Ok(fields) => fields,
        Err(error) => return not_attached(FileRejection::Part(error)),
    };
    // Its answer is waited for, though something may stand behind the last part.
    in_flight.answering();
    let answered = in_flight.write("a form with files", move || {
        let post = form::read(fields.texts.iter().map(|(name, value)| (name, value)));
        match form.filter(|form| form.id().to_string() == post.session) {
            Some(form) => Submission { hall: &shared.hall, form: &form, lang, via: via_of(&post) }
                .take_with(post, fields),
            None => stale(lang, &post),
        }
    });
    answered.await.unwrap_or_else(|error| not_attached(error.into()))
}

/// What a form with files has brought; the files are attached already.
#[derive(Debug, Default)]
struct Fields {
    texts: Vec<(String, String)>,
    /// The first file that was not attached, and why.
    refused: Option<(String, FileRejection)>,
}

impl Fields {
    /// How much may stand in the fields that are no files: as much as in a form without.
    const TEXT_LIMIT: usize = 1 << 20;
    /// Maximum number of fields of a form whose questions are no longer known: its content is shown once more.
    const UNKNOWN_LIMIT: usize = 1000;

    async fn read(
        form: Option<&Arc<Form>>,
        request: Request,
        in_flight: &InFlight,
    ) -> Result<Self, PartError> {
        let (head, body) = request.into_parts();
        let most = form.map_or(Self::UNKNOWN_LIMIT, |form| most_fields(form));
        let mut parts = Parts::new(&head.headers, body, most)?;
        let (mut fields, mut left) = (Self::default(), Self::TEXT_LIMIT);
        let mut names = UploadNames::default();
        while let Some(part) = parts.next().await? {
            match (part.file_name(), form, form::files_id(part.name())) {
                (None, ..) => {
                    let name = part.name().to_owned();
                    left = left.checked_sub(name.len()).ok_or(PartError::TooLong)?;
                    fields.texts.push((name, part.text(&mut left).await?));
                }
                // A field in which nothing is chosen has no name.
                (Some(name), Some(form), Some(item)) if !name.is_empty() && asks_for_files(form, item) => {
                    let name = names.take(item, name);
                    fields.attach(form, item, &name, part, in_flight).await?;
                }
                _ => part.skip().await?,
            }
        }
        Ok(fields)
    }

    /// Attaches one. Only a body that cannot be read to its end is an error.
    async fn attach(
        &mut self,
        form: &Arc<Form>,
        item: u64,
        name: &str,
        mut part: Part,
        in_flight: &InFlight,
    ) -> Result<(), PartError> {
        match files::store(form, item, name, &mut part, in_flight).await {
            Ok(()) => Ok(()),
            Err(FileRejection::Part(error)) => Err(error),
            Err(refused) => {
                self.refused.get_or_insert((name.to_owned(), refused));
                // What comes after it is still to be taken.
                part.skip().await
            }
        }
    }
}

fn asks_for_files(form: &Form, item: u64) -> bool {
    let items = &form.questions().input().items;
    items.iter().any(|asked| asked.id == item && asked.kind == ItemKind::Files)
}

/// How many fields the form of these questions can have.
fn most_fields(form: &Form) -> usize {
    // Besides the options: words, note, the way to leave it open, whether it is meant where all is sent back.
    let of_item = |item: &DecideItem| {
        let files = if item.kind == ItemKind::Files { item.file_bounds().1 + 1 } else { 0 };
        item.options.len() + files + 5
    };
    // And the set, the button, and why all is sent back.
    form.questions().input().items.iter().map(of_item).sum::<usize>() + 8
}

/// What came from the form of one set.
struct Submission<'s> {
    hall: &'s Hall,
    form: &'s Arc<Form>,
    lang: Lang,
    via: Via,
}

/// By which door a post has come: a page with script posts some of what it sends as a plain form does.
fn via_of(post: &Post) -> Via {
    if post.is_scripted { Via::Page } else { Via::Form }
}

impl Submission<'_> {
    /// Takes what came with files.
    fn take_with(&self, mut post: Post, fields: Fields) -> Response {
        let Self { form, lang, .. } = *self;
        let pressed = fields.texts.iter().find(|(name, _)| name == form::REMOVE);
        if let Some((_, value)) = pressed {
            post.action = Action::Show;
            if let Some((item, name)) = form::removal(value) {
                // A file that is gone already counts as removed. The page still shows a file that cannot be removed.
                let _ = form.detach(item, name);
            }
        }
        form.settle(&mut post.sheet);
        match fields.refused {
            // Questions that are sent back need no files. If they have ended, `take` shows how.
            Some((name, refused)) if post.action != Action::Return && form.look().is_none() => {
                let detail = refused.detail(lang);
                let detail = fill(lang.uploads().failed, &[("name", &name), ("detail", &detail)]);
                self.keep_draft(&post.sheet);
                html(refused.status(), self.shown(&post.sheet, Some(FormError::Submit(&detail))))
            }
            _ => self.take(post),
        }
    }

    fn take(&self, mut post: Post) -> Response {
        let Self { form, lang, .. } = *self;
        form.settle(&mut post.sheet);
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
                Ok(app::render_review(form, lang, &post, self.elsewhere(), PLAIN))
            }
            // Leaving the page loses unsaved input, so input that cannot be saved is shown again.
            Action::History | Action::Inbox => match form.save_draft(&post.sheet, self.via) {
                Ok(()) => {
                    let path = match post.action {
                        Action::History => format!("{}/history", app::room_path(form.id().room())),
                        _ => site::address("/"),
                    };
                    return Redirect::to(&format!("{path}?lang={}", lang.code())).into_response();
                }
                Err(refusal) => return self.refused(&post, refusal),
            },
            Action::Submit => form
                .submit_sheet(&post.sheet, self.via, self.hall.undo_of(form))
                .map(|ending| (ResultPage::from_ending(&ending), form.chosen_of(&ending, lang)))
                .map(|(how, chosen)| app::render_result(lang, form, how, chosen, self.next(), LAST)),
            Action::TakeBack => self.take_back(),
            Action::Return => {
                // A corrected set begins with what was answered.
                self.keep_draft(&post.sheet);
                let sent_back = form.send_back(&post.sheet.returned.clone().unwrap_or_default(), self.via);
                sent_back.map(|returned| app::render_returned(lang, form, &returned, self.next(), LAST))
            }
        };
        if page.is_err() && form.ending().is_some() {
            self.hall.page_knows_end(form);
        }
        match page {
            Ok(page) => html(StatusCode::OK, page),
            Err(refusal) => {
                self.keep_draft(&post.sheet);
                self.refused(&post, refusal)
            }
        }
    }

    /// Shows the questions again whose answers were taken back; how they have ended when that comes too late.
    fn take_back(&self) -> Result<RenderedPage, SubmitError> {
        let is_open = self.form.take_back()? || self.form.look().is_none();
        if is_open {
            return Ok(self.shown_after(Arrival::TakenBack, &self.form.draft(), None));
        }
        self.form.check_open()?;
        Err(SubmitError::Stale)
    }

    fn elsewhere(&self) -> OtherPages {
        self.hall.elsewhere_than(self.form.id())
    }

    fn next(&self) -> Option<NextSet> {
        NextSet::after(self.hall, self.form)
    }

    fn shown(&self, sheet: &AnswerSheet, complaint: Option<FormError<'_>>) -> RenderedPage {
        self.shown_after(Arrival::Back, sheet, complaint)
    }

    fn shown_after(
        &self,
        arrival: Arrival<'_>,
        sheet: &AnswerSheet,
        complaint: Option<FormError<'_>>,
    ) -> RenderedPage {
        let elsewhere = self.elsewhere();
        let undo = self.hall.undo_of(self.form);
        let shown = FormContext { sheet, complaint, arrival, elsewhere, undo };
        app::render_form(self.form, self.lang, shown, HYDRATED)
    }

    fn refused(&self, post: &Post, refusal: SubmitError) -> Response {
        let Self { form, lang, .. } = *self;
        let status = app::status_of(&refusal);
        let notice = |notice| app::render_notice_before(lang, &notice, self.next(), LAST);
        let page = match refusal {
            SubmitError::Ended(ending @ Ending::Decided(_)) => {
                let (chosen, how) = (form.chosen_of(&ending, lang), ResultPage::DecidedElsewhere);
                app::render_result(lang, form, how, chosen, self.next(), LAST)
            }
            SubmitError::Stale | SubmitError::Ended(Ending::Replaced(_)) => return stale(lang, post),
            SubmitError::Ended(Ending::Returned(returned)) => {
                notice(Notice::ReturnedBefore(returned.message))
            }
            SubmitError::Ended(Ending::Cancelled) => notice(Notice::Cancelled),
            SubmitError::Ended(Ending::Expired(_)) => notice(Notice::Expired),
            SubmitError::NoReason
            | SubmitError::Invalid(_)
            | SubmitError::NotJson(_)
            | SubmitError::FilesChanged
            | SubmitError::Storage(_) => {
                let detail = app::detail_of(&refusal, lang);
                let complaint = match post.action {
                    Action::Return => FormError::Return(&detail),
                    _ => FormError::Submit(&detail),
                };
                self.shown(&post.sheet, Some(complaint))
            }
        };
        html(status, page)
    }

    /// What was posted is shown again in any case; that it also survives this process is worth a try, not a failure.
    fn keep_draft(&self, sheet: &AnswerSheet) {
        let _ = self.form.save_draft(sheet, self.via);
    }
}

/// The page that posted shows other questions than are open.
fn stale(lang: Lang, post: &Post) -> Response {
    let page = app::render_notice(lang, &Notice::Stale(post.sheet.texts()), LAST);
    html(app::status_of(&SubmitError::Stale), page)
}
