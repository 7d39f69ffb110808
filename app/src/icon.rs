//! The icon with the number of open items.

/// How many are written out; the icon has no room for more.
const MAX_COUNT: u32 = 99;

/// The address of the icon for so many open items: the image itself. It changes with every answer, even when no server can be
/// asked for it.
pub(crate) fn icon(open: u32) -> String {
    let (text, size) = match open {
        0 => ("✓".to_owned(), 22),
        1..10 => (open.to_string(), 22),
        10..=MAX_COUNT => (open.to_string(), 18),
        _ => (format!("{MAX_COUNT}+"), 13),
    };
    let colour = if open > 0 { "c2410c" } else { "3b5bdb" };
    format!(
        "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E\
         %3Crect width='32' height='32' rx='8' fill='%23{colour}'/%3E\
         %3Ctext x='16' y='17' fill='%23fff' font-family='sans-serif' font-size='{size}' font-weight='700' \
         text-anchor='middle' dominant-baseline='central'%3E{text}%3C/text%3E%3C/svg%3E"
    )
}

#[cfg(test)]
mod tests {
    use super::icon;

    #[test]
    fn it_shows_the_number_as_far_as_there_is_room() {
        for (open, text) in [(0, "✓"), (1, "1"), (12, "12"), (99, "99"), (100, "99+"), (u32::MAX, "99+")] {
            let icon = icon(open);
            assert!(icon.contains(&format!("%3E{text}%3C/text")), "{icon}");
            // Whatever could end an attribute, or the address.
            assert!(!icon.contains(['"', '<', '>', '#']), "{icon}");
        }
    }
}
