//! Showing how plans stand whenever that changes.

use super::super::folders::Paths;
use super::StatusArgs;
use crate::context::{Context, DONE};
use crate::failure::Failure;
use crate::host;
use crate::signals::Signals;
use crate::terminal::{Disturbances, Live};
use notify::{RecommendedWatcher, RecursiveMode, Watcher};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time;

/// How often to look without change notifications, and for a folder that is not there yet.
const PAUSE: Duration = Duration::from_secs(1);
/// Files come in groups: so long nothing is shown that is about to change again.
const SETTLE: Duration = Duration::from_millis(20);

/// Shows it until it is over, or a signal comes.
pub(super) fn watch(context: &Context, paths: &Paths, asked: &StatusArgs) -> Result<u8, Failure> {
    let runtime = crate::host::thread_runtime().map_err(|error| host::failed(&error))?;
    runtime.block_on(async {
        let mut signals = Signals::listen().map_err(|error| host::failed(&error))?;
        let changed = Arc::new(Notify::new());
        let mut watcher = None;
        let mut disturbances = Disturbances::listen().map_err(|error| host::failed(&error))?;
        let mut live = Live::new(&context.output, !asked.json);
        let mut shown = None;
        loop {
            if watcher.is_none() {
                watcher = watch_folder(&paths.runtime, &changed);
            }
            let views = asked.views(paths)?;
            if shown.as_ref() != Some(&views) {
                live.show(|output| asked.print(context, output, &views))?;
            }
            let is_over = !views.is_empty() && views.iter().all(super::PlanView::is_over);
            if is_over {
                return Ok(DONE);
            }
            shown = Some(views);
            tokio::select! {
                code = signals.next() => return Ok(code),
                () = changed.notified() => time::sleep(SETTLE).await,
                () = disturbances.next(), if live.is_on_terminal() => {
                    live.forget();
                    shown = None;
                }
                () = time::sleep(PAUSE) => {}
            }
        }
    })
}

/// Tells of changes in a folder for as long as it lives; `None` if that is not possible.
fn watch_folder(folder: &Path, changed: &Arc<Notify>) -> Option<RecommendedWatcher> {
    let changed = Arc::clone(changed);
    let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        // Looking at files is no news.
        if event.is_ok_and(|event| !event.kind.is_access()) {
            changed.notify_one();
        }
    });
    let mut watcher = watcher.ok()?;
    watcher.watch(folder, RecursiveMode::Recursive).ok()?;
    Some(watcher)
}
