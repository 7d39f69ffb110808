//! What was being waited for when a signal came.

use super::provider_hook::{HookedProvider, ProviderHook};
use crate::messages::{AgentMessage, Message};
use llm::{LlmError, Provider, Reply};
use std::sync::{Arc, Mutex, PoisonError};

/// The questions to providers that a signal has ended. Clones share them.
#[derive(Debug, Clone, Default)]
pub(crate) struct InterruptedQuestions(Arc<Mutex<Vec<Question>>>);

#[derive(Debug, Clone)]
struct Question {
    /// Who has asked, where there are several.
    agent: Option<String>,
    provider: String,
}

impl InterruptedQuestions {
    /// Returns `provider` as one whose interrupted questions are noted here, as those of `agent`.
    pub(crate) fn noting(&self, provider: Box<dyn Provider>, agent: Option<String>) -> Box<dyn Provider> {
        let around = InterruptionRecorder { agent, awaited: self.clone() };
        Box::new(HookedProvider { provider: provider.into(), around })
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

/// Notes the questions of an agent that were interrupted.
struct InterruptionRecorder {
    agent: Option<String>,
    awaited: InterruptedQuestions,
}

impl ProviderHook for InterruptionRecorder {
    fn asked(&self, provider: &str, answer: &Result<Reply, LlmError>) {
        if matches!(answer, Err(LlmError::Cancelled)) {
            let question = Question { agent: self.agent.clone(), provider: provider.to_owned() };
            self.awaited.0.lock().unwrap_or_else(PoisonError::into_inner).push(question);
        }
    }
}
