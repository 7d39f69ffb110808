//! Files that are attached to an answer.

use super::Shared;
use crate::answer::error_response;
use crate::gate::RequestLang;
use crate::multipart::{Part, PartError, Parts};
use crate::{InFlight, WriteError};
use app::{Form, ReadError};
use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, Request, State};
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use model::{Attachment, clean_name, numbered_name};
use serde::Deserialize;
use serde_json::json;
use std::collections::HashSet;
use std::sync::Arc;
use store::{AttachError, Upload};
use texts::{Lang, fill};

/// How much a request with files may bring, for what stands between the files as well.
pub(super) const LIMIT: usize = 66 << 20;
/// How many parts a request may have that brings files to one item.
const PARTS: usize = model::MAX_FILES + 16;
/// How much is written at a time.
const WRITE: usize = 256 * 1024;
/// What an upload is called in records of waits.
const NAME: &str = "a file that is attached";

/// Why a file is not attached, or not removed.
#[derive(Debug)]
pub(super) enum FileRejection {
    Part(PartError),
    /// No such set.
    NoSet,
    /// There is no file in the request.
    NoFile,
    /// There is no such file.
    NotThere,
    /// What is sent is not what is expected, in words.
    NotJson(String),
    Attach(AttachError),
    /// It could not be read in time.
    Late,
    /// It could not be begun in time.
    Busy,
    /// The thread that did it is gone.
    Lost,
}

impl From<ReadError> for FileRejection {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::Late => Self::Late,
            ReadError::Lost => Self::Lost,
        }
    }
}

impl From<WriteError> for FileRejection {
    fn from(error: WriteError) -> Self {
        match error {
            WriteError::Late => Self::Busy,
            WriteError::Lost => Self::Lost,
        }
    }
}

impl From<PartError> for FileRejection {
    fn from(error: PartError) -> Self {
        Self::Part(error)
    }
}

impl From<AttachError> for FileRejection {
    fn from(error: AttachError) -> Self {
        Self::Attach(error)
    }
}

/// The names that the files of one request have taken. None takes the place of another of the same request.
#[derive(Debug, Default)]
pub(super) struct UploadNames(HashSet<(u64, String)>);

impl UploadNames {
    /// Returns the clean name of a file that is called `name` elsewhere, with a number where another for `item` has that.
    pub(super) fn take(&mut self, item: u64, name: &str) -> String {
        let clean = clean_name(name);
        // Some systems take capitals for the same letters.
        let mut is_free = |name: &String| self.0.insert((item, name.to_lowercase()));
        if is_free(&clean) {
            return clean;
        }
        // One of so many is free.
        (2..).map(|number| numbered_name(&clean, number)).find(is_free).unwrap_or(clean)
    }
}

/// `POST /d/{session}/files/{item}`: attaches what is sent.
pub(super) async fn attach(
    State(shared): State<Arc<Shared>>,
    RequestLang(lang): RequestLang,
    Path((set, item)): Path<(String, String)>,
    request: Request,
) -> Response {
    let listing = match take(&shared, &set, &item, request).await {
        Ok((form, item)) => {
            shared.hall.reads().run("attached files", move || listed(lang, &form, item)).await
        }
        Err(refused) => return refused.not_attached(lang),
    };
    listing.unwrap_or_else(|error| FileRejection::from(error).not_attached(lang))
}

type Item = (Arc<Form>, u64);

