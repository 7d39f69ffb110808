//! Where the browser enters. The islands of `app` are exported beside [`hydrate`]; the page's script calls both.
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
