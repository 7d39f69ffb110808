//! The configuration files that hold for a command: the project's, and the person's own below it.

use crate::failure::Failure;
use std::env;
use std::ffi::OsString;
use std::path::PathBuf;
use store::{Layers, Project};

/// The configuration of `project`.
pub(crate) fn of(project: &Project) -> Result<Layers, Failure> {
    Ok(project.layers(user_file().as_deref())?)
}

/// The person's own file, whether it is there or not. `None` without a folder for such files.
pub(crate) fn user_file() -> Option<PathBuf> {
    user_file_by(|name| env::var_os(name))
}

/// `$XDG_CONFIG_HOME/aide/config.toml`, else the same below `~/.config`.
fn user_file_by(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    // A relative path there is to be ignored, says the specification: a repository could be lying at it.
    let absolute = |name| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let folder = absolute("XDG_CONFIG_HOME").or_else(|| Some(absolute("HOME")?.join(".config")))?;
    Some(folder.join("aide/config.toml"))
}

#[cfg(test)]
mod tests {
    use super::user_file_by;
    use std::path::PathBuf;

    #[test]
    fn the_configuration_is_the_persons_own() {
        let file = |set: &'static [(&str, &str)]| {
            user_file_by(|name| set.iter().find(|(set, _)| *set == name).map(|(_, value)| value.into()))
        };
        let path = |path: &str| Some(PathBuf::from(path));
        assert_eq!(file(&[("XDG_CONFIG_HOME", "/x"), ("HOME", "/h")]), path("/x/aide/config.toml"));
        assert_eq!(file(&[("HOME", "/h")]), path("/h/.config/aide/config.toml"));
        assert_eq!(file(&[("XDG_CONFIG_HOME", "x"), ("HOME", "/h")]), path("/h/.config/aide/config.toml"));
        assert_eq!(file(&[("XDG_CONFIG_HOME", ""), ("HOME", "h")]), None);
        assert_eq!(file(&[]), None);
    }
}
