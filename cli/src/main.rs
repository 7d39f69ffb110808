//! `aide`: AI agents ask, people decide.
//!
//! # A question is asked and answered
//!
//! 1. **Parsing the command.** `main` calls `language::decide` first, because even an invalid command line is answered in some
//!    language; then `command_line::parse`, which also turns `aide decide '{…}'` into `submit`. The parsed command runs with the
//!    `Context`: folder, project, configuration, output.
//! 2. **Reading the questions.** `run` in `cli/src/commands/decide/submit` resolves the settings (`ServerSettings::resolve`:
//!    flag, variable, configuration as far as it is trusted, default) and calls `input::questions`. `Questions::parse`
//!    (`crates/model/src/input.rs`) reads strictly (`strict.rs`: a repeated key is an error) and collects every problem.
//!    `cli/src/failure.rs` turns a failure into a message, a hint and an exit code; nothing has been changed by then.
//! 3. **Writing them down.** `Decisions::ask` (`crates/store/src/decisions/pending.rs`) takes the folder's `Lock`. If the same
//!    questions are pending, they continue under their session. Otherwise it makes a `SessionId` later than all before it, hashes
//!    the files that the questions name (`SourceHashes`) and replaces `pending.json` (`durable::replace`); for questions that
//!    were open, it leaves a record that names their replacement. From here on nothing is lost. Meanwhile `BlankForm`
//!    (`app/src/blank_form.rs`) renders the items if there are many.
//! 4. **Becoming reachable.** If a server of this session is alive, the command waits for that one (`attend`): it watches for the
//!    record and takes over if the server is killed. A server of other questions sees through its `Watch` that they were
//!    replaced, and ends. Otherwise `Host::run` (`cli/src/host/mod.rs`) serves the page itself, unless another process is faster:
//!    `Decisions::claim_server` lets one process at a time continue, so that several processes that want to take over do not
//!    compete for the port. `server::bind` binds the port of the last server or the first free one, on IPv4 and IPv6 loopback
//!    alike. `ServerClaim::register` writes `server.json` and returns its lock as a `Registration`; except with `--auth never`,
//!    the file holds the server's `Key`.
//!
//!    `Hall::new` (`app/src/hall.rs`) combines the questions that the server is started for, the folder and a oneshot channel;
//!    with a timeout it gets a `TimeLimit`. `server::serve` starts on a task, and the link is printed: the sockets already
//!    listen, so a browser that opens the link gets a response. If every client needs a login, the link is a ticket
//!    (`link::for_session`). `Notifier` notifies the person, if configured, and waits for nothing. With `--detach` the server is
//!    a process of its own (the hidden command `serve`), which writes `ready` to a pipe; until then its errors are the parent's,
//!    later ones go to `decisions/server.log`.
//! 5. **Logging in.** A request passes through `connection` (`server/src/serve/mod.rs`) and the gate (`gate::guard`). Opening the
//!    link of a ticket (`/t/…`) only examines it (`page::door`); the button of that page consumes it (`page::enter`): `Login`
//!    (`server/src/login.rs`) recognises it by its seal and exchanges it for a cookie, and the response redirects to `/`. A
//!    client that has neither cookie nor bearer token gets a response that explains how to log in.
//! 6. **Rendering.** `page::show` (`server/src/endpoints/page.rs`) calls `render_form`, or `render_inbox` if several sets are
//!    open; `Hall::inbox_page` (`app/src/hall/inbox.rs`) reads one page of them. `render_form` (`app/src/page/form.rs`) fills in
//!    the draft (`Form::draft`) and renders each item that is not rendered yet (`item.rs` in `app/src/html`) with its sanitised
//!    Markdown (`markdown.rs`) and its excerpt (`excerpt.rs`): the current lines, compared with the hash (`sources.rs`), coloured
//!    by `highlight/`. `document` wraps it in head, nonce and the waking script. `headers::complete` adds the headers that every
//!    response carries.
//! 7. **Hydrating.** Style sheet and script are in the page itself; `/app.wasm` is all that the page requests, after it has been
//!    drawn. Until then the beginning of the script (`frontend/early.js`) counts answers and records what can be undone, as it
//!    does if no WASM can run, and stores the pressed keys. Its end (`frontend/wake.js`) starts the WASM, calls `hydrate`
//!    (`frontend/src/lib.rs`) and then the island. `events::wake` (`app/src/bar/events.rs`) fills in this browser's draft and
//!    listens to the form; it counts with the functions of `early.js`, which replay the stored keys.
//! 8. **Answering.** `keyboard::read` handles keys. `connection::keep_soon` saves a change after a pause: in the browser's
//!    storage until the server function `save_draft` (`app/src/functions.rs`) has accepted it. The draft says what was touched
//!    (`data-touched`), and `Decisions::save_draft` merges that into `draft.json` item by item, under the lock, so that tabs and
//!    the terminal do not undo each other. Both drafts are named after `Questions::fingerprint`, so the same questions find them
//!    in a later session: the browser's on the same port, the server's on any. Each answer in `draft.json` also has the
//!    fingerprint of its item, with which a corrected set finds the answers that still apply, and the way and time in which it
//!    was first given, which the record repeats.
//!
//!    `connection` asks whether the questions are still open and how much of a time limit is left; a draft may request a restart
//!    of the limit. The server holds that response (`Hall::news`) until its deadline is near, so that a page learns from it how
//!    its questions ended elsewhere. A review is a page of its own, made from the posted form (`review.rs`). Files are sent
//!    separately (`endpoints/files.rs`): part by part (`multipart.rs`), in pieces, to an `Upload` of the store.
//!    `frontend/upload.js`, which is only on pages that ask for files, sends them as soon as they are chosen; without it they
//!    come with the form.
//! 9. **Submitting.** Answers arrive in three ways: from the hydrated page (`dom::send`, server function `submit`, `POST
//!    /fn/submit`), from the plain form (`POST /submit`, with files `POST /d/SESSION/submit`, `endpoints/form.rs`), and from
//!    scripts (`POST /api/submit`, `endpoints/api.rs`). The page's answers are an `AnswerSheet` with positions of options,
//!    checked by `AnswerSheet::decide`; `parse_output` reads a script's JSON. A person who cannot answer presses a button of the
//!    plain form instead (`Form::send_back`).
//!
//!    All end in `OpenSet` (`crates/decide`), which calls `Decisions::publish`: `durable::publish_once` links the record into
//!    place, and a second record finds the name taken; questions that have been replaced get no answer. The winner completes the
//!    oneshot; the loser gets 409 and the published result. Each post is handled on a thread of its own, so that no other request
//!    waits for the disk. `aide decide answer` is another process: it shares the draft and publishes by itself. For a partial
//!    answer, the remaining questions are stored as `open/SESSION.rest.json` until the record that names them is on the disk, and
//!    then become a set of their own by a rename (`remainder.rs`): after a kill, the next process that looks completes this. With
//!    `decide.undo` the answers wait in `open/SESSION.held.json` (`held.rs`), and the first process that looks after their time
//!    publishes them.
//! 10. **Ending.** `wait` in `cli/src/host/mod.rs` has been waiting for the oneshot, the time limit, a signal, the server's own
//!     end, or a change of the session by another process: `Hall::look` checks all sets five times a second. It tells the server
//!     to stop; `serve` stops accepting, lets responses under way finish, and cuts off the rest. The result page needs nothing
//!     more from the server: the island has the page already, and `render_result` requests nothing. Other pages learn of the end
//!     as in step 8. A page that stays open looks for new questions if the person wants to be notified (`news.rs`). Dropping the
//!     `Registration` removes `server.json`; after any other end, the file remains for the command that restarts the server. `✓`
//!     is printed, and the exit code is 0.
//! 11. **The result.** `decide::outcome` asks which server is alive (`Decisions::live_server`) *before* it looks for the record,
//!     so that it cannot miss a server that ends in between. `result` and `wait` print its finding, for the given session or the
//!     newest: the answers on one line, or the state and what to do. Everything they print is safely on disk
//!     (`Decisions::durable_record`).
//! 12. **Later.** `list`, `show`, `export` and the history read the records; `clean` removes them. `Export` (`app/src/export.rs`)
//!     writes Markdown for the command and for the page alike.
//!
//! # Where things are
//!
//! The program: arguments in, messages and exit codes out; `command_line/` reads arguments, `commands/` has one folder for each
//! command with its arguments, its help and its function; `context.rs` is available to every command, `trust.rs` says which
//! settings have an effect; `host/` serves in this process, for one set of questions, for none in particular (`resident.rs`), or
//! for all projects on another address (`gathered.rs`), `attend.rs` waits for a server in another process, `detach.rs` starts one
//! in the background (from the file that `this_program.rs` finds); `daemon_control/` starts, ends and looks at the resident
//! process (`crates/daemon`, which `commands/daemon/foreground.rs` runs), `user_daemon/` finds that of this user, `offer.rs`
//! offers it questions, `remote.rs` sends it requests; `agents/` is shared by the commands that run agents; `everywhere.rs` finds
//! the open questions of all projects; `terminal/` asks in the terminal, `notify.rs` and `notify/` reach the person.

