//! Where the person's own files are, as the XDG base directories are defined: a relative path there is as good as none,
//! because a repository could be lying at it.

use decide::SearchCache;
use std::env;
use std::ffi::OsString;
use std::path::PathBuf;

/// Returns the person's own configuration, whether it is there or not. `None` without a folder for such files.
pub(crate) fn config() -> Option<PathBuf> {
    config_by(|name| env::var_os(name))
}

/// Returns the folder for the state of programs. `None` without one.
pub(crate) fn state() -> Option<PathBuf> {
    state_by(|name| env::var_os(name))
}

/// Returns the cache for the search in earlier decisions. `None` without a folder for it.
pub(crate) fn search_cache() -> Option<SearchCache> {
    state().map(|state| SearchCache::below(&state))
}

/// `$XDG_CONFIG_HOME/aide/config.toml`, else the same below `~/.config`.
fn config_by(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    Some(folder(variable, "XDG_CONFIG_HOME", ".config")?.join("aide/config.toml"))
}

/// `$XDG_STATE_HOME`, else `~/.local/state`.
fn state_by(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    folder(variable, "XDG_STATE_HOME", ".local/state")
}

fn folder(variable: impl Fn(&str) -> Option<OsString>, name: &str, below_home: &str) -> Option<PathBuf> {
    let absolute = |name: &str| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    absolute(name).or_else(|| Some(absolute("HOME")?.join(below_home)))
}

#[cfg(test)]
mod tests {
    use super::{config_by, state_by};
    use std::path::PathBuf;

    type Variables = &'static [(&'static str, &'static str)];

    fn path(path: &str) -> Option<PathBuf> {
        Some(PathBuf::from(path))
    }

    #[test]
    fn the_configuration_is_the_persons_own() {
        let file = |set: Variables| {
            config_by(|name| set.iter().find(|(set, _)| *set == name).map(|(_, value)| value.into()))
        };
        assert_eq!(file(&[("XDG_CONFIG_HOME", "/x"), ("HOME", "/h")]), path("/x/aide/config.toml"));
        assert_eq!(file(&[("HOME", "/h")]), path("/h/.config/aide/config.toml"));
        assert_eq!(file(&[("XDG_CONFIG_HOME", "x"), ("HOME", "/h")]), path("/h/.config/aide/config.toml"));
        assert_eq!(file(&[("XDG_CONFIG_HOME", ""), ("HOME", "h")]), None);
        assert_eq!(file(&[]), None);
    }

    #[test]
    fn the_records_are_where_such_things_belong() {
        let folder = |set: Variables| {
            state_by(|name| set.iter().find(|(set, _)| *set == name).map(|(_, value)| value.into()))
        };
        assert_eq!(folder(&[("HOME", "/h"), ("XDG_STATE_HOME", "/s")]), path("/s"));
        assert_eq!(folder(&[("HOME", "/h"), ("XDG_STATE_HOME", "s")]), path("/h/.local/state"));
        assert_eq!(folder(&[("HOME", "/h")]), path("/h/.local/state"));
        assert_eq!(folder(&[("HOME", "")]), None);
        assert_eq!(folder(&[]), None);
    }
}
