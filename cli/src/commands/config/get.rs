//! `aide config get`

use super::effective::EffectiveConfig;
use super::{not_found, ours};
use crate::context::{Context, DONE};
use crate::failure::Failure;
use crate::messages::{ConfigMessage, Message};
use serde_json::{Map, Value};
use settings::{ConfigValue, KEYS, key_names};

pub(super) fn run(context: &Context, key: &str, json: bool) -> Result<u8, Failure> {
    let effective = EffectiveConfig::read(context)?;
    let Some(names) = key_names(key) else { return Ok(not_found(context, key)) };
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let value = match ours(&names) {
        Some(key) => {
            let setting = effective.get(key)?;
            if let Some(entry) = setting.ignored {
                let keys = key.name.to_owned();
                context
                    .output
                    .warning(&Message::config(ConfigMessage::NotTrusted { file: entry.file, keys }));
            }
            Some(setting.value)
        }
        None => effective.in_files(&names),
    };
    let section = match value {
        Some(ConfigValue::Table(_)) | None => section(&effective, &names)?,
        Some(value) => {
            print(context, key, &value, json)?;
            return Ok(DONE);
        }
    };
    if section.is_empty() {
        return Ok(not_found(context, key));
    }
    if json {
        let object: Map<_, _> = section.iter().map(|(key, value)| (key.clone(), value.to_json())).collect();
        context.output.json(&Value::Object(object).to_string())?;
    } else {
        for (key, value) in &section {
            print(context, key, value, false)?;
        }
    }
    Ok(DONE)
}

/// The keys below a name, ours first.
fn section(effective: &EffectiveConfig<'_>, names: &[&str]) -> Result<Vec<(String, ConfigValue)>, Failure> {
    let prefix = format!("{}.", names.join("."));
    let mut keys = Vec::new();
    for key in KEYS.into_iter().filter(|key| key.name.starts_with(&prefix)) {
        keys.push((key.name.to_owned(), effective.get(key)?.value));
    }
    keys.extend(effective.others(names));
    Ok(keys)
}

fn print(context: &Context, key: &str, value: &ConfigValue, json: bool) -> Result<(), Failure> {
    if json {
        return context.output.json(&value.to_json().to_string());
    }
    context
        .output
        .found(&Message::config(ConfigMessage::Setting { key: key.to_owned(), value: value.clone() }))
}
