//! Requests that tell of questions: to any address, and to ntfy.

use crate::request::{OutgoingRequest, send};
use crate::{EndedNotice, Notice, NoticeContent, Undelivered, secret};
use reqwest::{Method, Url};
use serde_json::{Map, Value, json};
use settings::{Ntfy, Reference, Webhook};

/// What the placeholders of a body mean.
type Placeholder<'a> = (&'static str, &'a str);

/// Posts that questions wait.
pub(crate) fn post(
    webhook: &Webhook,
    notice: &Notice,
    is_wanted: &dyn Fn() -> bool,
) -> Result<(), Undelivered> {
    let body = if webhook.body.is_empty() {
        usual(notice)
    } else {
        let named = [&*notice.id, &notice.session];
        filled(&webhook.body, &values("asked", named, "pending", &notice.content()))
    };
    send(&outgoing(webhook, &body)?, is_wanted)
}

/// Posts that they have ended. An object of the person's own only says so where it has a place for it.
pub(crate) fn withdraw(webhook: &Webhook, ended: &EndedNotice<'_>) -> Result<(), Undelivered> {
    let body = if webhook.body.is_empty() {
        json!({ "event": "withdrawn", "id": ended.id, "session_id": ended.session, "status": ended.status })
    } else if webhook.body.iter().any(|(_, text)| text.contains("{event}")) {
        filled(&webhook.body, &values("withdrawn", [ended.id, ended.session], ended.status, ended.content))
    } else {
        return Ok(());
    };
    send(&outgoing(webhook, &body)?, &|| true)
}

/// Publishes that questions wait, under the notice's own name.
pub(crate) fn publish(ntfy: &Ntfy, notice: &Notice, is_wanted: &dyn Fn() -> bool) -> Result<(), Undelivered> {
    let mut message = vec![notice.task.clone()];
    message.extend(notice.lines());
    let body = json!({
        "topic": secret::resolve(&ntfy.topic)?,
        "title": notice.title,
        "message": message.join("\n"),
        "click": notice.url,
        "tags": ["question"],
        "sequence_id": notice.id,
    });
    let url = link(&ntfy.server)?;
    let (token, body) = (token(ntfy.token.as_ref())?, Some(body.to_string()));
    send(&OutgoingRequest { method: Method::POST, url, token, body }, is_wanted)
}

/// Has ntfy remove it from where it is shown.
pub(crate) fn delete(ntfy: &Ntfy, ended: &EndedNotice<'_>) -> Result<(), Undelivered> {
    let mut url = link(&ntfy.server)?;
    let topic = secret::resolve(&ntfy.topic)?;
    if let Ok(mut path) = url.path_segments_mut() {
        path.pop_if_empty().extend([topic.as_str(), ended.id]);
    }
    let outgoing =
        OutgoingRequest { method: Method::DELETE, url, token: token(ntfy.token.as_ref())?, body: None };
    match send(&outgoing, &|| true) {
        // A server that is older than this way, or that has forgotten it already.
        Err(Undelivered::Refused { status: 404 | 405, .. }) => Ok(()),
        sent => sent,
    }
}

/// Whether address, topic and token can be had.
pub(crate) fn check(
    url: &Reference,
    topic: Option<&Reference>,
    token: Option<&Reference>,
) -> Result<(), Undelivered> {
    link(url)?;
    for reference in topic.into_iter().chain(token) {
        secret::resolve(reference)?;
    }
    Ok(())
}

fn usual(notice: &Notice) -> Value {
    let mut body = json!({
        "event": "asked",
        "id": notice.id,
        "session_id": notice.session,
        "project": notice.project,
        "title": notice.title,
        "task": notice.task,
        "items": notice.items,
        "url": notice.url,
    });
    if !notice.questions.is_empty() {
        let questions = notice.questions.iter();
        let questions: Vec<_> = questions
            .map(|question| json!({ "title": question.title, "options": question.options }))
            .collect();
        body["questions"] = Value::Array(questions);
    }
    body
}

/// What each placeholder stands for.
fn values<'v>(
    event: &'v str,
    [id, session]: [&'v str; 2],
    status: &'v str,
    content: &'v NoticeContent,
) -> [Placeholder<'v>; 10] {
    let NoticeContent { title, task, text, items, project, url } = content;
    [
        ("event", event),
        ("id", id),
        ("session", session),
        ("project", project),
        ("title", title),
        ("task", task),
        ("text", text),
        ("items", items),
        ("url", url),
        ("status", status),
    ]
}

