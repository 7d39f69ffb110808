//! The program itself: where it is, what leads to it, and who has installed it.

use super::leftovers::failure;
use crate::failure::Failure;
use crate::this_program;
use files::whole;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// The names by which the program is called.
const NAMES: [&str; 2] = ["aide", "finger"];

/// The program that runs.
pub(super) struct Program {
    pub(super) path: PathBuf,
    /// The symbolic links to it, beside it and in the folders of `PATH`.
    pub(super) links: Vec<PathBuf>,
    /// What has installed it, unless it was copied there.
    pub(super) manager: Option<Manager>,
}

/// A package manager.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Manager {
    Npm,
    Uv,
    Pipx,
    Pip,
    Cargo,
    Homebrew,
    Nix,
    Dpkg,
    Rpm,
}

impl Manager {
    /// The command by which it removes the program.
    pub(super) fn command(self) -> &'static str {
        match self {
            Self::Npm => "npm uninstall -g aide-decide",
            Self::Uv => "uv tool uninstall aide-decide",
            Self::Pipx => "pipx uninstall aide-decide",
            Self::Pip => "pip uninstall aide-decide",
            Self::Cargo => "cargo uninstall aide-decide",
            Self::Homebrew => "brew uninstall aide-decide",
            Self::Nix => "nix profile remove aide-decide",
            Self::Dpkg => "sudo apt remove aide-decide",
            Self::Rpm => "sudo dnf remove aide-decide",
        }
    }

    /// What has installed the program at `path`, as its place says, and what managers keep beside it.
    fn detect(path: &Path) -> Option<Self> {
        let has = |names: &[&str]| {
            let parts: Vec<_> = path.iter().collect();
            parts.windows(names.len()).any(|window| window.iter().zip(names).all(|(part, name)| part == name))
        };
        let folder = path.parent().unwrap_or(path);
        let root = folder.parent().unwrap_or(folder);
        let lists = |file: &Path| fs::read_to_string(file).is_ok_and(|text| text.contains("aide-decide"));
        if has(&["node_modules"]) {
            Some(Self::Npm)
        } else if has(&["uv", "tools"]) {
            Some(Self::Uv)
        } else if has(&["pipx", "venvs"]) {
            Some(Self::Pipx)
        } else if has(&["Cellar"]) {
            Some(Self::Homebrew)
        } else if path.starts_with("/nix/store") {
            Some(Self::Nix)
        } else if lists(&root.join(".crates.toml")) || lists(&root.join("binstall/crates-v1.json")) {
            Some(Self::Cargo)
        } else if is_in_site_packages(root) {
            Some(Self::Pip)
        } else if folder == Path::new("/usr/bin") {
            let is_of_debian = Path::new("/var/lib/dpkg/info/aide-decide.list").exists();
            let is_of_rpm = || Path::new("/usr/share/doc/aide-decide").exists();
            if is_of_debian { Some(Self::Dpkg) } else { is_of_rpm().then_some(Self::Rpm) }
        } else {
            None
        }
    }
}

/// Whether the Python environment at `root` lists the package.
fn is_in_site_packages(root: &Path) -> bool {
    let versions = fs::read_dir(root.join("lib")).into_iter().flatten().flatten();
    let packages = versions.map(|version| version.path().join("site-packages"));
    packages.flat_map(fs::read_dir).flatten().flatten().any(|entry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        name.starts_with("aide_decide-") && name.ends_with(".dist-info")
    })
}

impl Program {
    /// The one that runs.
    ///
    /// # Errors
    ///
    /// When it is not known where that is, or it is there no longer.
    pub(super) fn running() -> Result<Self, Failure> {
        let path = this_program::file()?;
        let path = path.canonicalize().unwrap_or(path);
        let manager = Manager::detect(&path);
        let of_path = env::var_os("PATH");
        let own = path.parent().map(Path::to_owned);
        let folders: Vec<PathBuf> = of_path.iter().flat_map(env::split_paths).chain(own).collect();
        let links = if manager.is_none() { links_to(&path, &folders) } else { Vec::new() };
        Ok(Self { path, links, manager })
    }

    /// Removes the links and the program, unless a package manager does.
    pub(super) fn remove(&self) -> Result<(), Failure> {
        if self.manager.is_some() {
            return Ok(());
        }
        for path in self.links.iter().chain([&self.path]) {
            whole::remove(path).map_err(|error| failure(path, error))?;
        }
        Ok(())
    }
}

/// The symbolic links in `folders` that lead to the program, by the names that it has.
fn links_to(program: &Path, folders: &[PathBuf]) -> Vec<PathBuf> {
    let mut links: Vec<PathBuf> = folders
        .iter()
        .filter(|folder| folder.is_absolute())
        .flat_map(|folder| NAMES.map(|name| folder.join(name)))
        .filter(|path| path.is_symlink() && path.canonicalize().is_ok_and(|found| found == program))
        .collect();
    links.sort();
    links.dedup();
    links
}

#[cfg(test)]
mod tests {
    use super::{Manager, links_to};
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::path::Path;

    #[test]
    fn a_manager_is_told_by_the_place() {
        for (path, manager) in [
            ("/usr/lib/node_modules/aide-decide/node_modules/aide-decide-linux-x64/aide", Some(Manager::Npm)),
            ("/home/ann/.local/share/uv/tools/aide-decide/bin/aide", Some(Manager::Uv)),
            ("/home/ann/.local/share/pipx/venvs/aide-decide/bin/aide", Some(Manager::Pipx)),
            ("/opt/homebrew/Cellar/aide-decide/0.1.0/bin/aide", Some(Manager::Homebrew)),
            ("/nix/store/abc-aide-decide-0.1.0/bin/aide", Some(Manager::Nix)),
            ("/home/ann/bin/aide", None),
            ("/home/ann/uv-tools/aide", None),
        ] {
            assert_eq!(Manager::detect(Path::new(path)), manager, "{path}");
        }
    }

    #[test]
    fn a_manager_is_told_by_what_it_keeps() {
        let root = tempfile::tempdir().unwrap();
        let program = root.path().join("bin/aide");
        assert_eq!(Manager::detect(&program), None);
        let package = root.path().join("lib/python3.11/site-packages/aide_decide-0.1.0.dist-info");
        fs::create_dir_all(package).unwrap();
        assert_eq!(Manager::detect(&program), Some(Manager::Pip));
        fs::write(root.path().join(".crates.toml"), "\"aide-decide 0.1.0 (x)\" = [\"aide\"]").unwrap();
        assert_eq!(Manager::detect(&program), Some(Manager::Cargo));
    }

    #[test]
    fn links_are_found_and_other_programs_are_not() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        let folders = ["bin", "other"].map(|name| root.join(name));
        folders.iter().for_each(|folder| fs::create_dir(folder).unwrap());
        let program = root.join("aide-0.1.0");
        fs::write(&program, "").unwrap();
        fs::write(root.join("another"), "").unwrap();
        symlink(&program, folders[0].join("aide")).unwrap();
        symlink("aide", folders[0].join("finger")).unwrap();
        symlink(root.join("another"), folders[1].join("aide")).unwrap();
        assert_eq!(links_to(&program, &folders), ["bin/aide", "bin/finger"].map(|link| root.join(link)));
    }
}
