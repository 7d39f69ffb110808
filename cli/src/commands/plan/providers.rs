//! Who would answer for the agents of a plan, as far as the configuration says.

use crate::agents::providers;
use crate::context::Context;
use crate::failure::Failure;
use crate::messages::{AgainMessage, AgentMessage, Message};
use protocol::agent::Id;
use settings::AgentConfig;
use std::path::Path;

/// What says who answers for an agent.
const AGENT_PROFILE: &str = "agent_profile.json";

/// The providers that are configured.
pub(super) struct Providers<'c>(&'c Context, AgentConfig);

impl<'c> Providers<'c> {
    /// Those that may be followed.
    pub(super) fn new(context: &'c Context) -> Result<Self, Failure> {
        Ok(Self(context, providers::config(context)?))
    }

    /// What is to be said of the providers of these agents, each with what to do. `folder` is that of all agents, and paths are
    /// named from `here`.
    pub(super) fn complaints<'i>(
        &self,
        (folder, here): (&Path, &Path),
        agents: impl Iterator<Item = &'i Id>,
    ) -> Vec<Failure> {
        let names = || self.1.providers.iter().map(|provider| provider.name.clone()).collect::<Vec<_>>();
        if self.1.providers.is_empty() {
            return vec![providers::none(self.0, Message::again(AgainMessage::NoProvider))];
        }
        let mut complaints = Vec::new();
        let profile_of = |agent: &Id| folder.join(agent.as_str()).join(AGENT_PROFILE);
        for agent in agents {
            // What is wrong with its profile is said when it begins.
            let profile = agent::profile_in(&folder.join(agent.as_str())).ok().flatten();
            let own = profile.and_then(|profile| profile.provider);
            let named = own.as_deref().or(self.1.provider.as_deref());
            match named {
                Some(name) if self.1.find(name).is_none() => complaints.push(Failure::new(
                    Message::again(AgainMessage::UnknownProvider {
                        agent: agent.to_string(),
                        provider: name.to_owned(),
                        said_in: own.as_ref().map(|_| super::result::shown(&profile_of(agent), here)),
                    }),
                    Message::agent(AgentMessage::KnownProviders { names: names() }),
                )),
                None if self.1.providers.len() > 1 => complaints.push(Failure::new(
                    Message::again(AgainMessage::NoProviderOf { agent: agent.to_string() }),
                    Message::agent(AgentMessage::KnownProviders { names: names() }),
                )),
                _ => {}
            }
        }
        complaints
    }
}
