//! What a call to the system is about to do, for the probe that it passes in tests (`fault`).

use std::fs::File;

/// What a call is about to do.
#[cfg_attr(not(feature = "fault-injection"), expect(dead_code, reason = "only the probe reads it"))]
#[derive(Debug, Clone, Copy)]
pub(crate) enum Call<'a> {
    /// Changes nothing.
    Look,
    Create {
        dir: &'a File,
        name: &'a str,
    },
    Mkdir {
        dir: &'a File,
        name: &'a str,
    },
    Write {
        file: &'a File,
        bytes: &'a [u8],
    },
    Truncate {
        file: &'a File,
    },
    Chmod,
    Sync {
        file: &'a File,
    },
    Rename {
        dir: &'a File,
        from: &'a str,
        to: &'a str,
    },
    /// To another folder.
    Move {
        dir: &'a File,
        from: &'a str,
        into: &'a File,
        to: &'a str,
    },
    Link {
        dir: &'a File,
        from: &'a str,
        to: &'a str,
    },
    Unlink {
        dir: &'a File,
        name: &'a str,
    },
}
