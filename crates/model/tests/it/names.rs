//! What files may be called.

use crate::support::config;
use model::{clean_name, is_blank, name_matches, numbered_name};
use proptest::prelude::*;

/// Mostly characters with a special meaning somewhere.
fn names() -> impl Strategy<Value = String> {
    let c = prop_oneof![
        any::<char>(),
        prop::sample::select(
            " ./\\:*?\"<>|\0\n\u{1b}\u{7f}\u{200b}\u{202e}\u{2066}\u{2028}\u{e0001}conul1名"
                .chars()
                .collect::<Vec<_>>()
        ),
    ];
    prop_oneof![
        proptest::collection::vec(c.clone(), 0..12).prop_map(String::from_iter),
        proptest::collection::vec(c, 150..300).prop_map(String::from_iter),
        prop::sample::select(vec!["con", "NUL.txt", "com1.tar.gz", "..", "a/..", "aux "])
            .prop_map(str::to_owned),
        // What is cut off may leave a name that means something.
        (
            prop::sample::select(vec!["con", "lpt9.", "a", "aux"]),
            " {190,210}|[ .]{170,210}",
            "x{0,30}",
            "(\\.[a-z]{1,25})?"
        )
            .prop_map(|(begin, gap, end, extension)| format!("{begin}{gap}{end}{extension}")),
    ]
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_clean_name_is_a_name_everywhere(name in names()) {
        let clean = clean_name(&name);
        prop_assert!(!is_blank(&clean) && clean.len() <= 200, "{clean:?}");
        let bad = |c: char| c.is_control() || "<>:\"/\\|?*".contains(c) || is_blank(&c.to_string()) && !c.is_whitespace();
        prop_assert!(!clean.chars().any(bad), "{clean:?}");
        prop_assert!(!clean.starts_with(['.', ' ']) && !clean.ends_with(['.', ' ']), "{clean:?}");
        let stem = clean.split('.').next().unwrap().trim_end().to_ascii_lowercase();
        prop_assert!(!["con", "prn", "aux", "nul", "com1", "lpt9"].contains(&&*stem), "{clean:?}");
        prop_assert_eq!(clean_name(&clean), clean.clone(), "cleaned twice");
        prop_assert_eq!(clean_name(&format!("/etc/{clean}")), clean.clone());
        prop_assert!(name_matches("*", &clean) && name_matches(&clean.to_uppercase(), &clean.to_uppercase()));
    }

    #[test]
    fn a_numbered_name_is_another_clean_name(name in names(), number in 2..1000_usize) {
        let clean = clean_name(&name);
        let numbered = numbered_name(&clean, number);
        prop_assert_eq!(clean_name(&numbered), numbered.clone(), "it is clean");
        prop_assert!(numbered.contains(&format!(" ({number})")), "{numbered:?}");
        prop_assert_ne!(&numbered, &numbered_name(&clean, number + 1));
        let extension = |name: &str| name.rfind('.').map(|dot| name[dot..].to_owned());
        if extension(&clean).is_some_and(|extension| extension.len() <= 20) {
            prop_assert_eq!(extension(&numbered), extension(&clean));
        }
    }

    #[test]
    fn what_is_a_good_name_stays(name in "[a-zA-Z名é_-][a-zA-Z0-9名é _()-]{0,20}[a-z0-9]\\.(pdf|tar\\.gz|svg)") {
        prop_assume!(!name.to_ascii_lowercase().starts_with("co") && !name.to_ascii_lowercase().starts_with("lpt"));
        prop_assert_eq!(clean_name(&name), name);
    }

    #[test]
    fn no_pattern_is_too_much(pattern in "[a*]{0,12}", name in "a{0,12}") {
        // As slow and simple as can be.
        fn matches(pattern: &[u8], name: &[u8]) -> bool {
            match pattern.split_first() {
                None => name.is_empty(),
                Some((b'*', rest)) => (0..=name.len()).any(|at| matches(rest, &name[at..])),
                Some((c, rest)) => name.first() == Some(c) && matches(rest, &name[1..]),
            }
        }
        prop_assert_eq!(name_matches(&pattern, &name), matches(pattern.as_bytes(), name.as_bytes()));
    }
}
