//! How much a server takes on, and how long it waits.

use std::time::Duration;

/// What [`super::serve`] allows its clients. What a body may be, and how long an answer may take, is a matter of each
/// endpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// The most connections at a time, beside those that are just being answered or held: the oldest idle one leaves when
    /// another comes. 640 by default: enough for hundreds of requests that arrive in one moment, and well below the
    /// 1,024 descriptors that most systems give a process. Where there are fewer, half of them: an answer needs some as
    /// well, to be written down.
    pub connections: usize,
    /// The most of them from one address, where others than this machine can come. 32 by default.
    pub per_peer: usize,
    /// The most requests that are held open, upgraded connections among them. 64 by default, and a tenth of
    /// `connections` where that is less.
    pub held: usize,
    /// How long the head of a request may take, and how long a connection may be idle. 10 seconds by default.
    pub head_deadline: Duration,
    /// The largest head of a request, in bytes. 16 KiB by default; hyper takes no less than 8 KiB.
    pub head_bytes: usize,
    /// The most header fields of a request. 64 by default.
    pub head_fields: usize,
    /// How long the first request of a connection that has just been made, or the rest of one that has begun, may take to
    /// arrive when the server ends. 100 ms by default.
    pub arrival_deadline: Duration,
    /// How long an answer under way may take to be made when the server ends, where it does not write. 5 seconds by default.
    pub drain_deadline: Duration,
    /// How long a client may take to read the next bytes of its answer when the server ends. 500 ms by default.
    pub stall_deadline: Duration,
    /// How long what is held may take to respond and leave when the server ends. It was told of the end, so this is for a
    /// busy machine: a browser repeats a request that gets no response, and reports that nothing listens any more. 2 seconds
    /// by default.
    pub flush_deadline: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        const CONNECTIONS: usize = 640;
        let descriptors = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
        let half = descriptors.and_then(|all| usize::try_from(all / 2).ok());
        let connections = half.map_or(CONNECTIONS, |half| half.min(CONNECTIONS));
        Self {
            connections,
            per_peer: 32,
            held: (connections / 10).clamp(1, 64),
            head_deadline: Duration::from_secs(10),
            head_bytes: 16 * 1024,
            head_fields: 64,
            arrival_deadline: Duration::from_millis(100),
            drain_deadline: Duration::from_secs(5),
            stall_deadline: Duration::from_millis(500),
            flush_deadline: Duration::from_secs(2),
        }
    }
}
