//! Programs: the person's own, and those that speak to the desktop.

use crate::{Notice, Undelivered};
use process::{Cancellation, Program};
use std::process::{Command, Stdio};
use std::time::Duration;

/// How long the person's own program may take.
const OWN_LIMIT: Duration = Duration::from_secs(60);

/// Runs the person's own program with what it needs in its environment: others can read its arguments.
pub(crate) fn run(words: &[String], notice: &Notice) -> Result<(), Undelivered> {
    own(words, notice).map_or(Ok(()), |command| finish(command, OWN_LIMIT))
}

/// That program; `None` where there is none.
pub(crate) fn own(words: &[String], notice: &Notice) -> Option<Command> {
    let [program, arguments @ ..] = words else { return None };
    let mut command = Command::new(program);
    command.args(arguments).env("AIDE_URL", &notice.entry).env("AIDE_TASK", &notice.task);
    command.env("AIDE_ITEMS", notice.items.to_string()).env("AIDE_NOTICE", &notice.id);
    command.env("AIDE_TEXT", notice.text());
    Some(command)
}

/// Starts `command`, and does not wait for its end.
pub(crate) fn leave(command: Command) -> Result<(), Undelivered> {
    let program = command.get_program().to_string_lossy().into_owned();
    Program::new(command).leave().map_err(|error| Undelivered::Program { program, error })
}

/// Runs `command` to its end, which must be a good one.
pub(crate) fn finish(mut command: Command, limit: Duration) -> Result<(), Undelivered> {
    let program = command.get_program().to_string_lossy().into_owned();
    command.stdin(Stdio::null());
    let ended = Program::new(command).limited_to(limit, &Cancellation::default()).run();
    match ended {
        Ok(ended) if ended.status.success() => Ok(()),
        Ok(ended) => Err(Undelivered::Failed { program, status: ended.status.to_string() }),
        Err(error) => Err(Undelivered::Program { program, error: error.into() }),
    }
}

#[cfg(test)]
mod tests {
    use super::run;
    use crate::Undelivered;
    use crate::webhook::tests::notice;

    #[test]
    fn a_program_gets_what_it_needs_and_its_end_is_told() {
        let script = "test \"$AIDE_URL $AIDE_ITEMS $AIDE_TASK $1\" = 'http://localhost:3721/t/x 2 Ship it? a b' && \
                      test \"$AIDE_NOTICE\" = aide-1";
        let words = |script: &str| ["sh", "-c", script, "sh", "a b"].map(str::to_owned).to_vec();
        run(&words(script), &notice()).unwrap();
        let Err(Undelivered::Failed { program, status }) = run(&words("exit 3"), &notice()) else { panic!() };
        assert_eq!((program.as_str(), status.as_str()), ("sh", "exit status: 3"));
        let missing = run(&["/no/such".to_owned()], &notice());
        assert!(matches!(missing, Err(Undelivered::Program { .. })), "{missing:?}");
    }
}
