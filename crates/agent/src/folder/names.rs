//! Names of files that are made from ids. Ids may be long, and a name must leave room for `.tmp` behind it.

use crate::hash::sha256;
use protocol::agent::Id;

const MAX: usize = 250;

/// `<message_id>__<original>`, under which a message is kept once it was taken.
pub(crate) fn archive_name(message: &Id, original: &str) -> String {
    let name = format!("{message}__{original}");
    if name.len() <= MAX { name } else { format!("{message}__{}.msg.json", short(original)) }
}

/// `artifact_<task>_<output>_<message>.msg.json`
pub(crate) fn artifact_name(task: &Id, output: &Id, message: &Id) -> String {
    let name = format!("artifact_{task}_{output}_{message}.msg.json");
    if name.len() <= MAX { name } else { format!("artifact_{}_{message}.msg.json", short(&name)) }
}

fn short(text: &str) -> String {
    sha256(text.as_bytes()).hex()[..16].to_owned()
}

#[cfg(test)]
mod tests {
    use super::{archive_name, artifact_name};
    use protocol::agent::Id;

    #[test]
    fn names_are_as_documented_and_never_too_long() {
        let id = |text: &str| text.parse::<Id>().unwrap();
        assert_eq!(archive_name(&id("msg_1"), "cmd_a.msg.json"), "msg_1__cmd_a.msg.json");
        assert_eq!(artifact_name(&id("t"), &id("o"), &id("m")), "artifact_t_o_m.msg.json");
        let long = id(&"x".repeat(128));
        let (archived, artifact) =
            (archive_name(&long, &"y".repeat(240)), artifact_name(&long, &long, &long));
        for name in [archived, artifact] {
            assert!(name.len() <= 250 && name.ends_with(".msg.json"), "{name}");
        }
    }
}
