//! What comes back from a submission.

use serde::{Deserialize, Serialize};
use server_fn::codec::JsonEncoding;
use server_fn::error::{FromServerFnError, ServerFnErrorErr};

/// How the questions ended, as a person reads it.
///
/// On its way to the browser it is a list, and so is each of its items: to read the name of each member takes code that
/// every page would have to load.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "(String, String, Vec<ChosenItem>)", into = "(String, String, Vec<ChosenItem>)")]
pub struct Outcome {
    /// That they have ended, in a few words.
    pub title: String,
    /// What there is to know about that; empty when nothing.
    pub hint: String,
    /// The answers that stand, one entry per item, in the order of the items; empty when there are none.
    pub chosen: Vec<ChosenItem>,
}

/// The answer to one item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "(String, String, String)", into = "(String, String, String)")]
pub struct ChosenItem {
    /// The question.
    pub title: String,
    /// The labels of the chosen options, and the person's own words.
    pub label: String,
    /// What the person added; empty when nothing.
    pub note: String,
}

impl From<(String, String, Vec<ChosenItem>)> for Outcome {
    fn from((title, hint, chosen): (String, String, Vec<ChosenItem>)) -> Self {
        Self { title, hint, chosen }
    }
}

impl From<Outcome> for (String, String, Vec<ChosenItem>) {
    fn from(Outcome { title, hint, chosen }: Outcome) -> Self {
        (title, hint, chosen)
    }
}

impl From<(String, String, String)> for ChosenItem {
    fn from((title, label, note): (String, String, String)) -> Self {
        Self { title, label, note }
    }
}

impl From<ChosenItem> for (String, String, String) {
    fn from(ChosenItem { title, label, note }: ChosenItem) -> Self {
        (title, label, note)
    }
}

/// Why the hydrated page did not get what it asked for. Sentences are in the language of the page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum SubmitFailure {
    /// The answers do not fit the questions, or could not be written; the sentence says which.
    Refused(String),
    /// Somebody else was first: the questions were answered, sent back or cancelled.
    Ended(Outcome),
    /// The page shows other questions than the ones that are open now.
    Stale(String),
    /// The server was not reached, or its answer not understood.
    Unreachable(String),
}

impl FromServerFnError for SubmitFailure {
    type Encoder = JsonEncoding;

    fn from_server_fn_error(error: ServerFnErrorErr) -> Self {
        #[cfg(feature = "ssr")]
        if matches!(error, ServerFnErrorErr::Args(_) | ServerFnErrorErr::Deserialization(_))
            && let Some(options) = leptos::prelude::use_context::<leptos_axum::ResponseOptions>()
        {
            // The caller's mistake, not the server's.
            options.set_status(http::StatusCode::BAD_REQUEST);
        }
        Self::Unreachable(error.to_string())
    }
}

impl std::fmt::Display for SubmitFailure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Refused(detail) | Self::Stale(detail) | Self::Unreachable(detail) => f.write_str(detail),
            Self::Ended(outcome) => f.write_str(&outcome.title),
        }
    }
}

impl std::error::Error for SubmitFailure {}
