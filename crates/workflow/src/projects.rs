//! The projects that something has to do with: in their folders questions are asked, and what was decided is kept.

use crate::draft::Draft;
use crate::failure::Failure;
use crate::ids::sha256;
use journal::Project;

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
