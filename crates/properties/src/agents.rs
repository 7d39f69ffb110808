//! What agents send one another.

use protocol::agent::{CATALOG, Order};
use serde_json::Value;
use texts::{Explain, Lang};

/// Any bytes are read as every format: refused with words in both languages, or written again as the same document.
pub(crate) fn agent_json(data: &[u8]) {
    for entry in CATALOG {
        match entry.check(data) {
            Ok(()) => {
                let value: Value = serde_json::from_slice(data).unwrap();
                let written = entry.format.rewritten(&value, entry.mode).unwrap();
                assert!(entry.problems(&written).is_empty(), "{}", entry.name);
                assert_eq!(entry.format.rewritten(&written, entry.mode).unwrap(), written, "{}", entry.name);
            }
            Err(error) => {
                assert!(!error.code().name().is_empty());
                for lang in [Lang::Zh, Lang::En] {
                    assert!(!error.explain(lang).what.is_empty());
                }
            }
        }
    }
    if let Ok(order) = Order::parse(data) {
        assert!(order.command().is_some());
    }
}
