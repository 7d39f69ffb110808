//! Why something was not accepted, as an HTTP status and as a sentence.

use crate::result::{closed_html, decided_html};
use crate::{Form, ResultPage, SubmitFailure};
use decide::SubmitError;
use http::StatusCode;
use model::Ending;
use store::AttachError;
use texts::{Explain, Lang};

/// The HTTP status that says the same as `refusal`.
pub fn status_of(refusal: &SubmitError) -> StatusCode {
    match refusal {
        SubmitError::NotJson(_) | SubmitError::Invalid(_) | SubmitError::NoReason => StatusCode::BAD_REQUEST,
        SubmitError::Stale | SubmitError::Ended(_) | SubmitError::FilesChanged => StatusCode::CONFLICT,
        SubmitError::Storage(_) => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

/// The sentence for a person or a script.
pub fn detail_of(refusal: &SubmitError, lang: Lang) -> String {
    let words = lang.page();
    match refusal {
        SubmitError::NotJson(error) => texts::syntax(lang, error),
        SubmitError::Invalid(problems) => {
            let sentences: Vec<_> = problems.iter().map(|problem| texts::problem(lang, problem)).collect();
            sentences.join(words.separator)
        }
        SubmitError::Stale | SubmitError::Ended(Ending::Replaced(_)) => words.stale.to_owned(),
        SubmitError::Ended(Ending::Decided(_)) => words.decided_elsewhere.to_owned(),
        SubmitError::Ended(Ending::Returned(returned)) => {
            texts::fill(words.returned_elsewhere, &[("message", &returned.message)])
        }
        SubmitError::Ended(Ending::Cancelled) => words.cancelled_hint.to_owned(),
        SubmitError::Ended(Ending::Expired(_)) => words.expired_hint.to_owned(),
        SubmitError::NoReason => words.return_missing.to_owned(),
        SubmitError::FilesChanged => lang.files().changed.to_owned(),
        SubmitError::Storage(error) => error.explain(lang).what,
    }
}

/// The HTTP status that says the same as `error`.
pub fn status_of_attach(error: &AttachError) -> StatusCode {
    match error {
        AttachError::NoSuchItem { .. } => StatusCode::NOT_FOUND,
        AttachError::WrongName { .. } => StatusCode::BAD_REQUEST,
        AttachError::Ended(_) => StatusCode::CONFLICT,
        AttachError::TooMany { .. } | AttachError::TooLarge { .. } | AttachError::SetFull { .. } => {
            StatusCode::PAYLOAD_TOO_LARGE
        }
        AttachError::Store(_) if error.is_disk_full() => StatusCode::INSUFFICIENT_STORAGE,
        AttachError::Store(_) => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

/// The sentence that says why a file was not attached.
pub fn attach_detail_of(error: &AttachError, lang: Lang) -> String {
    let words = lang.files();
    match error {
        AttachError::NoSuchItem { item } => words.no_such_item(*item),
        AttachError::WrongName { names } => words.wrong_name(names),
        AttachError::TooMany { max } => words.too_many(*max),
        AttachError::TooLarge { limit } => words.too_large(*limit),
        AttachError::SetFull { limit } => words.set_full(*limit),
        AttachError::Ended(ending) => detail_of(&SubmitError::Ended(ending.clone()), lang),
        AttachError::Store(_) if error.is_disk_full() => words.disk_full.to_owned(),
        AttachError::Store(error) => error.explain(lang).what,
    }
}

/// [`detail_of`] for the hydrated page, which shows `form`; `None` where this server does not know what it shows.
pub(crate) fn failure_of(refusal: SubmitError, form: Option<&Form>, lang: Lang) -> SubmitFailure {
    match refusal {
        SubmitError::Ended(Ending::Decided(output)) => {
            let chosen = form.map(|form| form.chosen(&output, lang)).unwrap_or_default();
            SubmitFailure::Ended(decided_html(lang, ResultPage::DecidedElsewhere, chosen, (None, None), None))
        }
        SubmitError::Stale | SubmitError::Ended(Ending::Replaced(_)) => {
            SubmitFailure::Stale(lang.page().stale_hint.to_owned())
        }
        SubmitError::Ended(ending) => SubmitFailure::Ended(closed_html(lang, &ending)),
        refusal => SubmitFailure::Refused(detail_of(&refusal, lang)),
    }
}
