//! What an agent proposes (contract/workflows §6.2): one JSON object, read out of whatever a model has put around it.
//!
//! Pure: the same text is always read the same way, so that an answer that was stored is read again as it was read first.

use serde_json::{Map, Value};

/// How long a text may be to be read as an object, in bytes: the object must fit into the context of a workflow.
const MAX_TEXT: usize = 512 << 10;

/// How much of a bad answer the repair prompt shows, in characters.
const PREVIEW: usize = 500;

/// What an agent proposes to do next.
#[derive(Debug, Clone, PartialEq)]
pub struct Proposal {
    /// Why.
    pub thought: String,
    /// What: one of the actions that it was given.
    pub action: String,
    /// With what.
    pub params: Map<String, Value>,
    /// How bad it would be if it went wrong.
    pub risk: Risk,
    /// How sure the agent is, of a hundred.
    pub confidence: f64,
    /// Whether a person is to agree first.
    pub needs_confirmation: bool,
    /// The agent's message to the user; empty if there is none.
    pub user_message: String,
}

/// How bad it would be if something went wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Risk {
    /// Nothing that matters.
    Low,
    /// Something that can be mended.
    Medium,
    /// Something that cannot be.
    High,
}

impl Proposal {
    /// Reads one.
    ///
    /// # Errors
    ///
    /// What is wrong with it, in words for the agent.
    pub fn read(text: &str) -> Result<Self, String> {
        let object = object_in(text).ok_or("the answer has no JSON object that can be read")?;
        let missing: Vec<&str> = ["thought", "action", "params", "expectedOutcome", "risk", "confidence"]
            .into_iter()
            .filter(|name| object.get(*name).is_none_or(Value::is_null))
            .collect();
        if !missing.is_empty() {
            return Err(format!("the object has no {}", missing.join(", ")));
        }
        let text = |name: &str| {
            let text = object.get(name).and_then(Value::as_str).map(str::to_owned);
            text.ok_or_else(|| format!("`{name}` is not a string"))
        };
        let Some(Value::Object(params)) = object.get("params") else {
            return Err("`params` is not an object".to_owned());
        };
        Ok(Self {
            thought: text("thought")?,
            action: text("action")?.trim().to_owned(),
            params: params.clone(),
            risk: risk_in(&object["risk"])?,
            confidence: confidence_in(&object["confidence"])?,
            // An optional member is no reason to ask again if it is malformed.
            needs_confirmation: object.get("requiresUserConfirmation") == Some(&Value::Bool(true)),
            user_message: text("userMessage").unwrap_or_default().trim().to_owned(),
        })
    }

    /// A text among its parameters; absent if blank.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.params.get(name).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty())
    }

    /// The texts among its parameters under this name.
    pub fn texts(&self, name: &str) -> Vec<String> {
        let texts = self.params.get(name).and_then(Value::as_array);
        texts.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
    }
}

/// The beginning of a bad answer.
pub(crate) fn preview(text: &str) -> String {
    text.chars().take(PREVIEW).collect()
}

fn risk_in(value: &Value) -> Result<Risk, String> {
    let level = value.as_str().or_else(|| value.get("level")?.as_str()).unwrap_or_default();
    match level.to_ascii_lowercase().as_str() {
        "low" => Ok(Risk::Low),
        "medium" => Ok(Risk::Medium),
        "high" => Ok(Risk::High),
        _ => Err("`risk.level` must be low, medium or high".to_owned()),
    }
}

fn confidence_in(value: &Value) -> Result<f64, String> {
    let number = value.as_f64().or_else(|| value.as_str()?.trim().trim_end_matches('%').parse().ok());
    match number {
        // Some say 0.9 where 90 was asked for.
        Some(number) if (0.0..=1.0).contains(&number) => Ok(number * 100.0),
        Some(number) if (0.0..=100.0).contains(&number) => Ok(number),
        _ => Err("`confidence` must be a number from 0 to 100".to_owned()),
    }
}

/// The object in a text: all of it, else what a fence holds, else what is between braces; as it stands, else repaired.
fn object_in(text: &str) -> Option<Map<String, Value>> {
    if text.len() > MAX_TEXT {
        return None;
    }
    let text = text.trim_start_matches('\u{feff}').trim();
    let candidates: Vec<&str> =
        [Some(text), fenced(text), balanced(text), greedy(text)].into_iter().flatten().collect();
    let as_it_stands = candidates.iter().find_map(|candidate| object(candidate));
    as_it_stands.or_else(|| candidates.iter().find_map(|candidate| object(&repaired(candidate))))
}

fn object(text: &str) -> Option<Map<String, Value>> {
    match serde_json::from_str(text) {
        Ok(Value::Object(object)) => Some(object),
        _ => None,
    }
}

