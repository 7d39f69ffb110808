//! `aide config set` and `aide config unset`

use super::super::{Context, DONE};
use super::nearest::hint;
use super::{not_found, ours, typed, user_file};
use crate::failure::Failure;
use crate::messages::Message;
use crate::trust;
use std::ffi::OsStr;
use std::path::PathBuf;
use store::{ConfigChange, ConfigEdit, EditError, Kind, edit_user_config, key_names};

pub(super) fn set(context: &Context, key: &str, value: &OsStr, user: bool) -> Result<u8, Failure> {
    let names = key_names(key).unwrap_or_default();
    let Some(known) = ours(&names.iter().map(String::as_str).collect::<Vec<_>>()) else {
        return Err(Failure::new(Message::UnknownKey { key: key.to_owned() }, hint(key)));
    };
    if known.user_only && !user {
        return Err(Failure::new(Message::UserOnly { key: known.name }, Message::AddUser));
    }
    if known.kind == Kind::Tables {
        return Err(tables(context, key, user)?);
    }
    let value = typed::checked(known, value)?;
    let edit = edit(context, key, user, ConfigChange::Set(known, &value), known.needs_trust)?;
    let key = known.name.to_owned();
    match edit.after {
        Some(_) => context.output.ok(&Message::KeySet { key, value }),
        None => context.output.info(&Message::KeyIsSet { key, value }),
    }
    Ok(DONE)
}

pub(super) fn unset(context: &Context, key: &str, user: bool) -> Result<u8, Failure> {
    let Some(names) = key_names(key) else { return Ok(not_found(context, key)) };
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let needs_trust = ours(&names).is_some_and(|key| key.needs_trust);
    let edit = edit(context, key, user, ConfigChange::Unset(&names), needs_trust)?;
    if edit.after.is_none() {
        return Ok(not_found(context, key));
    }
    context.output.ok(&Message::KeyUnset { key: key.to_owned() });
    Ok(DONE)
}

/// Changes the file, and says what that means for trust.
fn edit(
    context: &Context,
    key: &str,
    user: bool,
    change: ConfigChange<'_>,
    needs_trust: bool,
) -> Result<ConfigEdit, Failure> {
    let edited = if user {
        edit_user_config(&user_file()?, change)
    } else {
        let project = context.project()?;
        project.edit_config(change).inspect(|edit| trust::after_edit(context, &project, edit, needs_trust))
    };
    edited.or_else(|error| {
        Err(match error {
            EditError::Config(error) => error.into(),
            EditError::Store(error) => error.into(),
            EditError::Section => {
                let key = key.to_owned();
                Failure::new(Message::IsSection { key: key.clone() }, Message::SeeSection { key })
            }
            EditError::Tables => tables(context, key, user)?,
            EditError::Unsuited => {
                let file = file(context, user)?;
                Failure::new(Message::CannotEdit { key: key.to_owned() }, Message::EditFile { file })
            }
        })
    })
}

/// A key of tables is for a person's own hand.
fn tables(context: &Context, key: &str, user: bool) -> Result<Failure, Failure> {
    let file = file(context, user)?;
    Ok(Failure::new(Message::IsTables { key: key.to_owned() }, Message::EditFile { file }))
}

fn file(context: &Context, user: bool) -> Result<PathBuf, Failure> {
    if user { user_file() } else { Ok(context.project()?.config_file()) }
}
