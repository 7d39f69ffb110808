//! What comes back from a submission.

use serde::{Deserialize, Serialize};
use server_fn::codec::JsonEncoding;
use server_fn::error::{FromServerFnError, ServerFnErrorErr};

/// The answer to one item, as a person reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg(feature = "ssr")]
pub struct ChosenItem {
    /// The question.
    pub title: String,
    /// The labels of the chosen options, and the person's own words.
    pub label: String,
    /// What the person added; empty when nothing.
    pub note: String,
}

/// Why the hydrated page did not get what it asked for. Sentences are in the language of the page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum SubmitFailure {
    /// The answers do not fit the questions, or could not be written; the sentence says which.
    Refused(String),
    /// Another client was first: the questions were answered, sent back or cancelled. Holds the HTML that the page shows for
    /// it.
    Ended(String),
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
            Self::Ended(_) => f.write_str("already ended"),
        }
    }
}

impl std::error::Error for SubmitFailure {}
