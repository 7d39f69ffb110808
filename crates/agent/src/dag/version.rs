//! What becomes of an output that comes again (§11.5).

use model::agent::{ConflictPolicy, Id, NodeOutput, PayloadPath, Sha256, Versioning, VersioningMode};

/// The files of an output, with their hashes, in the order of their paths. One is kept for every output that was delivered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Content(Box<[(PayloadPath, Sha256)]>);

impl FromIterator<(PayloadPath, Sha256)> for Content {
    fn from_iter<I: IntoIterator<Item = (PayloadPath, Sha256)>>(files: I) -> Self {
        let mut files: Vec<_> = files.into_iter().collect();
        files.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
        Self(files.into())
    }
}

/// An output that was delivered under the same key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Earlier {
    /// Its message.
    pub message_id: Id,
    /// What it was.
    pub content: Content,
    /// Its version, if it has one.
    pub tag: Option<String>,
}

/// What becomes of an output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum VersionDecision {
    /// It is delivered.
    Deliver,
    /// It is delivered, and takes the place of this message.
    Replace(Id),
    /// It is what this message was.
    Duplicate(Id),
    /// It is refused: this message was something else.
    Reject(Id),
    /// It is refused: there is no version in this, or it is not a version.
    BadTag(Option<String>),
}

/// Returns what becomes of an output with this content, when `earlier` were delivered, in their order.
pub fn version(
    output: &NodeOutput,
    content: &Content,
    tag: Option<&str>,
    earlier: &[Earlier],
) -> VersionDecision {
    let Some(last) = earlier.last() else { return VersionDecision::Deliver };
    let mode = mode(output.versioning.as_ref());
    // Where the latest counts, what was there before and comes back is news.
    let latest_counts = matches!(
        mode,
        Some(VersioningMode::KeepLatest | VersioningMode::OverwriteByName | VersioningMode::SemverTagged)
    );
    let known = if latest_counts { std::slice::from_ref(last) } else { earlier };
    if let Some(same) = known.iter().rev().find(|one| one.content == *content) {
        return VersionDecision::Duplicate(same.message_id.clone());
    }
    match mode {
        // As it always was: whoever gets it decides.
        None | Some(VersioningMode::ImmutableByMessageId) => VersionDecision::Deliver,
        Some(VersioningMode::KeepLatest | VersioningMode::OverwriteByName) => {
            VersionDecision::Replace(last.message_id.clone())
        }
        Some(VersioningMode::RejectOnChange) => VersionDecision::Reject(last.message_id.clone()),
        Some(VersioningMode::SemverTagged) => {
            let stated = output.versioning.as_ref().and_then(|versioning| versioning.tag.as_deref());
            let tag = tag.or(stated);
            let Some(version) = tag.and_then(semver) else {
                return VersionDecision::BadTag(tag.map(str::to_owned));
            };
            let taken = earlier.iter().find(|one| {
                one.tag.as_deref().or(stated).and_then(semver).is_some_and(|earlier| earlier == version)
            });
            match taken {
                Some(taken) => VersionDecision::Reject(taken.message_id.clone()),
                None => VersionDecision::Replace(last.message_id.clone()),
            }
        }
    }
}

fn mode(versioning: Option<&Versioning>) -> Option<VersioningMode> {
    let versioning = versioning?;
    let by_policy = || {
        (versioning.conflict_policy == Some(ConflictPolicy::DeadletterOnChange))
            .then_some(VersioningMode::RejectOnChange)
    };
    versioning.mode.or_else(by_policy)
}

/// Reads `1.2.3`, `v1.2.3` and what may follow them.
fn semver(tag: &str) -> Option<(u64, u64, u64, &str)> {
    let text = tag.strip_prefix('v').unwrap_or(tag);
    let end = text.find(['-', '+']).unwrap_or(text.len());
    let (numbers, rest) = text.split_at(end);
    let mut parts = numbers.split('.').map(|part| {
        let is_number = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        part.parse::<u64>().ok().filter(|_| is_number)
    });
    let version = (parts.next()??, parts.next()??, parts.next()??, rest);
    parts.next().is_none().then_some(version)
}
