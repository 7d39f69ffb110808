//! `aide trust`

use crate::context::{Context, DONE};
use crate::failure::{FAILED, Failure};
use crate::messages::Message;
use crate::trust;
use settings::trust::{Subject, Trust};
use settings::{ConfigValue, Key};

/// What is to be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wish {
    Trust,
    Show,
    Revoke,
}

pub(super) fn run(context: &Context, wish: Wish) -> Result<u8, Failure> {
    let project = context.project()?;
    if wish == Wish::Revoke {
        let revoked = records()?.revoke(project.root())?;
        context.output.ok(if revoked { &Message::TrustRevoked } else { &Message::NothingTrusted });
        return Ok(DONE);
    }
    let layers = context.layers()?;
    let (text, file) = (layers.project_text(), project.config_file());
    let needing = trust::needing(layers)?;
    if needing.values.is_empty() {
        context.output.ok(&Message::NothingToTrust);
        return Ok(DONE);
    }
    for (key, value) in needing.values.into_iter().flat_map(one_by_one) {
        context.output.entry(2, &Message::Setting { key: key.name.to_owned(), value })?;
    }
    // Seen, but trusted it would not work either.
    if let Some(bad) = needing.contradiction {
        return Err(bad.into());
    }
    let subject = Subject::Config(text);
    if wish == Wish::Trust {
        records()?.allow(project.root(), subject)?;
    } else if !trust::trusts(project, text) {
        context.output.warning(&Message::TrustUntrusted);
        return Ok(FAILED);
    }
    context.output.ok(&Message::Trusted { file });
    Ok(DONE)
}

fn records() -> Result<Trust, Failure> {
    trust::records().ok_or_else(|| Failure::new(Message::NoStateFolder, Message::SetHome))
}

/// Each table of a list for itself.
fn one_by_one((key, value): (&'static Key, ConfigValue)) -> Vec<(&'static Key, ConfigValue)> {
    match value {
        ConfigValue::List(tables) => tables.into_iter().map(|table| (key, table)).collect(),
        value => vec![(key, value)],
    }
}
