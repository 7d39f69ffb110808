//! Events as they happen: sent to every listener in the order of their numbers, each once.
//!
//! The journal's thread must not wait, so another thread forwards the events. Each listener has its own queue. One that
//! reads too slowly is not waited for: it gets its last position and reconnects.

mod follower;
mod subjects;

pub(crate) use follower::{FeedMessage, FollowedLog, Follower};
pub(crate) use subjects::{Interest, Subject};

use axum::extract::ws::Utf8Bytes;
use journal::{Event, Listener};
use protocol::workflow::{EventType, Selection};
use std::collections::HashMap;
use std::fmt;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use subjects::Subjects;
use tokio::sync::mpsc;
use watchdog::Wait;

/// Maximum number of events queued for one listener.
pub(crate) const QUEUE: usize = 256;

/// Sends events to listeners.
#[derive(Clone)]
pub struct Feed {
    shared: Arc<Shared>,
}

struct Shared {
    listeners: Mutex<Listeners>,
    /// What requests wait for.
    subjects: Mutex<Subjects>,
}

#[derive(Default)]
struct Listeners {
    next: u64,
    of: HashMap<u64, ListenerEntry>,
    /// The number of the last event that was told.
    last: i64,
}

struct ListenerEntry {
    filter: Arc<Mutex<Filter>>,
    queue: mpsc::Sender<Arc<FeedEvent>>,
}

/// An event, ready to be sent.
pub(crate) struct FeedEvent {
    pub(crate) event: Arc<Event>,
    /// As a socket sends it.
    pub(crate) envelope: Utf8Bytes,
}

/// The events that a listener wants.
#[derive(Debug, Clone, Default)]
pub(crate) struct Filter {
    pub(crate) selection: Selection,
    pub(crate) workflow: Option<String>,
    pub(crate) session: Option<String>,
}

impl Filter {
    fn has(&self, event: &Event) -> bool {
        let is = |wanted: &Option<String>, found: &Option<String>| wanted.is_none() || wanted == found;
        self.selection.has(event.kind)
            && is(&self.workflow, &event.workflow)
            && is(&self.session, &event.session)
    }

    /// The types that are sent; `None` for all.
    fn kinds(&self) -> Option<Vec<EventType>> {
        let kinds: Vec<_> = EventType::ALL.iter().copied().filter(|kind| self.selection.has(*kind)).collect();
        (kinds.len() < EventType::ALL.len()).then_some(kinds)
    }
}

impl Feed {
    /// Returns a feed, and what the journal is to tell its events to. `last` is the number of the last event there.
    ///
    /// # Errors
    ///
    /// When the system has no more threads.
    pub fn start(last: i64) -> std::io::Result<(Self, Listener)> {
        let listeners = Mutex::new(Listeners { last, ..Listeners::default() });
        let feed = Self { shared: Arc::new(Shared { listeners, subjects: Mutex::default() }) };
        let (sender, receiver) = channel();
        let shared = Arc::clone(&feed.shared);
        thread::Builder::new().name("events".to_owned()).spawn(move || shared.run(&receiver))?;
        // Ends with the journal, which owns it.
        let listener = Box::new(move |events: &[Arc<Event>]| drop(sender.send(events.to_vec())));
        Ok((feed, listener))
    }

    /// Says where the log was when the journal was opened, where that was not known before.
    pub fn begin_at(&self, last: i64) {
        let mut listeners = self.shared.listeners();
        listeners.last = listeners.last.max(last);
    }

    /// Waits for events about this subject from now on.
    pub(crate) fn interest(&self, subject: Subject) -> Interest {
        Interest::new(Arc::clone(&self.shared), subject)
    }

    /// Listens from now on; also returns the number of the last event that was told before.
    fn listen(&self, filter: Arc<Mutex<Filter>>) -> (FeedListener, i64) {
        let (queue, receiver) = mpsc::channel(QUEUE);
        let mut listeners = self.shared.listeners();
        listeners.next += 1;
        let id = listeners.next;
        listeners.of.insert(id, ListenerEntry { filter, queue });
        (FeedListener { id, receiver, shared: Arc::clone(&self.shared) }, listeners.last)
    }
}

impl fmt::Debug for Feed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Feed(…)")
    }
}

impl Shared {
    fn listeners(&self) -> MutexGuard<'_, Listeners> {
        self.listeners.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run(&self, events: &Receiver<Vec<Arc<Event>>>) {
        while let Ok(events) = events.recv() {
            let _wait = Wait::begin("events that are being told");
            let mut listeners = self.listeners();
            events.iter().for_each(|event| listeners.publish(event));
            drop(listeners);
            self.subjects().wake(&events);
        }
        self.subjects().end();
    }

    fn subjects(&self) -> MutexGuard<'_, Subjects> {
        self.subjects.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Listeners {
    fn publish(&mut self, event: &Arc<Event>) {
        self.last = event.seq;
        let mut feed_event: Option<Arc<FeedEvent>> = None;
        self.of.retain(|_, listening| {
            if !listening.filter.lock().unwrap_or_else(PoisonError::into_inner).has(event) {
                return true;
            }
            if feed_event.is_none() {
                feed_event = FeedEvent::new(event).map(Arc::new);
            }
            // Who is too slow is dropped: it reads what is in its queue, and comes again for the rest.
            feed_event
                .as_ref()
                .is_none_or(|feed_event| listening.queue.try_send(Arc::clone(feed_event)).is_ok())
        });
    }
}

impl FeedEvent {
    fn new(event: &Arc<Event>) -> Option<Self> {
        // What the journal holds is JSON.
        let envelope = workflow::envelope(event).ok()?.into();
        Some(Self { event: Arc::clone(event), envelope })
    }
}

/// A listener.
struct FeedListener {
    id: u64,
    receiver: mpsc::Receiver<Arc<FeedEvent>>,
    shared: Arc<Shared>,
}

impl FeedListener {
    /// Waits until no events are being queued: those of one transaction are queued under the lock.
    fn wait_for_batch(&self) {
        drop(self.shared.listeners());
    }
}

impl Drop for FeedListener {
    fn drop(&mut self) {
        self.shared.listeners().of.remove(&self.id);
    }
}
