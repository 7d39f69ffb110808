//! What the server renders.

mod document;
mod escape;
mod excerpt;
mod farewell;
mod form;
mod icon;
mod item;
mod markdown;
mod notice;
mod review;
mod text_area;

pub use document::{Assets, Rendered};
pub use farewell::{Farewell, render_farewell};
pub use form::{Complaint, Shown, render_form};
pub use icon::render_icon;
pub(crate) use item::untouched_item;
pub use notice::{Notice, render_notice};
pub use review::render_review;
