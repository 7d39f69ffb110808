//! `aide decide open --phone`: the open questions on an address that other devices in the network reach.

use super::print_link;
use crate::context::{Context, DONE};
use crate::failure::Failure;
use crate::host::GatheredHost;
use crate::messages::Message;
use crate::server_flags::ServerFlags;
use crate::trust;
use settings::{Auth, forms};
use std::ffi::OsString;
use std::net::{IpAddr, Ipv4Addr};
use store::{Decisions, Project};

/// How long a ticket is good, in minutes, as the server has it.
const MINUTES: u8 = 10;

/// Serves what is open in `rooms` on the address `host`, or the one that this machine has in its network, until it has ended.
pub(super) fn serve(
    context: &Context,
    rooms: Vec<(Project, Decisions)>,
    host: Option<OsString>,
) -> Result<u8, Failure> {
    let host = match host {
        Some(host) => named(&host)?,
        None => {
            own_address().ok_or_else(|| Failure::new(Message::NoLanAddress, Message::NameHost))?.to_string()
        }
    };
    let flags = ServerFlags { bind: Some("127.0.0.1".into()), ..ServerFlags::default() };
    let settings = match &context.project {
        Ok(project) => trust::server_settings(project, context.layers()?, &flags)?.value,
        Err(_) => return Err(Failure::new(Message::NothingOpen, Message::SeeResult)),
    };
    if settings.auth == Auth::Never {
        return Err(Failure::new(Message::PhoneNeedsLogin, Message::UseAnotherAuth));
    }
    let gathered = GatheredHost { rooms, host, port: settings.port, needs_login: true };
    gathered.run(context, |_, link| {
        print_link(context, link, true)?;
        context.output.info(&Message::ForPhone { minutes: MINUTES });
        context.output.warning(&Message::PlainHttp);
        Ok(DONE)
    })
}

/// An address that was named. Loopback is one of this machine alone, but a tunnel may end there.
fn named(host: &OsString) -> Result<String, Failure> {
    let address = host.to_str().and_then(forms::address).filter(|address| address != "localhost");
    let address = address.and_then(|address| address.parse::<IpAddr>().ok());
    let address = address.filter(|address| !address.is_unspecified() && !address.is_multicast());
    let refuse = || {
        Failure::new(Message::NotLan { host: host.to_string_lossy().into_owned() }, Message::NameHost)
            .with_code(crate::failure::USAGE)
    };
    address.map(|address| address.to_string()).ok_or_else(refuse)
}

/// The address of this machine in its network.
fn own_address() -> Option<IpAddr> {
    Some(server::outward(Ipv4Addr::UNSPECIFIED.into())).filter(|address| !address.is_loopback())
}
