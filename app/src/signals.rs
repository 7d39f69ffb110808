//! What the forms of a server tell those who wait.

use crate::SetId;
use crate::audience::Audience;
use model::Ending;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::{oneshot, watch};

/// What the forms of a hall tell those who wait.
#[derive(Debug, Default)]
pub(crate) struct Signals {
    /// Completed, once, when a submission for the set that the server was started for has won and is on disk.
    own_ended: Mutex<Option<(SetId, oneshot::Sender<Ending>)>>,
    /// The pages that show that set.
    pub(crate) audience: Audience,
    /// Whether pages that wait for news are to look now, and a number that grows with each of them.
    news: watch::Sender<(bool, u64)>,
}

impl Signals {
    /// The receiver is completed when the set `own` has ended here.
    pub(crate) fn new(own: SetId) -> (Arc<Self>, oneshot::Receiver<Ending>) {
        let (sender, receiver) = oneshot::channel();
        let own_ended = Mutex::new(Some((own, sender)));
        (Arc::new(Self { own_ended, ..Self::default() }), receiver)
    }

    /// The set `set` has ended, `by_page` when a page did it and so knows.
    pub(crate) fn ended(&self, set: &SetId, ending: &Ending, by_page: bool) {
        let mut own = self.own_ended.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, sender)) = own.take_if(|(own, _)| own == set) {
            // First: the command that hears of the end asks at once for which other pages the server is to stay.
            if by_page {
                self.audience.know();
            }
            // The receiver is gone when the command is already on its way out; the record stands.
            let _ = sender.send(ending.clone());
        }
    }

    pub(crate) fn change(&self) {
        self.news.send_modify(|(_, count)| *count = count.wrapping_add(1));
    }

    /// Lets those who wait look now, and those who come later not wait: the server is about to end.
    pub(crate) fn close(&self) {
        self.news.send_modify(|(closing, _)| *closing = true);
    }

    /// Completes when the server is about to end, or there is news for the caller.
    pub(crate) async fn heard(&self, is_news: impl Fn() -> bool) {
        let mut news = self.news.subscribe();
        // The sender is here.
        let _ = news.wait_for(|(closing, _)| *closing || is_news()).await;
    }

    pub(crate) fn is_closing(&self) -> bool {
        self.news.borrow().0
    }
}
