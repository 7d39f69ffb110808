//! What an option looks like: text, or a picture. An agent gives it, so only the forms below are taken.

use serde::Serialize;
use serde_json::{Value, json};

/// The longest text, in bytes.
pub const MAX_PREVIEW: usize = 64 << 10;
/// The longest picture in the questions themselves, as base64, in bytes.
const MAX_PICTURE_TEXT: usize = 700 << 10;
/// The largest picture of the project, in bytes.
pub const MAX_PICTURE: u64 = 512 << 10;

/// What an option looks like.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Preview {
    /// Markdown, or a fragment of HTML.
    Text(String),
    /// A picture in the questions themselves: an address that begins with `data:`.
    Picture(String),
    /// A picture of the project: its path relative to the project root.
    File(String),
}

impl Serialize for Preview {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) | Self::Picture(text) => text.serialize(serializer),
            Self::File(file) => json!({ "file": file }).serialize(serializer),
        }
    }
}

/// The kinds of pictures. A drawing in SVG is none of them: it is a document that can do more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PictureKind {
    /// Portable Network Graphics.
    Png,
    /// JPEG.
    Jpeg,
    /// GIF, which may move.
    Gif,
    /// WebP, which may move.
    Webp,
}

impl PictureKind {
    const ALL: [Self; 4] = [Self::Png, Self::Jpeg, Self::Gif, Self::Webp];

    /// Its media type.
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Gif => "image/gif",
            Self::Webp => "image/webp",
        }
    }

    /// The kind that a file of this name is.
    pub fn from_name(name: &str) -> Option<Self> {
        let (_, extension) = name.rsplit_once('.')?;
        match extension.to_ascii_lowercase().as_str() {
            "png" => Some(Self::Png),
            "jpg" | "jpeg" => Some(Self::Jpeg),
            "gif" => Some(Self::Gif),
            "webp" => Some(Self::Webp),
            _ => None,
        }
    }

    /// The kind that these bytes are, by their first ones.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        match bytes {
            [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some(Self::Png),
            [0xff, 0xd8, 0xff, ..] => Some(Self::Jpeg),
            [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some(Self::Gif),
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some(Self::Webp),
            _ => None,
        }
    }

    /// How the base64 of such a picture begins.
    fn beginning(self) -> &'static str {
        match self {
            Self::Png => "iVBORw0KGgo",
            Self::Jpeg => "/9j/",
            Self::Gif => "R0lGODdh R0lGODlh",
            Self::Webp => "UklGR",
        }
    }
}

/// Whether `text` claims to be a picture.
pub(crate) fn is_data(text: &str) -> bool {
    text.trim_start().get(..5).is_some_and(|start| start.eq_ignore_ascii_case("data:"))
}

/// Whether `address` is a picture in itself: of a known kind, which its first bytes confirm, in base64 and nothing else.
pub fn is_picture(address: &str) -> bool {
    let Some(rest) = address.strip_prefix("data:") else { return false };
    let Some((media_type, encoded)) = rest.split_once(";base64,") else { return false };
    let Some(kind) = PictureKind::ALL.into_iter().find(|kind| kind.media_type() == media_type) else {
        return false;
    };
    let digits = encoded.trim_end_matches('=');
    let padding = encoded.len() - digits.len();
    encoded.len() <= MAX_PICTURE_TEXT
        && encoded.len().is_multiple_of(4)
        && padding <= 2
        && digits.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/'))
        && kind.beginning().split(' ').any(|beginning| digits.starts_with(beginning))
}

/// The preview that `value` gives, whatever its length; `None` if it is neither a text nor names a file.
pub(crate) fn read(value: &Value) -> Option<Preview> {
    match value {
        Value::String(text) if is_data(text) => Some(Preview::Picture(text.trim().to_owned())),
        Value::String(text) => Some(Preview::Text(text.clone())),
        Value::Object(object) => Some(Preview::File(object.get("file")?.as_str()?.to_owned())),
        _ => None,
    }
}
