//! The key to an endpoint, which is shown only to that endpoint.

use crate::environment::Environment;
use crate::words::last_line;
use crate::{KeyError, Limits, LlmError};
use model::provider::KeySource;
use process::{Cancellation, OutputError, Program};
use std::fmt::{self, Debug, Formatter};
use std::process::Command;

/// How much a program may print that prints a key, in bytes.
const MAX_KEY: usize = 16 << 10;
/// What is shorter is no secret: some endpoints want a word, whatever it is, and their answers may have that word.
const SHORTEST_SECRET: usize = 12;
/// What stands in the place of a key.
const HIDDEN: &str = "[key]";

/// A key. Nothing shows it but [`reveal`](Self::reveal).
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Key(String);

impl Key {
    /// Finds the key; `None` where there is none.
    pub(crate) fn find(
        source: &KeySource,
        environment: &Environment,
        limits: &Limits,
        cancellation: &Cancellation,
    ) -> Result<Option<Self>, LlmError> {
        match source {
            KeySource::None => Ok(None),
            KeySource::Variable(name) => {
                let text = environment.get(name).filter(|text| !text.is_empty());
                let text = text.ok_or_else(|| KeyError::NoVariable { name: name.clone() })?;
                Ok(Some(Self::new(text.to_str().unwrap_or_default())?))
            }
            KeySource::Command(command) => print_key(command, environment, limits, cancellation).map(Some),
        }
    }

    fn new(text: &str) -> Result<Self, KeyError> {
        let text = text.trim();
        let is_key = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic());
        if is_key { Ok(Self(text.to_owned())) } else { Err(KeyError::NotAKey) }
    }

    /// The key itself.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }

    /// A text without the key.
    pub(crate) fn hide_in(&self, text: &str) -> String {
        if self.is_secret() { text.replace(&self.0, HIDDEN) } else { text.to_owned() }
    }

    /// Bytes without the key.
    pub(crate) fn hide_in_bytes(&self, bytes: Vec<u8>) -> Vec<u8> {
        let key = self.0.as_bytes();
        let find = |from: &[u8]| from.windows(key.len()).position(|window| window == key);
        if !self.is_secret() || find(&bytes).is_none() {
            return bytes;
        }
        let mut rest = bytes.as_slice();
        let mut hidden = Vec::with_capacity(bytes.len());
        while let Some(at) = find(rest) {
            hidden.extend_from_slice(rest.get(..at).unwrap_or_default());
            hidden.extend_from_slice(HIDDEN.as_bytes());
            rest = rest.get(at + key.len()..).unwrap_or_default();
        }
        hidden.extend_from_slice(rest);
        hidden
    }

    fn is_secret(&self) -> bool {
        self.0.len() >= SHORTEST_SECRET
    }
}

impl Debug for Key {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        out.write_str(HIDDEN)
    }
}

fn print_key(
    command: &[String],
    environment: &Environment,
    limits: &Limits,
    cancellation: &Cancellation,
) -> Result<Key, LlmError> {
    let program = command.first().cloned().unwrap_or_default();
    let no_output = |reason: String| KeyError::NoOutput { program: program.clone(), reason };
    let mut run = Command::new(&program);
    run.args(command.get(1..).unwrap_or_default()).env_clear().envs(environment.all());
    let run = Program::new(run)
        .limited_to(limits.key, cancellation)
        .with_grace(limits.grace)
        .with_max_stdout(MAX_KEY);
    // What it prints is the key: in no case is it told.
    match run.output(b"") {
        Ok(output) if output.status.success() => {
            let text = String::from_utf8(output.stdout).unwrap_or_default();
            // As password managers do, it may say more below.
            Ok(Key::new(text.trim_start().lines().next().unwrap_or_default())?)
        }
        Ok(output) => {
            let said = last_line(&output.stderr);
            Err(no_output(if said.is_empty() { output.status.to_string() } else { said }).into())
        }
        Err(OutputError::Cancelled { .. }) => Err(LlmError::Cancelled),
        Err(error) => Err(no_output(error.to_string()).into()),
    }
}

#[cfg(test)]
mod tests {
    use super::{Key, MAX_KEY};
    use crate::{Environment, KeyError, Limits, LlmError};
    use model::provider::KeySource;
    use process::Cancellation;

    const KEY: &str = "sk-0123456789abcdef";

    fn find(source: &KeySource) -> Result<Option<Key>, LlmError> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let environment: Environment = [
            ("PATH", path),
            ("KEY", format!(" {KEY}\n").into()),
            ("EMPTY", "".into()),
            ("ODD", format!("{KEY}\r\nX-Evil: 1").into()),
        ]
        .into_iter()
        .collect();
        Key::find(source, &environment, &Limits::default(), &Cancellation::default())
    }

    fn variable(name: &str) -> Result<Option<Key>, LlmError> {
        find(&KeySource::Variable(name.to_owned()))
    }

    fn printed(script: &str) -> Result<Option<Key>, LlmError> {
        find(&KeySource::Command(["sh", "-c", script].map(str::to_owned).into()))
    }

    #[test]
    fn it_is_found_in_a_variable_or_printed_by_a_program() {
        assert_eq!(find(&KeySource::None).ok().flatten(), None);
        for found in [variable("KEY"), printed("echo; echo \"$KEY\"; echo 'user: me'")] {
            assert_eq!(found.ok().flatten().as_ref().map(Key::reveal), Some(KEY));
        }
    }

    #[test]
    fn what_is_none_is_told_without_it() {
        let told = |found: Result<Option<Key>, LlmError>| found.expect_err("no key").to_string();
        assert_eq!(told(variable("NONE")), "the environment variable NONE is not set");
        assert_eq!(told(variable("EMPTY")), "the environment variable EMPTY is not set");
        assert_eq!(told(variable("ODD")), "the key is empty or contains invalid characters");
        assert_eq!(told(printed("echo 'a b'")), "the key is empty or contains invalid characters");
        assert_eq!(told(printed("true")), "the key is empty or contains invalid characters");
        assert_eq!(told(printed("echo $KEY; echo locked >&2; exit 3")), "sh printed no key: locked");
        assert_eq!(told(printed("echo $KEY; exit 3")), "sh printed no key: exit status: 3");
        assert_eq!(told(printed("yes")), format!("sh printed no key: more than {MAX_KEY} bytes of output"));
        let missing = find(&KeySource::Command(vec!["/nowhere/pass".to_owned()]));
        assert!(
            matches!(&missing, Err(LlmError::NoKey(KeyError::NoOutput { program, .. })) if program == "/nowhere/pass")
        );
    }

    #[test]
    fn it_is_taken_out_of_whatever_repeats_it() {
        let key = Key(KEY.to_owned());
        assert_eq!(format!("{key:?}"), "[key]");
        assert_eq!(key.hide_in(&format!("bad key {KEY}.")), "bad key [key].");
        assert_eq!(
            key.hide_in_bytes(format!("{KEY}a{KEY}\u{fffd}").into_bytes()),
            "[key]a[key]\u{fffd}".as_bytes()
        );
        assert_eq!(key.hide_in_bytes(b"\xff".to_vec()), b"\xff");
        // Some endpoints want any word.
        assert_eq!(Key("ollama".to_owned()).hide_in("ollama is not running"), "ollama is not running");
    }
}
