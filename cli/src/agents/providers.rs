//! Who answers for an agent.

use crate::context::Context;
use crate::failure::Failure;
use crate::messages::{AgainMessage, AgentMessage, Message};
use crate::trust;
use llm::{Environment, Limits, Provider, ProviderConfig};
use settings::{AgentConfig, EffectiveValue, Origin};
use std::ffi::OsStr;

/// What is configured of agents, as far as it may be followed.
pub(crate) fn config(context: &Context) -> Result<AgentConfig, Failure> {
    Ok(followed(context)?.value)
}

/// The same, with the keys that are ignored.
pub(super) fn followed(context: &Context) -> Result<EffectiveValue<AgentConfig>, Failure> {
    let project = context.project()?;
    let followed = context.layers()?.followed_agent(|text| trust::trusts(project, text))?;
    trust::warn(context, project, followed.ignored.iter().copied());
    Ok(followed)
}

/// The example of a provider at the end of a file that says something already: a section of its own, which no other one is in
/// the way of.
const PROVIDER_LINES: [&str; 4] =
    ["[[agent.providers]]", "name = \"claude\"", "kind = \"command\"", "preset = \"claude\""];

/// The same as text.
pub(crate) fn provider_lines() -> String {
    PROVIDER_LINES.map(|line| format!("    {line}\n")).concat()
}

/// That there is no provider, with what the user's own configuration takes to have one.
pub(crate) fn none(context: &Context, what: Message) -> Failure {
    // A file that cannot be read is reported where it matters.
    if context.user_layers().map_or(true, |user| user.is_silent(Origin::User)) {
        return Failure::new(what, Message::again(AgainMessage::AddOne));
    }
    let mut failure = Failure::new(what, Message::again(AgainMessage::AppendOne));
    failure.lines = PROVIDER_LINES.map(|line| Message::again(AgainMessage::ProviderLine { line })).into();
    failure
}

/// The provider that is named, else that of the agent's profile, else `agent.provider`, else the only one.
pub(crate) fn choose(
    context: &Context,
    config: &AgentConfig,
    flag: Option<&OsStr>,
    profile: Option<&str>,
) -> Result<Box<dyn Provider>, Failure> {
    if config.providers.is_empty() {
        return Err(none(context, Message::agent(AgentMessage::NoProvider)));
    }
    let found = find(config, flag, profile)?;
    Ok(llm::provider(found.clone(), environment(context)?, Limits::default()))
}

/// The same, as it is configured.
pub(super) fn find<'c>(
    config: &'c AgentConfig,
    flag: Option<&OsStr>,
    profile: Option<&str>,
) -> Result<&'c ProviderConfig, Failure> {
    let failed = |what, hint| Failure::new(Message::agent(what), Message::agent(hint));
    let names = || config.providers.iter().map(|provider| provider.name.clone()).collect::<Vec<_>>();
    if config.providers.is_empty() {
        return Err(failed(AgentMessage::NoProvider, AgentMessage::AddProvider));
    }
    let flag = flag.map(|name| name.to_string_lossy().into_owned());
    let named = flag.or_else(|| profile.map(str::to_owned)).or_else(|| config.provider.clone());
    match named {
        Some(name) => config.find(&name).ok_or_else(|| {
            failed(AgentMessage::UnknownProvider { name }, AgentMessage::KnownProviders { names: names() })
        }),
        None => match config.providers.as_slice() {
            [only] => Ok(only),
            _ => {
                let what = AgentMessage::WhichProvider { names: names() };
                Err(failed(what, AgentMessage::NameProvider))
            }
        },
    }
}

/// The variables for a provider that works for the project.
pub(crate) fn environment(context: &Context) -> Result<Environment, Failure> {
    let project = context.project()?;
    let is_trusted = trust::trusts(project, context.layers()?.project_text());
    Ok(Environment::from_process().in_project(project.root()).trusted(is_trusted))
}
