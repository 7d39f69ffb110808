//! Samples of messages, for the tests.

/// A sample of each variant of `$type`, but `$other`, whose messages have samples of their own. The `match`
/// has no wildcard, so a message without a sample does not compile. What is a literal in a sample must be in its message.
macro_rules! samples {
    ($type:ident $(, $other:ident)*; $($variant:ident $({ $($field:ident: $value:expr),* })?,)*) => {
        fn samples() -> Vec<$type> {
            fn covered(message: &$type) {
                match message {
                    $($type::$variant $({ $($field: _),* })? => (),)*
                    $($type::$other(_) => (),)*
                }
            }
            let samples = vec![$($type::$variant $({ $($field: $value),* })?),*];
            samples.iter().for_each(covered);
            samples
        }

        #[test]
        fn every_message_is_one_line_and_contains_its_parameters() {
            let sources = [$(concat!("" $($(, stringify!($value), " ")*)?)),*];
            for lang in ::texts::Lang::ALL {
                for (message, source) in samples().iter().zip(sources) {
                    let told = message.render(lang);
                    assert!(!told.contains('\n') && !told.trim().is_empty(), "{told:?}");
                    assert_eq!(::texts::missing_parameter(&told, source), None, "{told}");
                }
            }
        }
    };
}
