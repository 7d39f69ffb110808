//! The person's own search.

use super::command::failed;
use super::error::ToolError;
use super::network::{self, Answer};
use super::{Search, Toolbox};
use process::{Cancellation, OutputError};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;

/// How much of a failed program's output its error quotes, in characters.
const MAX_SAID: usize = 500;

impl Toolbox {
    pub(super) fn search(&self, query: &str, cancellation: &Cancellation) -> Result<Value, ToolError> {
        let results = match self.config.search.as_ref().ok_or(ToolError::NoSearch)? {
            Search::Command(command) => self.search_by_program(command, query, cancellation)?,
            Search::Url(template) => self.search_at(template, query, cancellation)?,
        };
        // As data, where they are.
        let results = serde_json::from_str(&results).unwrap_or(Value::String(results));
        Ok(json!({ "query": query, "results": results }))
    }

    fn search_by_program(
        &self,
        command: &[String],
        query: &str,
        cancellation: &Cancellation,
    ) -> Result<String, ToolError> {
        let (name, arguments) = command.split_first().ok_or(ToolError::NoSearch)?;
        let mut program = Command::new(name);
        program.args(arguments);
        let folder = self.folder.as_deref().unwrap_or(Path::new("/"));
        let program = self.program(program, folder, self.limits.search, cancellation);
        let output = program.output(query.as_bytes()).map_err(|error| match error {
            OutputError::NotStarted(reason) => ToolError::SearchNotStarted { program: name.clone(), reason },
            error => failed(error, self.limits.search),
        })?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            let skipped = said.chars().count().saturating_sub(MAX_SAID);
            let said = said.chars().skip(skipped).collect::<String>().trim().to_owned();
            return Err(ToolError::SearchFailed { status: output.status.to_string(), said });
        }
        String::from_utf8(output.stdout).map_err(|_| ToolError::NotText)
    }

    /// The user has configured the address; it may well be on a machine of their own, so any address is allowed. No one else may
    /// redirect it.
    fn search_at(
        &self,
        template: &str,
        query: &str,
        cancellation: &Cancellation,
    ) -> Result<String, ToolError> {
        let query: String = form_urlencoded::byte_serialize(query.as_bytes()).collect();
        let url = network::address(&template.replace("{query}", &query))?;
        let asked = async {
            match network::get(network::client(&url)?, &url, self.limits.body).await? {
                Answer::Page(page) => network::text(page),
                Answer::Elsewhere(_) => Err(ToolError::TooManyRedirects(0)),
            }
        };
        network::block_on(self.limits.search, cancellation, asked)
    }
}
