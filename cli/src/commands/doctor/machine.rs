//! What concerns the person and the machine, whichever agent asks.

use super::Finding;
use crate::browser::{self, Plan};
use crate::context::Context;
use crate::failure::Failure;
use crate::messages::{Check, DoctorMessage};
use crate::server_flags::ServerFlags;
use crate::{notify, trust};
use settings::{Channel, Config, NotifyConfig, ServerSettings, WhenToNotify};
use std::env;
use std::ffi::OsStr;
use std::path::Path;
use store::Project;

/// Checks project, trust, port, browser and notifications.
pub(super) fn check(context: &Context) -> Vec<Finding> {
    let mut findings = Vec::new();
    let project = context.project.as_ref().ok().filter(|project| project.root().join(".aide").is_dir());
    findings.push(match project {
        Some(project) => {
            let root = project.root().to_owned();
            Finding::fine(Check::Project, "project", DoctorMessage::ProjectIs { root })
        }
        None => {
            let remedy = DoctorMessage::Run { command: "aide init".to_owned() };
            Finding::info(Check::Project, "no_project", DoctorMessage::NoProject, Some(remedy))
        }
    });
    match context.project.as_ref().ok().map(|project| configured(context, project)) {
        Some(Ok((settings, ignored))) => {
            findings.push(of_trust(ignored));
            findings.push(of_port(context, &settings));
        }
        Some(Err(failure)) => findings.push(broken(failure)),
        None => {}
    }
    findings.push(of_browser());
    findings.extend(of_notices(context));
    findings
}

fn configured(context: &Context, project: &Project) -> Result<(ServerSettings, Vec<&'static str>), Failure> {
    let layers = context.layers()?;
    let _: Config = layers.config()?;
    let followed = trust::server_settings(project, layers, &ServerFlags::default())?;
    Ok((followed.value, followed.ignored.iter().map(|key| key.name).collect()))
}

fn broken(failure: Failure) -> Finding {
    let remedy = DoctorMessage::Run { command: "aide config list".to_owned() };
    Finding::wrong(Check::Trust, "config", DoctorMessage::ConfigBroken { failure: Box::new(failure) }, remedy)
}

fn of_trust(ignored: Vec<&'static str>) -> Finding {
    if ignored.is_empty() {
        return Finding::fine(Check::Trust, "trust", DoctorMessage::NothingToTrust);
    }
    let remedy = DoctorMessage::Run { command: "aide trust".to_owned() };
    Finding::wrong(Check::Trust, "not_trusted", DoctorMessage::NotTrusted { keys: ignored }, remedy)
}

/// A port is available where a server of this project has it already.
fn of_port(context: &Context, settings: &ServerSettings) -> Finding {
    let decisions = context.project.as_ref().ok().and_then(|project| project.decisions().ok());
    let running = decisions.and_then(|decisions| decisions.live_server().ok().flatten());
    if let Some(server) = running {
        return Finding::fine(Check::Port, "port", DoctorMessage::PortFree { port: server.port });
    }
    match server::bind(&settings.host, settings.port, None) {
        Ok(bound) => Finding::fine(Check::Port, "port", DoctorMessage::PortFree { port: bound.port }),
        Err(error) => {
            let failure = Box::new(Failure::from(error));
            Finding::wrong(
                Check::Port,
                "ports_busy",
                DoctorMessage::PortsBusy { failure },
                DoctorMessage::FreePort,
            )
        }
    }
}

fn of_browser() -> Finding {
    match browser::plan("http://localhost:1", 1, |name| env::var_os(name)) {
        Plan::Start(commands) => {
            let programs: Vec<&OsStr> =
                commands.iter().filter_map(|words| words.first()).map(AsRef::as_ref).collect();
            match programs.iter().find(|program| is_there(program)) {
                Some(program) => {
                    let program = program.to_string_lossy().into_owned();
                    Finding::fine(Check::Browser, "browser", DoctorMessage::BrowserIs { program })
                }
                None => {
                    let program = programs.first().map(|program| program.to_string_lossy().into_owned());
                    let found = DoctorMessage::ProgramMissing { program: program.unwrap_or_default() };
                    Finding::wrong(Check::Browser, "browser_missing", found, DoctorMessage::NameBrowser)
                }
            }
        }
        Plan::Forward { .. } => {
            Finding::info(Check::Browser, "browser_elsewhere", DoctorMessage::BrowserIsElsewhere, None)
        }
        Plan::Nothing => {
            let remedy = Some(DoctorMessage::NameBrowser);
            Finding::info(Check::Browser, "no_browser", DoctorMessage::NoBrowser, remedy)
        }
    }
}

