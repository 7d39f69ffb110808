//! What was being waited for when a signal came.

use crate::messages::{AgentMessage, Message};
use llm::{Cancellation, Format, Ledger, LlmError, Provider, Reply, Request};
use std::sync::{Arc, Mutex, PoisonError};

/// The questions to providers that a signal has ended. Clones share them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Awaited(Arc<Mutex<Vec<Question>>>);

#[derive(Debug, Clone)]
struct Question {
    /// Who has asked, where there are several.
    agent: Option<String>,
    provider: String,
}

impl Awaited {
    /// Returns `provider` as one whose interrupted questions are noted here, as those of `agent`.
    pub(crate) fn noting(&self, provider: Box<dyn Provider>, agent: Option<String>) -> Box<dyn Provider> {
        Box::new(Noting { provider, agent, awaited: self.clone() })
    }

    /// Returns a line for each question.
    pub(crate) fn lines(&self) -> Vec<Message> {
        let questions = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let lines = questions.into_iter().map(|Question { agent, provider }| match agent {
            None => AgentMessage::AwaitedProvider { provider },
            Some(agent) => AgentMessage::AwaitedByAgent { agent, provider },
        });
        lines.map(Message::agent).collect()
    }
}

#[derive(Debug)]
struct Noting {
    provider: Box<dyn Provider>,
    agent: Option<String>,
    awaited: Awaited,
}

impl Provider for Noting {
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
        if matches!(answer, Err(LlmError::Cancelled)) {
            let question = Question { agent: self.agent.clone(), provider: self.name().to_owned() };
            self.awaited.0.lock().unwrap_or_else(PoisonError::into_inner).push(question);
        }
        answer
    }
}
