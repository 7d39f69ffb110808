//! A question of one line, asked of a person at a terminal.

use std::io::{self, IsTerminal};

/// Whether a person can be asked. JSON is for programs, and none of them answers a question.
pub(crate) fn can_ask(json: bool) -> bool {
    !json && io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Whether the answer is yes. An end of input is no consent.
pub(crate) fn says_yes() -> bool {
    let mut line = String::new();
    io::stdin().read_line(&mut line).is_ok() && matches!(line.trim(), "y" | "Y" | "yes" | "是")
}
