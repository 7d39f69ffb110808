//! What an agent sends: kept when it is accepted, told where when it is not.

use crate::support::{any_json, breaks, config, document};
use model::{Found, InputError, Path, Problem, Questions, Segment};
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::Value;

fn parse(document: &Value) -> Result<Questions, InputError> {
    Questions::parse(document.to_string().as_bytes())
}

/// The value at `path`.
fn at<'v>(document: &'v Value, segments: &[Segment]) -> Option<&'v Value> {
    segments.iter().try_fold(document, |value, segment| match segment {
        Segment::Key(key) => value.as_object()?.get(*key),
        Segment::Index(index) => value.as_array()?.get(*index),
    })
}

/// A problem names what is there, or what is missing from something that is there.
fn is_there(document: &Value, Problem { path, found, .. }: &Problem) -> bool {
    let segments = path.segments();
    match found {
        Found::Json(_) => at(document, segments).is_some_and(|value| Found::of(Some(value)) == *found),
        Found::Missing => match (at(document, segments), segments.split_last()) {
            (Some(value), _) => value.is_null(),
            (None, Some((_, parent))) => at(document, parent).is_some_and(Value::is_object),
            (None, None) => false,
        },
    }
}

fn texts(paths: &[Path]) -> Vec<String> {
    paths.iter().map(Path::to_string).collect()
}

/// Drafts and queued sets are found by fingerprints (contract/storage §1.6), also by another program, and also after an upgrade
/// of the library that writes numbers.
#[test]
fn a_fingerprint_is_that_of_the_contract() {
    let sent = r#"{"source": "s", "task": "t", "_meta": {}, "items": [{"id": 1, "title": "q",
        "x": [1e2, 1e16, 1.5e-7, -0, 18446744073709551615, null, true],
        "options": [{"value": "a", "label": "A", "score": 80}, {"value": "b", "label": "B", "score": 80.0}]}]}"#;
    let questions = Questions::parse(sent.as_bytes()).unwrap();
    assert_eq!(questions.fingerprint(), "27c6a05bcf784c54");
    assert_eq!(questions.item_fingerprint(1), Some("8989e6b16da63e94"));
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn what_is_accepted_is_kept(mut sent in document()) {
        let questions = parse(&sent).map_err(|error| TestCaseError::fail(format!("{error:?}")))?;
        sent.as_object_mut().unwrap().shift_remove("_meta");
        let kept = serde_json::to_string(questions.document()).unwrap();
        prop_assert_eq!(&kept, &sent.to_string(), "every member, in its order");
        let again = Questions::parse(kept.as_bytes()).unwrap();
        prop_assert_eq!(&again, &questions);
        prop_assert_eq!(again.fingerprint(), questions.fingerprint());
        // The typed questions are a document of their own, without unknown members.
        let typed = serde_json::to_string(questions.input()).unwrap();
        let again = Questions::parse(typed.as_bytes()).unwrap();
        prop_assert_eq!(again.input(), questions.input());
    }

    #[test]
    fn what_is_broken_is_named(mut sent in document(), which in any::<Index>()) {
        let broken = which.get(&breaks(&sent)).clone();
        broken.apply(&mut sent);
        let Err(InputError::Invalid(problems)) = parse(&sent) else {
            return Err(TestCaseError::fail(format!("accepted: {broken:?}")));
        };
        let paths: Vec<_> = problems.iter().map(|problem| problem.path.clone()).collect();
        prop_assert!(texts(&paths).contains(&broken.path()), "{broken:?}: {:?}", texts(&paths));
        for problem in &problems {
            prop_assert!(is_there(&sent, problem), "{broken:?}: {problem:?}");
            // Nothing else is wrong, but what was recommended may be gone with its option.
            let path = problem.path.to_string();
            prop_assert!(path == broken.path() || path.ends_with(".recommend"), "{broken:?}: {problem:?}");
        }
    }

    #[test]
    fn whatever_json_is_sent_gets_an_answer(sent in any_json()) {
        match parse(&sent) {
            Ok(questions) => prop_assert!(!questions.input().items.is_empty()),
            Err(InputError::Invalid(problems)) => {
                prop_assert!(!problems.is_empty());
                for problem in &problems {
                    prop_assert!(is_there(&sent, problem), "{problem:?}");
                }
            }
            Err(InputError::Syntax(error)) => prop_assert!(false, "{error:?}"),
        }
    }

    #[test]
    fn whatever_bytes_are_sent_get_an_answer(sent in any::<Vec<u8>>()) {
        if let Err(InputError::Invalid(problems)) = Questions::parse(&sent) {
            prop_assert!(!problems.is_empty());
        }
    }
}
