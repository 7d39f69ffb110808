//! How much tests try where all of it would take minutes or hours: a sample, always the same one, in `scripts/test`, and all of it,
//! with many more random cases, in `scripts/soak`. The variable `AIDE_PROOF_FACTOR` says which; it is read here alone.

/// The variable.
const VARIABLE: &str = "AIDE_PROOF_FACTOR";

/// Returns how many times the usual number of random cases is tried: 1 without the variable.
///
/// # Panics
///
/// If the variable has a value that is no number: the campaign would be shorter than its caller believes.
pub fn factor() -> u32 {
    let value = std::env::var_os(VARIABLE).map(|value| value.to_string_lossy().into_owned());
    parse(value.as_deref())
}

/// Whether everything is tried, in place of a sample.
pub fn is_complete() -> bool {
    factor() > 1
}

/// Returns the distance between the cases to try: `usual`, or 1 where everything is tried.
pub fn stride<N: From<u8>>(usual: N) -> N {
    if is_complete() { N::from(1) } else { usual }
}

fn parse(value: Option<&str>) -> u32 {
    match value {
        None | Some("") => 1,
        Some(value) => match value.parse() {
            Ok(factor) => u32::max(factor, 1),
            Err(error) => panic!("{VARIABLE} is {value:?}: {error}"),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_factor_is_at_least_one() {
        assert_eq!([None, Some(""), Some("0"), Some("1"), Some("50")].map(parse), [1, 1, 1, 1, 50]);
    }

    #[test]
    #[should_panic(expected = "AIDE_PROOF_FACTOR is \"many\"")]
    fn what_is_no_number_is_refused() {
        parse(Some("many"));
    }
}
