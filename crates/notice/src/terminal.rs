//! A notification that terminals show, also those at the other end of SSH.

use crate::Notice;

/// How much is shown, in characters.
const MAX: usize = 200;

/// Returns what is written to a terminal to have it show `notice` (OSC 9). `is_tmux` when tmux is in between, which passes it on.
pub fn sequence(notice: &Notice, is_tmux: bool) -> String {
    let text = format!("{}: {} {}", notice.title, notice.task, notice.url);
    // Nothing in it may end the sequence, or begin another one.
    let text: String = text.chars().filter(|c| !c.is_control()).take(MAX).collect();
    let sequence = format!("\u{1b}]9;{text}\u{7}");
    if is_tmux {
        format!("\u{1b}Ptmux;{}\u{1b}\\", sequence.replace('\u{1b}', "\u{1b}\u{1b}"))
    } else {
        sequence
    }
}

#[cfg(test)]
mod tests {
    use super::sequence;
    use crate::Notice;
    use crate::webhook::tests::notice;

    #[test]
    fn the_sequence_holds_one_line_and_nothing_else() {
        let hostile = Notice { task: "a\u{7}\u{1b}[2Jb\u{9c}\nc".to_owned(), ..notice() };
        let plain = "\u{1b}]9;2 questions: a[2Jbc http://localhost:3721\u{7}";
        assert_eq!(sequence(&hostile, false), plain);
        let passed = "\u{1b}Ptmux;\u{1b}\u{1b}]9;2 questions: a[2Jbc http://localhost:3721\u{7}\u{1b}\\";
        assert_eq!(sequence(&hostile, true), passed);
        let long = Notice { task: "界".repeat(1000), ..notice() };
        assert_eq!(sequence(&long, false).chars().count(), 4 + 200 + 1);
    }
}
