//! What the pages of workflows have in common.

use super::super::time::today;
use leptos::prelude::*;
use std::borrow::Cow;

pub(super) const STYLE: &str =
    concat!(include_str!("../../../../style/plans.css"), include_str!("../../../../style/workflows.css"));

/// How much of what an agent says is shown where it is one thing of many, in characters.
pub(super) const SHORT: usize = 400;

/// The beginning of a text that may be very long.
pub(super) fn clipped(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

/// A moment of the world's time as the clock here shows it; the day is named unless it is today.
#[expect(non_snake_case, reason = "it is a component in all but the macro")]
pub(super) fn LocalTime(moment: &str) -> impl IntoView + use<> {
    let local = store::moment(moment).unwrap_or_else(|| moment.to_owned());
    view! { <time datetime=local.clone()>{today(&local, &store::now())}</time> }
}

/// The word for a state, drawn by it.
#[expect(non_snake_case, reason = "it is a component in all but the macro")]
pub(super) fn Mark(state: &'static str, word: &'static str) -> impl IntoView {
    view! {
        <span class="mark" data-state=state>
            {word}
        </span>
    }
}

#[cfg(test)]
mod tests {
    use super::clipped;

    #[test]
    fn a_long_text_is_cut_between_characters() {
        assert_eq!(clipped("找到论文", 4), "找到论文");
        assert_eq!(clipped("找到论文", 3), "找到论…");
        assert_eq!(clipped("", 0), "");
    }
}
