//! Samples of messages, for the tests.

/// A sample of each variant of `$type`, but `$other`, whose messages have samples of their own. The `match`
/// has no wildcard, so a message without a sample does not compile.
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
    };
}
