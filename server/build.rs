//! Writes the table of embedded files.
//!
//! Only `scripts/build`, or cargo-leptos, makes a front end that fits the server first; it says so by
//! `LEPTOS_OUTPUT_NAME`. Any other build (`cargo test`, `cargo clippy`, rust-analyzer, in a fresh clone) embeds the style sheet and the
//! icon alone, and serves the page as plain HTML.

use flate2::{Compression, write::GzEncoder};
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::{env, fs};

struct Source {
    /// The path it is served under.
    served: &'static str,
    content_type: &'static str,
    file: PathBuf,
}

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-env-changed=LEPTOS_OUTPUT_NAME");
    println!("cargo::rerun-if-env-changed=LEPTOS_SITE_ROOT");
    let workspace = PathBuf::from(variable("CARGO_MANIFEST_DIR")?).join("..").canonicalize()?;
    let style = workspace.join("style");
    let mut sources = vec![Source {
        served: "/favicon.svg",
        content_type: "image/svg+xml",
        file: style.join("favicon.svg"),
    }];
    let (css, html) = ("text/css; charset=utf-8", "application/javascript; charset=utf-8");
    let front_end = env::var("LEPTOS_OUTPUT_NAME");
    match &front_end {
        Ok(name) => {
            let site = env::var("LEPTOS_SITE_ROOT").unwrap_or_else(|_| "target/site".to_owned());
            let built = |extension| workspace.join(&site).join("pkg").join(format!("{name}.{extension}"));
            let wasm = "application/wasm";
            sources.push(Source { served: "/style.css", content_type: css, file: built("css") });
            sources.push(Source { served: "/app.js", content_type: html, file: built("js") });
            sources.push(Source { served: "/app.wasm", content_type: wasm, file: built("wasm") });
        }
        Err(_) => {
            sources.push(Source { served: "/style.css", content_type: css, file: style.join("main.css") });
        }
    }
    let out = PathBuf::from(variable("OUT_DIR")?);
    let mut table = format!(
        "pub(crate) const HAS_FRONT_END: bool = {};\npub(crate) static ASSETS: &[Asset] = &[\n",
        front_end.is_ok()
    );
    for source in &sources {
        write_entry(&mut table, source, &out).map_err(|error| {
            io::Error::new(
                error.kind(),
                format!("{}: {error}; build with scripts/build", source.file.display()),
            )
        })?;
    }
    table.push_str("];\n");
    fs::write(out.join("assets.rs"), table)
}

fn variable(name: &str) -> io::Result<String> {
    env::var(name).map_err(|error| io::Error::other(format!("{name}: {error}")))
}

fn write_entry(table: &mut String, source: &Source, out: &Path) -> io::Result<()> {
    println!("cargo::rerun-if-changed={}", source.file.display());
    let identity = fs::read(&source.file)?;
    let name = source.served.trim_start_matches('/');
    let gzip = out.join(format!("{name}.gz"));
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(&identity)?;
    fs::write(&gzip, encoder.finish()?)?;
    // The front end was compressed with brotli at its slowest when it was made; what was not is small, or only tried.
    let brotli = PathBuf::from(format!("{}.br", source.file.display()));
    let fresh =
        brotli.exists() && fs::metadata(&brotli)?.modified()? >= fs::metadata(&source.file)?.modified()?;
    let brotli = if fresh { format!("Some(include_bytes!({brotli:?}))") } else { "None".to_owned() };
    writeln!(
        table,
        "Asset {{ path: {:?}, content_type: {:?}, etag: \"\\\"{:016x}\\\"\", identity: include_bytes!({:?}), \
         gzip: include_bytes!({gzip:?}), brotli: {brotli} }},",
        source.served,
        source.content_type,
        fingerprint(&identity),
        source.file,
    )
    .map_err(io::Error::other)
}

/// FNV-1a: the same bytes have the same tag in every build.
fn fingerprint(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
