//! Where the browser enters. The islands of `app` are exported beside [`hydrate`]; the page's script calls both.
//!
//! # What the page weighs
//!
//! `scripts/test` enforces a limit for everything that the page loads, compressed. This table shows what each
//! feature added, from one measurement to the next:
//!
//! | | kB | total |
//! |---|--:|--:|
//! | form, progress, drafts, keys, waiting for a server that was killed, sending back | | 116.8 |
//! | several answers, one's own words, optional questions | + 1.5 | 118.3 |
//! | review, time limit, count in the title | + 0.9 | 119.2 |
//! | HTML pages sent compressed | – 6.6 | 112.6 |
//! | comparison tables, history, excerpts, count in the icon, login | + 1.0 | 113.6 |
//! | drafts merged item by item, the reason for sending back is kept, other tabs, notifications | + 6.1 | 119.7 |
//! | the rest of the keys, one question at a time; the WASM optimised further | – 0.2 | 119.5 |
//! | a current question, digits that lead on, an end in another process; the result rendered on the server | – 5.9 | 113.6 |
//! | style sheet and script in the page, which is compressed anew, less well than a file | + 1.6 | 115.2 |
//! | answers counted before the WASM has loaded; a draft dropped when the answers are sent | + 1.3 | 116.5 |
#![cfg(target_arch = "wasm32")]

// Keeps the exports of the islands in the module.
extern crate app as _;

use wasm_bindgen::prelude::wasm_bindgen;

/// Prepares the reactive system; the script then wakes each island. `root` is what the addresses of the server begin with.
#[wasm_bindgen]
pub fn hydrate(root: String) {
    if !root.is_empty() {
        // Server functions are called until the page is left.
        leptos::server_fn::client::set_server_url(root.leak());
    }
    leptos::mount::hydrate_islands();
}
