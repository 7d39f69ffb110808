//! A link as a QR code of half blocks, for the camera of a phone.

use qrcode::{Color, EcLevel, QrCode};
use std::env;

/// How wide the border must be, in modules.
const QUIET: usize = 4;

/// Returns the lines that show `link`, light on dark: each character is two modules, one above the other. `None` when it is too
/// long.
pub(crate) fn lines(link: &str) -> Option<Vec<String>> {
    let code = QrCode::with_error_correction_level(link, EcLevel::L).ok()?;
    let (width, modules) = (code.width(), code.to_colors());
    let is_light = |column: usize, row: usize| {
        let inside = |at: usize| at.checked_sub(QUIET).filter(|at| *at < width);
        match (inside(column), inside(row)) {
            (Some(column), Some(row)) => modules.get(row * width + column) != Some(&Color::Dark),
            _ => true,
        }
    };
    let size = width + 2 * QUIET;
    let line = |row: usize| {
        (0..size)
            .map(|column| match (is_light(column, row), row + 1 >= size || is_light(column, row + 1)) {
                (true, true) => '█',
                (true, false) => '▀',
                (false, true) => '▄',
                (false, false) => ' ',
            })
            .collect()
    };
    Some((0..size).step_by(2).map(line).collect())
}

/// Whether a terminal can show them: it is none that can do nothing, and it has the characters.
pub(crate) fn can_be_shown() -> bool {
    let variable = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(variable).unwrap_or_default();
    let locale = locale.to_ascii_lowercase();
    variable("TERM").is_none_or(|term| term != "dumb")
        && (locale.contains("utf-8") || locale.contains("utf8"))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on must fail")]
mod tests {
    use super::{QUIET, lines};
    use qrcode::{Color, EcLevel, QrCode};

    #[test]
    fn the_characters_are_the_modules_of_the_link() {
        let link = "http://192.168.1.5:3721/t/0123456789abcdef0123456789abcdef0123456789abcdef";
        let lines = lines(link).unwrap();
        let code = QrCode::with_error_correction_level(link, EcLevel::L).unwrap();
        let width = code.width();
        let pixels: Vec<Vec<bool>> = lines
            .iter()
            .flat_map(|line| {
                let is =
                    |characters: &'static str| line.chars().map(move |c| characters.contains(c)).collect();
                [is("█▀"), is("█▄")]
            })
            .collect();
        assert!(pixels.iter().all(|row: &Vec<bool>| row.len() == width + 2 * QUIET));
        let modules = code.to_colors();
        for row in 0..width {
            for column in 0..width {
                let is_dark = modules[row * width + column] == Color::Dark;
                assert_eq!(pixels[row + QUIET][column + QUIET], !is_dark, "{row} {column}");
            }
        }
        assert!(pixels[..QUIET].iter().flatten().all(|is_light| *is_light));
        assert!(lines.iter().all(|line| line.starts_with("████") && line.ends_with("████")));
        assert_eq!(super::lines(&"x".repeat(8000)), None);
    }
}
