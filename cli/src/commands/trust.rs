//! `aide trust`

use super::{Context, DONE};
use crate::failure::{FAILED, Failure};
use crate::layers;
use crate::messages::Message;
use crate::settings::Settings;
use crate::trust;
use store::{ConfigValue, Layers, Subject, Trust};

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
    let (config, text) = project.config_with_text()?;
    let layers = layers::of(&project)?;
    let file = project.config_file();
    let (settings, contradiction) = Settings::configured(&config.decide, &file)?;
    let mut risky = risky(&settings);
    risky.extend(starting(&layers)?);
    if risky.is_empty() {
        context.output.ok(&Message::NothingToTrust);
        return Ok(DONE);
    }
    for (key, value) in risky {
        context.output.entry(2, &Message::Setting { key: key.to_owned(), value })?;
    }
    // Seen, but trusted it would not work either.
    if let Some(failure) = contradiction {
        return Err(failure);
    }
    let subject = Subject::Config(&text);
    if wish == Wish::Trust {
        records()?.allow(project.root(), subject)?;
    } else if !trust::trusts(&project, &text) {
        context.output.warning(&Message::TrustUntrusted);
        return Ok(FAILED);
    }
    context.output.ok(&Message::Trusted { file });
    Ok(DONE)
}

fn records() -> Result<Trust, Failure> {
    trust::records().ok_or_else(|| Failure::new(Message::NoStateFolder, Message::SetHome))
}

/// What would let others in, or lead the person elsewhere.
fn risky(settings: &Settings) -> Vec<(&'static str, ConfigValue)> {
    let value = |key: &str| match key {
        "decide.bind" => settings.host.clone(),
        "decide.url" => settings.url.clone(),
        _ => settings.auth.code().to_owned(),
    };
    settings.risky().into_iter().map(|key| (key, ConfigValue::Text(value(key)))).collect()
}

/// What would start programs; each hook for itself.
fn starting(layers: &Layers) -> Result<Vec<(&'static str, ConfigValue)>, Failure> {
    let mut starting = Vec::new();
    for key in layers.risky_for_flow(&layers.flow(&[])?)? {
        match layers.project_value(key)? {
            Some(ConfigValue::List(hooks)) => starting.extend(hooks.into_iter().map(|hook| (key, hook))),
            value => starting.extend(value.map(|value| (key, value))),
        }
    }
    Ok(starting)
}
