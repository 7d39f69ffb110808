//! HTML of what is smaller than a page: the items of a set, and what users and agents have written in them.

pub(crate) mod escape;
pub(crate) mod excerpt;
pub(crate) mod files;
mod highlight;
pub(crate) mod item;
pub(crate) mod markdown;
pub(crate) mod markup;
pub(crate) mod preview;
pub(crate) mod sources;
pub(crate) mod text_area;

pub use markdown::{sanitize_html, to_html as markdown_to_html, to_text as markdown_to_text};
