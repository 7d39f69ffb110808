//! What requests wait for: each is woken by the events about its subject alone, however many wait for others.

use super::Shared;
use journal::Event;
use protocol::workflow::{self, EventType};
use std::collections::HashMap;
use std::sync::Arc;
use tokio::sync::watch;

/// What a request waits for a change of.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Subject {
    /// The workflow of this name.
    Workflow(String),
    /// The decision of this name.
    Decision(String),
    /// Anything at all.
    Everything,
}

/// The subjects that requests wait for.
#[derive(Debug, Default)]
pub(super) struct Subjects {
    of: HashMap<Subject, watch::Sender<()>>,
    /// Whether the feed has ended: there will be no more events.
    has_ended: bool,
}

impl Subjects {
    pub(super) fn subscribe(&mut self, subject: &Subject) -> watch::Receiver<()> {
        if self.has_ended {
            // Its sender is gone.
            return watch::channel(()).1;
        }
        self.of.entry(subject.clone()).or_default().subscribe()
    }

    /// Nothing waits any more through `receiver`.
    pub(super) fn leave(&mut self, subject: &Subject, receiver: Option<watch::Receiver<()>>) {
        drop(receiver);
        if self.of.get(subject).is_some_and(|sender| sender.receiver_count() == 0) {
            self.of.remove(subject);
        }
    }

    /// Wakes the requests that wait for something that these events are about, each once.
    pub(super) fn wake(&self, events: &[Arc<Event>]) {
        if self.of.is_empty() {
            return;
        }
        let mut about: Vec<Subject> = events.iter().flat_map(|event| subjects_of(event)).collect();
        about.push(Subject::Everything);
        about.sort_unstable();
        about.dedup();
        for sender in about.iter().filter_map(|subject| self.of.get(subject)) {
            sender.send_replace(());
        }
    }

    /// There will be no more events: those that wait stop waiting.
    pub(super) fn end(&mut self) {
        self.has_ended = true;
        self.of.clear();
    }
}

/// The subjects of an event.
fn subjects_of(event: &Event) -> impl Iterator<Item = Subject> {
    let decision = match event.kind {
        EventType::UserDecisionReceived => match workflow::Event::read(event.kind, &event.payload) {
            Ok(workflow::Event::UserDecisionReceived(received)) => Some(received.decision_id),
            _ => None,
        },
        _ => None,
    };
    let workflow = event.workflow.clone().map(Subject::Workflow);
    workflow.into_iter().chain(decision.map(Subject::Decision))
}

/// Waits for events about a subject until it is dropped.
pub(crate) struct Interest {
    subject: Subject,
    /// There until it is dropped.
    receiver: Option<watch::Receiver<()>>,
    shared: Arc<Shared>,
}

impl Interest {
    pub(super) fn new(shared: Arc<Shared>, subject: Subject) -> Self {
        let receiver = Some(shared.subjects().subscribe(&subject));
        Self { subject, receiver, shared }
    }

    /// From now on only what happens later counts.
    pub(crate) fn mark_unchanged(&mut self) {
        if let Some(receiver) = &mut self.receiver {
            receiver.mark_unchanged();
        }
    }

    /// Waits until something has happened to the subject; false if there will be no more events.
    pub(crate) async fn changed(&mut self) -> bool {
        match &mut self.receiver {
            Some(receiver) => receiver.changed().await.is_ok(),
            None => false,
        }
    }
}

impl Drop for Interest {
    fn drop(&mut self) {
        self.shared.subjects().leave(&self.subject, self.receiver.take());
    }
}
