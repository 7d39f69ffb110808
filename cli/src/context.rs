//! What every command has at hand.

use crate::failure::Failure;
use crate::language::{self, Language};
use crate::messages::{ConfigMessage, Message};
use crate::output::Output;
use crate::user_files;
use settings::{ConfigFiles, Layers};
use std::cell::Cell;
use std::env;
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use store::Project;
use texts::Lang;

/// Exit code of success.
pub(crate) const DONE: u8 = 0;

/// Where a command works, what is configured there, in which language it speaks, and to whom.
pub(crate) struct Context {
    /// The current folder.
    pub(crate) folder: io::Result<PathBuf>,
    /// The project that it is in.
    pub(crate) project: io::Result<Project>,
    /// The project's configuration and the person's own.
    pub(crate) config_files: ConfigFiles,
    pub(crate) language: Language,
    /// `--lang`, as given.
    pub(crate) lang_flag: Option<OsString>,
    pub(crate) output: Output,
    /// Whether the keys without an effect have been reported.
    pub(crate) has_warned: Cell<bool>,
}

/// How many keys without an effect are listed one by one.
const LISTED_KEYS: usize = 5;

impl Context {
    /// Returns what a command with `arguments` has at hand in `folder`, and what is wrong with the language that it is to
    /// speak. `output` makes its output in a language.
    pub(crate) fn at(
        folder: io::Result<PathBuf>,
        arguments: &[OsString],
        output: impl FnOnce(Lang) -> Output,
    ) -> (Self, Result<(), Failure>) {
        let project = match &folder {
            Ok(folder) => Project::discover(folder),
            Err(error) => Err(error.kind().into()),
        };
        let config_files = config_files(&project);
        let (language, checked) = language::decide(arguments, |name| env::var_os(name), &config_files);
        let output = output(language.messages);
        let lang_flag = language::flag(arguments);
        let has_warned = Cell::new(false);
        (Self { folder, project, config_files, language, lang_flag, output, has_warned }, checked)
    }

    /// Returns the current folder.
    ///
    /// # Errors
    ///
    /// When there is none any more.
    pub(crate) fn folder(&self) -> Result<&PathBuf, Failure> {
        self.folder.as_ref().map_err(no_current_folder)
    }

    /// Returns the project that the current folder is in.
    ///
    /// # Errors
    ///
    /// When there is no current folder any more, and when a later version has written the project.
    pub(crate) fn project(&self) -> Result<&Project, Failure> {
        self.folder()?;
        let project = self.project.as_ref().map_err(no_current_folder)?;
        project.check_format()?;
        Ok(project)
    }

    /// Returns the output in the language that the configuration says now, after a change of it.
    pub(crate) fn output_after_change(&self) -> Output {
        let arguments: Vec<_> =
            self.lang_flag.iter().flat_map(|lang| ["--lang".into(), lang.clone()]).collect();
        let files = config_files(&self.project);
        let (language, _) = language::decide(&arguments, |name| env::var_os(name), &files);
        self.output.in_language(language.messages)
    }

    /// Returns what is configured. The first call warns of the keys that have no effect.
    ///
    /// # Errors
    ///
    /// When a file is there and cannot be read or is no TOML.
    pub(crate) fn layers(&self) -> Result<Layers<'_>, Failure> {
        let layers = self.config_files.layers()?;
        self.warn_of_unknown_keys(layers);
        Ok(layers)
    }

    /// Returns what the user's own file says, with the same warnings.
    ///
    /// # Errors
    ///
    /// When it is there and cannot be read or is no TOML.
    pub(crate) fn user_layers(&self) -> Result<Layers<'_>, Failure> {
        let layers = self.config_files.user_layers()?;
        self.warn_of_unknown_keys(layers);
        Ok(layers)
    }

    /// Whether `aide init` was run in the project.
    pub(crate) fn is_initialised(&self) -> bool {
        self.project.as_ref().is_ok_and(|project| project.root().join(".aide").is_dir())
    }

    /// Says how to switch to English where the locale is English, the messages are not, and there is no project that has said so yet.
    pub(crate) fn offer_english(&self) {
        if self.language.offers_english && !self.is_initialised() {
            self.output.notice(&Message::OfferEnglish);
        }
    }

    /// Warns of the keys that have no effect, in a command that follows nothing of the configuration: what is wrong with a file
    /// otherwise is reported where it matters.
    pub(crate) fn warn_of_slips(&self) {
        let _ = self.layers();
    }

    /// The same, of the files that were read already.
    pub(crate) fn warn_of_slips_read(&self) {
        self.warn_of_unknown_keys(self.config_files.layers_read());
    }

    fn warn_of_unknown_keys(&self, layers: Layers<'_>) {
        if self.has_warned.replace(true) {
            return;
        }
        let mut keys = layers.unknown_keys();
        let count = keys.len().saturating_sub(LISTED_KEYS);
        keys.truncate(LISTED_KEYS);
        for key in keys {
            self.output.warning(&Message::config(ConfigMessage::KeyWithoutEffect { key }));
        }
        if count > 0 {
            self.output.warning(&Message::config(ConfigMessage::KeysLeftOut { count }));
        }
    }
}

fn config_files(project: &io::Result<Project>) -> ConfigFiles {
    match project {
        Ok(project) => project.config_files(user_files::config()),
        Err(_) => ConfigFiles::new(None, user_files::config()),
    }
}

fn no_current_folder(error: &io::Error) -> Failure {
    // An I/O error cannot be cloned; its code says all of it.
    let error = error.raw_os_error().map_or_else(|| error.kind().into(), io::Error::from_raw_os_error);
    Failure::new(Message::NoCurrentFolder { error }, None)
}
