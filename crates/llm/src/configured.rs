//! Providers, made of what is configured.

use crate::command::CommandProvider;
use crate::endpoint::Endpoint;
use crate::{Environment, Limits, Provider};
use model::provider::{CommandConfig, EndpointConfig, ProviderConfig, ProviderKind};
use process::Cancellation;
use std::time::Duration;

/// What every provider has: its name, its model, and how long one answer may take.
pub(crate) type CommonConfig = (String, Option<String>, Duration);

/// The provider that `config` describes. It takes variables from `environment`.
pub fn provider(config: ProviderConfig, environment: Environment, limits: Limits) -> Box<dyn Provider> {
    let ProviderConfig { name, model, timeout, kind } = config;
    let common = (name, model, timeout);
    match kind {
        ProviderKind::Command(config) => Box::new(command(common, config, environment, limits)),
        ProviderKind::OpenAi(config) => Box::new(endpoint(common, config, environment, limits)),
    }
}

pub(crate) fn command(
    (name, model, timeout): CommonConfig,
    config: CommandConfig,
    environment: Environment,
    limits: Limits,
) -> CommandProvider {
    CommandProvider { name, model, timeout, config, environment, limits, pause: Cancellation::wait }
}

pub(crate) fn endpoint(
    (name, model, timeout): CommonConfig,
    config: EndpointConfig,
    environment: Environment,
    limits: Limits,
) -> Endpoint {
    let (pause, refused) = (Cancellation::wait, Default::default());
    Endpoint { name, model, timeout, config, environment, limits, pause, refused }
}
