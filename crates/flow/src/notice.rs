//! What an action has to tell besides.

use crate::error::GitError;

/// What is to be told besides.
#[derive(Debug)]
pub enum Notice {
    /// Diagrams were checked, and pictures of them made.
    DiagramsDone {
        /// How many.
        count: usize,
    },
    /// There is no PlantUML; diagrams were not looked at.
    NoPlantUml,
    /// The change log wants to be written.
    ChangelogReminder {
        /// Where it is.
        path: String,
    },
    /// The change log should have been written.
    ChangelogMissed {
        /// Where it is.
        path: String,
    },
    /// Nothing was committed, which the configuration allows.
    NotCommitted(GitError),
    /// Repositories within the repository were left out of the commit.
    RepositoriesLeftOut {
        /// Their folders, from the project's root.
        paths: Vec<String>,
    },
    /// The former task had not come to its last phase.
    Interrupted {
        /// The former task.
        task: String,
        /// The phase that it was in.
        phase: String,
    },
}
