//! What becomes of an output that comes again (contract/plans §11.5).

use protocol::agent::{ConflictPolicy, Id, NodeOutput, Sha256, Versioning, VersioningMode};
use sha2::Digest;
use std::collections::BTreeMap;

/// What the files of an output are, in whatever order they are named: one for all outputs with the same files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Content([u8; 32]);

impl<'f> FromIterator<(&'f str, Sha256)> for Content {
    /// From the paths of the files, and the hashes of their bytes.
    fn from_iter<I: IntoIterator<Item = (&'f str, Sha256)>>(files: I) -> Self {
        let mut files: Vec<_> = files.into_iter().collect();
        files.sort_unstable();
        let mut hasher = sha2::Sha256::new();
        for (path, sha256) in files {
            hasher.update(path);
            // No path has it.
            hasher.update([0]);
            hasher.update(sha256.bytes());
        }
        Self(hasher.finalize().into())
    }
}

/// The deliveries of an output to one agent that matter for later ones.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Versions {
    /// The last message, and what it was.
    last: Option<(Id, Content)>,
    /// The last message of each content that is known.
    by_content: BTreeMap<Content, Id>,
    /// The first message of each version, as it was stated.
    by_tag: BTreeMap<Option<String>, Id>,
}

impl Versions {
    /// Adds a message that was delivered after all others.
    pub fn push(&mut self, message_id: Id, content: Content, tag: Option<String>) {
        self.by_tag.entry(tag).or_insert_with(|| message_id.clone());
        self.by_content.insert(content, message_id.clone());
        self.last = Some((message_id, content));
    }

    /// Forgets what there is more of with each message. It can be [read again](Self::recall).
    pub(crate) fn forget(&mut self) {
        self.by_content.clear();
    }

    /// Adds a message that was forgotten, unless a later one of the same content is known.
    pub(crate) fn recall(&mut self, message_id: Id, content: Content) {
        self.by_content.entry(content).or_insert(message_id);
    }
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

/// Returns what becomes of an output with this content, when `earlier` were delivered.
pub fn version(
    output: &NodeOutput,
    content: Content,
    tag: Option<&str>,
    earlier: &Versions,
) -> VersionDecision {
    let Some((last, last_content)) = &earlier.last else { return VersionDecision::Deliver };
    let mode = mode(output.versioning.as_ref());
    // Where the latest counts, what was there before and comes back is news.
    let latest_counts = matches!(
        mode,
        Some(VersioningMode::KeepLatest | VersioningMode::OverwriteByName | VersioningMode::SemverTagged)
    );
    let same = if latest_counts {
        (*last_content == content).then_some(last)
    } else {
        earlier.by_content.get(&content)
    };
    if let Some(same) = same {
        return VersionDecision::Duplicate(same.clone());
    }
    match mode {
        // The original behaviour: the receiver decides.
        None | Some(VersioningMode::ImmutableByMessageId) => VersionDecision::Deliver,
        Some(VersioningMode::KeepLatest | VersioningMode::OverwriteByName) => {
            VersionDecision::Replace(last.clone())
        }
        Some(VersioningMode::RejectOnChange) => VersionDecision::Reject(last.clone()),
        Some(VersioningMode::SemverTagged) => {
            let stated = output.versioning.as_ref().and_then(|versioning| versioning.tag.as_deref());
            let tag = tag.or(stated);
            let Some(version) = tag.and_then(semver) else {
                return VersionDecision::BadTag(tag.map(str::to_owned));
            };
            let taken = earlier.by_tag.iter().find(|(one, _)| {
                one.as_deref().or(stated).and_then(semver).is_some_and(|earlier| earlier == version)
            });
            match taken {
                Some((_, taken)) => VersionDecision::Reject(taken.clone()),
                None => VersionDecision::Replace(last.clone()),
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
