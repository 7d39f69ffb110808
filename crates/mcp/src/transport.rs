//! Standard input and output, a message per line. Whatever comes in is answered: what is too long, no JSON or no message as
//! well.

use crate::batch::{self, RejectedMessage};
use crate::delivery::{Arrivals, Delivery, LogicalTime, RequestKey, Speaker};
use crate::lines::{IdFinder, Line, MAX_LINE, read_lines};
use crate::message::{is_id, read_request, refusal};
use crate::tasks::TaskSubscription;
use rmcp::model::{
    ClientNotification, ClientRequest, ErrorCode, ErrorData, GetExtensions, JsonRpcMessage, JsonRpcRequest,
    NotificationMetaObject, RequestId, ServerNotification,
};
use rmcp::service::{RoleServer, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::{Map, Value, json};
use std::collections::{HashMap, HashSet, VecDeque};
use std::future::Future;
use std::io::{self, ErrorKind, Write};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Instant;
use tokio::sync::{Notify, mpsc, oneshot, watch};

/// How many lines are read before the first of them is looked at.
const READ_AHEAD: usize = 16;
/// How many bytes may wait to be written before nothing more is read: the client does not read.
const MAX_WAITING: usize = 8 << 20;

type Incoming = RxJsonRpcMessage<RoleServer>;

/// Standard input and output.
pub(crate) struct Stdio {
    lines: mpsc::Receiver<(Line, LogicalTime)>,
    out: Arc<OutputQueue>,
    /// Read, and not handed on yet.
    read: VecDeque<Incoming>,
    /// Whether the revision has batches.
    takes_batches: bool,
    /// Whether the client has begun: before that nothing but a request means anything.
    is_open: bool,
    /// The tasks of subscriptions that were not acknowledged yet.
    followed: HashMap<RequestId, TaskSubscription>,
    delivery: Arc<Delivery>,
    arrivals: Arrivals,
    /// Tells those that hold a call that no request waits for it any more.
    closing: watch::Sender<bool>,
}

/// What is written by a thread of its own.
struct OutputQueue {
    queue: mpsc::UnboundedSender<Outgoing>,
    waiting: AtomicUsize,
    less_waits: Notify,
    is_broken: AtomicBool,
    in_flight: Mutex<HashSet<RequestId>>,
}

struct Outgoing {
    bytes: Vec<u8>,
    /// The request that this is the result of.
    result_of: Option<RequestId>,
    written: oneshot::Sender<io::Result<()>>,
}

impl Stdio {
    /// Begins to read and write.
    pub(crate) fn start(
        delivery: Arc<Delivery>,
        arrivals: Arrivals,
        closing: watch::Sender<bool>,
    ) -> io::Result<Self> {
        let (sender, lines) = mpsc::channel(READ_AHEAD);
        let reading = Arc::clone(&delivery);
        thread::Builder::new().name("stdin".to_owned()).spawn(move || {
            let take = |line, moment| sender.blocking_send((line, moment)).is_ok();
            // An error is an end: nothing more can be read.
            let _ = read_lines(io::stdin().lock(), || reading.now(), take);
        })?;
        let (queue, mut outgoing) = mpsc::unbounded_channel::<Outgoing>();
        let out = Arc::new(OutputQueue {
            queue,
            waiting: AtomicUsize::new(0),
            less_waits: Notify::new(),
            is_broken: AtomicBool::new(false),
            in_flight: Mutex::default(),
        });
        let (writer, deliveries, noted) = (Arc::downgrade(&out), Arc::clone(&delivery), arrivals.clone());
        thread::Builder::new().name("stdout".to_owned()).spawn(move || {
            while let Some(Outgoing { bytes, result_of, written }) = outgoing.blocking_recv() {
                // Before it is written: the client may read it and say something else before this thread goes on.
                let asked = result_of.as_ref().map(RequestKey::line);
                if let Some(asked) = &asked {
                    deliveries.wrote(asked);
                }
                let mut stdout = io::stdout().lock();
                let done = stdout.write_all(&bytes).and_then(|()| stdout.flush());
                if let Some(asked) = &asked {
                    let is_written = done.is_ok();
                    noted.note(if is_written { deliveries.written(asked) } else { deliveries.refuse(asked) });
                }
                if let Some(out) = writer.upgrade() {
                    out.is_broken.fetch_or(done.is_err(), Ordering::Relaxed);
                    out.waiting.fetch_sub(bytes.len(), Ordering::Relaxed);
                    out.less_waits.notify_one();
                }
                // No request has to wait for it.
                let _ = written.send(done);
            }
        })?;
        let (read, followed) = (VecDeque::new(), HashMap::new());
        let (takes_batches, is_open) = (false, false);
        Ok(Self { lines, out, read, takes_batches, is_open, followed, delivery, arrivals, closing })
    }

    /// Returns the next line; `None` at the end, or once nothing can be written any more.
    async fn next_line(&mut self) -> Option<(Line, LogicalTime)> {
        loop {
            let is_broken = self.out.is_broken.load(Ordering::Relaxed);
            if is_broken {
                return None;
            }
            if self.out.waiting.load(Ordering::Relaxed) > MAX_WAITING {
                self.out.less_waits.notified().await;
                continue;
            }
            let broken = async {
                loop {
                    self.out.less_waits.notified().await;
                    if self.out.is_broken.load(Ordering::Relaxed) {
                        return;
                    }
                }
            };
            tokio::select! {
                biased;
                line = self.lines.recv() => return line,
                () = broken => return None,
            }
        }
    }

    fn take(&mut self, line: Line, read: LogicalTime) {
        let bytes = match line {
            Line::Whole(bytes) => bytes,
            Line::TooLong(id) => {
                let words = format!("the message is longer than {} MiB", MAX_LINE >> 20);
                return self.refuse(id, ErrorCode::INVALID_REQUEST, words);
            }
        };
        let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
        match serde_json::from_slice(text) {
            Ok(Value::Array(_)) if !self.takes_batches => {
                let words = batch::not_taken("write each message on its own line");
                self.refuse(None, ErrorCode::INVALID_REQUEST, words);
            }
            Ok(Value::Array(messages)) if messages.is_empty() => {
                self.refuse(None, ErrorCode::INVALID_REQUEST, "the batch is empty".to_owned());
            }
            Ok(Value::Array(messages)) => {
                for message in messages {
                    match batch::misplaced(&message) {
                        Some(RejectedMessage { id, code, words }) => self.refuse(id, code, words),
                        None => self.take_message(message, read),
                    }
                }
            }
            Ok(message) => {
                // The client of a connection that has begun stays with its revision.
                self.takes_batches |= !self.is_open && batch::is_begun_by(text);
                self.take_message(message, read);
            }
            Err(error) => {
                let words = format!("the message is not JSON: {error}");
                self.refuse(IdFinder::find(text), ErrorCode::PARSE_ERROR, words);
            }
        }
    }

    fn take_message(&mut self, message: Value, read: LogicalTime) {
        let Value::Object(mut members) = message else {
            let words = "a message must be a JSON object".to_owned();
            return self.refuse(None, ErrorCode::INVALID_REQUEST, words);
        };
        let Some(method) = members.get("method").cloned() else {
            // A response. One to no request is none of ours.
            if let Ok(message) = serde_json::from_value(Value::Object(members))
                && self.is_open
            {
                self.read.push_back(message);
            }
            return;
        };
        let id = members.get("id").cloned();
        let found = match (&method, &id) {
            (Value::String(_), _) if members.get("jsonrpc") != Some(&json!("2.0")) => Err(refusal(&members)),
            (Value::String(method), Some(id)) if is_id(id) => {
                drop_null_parameters(&mut members);
                read_request(method, members)
            }
            (Value::String(_), None) => {
                drop_null_parameters(&mut members);
                match serde_json::from_value::<Incoming>(Value::Object(members)) {
                    Ok(message @ JsonRpcMessage::Notification(_)) => {
                        return self.take_notification(message, read);
                    }
                    // There is no client to tell.
                    _ => return,
                }
            }
            _ => Err(refusal(&members)),
        };
        match found {
            Ok(request) => self.take_request(request, read),
            Err((code, words)) => self.refuse(id.filter(is_id), code, words),
        }
    }

    fn take_request(&mut self, request: JsonRpcRequest<ClientRequest>, read: LogicalTime) {
        self.note_arrivals(read);
        let begins =
            !matches!(request.request, ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_));
        let is_new = self.out.in_flight().insert(request.id.clone());
        if !is_new {
            let id = request.id.clone().into_json_value();
            let words = "another request with this id has not been answered yet".to_owned();
            return self.refuse(Some(id), ErrorCode::INVALID_REQUEST, words);
        }
        self.is_open |= begins;
        if let Some(followed) = request.request.extensions().get::<TaskSubscription>() {
            self.followed.insert(request.id.clone(), followed.clone());
        }
        self.read.push_back(JsonRpcMessage::Request(request));
    }

    fn take_notification(&mut self, message: Incoming, read: LogicalTime) {
        if let JsonRpcMessage::Notification(notification) = &message
            && let ClientNotification::CancelledNotification(cancelled) = &notification.notification
        {
            if let Some(id) = &cancelled.params.request_id {
                self.arrivals.note(self.delivery.cancelled(&RequestKey::line(id), Instant::now()));
                self.out.in_flight().remove(id);
            }
        } else {
            self.note_arrivals(read);
        }
        if self.is_open {
            self.read.push_back(message);
        }
    }

    /// The client has said something, which was read at this moment: it has got what was written before.
    fn note_arrivals(&self, read: LogicalTime) {
        self.arrivals.note(self.delivery.arrived(&Speaker::Stdio, read));
    }

    /// The tasks of the subscription that `message` acknowledges.
    fn acknowledged(&mut self, message: &TxJsonRpcMessage<RoleServer>) -> Option<TaskSubscription> {
        let JsonRpcMessage::Notification(notification) = message else { return None };
        let ServerNotification::SubscriptionsAcknowledgedNotification(acknowledged) =
            &notification.notification
        else {
            return None;
        };
        let meta = acknowledged.extensions.get::<NotificationMetaObject>()?;
        self.followed.remove(&meta.subscription_id()?)
    }

    /// Answers with an error.
    fn refuse(&self, id: Option<Value>, code: ErrorCode, words: String) {
        let error = ErrorData::new(code, words, None);
        let message = json!({ "jsonrpc": "2.0", "id": id, "error": error });
        // Nothing waits for it.
        drop(self.out.write(message.to_string().into_bytes(), None));
    }
}

