//! Writes what the server embeds: the files it serves, and what stands in its pages.
//!
//! Only `scripts/build`, or cargo-leptos, makes a front end that fits the server first; it says so by
//! `LEPTOS_OUTPUT_NAME`. Any other build (`cargo test`, `cargo clippy`, rust-analyzer, in a fresh clone) embeds style sheet
//! and icon alone, and serves the page as plain HTML.
//!
//! `server/build.rs` writes the embedded files: the files that are served, with their brotli and gzip forms, and the parts that
//! are inlined in the pages, the style sheet and the script. `scripts/bundle` builds the front end first, with the parts of the
//! script (`server/page_script.rs`) minified as one, and the scripts set `LEPTOS_OUTPUT_NAME` for the server's build. Without
//! that variable (any plain cargo command) there is no script and no WASM, and the page is plain HTML.

mod page_script;

use flate2::{Compression, write::GzEncoder};
use page_script::page_script;
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
    let icon = workspace.join("style/favicon.svg");
    let mut sources = vec![Source { served: "/favicon.svg", content_type: "image/svg+xml", file: icon }];
    let (style, script) = match env::var("LEPTOS_OUTPUT_NAME") {
        Ok(name) => {
            let site = env::var("LEPTOS_SITE_ROOT").unwrap_or_else(|_| "target/site".to_owned());
            let built = |extension| workspace.join(&site).join("pkg").join(format!("{name}.{extension}"));
            let wasm = built("wasm");
            sources.push(Source { served: "/app.wasm", content_type: "application/wasm", file: wasm });
            let parts = ["early.js", "wake.js"].map(|name| workspace.join("frontend").join(name));
            (built("css"), Some(script(parts, &built("js"), &built("page.js"))?))
        }
        Err(_) => (workspace.join("style/main.css"), None),
    };
    let style = read(&style)?;
    // Neither may end the element that it stands in.
    for text in [Some(&style), script.as_ref()].into_iter().flatten() {
        if ["</", "<!--"].iter().any(|end| text.contains(end)) {
            return Err(io::Error::other("style sheet or script could end its own element"));
        }
    }
    let mut table = format!(
        "const STYLE: &str = {style:?};\nconst SCRIPT: Option<&str> = {script:?};\n\
         pub(crate) static ASSETS: &[Asset] = &[\n"
    );
    let out = PathBuf::from(variable("OUT_DIR")?);
    for source in &sources {
        write_entry(&mut table, source, &out).map_err(|error| with_path(&source.file, &error))?;
    }
    table.push_str("];\n");
    fs::write(out.join("embedded.rs"), table)
}

/// The page's script: as it was made small with the front end, unless one of its parts was written since.
fn script([early, wake]: [PathBuf; 2], module: &Path, small: &Path) -> io::Result<String> {
    let parts = [read(&early)?, read(module)?, read(&wake)?];
    if small.exists() {
        let made = small.metadata()?.modified()?;
        let mut is_fresh = true;
        for part in [&early, module, &wake] {
            is_fresh &= made >= part.metadata()?.modified()?;
        }
        if is_fresh {
            return read(small);
        }
    }
    let [early, module, wake] = parts;
    page_script(&early, &module, &wake).map_err(io::Error::other)
}

/// The text of a file that the build depends on.
fn read(file: &Path) -> io::Result<String> {
    println!("cargo::rerun-if-changed={}", file.display());
    fs::read_to_string(file).map_err(|error| with_path(file, &error))
}

/// Says of an error which file it is about.
fn with_path(file: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}; build with scripts/build", file.display()))
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
        "Asset {{ path: {:?}, content_type: {:?}, etag: \"\\\"{:016x}\\\"\", gzip: include_bytes!({gzip:?}), brotli: {brotli} }},",
        source.served,
        source.content_type,
        fingerprint(&identity),
    )
    .map_err(io::Error::other)
}

/// FNV-1a: the same bytes have the same tag in every build.
fn fingerprint(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
