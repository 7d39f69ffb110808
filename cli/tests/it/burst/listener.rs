//! A client of a daemon's WebSocket that receives all events.

use super::scene::Scene;
use crate::support::http::{client_frame, first_frame, try_web_socket};
use serde_json::{Value, json};
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

const TEXT: u8 = 1;
const CLOSE: u8 = 8;
const PING: u8 = 9;
const PONG: u8 = 10;

/// How the server closes a connection whose client reads too slowly: it is to come again.
const AGAIN: u16 = 1013;

/// How often a client that receives nothing checks whether the burst continues.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// An event: its number, and all of it as it was sent.
pub(super) type SentEvent = (i64, String);

/// A client.
pub(super) struct Listener {
    port: u16,
    stream: TcpStream,
    /// What has arrived of frames.
    bytes: Vec<u8>,
    told: Vec<SentEvent>,
    /// The number of the event after which it has asked to be told, until that is confirmed. What comes before is left out:
    /// it comes once more.
    wanted: Option<i64>,
    /// Whether it has been greeted: it receives every event from then on.
    is_greeted: bool,
    /// Whether the progress of the burst is counted from its events.
    is_counting: bool,
}

impl Listener {
    /// A listener that receives the events from now on.
    pub(super) fn from_now(scene: &Scene<'_>, port: u16) -> Result<Self, String> {
        Self::connect(scene, port, None)
    }

    /// A listener that also receives the past events after this one.
    pub(super) fn since(scene: &Scene<'_>, port: u16, seq: i64) -> Result<Self, String> {
        let mut listener = Self::connect(scene, port, Some(seq))?;
        listener.send(TEXT, json!({ "type": "subscribe", "since": seq }).to_string().as_bytes())?;
        Ok(listener)
    }

    fn connect(scene: &Scene<'_>, port: u16, wanted: Option<i64>) -> Result<Self, String> {
        let stream = try_web_socket(port)?;
        stream.set_read_timeout(Some(POLL_INTERVAL)).map_err(|error| error.to_string())?;
        let (bytes, told) = (Vec::new(), Vec::new());
        let mut listener = Self { port, stream, bytes, told, wanted, is_greeted: false, is_counting: false };
        while !listener.is_greeted {
            scene.check()?;
            listener.hear(scene)?;
        }
        Ok(listener)
    }

    /// The same, which notes the progress of the burst.
    pub(super) fn counting(self) -> Self {
        Self { is_counting: true, ..self }
    }

    /// Listens until nothing more happens; returns all that it was told.
    pub(super) fn listen(mut self, scene: &Scene<'_>) -> Result<Vec<SentEvent>, String> {
        let mut before = usize::MAX;
        while scene.last().is_none_or(|last| self.wanted.is_some() || self.at() < last) {
            // It is slow to notice only where there is nothing to read.
            if before == self.told.len() {
                scene.check().map_err(|why| format!("{why}: a listener is at event {}", self.at()))?;
            }
            before = self.told.len();
            self.hear(scene)?;
        }
        Ok(self.told)
    }

    /// The number of the last event that it was told.
    fn at(&self) -> i64 {
        self.told.last().map_or(0, |(seq, _)| *seq)
    }

    /// Takes all that has arrived, or waits a moment.
    fn hear(&mut self, scene: &Scene<'_>) -> Result<(), String> {
        let mut more = [0; 16 << 10];
        match self.stream.read(&mut more) {
            Ok(0) => return Err(format!("a listener was left at event {}", self.at())),
            Ok(count) => self.bytes.extend_from_slice(&more[..count]),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
            Err(error) => return Err(format!("a listener at event {}: {error}", self.at())),
        }
        let bytes = std::mem::take(&mut self.bytes);
        let mut rest = &*bytes;
        while let Some((kind, content, after)) = first_frame(rest) {
            rest = after;
            match kind {
                TEXT => self.take(scene, std::str::from_utf8(content).map_err(|error| error.to_string())?)?,
                PING => self.send(PONG, content)?,
                CLOSE => return self.come_again(scene, content),
                kind => return Err(format!("a frame of kind {kind}")),
            }
        }
        self.bytes = rest.to_vec();
        Ok(())
    }

    fn take(&mut self, scene: &Scene<'_>, text: &str) -> Result<(), String> {
        let message: Value = serde_json::from_str(text).map_err(|error| format!("{error}: {text}"))?;
        match (message["seq"].as_i64(), message["type"].as_str()) {
            (Some(_), _) if self.wanted.is_some() => {}
            (Some(seq), _) => {
                self.told.push((seq, text.to_owned()));
                if self.is_counting {
                    scene.saw(&message);
                }
            }
            (None, Some("client_id_assigned")) => self.is_greeted = true,
            (None, Some("subscribe_confirmed")) => self.wanted = None,
            _ => return Err(format!("a listener was told {text}")),
        }
        Ok(())
    }

    /// Connects anew and goes on where it was, if the server has closed the connection because it read too slowly.
    fn come_again(&mut self, scene: &Scene<'_>, closing: &[u8]) -> Result<(), String> {
        let at = self.at();
        let (code, reason) = closing
            .split_first_chunk()
            .map_or((0, closing), |(code, reason)| (u16::from_be_bytes(*code), reason));
        let left: Value = serde_json::from_slice(reason).unwrap_or_default();
        if code != AGAIN || self.wanted.is_none() && left["seq"] != at {
            let words = String::from_utf8_lossy(reason);
            return Err(format!("a listener at event {at} was closed: {code} {words}"));
        }
        let since = self.wanted.unwrap_or(at);
        let anew = Self::since(scene, self.port, since)?;
        *self = Self { told: std::mem::take(&mut self.told), is_counting: self.is_counting, ..anew };
        Ok(())
    }

    fn send(&mut self, kind: u8, content: &[u8]) -> Result<(), String> {
        self.stream.write_all(&client_frame(kind, content)).map_err(|error| error.to_string())
    }
}
