#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| properties::check("event_glob", data));
