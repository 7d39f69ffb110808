//! The projects that something has to do with: in their folders questions are asked, and what was decided is kept.

use crate::draft::Draft;
use crate::failure::Failure;
use crate::ids::sha256;
use crate::runtime::{RequestKey, Runtime};
use journal::{Project, Query, ViewExt as _};
use serde::Serialize;
use std::path::PathBuf;

impl Runtime {
    /// Notes a project: questions are asked there. Returns `answer` as JSON; for a request that has come before, what was
    /// answered then.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub fn note_project(
        &self,
        request: Option<&RequestKey>,
        root: &str,
        answer: &impl Serialize,
    ) -> Result<String, Failure> {
        self.act(request, |draft| {
            let id = project(draft, root)?;
            if let Some(mut row) = draft.row::<Project>(&Project::key_of(&id))?
                && row.seen < draft.now()
            {
                row.seen = draft.now();
                draft.put(row);
            }
            Ok(answer)
        })
    }

    /// Returns the folders of all projects.
    ///
    /// # Errors
    ///
    /// When they cannot be read.
    pub fn projects(&self) -> Result<Vec<PathBuf>, Failure> {
        let projects = self.journal.view()?.find(&Query::projects())?;
        Ok(projects.into_iter().map(|project| project.root.into()).collect())
    }
}

/// The name of the project in this folder, the same wherever it is asked for.
pub fn project_id(root: &str) -> String {
    sha256(root.as_bytes())[..10].to_owned()
}

/// The row of the project in this folder, made if there is none.
pub(crate) fn project(draft: &mut Draft<'_>, root: &str) -> Result<String, Failure> {
    let id = project_id(root);
    let key = Project::key_of(&id);
    if draft.row::<Project>(&key)?.is_none() {
        let seen = draft.now();
        draft.put(Project { id: id.clone(), root: root.to_owned(), seen, version: 0 });
    }
    Ok(id)
}
