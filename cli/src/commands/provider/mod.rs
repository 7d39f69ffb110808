//! `aide provider`: one folder for each command below it.

mod check;
mod help;
mod list;

use crate::agents::providers;
use crate::command_line::Command;
use crate::command_line::layout::Layout;
use crate::context::Context;
use crate::failure::Failure;
use clap::ArgMatches;
use llm::{CommandConfig, Environment, Limits, Preset, Probe, ProviderConfig, ProviderKind};
use settings::{AgentConfig, AnsweredBy, Origin};

/// `aide provider`
pub(crate) static COMMAND: Command = Command { name: "provider", build, run };

/// What can be done with providers, in the order of the help.
static COMMANDS: [&Command; 2] = [&list::COMMAND, &check::COMMAND];

fn build(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    let command = layout.command(COMMAND.name, words.about, words.usage, words.after);
    command.subcommands(COMMANDS.map(|command| (command.build)(layout)))
}

fn run(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    Command::run_one_of(&COMMANDS, context, matches)
}

/// Where a provider comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ProviderOrigin {
    Project,
    User,
    /// A preset, without an entry in a configuration.
    Preset,
}

impl ProviderOrigin {
    /// As it is written in JSON.
    fn name(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::User => "user",
            Self::Preset => "preset",
        }
    }
}

/// A provider, and whether it may be used here.
#[derive(Debug)]
struct KnownProvider {
    config: ProviderConfig,
    from: ProviderOrigin,
    /// Whether agents use it that name none.
    is_default: bool,
    is_trusted: bool,
    /// Whether agents of the daemon use it.
    is_of_daemon: bool,
}

/// All that are configured, those of a project that is not trusted last, and then the presets.
fn all(context: &Context) -> Result<Vec<KnownProvider>, Failure> {
    let layers = context.layers()?;
    let followed = providers::config(context)?;
    let whole = layers.agent()?;
    let is_of_project = layers.entry(Origin::Project, &["agent", "providers"]).is_some();
    let is_trusted = followed.providers == whole.providers;
    let from = if is_of_project && is_trusted { ProviderOrigin::Project } else { ProviderOrigin::User };
    let is_default = |name: &str, AgentConfig { provider, providers, .. }: &AgentConfig| match provider {
        Some(provider) => provider == name,
        None => providers.len() == 1,
    };
    let crew = context.user_layers()?.crew()?;
    let of_agents = crew.agents.iter().filter_map(|agent| agent.answers.as_ref());
    let of_agents = of_agents.filter_map(|by| match by {
        AnsweredBy::Provider(name) => Some(name),
        AnsweredBy::Folder(_) => None,
    });
    let of_daemon: Vec<&String> = of_agents.chain(&crew.provider).collect();
    // The daemon knows the user's own alone.
    let is_of_daemon = |name: &String| from == ProviderOrigin::User && of_daemon.contains(&name);
    let usable = followed.providers.iter().map(|config| KnownProvider {
        is_of_daemon: is_of_daemon(&config.name),
        is_default: is_default(&config.name, &followed),
        config: config.clone(),
        from,
        is_trusted: true,
    });
    let mut known: Vec<KnownProvider> = usable.collect();
    if !is_trusted {
        known.extend(whole.providers.iter().map(|config| KnownProvider {
            config: config.clone(),
            from: ProviderOrigin::Project,
            is_default: false,
            is_trusted: false,
            is_of_daemon: false,
        }));
    }
    known.extend(Preset::NAMES.iter().filter_map(|name| of_preset(name)));
    Ok(known)
}

/// What a preset is without an entry in a configuration.
fn of_preset(name: &str) -> Option<KnownProvider> {
    let preset: Preset = name.parse().ok()?;
    let config = ProviderConfig {
        name: name.to_owned(),
        model: None,
        timeout: ProviderConfig::DEFAULT_TIMEOUT,
        kind: ProviderKind::Command(CommandConfig {
            preset,
            command: preset.program()?.to_owned(),
            args: Vec::new(),
            env: Vec::new(),
            pass_env: Vec::new(),
        }),
    };
    Some(KnownProvider {
        config,
        from: ProviderOrigin::Preset,
        is_default: false,
        is_trusted: true,
        is_of_daemon: false,
    })
}

/// The variables that a provider gets here.
fn environment(context: &Context) -> Result<Environment, Failure> {
    providers::environment(context)
}

/// What looks at a provider.
fn probe(context: &Context, config: &ProviderConfig) -> Result<Probe, Failure> {
    Ok(Probe::new(config.clone(), environment(context)?, Limits::default()))
}

/// An address without what may be secret in it.
fn shown(url: &str) -> String {
    url.split(['?', '#']).next().unwrap_or_default().to_owned()
}

/// The kind, as it is written in the configuration.
fn kind(config: &ProviderConfig) -> &'static str {
    match config.kind {
        ProviderKind::Command(_) => "command",
        ProviderKind::OpenAi(_) => "openai",
    }
}
