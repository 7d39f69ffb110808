//! What to do about a workflow that no agent of the daemon takes on.

use crate::agents::providers::provider_lines;
use crate::context::Context;
use crate::failure::{Failure, RemoteError};
use crate::messages::{DaemonMessage, Message};
use crate::remote::Remote;
use client::ClientError;
use protocol::workflow::ErrorCode;
use protocol::workflow::api::MessageAccepted;
use serde_json::json;
use settings::Origin;

/// The whole configuration that makes the agents of a daemon work, for a file that says nothing yet.
const THREE_LINES: &str =
    "    agent.providers = [{ name = \"claude\", kind = \"command\", preset = \"claude\" }]
    [daemon]
    provider = \"claude\"
";
/// How the example is called.
const EXAMPLE: &str = "claude";

/// What is missing from the configuration.
#[derive(Debug, PartialEq, Eq)]
enum MissingConfig {
    /// The user's file is missing or empty.
    Everything,
    /// The file has no provider.
    Provider,
    /// `daemon.provider` names none of the providers; this is one of them.
    Name(String),
    /// Nothing; the daemon was started before.
    Restart,
}

impl MissingConfig {
    /// What the user's file lacks. One that cannot be read lacks nothing that could be said here: the restart reports it.
    fn find(context: &Context) -> Self {
        let Ok(user) = context.user_layers() else { return Self::Restart };
        let (Ok(agents), Ok(crew)) = (user.agent(), user.crew()) else { return Self::Restart };
        match (&crew.provider, &agents.providers[..]) {
            (Some(named), _) if agents.find(named).is_some() => Self::Restart,
            (_, []) if user.is_silent(Origin::User) => Self::Everything,
            (_, []) => Self::Provider,
            (_, [first, ..]) => {
                let usual = agents.provider.as_deref().filter(|name| agents.find(name).is_some());
                Self::Name(usual.unwrap_or(&first.name).to_owned())
            }
        }
    }

    /// What is to be added; empty where it is no more than a word.
    fn lines(&self) -> String {
        match self {
            Self::Everything => THREE_LINES.to_owned(),
            Self::Provider => provider_lines(),
            Self::Name(_) | Self::Restart => String::new(),
        }
    }

    /// What to do once the lines are printed, for the `workflow` that was begun.
    fn advice(self, workflow: Option<String>) -> DaemonMessage {
        match self {
            Self::Everything => DaemonMessage::AddPrinted { workflow },
            Self::Provider => DaemonMessage::AppendPrinted { provider: EXAMPLE.to_owned(), workflow },
            Self::Name(provider) => DaemonMessage::SetProvider { provider, workflow },
            Self::Restart => DaemonMessage::StartAnew { workflow },
        }
    }

    /// Why no agent works, which is not always that there is no provider.
    fn what(&self) -> DaemonMessage {
        match self {
            Self::Everything | Self::Provider => DaemonMessage::NoProvider,
            Self::Name(_) => DaemonMessage::NoProviderNamed,
            Self::Restart => DaemonMessage::StartedBefore,
        }
    }
}

/// Says that no agent of the daemon takes the workflow on, and what to do about it.
pub(super) fn print(remote: &Remote<'_>, accepted: &MessageAccepted) {
    if accepted.unattended != Some(true) {
        return;
    }
    if remote.json {
        let line =
            json!({ "type": "unattended", "workflowId": accepted.workflow_id, "code": "PROVIDER_MISSING" });
        remote.notice(&line.to_string());
        return;
    }
    let missing = MissingConfig::find(remote.context);
    let workflow = accepted.workflow_id.clone();
    let hint = match &missing {
        MissingConfig::Everything => DaemonMessage::AddProvider { workflow },
        MissingConfig::Provider => DaemonMessage::AppendProvider { provider: EXAMPLE.to_owned(), workflow },
        MissingConfig::Name(provider) => DaemonMessage::SetProvider { provider: provider.clone(), workflow },
        MissingConfig::Restart => DaemonMessage::StartAnew { workflow },
    };
    let output = &remote.context.output;
    output.warning_with(&Message::daemon(missing.what()), &Message::daemon(hint));
    output.relay(&missing.lines());
}

/// The refusal of a phase that no agent takes on, with what to do about it; any other trouble as it is.
pub(in super::super) fn with_remedy(remote: &Remote<'_>, trouble: RemoteError) -> RemoteError {
    match trouble {
        RemoteError::Client(ClientError::Refused { status, refusal })
            if refusal.code == ErrorCode::ProviderMissing && !remote.json =>
        {
            let missing = MissingConfig::find(remote.context);
            remote.context.output.relay(&missing.lines());
            let failure = Failure::from(ClientError::Refused { status, refusal });
            failure.with_hint(Message::daemon(missing.advice(None))).into()
        }
        trouble => trouble,
    }
}

/// The same once more for `workflow`, where the lines were printed before.
pub(super) fn advice(context: &Context, workflow: &str) -> DaemonMessage {
    MissingConfig::find(context).advice(Some(workflow.to_owned()))
}
