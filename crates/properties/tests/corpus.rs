//! The corpora of the fuzz targets, and what is near to each of their files.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

use properties::{TARGETS, check};
use std::fs;
use std::path::{Path, PathBuf};

fn fuzz() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz")
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn every_property_has_a_target_and_a_corpus() {
    let expected: Vec<_> = TARGETS.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(names(&fuzz().join("corpus")), expected);
    let targets: Vec<_> = expected.iter().map(|name| format!("{name}.rs")).collect();
    assert_eq!(names(&fuzz().join("fuzz_targets")), targets);
}

/// What a byte is replaced by: what often means something. `None` stands for a byte with one bit changed.
const REPLACED_BY: [Option<u8>; 6] = [Some(0), Some(b'\n'), Some(b'"'), Some(b'<'), Some(0x80), None];

/// Each file as it is, cut off anywhere, and with each byte replaced by one of some that often mean something; in the long
/// campaign by each of them.
#[test]
fn every_property_holds_for_its_corpus_and_what_is_near() {
    let (mut files, mut inputs) = (0, 0);
    let is_campaign = effort::is_complete();
    for (target, _) in TARGETS {
        let folder = fuzz().join("corpus").join(target);
        for name in names(&folder) {
            let data = fs::read(folder.join(&name)).unwrap();
            assert!(data.len() <= 1024, "{target}/{name} is too large to try everything near");
            files += 1;
            check(target, &data);
            for place in 0..data.len() {
                check(target, &data[..place]);
                let mut changed = data.clone();
                let turn = (files + place) % REPLACED_BY.len();
                let by = if is_campaign { &REPLACED_BY[..] } else { &REPLACED_BY[turn..=turn] };
                for byte in by {
                    changed[place] = byte.unwrap_or(data[place] ^ 1);
                    check(target, &changed);
                    inputs += 1;
                }
            }
        }
    }
    assert!(files >= 3 * TARGETS.len() && inputs > 1000, "{files} files, {inputs} inputs");
}
