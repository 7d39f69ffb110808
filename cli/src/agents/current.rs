//! A provider as it is configured now: a command that runs for long reads the configuration again before each question.

use super::interrupted_questions::InterruptedQuestions;
use super::provider_hook::{HookedProvider, ProviderHook};
use super::providers;
use crate::context::Context;
use crate::failure::Failure;
use crate::{trust, user_files};
use llm::{Environment, Limits, Provider, ProviderConfig};
use settings::{AgentConfig, EffectiveValue};
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use store::Project;

/// The configuration of a project's providers: how it was when the command began, and how it is now.
pub(crate) struct ConfiguredProviders {
    project: Project,
    /// `--provider`.
    flag: Option<OsString>,
    at_start: EffectiveValue<AgentConfig>,
    is_trusted_at_start: bool,
}

/// The agent that asks a provider.
pub(crate) struct Asker {
    /// Its name, where there are several.
    pub(crate) name: Option<String>,
    /// Where its profile is.
    pub(crate) folder: PathBuf,
}

/// The provider of one agent, and whether the project is trusted.
#[derive(Debug, Clone, PartialEq)]
struct Choice {
    provider: ProviderConfig,
    is_trusted: bool,
}

impl ConfiguredProviders {
    /// The configuration that the command began with.
    ///
    /// # Errors
    ///
    /// When it cannot be read.
    pub(crate) fn read(context: &Context, flag: Option<OsString>) -> Result<Self, Failure> {
        let (at_start, project) = (providers::followed(context)?, context.project()?.clone());
        let is_trusted_at_start = trust::trusts(&project, context.layers()?.project_text());
        Ok(Self { project, flag, at_start, is_trusted_at_start })
    }

    /// Whether `--provider` names who answers for every agent.
    pub(crate) fn is_named(&self) -> bool {
        self.flag.is_some()
    }

    /// What it said when the command began.
    pub(crate) fn at_start(&self) -> &AgentConfig {
        &self.at_start.value
    }

    /// Returns who answers for an agent whose profile names `profile`, by the files as they are now.
    fn choose(&self, profile: Option<&str>) -> Result<Choice, Failure> {
        let files = self.project.config_files(user_files::config());
        let layers = files.layers()?;
        let is_trusted = trust::trusts(&self.project, layers.project_text());
        let followed = layers.followed_agent(|_| is_trusted)?;
        // Where nothing was trusted when it began, the user's own configuration is the one that counts.
        if !followed.ignored.is_empty() && self.at_start.ignored.is_empty() {
            return Err(Failure::new(trust::not_trusted(&self.project, followed.ignored), None));
        }
        self.choose_from(&followed.value, profile, is_trusted)
    }

    fn choose_from(
        &self,
        config: &AgentConfig,
        profile: Option<&str>,
        is_trusted: bool,
    ) -> Result<Choice, Failure> {
        let provider = providers::find(config, self.flag.as_deref(), profile)?.clone();
        Ok(Choice { provider, is_trusted })
    }

    /// Returns the provider of `asker`. `tell` is called with why a change of the configuration cannot be used, once for each
    /// reason; the provider from before is asked then.
    ///
    /// # Errors
    ///
    /// When there is none.
    pub(crate) fn provider(
        self: &Arc<Self>,
        asker: Asker,
        profile: Option<&str>,
        awaited: InterruptedQuestions,
        tell: impl Fn(Failure) + Send + Sync + 'static,
    ) -> Result<Box<dyn Provider>, Failure> {
        let choice = self.choose(profile).or_else(|_| {
            // What was written since cannot be used. It is reported when the agent is first asked.
            self.choose_from(&self.at_start.value, profile, self.is_trusted_at_start)
        })?;
        let first = self.make(&choice, &asker, &awaited);
        let state = State { choice, provider: Arc::clone(&first), refused: None };
        let around = CurrentProvider {
            configured: Arc::clone(self),
            asker,
            awaited,
            tell: Box::new(tell),
            state: Mutex::new(state),
        };
        Ok(Box::new(HookedProvider { provider: first, around }))
    }

    fn make(&self, choice: &Choice, asker: &Asker, awaited: &InterruptedQuestions) -> Arc<dyn Provider> {
        let environment =
            Environment::from_process().in_project(self.project.root()).trusted(choice.is_trusted);
        let provider = llm::provider(choice.provider.clone(), environment, Limits::default());
        Arc::from(awaited.noting(provider, asker.name.clone()))
    }
}

/// The provider of one agent, which may be another one the next time that it is asked.
struct CurrentProvider {
    configured: Arc<ConfiguredProviders>,
    asker: Asker,
    awaited: InterruptedQuestions,
    tell: Box<dyn Fn(Failure) + Send + Sync>,
    state: Mutex<State>,
}

struct State {
    choice: Choice,
    provider: Arc<dyn Provider>,
    /// Why the configuration could not be used when it was read last, in the words of the log.
    refused: Option<String>,
}

impl CurrentProvider {
    fn choose(&self) -> Result<Choice, Failure> {
        let profile = agent::profile_in(&self.asker.folder)?.and_then(|profile| profile.provider);
        self.configured.choose(profile.as_deref())
    }
}

impl ProviderHook for CurrentProvider {
    fn current(&self) -> Option<Arc<dyn Provider>> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        match self.choose() {
            Ok(choice) => {
                if choice != state.choice {
                    state.provider = self.configured.make(&choice, &self.asker, &self.awaited);
                    state.choice = choice;
                }
                state.refused = None;
            }
            Err(failure) => {
                let reason = failure.explain(texts::Lang::En).what;
                if state.refused.replace(reason.clone()) != Some(reason) {
                    (self.tell)(failure);
                }
            }
        }
        Some(Arc::clone(&state.provider))
    }
}
