//! Images that a person brings with what is to be understood (`finger.md` §6.3): files of the project, which whoever
//! understands is shown.

use crate::draft::Draft;
use crate::failure::Failure;
use crate::tools::{self, ToolError};
use journal::{Project, Session};
use llm::Image;
use model::workflow::Refusal;
use serde_json::{Value, json};
use std::path::Path;

/// In the context of a workflow: the paths of its images.
pub(crate) const IMAGES: &str = "images";

/// How many there may be.
const MAX_IMAGES: usize = 8;

/// How large each of them may be, in bytes.
const MAX_BYTES: u64 = 5 << 20;

/// The images that a message names, each as a path of a file of the session's project.
///
/// # Errors
///
/// When one of them cannot be shown.
pub(crate) fn named(draft: &Draft<'_>, session: &Session, message: &Value) -> Result<Vec<String>, Failure> {
    let paths = match message.get(IMAGES) {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::Array(paths)) if paths.len() <= MAX_IMAGES => {
            paths.iter().map(|path| path.as_str().map(str::to_owned)).collect::<Option<Vec<_>>>()
        }
        Some(_) => None,
    };
    let paths = paths.ok_or_else(|| {
        Refusal::invalid(format!("images must be an array of up to {MAX_IMAGES} paths"), IMAGES)
    })?;
    let project = session.project.as_ref().map(|id| draft.row::<Project>(&Project::key_of(id)));
    let project = project.transpose()?.flatten();
    for path in &paths {
        let root = project.as_ref().map(|project| Path::new(&project.root));
        read(root, path).map_err(|problem| Refusal::invalid(problem, IMAGES))?;
    }
    Ok(paths)
}

/// The images of a workflow, and what is told of each: one that is not there any more keeps nobody from understanding.
pub(crate) fn shown(root: Option<&Path>, paths: Option<&Value>) -> (Vec<Image>, Value) {
    let paths = paths.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let mut images = Vec::new();
    let told = |path: &str| match read(root, path) {
        Ok(image) => {
            let told = json!({ "path": path, "mediaType": image.media_type, "bytes": image.data.len() });
            images.push(image);
            told
        }
        Err(problem) => json!({ "path": path, "error": problem }),
    };
    let told = paths.map(told).collect();
    (images, told)
}

/// One image; in words why not.
fn read(root: Option<&Path>, path: &str) -> Result<Image, String> {
    let read = root.ok_or(ToolError::NoProject).and_then(|root| tools::read_bytes(root, path, MAX_BYTES));
    let bytes = read.map_err(|error| error.to_string())?;
    Image::read(bytes).ok_or_else(|| format!("{path}: not a PNG, JPEG, GIF or WebP"))
}
