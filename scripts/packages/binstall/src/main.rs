//! Stands in for the program where this crate was compiled: it has what `cargo binstall` needs, not the source.

fn main() -> std::process::ExitCode {
    eprintln!("✗ this crate does not contain aide");
    eprintln!("  hint: cargo uninstall aide-decide, then cargo binstall aide-decide, which fetches the program");
    std::process::ExitCode::FAILURE
}
