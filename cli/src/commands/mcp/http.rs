//! `aide mcp --http`, and the same in the daemon.

use super::backend::Program;
use crate::context::Context;
use crate::failure::{Failure, USAGE};
use crate::messages::Message;
use crate::signals::Signals;
use crate::user_files;
use mcp::{Http, Options};
use server::{Access, Key, Limits};
use settings::forms::digits;
use std::env;
use std::ffi::OsString;
use std::io;
use std::sync::Arc;
use texts::Need;

/// Right before the ports of pages: what is configured in clients does not change.
const PORT: u16 = 3720;
const PORT_FLAG: &str = "--port";
/// Of each other machine the gate lets in nothing.
const HOST: &str = "127.0.0.1";
/// The variable with the secret of its clients.
const SECRET: &str = "AIDE_MCP_SECRET";
/// How many calls may be held at a time. Those of pages have a limit of their own.
const HELD: usize = 512;

/// Serves agents by HTTP until a signal comes; the exit code.
pub(super) fn serve(
    context: &Context,
    backend: Arc<Program>,
    options: Options,
    port: Option<OsString>,
) -> Result<u8, Failure> {
    let port = port.map(read_port).transpose()?.unwrap_or(PORT);
    let bound = server::bind_exactly(HOST, port)?;
    let url = format!("{}/mcp", bound.default_url());
    let access = Access::owned_surely(bound.host, bound.port, "", key()?);
    let http = Arc::new(Http::start(backend, options).map_err(|error| failed(&error))?);
    let runtime = server::runtime().map_err(|error| failed(&error))?;
    let limits = Limits::default();
    let limits = Limits { held: (limits.connections * 3 / 4).clamp(1, HELD), ..limits };
    let code = runtime.block_on(async {
        let mut signals = Signals::listen().map_err(|error| failed(&error))?;
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        let stopped = async {
            // A sender that is gone says the same.
            let _ = stopped.await;
        };
        let mut serving =
            tokio::spawn(server::serve(bound, server::mcp_router(&http, access), limits, stopped));
        context.output.info(&Message::McpAt { url });
        let code = tokio::select! {
            ended = &mut serving => {
                let words = match ended {
                    Ok(Ok(())) => "stopped".to_owned(),
                    Ok(Err(error)) => error.to_string(),
                    Err(error) => error.to_string(),
                };
                return Err(failed(&io::Error::other(words)));
            }
            code = signals.next() => code,
        };
        drop(stop);
        tokio::select! {
            _ = serving => {}
            // Who asks twice does not want to wait for farewells.
            _ = signals.next() => {}
        }
        Ok(code)
    });
    runtime.shutdown_background();
    code
}

/// What lets in who is not known to be this user: the secret of [`SECRET`], else one that no process knows.
fn key() -> Result<Key, Failure> {
    match env::var_os(SECRET).filter(|secret| !secret.is_empty()) {
        // The value is not repeated: it is secret, even when it is wrong.
        Some(secret) => secret.to_str().and_then(Key::from_hex).ok_or_else(|| {
            Failure::new(Message::BadSecret { name: SECRET, digits: 64 }, None).with_code(USAGE)
        }),
        None => Key::generate().map_err(|error| failed(&io::Error::other(error))),
    }
}

/// What a daemon answers agents by. It belongs to no project.
pub(crate) fn for_daemon(lang: Option<OsString>) -> io::Result<Arc<Http>> {
    let options = Options { names_project: true, search: user_files::search_cache(), ..Options::default() };
    Ok(Arc::new(Http::start(Arc::new(Program::new(lang)), options)?))
}

fn read_port(given: OsString) -> Result<u16, Failure> {
    let port = given.to_str().and_then(digits).and_then(|digits| digits.parse().ok());
    port.ok_or_else(|| Failure::flag(PORT_FLAG, given.to_string_lossy().into_owned(), Need::Port))
}

fn failed(error: &io::Error) -> Failure {
    Failure::new(Message::Internal { words: error.to_string() }, None)
}
