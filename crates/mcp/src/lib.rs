//! `aide mcp`: the questions and the flow of a project as tools of the Model Context Protocol, on standard input and output or
//! over HTTP.
//!
//! A face over `decide` and `store`: a set of questions goes into the project's folder as by `aide decide submit --queue`, and is
//! answered on the same page. Whatever happens to a client or to this process, the questions are as they were.
//!
//! What needs the configuration, another process or a command is the program's own: [`Backend`].
//!
//! # A coding agent asks
//!
//! `aide setup` has written an entry that starts `aide mcp` into the agent's configuration. A client's calls do what `submit
//! --queue` and `wait` do; the process holds nothing that a kill could lose.
//!
//! 1. **The project is found.** `project.rs` takes the first of the argument, `--project`, the variables, the client's roots and
//!    the folder. If there is no `.aide/`, the `Backend` creates one, inside a git work tree only.
//! 2. **The set is asked.** `work::submit` calls `Decisions::ask_once` with the set's fingerprint as key. The same set is the
//!    same session while it is open, and for a day after that if the answer may not have arrived. The `Backend` makes sure that a
//!    page is served.
//! 3. **The client waits, or continues.** A client that declares the tasks extension gets a task, kept in the receipt of the set,
//!    so that the task outlasts the process. A client that is woken gets `pending` at once. For any other client the call is held
//!    (`hold.rs`), with progress, for as long as `client.rs` knows or has learned that the client lets a call last; then
//!    `pending` says to call `decide_wait`.
//! 4. **The answer arrives.** `receipts/SESSION.json` says whether a client has received it (`delivery.rs`), and `askers.rs`
//!    which process delivers it. `aide hook wake` delivers it to an agent that did not wait.
//! 5. **Nothing else ends the set.** A cancelled call, a closed stream and a kill end only the waiting.
//!
//! `aide setup` computes a `plan` of all files first and applies it by `files::together`, so that all are changed or none. `aide
//! doctor` reads the same entries (`crates/setup/src/installed.rs`) and starts them as the agent would
//! (`commands/doctor/probe.rs`).
//!
//! # Where things are
//!
//! `aide mcp`: the tools, resources and prompts of the Model Context Protocol, on rmcp. Lines of standard input and output, every
//! one of which is answered (`lines.rs`, `transport.rs`, `message.rs`), or requests over HTTP (`http.rs`, `answer_body.rs`),
//! which come from the row `/mcp` of the table of endpoints; one client and its calls (`server.rs`) with the methods of the
//! protocol (`server/handler.rs`), the folder of a call (`server/places.rs`, `project.rs`) and calls whose result is fetched
//! later (`server/tasks.rs`, `tasks.rs`); the list of tools (`tools.rs`), their work in a project (`work.rs`) and their results
//! (`tool_result.rs`); resources (`resources.rs`), holding a call (`hold.rs`) for as long as a client allows (`client.rs`), links
//! that a client shows (`elicit.rs`), the skill (`skill.rs`), whether an answer has arrived (`delivery.rs`), several messages at
//! once (`batch.rs`). The program provides what needs the configuration, a server or a command: the trait `Backend`
//! (`cli/src/commands/mcp/backend.rs`). Its words are in English: a model reads them.

mod answer_body;
mod backend;
mod batch;
mod client;
mod delivery;
mod elicit;
mod hold;
mod http;
mod lines;
mod message;
mod project;
mod resources;
mod server;
mod skill;
mod tasks;
mod tool_result;
mod tools;
mod transport;
mod work;

pub use answer_body::AnswerBody;
pub use backend::{
    Backend, CommandOutput, Elicit, Options, PageState, ToolFailure, UnannouncedQuestions, WAKE,
};
pub use client::with_learned;
pub use delivery::Connection;
pub use http::{Http, MAX_BODY};
pub use project::branch;
pub use tool_result::ended_json;

use delivery::{Arrival, Arrivals, Delivery, Parcel, Stage};
use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;
use server::{Server, Shared};
use std::io;
use std::sync::Arc;
use std::time::Duration;
use store::AskerState;
use tokio::runtime::Runtime;
use tokio::sync::{mpsc, watch};
use transport::Stdio;

/// How many threads wait for the disk at a time.
const MAX_BLOCKING: usize = 16;
/// How long a thread that has nothing to do is kept.
const IDLE: Duration = Duration::from_secs(2);

/// Serves the client on standard input and output until it is gone.
///
/// # Errors
///
/// When there are no more threads.
pub fn serve(backend: Arc<dyn Backend>, options: Options) -> io::Result<()> {
    let runtime = runtime()?;
    let served = runtime.block_on(serve_stdio(backend, options));
    // A command that still runs is not waited for; what it has begun it ends by itself.
    runtime.shutdown_background();
    served
}

/// What runs the server: one thread, and a few that wait for the disk.
fn runtime() -> io::Result<Runtime> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(MAX_BLOCKING)
        .thread_keep_alive(IDLE)
        .build()
}

async fn serve_stdio(backend: Arc<dyn Backend>, options: Options) -> io::Result<()> {
    let delivery = Arc::new(Delivery::default());
    let (arrivals, arrived) = Arrivals::new();
    let (closing, is_closing) = watch::channel(false);
    let transport = Stdio::start(Arc::clone(&delivery), arrivals.clone(), closing)?;
    tokio::spawn(note_arrivals(arrived));
    let server = Server::new(Shared::new(backend, options, (delivery, arrivals.clone()), is_closing));
    match server.serve(transport).await {
        // Why it ended is no matter: the client is gone.
        Ok(running) => drop(running.waiting().await),
        Err(ServerInitializeError::ConnectionClosed(_)) => {}
        Err(error) => tracing::debug!(%error, "the client did not complete initialization"),
    }
    let _ = tokio::time::timeout(IDLE, arrivals.noted()).await;
    Ok(())
}

/// Writes down how far answers have come.
async fn note_arrivals(mut arrived: mpsc::UnboundedReceiver<Arrival>) {
    while let Some(arrival) = arrived.recv().await {
        let Parcel { decisions, session, stage } = match arrival {
            Arrival::Answer(parcel) => parcel,
            Arrival::Noted(done) => {
                // The call may have been given up.
                let _ = done.send(());
                continue;
            }
        };
        let note = move || {
            let standing = match stage {
                Stage::Written | Stage::Arrived => AskerState::HasAnswer,
                Stage::Refused => AskerState::WentOn,
            };
            decisions.note_result(&session, standing, stage == Stage::Arrived)
        };
        // Without the note the client gets the same answer once more.
        let _ = tokio::task::spawn_blocking(note).await;
    }
}
