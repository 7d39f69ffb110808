//! A provider in front of another one: it asks that, and sees what comes of it.

use llm::{Cancellation, Format, Ledger, LlmError, Provider, Reply, Request};
use std::fmt::{self, Debug, Formatter};
use std::sync::Arc;

/// What is done around the questions to a provider.
pub(super) trait ProviderHook: Send + Sync {
    /// What came of a question to the provider of this name.
    fn asked(&self, provider: &str, answer: &Result<Reply, LlmError>) {
        let _ = (provider, answer);
    }

    /// Returns the provider to ask now, where it may be another one.
    fn current(&self) -> Option<Arc<dyn Provider>> {
        None
    }
}

/// A provider, and what is done around its questions.
pub(super) struct HookedProvider<A> {
    pub(super) provider: Arc<dyn Provider>,
    pub(super) around: A,
}

impl<A> Debug for HookedProvider<A> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.provider.fmt(f)
    }
}

impl<A: ProviderHook> Provider for HookedProvider<A> {
    fn name(&self) -> &str {
        self.provider.name()
    }

    fn format(&self) -> Format {
        self.provider.format()
    }

    fn ask(
        &self,
        request: &Request,
        ledger: &dyn Ledger,
        cancellation: &Cancellation,
    ) -> Result<Reply, LlmError> {
        let answer = self.provider.ask(request, ledger, cancellation);
        self.around.asked(self.name(), &answer);
        answer
    }

    fn current(&self) -> Option<Arc<dyn Provider>> {
        self.around.current()
    }
}
