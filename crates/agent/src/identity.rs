//! Which message is which. An id alone does not say so: it may have been used for something else (contract/plans §6.3).

use crate::hash;
use protocol::agent::{Ack, Envelope, Extra, Sha256};
use serde_json::json;

/// Where an acknowledgement says which content it is about.
const CONTENT: &str = "content_sha256";

/// The hash of what a message says, however it is laid out.
pub(crate) fn content(envelope: &Envelope) -> Option<Sha256> {
    serde_json::to_value(envelope).ok().map(|value| hash::of_content(&value))
}

/// What an acknowledgement of `envelope` says of its content.
pub(crate) fn member(envelope: &Envelope) -> Extra {
    content(envelope).map(|content| (CONTENT.to_owned(), json!(content))).into_iter().collect()
}

/// Whether `ack` is about another message than `envelope`, which has the same id. One that does not say it is about this.
pub(crate) fn differs(ack: &Ack, envelope: &Envelope) -> bool {
    let known = ack.extra.get(CONTENT);
    known.is_some_and(|known| content(envelope).is_none_or(|content| json!(content) != *known))
}
