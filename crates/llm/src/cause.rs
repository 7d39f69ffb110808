//! What a failure comes from: whether the same question is asked again, and what to do about it.

/// What a failure comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// Too many ask, or the model is busy. It passes.
    Busy,
    /// The network or the server. It may pass.
    Fault,
    /// Quota or balance is used up.
    Quota,
    /// The key, or the login.
    Key,
    /// Anything else: the same question fails the same way.
    Lasting,
}

/// Parts of codes and sentences, in lower case.
const QUOTA: &[&str] = &[
    "insufficient_quota",
    "insufficient quota",
    "exceeded your current quota",
    "quota exceeded",
    "quota_exceeded",
    "no quota",
    "quota for today",
    "daily quota",
    "billing",
    "credit balance",
    "insufficient balance",
    "insufficient credits",
    "out of credits",
    "payment required",
    "usage limit",
    "hit your limit",
];
const BUSY: &[&str] = &[
    "overloaded",
    "rate limit",
    "rate_limit",
    "rate-limit",
    "ratelimit",
    "too many requests",
    "too_many_requests",
    "resource_exhausted",
    "resource exhausted",
    "at capacity",
    "no capacity",
    "server is busy",
    "server_is_busy",
    "engine is busy",
    "high demand",
    "service unavailable",
    "service_unavailable",
    "temporarily unavailable",
    "server_busy",
    "throttl",
];
const FAULT: &[&str] = &[
    "internal server error",
    "server_error",
    "bad gateway",
    "gateway timeout",
    "api_error",
    "connection dropped",
    "connection reset",
    "connection closed",
    "econnreset",
    "socket hang up",
    "stream disconnected",
    "fetch failed",
];
const KEY: &[&str] = &[
    "invalid api key",
    "invalid_api_key",
    "invalid x-api-key",
    "incorrect api key",
    "api key not valid",
    // LiteLLM without a database says so of each key but its own.
    "no connected db",
    "authentication",
    "unauthorized",
    "unauthenticated",
    "permission_denied",
    "not logged in",
    "please run /login",
    "please log in",
    "set an auth method",
    "auth method",
];
/// What says that a quota is renewed soon.
const SOON: &[&str] = &["per minute", "per second", "perminute", "retry in", "try again in"];
/// Words before a number that make it a status.
const BEFORE_STATUS: &[&str] = &["status", "error", "code", "http", "statuscode", "status_code", "got"];

impl Cause {
    /// The cause that a status and the error's own code and sentence name. Where they disagree, a used-up quota and a key
    /// count first: an endpoint says them with any status.
    pub(crate) fn from_http(status: u16, code: Option<&str>, message: &str, is_soon: bool) -> Self {
        let words = format!("{} {message}", code.unwrap_or_default());
        let named = Self::from_message(&words).unwrap_or(Self::Lasting);
        match (status, named) {
            (429, Self::Quota) if is_soon => Self::Busy,
            (400..=599, Self::Quota) => Self::Quota,
            (402, _) => Self::Quota,
            (401 | 403, _) => Self::Key,
            (400, Self::Key) => Self::Key,
            (429 | 503 | 529, _) => Self::Busy,
            (408 | 409 | 500..=599, Self::Busy) => Self::Busy,
            (408 | 409 | 500..=599, _) => Self::Fault,
            // With a status of success, or with one that says nothing of it, the words say what it is.
            (200..=299, named) => named,
            (_, Self::Busy) if code.is_some_and(|code| is_in(&code.to_ascii_lowercase(), BUSY)) => Self::Busy,
            _ => Self::Lasting,
        }
    }

    /// The cause that a sentence names, if it names one.
    pub(crate) fn from_message(message: &str) -> Option<Self> {
        let words = message.to_ascii_lowercase();
        let status = status_in(&words);
        if is_in(&words, QUOTA) {
            let is_soon = is_in(&words, SOON) && !words.contains("usage limit");
            return Some(if is_soon { Self::Busy } else { Self::Quota });
        }
        if is_in(&words, BUSY) || matches!(status, Some(429 | 503 | 529)) {
            return Some(Self::Busy);
        }
        if is_in(&words, KEY) || matches!(status, Some(401 | 403)) {
            return Some(Self::Key);
        }
        if is_in(&words, FAULT) || matches!(status, Some(500 | 502 | 504)) {
            return Some(Self::Fault);
        }
        None
    }
}

fn is_in(words: &str, parts: &[&str]) -> bool {
    parts.iter().any(|part| words.contains(part))
}

/// A number from 400 to 599 behind a word that makes it a status.
fn status_in(words: &str) -> Option<u16> {
    let mut before = "";
    for word in words.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|word| !word.is_empty())
    {
        if BEFORE_STATUS.contains(&before)
            && let Some(status) = word.parse().ok().filter(|status| (400..600).contains(status))
        {
            return Some(status);
        }
        before = word;
    }
    None
}

