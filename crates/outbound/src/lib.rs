//! Connections to elsewhere: how certificates are checked, and which addresses are this machine's own, or its network's.

mod public;

pub use public::is_public;
use reqwest::{Client, ClientBuilder, Url, redirect};
use rustls::{ClientConfig, RootCertStore, crypto};
use rustls_platform_verifier::BuilderVerifierExt;
use std::error::Error;
use std::net::IpAddr;
use std::sync::Arc;

/// Begins a client for one address. It follows no redirect: another host gets nothing that was meant for this one.
///
/// # Errors
///
/// When the certificates of the system cannot be read.
pub fn client(url: &Url) -> Result<ClientBuilder, rustls::Error> {
    let client = Client::builder()
        .user_agent(concat!("aide/", env!("CARGO_PKG_VERSION")))
        .redirect(redirect::Policy::none())
        .tls_backend_preconfigured(tls(url)?);
    // A proxy reaches its own loopback address, not that of this machine.
    Ok(if is_loopback(url) { client.no_proxy() } else { client })
}

/// How the certificate of an address is checked: as the system does it, so that those of a company are known.
///
/// # Errors
///
/// When the certificates of the system cannot be read.
pub fn tls(url: &Url) -> Result<ClientConfig, rustls::Error> {
    let builder = ClientConfig::builder_with_provider(Arc::new(crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()?;
    let builder = match url.scheme() {
        "https" | "wss" => builder.with_platform_verifier()?,
        // Reading the certificates takes time.
        _ => builder.with_root_certificates(RootCertStore::empty()),
    };
    Ok(builder.with_no_client_auth())
}

/// Whether only programs of this machine can be behind an address.
pub fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let literal = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    host == "localhost" || literal.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// The last reason of an error, which says most.
pub fn last_reason(error: &dyn Error) -> String {
    let mut last = error;
    while let Some(source) = last.source() {
        last = source;
    }
    last.to_string()
}

#[cfg(test)]
mod tests {
    use super::is_loopback;

    #[test]
    fn addresses_of_this_machine() {
        for (url, expected) in [
            ("http://localhost:1/x", true),
            ("http://127.0.0.1", true),
            ("http://127.8.8.8", true),
            ("ws://[::1]:8081", true),
            ("http://localhost.example.com", false),
            ("https://10.0.0.5", false),
            ("http://[fd00::5]", false),
        ] {
            assert_eq!(url.parse().map(|url| is_loopback(&url)), Ok(expected), "{url}");
        }
    }
}
