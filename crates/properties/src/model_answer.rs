//! What a language model answers.

use llm::{BadAnswer, Format, ServerSentEvents, read};

/// It is read or refused, always in the same way, and its description is one line.
pub(crate) fn model_answer(data: &[u8]) {
    for format in
        [Format::Plain, Format::Claude, Format::Codex, Format::Gemini, Format::Opencode, Format::OpenAi]
    {
        let answer = read(format, data);
        assert_eq!(read(format, data), answer, "{format}");
        match answer {
            Ok(answer) => {
                assert!(!answer.text.trim().is_empty());
                assert!(answer.notes.iter().all(|note| is_a_line(note)), "{:?}", answer.notes);
            }
            Err(BadAnswer::NoResult { said } | BadAnswer::Refused { message: said }) => {
                assert!(is_a_line(&said), "{said:?}");
            }
            Err(BadAnswer::Unfinished { reason }) => assert!(is_a_line(&reason.to_string()), "{reason:?}"),
            Err(BadAnswer::NotUtf8 { .. } | BadAnswer::NotJson { .. }) => {}
        }
    }
}

/// The same events are read however the stream is cut, and nothing is data that did not come.
pub(crate) fn server_sent_events(data: &[u8]) {
    let whole = events([data]);
    for size in [1, 2, 3, 7] {
        assert_eq!(events(data.chunks(size)), whole, "in pieces of {size}");
    }
    for at in 0..=data.len().min(64) {
        let (before, after) = data.split_at(at);
        assert_eq!(events([before, after]), whole, "cut at {at}");
    }
    assert!(whole.iter().map(Vec::len).sum::<usize>() <= data.len());
    // Sent again, each is one event, and the same.
    for event in &whole {
        let lines = event.split(|byte| *byte == b'\n');
        let mut sent: Vec<u8> = lines.flat_map(|line| [b"data: ", line, b"\n"].concat()).collect();
        sent.push(b'\n');
        assert_eq!(events([sent.as_slice()]), [event.as_slice()]);
    }
}

fn events<'p>(pieces: impl IntoIterator<Item = &'p [u8]>) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    let mut take = |data: &[u8]| found.push(data.to_vec());
    let mut events = ServerSentEvents::default();
    pieces.into_iter().for_each(|piece| events.push(piece, &mut take));
    events.finish(&mut take);
    found
}

/// Short, and without what a terminal obeys.
fn is_a_line(text: &str) -> bool {
    !text.chars().any(char::is_control) && text.chars().count() <= 301
}
