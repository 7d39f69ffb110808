//! The icon with the number of open items.

/// How many are written out; the icon has no room for more.
const MOST: u32 = 99;

/// The icon for so many open items, as SVG.
pub fn render_icon(open: u32) -> String {
    let (text, size) = match open {
        0..10 => (open.to_string(), 22),
        10..=MOST => (open.to_string(), 18),
        _ => (format!("{MOST}+"), 13),
    };
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 32 32\">\
         <rect width=\"32\" height=\"32\" rx=\"8\" fill=\"#c2410c\"/>\
         <text x=\"16\" y=\"17\" fill=\"#fff\" font-family=\"system-ui,sans-serif\" font-size=\"{size}\" font-weight=\"700\" \
         text-anchor=\"middle\" dominant-baseline=\"central\">{text}</text></svg>"
    )
}

#[cfg(test)]
mod tests {
    use super::render_icon;

    #[test]
    fn it_shows_the_number_as_far_as_there_is_room() {
        for (open, text) in [(1, ">1<"), (12, ">12<"), (99, ">99<"), (100, ">99+<"), (u32::MAX, ">99+<")] {
            assert!(render_icon(open).contains(text), "{open}");
        }
    }
}
