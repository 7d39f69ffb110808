//! State of a workflow while a command is decided.

use crate::event::Event;
use crate::scope::Scope;
use crate::state::State;
use crate::workflow::Workflow;
use crate::{Context, Millis};
use protocol::workflow::{self, WorkflowUpdate};

/// What a command takes from outside of the state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moment {
    /// The time.
    pub now: Millis,
    /// An unguessable number, from which the IDs of what begins are made.
    pub seed: u64,
}

impl Moment {
    /// Returns the ID of something that begins now, the `number`th of this command: `word-<milliseconds>-<six characters>`.
    pub fn id(self, word: &str, number: u64) -> String {
        const DIGITS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";
        // The finalizer of SplitMix64: each bit of seed and number changes every bit of the result.
        let mut bits = self.seed.wrapping_add(number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^= bits >> 31;
        let mut id = format!("{word}-{}-", self.now);
        for place in 0..6 {
            let digit = bits / 36_u64.pow(place) % 36;
            id.push(char::from(DIGITS[usize::try_from(digit).unwrap_or_default()]));
        }
        id
    }
}

/// A state that changes by events only, and these events.
pub(crate) struct Scratch {
    state: State,
    events: Vec<Event>,
    moment: Moment,
    ids: u64,
}

impl Scratch {
    /// Returns one in which nothing has changed yet.
    pub(crate) fn new(state: State, moment: Moment) -> Self {
        Self { state, events: Vec::new(), moment, ids: 0 }
    }

    /// Returns the state as it is now.
    pub(crate) fn state(&self) -> &State {
        &self.state
    }

    /// Returns the events, in their order.
    pub(crate) fn into_events(self) -> Vec<Event> {
        self.events
    }

    /// Returns the time.
    pub(crate) fn now(&self) -> Millis {
        self.moment.now
    }

    /// Returns the ID of something that begins.
    pub(crate) fn new_id(&mut self, word: &str) -> String {
        self.ids += 1;
        self.moment.id(word, self.ids)
    }

    /// Adds an event, and applies it.
    pub(crate) fn record(&mut self, event: Event) {
        self.state.apply(&event);
        self.events.push(event);
    }

    /// Changes the workflow as a whole.
    pub(crate) fn change(&mut self, change: impl FnOnce(&mut Workflow)) {
        let mut workflow = self.state.workflow.clone();
        change(&mut workflow);
        self.record(Event::WorkflowChanged(Box::new(workflow)));
    }

    /// Ends a change of the workflow: it has this context, and its driver looks at it again.
    pub(crate) fn store(&mut self, context: Context) {
        self.record(Event::ContextChanged(Box::new(context)));
        let now = self.now();
        self.change(|workflow| {
            workflow.updated = now;
            if workflow.state.is_terminal() {
                workflow.wake_at = None;
            } else {
                workflow.make_due(now);
            }
        });
    }

    /// Publishes something about this.
    pub(crate) fn publish(&mut self, scope: Scope, event: impl Into<workflow::Event>) {
        self.record(Event::Published(scope, Box::new(event.into())));
    }

    /// Publishes the workflow as a whole, with these additions.
    pub(crate) fn announce_update(&mut self, more: impl FnOnce(WorkflowUpdate) -> WorkflowUpdate) {
        let update = more(self.state.update(self.now()));
        self.announce(update);
    }

    /// Publishes something about the workflow.
    pub(crate) fn announce(&mut self, event: impl Into<workflow::Event>) {
        self.publish(Scope::of(&self.state.workflow), event);
    }
}
