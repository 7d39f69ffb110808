//! Files that are asked for: the field that takes them, and what is attached. Without script they go with the form, and a
//! button takes each away again; `frontend/upload.js` sends them at once.

use crate::SetId;
use crate::site;
use leptos::nonce::use_nonce;
use leptos::prelude::*;
use model::{Attachment, DecideItem, ItemKind, form};
use serde_json::json;
use std::sync::LazyLock;
use texts::{Lang, UploadTexts, fill, size};

/// Sends files as soon as they are chosen; without its comments.
static UPLOAD: LazyLock<String> = LazyLock::new(|| {
    let lines = include_str!("../../../frontend/upload.js").lines().map(str::trim);
    let lines: Vec<_> = lines.filter(|line| !line.is_empty() && !line.starts_with("//")).collect();
    // In a block: its declarations stay local.
    format!("{{\n{}\n}}", lines.join("\n"))
});

/// Whether files are asked for.
pub(crate) fn are_asked(items: &[DecideItem]) -> bool {
    items.iter().any(|item| item.kind == ItemKind::Files)
}

/// Where the form is sent that has files in it.
pub(crate) fn submit_address(set: &SetId) -> String {
    site::address(format_args!("/d/{set}/submit"))
}

/// The script, and what it has to know.
#[expect(non_snake_case, reason = "it is a component in all but the macro")]
pub(crate) fn Uploads(lang: Lang, set: &SetId) -> impl IntoView + use<> {
    let words = lang.uploads();
    let texts = json!({
        "remove": words.remove,
        "cancel": words.cancel,
        "retry": words.retry,
        "remove_file": words.remove_file,
        "cancel_file": words.cancel_file,
        "retry_file": words.retry_file,
        "uploading": words.uploading,
        "queued": words.queued,
        "done": words.done,
        "removed": words.removed,
        "cancelled": words.cancelled,
        "failed": words.failed,
        "unreachable": words.unreachable,
        "still_uploading": words.still_uploading,
        "set_full": lang.files().set_full(model::MAX_ATTACHED),
    });
    view! {
        <div
            id="uploads"
            hidden
            data-to=site::address(format_args!("/d/{set}/files/"))
            data-query=format!("?lang={}", lang.code())
            data-words=texts.to_string()
        ></div>
        <script nonce=use_nonce()>{UPLOAD.as_str()}</script>
    }
}

/// What Enter means where it would send the form: to submit it, and not the first button, which takes a file away.
#[expect(non_snake_case, reason = "it is a component in all but the macro")]
pub(crate) fn DefaultButton() -> impl IntoView {
    view! {
        <button
            type="submit"
            class="unseen"
            tabindex="-1"
            aria-hidden="true"
            name=form::ACTION
            value=form::SUBMIT
        ></button>
    }
}

/// What is asked for, what is attached, and the field for more. The check box is never seen: it is checked where enough is
/// attached, so that an answer is counted and kept as where something is chosen.
#[expect(non_snake_case, reason = "it is a component in all but the macro")]
pub(super) fn Attach(lang: Lang, item: &DecideItem, attached: &[Attachment]) -> impl IntoView + use<> {
    let words = lang.uploads();
    let (id, field) = (item.id, form::files_field(item.id));
    let (least, most) = item.file_bounds();
    let asked = words.asked(least, most, &item.names, item.largest_file());
    let asked_id = format!("{field}-asked");
    let file_words = lang.files();
    let is_several = most > 1;
    let is_enough = !attached.is_empty() && attached.len() >= least;
    let rows = attached.iter().map(|file| {
        view! {
            <li>
                {Name(file)} " "
                <button
                    type="submit"
                    class="file-act"
                    name=form::REMOVE
                    value=form::removal_value(id, &file.name)
                    aria-label=fill(words.remove_file, &[("name", &file.name)])
                >
                    {words.remove}
                </button>
            </li>
        }
    });
    view! {
        <div
            class="files"
            data-files=id.to_string()
            data-min=least.to_string()
            data-max=most.to_string()
            data-choose=words.choose(most)
            data-bytes=item.largest_file().to_string()
            data-names=serde_json::Value::from(item.names.as_slice()).to_string()
            data-too-large=file_words.too_large(item.largest_file())
            data-too-many=file_words.too_many(most)
            data-wrong-name=file_words.wrong_name(&item.names)
        >
            <p class="files-asked" id=asked_id.clone()>
                {asked}
            </p>
            <ul class="files-list" aria-label=words.attached>
                {rows.collect_view()}
            </ul>
            <div class="files-drop">
                <label class="files-choose" for=field.clone()>
                    {words.attach}
                </label>
                <input
                    type="file"
                    id=field.clone()
                    name=field
                    multiple=is_several
                    accept=accept(&item.names)
                    aria-describedby=asked_id
                />
            </div>
            <input
                type="checkbox"
                class="unseen"
                tabindex="-1"
                aria-hidden="true"
                name=form::choice_field(id)
                value="0"
                checked=is_enough
            />
            <p class="files-status" role="status"></p>
        </div>
    }
}

/// What is attached, to be read.
#[expect(non_snake_case, reason = "it is a component in all but the macro")]
pub(crate) fn Given(words: &'static UploadTexts, attached: &[Attachment]) -> impl IntoView + use<> {
    let rows = attached.iter().map(|file| view! { <li>{Name(file)}</li> }).collect_view();
    view! {
        <ul class="files-list files-given" aria-label=words.attached>
            {rows}
        </ul>
    }
}

#[expect(non_snake_case, reason = "it is a component in all but the macro")]
fn Name(file: &Attachment) -> impl IntoView + use<> {
    view! {
        <span class="file-name">{file.name.clone()}</span>
        " "
        <span class="file-size">{size(file.size)}</span>
    }
}

/// Returns what the browser offers first: the extensions, if every pattern of a name ends with a plain one.
fn accept(names: &[String]) -> Option<String> {
    let extension = |name: &String| {
        let (_, extension) = name.rsplit_once('.')?;
        let is_plain = !extension.is_empty() && extension.chars().all(char::is_alphanumeric);
        is_plain.then(|| format!(".{extension}"))
    };
    let extensions: Option<Vec<_>> = names.iter().map(extension).collect();
    extensions.filter(|extensions| !extensions.is_empty()).map(|extensions| extensions.join(","))
}

#[cfg(test)]
mod tests {
    use super::{UPLOAD, accept};

    #[test]
    fn the_script_does_not_end_its_own_element() {
        assert!(!["</", "<!--"].iter().any(|end| UPLOAD.contains(end)));
        assert!(!UPLOAD.contains("//"), "what is left of a comment");
    }

    #[test]
    fn extensions_are_offered_where_they_tell_the_names() {
        let accept =
            |names: &[&str]| accept(&names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
        assert_eq!(accept(&["*.pdf", "logo.svg"]).as_deref(), Some(".pdf,.svg"));
        assert_eq!(accept(&["*.pdf", "Makefile"]), None);
        assert_eq!(accept(&["*.tar.*"]), None);
        assert_eq!(accept(&[]), None);
    }
}
