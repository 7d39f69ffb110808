//! Pages of the internet.

use super::Toolbox;
use super::error::ToolError;
use super::network::{self, Answer, Page};
use process::Cancellation;
use reqwest::Url;
use serde_json::{Value, json};

impl Toolbox {
    pub(super) fn fetch(&self, url: &str, cancellation: &Cancellation) -> Result<Value, ToolError> {
        let url = network::address(url)?;
        let (url, page) = network::block_on(self.limits.fetch, cancellation, self.follow(url))?;
        let content_type = page.content_type.clone();
        Ok(json!({ "url": url.as_str(), "contentType": content_type, "content": network::text(page)? }))
    }

    /// Checks each address before the connection, also after a redirect.
    async fn follow(&self, mut url: Url) -> Result<(Url, Page), ToolError> {
        for _ in 0..=self.limits.redirects {
            let client = self.network.client_for(&url).await?;
            match network::get(client, &url, self.limits.body).await? {
                Answer::Page(page) => return Ok((url, page)),
                Answer::Elsewhere(next) => url = next,
            }
        }
        Err(ToolError::TooManyRedirects(self.limits.redirects))
    }
}

#[cfg(test)]
mod tests;
