//! Why something has failed, in the words of what has failed.

/// How much of it is quoted, in characters.
const CAUSE: usize = 300;

/// The beginning of it, on one line.
pub(crate) fn shortened(text: &str) -> String {
    model::beginning(&model::on_one_line(text), CAUSE)
}
