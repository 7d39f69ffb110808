//! What differs each time that an example is run: sessions, times, ports, hashes, processes and folders.
//!
//! The documents show such values as they look. A session that is shown twice must be the same one twice; of anything
//! else only the form is compared.

/// The project and the home of the user who runs the examples.
const PROJECT: &str = "/home/ann/shop";
const HOME: &str = "/home/ann";
const PORT: &str = "3721";
const TIME: &str = "2025-01-15T10:32:05+08:00";
const DATE: &str = "2025-01-15";
const HASH: &str = "3f2a91c04be85d6719a2f0c3d8e7b6a5940c1e2f";
const PROCESS: &str = "4711";
const CLOCK: &str = "10:00:00";
const TICKET: &str = "dGhpcy1pcy1hLXRpY2tldA";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Session,
    Time,
    Date,
    Port,
    Hash,
    Process,
    Ticket,
    /// Of a workflow, and of whatever else a daemon keeps. One that is shown twice must be the same one twice.
    Id,
    Clock,
}

#[derive(Debug, PartialEq, Eq)]
enum Piece<'a> {
    Text(&'a str),
    Value(Kind, &'a str),
}

/// The values of one document, and those that stand for them while it is run.
#[derive(Debug, Clone, Default)]
pub(crate) struct Names {
    documented: Vec<String>,
    actual: Vec<String>,
    port: Option<String>,
}

impl Names {
    /// True when `printed` is what is documented. What `printed` names is known from then on.
    pub(crate) fn agree(&mut self, documented: &str, printed: &str) -> bool {
        let mut names = self.clone();
        let same = plain(&mut names.documented, documented) == plain(&mut names.actual, printed);
        if same {
            names.note_port(printed);
            *self = names;
        }
        same
    }

    /// The command as it has to be run.
    pub(crate) fn command(&self, documented: &str) -> String {
        let mut command = String::new();
        for piece in pieces(documented) {
            command += match piece {
                Piece::Value(Kind::Session | Kind::Id, name) => {
                    let position = self.documented.iter().position(|known| known == name);
                    position.and_then(|position| self.actual.get(position)).map_or(name, String::as_str)
                }
                Piece::Value(Kind::Port, PORT) => self.port.as_deref().unwrap_or(PORT),
                Piece::Value(_, text) | Piece::Text(text) => text,
            };
        }
        command
    }

    /// What was printed, as a document shows it. Sessions keep the names that `before` had for them.
    pub(crate) fn documented(&mut self, printed: &str, before: &str) -> String {
        self.note_port(printed);
        let mut shown = sessions(before).filter(|name| !self.documented.iter().any(|known| known == name));
        let mut added = Vec::new();
        for name in sessions(printed) {
            if !self.actual.iter().any(|known| known == name) {
                self.actual.push(name.to_owned());
                let minutes = 10 * 60 + 30 + 5 * (self.documented.len() + added.len());
                let invented = || match id(name) {
                    Some(_) => name.to_owned(),
                    None => format!("{DATE}T{:02}-{:02}-00", minutes / 60, minutes % 60),
                };
                added.push(shown.next().map_or_else(invented, str::to_owned));
            }
        }
        drop(shown);
        self.documented.extend(added);
        let mut text = String::new();
        for piece in pieces(printed) {
            match piece {
                Piece::Text(words) => text += words,
                Piece::Value(Kind::Session | Kind::Id, name) => {
                    let position = self.actual.iter().position(|known| known == name);
                    text += position
                        .and_then(|position| self.documented.get(position))
                        .map_or(name, String::as_str);
                }
                Piece::Value(Kind::Time, _) => text += TIME,
                Piece::Value(Kind::Date, _) => text += DATE,
                Piece::Value(Kind::Port, _) => text += PORT,
                Piece::Value(Kind::Hash, hash) => text += HASH.get(..hash.len()).unwrap_or(HASH),
                Piece::Value(Kind::Process, _) => text += PROCESS,
                Piece::Value(Kind::Ticket, _) => text += TICKET,
                Piece::Value(Kind::Clock, _) => text += CLOCK,
            }
        }
        text
    }

    /// Commands that are shown speak to the server that was named last.
    pub(crate) fn note_port(&mut self, printed: &str) {
        for piece in pieces(printed) {
            if let Piece::Value(Kind::Port, port) = piece {
                self.port = Some(port.to_owned());
            }
        }
    }
}

/// What was printed, with the documented folders in it.
pub(crate) fn folders(printed: &str, project: &str, home: &str) -> String {
    printed.replace(project, PROJECT).replace(home, HOME)
}

/// A command with the real folders in it.
pub(crate) fn real_folders(command: &str, project: &str, home: &str) -> String {
    command.replace(PROJECT, project).replace(HOME, home)
}

fn sessions(text: &str) -> impl Iterator<Item = &str> {
    pieces(text).into_iter().filter_map(|piece| match piece {
        Piece::Value(Kind::Session | Kind::Id, name) => Some(name),
        _ => None,
    })
}

fn position(known: &mut Vec<String>, name: &str) -> usize {
    known.iter().position(|known| known == name).unwrap_or_else(|| {
        known.push(name.to_owned());
        known.len() - 1
    })
}

/// The text with every value replaced by its kind, and sessions by their number.
fn plain(sessions: &mut Vec<String>, text: &str) -> String {
    let mut plain = String::new();
    for piece in pieces(text.trim_end()) {
        match piece {
            Piece::Text(words) => plain += words,
            Piece::Value(Kind::Session | Kind::Id, name) => {
                plain += &format!("<session {}>", position(sessions, name));
            }
            Piece::Value(kind, _) => plain += &format!("<{kind:?}>"),
        }
    }
    plain
}

fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let (mut begin, mut at) = (0, 0);
    while at < text.len() {
        match value(&text[..at], &text[at..]) {
            Some((kind, length)) => {
                pieces.push(Piece::Text(&text[begin..at]));
                pieces.push(Piece::Value(kind, &text[at..at + length]));
                at += length;
                begin = at;
            }
            None => at += text[at..].chars().next().map_or(1, char::len_utf8),
        }
    }
    pieces.push(Piece::Text(&text[begin..]));
    pieces
}