/// The object of the person's own. What is put in is not looked through for further placeholders.
fn filled(body: &[(String, String)], values: &[Placeholder<'_>]) -> Value {
    let fill = |template: &str| {
        let mut text = String::new();
        let mut rest = template;
        while let Some(start) = rest.find('{') {
            let (before, after) = rest.split_at(start);
            text.push_str(before);
            let name = after.get(1..).and_then(|after| after.split_once('}')).map(|(name, _)| name);
            let value = name.and_then(|name| values.iter().find(|(known, _)| *known == name));
            match value {
                Some((name, value)) => {
                    text.push_str(value);
                    rest = after.get(name.len() + 2..).unwrap_or_default();
                }
                None => {
                    text.push('{');
                    rest = after.get(1..).unwrap_or_default();
                }
            }
        }
        text.push_str(rest);
        text
    };
    Value::Object(body.iter().map(|(name, text)| (name.clone(), fill(text).into())).collect::<Map<_, _>>())
}

fn outgoing(webhook: &Webhook, body: &Value) -> Result<OutgoingRequest, Undelivered> {
    let (url, token) = (link(&webhook.url)?, token(webhook.token.as_ref())?);
    Ok(OutgoingRequest { method: Method::POST, url, token, body: Some(body.to_string()) })
}

fn link(reference: &Reference) -> Result<Url, Undelivered> {
    let url = secret::resolve(reference)?.parse::<Url>().map_err(|_| Undelivered::NotALink)?;
    if matches!(url.scheme(), "http" | "https") { Ok(url) } else { Err(Undelivered::NotALink) }
}

fn token(reference: Option<&Reference>) -> Result<Option<String>, Undelivered> {
    reference.map(secret::resolve).transpose()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::{delete, filled, post, publish, withdraw};
    use crate::{EndedNotice, Notice, NoticeContent, Question, Undelivered};
    use serde_json::json;
    use settings::{Ntfy, Reference, Webhook};
    use std::fs;
    use std::io::{BufRead as _, BufReader, Read as _, Write as _};
    use std::net::TcpListener;
    use std::thread::{self, JoinHandle};

    pub(crate) fn notice() -> Notice {
        Notice {
            id: "aide-1".to_owned(),
            title: "2 questions".to_owned(),
            task: "Ship it?".to_owned(),
            items: 2,
            session: "2025-01-15T10-30-00".to_owned(),
            project: "shop".to_owned(),
            url: "http://localhost:3721".to_owned(),
            entry: "http://localhost:3721/t/x".to_owned(),
            questions: Vec::new(),
        }
    }

    fn ended(content: &NoticeContent) -> EndedNotice<'_> {
        EndedNotice { id: "aide-1", session: "2025-01-15T10-30-00", status: "answered", content }
    }

    /// A request: its first line, its headers and its body.
    type ReceivedRequest = (String, Vec<String>, String);

    /// Answers as many requests as there are statuses; what was asked.
    fn stand_in(statuses: &'static [u16]) -> (String, JoinHandle<Vec<ReceivedRequest>>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let serve = move || {
            let mut seen = Vec::new();
            for status in statuses {
                let (stream, _) = listener.accept().unwrap();
                let mut reader = BufReader::new(stream);
                let mut lines = Vec::new();
                loop {
                    let mut line = String::new();
                    reader.read_line(&mut line).unwrap();
                    match line.trim_end() {
                        "" => break,
                        line => lines.push(line.to_owned()),
                    }
                }
                let length =
                    lines.iter().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok());
                let mut body = vec![0; length.unwrap_or(0)];
                reader.read_exact(&mut body).unwrap();
                let answer = format!("HTTP/1.1 {status} X\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
                reader.get_mut().write_all(answer.as_bytes()).unwrap();
                let first = lines.remove(0);
                seen.push((first, lines, String::from_utf8(body).unwrap()));
            }
            seen
        };
        (address, thread::spawn(serve))
    }

    fn webhook(url: String, body: &[(&str, &str)]) -> Webhook {
        let body = body.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
        Webhook { url: Reference::Text(url), token: None, body }
    }

    fn header<'h>(headers: &'h [String], name: &str) -> Option<&'h str> {
        headers.iter().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }

    #[test]
    fn a_webhook_is_told_and_told_of_the_end_under_the_same_id() {
        let (url, server) = stand_in(&[200, 204]);
        let mut hook = webhook(format!("{url}/hook?k=1"), &[]);
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("token");
        fs::write(&file, "tk_secret\n").unwrap();
        hook.token = Some(Reference::File(file));
        let options = vec!["Yes".to_owned(), "No".to_owned()];
        let questions = vec![Question { title: "Now?".to_owned(), options }];
        post(&hook, &Notice { questions, ..notice() }, &|| true).unwrap();
        withdraw(&hook, &ended(&NoticeContent::default())).unwrap();
        let seen = server.join().unwrap();
        assert_eq!(seen[0].0, "POST /hook?k=1 HTTP/1.1");
        assert_eq!(header(&seen[0].1, "authorization"), Some("Bearer tk_secret"));
        assert_eq!(header(&seen[0].1, "content-type"), Some("application/json"));
        assert_eq!(
            seen[0].2,
            "{\"event\":\"asked\",\"id\":\"aide-1\",\"session_id\":\"2025-01-15T10-30-00\",\"project\":\"shop\",\
             \"title\":\"2 questions\",\"task\":\"Ship it?\",\"items\":2,\"url\":\"http://localhost:3721\",\
             \"questions\":[{\"title\":\"Now?\",\"options\":[\"Yes\",\"No\"]}]}"
        );
        assert_eq!(
            seen[1].2,
            "{\"event\":\"withdrawn\",\"id\":\"aide-1\",\"session_id\":\"2025-01-15T10-30-00\",\"status\":\"answered\"}"
        );
    }

    #[test]
    fn the_recipes_for_slack_and_telegram_send_what_these_want() {
        let (url, server) = stand_in(&[200, 200]);
        let slack = webhook(format!("{url}/services/T0/B0/x"), &[("text", "{title}\n{text}")]);
        post(&slack, &notice(), &|| true).unwrap();
        // It has no place for an end: nothing is sent.
        withdraw(&slack, &ended(&NoticeContent::default())).unwrap();
        let telegram =
            webhook(format!("{url}/bot1:x/sendMessage"), &[("chat_id", "42"), ("text", "{title}\n{text}")]);
        post(&telegram, &notice(), &|| true).unwrap();
        let seen = server.join().unwrap();
        let text = "2 questions\\nShip it?\\nhttp://localhost:3721";
        assert_eq!(seen[0].0, "POST /services/T0/B0/x HTTP/1.1");
        assert_eq!(seen[0].2, format!("{{\"text\":\"{text}\"}}"));
        assert_eq!(seen[1].0, "POST /bot1:x/sendMessage HTTP/1.1");
        assert_eq!(seen[1].2, format!("{{\"chat_id\":\"42\",\"text\":\"{text}\"}}"));
    }

    #[test]
    fn a_body_of_its_own_is_filled_in_at_the_end_as_at_the_beginning() {
        let (url, server) = stand_in(&[200, 200, 200]);
        let all = "{event} {id} {session} {project} {title} {task} {text} {items} {url} {status}";
        let hook = webhook(url, &[("all", all)]);
        post(&hook, &notice(), &|| true).unwrap();
        withdraw(&hook, &ended(&notice().content())).unwrap();
        // An earlier version has told of it: what it said is not known.
        withdraw(&hook, &ended(&NoticeContent::default())).unwrap();
        let seen = server.join().unwrap();
        let said = "shop 2 questions Ship it? Ship it?\\nhttp://localhost:3721 2 http://localhost:3721";
        for (event, status, (_, _, body)) in
            [("asked", "pending", &seen[0]), ("withdrawn", "answered", &seen[1])]
        {
            let expected = format!("{{\"all\":\"{event} aide-1 2025-01-15T10-30-00 {said} {status}\"}}");
            assert_eq!(*body, expected);
        }
        assert_eq!(seen[2].2, "{\"all\":\"withdrawn aide-1 2025-01-15T10-30-00       answered\"}");
    }

    #[test]
    fn ntfy_gets_a_message_and_removes_it() {
        let (url, server) = stand_in(&[200, 200, 404]);
        let topic = |text: &str| Reference::Text(text.to_owned());
        let ntfy = Ntfy { server: Reference::Text(url), topic: topic("a b/c"), token: None };
        publish(&ntfy, &notice(), &|| true).unwrap();
        delete(&ntfy, &ended(&NoticeContent::default())).unwrap();
        delete(&Ntfy { topic: topic("old"), ..ntfy }, &ended(&NoticeContent::default())).unwrap();
        let seen = server.join().unwrap();
        assert_eq!(seen[0].0, "POST / HTTP/1.1");
        assert_eq!(
            seen[0].2,
            "{\"topic\":\"a b/c\",\"title\":\"2 questions\",\"message\":\"Ship it?\",\"click\":\"http://localhost:3721\",\
             \"tags\":[\"question\"],\"sequence_id\":\"aide-1\"}"
        );
        assert_eq!(seen[1].0, "DELETE /a%20b%2Fc/aide-1 HTTP/1.1");
        assert_eq!(seen[2].0, "DELETE /old/aide-1 HTTP/1.1");
    }

    #[test]
    fn what_may_pass_is_tried_again_and_what_will_not_is_told_without_the_address() {
        let (url, server) = stand_in(&[503, 200, 403, 302]);
        let hook = webhook(format!("{url}/secret"), &[]);
        post(&hook, &notice(), &|| true).unwrap();
        for status in [403, 302] {
            let error = post(&hook, &notice(), &|| true).unwrap_err();
            assert!(
                matches!(error, Undelivered::Refused { status: found, .. } if found == status),
                "{error}"
            );
            assert!(!error.to_string().contains("secret"), "{error}");
        }
        assert_eq!(server.join().unwrap().len(), 4);
        // Nothing listens there any more, and the notice is no longer wanted.
        let error = post(&hook, &notice(), &|| false).unwrap_err();
        assert!(matches!(error, Undelivered::Unwanted), "{error}");
    }

    #[test]
    fn placeholders_are_filled_once() {
        let body = [("a".to_owned(), "{x}{y}{{x}} {".to_owned())];
        assert_eq!(filled(&body, &[("x", "{y}"), ("y", "2")]), json!({ "a": "{y}2{{y}} {" }));
    }
}
