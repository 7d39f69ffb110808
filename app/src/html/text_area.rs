//! The one way to render a prefilled text field.

use super::escape::escape_html;
use leptos::prelude::*;

/// leptos 0.8 does not escape the children of `textarea`, so the value is escaped here and set as inner HTML:
/// a note that holds `</textarea><script>` stays a note.
#[expect(non_snake_case, reason = "it is a component in all but the macro")]
pub(super) fn TextArea(id: String, placeholder: &'static str, value: &str) -> impl IntoView + use<> {
    TextAreaOf("2", id, placeholder, value, false)
}

/// The same, of so many rows; whether it has the focus from the start.
#[expect(non_snake_case, reason = "it is a component in all but the macro")]
pub(crate) fn TextAreaOf(
    rows: &'static str,
    id: String,
    placeholder: &'static str,
    value: &str,
    autofocus: bool,
) -> impl IntoView + use<> {
    // The HTML parser drops a line break directly after the start tag: this one, instead of the person's.
    let content = format!("\n{}", escape_html(value));
    view! {
        <textarea
            id=id.clone()
            name=id
            rows=rows
            placeholder=placeholder
            autofocus=autofocus
            inner_html=content
        ></textarea>
    }
}
