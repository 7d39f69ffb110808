//! What the server renders.

mod document;
mod escape;
mod excerpt;
mod farewell;
mod form;
mod item;
mod markdown;
mod notice;
mod text_area;

pub use document::{Assets, Rendered};
pub use farewell::{Farewell, render_farewell};
pub use form::{Complaint, Shown, render_form};
pub(crate) use item::untouched_item;
pub use notice::{Notice, render_notice};