/// The value that `rest` begins with, and its length.
fn value(before: &str, rest: &str) -> Option<(Kind, usize)> {
    let digits = || rest.bytes().take_while(u8::is_ascii_digit).count();
    if before.ends_with("localhost:") && digits() > 0 {
        return Some((Kind::Port, digits()));
    }
    let is_process = ["\"pid\":", "process ", "进程 ", "PID "].iter().any(|words| before.ends_with(words));
    if is_process && digits() > 0 {
        return Some((Kind::Process, digits()));
    }
    if let Some(length) = shape(rest, "dd:dd:dd").filter(|_| before.ends_with('[')) {
        return Some((Kind::Clock, length));
    }
    if before.ends_with("/t/") {
        let length = rest.bytes().take_while(|b| b.is_ascii_alphanumeric() || b"-_.".contains(b)).count();
        return (length > 0).then_some((Kind::Ticket, length));
    }
    if before.ends_with(|c: char| c.is_ascii_alphanumeric()) {
        return None;
    }
    if let Some(length) = id(rest) {
        return Some((Kind::Id, length));
    }
    if let Some(length) = shape(rest, "dddd-dd-ddTdd-dd-dd") {
        let more = rest[length..].strip_prefix('-').map_or(0, |more| {
            let digits = more.bytes().take_while(u8::is_ascii_digit).count();
            if digits == 0 { 0 } else { digits + 1 }
        });
        return Some((Kind::Session, length + more));
    }
    for time in ["dddd-dd-ddTdd:dd:dd+dd:dd", "dddd-dd-ddTdd:dd:dd-dd:dd", "dddd-dd-dd dd:dd:dd"] {
        if let Some(length) = shape(rest, time) {
            return Some((Kind::Time, length));
        }
    }
    if let Some(length) = shape(rest, "dddd-dd-dd") {
        return Some((Kind::Date, length));
    }
    let hash = rest.bytes().take_while(u8::is_ascii_alphanumeric).count();
    let is_hash = |text: &str| text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
    (matches!(hash, 7 | 40) && is_hash(&rest[..hash])).then_some((Kind::Hash, hash))
}

/// The length of the name that a daemon has given to something, when `text` begins with one.
fn id(text: &str) -> Option<usize> {
    let kinds = ["wf-", "decision-", "session-", "msg-"];
    let kind = kinds.into_iter().find(|kind| text.starts_with(kind))?;
    let length =
        text.bytes().take_while(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || *b == b'-').count();
    let name = &text[kind.len()..length];
    // One in fifteen of those of workflows has no digit.
    let is_drawn = name.len() == 16 && !name.contains('-');
    (is_drawn || name.len() >= 12 && name.bytes().any(|byte| byte.is_ascii_digit())).then_some(length)
}

/// The length of `shape`, when `text` begins with it; `d` stands for a digit.
fn shape(text: &str, shape: &str) -> Option<usize> {
    let text = text.as_bytes().get(..shape.len())?;
    let fits = |(found, wanted): (&u8, u8)| match wanted {
        b'd' => found.is_ascii_digit(),
        wanted => *found == wanted,
    };
    text.iter().zip(shape.bytes()).all(fits).then_some(shape.len())
}
