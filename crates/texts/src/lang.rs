//! The languages, and how they are named by people, locales and browsers.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

/// A language that every text exists in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Lang {
    /// Simplified Chinese: the documented language, and the default.
    #[default]
    Zh,
    /// English.
    En,
}

/// A text that names no language we have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnknownLang;

impl Lang {
    /// Both, the default first.
    pub const ALL: [Self; 2] = [Self::Zh, Self::En];

    /// The name used by flags and configuration.
    pub fn code(self) -> &'static str {
        match self {
            Self::Zh => "zh",
            Self::En => "en",
        }
    }

    /// The value of the `lang` attribute of HTML.
    pub fn html_lang(self) -> &'static str {
        match self {
            Self::Zh => "zh-CN",
            Self::En => "en",
        }
    }

    /// The language for a locale such as `zh_CN.UTF-8`. Readers of other languages than Chinese are more likely to read
    /// English; an empty locale says nothing and gives the default.
    pub fn from_locale(locale: &str) -> Self {
        if locale.is_empty() { Self::default() } else { Self::from_tag(locale).unwrap_or(Self::En) }
    }

    /// The language a browser prefers by its `Accept-Language` header; `None` when it accepts neither.
    pub fn from_accept_language(header: &str) -> Option<Self> {
        let mut best: Option<(Self, f32)> = None;
        for range in header.split(',') {
            let (tag, parameters) = range.split_once(';').unwrap_or((range, ""));
            let Some(lang) = Self::from_tag(tag.trim()) else { continue };
            let quality = quality(parameters);
            // At equal quality the one named first stays.
            let better = best.is_none_or(|(_, best)| quality.total_cmp(&best) == Ordering::Greater);
            if quality > 0.0 && better {
                best = Some((lang, quality));
            }
        }
        best.map(|(lang, _)| lang)
    }

    /// By the primary part of a language tag or locale name.
    fn from_tag(tag: &str) -> Option<Self> {
        let primary = tag.split(['-', '_', '.', '@']).next().unwrap_or_default();
        Self::ALL.into_iter().find(|lang| primary.eq_ignore_ascii_case(lang.code()))
    }
}

/// The `q` of one range: 1 when it is not given, 0 (not acceptable) when it is malformed.
fn quality(parameters: &str) -> f32 {
    let given = parameters.split(';').find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        name.trim().eq_ignore_ascii_case("q").then(|| value.trim())
    });
    match given {
        None => 1.0,
        Some(value) => value.parse().ok().filter(|quality| (0.0..=1.0).contains(quality)).unwrap_or_default(),
    }
}

impl FromStr for Lang {
    type Err = UnknownLang;

    fn from_str(text: &str) -> Result<Self, UnknownLang> {
        Self::ALL.into_iter().find(|lang| lang.code() == text).ok_or(UnknownLang)
    }
}

impl fmt::Display for UnknownLang {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a language (zh, en)")
    }
}

impl std::error::Error for UnknownLang {}

#[cfg(test)]
mod tests {
    use super::{Lang, UnknownLang};

    #[test]
    fn codes_are_read_back() {
        for lang in Lang::ALL {
            assert_eq!(lang.code().parse(), Ok(lang));
        }
        for other in ["", "ZH", "zh-CN", "de", "auto", " en"] {
            assert_eq!(other.parse::<Lang>(), Err(UnknownLang), "{other:?}");
        }
    }

    #[test]
    fn locales() {
        for (locale, lang) in [
            ("zh_CN.UTF-8", Lang::Zh),
            ("zh", Lang::Zh),
            ("ZH-hant", Lang::Zh),
            ("zh@pinyin", Lang::Zh),
            ("en_US.UTF-8", Lang::En),
            ("de_DE", Lang::En),
            ("C", Lang::En),
            ("C.UTF-8", Lang::En),
            ("POSIX", Lang::En),
            ("zhx", Lang::En),
            ("", Lang::Zh),
        ] {
            assert_eq!(Lang::from_locale(locale), lang, "{locale:?}");
        }
    }

    #[test]
    fn browsers() {
        for (header, lang) in [
            ("zh-CN,zh;q=0.9,en;q=0.8", Some(Lang::Zh)),
            ("en-US,en;q=0.9,zh;q=0.8", Some(Lang::En)),
            ("de, en;q=0.2, zh ; Q = 0.7", Some(Lang::Zh)),
            ("en;q=0.5,zh;q=0.5", Some(Lang::En)),
            ("fr,de", None),
            ("*", None),
            ("", None),
            (",;,=;q", None),
            ("zh;q=0,en;q=0.1", Some(Lang::En)),
            ("zh;q=0", None),
            ("zh;q=nan,en;q=0.1", Some(Lang::En)),
            ("zh;q=2,en;q=0.1", Some(Lang::En)),
            ("zh;level=1;q=0.3,en;q=0.2", Some(Lang::Zh)),
        ] {
            assert_eq!(Lang::from_accept_language(header), lang, "{header:?}");
        }
    }
}
