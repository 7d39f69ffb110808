//! The files that the questions of a page are about.

use crate::Session;
use model::Location;
use store::{Excerpt, Since, SourceFile};

/// Reads the files as they are now. Items about one file mostly follow each other: it is read once for them, and never
/// is more than one held.
pub(super) struct Sources<'s> {
    session: &'s Session,
    last: Option<Read<'s>>,
}

struct Read<'s> {
    name: &'s str,
    file: Option<SourceFile>,
    since: Since,
}

/// What can be shown of the place a question is about.
#[derive(Debug)]
pub(super) struct Passage {
    pub(super) since: Since,
    pub(super) excerpt: Option<Excerpt>,
}

impl Passage {
    /// Only the place itself: what stands there now need not be what stood there.
    pub(super) fn unread() -> Self {
        Self { since: Since::Same, excerpt: None }
    }
}

impl<'s> Sources<'s> {
    pub(super) fn new(session: &'s Session) -> Self {
        Self { session, last: None }
    }

    pub(super) fn passage(&mut self, location: &'s Location) -> Passage {
        let Read { file, since, .. } = match self.last.take() {
            Some(read) if read.name == location.file => self.last.insert(read),
            _ => self.last.insert(read(self.session, &location.file)),
        };
        let excerpt = file.as_ref().and_then(|file| file.excerpt(location.start, location.end));
        Passage { since: *since, excerpt }
    }
}

fn read<'s>(session: &Session, name: &'s str) -> Read<'s> {
    let file = session.project().source(name);
    let since = session.sources().since(name, file.as_ref());
    Read { name, file, since }
}