/// Some clients write what they do not have as `null`.
fn drop_null_parameters(members: &mut Map<String, Value>) {
    if members.get("params").is_some_and(Value::is_null) {
        members.shift_remove("params");
    }
}

impl OutputQueue {
    fn in_flight(&self) -> std::sync::MutexGuard<'_, HashSet<RequestId>> {
        self.in_flight.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has a message written. What is returned completes when it is.
    fn write(&self, mut bytes: Vec<u8>, result_of: Option<RequestId>) -> oneshot::Receiver<io::Result<()>> {
        bytes.push(b'\n');
        let (written, done) = oneshot::channel();
        self.waiting.fetch_add(bytes.len(), Ordering::Relaxed);
        // Without the thread nothing is written, which the channel says.
        let _ = self.queue.send(Outgoing { bytes, result_of, written });
        done
    }
}

impl Transport<RoleServer> for Stdio {
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let result_of = match &message {
            JsonRpcMessage::Response(response) => Some(response.id.clone()),
            JsonRpcMessage::Error(error) => error.id.clone(),
            _ => None,
        };
        if let Some(id) = &result_of {
            self.out.in_flight().remove(id);
            self.followed.remove(id);
        }
        let bytes = match self.acknowledged(&message) {
            Some(followed) => serde_json::to_value(&message).and_then(|mut message| {
                followed.acknowledge(&mut message);
                serde_json::to_vec(&message)
            }),
            None => serde_json::to_vec(&message),
        };
        let written = bytes.map(|bytes| self.out.write(bytes, result_of));
        async move { written?.await.unwrap_or_else(|_| Err(ErrorKind::BrokenPipe.into())) }
    }

    async fn receive(&mut self) -> Option<Incoming> {
        loop {
            if let Some(message) = self.read.pop_front() {
                return Some(message);
            }
            match self.next_line().await {
                Some((line, read)) => self.take(line, read),
                None => {
                    self.closing.send_replace(true);
                    return None;
                }
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        Ok(())
    }
}
