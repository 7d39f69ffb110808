//! Builds what the browser loads: script, WASM and style sheet, where the build of the server looks for them.
//!
//! This is the part of `cargo leptos build` that a build needs. To install cargo-leptos takes longer than everything else
//! together, and the WASM must be taken apart by exactly the version of wasm-bindgen that it was made with: here both come
//! from the same lock file. What is built, and where to, is read from the metadata of cargo-leptos in `Cargo.toml`, so that
//! who has it can use it as well.

#![allow(clippy::print_stderr, reason = "a program for the terminal")]

#[path = "../../../server/page_script.rs"]
mod page_script;
mod settings;

use anyhow::{Context as _, Result, bail, ensure};
use page_script::page_script;
use settings::Settings;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use wasm_bindgen_cli_support::Bindgen;

const USAGE: &str = "usage: bundle WORKSPACE [--quick]

Compiles the front end of WORKSPACE and puts it into the folder of the site. With --quick it is compiled with the profile
`demo`, neither made small nor compressed, and put into the folder `demo` of the site: that takes half the time.";
const TARGET: &str = "wasm32-unknown-unknown";
/// The profile of what is only tried.
const QUICK: &str = "demo";

fn main() -> ExitCode {
    match bundle() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bundle: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn bundle() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (root, is_quick) = match arguments[..] {
        [root] if !root.starts_with('-') => (Path::new(root), false),
        [root, "--quick"] => (Path::new(root), true),
        _ => bail!(USAGE),
    };
    let settings = Settings::read(root)?;
    let target = root.join("target");
    let profile = if is_quick { QUICK } else { &settings.profile };
    let compiled = compile(root, &target, &settings.library, profile)?;

    let site = root.join(&settings.site);
    let folder = if is_quick { site.join(QUICK) } else { site }.join(&settings.folder);
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let built = |extension: &str| folder.join(format!("{}.{extension}", settings.name));
    let (script, wasm, style, page) = (built("js"), built("wasm"), built("css"), built("page.js"));
    let source = root.join(&settings.style);
    let [early, wake] = ["early.js", "wake.js"].map(|name| root.join("frontend").join(name));
    let last = if is_quick { style.clone() } else { compressed(&wasm) };
    let program = std::env::current_exe()?;
    let manifest = root.join("Cargo.toml");
    let sources = [&compiled, &source, &early, &wake, &manifest, &program].map(PathBuf::as_path);
    if is_newer(&last, &sources)? {
        return Ok(());
    }

    let mut bindgen = Bindgen::new();
    bindgen.web(true)?.typescript(false).remove_producers_section(true).remove_name_section(is_quick);
    // The page says itself where the WASM is.
    bindgen.omit_default_module_path(true);
    let mut output = bindgen.input_path(&compiled).out_name(&settings.name).generate_output()?;
    let is_whole = output.local_modules().is_empty() && output.snippets().values().all(Vec::is_empty);
    ensure!(is_whole, "the script has parts in files of their own, which nothing serves");
    write(&script, output.js().as_bytes())?;
    write(&wasm, &output.wasm_mut().emit_wasm())?;
    write(&style, &fs::read(&source)?)?;
    if !is_quick {
        run(Command::new("wasm-opt").args(&settings.optimizer).arg(&wasm).arg("-o").arg(&wasm))?;
        // In one, so that a name is as short in all parts, and what none of them uses is left out.
        let [early, wake] = [early, wake]
            .map(|file| fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display())));
        write(&page, page_script(&early?, output.js(), &wake?).map_err(anyhow::Error::msg)?.as_bytes())?;
        for (file, how) in [(&page, &["--format=esm", "--tree-shaking=true"][..]), (&style, &[])] {
            run(Command::new("esbuild")
                .args(["--minify", "--log-level=warning", "--target=esnext", "--allow-overwrite"])
                .args(how)
                .arg(file)
                .arg(format!("--outfile={}", file.display())))?;
        }
        // The others become part of the pages.
        compress(&wasm)?;
    }
    Ok(())
}

/// Whether a file is there and newer than all it was made of. What has not changed is so not embedded anew.
fn is_newer(made: &Path, of: &[&Path]) -> Result<bool> {
    let Ok(made) = made.metadata() else { return Ok(false) };
    let made = made.modified()?;
    for source in of {
        let changed = source.metadata().and_then(|source| source.modified());
        if changed.with_context(|| format!("cannot read {}", source.display()))? >= made {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Compiles the library for the browser.
fn compile(root: &Path, target: &Path, library: &str, profile: &str) -> Result<PathBuf> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    run(Command::new(cargo).current_dir(root).args([
        "build",
        "--package",
        library,
        "--lib",
        "--target",
        TARGET,
        "--profile",
        profile,
    ]))?;
    Ok(target.join(TARGET).join(profile).join(library.replace('-', "_")).with_extension("wasm"))
}

/// Runs a command that must succeed; what it says is seen.
fn run(command: &mut Command) -> Result<()> {
    let name = command.get_program().to_string_lossy().into_owned();
    let status = command.status().with_context(|| format!("cannot run {name}; scripts/setup installs it"))?;
    ensure!(status.success(), "{name}: {status}");
    Ok(())
}

fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    fs::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))
}

/// Writes beside a file what a browser that knows Brotli gets: as small as it can be.
fn compress(file: &Path) -> Result<()> {
    let mut bytes = Vec::new();
    let parameters = brotli::enc::BrotliEncoderParams { quality: 11, lgwin: 22, ..Default::default() };
    brotli::BrotliCompress(&mut &*fs::read(file)?, &mut bytes, &parameters)?;
    write(&compressed(file), &bytes)
}

/// The name of a compressed file, as the build of the server expects it.
fn compressed(file: &Path) -> PathBuf {
    let mut path = file.as_os_str().to_owned();
    path.push(".br");
    path.into()
}