/// What stands in the first fence that holds an object, whatever its language is called.
fn fenced(text: &str) -> Option<&str> {
    let mut rest = text;
    loop {
        let (_, after) = rest.split_once("```")?;
        let (_, body) = after.split_once('\n').unwrap_or(("", after));
        let (inside, behind) = body.split_once("```").unwrap_or((body, ""));
        if inside.trim_start().starts_with('{') {
            return Some(inside.trim());
        }
        rest = behind;
    }
}

/// From the first brace to the one that closes it.
fn balanced(text: &str) -> Option<&str> {
    let start = text.find('{')?;
    let (mut depth, mut is_string, mut is_escaped) = (0_usize, false, false);
    for (at, byte) in text.bytes().enumerate().skip(start) {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_string => is_escaped = true,
            b'"' => is_string = !is_string,
            b'{' if !is_string => depth += 1,
            b'}' if !is_string => {
                depth -= 1;
                if depth == 0 {
                    return text.get(start..=at);
                }
            }
            _ => {}
        }
    }
    None
}

/// From the first brace to the last.
fn greedy(text: &str) -> Option<&str> {
    let (start, end) = (text.find('{')?, text.rfind('}')?);
    text.get(start..=end)
}

/// The text as JSON would have it, where a person can see what was meant: without comments and commas too many, with names
/// and texts between straight double quotes, and with the signs of JSON for those of Chinese.
fn repaired(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(sign) = rest.next() {
        match sign {
            '"' | '“' | '”' | '\'' | '‘' | '’' => string(&mut out, sign, &mut rest),
            '/' if rest.peek() == Some(&'/') => while rest.next_if(|sign| *sign != '\n').is_some() {},
            '/' if rest.peek() == Some(&'*') => {
                let mut before = ' ';
                rest.next();
                for sign in rest.by_ref() {
                    if before == '*' && sign == '/' {
                        break;
                    }
                    before = sign;
                }
            }
            '，' | '；' => out.push(','),
            '：' => out.push(':'),
            '}' | ']' => {
                out.truncate(out.trim_end().len());
                if out.ends_with(',') {
                    out.pop();
                }
                out.push(sign);
            }
            sign if sign.is_alphabetic() || sign == '_' || sign == '$' => {
                let mut name = String::from(sign);
                while let Some(sign) =
                    rest.next_if(|sign| sign.is_alphanumeric() || matches!(sign, '_' | '$'))
                {
                    name.push(sign);
                }
                match name.as_str() {
                    "true" | "false" | "null" => out.push_str(&name),
                    // Of a number: `1e5`.
                    _ if out.ends_with(|last: char| last.is_ascii_digit()) => out.push_str(&name),
                    "True" => out.push_str("true"),
                    "False" => out.push_str("false"),
                    "None" | "undefined" => out.push_str("null"),
                    _ => out.push_str(&Value::from(name).to_string()),
                }
            }
            sign => out.push(sign),
        }
    }
    out
}

