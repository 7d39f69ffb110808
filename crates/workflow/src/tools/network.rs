//! The way to other machines: which addresses a name has, and one request to one of them.

use super::error::ToolError;
use process::Cancellation;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::{CONTENT_TYPE, LOCATION};
use reqwest::{Client, ClientBuilder, Response, Url};
use std::future::Future;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Builder;
use tokio::sync::oneshot;
use tokio::time::timeout;

/// Says which addresses a name has. It may block.
type Resolver = Arc<dyn Fn(&str, u16) -> std::io::Result<Vec<SocketAddr>> + Send + Sync>;

/// How names are found, and where an address is.
#[derive(Clone)]
pub(crate) struct Network {
    resolve: Resolver,
    /// Where an address is reached that was found to be good: there, but in tests.
    reach: fn(SocketAddr) -> SocketAddr,
}

/// What came back.
#[derive(Debug)]
pub(super) struct Page {
    pub(super) content_type: Option<String>,
    pub(super) body: Vec<u8>,
}

/// What came back, or where it is instead.
#[derive(Debug)]
pub(super) enum Answer {
    Page(Page),
    Elsewhere(Url),
}

impl Default for Network {
    fn default() -> Self {
        let resolve = |host: &str, port| {
            let found = std::net::ToSocketAddrs::to_socket_addrs(&(host, port))?;
            Ok(found.collect())
        };
        Self { resolve: Arc::new(resolve), reach: |address| address }
    }
}

impl std::fmt::Debug for Network {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Network(…)")
    }
}

impl Network {
    #[cfg(test)]
    pub(super) fn for_tests(
        resolve: impl Fn(&str, u16) -> std::io::Result<Vec<SocketAddr>> + Send + Sync + 'static,
        reach: fn(SocketAddr) -> SocketAddr,
    ) -> Self {
        Self { resolve: Arc::new(resolve), reach }
    }

    /// Begins a client that reaches `url` at addresses of the internet, those that its name has now, and nowhere else.
    ///
    /// What was looked at is what is connected to: the name is not asked for again, a proxy, which would do that, is not used,
    /// and no redirect is followed.
    pub(super) async fn client_for(&self, url: &Url) -> Result<ClientBuilder, ToolError> {
        let host = host_of(url)?;
        let port = url.port_or_known_default().ok_or(ToolError::BadUrl)?;
        let addresses = match literal(&host) {
            Some(address) => vec![SocketAddr::new(address, port)],
            None => {
                let (resolve, name) = (Arc::clone(&self.resolve), host.clone());
                let found = tokio::task::spawn_blocking(move || resolve(&name, port)).await;
                let unreachable = |message| ToolError::Unreachable { host: host.clone(), message };
                let found = found.map_err(|error| unreachable(error.to_string()))?;
                found.map_err(|error| unreachable(error.to_string()))?
            }
        };
        // One that is not is one too many: the person's network must not depend on the order of an answer.
        if addresses.is_empty() || !addresses.iter().all(|address| outbound::is_public(address.ip())) {
            return Err(ToolError::NotPublic { host });
        }
        let client = client(url)?.no_proxy();
        let addresses = addresses.into_iter().map(self.reach).collect();
        Ok(client.dns_resolver(Arc::new(OneHost { host, addresses })))
    }
}

/// Knows one name, whose addresses were looked at, and no other.
struct OneHost {
    host: String,
    addresses: Vec<SocketAddr>,
}

impl Resolve for OneHost {
    fn resolve(&self, name: Name) -> Resolving {
        let found = if name.as_str() == self.host { Ok(self.addresses.clone()) } else { Err("another host") };
        Box::pin(std::future::ready(match found {
            Ok(addresses) => Ok(Box::new(addresses.into_iter()) as Addrs),
            Err(error) => Err(error.into()),
        }))
    }
}

