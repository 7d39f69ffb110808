//! `aide config path`

use super::user_file;
use crate::context::{Context, DONE};
use crate::failure::Failure;
use crate::messages::{ConfigMessage, Message};
use crate::user_files;
use serde_json::{Value, json};
use settings::Origin;
use std::path::Path;

pub(super) fn run(context: &Context, user: bool, json: bool) -> Result<u8, Failure> {
    context.warn_of_slips();
    if user {
        let file = user_file()?;
        match json {
            true => context.output.json(&to_json(&file).to_string())?,
            false => context.output.entry(0, &Message::config(ConfigMessage::Path { file }))?,
        }
        return Ok(DONE);
    }
    let project = context.project()?.config_file();
    let user = user_files::config();
    if json {
        let both = json!({ "project": to_json(&project), "user": user.as_deref().map(to_json) });
        context.output.json(&both.to_string())?;
        return Ok(DONE);
    }
    for (origin, file) in [(Origin::Project, Some(project)), (Origin::User, user)] {
        if let Some(file) = file {
            let exists = exists(&file);
            context.output.entry(0, &Message::config(ConfigMessage::ConfigPath { file, origin, exists }))?;
        }
    }
    Ok(DONE)
}

fn exists(file: &Path) -> bool {
    file.symlink_metadata().is_ok()
}

fn to_json(file: &Path) -> Value {
    json!({ "file": file.to_string_lossy(), "exists": exists(file) })
}
