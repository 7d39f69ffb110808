//! Images that a user attaches to input (contract/workflows §6.3): files of the project, shown to the agent that understands it.

use crate::disks;
use crate::failure::Failure;
use crate::runtime::Runtime;
use crate::tools::{self, ToolError};
use journal::{Project, Session, ViewExt as _};
use llm::Image;
use protocol::workflow::Refusal;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The member of a message that has their paths.
const IMAGES: &str = "images";

/// How many there may be.
const MAX_IMAGES: usize = 8;

/// How long it may take to read one of them.
const READ_LIMIT: Duration = Duration::from_secs(5);

/// How large each of them may be, in bytes.
const MAX_BYTES: u64 = 5 << 20;

/// The images that a message names, each as a path of a file of its session's project; or what is wrong with them.
#[derive(Debug, Default)]
pub(crate) struct MessageImages {
    paths: Vec<String>,
    problem: Option<String>,
}

impl MessageImages {
    /// Returns their paths.
    ///
    /// # Errors
    ///
    /// When one of them cannot be shown.
    pub(crate) fn paths(&self) -> Result<Vec<String>, Refusal> {
        match &self.problem {
            Some(problem) => Err(Refusal::invalid(problem.clone(), IMAGES)),
            None => Ok(self.paths.clone()),
        }
    }
}

impl Runtime {
    /// Reads the images that a message for `session`, or of the project in `root`, names. No view of the journal is held
    /// meanwhile: their disk may be slow.
    ///
    /// # Errors
    ///
    /// When the journal cannot be read.
    pub(crate) fn named_images(
        &self,
        message: &Value,
        session: Option<&str>,
        root: Option<&str>,
    ) -> Result<MessageImages, Failure> {
        let paths = match message.get(IMAGES) {
            None | Some(Value::Null) => return Ok(MessageImages::default()),
            Some(Value::Array(paths)) if paths.len() <= MAX_IMAGES => {
                paths.iter().map(|path| path.as_str().map(str::to_owned)).collect::<Option<Vec<_>>>()
            }
            Some(_) => None,
        };
        let Some(paths) = paths else {
            let problem = format!("images must be an array of up to {MAX_IMAGES} paths");
            return Ok(MessageImages { paths: Vec::new(), problem: Some(problem) });
        };
        let root = match session {
            Some(session) => self.root_of(session)?,
            None => root.map(PathBuf::from).filter(|root| root.is_absolute()),
        };
        let problem = paths.iter().find_map(|path| read(root.as_deref(), path).err());
        Ok(MessageImages { paths, problem })
    }

    /// The folder of a session's project; `None` when it has none, and when there is no such session.
    fn root_of(&self, session: &str) -> Result<Option<PathBuf>, Failure> {
        let view = self.journal.view()?;
        let session = view.row::<Session>(&Session::key_of(session))?;
        let Some(project) = session.and_then(|session| session.project) else { return Ok(None) };
        Ok(view.row::<Project>(&Project::key_of(&project))?.map(|project| project.root.into()))
    }
}

/// Returns the images of a workflow, and what the prompt says of each; an image that is gone does not keep the agent from
/// understanding.
pub(crate) fn shown<'a>(root: Option<&Path>, paths: impl Iterator<Item = &'a str>) -> (Vec<Image>, Value) {
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
    let root = root.ok_or_else(|| ToolError::NoProject.to_string())?;
    let (of, name) = (root.to_owned(), path.to_owned());
    let read = disks::run(root, READ_LIMIT, move || tools::read_bytes(&of, &name, MAX_BYTES));
    let bytes = read.unwrap_or(Err(ToolError::TimedOut(READ_LIMIT))).map_err(|error| error.to_string())?;
    Image::read(bytes).ok_or_else(|| format!("{path}: not a PNG, JPEG, GIF or WebP"))
}
