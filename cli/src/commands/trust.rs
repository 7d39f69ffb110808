//! `aide trust`

use super::{Context, DONE};
use crate::args::SubmitFlags;
use crate::failure::{FAILED, Failure};
use crate::messages::Message;
use crate::settings::Settings;
use crate::trust;
use store::{DecideConfig, Project, Subject, Trust};

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
    let settings = risky(&project, &config.decide)?;
    if settings.is_empty() {
        context.output.ok(&Message::NothingToTrust);
        return Ok(DONE);
    }
    for (key, value) in settings {
        context.output.entry(2, &Message::TrustSetting { key, value })?;
    }
    let file = project.config_file();
    let subject = Subject::Config(&text);
    if wish == Wish::Trust {
        records()?.allow(project.root(), subject)?;
    } else if !trust::records().is_some_and(|records| records.allows(project.root(), subject)) {
        context.output.warning(&Message::TrustUntrusted);
        return Ok(FAILED);
    }
    context.output.ok(&Message::Trusted { file });
    Ok(DONE)
}

fn records() -> Result<Trust, Failure> {
    trust::records().ok_or_else(|| Failure::new(Message::NoStateFolder, Message::SetHome))
}

/// What the configuration says that needs trust.
fn risky(project: &Project, config: &DecideConfig) -> Result<Vec<(&'static str, String)>, Failure> {
    let file = project.config_file();
    // The configuration alone: what flags and variables say needs no trust.
    let settings = Settings::resolve(&SubmitFlags::default(), |_| None, config, &file, || true)?;
    let value = |key: &str| match key {
        "decide.bind" => settings.host.clone(),
        "decide.url" => settings.url.clone(),
        _ => settings.auth.code().to_owned(),
    };
    Ok(settings.risky().into_iter().map(|key| (key, value(key))).collect())
}