async fn take(shared: &Arc<Shared>, set: &str, item: &str, request: Request) -> Result<Item, FileRejection> {
    let in_flight = in_flight(&request);
    let (head, body) = request.into_parts();
    let mut parts = Parts::new(&head.headers, body, PARTS)?;
    let (mut taken, mut names) = (None, UploadNames::default());
    while let Some(mut part) = parts.next().await? {
        let Some(name) = part.file_name().filter(|name| !name.is_empty()).map(str::to_owned) else {
            part.skip().await?;
            continue;
        };
        let (form, item) = match taken.take() {
            Some(found) => found,
            None => {
                let (shared, set, item) = (Arc::clone(shared), set.to_owned(), item.to_owned());
                let reads = shared.hall.reads().clone();
                reads.run("a set of questions", move || find(&shared, &set, &item)).await??
            }
        };
        let name = names.take(item, &name);
        store(&form, item, &name, &mut part, &in_flight).await?;
        taken = Some((form, item));
    }
    // Its answer is waited for, though something may stand behind the last part.
    in_flight.answering();
    taken.ok_or(FileRejection::NoFile)
}

fn find(shared: &Shared, set: &str, item: &str) -> Result<Item, FileRejection> {
    let form = shared.hall.form_named(set).ok_or_else(|| match shared.hall.ending_of(set) {
        Some(ending) => AttachError::Ended(ending).into(),
        None => FileRejection::NoSet,
    })?;
    // Only what is no number is no item of any set.
    Ok((form, item.parse().unwrap_or_default()))
}

#[derive(Deserialize)]
struct Removal {
    name: String,
}

/// `POST /d/{session}/files/{item}/remove`: takes a file away.
pub(super) async fn remove(
    State(shared): State<Arc<Shared>>,
    RequestLang(lang): RequestLang,
    Path((set, item)): Path<(String, String)>,
    body: Bytes,
) -> Response {
    let removal: Removal = match serde_json::from_slice(&body) {
        Ok(removal) => removal,
        Err(error) => return FileRejection::NotJson(error.to_string()).not_removed(lang),
    };
    let found = find(&shared, &set, &item);
    let removed = found.and_then(|(form, item)| match form.detach(item, &removal.name) {
        Ok(true) => Ok((form, item)),
        Ok(false) => {
            Err(form.look().map_or(FileRejection::NotThere, |ending| AttachError::Ended(ending).into()))
        }
        Err(error) => Err(AttachError::Store(error).into()),
    });
    match removed {
        Ok((form, item)) => listed(lang, &form, item),
        Err(refused) => refused.not_removed(lang),
    }
}

/// What is attached to an item now.
fn listed(lang: Lang, form: &Form, item: u64) -> Response {
    let attached = match form.attachments() {
        Ok(attached) => attached,
        Err(error) => return FileRejection::Attach(error.into()).not_attached(lang),
    };
    let used: u64 = attached.values().flatten().map(|file| file.size).sum();
    let files: &[Attachment] = attached.get(&item).map_or(&[], Vec::as_slice);
    let left = model::MAX_ATTACHED.saturating_sub(used);
    Json(json!({ "files": files, "set_bytes_left": left })).into_response()
}

/// Attaches the content of `part` to `item` as `name`, and reads `part` to its end. Waiting for the disk does not hold up other
/// requests, and a slow client does not occupy a place among the writers.
///
/// # Errors
///
/// When it is not attached; earlier attachments stay.
pub(super) async fn store(
    form: &Arc<Form>,
    item: u64,
    name: &str,
    part: &mut Part,
    in_flight: &InFlight,
) -> Result<(), FileRejection> {
    let mut arriving = {
        let (form, name, later) = (Arc::clone(form), name.to_owned(), in_flight.clone());
        let attach = move || {
            form.attach(item, &name).map(|upload| IncomingFile { upload: Some(upload), in_flight: later })
        };
        in_flight.write(NAME, attach).await??
    };
    let mut is_over = false;
    while !is_over {
        let bytes;
        (bytes, is_over) = match read(part).await {
            Ok(read) => read,
            Err(error) => {
                // Before the answer, if its turn comes.
                let _ = in_flight.write(NAME, move || arriving.remove()).await;
                return Err(error.into());
            }
        };
        arriving = in_flight.write(NAME, move || arriving.write(&bytes)).await??;
    }
    // A client that has gone by now has sent all of it.
    in_flight.write(NAME, move || arriving.finish()).await??;
    Ok(())
}

