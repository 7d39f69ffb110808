//! Providers, made of what is configured.

use crate::command::CommandProvider;
use crate::endpoint::Endpoint;
use crate::{Environment, Limits, Provider};
use model::provider::{ProviderConfig, ProviderKind};
use process::Cancellation;

/// The provider that `config` describes. It takes variables from `environment`.
pub fn provider(config: ProviderConfig, environment: Environment, limits: Limits) -> Box<dyn Provider> {
    let ProviderConfig { name, model, timeout, kind } = config;
    match kind {
        ProviderKind::Command(config) => Box::new(CommandProvider {
            name,
            model,
            timeout,
            config,
            environment,
            limits,
            pause: Cancellation::wait,
        }),
        ProviderKind::OpenAi(config) => Box::new(Endpoint {
            name,
            model,
            timeout,
            config,
            environment,
            limits,
            pause: Cancellation::wait,
            refused: Default::default(),
        }),
    }
}
