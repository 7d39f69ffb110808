//! `aide config set` and `aide config unset`

use super::{hint, not_found, ours, user_file};
use crate::context::{Context, DONE};
use crate::failure::Failure;
use crate::messages::{ConfigMessage, Message};
use crate::this_program;
use crate::trust;
use settings::{ConfigChange, ConfigEdit, ConfigValue, EditError, Key, Kind, edit_user_file, key_names};
use std::env;
use std::ffi::OsStr;
use std::path::Path;
use store::EditConfigError;
use texts::{RefusedEdit, RefusedValue};

/// Where programs are looked for without `PATH`.
const USUAL_PATH: &str = "/usr/bin:/bin";

pub(super) fn set(context: &Context, key: &str, value: &OsStr, user: bool) -> Result<u8, Failure> {
    let names = key_names(key).unwrap_or_default();
    let Some(known) = ours(&names.iter().map(String::as_str).collect::<Vec<_>>()) else {
        return Err(Failure::new(
            Message::config(ConfigMessage::UnknownKey { key: key.to_owned() }),
            hint(key),
        ));
    };
    if known.is_user_only() && !user {
        return Err(Failure::new(
            Message::config(ConfigMessage::UserOnly { key: known.name }),
            Message::config(ConfigMessage::AddUser),
        ));
    }
    if matches!(known.kind, Kind::Tables | Kind::Map) {
        return Err(refused(context, key, user, EditError::Tables)?);
    }
    let value = typed(known, value)?;
    let missing = known.is_program().then(|| missing_program(context, known, &value)).flatten();
    let edit = edit(context, key, user, ConfigChange::Set(known, &value), known.can_need_trust())?;
    let key = known.name.to_owned();
    // A person who chooses a language reads the answer in it.
    let output = context.output_after_change();
    match edit.after {
        Some(_) => output.ok(&Message::config(ConfigMessage::KeySet { key, value })),
        None => output.info(&Message::config(ConfigMessage::KeyIsSet { key, value })),
    }
    if let Some((what, hint)) = missing {
        output.warning_with(&what, &hint);
    }
    Ok(DONE)
}

/// That there is no such program, with what to do, where that is so. It is set all the same: it may come later.
fn missing_program(context: &Context, key: &Key, value: &ConfigValue) -> Option<(Message, Message)> {
    let words = value.clone().into_texts()?;
    let program = words.first()?;
    let folder = context.folder().ok()?;
    let search = env::var_os("PATH").unwrap_or_else(|| USUAL_PATH.into());
    if this_program::found_by(Path::new(program), folder, Some(search)).is_some() {
        return None;
    }
    let parts: Vec<String> = program.split_whitespace().map(str::to_owned).collect();
    let hint = match &parts[..] {
        // A command line, written as one word.
        [_, _, ..] => {
            Message::config(ConfigMessage::WordByWord { key: key.name, words: ConfigValue::texts(&parts) })
        }
        _ => Message::config(ConfigMessage::InstallProgram),
    };
    Some((Message::config(ConfigMessage::NoSuchProgram { program: program.clone() }), hint))
}

pub(super) fn unset(context: &Context, key: &str, user: bool) -> Result<u8, Failure> {
    let Some(names) = key_names(key) else { return Ok(not_found(context, key)) };
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let can_need_trust = ours(&names).is_some_and(Key::can_need_trust);
    let edit = edit(context, key, user, ConfigChange::Unset(&names), can_need_trust)?;
    if edit.after.is_none() {
        return Ok(not_found(context, key));
    }
    context.output.ok(&Message::config(ConfigMessage::KeyUnset { key: key.to_owned() }));
    Ok(DONE)
}

/// The value of a key as it was typed.
fn typed(key: &'static Key, text: &OsStr) -> Result<ConfigValue, Failure> {
    key.read(text).map_err(|why| RefusedValue { key, value: text.to_string_lossy().into_owned(), why }.into())
}

/// Changes the file, and says what that means for trust.
fn edit(
    context: &Context,
    key: &str,
    user: bool,
    change: ConfigChange<'_>,
    can_need_trust: bool,
) -> Result<ConfigEdit, Failure> {
    let edited = if user {
        edit_user_file(&user_file()?, change)
    } else {
        let project = context.project()?;
        match project.edit_config(change) {
            Ok(edit) => {
                trust::after_edit(context, project, &edit, can_need_trust);
                Ok(edit)
            }
            Err(EditConfigError::Store(error)) => return Err(error.into()),
            Err(EditConfigError::Edit(error)) => Err(error),
        }
    };
    edited.or_else(|why| Err(refused(context, key, user, why)?))
}

/// Why the file was not changed.
fn refused(context: &Context, key: &str, user: bool, why: EditError) -> Result<Failure, Failure> {
    let file = if user { user_file()? } else { context.project()?.config_file() };
    Ok(RefusedEdit { key: key.to_owned(), file, why }.into())
}
