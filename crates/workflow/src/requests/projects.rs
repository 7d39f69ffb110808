//! Requests about projects: noting one, and which there are.

use crate::failure::Failure;
use crate::projects::project;
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
