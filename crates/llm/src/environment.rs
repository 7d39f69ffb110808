//! The variables of this process, and which of them a program gets.

use std::collections::BTreeMap;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fmt::{self, Debug, Formatter};
use std::path::Path;

/// Where the project is that a program works for.
const PROJECT: &str = "AIDE_PROJECT";
/// What a program needs to find its files, its language and the way out. Keys are not among them.
const ORDINARY: &[&str] = &[
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LANGUAGE",
    "TZ",
    "TERM",
    "COLORTERM",
    "NO_COLOR",
    "TMPDIR",
    "TMP",
    "TEMP",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "no_proxy",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
    "CLAUDE_CONFIG_DIR",
    "CODEX_HOME",
    "OLLAMA_HOST",
    PROJECT,
];
const ORDINARY_PREFIXES: &[&str] = &["LC_", "XDG_"];

/// Variables, as they were at one moment.
#[derive(Clone, Default)]
pub struct Environment {
    variables: BTreeMap<OsString, OsString>,
    is_trusted: bool,
    trusts: Option<fn(&Path) -> bool>,
}

impl Environment {
    /// Those of this process.
    pub fn from_process() -> Self {
        env::vars_os().collect()
    }

    /// The same, for a program that works for the project in `root`.
    #[must_use]
    pub fn in_project(mut self, root: &Path) -> Self {
        self.variables.insert(PROJECT.into(), root.into());
        self
    }

    /// The same for a project that the user trusts: a program that asks whether its folder is trusted gets a yes.
    #[must_use]
    pub fn trusted(self, is_trusted: bool) -> Self {
        Self { is_trusted, ..self }
    }

    /// The same for programs that work for one project after the other: `trusts` says whether the person trusts the project
    /// that a folder is in.
    #[must_use]
    pub fn trusting(self, trusts: fn(&Path) -> bool) -> Self {
        Self { trusts: Some(trusts), ..self }
    }

    /// Whether the person trusts the project that a program works for, which runs in `folder`.
    pub(crate) fn is_trusted(&self, folder: Option<&Path>) -> bool {
        self.is_trusted || folder.zip(self.trusts).is_some_and(|(folder, trusts)| trusts(folder))
    }

    /// What a variable says.
    pub(crate) fn get(&self, name: &str) -> Option<&OsStr> {
        self.variables.get(OsStr::new(name)).map(OsString::as_os_str)
    }

    /// All of them.
    pub(crate) fn all(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.variables.iter().map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }

    /// Those that every program gets, and those of `names` that are set.
    pub(crate) fn for_program(&self, names: &[String]) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.all().filter(|(name, _)| {
            let is_named = names.iter().any(|named| OsStr::new(named) == *name);
            is_named || name.to_str().is_some_and(is_ordinary)
        })
    }
}

fn is_ordinary(name: &str) -> bool {
    ORDINARY.contains(&name) || ORDINARY_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

impl<N: Into<OsString>, V: Into<OsString>> FromIterator<(N, V)> for Environment {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(variables: I) -> Self {
        let variables = variables.into_iter().map(|(name, value)| (name.into(), value.into())).collect();
        Self { variables, is_trusted: false, trusts: None }
    }
}

impl Debug for Environment {
    /// Without the values, which may be secret.
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        out.debug_set().entries(self.variables.keys()).finish()
    }
}
