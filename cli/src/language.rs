//! Which language to speak: `--lang`, then `AIDE_LANG`, then `general.lang`, the project's before the person's own, then Chinese;
//! English where a configuration that cannot be read names none and the locale is English.
//!
//! It is needed before the command line is understood, because that can fail, and then says why.

use crate::failure::Failure;
use settings::{BadSetting, ConfigFiles, LangSetting, Source, keys};
use std::ffi::{OsStr, OsString};
use texts::Lang;

const VARIABLE: &str = "AIDE_LANG";

/// The language of messages, and the one that was asked for the page.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Language {
    /// Of messages and help.
    pub messages: Lang,
    /// Of the page; `None` follows the browser.
    pub page: Option<Lang>,
    /// What a flag or variable asks for.
    pub given: Option<LangSetting>,
    /// The locale is English and nothing chooses a language, so that messages are in Chinese: the user may want to know how to
    /// change that.
    pub offers_english: bool,
}

impl Language {
    /// The setting that leads to this language, for another process of this program.
    pub(crate) fn setting(self) -> &'static str {
        self.page.map_or("auto", Lang::code)
    }
}

/// Decides. A flag or variable with a wrong value gives the error beside the language to tell it in.
pub(crate) fn decide(
    arguments: &[OsString],
    variable: impl Fn(&str) -> Option<OsString>,
    config_files: &ConfigFiles,
) -> (Language, Result<(), Failure>) {
    let mut wrong = Ok(());
    let flag = flag(arguments).map(|value| (Source::Flag("--lang"), value));
    let from_variable = || {
        let value = variable(VARIABLE).filter(|value| !value.is_empty())?;
        Some((Source::Variable(VARIABLE), value))
    };
    let given = [flag, from_variable()].into_iter().flatten().find_map(|(at, value)| {
        let setting = value.to_str().and_then(|value| value.parse().ok());
        if setting.is_none() && wrong.is_ok() {
            let value = value.to_string_lossy().into_owned();
            let key = &keys::GENERAL_LANG;
            wrong = Err(BadSetting { key, at, value, lets_anybody_in: false }.into());
        }
        setting
    });
    // A configuration that cannot be read is reported by the commands that depend on it.
    let setting = given.or_else(|| config_files.lang());
    let locale = ["LC_ALL", "LC_MESSAGES", "LANG"]
        .into_iter()
        .find_map(|name| variable(name).filter(|value| !value.is_empty()))
        .map(|locale| locale.to_string_lossy().into_owned())
        .unwrap_or_default();
    let (messages, page) = match setting.unwrap_or_default() {
        // What the file says of the language may be what cannot be read.
        _ if setting.is_none() && is_english(&locale) && config_files.is_broken() => (Lang::En, None),
        LangSetting::Zh => (Lang::Zh, Some(Lang::Zh)),
        LangSetting::En => (Lang::En, Some(Lang::En)),
        LangSetting::Auto => (Lang::from_locale(&locale), None),
    };
    let offers_english = setting.is_none() && is_english(&locale) && messages != Lang::En;
    (Language { messages, page, given, offers_english }, wrong)
}

/// Whether a locale names English. `C` names no language.
fn is_english(locale: &str) -> bool {
    locale.split(['_', '.', '@']).next() == Some("en")
}

/// The value of the last `--lang` on the command line.
pub(crate) fn flag(arguments: &[OsString]) -> Option<OsString> {
    let mut found = None;
    let mut rest = arguments.iter().take_while(|argument| *argument != "--");
    while let Some(argument) = rest.next() {
        if argument == "--lang" {
            found = rest.next().cloned();
        } else if let Some(value) = argument.to_str().and_then(|text| text.strip_prefix("--lang=")) {
            found = Some(OsStr::new(value).to_owned());
        }
    }
    found
}
