//! The server functions: the body runs on the server, with the store at hand; the browser gets a typed call.

use crate::{Outcome, SubmitFailure};
use leptos::prelude::*;
use model::AnswerSheet;
use server_fn::codec::Json;

/// Submits the answers of the hydrated page. Winning ends the `aide` command.
///
/// `session` names the questions that the page shows, `lang` the language it shows them in.
#[server(prefix = "/fn", endpoint = "submit", input = Json, output = Json)]
pub async fn submit(session: String, lang: String, sheet: AnswerSheet) -> Result<Outcome, SubmitFailure> {
    let state = expect_context::<std::sync::Arc<crate::Session>>();
    let lang = state.language(Some(&lang), None);
    state.submit_sheet(&session, &sheet, model::Via::Page).map_err(|refusal| {
        expect_context::<leptos_axum::ResponseOptions>().set_status(refusal.status());
        refusal.into_failure(lang)
    })
}

/// Keeps what the person has given so far, so that it survives a crash, another browser and a new server. Without a
/// sheet it only says whether somebody still waits for the answers to the questions `session`. `lang` is the language of
/// the page. With `extend` the time limit begins again. Returns how many seconds of it are left, where there is one.
#[server(prefix = "/fn", endpoint = "draft", input = Json, output = Json)]
pub async fn save_draft(
    session: String,
    lang: String,
    sheet: Option<AnswerSheet>,
    #[server(default)] extend: bool,
) -> Result<Option<u32>, SubmitFailure> {
    let state = expect_context::<std::sync::Arc<crate::Session>>();
    let kept = match sheet {
        Some(sheet) => state.save_draft(&session, &sheet, model::Via::Page),
        None => state.check_current(&session),
    };
    kept.map_err(|refusal| {
        expect_context::<leptos_axum::ResponseOptions>().set_status(refusal.status());
        refusal.into_failure(state.language(Some(&lang), None))
    })?;
    Ok(state.time_limit().map(|limit| {
        if extend {
            limit.extend();
        }
        u32::try_from(limit.left().as_secs()).unwrap_or(u32::MAX)
    }))
}
