//! An answer that is nothing else.

use crate::terminal::shown;
use crate::{Answer, BadAnswer};

pub(crate) fn read(raw: &[u8]) -> Result<Answer, BadAnswer> {
    let text = std::str::from_utf8(raw).map_err(|error| BadAnswer::NotUtf8 { at: error.valid_up_to() })?;
    Ok(Answer { text: shown(text).trim().to_owned(), ..Answer::default() })
}
