//! The server functions: the body runs on the server, with the store at hand; the browser gets a typed call.

use crate::SubmitFailure;
use leptos::prelude::*;
use model::AnswerSheet;
use server_fn::codec::Json;

/// Submits the answers of the hydrated page. Winning ends the `aide` command. Returns what the page then shows, as HTML.
///
/// `session` names the questions that the page shows, `lang` the language it shows them in.
#[server(prefix = "/fn", endpoint = "submit", input = Json, output = Json)]
pub async fn submit(session: String, lang: String, sheet: AnswerSheet) -> Result<String, SubmitFailure> {
    let call = Call::new(&session, &lang);
    let form = call.form()?;
    let submitted = form.submit_sheet(&sheet, model::Via::Page, call.hall.undo_of(form));
    if submitted.is_err() && form.ending().is_some() {
        call.hall.page_knows_end(form);
    }
    let ending = submitted.map_err(|refusal| call.refuse(refusal))?;
    let chosen = form.chosen_of(&ending, call.lang);
    let undo = crate::Undo::for_form(form);
    let gone = crate::result::asker_gone(call.lang, form);
    Ok(crate::result::decided_html(
        call.lang,
        crate::ResultPage::from_ending(&ending),
        chosen,
        (undo, gone),
        call.next(),
    ))
}

/// Keeps what the person has given so far, so that it survives a crash, another browser and a new server. `lang` is the
/// language of the page. With `extend` the time limit begins again. Returns how many seconds of it are left, where there
/// is one.
#[server(prefix = "/fn", endpoint = "draft", input = Json, output = Json)]
pub async fn save_draft(
    session: String,
    lang: String,
    sheet: AnswerSheet,
    #[server(default)] extend: bool,
) -> Result<Option<u32>, SubmitFailure> {
    let call = Call::new(&session, &lang);
    let form = call.form()?;
    form.save_draft(&sheet, model::Via::Page).map_err(|refusal| call.refuse(refusal))?;
    if let (true, Some(limit)) = (extend, form.time_limit()) {
        limit.extend();
    }
    Ok(call.seconds_left())
}

/// Says whether the questions `session` are still open, and how they ended if not. With `hold` that is said once they have
/// ended, or after some time: the page so hears of it from a server that is about to end as well. Returns how many
/// seconds of the time limit are left, where there is one.
///
/// That the questions have ended is no error of who asks whether they have: a browser would show it as one.
#[server(prefix = "/fn", endpoint = "listen", input = Json, output = Json)]
pub async fn listen(
    session: String,
    lang: String,
    hold: bool,
) -> Result<Result<Option<u32>, SubmitFailure>, SubmitFailure> {
    let call = Call::held(session, &lang).await?;
    let Some(form) = &call.form else { return Ok(Err(call.failure(decide::SubmitError::Stale))) };
    let mut open = call.check_open(form).await?;
    if hold && open.is_ok() {
        call.hall.news(form).await;
        open = call.check_open(form).await?;
    }
    Ok(open.map(|()| call.seconds_left()).map_err(|refusal| call.failure(refusal)))
}

/// What every function needs.
#[cfg(feature = "ssr")]
struct Call {
    hall: std::sync::Arc<crate::Hall>,
    /// The questions that the page shows; `None` when this server does not know them.
    form: Option<std::sync::Arc<crate::Form>>,
    lang: texts::Lang,
    response: leptos_axum::ResponseOptions,
}

#[cfg(feature = "ssr")]
impl Call {
    /// The call of a page that shows the questions `session` in the language `lang`.
    fn new(session: &str, lang: &str) -> Self {
        let hall = expect_context::<std::sync::Arc<crate::Hall>>();
        let (form, lang) = (hall.form_named(session), hall.language(Some(lang), None));
        Self { hall, form, lang, response: expect_context() }
    }

    /// The same for a call that is held, by a thread that serves: the set is looked for where the disk can be waited for.
    async fn held(session: String, lang: &str) -> Result<Self, SubmitFailure> {
        let hall = expect_context::<std::sync::Arc<crate::Hall>>();
        let (lang, response) = (hall.language(Some(lang), None), expect_context());
        let mut call = Self { hall: std::sync::Arc::clone(&hall), form: None, lang, response };
        call.form = call.read(move || hall.form_named(&session)).await?;
        Ok(call)
    }

    /// Whether `form` can still be answered, as far as is known here.
    async fn check_open(
        &self,
        form: &std::sync::Arc<crate::Form>,
    ) -> Result<Result<(), decide::SubmitError>, SubmitFailure> {
        let form = std::sync::Arc::clone(form);
        self.read(move || form.check_open()).await
    }

    async fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, SubmitFailure> {
        self.hall.reads().run("the questions of a page", read).await.map_err(|_| {
            // The page asks again.
            self.response.set_status(http::StatusCode::SERVICE_UNAVAILABLE);
            SubmitFailure::Unreachable(self.lang.page().http_stuck_detail.to_owned())
        })
    }

    fn form(&self) -> Result<&std::sync::Arc<crate::Form>, SubmitFailure> {
        self.form.as_ref().ok_or_else(|| self.refuse(decide::SubmitError::Stale))
    }

    fn refuse(&self, refusal: decide::SubmitError) -> SubmitFailure {
        self.response.set_status(crate::status_of(&refusal));
        self.failure(refusal)
    }

    fn failure(&self, refusal: decide::SubmitError) -> SubmitFailure {
        crate::refusal::failure_of(refusal, self.form.as_deref(), self.lang)
    }

    /// What is to be answered after the questions of the page.
    fn next(&self) -> Option<crate::NextSet> {
        crate::NextSet::after(&self.hall, self.form.as_ref()?)
    }

    fn seconds_left(&self) -> Option<u32> {
        let limit = self.form.as_ref()?.time_limit()?;
        Some(u32::try_from(limit.left().as_secs()).unwrap_or(u32::MAX))
    }
}
