//! `aide workflow agents` and `resources`

use super::help;
use crate::command_line::layout::Layout;
use crate::command_line::{Command, remote_flags};
use crate::context::{Context, DONE};
use crate::failure::Failure;
use crate::remote;
use clap::ArgMatches;
use serde_json::{Value, json};

/// `aide workflow agents`
pub(super) static AGENTS: Command = Command { name: "agents", build: build_agents, run: run_agents };

/// `aide workflow resources`
pub(super) static RESOURCES: Command =
    Command { name: "resources", build: build_resources, run: run_resources };

fn build_agents(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    layout
        .shared_command(AGENTS.name, words.agents, "{workflow} agents [OPTIONS]", "")
        .args(remote_flags(layout))
}

fn build_resources(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    layout
        .shared_command(RESOURCES.name, words.resources, "{workflow} resources [OPTIONS]", "")
        .args(remote_flags(layout))
}

fn run_agents(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    remote::ask(context, matches, async |remote| {
        let agents = remote.client.agents().await?;
        if remote.json {
            remote.json(&json!(agents))?;
        } else {
            for agent in agents {
                remote.line(&format!("- {}: {} ({})", agent.id, agent.status, agent.kind));
            }
        }
        Ok(DONE)
    })
}

fn run_resources(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    remote::ask(context, matches, async |remote| {
        let resources = remote.client.resources().await?;
        if remote.json {
            remote.json(&resources)?;
            return Ok(DONE);
        }
        let available = resources.get("available").and_then(Value::as_array).cloned().unwrap_or_default();
        remote.line(&format!("Available Resources ({}):", available.len()));
        available.iter().for_each(|resource| remote.line(&line(resource)));
        Ok(DONE)
    })
}

fn line(agent: &Value) -> String {
    let text = |member: &str| agent.get(member).and_then(Value::as_str);
    let kind = text("type").unwrap_or("agent");
    format!("- {}: {} ({kind})", text("id").unwrap_or_default(), text("status").unwrap_or_default())
}
