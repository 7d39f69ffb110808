//! What `aide flow` is told by the configuration, as far as it may be followed.
//!
//! A configuration may come from a stranger. What would start programs is passed over until it is trusted; in the
//! person's own file it is the person's own.

use crate::failure::Failure;
use crate::{layers, trust};
use store::{FlowConfig, Layers, Project};

/// The configuration of `project`. Beside it, the keys of the project's file that were passed over, because it is not
/// trusted.
pub(crate) fn flow(project: &Project) -> Result<(FlowConfig, Vec<&'static str>), Failure> {
    followed(&layers::of(project)?, |text| trust::trusts(project, text))
}

fn followed(
    layers: &Layers,
    is_trusted: impl FnOnce(&str) -> bool,
) -> Result<(FlowConfig, Vec<&'static str>), Failure> {
    // All is checked before any is passed over: a mistake is one, whoever made it.
    let flow = layers.flow(&[])?;
    let risky = layers.risky_for_flow(&flow)?;
    if risky.is_empty() || is_trusted(layers.project_text()) {
        return Ok((flow, Vec::new()));
    }
    Ok((layers.flow(&risky)?, risky))
}

#[cfg(test)]
mod tests {
    use super::followed;
    use std::fs;
    use std::path::Path;
    use store::{Layers, Project};

    fn layers(folder: &Path, project: &str, user: &str) -> Layers {
        store::init(folder).unwrap();
        fs::write(folder.join(".aide/config.toml"), project).unwrap();
        fs::write(folder.join("user.toml"), user).unwrap();
        Project::at(folder).unwrap().layers(Some(&folder.join("user.toml"))).unwrap()
    }

    #[test]
    fn what_starts_programs_is_passed_over_until_it_is_trusted() {
        let folder = tempfile::tempdir().unwrap();
        let project = "flow.back_confirm = true\nplantuml.java_path = \"/evil\"\n\
                       [[flow.hooks]]\non = \"step\"\nrun = \"evil\"\n";
        let user = "[plantuml]\njava_path = \"/mine\"\njar_path = \"/mine.jar\"\n";
        let layers = layers(folder.path(), project, user);
        let (flow, untrusted) = followed(&layers, |_| false).unwrap();
        assert_eq!(untrusted, ["flow.hooks", "plantuml.java_path"]);
        assert!(flow.hooks.is_empty() && flow.back_confirm);
        assert_eq!([&flow.plantuml.java_path, &flow.plantuml.jar_path], ["/mine", "/mine.jar"]);

        let trusts = |text: &str| {
            assert_eq!(text, project, "the very text is asked for");
            true
        };
        let (flow, untrusted) = followed(&layers, trusts).unwrap();
        assert!(untrusted.is_empty());
        assert_eq!(flow.hooks[0].run, ["sh", "-c", "evil"]);
        assert_eq!([&flow.plantuml.java_path, &flow.plantuml.jar_path], ["/evil", "/mine.jar"]);
    }

    #[test]
    fn the_persons_own_programs_need_no_trust() {
        let folder = tempfile::tempdir().unwrap();
        let own = "[[flow.hooks]]\non = \"step\"\nrun = [\"mine\"]\n";
        let layers = layers(folder.path(), "", own);
        let (flow, untrusted) = followed(&layers, |_| panic!("nobody is asked")).unwrap();
        assert!(untrusted.is_empty());
        assert_eq!(flow.hooks[0].run, ["mine"]);
    }

    #[test]
    fn a_mistake_is_told_also_where_it_would_be_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        let layers = layers(folder.path(), "[[flow.hooks]]\non = \"step\"\n", "");
        assert!(followed(&layers, |_| false).is_err());
    }
}
