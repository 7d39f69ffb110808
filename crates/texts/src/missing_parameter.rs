//! Whether a sentence contains its parameters.

/// Returns the first text or number of `source` that the sentence `text` does not contain; `None` if it contains all of them.
/// `source` is the Rust source of the parameters that `text` was made of, so what is no literal there is not looked for. Tests of
/// all sentences use it.
///
/// # Panics
///
/// Panics if a text has a quote in it: such a text cannot be distinguished from two.
pub fn missing_parameter(text: &str, source: &str) -> Option<String> {
    assert!(!source.contains("\\\""), "a quote in a text: {source}");
    let pieces = source.split('"').enumerate();
    // Every other piece is between quotes.
    let mut literals = pieces
        .flat_map(|(index, piece)| if index % 2 == 1 { vec![piece.to_owned()] } else { numbers(piece) });
    literals.find(|literal| !text.contains(literal))
}

/// The numbers in source without texts, as they are printed.
fn numbers(source: &str) -> Vec<String> {
    let words = source.split(|c: char| !c.is_alphanumeric() && c != '_');
    let numbers = words.filter(|word| word.starts_with(|c: char| c.is_ascii_digit()));
    numbers.map(|number| number.replace('_', "")).collect()
}

#[cfg(test)]
mod tests {
    use super::missing_parameter;

    #[test]
    fn a_parameter_that_is_left_out_is_found() {
        let source = r#"path: "/p/a".into(), limit: 8_388_608, name2: Some(text("b1")), last: NONE"#;
        assert_eq!(missing_parameter("/p/a of b1: 8388608", source), None);
        for (text, left_out) in
            [("of b1: 8388608", "/p/a"), ("/p/a of b1: 838", "8388608"), ("/p/a: 8388608", "b1")]
        {
            assert_eq!(missing_parameter(text, source).as_deref(), Some(left_out));
        }
        assert_eq!(missing_parameter("", ""), None);
    }
}