/// A string that begins with this quote, to the one that belongs to it.
fn string(out: &mut String, quote: char, rest: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    let is_end = |sign: char| match quote {
        '"' => sign == '"',
        '“' | '”' => matches!(sign, '“' | '”' | '"'),
        '\'' => sign == '\'',
        _ => matches!(sign, '‘' | '’'),
    };
    out.push('"');
    while let Some(sign) = rest.next() {
        match sign {
            '\\' => match rest.next() {
                // JSON has no such escape.
                Some('\'') => out.push('\''),
                Some(next) => out.extend(['\\', next]),
                None => {}
            },
            sign if is_end(sign) => break,
            '"' => out.push_str("\\\""),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            sign if sign.is_control() => {}
            sign => out.push(sign),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::{Proposal, Risk};
    use proptest::prelude::*;
    use serde_json::json;

    const GOOD: &str = r#"{"thought": "t", "action": "COMPLETE", "params": {"output": "o"},
        "expectedOutcome": "e", "risk": {"level": "low"}, "confidence": 90}"#;

    #[test]
    fn one_is_read_out_of_whatever_is_around_it() {
        let wanted = Proposal::read(GOOD).unwrap();
        assert_eq!((&*wanted.action, wanted.risk, wanted.confidence), ("COMPLETE", Risk::Low, 90.0));
        for text in [
            format!("\u{feff}{GOOD}"),
            format!("Here it is:\n```json\n{GOOD}\n```\nThat is all."),
            format!("```\n{GOOD}```"),
            format!("```sh\nls\n```\n```\n{GOOD}\n```"),
            format!("I think: {GOOD} and {{so on}}"),
        ] {
            assert_eq!(Proposal::read(&text).as_ref(), Ok(&wanted), "{text}");
        }
    }

    #[test]
    fn what_a_person_can_read_is_repaired() {
        let wanted = Proposal::read(GOOD).unwrap();
        for text in [
            // Signs of Chinese, and curly quotes.
            r#"{“thought”：“t”，“action”：“COMPLETE”，“params”：{“output”：“o”}；“expectedOutcome”：“e”，“risk”：“low”，“confidence”：0.9}"#,
            // JavaScript.
            "{thought: 't', action: 'COMPLETE', // what\n params: {output: 'o',}, /* why */ expectedOutcome: 'e', risk: {level: 'LOW'}, confidence: '90%',}",
            // A line that breaks within a text, and what Python writes.
            "{'thought': 't', 'action': 'COMPLETE', 'params': {'output': 'o'}, 'expectedOutcome': 'e', 'risk': 'low', 'confidence': 90, 'x': None, 'y': True, 'z': 'a\nb'}",
        ] {
            assert_eq!(Proposal::read(text).as_ref(), Ok(&wanted), "{text}");
        }
        let quoted = GOOD.replace("\"o\"", r#"'it\'s "so"'"#);
        assert_eq!(Proposal::read(&quoted).unwrap().params["output"], json!("it's \"so\""));
    }

    #[test]
    fn s6_2_each_tolerated_form_alone_is_enough() {
        let wanted = Proposal::read(GOOD).unwrap();
        let with = |from: &str, to: &str| GOOD.replace(from, to);
        for (form, text) in [
            ("the whole text", GOOD.to_owned()),
            ("a fence of JSON", format!("So:\n```json\n{GOOD}\n```")),
            ("any fence", format!("So:\n```text\n{GOOD}\n```")),
            ("the first balanced braces", format!("So: {GOOD} and not {{this}}")),
            // To the quotes of JavaScript the braces are in balance too early.
            ("greedy braces", format!("So: {} it is", with("\"e\"", "'}'"))),
            ("a mark of the byte order", format!("\u{feff}{GOOD}")),
            ("curly quotes", with("\"t\"", "“t”")),
            ("a full-width comma", with(", \"action\"", "，\"action\"")),
            ("a full-width colon", with("\"action\": ", "\"action\"：")),
            ("a full-width semicolon", with(", \"action\"", "；\"action\"")),
            ("a comment to the end of the line", with("\"params\"", "// so\n\"params\"")),
            ("a comment in the line", with("\"params\"", "/* so */ \"params\"")),
            ("a name without quotes", with("\"action\"", "action")),
            ("single quotes", with("\"t\"", "'t'")),
            ("a comma too many", with("\"low\"", "\"low\",")),
        ] {
            assert_eq!(Proposal::read(&text).as_ref(), Ok(&wanted), "{form}: {text}");
        }
    }

    #[test]
    fn s6_2_nothing_that_is_required_may_be_missing() {
        for member in ["thought", "action", "params", "expectedOutcome", "risk", "confidence"] {
            for without in [None, Some(json!(null))] {
                let mut object: serde_json::Map<_, _> = serde_json::from_str(GOOD).unwrap();
                object.remove(member);
                object.extend(without.map(|null| (member.to_owned(), null)));
                let read = Proposal::read(&json!(object).to_string());
                assert_eq!(read.unwrap_err(), format!("the object has no {member}"));
            }
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (text, words) in [
            ("", "the answer has no JSON object that can be read"),
            ("I will not.", "the answer has no JSON object that can be read"),
            ("[1]", "the answer has no JSON object that can be read"),
            (
                r#"{"thought": "t", "params": {}}"#,
                "the object has no action, expectedOutcome, risk, confidence",
            ),
        ] {
            assert_eq!(Proposal::read(text).unwrap_err(), words, "{text}");
        }
        let with = |from: &str, to: &str| Proposal::read(&GOOD.replace(from, to)).unwrap_err();
        assert_eq!(with("90", "900"), "`confidence` must be a number from 0 to 100");
        assert_eq!(with("\"low\"", "\"none\""), "`risk.level` must be low, medium or high");
        assert_eq!(with(r#"{"output": "o"}"#, "1"), "`params` is not an object");
        assert_eq!(with("\"t\"", "[]"), "`thought` is not a string");
        // Deeper than any real answer, and longer than any that is read.
        assert!(Proposal::read(&"{\"a\":".repeat(100_000)).is_err());
        assert!(Proposal::read(&format!("{{\"thought\": \"{}\"}}", "x".repeat(10 << 20))).is_err());
    }

    proptest! {
        #[test]
        fn any_text_is_read_the_same_way_each_time(text in "(?s).{0,200}") {
            prop_assert_eq!(Proposal::read(&text), Proposal::read(&text));
        }

        #[test]
        fn any_signs_of_json_are_read_without_harm(text in r#"[{}\[\]"'“”：，,:/*\\a1 \n]{0,80}"#) {
            let _ = Proposal::read(&text);
        }
    }
}
