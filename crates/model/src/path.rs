//! Where in a JSON document something stands.

use std::fmt;

/// One step down into a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Segment {
    /// Into an object.
    Key(&'static str),
    /// Into an array, from 0.
    Index(usize),
}

/// A place in a document, written `items[0].options[1].value`. The root is written as nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Path(Vec<Segment>);

impl Path {
    /// The document itself.
    pub fn root() -> Self {
        Self::default()
    }

    /// The member `key` of the object here.
    #[must_use]
    pub fn key(&self, key: &'static str) -> Self {
        self.join(Segment::Key(key))
    }

    /// The element `index` of the array here.
    #[must_use]
    pub fn index(&self, index: usize) -> Self {
        self.join(Segment::Index(index))
    }

    /// The steps from the root.
    pub fn segments(&self) -> &[Segment] {
        &self.0
    }

    fn join(&self, segment: Segment) -> Self {
        let mut segments = self.0.clone();
        segments.push(segment);
        Self(segments)
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, segment) in self.0.iter().enumerate() {
            match segment {
                Segment::Key(key) if position == 0 => f.write_str(key)?,
                Segment::Key(key) => write!(f, ".{key}")?,
                Segment::Index(index) => write!(f, "[{index}]")?,
            }
        }
        Ok(())
    }
}

/// A place while a document is being read: a chain of steps on the stack. Most places are only passed through, so
/// a path is made only where something is wrong.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Place<'p> {
    Root,
    Key(&'p Place<'p>, &'static str),
    Index(&'p Place<'p>, usize),
}

impl<'p> Place<'p> {
    pub(crate) fn key(&'p self, key: &'static str) -> Self {
        Self::Key(self, key)
    }

    pub(crate) fn index(&'p self, index: usize) -> Self {
        Self::Index(self, index)
    }

    pub(crate) fn to_path(self) -> Path {
        match self {
            Self::Root => Path::root(),
            Self::Key(parent, key) => parent.to_path().key(key),
            Self::Index(parent, index) => parent.to_path().index(index),
        }
    }
}