/// The status that a code stands for, if it is one that endpoints use in the place of a number.
pub(crate) fn status_of(code: &str) -> Option<u16> {
    let code = code.trim().to_ascii_lowercase();
    if let Ok(status) = code.parse() {
        return (400..600).contains(&status).then_some(status);
    }
    Some(match &*code {
        "rate_limit_exceeded"
        | "rate_limit_error"
        | "rate_limit"
        | "resource_exhausted"
        | "insufficient_quota"
        | "too_many_requests"
        | "throttling"
        | "throttlingexception" => 429,
        "overloaded_error" | "overloaded" => 529,
        "unavailable" | "service_unavailable" | "server_busy" => 503,
        "server_error" | "internal" | "internal_error" | "internal_server_error" | "api_error" => 500,
        "deadline_exceeded" | "timeout" | "timeout_error" => 504,
        "invalid_api_key" | "authentication_error" | "unauthenticated" | "unauthorized" => 401,
        "permission_error" | "permission_denied" => 403,
        "billing_error" | "payment_required" => 402,
        "not_found" | "not_found_error" | "model_not_found" => 404,
        "invalid_request_error" | "invalid_argument" | "context_length_exceeded" => 400,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::{Cause, status_of};

    #[test]
    fn a_program_says_in_words_what_it_has_failed_of() {
        for (message, cause) in [
            ("API Error: 529 {\"type\":\"overloaded_error\"}", Some(Cause::Busy)),
            ("API Error: Repeated 529 Overloaded errors", Some(Cause::Busy)),
            ("unexpected status 503: upstream", Some(Cause::Busy)),
            ("got status: 429. {\"status\":\"RESOURCE_EXHAUSTED\"}", Some(Cause::Busy)),
            ("You exceeded your current quota. Please retry in 21.9s.", Some(Cause::Busy)),
            ("You exceeded your current quota, please check your plan.", Some(Cause::Quota)),
            ("You have hit your usage limit. Try again in 3 days.", Some(Cause::Quota)),
            ("Credit balance is too low", Some(Cause::Quota)),
            ("Invalid API key · Please run /login", Some(Cause::Key)),
            ("unexpected status 401 Unauthorized", Some(Cause::Key)),
            ("stream error: status 502", Some(Cause::Fault)),
            ("API Error: Connection dropped (ECONNRESET). Check the gateway.", Some(Cause::Fault)),
            ("stream disconnected before completion: error sending request", Some(Cause::Fault)),
            ("exception TypeError: fetch failed sending request", Some(Cause::Fault)),
            ("API Error: Request rejected (429) · Rate limit reached", Some(Cause::Busy)),
            ("exceeded retry limit, last status: 429 Too Many Requests", Some(Cause::Busy)),
            ("Invalid API key · Fix external API key", Some(Cause::Key)),
            ("line 503 of main.rs is too long", None),
            ("No conversation found", None),
        ] {
            assert_eq!(Cause::from_message(message), cause, "{message}");
        }
    }

    #[test]
    fn an_endpoint_says_it_by_status_code_and_words() {
        for (status, code, message, is_soon, cause) in [
            (429, None, "slow down", false, Cause::Busy),
            (429, Some("insufficient_quota"), "see your plan", false, Cause::Quota),
            (429, Some("insufficient_quota"), "see your plan", true, Cause::Busy),
            (503, None, "", false, Cause::Busy),
            (529, Some("overloaded_error"), "Overloaded", false, Cause::Busy),
            (500, None, "broken", false, Cause::Fault),
            (401, None, "", false, Cause::Key),
            (403, None, "flagged", false, Cause::Key),
            (402, None, "", false, Cause::Quota),
            (400, Some("rate_limit_exceeded"), "slow down", false, Cause::Busy),
            (400, None, "the prompt is about rate limits", false, Cause::Lasting),
            (400, None, "API key not valid. Please pass a valid API key.", false, Cause::Key),
            (400, None, "No connected db.", false, Cause::Key),
            (404, None, "", false, Cause::Lasting),
            (200, None, "Overloaded", false, Cause::Busy),
            (200, None, "filtered", false, Cause::Lasting),
        ] {
            assert_eq!(
                Cause::from_http(status, code, message, is_soon),
                cause,
                "{status} {code:?} {message}"
            );
        }
    }

    #[test]
    fn a_code_that_is_a_text_stands_for_a_status() {
        for (code, status) in [
            ("503", Some(503)),
            ("rate_limit_exceeded", Some(429)),
            ("RESOURCE_EXHAUSTED", Some(429)),
            ("overloaded_error", Some(529)),
            ("7", None),
            ("x", None),
        ] {
            assert_eq!(status_of(code), status, "{code}");
        }
    }
}