/// Begins a client as all of this program are. It follows no redirect.
pub(super) fn client(url: &Url) -> Result<ClientBuilder, ToolError> {
    let host = host_of(url)?;
    let client = outbound::client(url);
    client.map_err(|error| ToolError::Unreachable { host, message: error.to_string() })
}

/// Parses an HTTP address. Names and passwords in it would be revealed to the server.
pub(super) fn address(text: &str) -> Result<Url, ToolError> {
    let url = Url::parse(text.trim()).map_err(|_| ToolError::BadUrl)?;
    accept(&url)?;
    Ok(url)
}

fn accept(url: &Url) -> Result<(), ToolError> {
    let is_http = matches!(url.scheme(), "http" | "https");
    let is_plain = url.username().is_empty() && url.password().is_none();
    if is_http && is_plain { Ok(()) } else { Err(ToolError::BadUrl) }
}

fn host_of(url: &Url) -> Result<String, ToolError> {
    url.host_str().filter(|host| !host.is_empty()).map(str::to_owned).ok_or(ToolError::BadUrl)
}

/// The address that a host is, if it is no name. Other forms of one (`0x7f.1`) have become this one when the address was read.
fn literal(host: &str) -> Option<IpAddr> {
    let plain = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    plain.parse().ok()
}

/// Asks once, and reads at most `limit` bytes.
pub(super) async fn get(client: ClientBuilder, url: &Url, limit: usize) -> Result<Answer, ToolError> {
    let host = host_of(url)?;
    // The address may hold what is secret.
    let failed = |error: reqwest::Error| {
        let message = outbound::last_reason(&error.without_url());
        ToolError::Unreachable { host: host.clone(), message }
    };
    let client: Client = client.pool_max_idle_per_host(0).build().map_err(&failed)?;
    let mut response = client.get(url.clone()).send().await.map_err(&failed)?;
    let status = response.status();
    if status.is_redirection() {
        let to = header(&response, LOCATION).and_then(|to| url.join(&to).ok());
        let to = to.ok_or(ToolError::Status { status: status.as_u16() })?;
        accept(&to)?;
        return Ok(Answer::Elsewhere(to));
    }
    if !status.is_success() {
        return Err(ToolError::Status { status: status.as_u16() });
    }
    let too_large = || ToolError::TooLarge { limit };
    if response.content_length().is_some_and(|length| length > limit as u64) {
        return Err(too_large());
    }
    let content_type = header(&response, CONTENT_TYPE);
    let mut body = Vec::new();
    while let Some(bytes) = response.chunk().await.map_err(&failed)? {
        if body.len() + bytes.len() > limit {
            return Err(too_large());
        }
        body.extend_from_slice(&bytes);
    }
    Ok(Answer::Page(Page { content_type, body }))
}

fn header(response: &Response, name: reqwest::header::HeaderName) -> Option<String> {
    response.headers().get(name)?.to_str().ok().map(str::to_owned)
}

/// Does something on the network: for `time` at most, and until it is cancelled.
pub(super) fn block_on<T>(
    time: Duration,
    cancellation: &Cancellation,
    what: impl Future<Output = Result<T, ToolError>>,
) -> Result<T, ToolError> {
    let runtime = Builder::new_current_thread().enable_all().build().map_err(ToolError::NotStarted)?;
    let (sender, cancelled) = oneshot::channel();
    let _listener = cancellation.on_cancel(move || {
        let _ = sender.send(());
    });
    let result = runtime.block_on(async {
        tokio::select! {
            biased;
            _ = cancelled => Err(ToolError::Cancelled),
            result = timeout(time, what) => result.unwrap_or(Err(ToolError::TimedOut(time))),
        }
    });
    // Without waiting for a name that is still being looked up.
    runtime.shutdown_background();
    result
}

/// The text of a page, whatever it is besides.
pub(super) fn text(page: Page) -> Result<String, ToolError> {
    if page.body.contains(&0) {
        return Err(ToolError::NotText);
    }
    // Other encodings are rare, and what is said in them is half of it ASCII.
    Ok(String::from_utf8_lossy(&page.body).into_owned())
}