/// Whether a program can be started: by its path, or by a folder of `PATH`.
pub(super) fn is_there(program: impl AsRef<OsStr>) -> bool {
    let program = Path::new(program.as_ref());
    if program.components().count() > 1 {
        return program.is_file();
    }
    env::var_os("PATH").iter().flat_map(env::split_paths).any(|folder| folder.join(program).is_file())
}

fn of_notices(context: &Context) -> Vec<Finding> {
    let read = || -> Result<(NotifyConfig, Option<WhenToNotify>), Failure> {
        let config = context.user_layers()?.notify()?;
        let when = notify::when_configured(&config)?;
        Ok((config, when))
    };
    let (config, when) = match read() {
        Ok(read) => read,
        Err(failure) => {
            let file = context.config_files.user_file().unwrap_or(Path::new("")).to_owned();
            let found = DoctorMessage::ConfigBroken { failure: Box::new(failure) };
            return vec![Finding::wrong(
                Check::Notification,
                "config",
                found,
                DoctorMessage::Correct { path: file },
            )];
        }
    };
    let mut channels: Vec<Channel> = config.steps.into_iter().map(|step| step.how).collect();
    if channels.is_empty() {
        match when.unwrap_or_default() {
            WhenToNotify::None => {
                let remedy = Some(DoctorMessage::Configure);
                return vec![Finding::info(
                    Check::Notification,
                    "not_notified",
                    DoctorMessage::NotNotified,
                    remedy,
                )];
            }
            WhenToNotify::Bell => {}
            WhenToNotify::Desktop => channels.push(Channel::Desktop),
            WhenToNotify::Command => channels.push(Channel::Command(config.command)),
        }
    }
    let mut findings: Vec<Finding> = channels.iter().filter_map(fault_of).collect();
    if findings.is_empty() {
        let mut how: Vec<&str> = channels.iter().map(Channel::name).collect();
        if how.is_empty() {
            how.push(WhenToNotify::Bell.name());
        }
        let found = DoctorMessage::NotifiedBy { how: how.join(", ") };
        findings.push(Finding::fine(Check::Notification, "notification", found));
    }
    findings
}

/// What is wrong with a channel, as far as that can be seen without telling the person something.
fn fault_of(channel: &Channel) -> Option<Finding> {
    let missing = |program: &str| {
        let program = program.to_owned();
        let found = DoctorMessage::ProgramMissing { program: program.clone() };
        Finding::wrong(Check::Notification, "program_missing", found, DoctorMessage::Install { program })
    };
    match channel {
        Channel::Desktop if cfg!(target_os = "macos") => None,
        Channel::Desktop if !is_there("notify-send") => Some(missing("notify-send")),
        Channel::Desktop => {
            let has_bus = env::var_os("DBUS_SESSION_BUS_ADDRESS").is_some_and(|bus| !bus.is_empty())
                || env::var_os("XDG_RUNTIME_DIR")
                    .is_some_and(|folder| Path::new(&folder).join("bus").exists());
            let fault = || {
                Finding::wrong(
                    Check::Notification,
                    "no_desktop",
                    DoctorMessage::NoDesktop,
                    DoctorMessage::HandOn,
                )
            };
            (!has_bus).then(fault)
        }
        Channel::Command(command) => {
            let program = command.first().map(String::as_str).unwrap_or_default();
            (!is_there(program)).then(|| missing(program))
        }
        channel => {
            let failure = notice::check(channel).err()?;
            let file = crate::user_files::config().unwrap_or_default();
            let found = DoctorMessage::ChannelBroken { how: channel.name(), failure };
            let remedy = DoctorMessage::Correct { path: file };
            Some(Finding::wrong(Check::Notification, "channel", found, remedy))
        }
    }
}
