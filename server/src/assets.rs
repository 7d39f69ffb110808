//! What is inside the binary: the files that are served, and what stands in the pages.

use app::Assets;
use axum::body::Body;
use axum::response::{IntoResponse, Response};
use flate2::read::GzDecoder;
use http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, IF_NONE_MATCH, VARY,
};
use http::{HeaderMap, StatusCode};
use std::io::Read;

/// One embedded file. It is not embedded as it is: almost every client takes it compressed, and in the packages of the program it
/// would weigh as much as each of these forms.
pub(crate) struct Asset {
    pub(crate) path: &'static str,
    content_type: &'static str,
    etag: &'static str,
    gzip: &'static [u8],
    brotli: Option<&'static [u8]>,
}

include!(concat!(env!("OUT_DIR"), "/embedded.rs"));

/// Pages after which nothing needs the server again: it may be gone before it is asked for an icon.
pub(crate) const LAST: Assets = Assets { icon: Assets::NO_ICON, ..PLAIN };

/// Pages in which nothing wakes up.
pub(crate) const PLAIN: Assets = Assets { style: STYLE, script: None, icon: "/favicon.svg" };

/// The page of the form.
pub(crate) const HYDRATED: Assets = Assets { script: SCRIPT, ..PLAIN };

impl Asset {
    /// Answers in the smallest form the client accepts. The port, hence the origin, changes from run to run, so
    /// nothing is gained by long caching; a tag spares the transfer within a run.
    pub(crate) fn respond(&self, request: &HeaderMap) -> Response {
        let validators = [(ETAG, self.etag), (CACHE_CONTROL, "no-cache"), (VARY, "accept-encoding")];
        let matches = request.get(IF_NONE_MATCH).and_then(|tag| tag.to_str().ok());
        if matches.is_some_and(|tags| tags.split(',').any(|tag| tag.trim() == self.etag)) {
            return (StatusCode::NOT_MODIFIED, validators).into_response();
        }
        let accepted = request.get(ACCEPT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let (encoding, body) = match self.brotli {
            Some(brotli) if accepts(accepted, "br") => (Some("br"), Body::from(brotli)),
            _ if accepts(accepted, "gzip") => (Some("gzip"), Body::from(self.gzip)),
            _ => (None, Body::from(self.identity())),
        };
        let content_type = [(CONTENT_TYPE, self.content_type)];
        let mut response = (validators, content_type, body).into_response();
        if let Some(encoding) = encoding {
            response.headers_mut().insert(CONTENT_ENCODING, http::HeaderValue::from_static(encoding));
        }
        response
    }

    /// The file itself.
    fn identity(&self) -> Vec<u8> {
        let mut identity = Vec::new();
        GzDecoder::new(self.gzip).read_to_end(&mut identity).expect("the build has compressed it");
        identity
    }
}

/// True if an `Accept-Encoding` header names `coding` without forbidding it.
pub(crate) fn accepts(header: &str, coding: &str) -> bool {
    header.split(',').any(|entry| {
        let mut parts = entry.split(';').map(str::trim);
        let named = parts.next().is_some_and(|name| name.eq_ignore_ascii_case(coding));
        let forbidden = parts
            .filter_map(|parameter| parameter.strip_prefix("q="))
            .any(|quality| quality.trim().parse::<f32>().is_ok_and(|quality| quality == 0.0));
        named && !forbidden
    })
}

#[cfg(test)]
mod tests {
    use super::{ASSETS, accepts};

    #[test]
    fn a_client_that_takes_no_compression_gets_the_file_itself() {
        let icon = ASSETS.iter().find(|asset| asset.path == "/favicon.svg").unwrap();
        assert_eq!(icon.identity(), include_bytes!("../../style/favicon.svg"));
    }

    #[test]
    fn encodings_are_negotiated() {
        assert!(accepts("gzip, deflate, br", "br"));
        assert!(accepts("GZIP;q=0.5", "gzip"));
        assert!(!accepts("gzip, br;q=0", "br"));
        assert!(!accepts("br;q=0.000", "br"));
        assert!(!accepts("bracket", "br"));
        assert!(!accepts("", "gzip"));
    }
}