mod agents;
mod attend;
mod browser;
mod clock;
mod command_line;
mod commands;
mod context;
mod daemon_control;
mod detach;
mod due;
mod everywhere;
mod failure;
mod host;
mod input_file;
mod known;
mod language;
mod link;
mod log;
mod messages;
mod network;
mod notify;
mod offer;
mod opener;
mod outcome;
mod output;
mod places;
mod progress;
mod qr;
mod question_server;
mod remote;
mod server_flags;
mod signals;
mod terminal;
mod this_program;
mod trust;
mod user_daemon;
mod user_files;
mod yes;

use command_line::layout::{Layout, Program};
use command_line::{Command, Invocation};
use commands::{COMMANDS, FINGER_COMMANDS};
use context::{Context, DONE};
use messages::Message;
use output::Output;
use std::env;
use std::ffi::OsString;
use std::process::ExitCode;

/// The allocator of musl locks all threads out for each piece of memory: a server of several threads is slow with it.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// From the command line to an exit code.
fn main() -> ExitCode {
    log::start();
    let mut arguments: Vec<OsString> = env::args_os().collect();
    let program = Program::called(arguments.first().map(OsString::as_os_str));
    arguments.drain(..arguments.len().min(1));
    let folder = env::current_dir();
    let output = |lang| Output::new(lang, &arguments, |name| env::var_os(name));
    let (context, checked) = Context::at(folder, &arguments, output);
    let commands: &[&Command] = match program {
        Program::Aide => &COMMANDS,
        Program::Finger => &FINGER_COMMANDS,
    };
    let layout = Layout { lang: context.language.messages, program };
    let result = command_line::parse(commands, layout, &arguments);
    let wants_json = result.is_err() && command_line::wants_json(commands, layout, &arguments);
    let result = result.and_then(|asked| match asked {
        Invocation::Show(text) => context.output.text(&with_offer(&context, text, &arguments)).map(|()| DONE),
        Invocation::Run(matches) => checked.and_then(|()| Command::run_one_of(commands, &context, &matches)),
    });
    let code = result.unwrap_or_else(|failure| {
        if wants_json {
            context.output.failure_json(&failure, None, serde_json::Map::new());
        } else {
            context.output.failure(&failure);
            context.offer_english();
        }
        failure.code
    });
    log::flush();
    ExitCode::from(code)
}

/// The first help ends with how to switch to English, where the locale is English and the help is not.
fn with_offer(context: &Context, text: String, arguments: &[OsString]) -> String {
    let is_first = arguments.iter().all(|argument| argument == "--help" || argument == "-h");
    if !is_first || !context.language.offers_english {
        return text;
    }
    let (text, offer) = (text.trim_end(), Message::OfferEnglish.render(context.language.messages));
    format!("{text}\n\n{offer}\n")
}
