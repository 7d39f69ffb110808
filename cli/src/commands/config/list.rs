//! `aide config list`

use super::effective::EffectiveConfig;
use crate::context::{Context, DONE};
use crate::failure::Failure;
use crate::messages::{ConfigMessage, Message};
use serde_json::{Map, Value};
use settings::KEYS;
use texts::terminal_safe;
use unicode_width::UnicodeWidthStr;

/// Where the sources stand, in columns; behind a longer setting they come at once.
const WIDEST: usize = 48;

pub(super) fn run(context: &Context, json: bool) -> Result<u8, Failure> {
    let effective = EffectiveConfig::read(context)?;
    let mut settings = Vec::new();
    for key in KEYS {
        settings.push((key.name, effective.get(key)?));
    }
    if json {
        let object: Map<_, _> =
            settings.iter().map(|(key, setting)| ((*key).to_owned(), setting.to_json())).collect();
        context.output.json(&Value::Object(object).to_string())?;
        return Ok(DONE);
    }
    let lines: Vec<String> = settings
        .iter()
        .map(|(key, setting)| terminal_safe(&format!("{key} = {}", setting.value)).into_owned())
        .collect();
    let width = lines.iter().map(|line| line.width()).filter(|width| *width <= WIDEST).max().unwrap_or(0);
    for (line, (_, setting)) in lines.into_iter().zip(settings) {
        let gap = " ".repeat(width.saturating_sub(line.width()));
        let message = Message::config(ConfigMessage::Listed {
            setting: format!("{line}{gap}"),
            source: setting.source,
            ignored: setting.ignored.map(|entry| entry.value),
        });
        context.output.entry(0, &message)?;
    }
    Ok(DONE)
}
