//! Where this server is, as a browser sees it. Behind a reverse proxy its addresses begin with the path of the configured link
//! (`decide.url`, `daemon.url`), such as `/user/ann/proxy/4130`.
//!
//! Every address in a page, a script and a redirect is made by [`address`]. The path belongs to the server and not to what is
//! shown, so that it goes with the request instead of through each function that renders.

use std::fmt::Display;
use std::future::Future;

tokio::task_local! {
    static ROOT: &'static str;
}

/// Returns the path of the link `url`, without a slash at its end; empty when the server is at the root of its host.
pub fn root_of(url: &str) -> &str {
    let rest = url.split_once("://").map_or("", |(_, rest)| rest);
    let before_query = rest.split(['?', '#']).next().unwrap_or_default();
    before_query.find('/').map_or("", |start| before_query[start..].trim_end_matches('/'))
}

/// Answers a request to a server whose addresses begin with `root`.
pub async fn within<T>(root: &'static str, answer: impl Future<Output = T>) -> T {
    ROOT.scope(root, answer).await
}

/// Returns what the addresses of the server begin with that answers this request; empty where there is none.
pub fn root() -> &'static str {
    ROOT.try_with(|root| *root).unwrap_or_default()
}

/// Returns the address of `path`, which begins with a slash, on the server that answers this request.
pub fn address(path: impl Display) -> String {
    format!("{}{path}", root())
}

#[cfg(test)]
mod tests {
    use super::{address, root_of, within};

    #[test]
    fn the_root_is_the_path_of_the_link() {
        for (url, root) in [
            ("", ""),
            ("http://localhost:3721", ""),
            ("http://localhost:3721/", ""),
            ("https://hub.example/user/ann/proxy/4130/", "/user/ann/proxy/4130"),
            ("https://hub.example/user/ann/proxy/4130", "/user/ann/proxy/4130"),
            ("https://hub.example/a/?x=/y#/z", "/a"),
            ("https://hub.example?x=/y", ""),
        ] {
            assert_eq!(root_of(url), root, "{url}");
        }
    }

    #[tokio::test]
    async fn addresses_begin_with_the_root_of_the_server_that_answers() {
        assert_eq!(address("/d/1"), "/d/1");
        assert_eq!(within("/a", async { address("/d/1") }).await, "/a/d/1");
    }
}
