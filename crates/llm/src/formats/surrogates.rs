//! Halves of surrogate pairs. What cuts a text between UTF-16 units sends each half of a character as an escape of its own, in
//! chunks that are valid JSON for JavaScript alone.

/// The halves (U+D800 to U+DFFF) stand for themselves here until they are joined: at the end of the last private plane.
const HALF: u32 = 0x10_f800;
const FIRST: u32 = 0xd800;
const FIRST_LOW: u32 = 0xdc00;
const LAST: u32 = 0xdfff;

/// JSON in which each half that stands alone is a character that [`join`] knows; `None` if there is none.
pub(super) fn mark(json: &[u8]) -> Option<Vec<u8>> {
    let mut marked: Option<Vec<u8>> = None;
    let mut at = 0;
    while let Some(&byte) = json.get(at) {
        if byte != b'\\' {
            marked.iter_mut().for_each(|marked| marked.push(byte));
            at += 1;
            continue;
        }
        let (length, half) = match escaped(json, at) {
            Some(unit) if is_high(unit) && escaped(json, at + 6).is_some_and(is_low) => (12, None),
            Some(unit) if is_high(unit) || is_low(unit) => (6, char::from_u32(HALF + unit - FIRST)),
            Some(_) => (6, None),
            None => (2, None),
        };
        let end = (at + length).min(json.len());
        if let Some(half) = half {
            let marked = marked.get_or_insert_with(|| json.get(..at).unwrap_or_default().to_vec());
            marked.extend_from_slice(half.encode_utf8(&mut [0; 4]).as_bytes());
        } else if let Some(marked) = &mut marked {
            marked.extend_from_slice(json.get(at..end).unwrap_or_default());
        }
        at = end;
    }
    marked
}

/// A text in which halves that belong together are one character again; one without its other half is U+FFFD.
pub(super) fn join(text: String) -> String {
    if !text.chars().any(|c| unit_of(c).is_some()) {
        return text;
    }
    let mut joined = String::with_capacity(text.len());
    let mut high = None;
    for c in text.chars() {
        match (high.take(), unit_of(c)) {
            (Some(first), Some(second)) if is_low(second) => {
                let code = 0x1_0000_u32 + ((first - FIRST) << 10) + (second - FIRST_LOW);
                joined.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
                continue;
            }
            (Some(_), _) => joined.push(char::REPLACEMENT_CHARACTER),
            (None, _) => {}
        }
        match unit_of(c) {
            Some(unit) if is_high(unit) => high = Some(unit),
            Some(_) => joined.push(char::REPLACEMENT_CHARACTER),
            None => joined.push(c),
        }
    }
    if high.is_some() {
        joined.push(char::REPLACEMENT_CHARACTER);
    }
    joined
}

/// The unit that is escaped at a place.
fn escaped(json: &[u8], at: usize) -> Option<u32> {
    let digits = json.get(at..at + 6)?.strip_prefix(b"\\u")?;
    u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

fn unit_of(c: char) -> Option<u32> {
    let unit = u32::from(c).checked_sub(HALF)? + FIRST;
    (unit <= LAST).then_some(unit)
}

fn is_high(unit: u32) -> bool {
    (FIRST..FIRST_LOW).contains(&unit)
}

fn is_low(unit: u32) -> bool {
    (FIRST_LOW..=LAST).contains(&unit)
}

#[cfg(test)]
mod tests {
    use super::{join, mark};

    fn text(json: &str) -> String {
        let marked = mark(json.as_bytes());
        serde_json::from_slice(marked.as_deref().unwrap_or(json.as_bytes())).expect(json)
    }

    #[test]
    fn halves_are_joined_and_single_ones_are_replaced() {
        assert_eq!(mark(br#""\\ud83d \ud83d\ude00 \u00e4 \n""#), None);
        let cut = [r#""a\ud83d""#, r#""\ude00b""#].map(text).concat();
        assert_eq!(join(cut), "a😀b");
        assert_eq!(join(text(r#""\ud83dx\ude00\ud83d""#)), "\u{fffd}x\u{fffd}\u{fffd}");
        assert_eq!(join(text(r#""\ud83d\ud83d\ude00""#)), "\u{fffd}😀");
        // What is no JSON stays none.
        for broken in [r#""\"#, r#""\u"#, r#""\ud8"#, "\\", "\\ud83d\\"] {
            let marked = mark(broken.as_bytes()).unwrap_or_else(|| broken.into());
            assert!(serde_json::from_slice::<String>(&marked).is_err(), "{broken}");
        }
    }
}
