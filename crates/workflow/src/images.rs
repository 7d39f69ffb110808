//! Images that a person brings with what is to be understood (`finger.md` §6.3): files of the project, which whoever
//! understands is shown.

use crate::failure::Failure;
use crate::runtime::Runtime;
use crate::sessions;
use crate::tools::{self, ToolError};
use journal::{Project, Session, ViewExt as _};
use llm::Image;
use model::workflow::Refusal;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// In the context of a workflow: the paths of its images.
pub(crate) const IMAGES: &str = "images";

/// How many there may be.
const MAX_IMAGES: usize = 8;

/// How large each of them may be, in bytes.
const MAX_BYTES: u64 = 5 << 20;

/// The images that a message names, each as a path of a file of the session's project.
pub(crate) type Named = Result<Vec<String>, Refusal>;

impl Runtime {
    /// Looks at the images that a message names, or says why one of them cannot be shown. Files are read for that, from a disk
    /// that may be slow, so it is done before the message is taken, without a view of the journal.
    ///
    /// # Errors
    ///
    /// When the journal cannot be read.
    pub(crate) fn images_of(&self, message: &Value) -> Result<Named, Failure> {
        match message.get(IMAGES) {
            None | Some(Value::Null) => Ok(Ok(Vec::new())),
            Some(images) => Ok(named(self.root_of(message)?.as_deref(), images)),
        }
    }

    /// The folder of the project that the session of a message is about.
    fn root_of(&self, message: &Value) -> Result<Option<PathBuf>, Failure> {
        let Some(session) = sessions::named(message) else {
            return Ok(sessions::project_path(message).map(PathBuf::from));
        };
        let view = self.journal.view()?;
        let session = view.row::<Session>(&Session::key_of(session))?;
        let Some(project) = session.and_then(|session| session.project) else { return Ok(None) };
        Ok(view.row::<Project>(&Project::key_of(&project))?.map(|project| project.root.into()))
    }
}

fn named(root: Option<&Path>, images: &Value) -> Named {
    let paths = match images {
        Value::Array(paths) if paths.len() <= MAX_IMAGES => {
            paths.iter().map(|path| path.as_str().map(str::to_owned)).collect::<Option<Vec<_>>>()
        }
        _ => None,
    };
    let paths = paths.ok_or_else(|| {
        Refusal::invalid(format!("images must be an array of up to {MAX_IMAGES} paths"), IMAGES)
    })?;
    for path in &paths {
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
