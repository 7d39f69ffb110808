//! What the metadata of cargo-leptos says.

use anyhow::{Context as _, Result, ensure};
use std::fs;
use std::path::Path;
use toml_edit::{Document, Item, Table};

/// What to build, and where to.
#[derive(Debug)]
pub(crate) struct Settings {
    /// Of the files, without their extensions.
    pub(crate) name: String,
    /// The package that is compiled for the browser.
    pub(crate) library: String,
    /// The profile that it is compiled with.
    pub(crate) profile: String,
    /// The folder of the site.
    pub(crate) site: String,
    /// The folder in it.
    pub(crate) folder: String,
    /// The style sheet.
    pub(crate) style: String,
    /// The arguments of `wasm-opt`.
    pub(crate) optimizer: Vec<String>,
}

impl Settings {
    /// Reads the manifest of the workspace in `root`.
    pub(crate) fn read(root: &Path) -> Result<Self> {
        let path = root.join("Cargo.toml");
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        Self::parse(&text).with_context(|| format!("{}: [[workspace.metadata.leptos]]", path.display()))
    }

    fn parse(text: &str) -> Result<Self> {
        let manifest = Document::parse(text)?;
        let metadata = manifest.get("workspace").and_then(|workspace| workspace.get("metadata"));
        let projects =
            metadata.and_then(|metadata| metadata.get("leptos")).and_then(Item::as_array_of_tables);
        let projects = projects.context("is missing")?;
        ensure!(projects.len() == 1, "must be one");
        let project = projects.get(0).context("is missing")?;
        let optimizer =
            project.get("wasm-opt-features").and_then(Item::as_array).context("wasm-opt-features")?;
        let optimizer: Option<_> =
            optimizer.iter().map(|option| option.as_str().map(str::to_owned)).collect();
        let optimizer = optimizer.context("wasm-opt-features")?;
        Ok(Self {
            name: word(project, "output-name")?,
            library: word(project, "lib-package")?,
            profile: word(project, "lib-profile-release")?,
            site: word(project, "site-root")?,
            folder: word(project, "site-pkg-dir")?,
            style: word(project, "style-file")?,
            optimizer,
        })
    }
}

fn word(project: &Table, key: &str) -> Result<String> {
    project.get(key).and_then(Item::as_str).map(str::to_owned).with_context(|| format!("{key} is missing"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

    use super::*;

    /// What cargo-leptos would be given exists: nothing else here notices a rename.
    #[test]
    fn the_manifest_names_what_there_is() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let settings = Settings::read(&root).unwrap();
        assert!(root.join(&settings.style).is_file(), "{settings:?}");
        let manifest: Document<String> =
            fs::read_to_string(root.join("Cargo.toml")).unwrap().parse().unwrap();
        assert!(manifest["profile"].get(&settings.profile).is_some(), "{settings:?}");
        let project =
            manifest["workspace"]["metadata"]["leptos"].as_array_of_tables().unwrap().get(0).unwrap();
        let members = manifest["workspace"]["members"].as_array().unwrap().iter().map(|member| {
            let path = root.join(member.as_str().unwrap()).join("Cargo.toml");
            let member: Document<String> = fs::read_to_string(path).unwrap().parse().unwrap();
            member["package"]["name"].as_str().unwrap().to_owned()
        });
        let members: Vec<_> = members.collect();
        for key in ["bin-package", "lib-package"] {
            assert!(members.contains(&word(project, key).unwrap()), "{key}: {members:?}");
        }
    }

    #[test]
    fn what_is_missing_is_named() {
        let told = |text: &str| format!("{:#}", Settings::parse(text).unwrap_err());
        assert_eq!(told("[workspace]"), "is missing");
        let project = "[[workspace.metadata.leptos]]\nwasm-opt-features = [\"-Oz\"]\noutput-name = \"a\"\n";
        assert_eq!(told(project), "lib-package is missing");
        assert_eq!(told(&project.replace("\"-Oz\"", "1")), "wasm-opt-features");
        assert_eq!(told(&project.repeat(2)), "must be one");
    }
}
