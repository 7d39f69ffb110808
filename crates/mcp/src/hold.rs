//! Holding a call until a person has answered, as long as its client lets it.

use crate::backend::{Backend, Place};
use crate::client::Client;
use crate::elicit::{self, Dialog, Dialogs, ShownLinks};
use crate::tool_result::shortened;
use crate::work;
use decide::WaitEnd;
use model::SessionId;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RequestContext, RoleServer};
use std::future;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at, sleep_until};

/// A call without progress is never held longer over HTTP: its session would end meanwhile.
pub(crate) const MAX_SILENT_HOLD: Duration = Duration::from_secs(50 * 60);
/// How often a client gets a sign that its call goes on.
const PROGRESS: Duration = Duration::from_secs(10);

/// A call that is held.
pub(crate) struct HeldCall<'c> {
    pub(crate) backend: &'c Arc<dyn Backend>,
    pub(crate) place: &'c Place,
    pub(crate) session: &'c SessionId,
    pub(crate) task: &'c str,
    pub(crate) url: Option<String>,
    pub(crate) limit: Duration,
    pub(crate) client: &'c Client,
    /// Where the client shows the link meanwhile.
    pub(crate) dialogs: Option<(&'c Dialogs, &'c ShownLinks)>,
    pub(crate) context: &'c RequestContext<RoleServer>,
    pub(crate) closing: watch::Receiver<bool>,
}

/// How it came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HoldOutcome {
    /// The questions have ended.
    Ended,
    /// The time is up.
    TimeIsUp,
    /// The client does not wait any more, or is gone.
    GivenUp,
}

impl HeldCall<'_> {
    /// Holds the call. Whatever ends that, the questions are as they were.
    pub(crate) async fn until_the_end(mut self) -> HoldOutcome {
        let begun = Instant::now();
        let mut progress = self.progress();
        if let Some(progress) = &mut progress {
            progress.notify(self.message(Duration::ZERO)).await;
        }
        let mut ticks = interval_at(begun + PROGRESS, PROGRESS);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut dialog = self.show_link().await;
        let held = self.wait(begun, &mut ticks, &mut progress, &mut dialog).await;
        if let Some(dialog) = dialog {
            dialog.close().await;
        }
        held
    }

    async fn wait(
        &mut self,
        begun: Instant,
        ticks: &mut Interval,
        progress: &mut Option<Progress>,
        dialog: &mut Option<Dialog>,
    ) -> HoldOutcome {
        let mut closing = self.closing.clone();
        // Some clients stop their clock while they show something.
        let mut limit = begun + self.limit;
        let decisions = Arc::clone(&self.place.decisions);
        let session = self.session.clone();
        loop {
            let mut ended = pin!(decide::wait(&decisions, &session, None, future::pending()));
            let end = loop {
                tokio::select! {
                    biased;
                    () = self.context.ct.cancelled() => return HoldOutcome::GivenUp,
                    () = closed(&mut closing) => return HoldOutcome::GivenUp,
                    end = &mut ended => break end,
                    after = shown(dialog) => {
                        *dialog = None;
                        if let Some((dialogs, _)) = self.dialogs {
                            dialogs.came_back(self.client, after);
                        }
                        if self.client.stops_its_clock() {
                            limit += after;
                        }
                    }
                    () = sleep_until(limit), if !(dialog.is_some() && self.client.stops_its_clock()) => {
                        return HoldOutcome::TimeIsUp;
                    }
                    _ = ticks.tick(), if progress.is_some() => {
                        let message = self.message(begun.elapsed());
                        if let Some(progress) = progress {
                            progress.notify(message).await;
                        }
                    }
                }
            };
            match end {
                Ok(WaitEnd::Ended(_)) | Err(_) => return HoldOutcome::Ended,
                // The server was killed: another one goes on in its place.
                Ok(_) => self.serve_again().await,
            }
        }
    }

    /// Has the client show the link, where it does.
    async fn show_link(&self) -> Option<Dialog> {
        let ((_, shown), url) = (self.dialogs?, self.url.as_deref()?);
        let (dialog, id) = Dialog::open(&self.context.peer, url, self.task).await?;
        elicit::note(shown, self.session, id);
        Some(dialog)
    }

    async fn serve_again(&mut self) {
        let (backend, place) = (Arc::clone(self.backend), self.place.clone());
        let session = self.session.clone();
        let serve = move || work::served_state(&*backend, &place, &session, None);
        match tokio::task::spawn_blocking(serve).await {
            Ok(Ok(told)) => self.url = told.url.or(self.url.take()),
            // It may be had a little later.
            _ => tokio::time::sleep(PROGRESS).await,
        }
    }

    fn progress(&self) -> Option<Progress> {
        let token = self.context.meta.get_progress_token()?;
        Some(Progress { peer: self.context.peer.clone(), token, count: 0 })
    }

    fn message(&self, waited: Duration) -> String {
        let task = shortened(self.task);
        let link = self.url.as_deref().map(|url| format!(": {url}")).unwrap_or_default();
        match waited.as_secs() {
            0 => format!("The user is asked to decide \"{task}\"{link}"),
            seconds if seconds < 60 => {
                format!("Waiting for the user to decide \"{task}\" ({seconds} s){link}")
            }
            seconds => format!("Waiting for the user to decide \"{task}\" ({} min){link}", seconds / 60),
        }
    }
}

/// Completes when the client has come back from showing a link; after how long.
async fn shown(dialog: &mut Option<Dialog>) -> Duration {
    match dialog {
        Some(dialog) => dialog.ended().await,
        None => future::pending().await,
    }
}

/// Completes when the client is gone.
pub(crate) async fn closed(closing: &mut watch::Receiver<bool>) {
    // Without a sender the process is about to end.
    let _ = closing.wait_for(|is_closing| *is_closing).await;
}

struct Progress {
    peer: Peer<RoleServer>,
    token: ProgressToken,
    count: u32,
}

impl Progress {
    async fn notify(&mut self, message: String) {
        self.count += 1;
        let told = ProgressNotificationParam::new(self.token.clone(), f64::from(self.count));
        // A client that is gone is noticed elsewhere.
        let _ = self.peer.notify_progress(told.with_message(message)).await;
    }
}
