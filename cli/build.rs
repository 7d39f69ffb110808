//! How the program is linked, and what it says that it was built from.

use std::env;
use std::process::Command;

/// A program that can lie anywhere in memory corrects thirty thousand addresses when it starts. Packed, their list is a
/// hundredth as long: 0.8 MB less in the file, and in the memory of every process. The loader must know the form, and that of
/// glibc does since this version; as always, a program runs where glibc is at least what it was where it was built.
const PACKED_SINCE: (u32, u32) = (2, 36);

/// The commit that is built.
const COMMIT: &str = "AIDE_COMMIT";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed={COMMIT}");
    println!("cargo::rustc-env=AIDE_LONG_VERSION={}", long_version());
    if is_for_this_machine() && glibc().is_some_and(|version| version >= PACKED_SINCE) {
        println!("cargo::rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
}

/// The version, the commit of the source where it is given, and the target.
fn long_version() -> String {
    let given = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
    let built: Vec<String> = [COMMIT, "TARGET"].into_iter().filter_map(given).collect();
    format!("{} ({})", env!("CARGO_PKG_VERSION"), built.join(", "))
}

fn is_for_this_machine() -> bool {
    env::var("HOST").is_ok_and(|host| env::var("TARGET").as_ref() == Ok(&host))
}

/// The version of this machine's C library, if it is glibc.
fn glibc() -> Option<(u32, u32)> {
    let output = Command::new("getconf").arg("GNU_LIBC_VERSION").output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let (major, minor) = text.trim().strip_prefix("glibc ")?.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}
