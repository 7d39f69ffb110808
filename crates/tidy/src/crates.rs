//! The packages of the repository, as their manifests describe them.

use crate::{File, Tree};
use std::collections::{BTreeMap, BTreeSet};
use toml_edit::{Document, Item};

/// A package of this repository.
#[derive(Debug)]
pub(crate) struct Package {
    /// The path of its manifest.
    pub(crate) manifest: String,
    /// Its folder, relative to the root.
    pub(crate) folder: String,
    /// Whether it is a member of the workspace.
    pub(crate) is_member: bool,
    /// What it depends on and is in this repository. Tests and build scripts are left out.
    pub(crate) dependencies: Vec<Dependency>,
    features: BTreeMap<String, BTreeSet<String>>,
}

/// A dependency on another package of this repository.
#[derive(Debug, Clone)]
pub(crate) struct Dependency {
    /// The name of its folder.
    pub(crate) name: String,
    /// The features that it is used with.
    pub(crate) features: BTreeSet<String>,
    /// The line of the manifest.
    pub(crate) line: usize,
    is_optional: bool,
}

impl Package {
    /// Returns its name in documents, which is that of its folder.
    pub(crate) fn name(&self) -> &str {
        self.folder.rsplit('/').next().unwrap_or_default()
    }

    /// Returns what it depends on with `feature` alone.
    pub(crate) fn with_feature(&self, feature: &str) -> Vec<&Dependency> {
        let enabled = self.features.get(feature);
        let is_enabled = |name: &str| enabled.is_some_and(|all| all.contains(&format!("dep:{name}")));
        self.dependencies.iter().filter(|one| !one.is_optional || is_enabled(&one.name)).collect()
    }
}

/// Returns the packages of `tree`.
pub(crate) fn packages(tree: &Tree) -> Vec<Package> {
    let workspace = tree.file("Cargo.toml").map_or("", |file| file.text.as_str());
    let workspace = Document::parse(workspace).ok();
    let shared = |name: &str| {
        let dependencies = workspace.as_ref()?.get("workspace")?.get("dependencies")?;
        dependencies.get(name)?.get("path")?.as_str().map(str::to_owned)
    };
    let members =
        workspace.as_ref().and_then(|manifest| manifest.get("workspace")?.get("members")?.as_array());
    let members: BTreeSet<&str> =
        members.into_iter().flatten().filter_map(|member| member.as_str()).collect();
    let manifests = tree.files().filter_map(|file| {
        let folder = file.path.strip_suffix("/Cargo.toml")?;
        let manifest = Document::parse(&*file.text).ok()?;
        manifest.get("package")?;
        let dependencies = dependencies(file, &manifest, &shared);
        let features = features(&manifest);
        let is_member = members.contains(folder);
        let (manifest, folder) = (file.path.clone(), folder.to_owned());
        Some(Package { manifest, folder, is_member, dependencies, features })
    });
    manifests.collect()
}

fn dependencies(
    file: &File,
    manifest: &Document<&str>,
    shared: &dyn Fn(&str) -> Option<String>,
) -> Vec<Dependency> {
    let own = manifest.get("dependencies").and_then(Item::as_table_like);
    let targets = manifest.get("target").and_then(Item::as_table_like);
    let targets = targets.into_iter().flat_map(|table| table.iter());
    let targeted = targets.filter_map(|(_, target)| target.get("dependencies")?.as_table_like());
    let mut found = Vec::new();
    for table in own.into_iter().chain(targeted) {
        for (name, item) in table.iter() {
            let path = item.get("path").and_then(Item::as_str).map(str::to_owned);
            let Some(path) = path.or_else(|| shared(name)) else { continue };
            let features = item.get("features").and_then(Item::as_array);
            let features = features.into_iter().flatten().filter_map(|one| one.as_str().map(str::to_owned));
            let span = table.get_key_value(name).and_then(|(key, _)| key.span());
            let before = span.and_then(|span| file.text.get(..span.start)).unwrap_or_default();
            found.push(Dependency {
                name: path.rsplit('/').next().unwrap_or_default().to_owned(),
                features: features.collect(),
                line: before.matches('\n').count() + 1,
                is_optional: item.get("optional").and_then(Item::as_bool).unwrap_or_default(),
            });
        }
    }
    found
}

fn features(manifest: &Document<&str>) -> BTreeMap<String, BTreeSet<String>> {
    let table = manifest.get("features").and_then(Item::as_table_like);
    let features = table.into_iter().flat_map(|table| table.iter());
    let enabled = |item: &Item| -> BTreeSet<String> {
        item.as_array().into_iter().flatten().filter_map(|one| one.as_str().map(str::to_owned)).collect()
    };
    features.map(|(name, item)| (name.to_owned(), enabled(item))).collect()
}
