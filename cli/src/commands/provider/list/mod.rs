//! `aide provider list`

mod help;

use super::{KnownProvider, ProviderOrigin, all, kind, probe, shown};
use crate::command_line::Command;
use crate::command_line::layout::{Layout, is_set};
use crate::context::{Context, DONE};
use crate::failure::Failure;
use crate::messages::{Message, ProviderMessage};
use clap::ArgMatches;
use llm::ProviderKind;
use serde_json::{Value, json};
use std::path::PathBuf;

/// `aide provider list`
pub(crate) static COMMAND: Command = Command { name: "list", build, run };

fn build(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    layout.command(COMMAND.name, words.about, words.usage, words.after).arg(layout.flag("json", words.json))
}

fn run(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    let mut found = Vec::new();
    for known in all(context)? {
        let program = probe(context, &known.config)?.program();
        found.push((known, program));
    }
    if is_set(matches, "json") {
        let list: Vec<Value> =
            found.iter().map(|(known, program)| to_json(known, program.as_ref())).collect();
        context.output.json(&Value::Array(list).to_string())?;
        return Ok(DONE);
    }
    let (presets, configured): (Vec<_>, Vec<_>) =
        found.into_iter().partition(|(known, _)| known.from == ProviderOrigin::Preset);
    for (title, list) in [(ProviderMessage::Configured, configured), (ProviderMessage::Presets, presets)] {
        let title = if list.is_empty() { ProviderMessage::NoneConfigured } else { title };
        context.output.found(&Message::provider(title))?;
        for (known, program) in list {
            context.output.entry(2, &Message::provider(line(known, program)))?;
        }
    }
    Ok(DONE)
}

fn line(known: KnownProvider, program: Option<PathBuf>) -> ProviderMessage {
    let KnownProvider { config, is_default, is_trusted, .. } = known;
    let (name, model) = (config.name, config.model);
    match config.kind {
        ProviderKind::Command(config) => ProviderMessage::Program {
            name,
            command: config.command,
            path: program,
            model,
            is_default,
            is_trusted,
        },
        ProviderKind::OpenAi(config) => {
            ProviderMessage::Endpoint { name, url: shown(&config.base_url), model, is_default, is_trusted }
        }
    }
}

fn to_json(known: &KnownProvider, program: Option<&PathBuf>) -> Value {
    let KnownProvider { config, from, is_default, is_trusted, .. } = known;
    let mut value = json!({
        "name": config.name,
        "kind": kind(config),
        "from": from.name(),
        "default": is_default,
        "trusted": is_trusted,
        "model": config.model,
    });
    match &config.kind {
        ProviderKind::Command(config) => {
            value["preset"] = config.preset.name().into();
            value["command"] = config.command.as_str().into();
            value["path"] = program.map(|path| path.display().to_string()).into();
        }
        ProviderKind::OpenAi(config) => value["base_url"] = shown(&config.base_url).into(),
    }
    value
}

#[cfg(test)]
mod tests {
    use crate::command_line::layout::is_set;
    use crate::command_line::read;

    #[test]
    fn arguments() {
        assert!(is_set(&read(&["provider", "list", "--json"]).unwrap(), "json"));
        assert!(read(&["provider", "list", "x"]).is_none());
    }
}