/// The next bytes of `part`, and whether they are its last.
async fn read(part: &mut Part) -> Result<(Vec<u8>, bool), PartError> {
    let mut bytes = Vec::with_capacity(WRITE);
    while bytes.len() < WRITE {
        match part.chunk().await? {
            Some(chunk) => bytes.extend_from_slice(&chunk),
            None => return Ok((bytes, true)),
        }
    }
    Ok((bytes, false))
}

/// A file that is on its way. What there is of it is removed if it does not arrive, by a thread that may wait for the disk.
struct IncomingFile {
    upload: Option<Upload>,
    in_flight: InFlight,
}

impl IncomingFile {
    /// Takes more of it, where the disk can be waited for.
    fn write(mut self, bytes: &[u8]) -> Result<Self, AttachError> {
        let written = self.upload.as_mut().map_or(Ok(()), |upload| upload.write(bytes));
        if let Err(error) = written {
            self.remove();
            return Err(error);
        }
        Ok(self)
    }

    fn remove(mut self) {
        drop(self.upload.take());
    }

    fn finish(mut self) -> Result<(), AttachError> {
        self.upload.take().map_or(Ok(()), |upload| upload.finish().map(drop))
    }
}

impl Drop for IncomingFile {
    fn drop(&mut self) {
        if let Some(upload) = self.upload.take() {
            self.in_flight.write_later(move || drop(upload));
        }
    }
}

/// What the connection of a request has under way.
pub(super) fn in_flight(request: &Request) -> InFlight {
    // Without a connection it is a test's.
    request.extensions().get().cloned().unwrap_or_default()
}

impl FileRejection {
    /// The HTTP status that says the same.
    pub(super) fn status(&self) -> StatusCode {
        match self {
            Self::Part(PartError::Rejected(_)) | Self::NoFile | Self::NotJson(_) => StatusCode::BAD_REQUEST,
            Self::Part(PartError::TooManyParts | PartError::TooLong) => StatusCode::PAYLOAD_TOO_LARGE,
            Self::NoSet | Self::NotThere => StatusCode::NOT_FOUND,
            Self::Late | Self::Busy => StatusCode::SERVICE_UNAVAILABLE,
            Self::Lost => StatusCode::INTERNAL_SERVER_ERROR,
            Self::Attach(error) => app::status_of_attach(error),
        }
    }

    /// The sentence for a person or a script.
    pub(super) fn detail(&self, lang: Lang) -> String {
        let (words, page) = (lang.uploads(), lang.page());
        match self {
            Self::Part(PartError::Rejected(_)) => page.http_bad_request.to_owned(),
            Self::Part(PartError::TooManyParts) => words.too_many_parts.to_owned(),
            Self::Part(PartError::TooLong) => fill(page.http_too_large_detail, &[("limit", "1")]),
            Self::NoSet => lang.inbox().no_set.to_owned(),
            Self::NoFile => words.no_file.to_owned(),
            Self::NotThere => words.not_there.to_owned(),
            Self::NotJson(detail) => detail.clone(),
            Self::Busy => page.http_busy_detail.to_owned(),
            Self::Late | Self::Lost => page.http_stuck_detail.to_owned(),
            Self::Attach(error) => app::attach_detail_of(error, lang),
        }
    }

    /// The answer for a script, where nothing was attached.
    fn not_attached(self, lang: Lang) -> Response {
        self.respond(lang, lang.uploads().not_attached)
    }

    fn not_removed(self, lang: Lang) -> Response {
        self.respond(lang, lang.uploads().not_removed)
    }

    /// The answer where `error` is what happened.
    pub(super) fn respond(self, lang: Lang, error: &str) -> Response {
        match self {
            Self::Part(PartError::Rejected(rejection)) => rejection.respond(lang),
            refused => error_response(refused.status(), error, &refused.detail(lang)),
        }
    }
}
