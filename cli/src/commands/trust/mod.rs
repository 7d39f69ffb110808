//! `aide trust`

mod help;

use crate::command_line::Command;
use crate::command_line::layout::{Layout, is_set};
use crate::context::{Context, DONE};
use crate::failure::{FAILED, Failure};
use crate::messages::{ConfigMessage, Message};
use crate::trust;
use clap::ArgMatches;
use llm::{Preset, ProviderKind};
use settings::trust::{Subject, Trust};
use settings::{ConfigValue, Key};

/// `aide trust`
pub(crate) static COMMAND: Command = Command { name: "trust", build, run };

fn build(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    layout
        .command(COMMAND.name, words.about, words.usage, words.after)
        .arg(layout.flag("show", words.show).conflicts_with("revoke"))
        .arg(layout.flag("revoke", words.revoke))
}

fn run(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    let (is_shown, is_revoked) = (is_set(matches, "show"), is_set(matches, "revoke"));
    let project = context.project()?;
    if is_revoked {
        let revoked = records()?.revoke(project.root())?;
        let what = if revoked { ConfigMessage::TrustRevoked } else { ConfigMessage::NothingTrusted };
        context.output.ok(&Message::config(what));
        return Ok(DONE);
    }
    let layers = context.layers()?;
    let (text, file) = (layers.project_text(), project.config_file());
    let needing = trust::needing(layers)?;
    // Gemini CLI works in no folder that it does not trust.
    let agent = layers.agent()?;
    let is_asked_for = agent.providers.iter().any(|provider| match &provider.kind {
        ProviderKind::Command(program) => program.preset == Preset::Gemini,
        ProviderKind::OpenAi(_) => false,
    });
    if needing.values.is_empty() && !is_asked_for {
        context.output.ok(&Message::config(ConfigMessage::NothingToTrust));
        return Ok(DONE);
    }
    for (key, value) in needing.values.into_iter().flat_map(one_by_one) {
        context
            .output
            .entry(2, &Message::config(ConfigMessage::Setting { key: key.name.to_owned(), value }))?;
    }
    // Seen, but trusted it would not work either.
    if let Some(bad) = needing.contradiction {
        return Err(bad.into());
    }
    let subject = Subject::Config(text);
    if !is_shown {
        records()?.allow(project.root(), subject)?;
    } else if !trust::trusts(project, text) {
        context.output.warning(&Message::config(ConfigMessage::TrustUntrusted));
        return Ok(FAILED);
    }
    context.output.ok(&Message::config(ConfigMessage::Trusted { file }));
    Ok(DONE)
}

fn records() -> Result<Trust, Failure> {
    trust::records().ok_or_else(|| {
        Failure::new(Message::config(ConfigMessage::NoStateFolder), Message::config(ConfigMessage::SetHome))
    })
}

/// Each table of a list for itself.
fn one_by_one((key, value): (&'static Key, ConfigValue)) -> Vec<(&'static Key, ConfigValue)> {
    match value {
        ConfigValue::List(tables) => tables.into_iter().map(|table| (key, table)).collect(),
        value => vec![(key, value)],
    }
}
