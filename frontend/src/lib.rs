//! Where the browser enters. The islands of `app` are exported beside [`hydrate`]; the page's script calls both.
#![cfg(target_arch = "wasm32")]

// Keeps the exports of the islands in the module.
extern crate app as _;

use wasm_bindgen::prelude::wasm_bindgen;

/// Prepares the reactive system; the script then wakes each island.
#[wasm_bindgen]
pub fn hydrate() {
    leptos::mount::hydrate_islands();
}
