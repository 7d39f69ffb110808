//! The folders that coding agents look into.

use crate::context::Context;
use crate::failure::Failure;
use crate::messages::{ConfigMessage, Message, SetupMessage};
use setup::Places;
use std::env;
use std::path::PathBuf;

/// Returns them. What is not absolute is as good as not set.
pub(crate) fn resolve(context: &Context) -> Result<Places, Failure> {
    let absolute = |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let no_home =
        || Failure::new(Message::setup(SetupMessage::NoHome), Message::config(ConfigMessage::SetHome));
    let home = absolute("HOME").ok_or_else(no_home)?;
    Ok(Places {
        config: absolute("XDG_CONFIG_HOME").unwrap_or_else(|| home.join(".config")),
        codex: absolute("CODEX_HOME"),
        claude: absolute("CLAUDE_CONFIG_DIR"),
        project: project_root(context)?,
        path: env::var_os("PATH").iter().flat_map(env::split_paths).collect(),
        home,
    })
}

/// The project, or else the work tree that the current folder is in: agents look for their files at its root.
fn project_root(context: &Context) -> Result<PathBuf, Failure> {
    let root = context.project()?.root();
    if root.join(".aide").is_dir() {
        return Ok(root.to_owned());
    }
    let work_tree = root.ancestors().find(|folder| folder.join(".git").exists());
    Ok(work_tree.unwrap_or(root).to_owned())
}
