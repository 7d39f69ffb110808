//! `aide workflow output`

use super::{WORKFLOW, given, help, workflow};
use crate::command_line::Command;
use crate::command_line::layout::Layout;
use crate::context::{Context, DONE};
use crate::failure::Failure;
use crate::remote::{self, Remote, Trouble};
use clap::ArgMatches;
use client::ClientError;
use serde_json::{Value, json};
use std::path::{Component, Path, PathBuf};

/// `aide workflow output`
pub(super) static COMMAND: Command = Command { name: "output", build, run };

fn build(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    layout
        .shared_command(
            COMMAND.name,
            words.output,
            "{workflow} output [OPTIONS] WORKFLOW",
            words.output_after,
        )
        .arg(workflow(layout))
        .args(remote::flags(layout))
}

fn run(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    let name = given(matches, WORKFLOW).unwrap_or_default();
    remote::ask(context, matches, async |remote| {
        let output = remote.client.output(&name).await?;
        match (&output.path, &output.output) {
            _ if remote.json => remote.json(&json!(output))?,
            (Some(path), _) => {
                let path = project(remote, &name).await?.join(path);
                let here = context.folder.as_ref().ok();
                remote.line(&format!("Report saved to: {}", seen_from(here, &path)));
            }
            (None, Value::String(text)) => remote.text(text)?,
            (None, value) => remote.json(value)?,
        }
        Ok(DONE)
    })
}

/// The folder of a workflow's session, to which its files are relative; empty where it has none.
async fn project(remote: &Remote<'_>, workflow: &str) -> Result<PathBuf, Trouble> {
    let state = remote.client.state(workflow).await?;
    match remote.client.session(&state.session_id).await {
        Ok(session) => Ok(session.project_path.into()),
        // The result is kept longer than the session.
        Err(ClientError::Refused { status: 404, .. }) => Ok(PathBuf::new()),
        Err(error) => Err(error.into()),
    }
}

/// A path as it is written in the folder `here`: below it with `./` in front, elsewhere in full.
fn seen_from(here: Option<&PathBuf>, path: &Path) -> String {
    let path: PathBuf = path.components().filter(|part| *part != Component::CurDir).collect();
    // What belongs to no folder may belong to this one.
    let below = if path.is_absolute() {
        here.and_then(|here| path.strip_prefix(here).ok())
    } else {
        (!path.starts_with("..")).then_some(path.as_path())
    };
    match below {
        Some(below) => format!("./{}", below.display()),
        None => path.display().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::seen_from;
    use std::path::{Path, PathBuf};

    #[test]
    fn a_path_is_told_as_it_is_written_where_it_is_asked_for() {
        let here = PathBuf::from("/home/ada/shop");
        for (path, told) in [
            ("/home/ada/shop/./deepseek/report.md", "./deepseek/report.md"),
            ("/home/ada/shop/report.md", "./report.md"),
            ("/home/ada/other/report.md", "/home/ada/other/report.md"),
            ("/home/ada/shopping/report.md", "/home/ada/shopping/report.md"),
            ("./deepseek/report.md", "./deepseek/report.md"),
            ("deepseek/report.md", "./deepseek/report.md"),
            ("../report.md", "../report.md"),
        ] {
            assert_eq!(seen_from(Some(&here), Path::new(path)), told, "{path}");
        }
        // Where there is no such folder any more.
        assert_eq!(seen_from(None, Path::new("/home/ada/shop/report.md")), "/home/ada/shop/report.md");
    }
}
