//! Disks that only the commands of a test see.

use std::io::Write;
use std::process::{Command, Stdio};

/// How to run as root with mounts of its own, if the system allows that to all users or to this one.
pub(crate) fn unshare() -> Option<&'static str> {
    let works = |flags: &&str| {
        let tried = Command::new("unshare").args([*flags, "true"]).stderr(Stdio::null()).status();
        tried.is_ok_and(|status| status.success())
    };
    let flags = ["-Urm", "-m"].iter().find(|flags| works(flags)).copied();
    if flags.is_none() {
        let mut stderr = std::io::stderr();
        writeln!(stderr, "not tested: the system refuses both `unshare -Urm` and `unshare -m`").unwrap();
    }
    flags
}
