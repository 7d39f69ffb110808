//! What is printed.

use texts::{json_safe, terminal_safe};

/// Nothing that a terminal obeys is left, and nothing else is changed.
pub(crate) fn terminal(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let safe = terminal_safe(&text);
    assert!(!safe.chars().any(obeyed), "{safe:?}");
    assert_eq!(terminal_safe(&safe), safe, "not settled");
    let escaped: String = text.chars().map(shown).collect();
    assert_eq!(safe, escaped);

    let json = serde_json::to_string(&*text).unwrap();
    let safe = json_safe(&json);
    assert!(!safe.chars().any(|c| obeyed(c) || matches!(c, '\n' | '\t')), "{safe:?}");
    assert_eq!(serde_json::from_str::<String>(&safe).unwrap(), *text);
}

fn shown(c: char) -> String {
    if obeyed(c) { format!("\\u{{{:x}}}", u32::from(c)) } else { c.to_string() }
}

/// C0 without line feed and tab, DEL, C1, and what changes the direction or the line of what follows.
fn obeyed(c: char) -> bool {
    let c = u32::from(c);
    matches!(c, 0..=8 | 11..=31 | 0x7f..=0x9f | 0x61c | 0x200e | 0x200f | 0x2028..=0x202e | 0x2066..=0x2069)
}
