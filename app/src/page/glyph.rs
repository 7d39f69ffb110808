//! Signs for buttons, drawn as one line. What they mean is said beside them, in words.

use leptos::prelude::*;

/// Everything at once: two ticks.
pub(super) const CHECKS: &str = "M1 8.5 4 12l6-8M8 12l6-8";
/// To look at something.
pub(super) const EYE: &str = "M1 8s3-5 7-5 7 5 7 5-3 5-7 5-7-5-7-5ZM6 8a2 2 0 1 0 4 0 2 2 0 1 0-4 0";
/// A time that passes.
pub(super) const CLOCK: &str = "M2 8a6 6 0 1 0 12 0A6 6 0 1 0 2 8m6-4v4l3 2";

/// Draws `path` on a field of 16 by 16, in the colour of the text.
#[expect(non_snake_case, reason = "it is a component in all but the macro")]
pub(super) fn Glyph(path: &'static str) -> impl IntoView {
    view! {
        <svg class="glyph" viewBox="0 0 16 16" aria-hidden="true">
            <path d=path />
        </svg>
    }
}
