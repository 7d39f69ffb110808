//! What the pages of workflows have in common.

use std::borrow::Cow;

pub(super) const STYLE: &str = concat!(
    include_str!("../../../../style/plans.css"),
    include_str!("../../../../style/filter.css"),
    include_str!("../../../../style/workflows.css")
);

/// How much of what an agent says is shown where it is one thing of many, in characters.
pub(super) const SHORT: usize = 400;

/// The beginning of a text that may be very long.
pub(super) fn clipped(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
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
