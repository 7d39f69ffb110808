//! An answer that is nothing else.

use crate::{Answer, BadAnswer};

pub(crate) fn read(raw: &[u8]) -> Result<Answer, BadAnswer> {
    let text = std::str::from_utf8(raw).map_err(|error| BadAnswer::NotUtf8 { at: error.valid_up_to() })?;
    Ok(Answer { text: super::terminal::plain(text).trim().to_owned(), ..Answer::default() })
}
