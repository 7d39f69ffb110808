//! How a set of questions is named on a server.

use crate::site;
use model::SessionId;
use std::fmt;
use std::str::FromStr;

/// The name of a set of questions on this server: that of its session, after that of its project where the server has
/// several.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SetId {
    /// The name of the project's room; empty for the first.
    pub(crate) room: String,
    pub(crate) session: SessionId,
}

impl SetId {
    /// The set `session` of the room `room`; that of the project that the server was started in has no name.
    pub fn new(room: &str, session: SessionId) -> Self {
        Self { room: room.to_owned(), session }
    }

    /// The name of the room.
    pub fn room(&self) -> &str {
        &self.room
    }

    /// The path of the page that tells how it has ended.
    pub fn record_path(&self) -> String {
        format!("{}/history/{}", room_path(&self.room), self.session)
    }

    /// The session.
    pub fn session(&self) -> &SessionId {
        &self.session
    }
}

/// What stands before the paths of the pages of a room; nothing for the project that the server was started in.
pub fn room_path(room: &str) -> String {
    if room.is_empty() { site::address("") } else { site::address(format_args!("/p/{room}")) }
}

impl fmt::Display for SetId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.room.is_empty() {
            write!(f, "{}.", self.room)?;
        }
        write!(f, "{}", self.session)
    }
}

impl FromStr for SetId {
    type Err = model::SessionIdError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (room, session) = text.split_once('.').unwrap_or(("", text));
        Ok(Self { room: room.to_owned(), session: session.parse()? })
    }
}
