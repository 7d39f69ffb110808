//! The settings of a server of questions: flag, then variable, then file, then default, each checked.

use crate::overrides::{BadSetting, Overrides, SettingError};
use crate::trust::Subject;
use crate::{Auth, ConfigValue, EffectiveValue, Key, Layers, Spanned, UncheckedValue, forms, keys};
use std::ffi::OsString;
use std::time::Duration;

/// Checked values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerSettings {
    /// The first port to try; 0 takes any free one.
    pub port: u16,
    /// `localhost` or an IP address.
    pub host: String,
    /// The link to print; empty when it is made from the port.
    pub url: String,
    /// Whether a login is needed.
    pub auth: Auth,
    /// How long to wait; `None` waits for ever.
    pub timeout: Option<Duration>,
}

/// Settings of which each is checked by itself.
struct SettingsBuilder {
    settings: ServerSettings,
    /// What said whether a login is needed.
    auth: UncheckedValue,
    /// The keys that are as the project's file says.
    from_project: Vec<&'static Key>,
}

impl ServerSettings {
    /// The settings, as far as they may be applied: project settings that a stranger could abuse are not, unless `is_trusted`
    /// says that the user has trusted this text of the file. `flag` and `variable` look up given values, which are the user's
    /// own.
    ///
    /// # Errors
    ///
    /// When a value is wrong, also one that would not be applied: a mistake is an error, regardless of its author.
    pub fn resolve(
        layers: Layers<'_>,
        flag: impl Fn(&Key) -> Option<OsString>,
        variable: impl Fn(&str) -> Option<OsString>,
        is_trusted: impl FnOnce(&str) -> bool,
    ) -> Result<EffectiveValue<Self>, SettingError> {
        let above = Overrides { flag: &flag, variable: &variable };
        let mut gathered = SettingsBuilder::read(layers, &above)?;
        let mut ignored = layers.needing_trust();
        ignored.retain(|key| gathered.from_project.contains(key));
        if !ignored.is_empty() {
            if is_trusted(layers.project_text()) {
                ignored.clear();
            } else {
                gathered = SettingsBuilder::read(layers.ignoring(&ignored), &above)?;
            }
        }
        match gathered.contradiction() {
            Some(bad) => Err(bad.into()),
            None => Ok(EffectiveValue { value: gathered.settings, ignored }),
        }
    }

    /// What the project's file alone says, as if it were trusted, and what is wrong with it taken together: what cannot be
    /// followed can still be shown.
    ///
    /// # Errors
    ///
    /// When a value is wrong.
    pub fn of_project(layers: Layers<'_>) -> Result<(Self, Option<BadSetting>), SettingError> {
        let above = Overrides { flag: &|_| None, variable: &|_| None };
        let gathered = SettingsBuilder::read(layers.project_alone(), &above)?;
        let contradiction = gathered.contradiction();
        Ok((gathered.settings, contradiction))
    }

    /// The keys whose values would need trust if a project's file said these, and the values.
    pub fn needing_trust(&self) -> Vec<(&'static Key, ConfigValue)> {
        let said = [
            (&keys::DECIDE_BIND, self.host.as_str()),
            (&keys::DECIDE_URL, &self.url),
            (&keys::DECIDE_AUTH, self.auth.name()),
        ];
        let values = said.map(|(key, text)| (key, ConfigValue::Text(text.to_owned())));
        values.into_iter().filter(|(key, value)| key.needs_trust(value)).collect()
    }

    /// Whether only this machine can come.
    pub fn is_loopback(&self) -> bool {
        forms::is_loopback(&self.host)
    }

    /// Whether the page needs a login.
    pub fn needs_login(&self) -> bool {
        match self.auth {
            Auth::Always => true,
            Auth::Auto => !self.is_loopback(),
            Auth::Never => false,
        }
    }

    /// As it is trusted when a later server is to be started the same way.
    pub fn subject(&self) -> Subject<'_> {
        Subject::Server { bind: &self.host, url: &self.url, auth: self.auth.name() }
    }
}

impl SettingsBuilder {
    fn read(layers: Layers<'_>, above: &Overrides<'_>) -> Result<Self, SettingError> {
        let config = layers.config()?.decide;
        let mut from_project = Vec::new();
        let mut nearest = |key: &'static Key, in_file: Spanned| {
            let in_file = UncheckedValue { source: in_file.source, text: in_file.text.into() };
            let given = above.given(key).unwrap_or(in_file);
            if given.source.is_project() {
                from_project.push(key);
            }
            given
        };
        let bind = nearest(&keys::DECIDE_BIND, config.bind);
        let url = nearest(&keys::DECIDE_URL, config.url);
        let auth = nearest(&keys::DECIDE_AUTH, config.auth);
        let settings = ServerSettings {
            host: bind.as_a(&keys::DECIDE_BIND, forms::address)?,
            url: url.as_a(&keys::DECIDE_URL, |text| forms::is_link(text).then(|| text.to_owned()))?,
            port: above.number(&keys::DECIDE_PORT, config.port)?,
            auth: auth.parse(&keys::DECIDE_AUTH)?,
            timeout: span(above.number(&keys::DECIDE_TIMEOUT, config.timeout)?),
        };
        Ok(Self { settings, auth, from_project })
    }

    /// Others could come without a login.
    fn contradiction(&self) -> Option<BadSetting> {
        let lets_anybody_in = self.settings.auth == Auth::Never && !self.settings.is_loopback();
        lets_anybody_in.then(|| self.auth.bad(&keys::DECIDE_AUTH, true))
    }
}

/// A span of so many seconds; 0 is for ever.
fn span(seconds: u64) -> Option<Duration> {
    (seconds > 0).then(|| Duration::from_secs(seconds))
}
