//! Commands, run in the project.

use super::Toolbox;
use super::error::ToolError;
use process::{Cancellation, OutputError, Program};
use serde_json::{Value, json};
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// What a program may know of this process: where programs, its home and the place for its files are, language and time. No key,
/// no token, and nothing by which it could reach the daemon.
const KNOWN: &[&str] = &[
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LANGUAGE",
    "LC_ADDRESS",
    "LC_ALL",
    "LC_COLLATE",
    "LC_CTYPE",
    "LC_IDENTIFICATION",
    "LC_MEASUREMENT",
    "LC_MESSAGES",
    "LC_MONETARY",
    "LC_NAME",
    "LC_NUMERIC",
    "LC_PAPER",
    "LC_TELEPHONE",
    "LC_TIME",
    "TZ",
    "TMPDIR",
];

impl Toolbox {
    pub(super) fn shell(&self, command: &str, cancellation: &Cancellation) -> Result<Value, ToolError> {
        let mut shell = Command::new("sh");
        shell.arg("-c").arg(command);
        let program = self.program(shell, self.project()?, self.limits.command, cancellation);
        let output = program.output(b"").map_err(|error| failed(error, self.limits.command))?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let mut result = json!({
            "exitCode": output.status.code(),
            "stdout": text(&output.stdout),
            "stderr": text(&output.stderr),
        });
        if let (Some(signal), Some(object)) = (output.status.signal(), result.as_object_mut()) {
            object.insert("signal".to_owned(), signal.into());
        }
        Ok(result)
    }

    /// A program that works in `folder` and leaves nothing behind.
    pub(super) fn program(
        &self,
        mut command: Command,
        folder: &Path,
        time: Duration,
        cancellation: &Cancellation,
    ) -> Program {
        command.current_dir(folder).env("TERM", "dumb");
        Program::new(command)
            .with_environment(KNOWN)
            .limited_to(time, cancellation)
            .with_grace(self.limits.grace)
            .with_max_stdout(self.limits.output)
            .leaving_nothing()
    }
}

/// The error of a program, which may take `time`.
pub(super) fn failed(error: OutputError, time: Duration) -> ToolError {
    match error {
        OutputError::NotStarted(error) => ToolError::NotStarted(error),
        OutputError::TimedOut { .. } => ToolError::TimedOut(time),
        OutputError::Cancelled { .. } => ToolError::Cancelled,
        OutputError::TooMuch { limit, .. } => ToolError::TooLarge { limit },
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

    use crate::tools::{ToolConfig, ToolLimits, Toolbox};
    use process::Cancellation;
    use protocol::workflow::ToolName;
    use serde_json::json;
    use std::time::Duration;

    #[test]
    fn a_command_has_so_much_time_and_no_more() {
        let folder = tempfile::tempdir().unwrap();
        let limits = ToolLimits { command: Duration::from_millis(50), ..ToolLimits::default() };
        let toolbox = Toolbox { limits, ..Toolbox::new(Some(folder.path().into()), ToolConfig::default()) };
        let params = json!({ "command": "trap '' TERM; while :; do sleep 600; done" });
        let ended = toolbox.run(ToolName::ShellExec, params.as_object().unwrap(), &Cancellation::default());
        assert_eq!(ended.unwrap_err().to_string(), "took longer than 0.05 seconds");
    }
}
