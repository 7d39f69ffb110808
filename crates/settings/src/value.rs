//! A value of a configuration, whatever its key.

use std::fmt::{self, Display, Formatter, Write};
use toml_edit::{Item, Key as Name, TableLike, Value};

/// A value as TOML has it. As text it is TOML on one line.
#[derive(Debug, Clone, PartialEq)]
pub enum ConfigValue {
    /// `true` or `false`.
    Boolean(bool),
    /// A whole number.
    Integer(i64),
    /// A number with a fraction.
    Float(f64),
    /// A text.
    Text(String),
    /// A date or time, as it is written.
    Time(String),
    /// A list.
    List(Vec<Self>),
    /// A table, in the order of the file.
    Table(Vec<(String, Self)>),
}

impl ConfigValue {
    /// A list of texts.
    pub fn texts<T: AsRef<str>>(texts: impl IntoIterator<Item = T>) -> Self {
        Self::List(texts.into_iter().map(|text| Self::Text(text.as_ref().to_owned())).collect())
    }

    /// Reads a value as TOML writes it; `None` when it is none.
    pub fn parse(text: &str) -> Option<Self> {
        Some(Self::of_value(&text.parse().ok()?))
    }

    /// The text, if it is one.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The whole number, if it is one.
    pub fn as_integer(&self) -> Option<i64> {
        match self {
            Self::Integer(number) => Some(*number),
            _ => None,
        }
    }

    /// The texts of a list of nothing else.
    pub fn into_texts(self) -> Option<Vec<String>> {
        let Self::List(values) = self else { return None };
        let texts = values.into_iter().map(|value| match value {
            Self::Text(text) => Some(text),
            _ => None,
        });
        texts.collect()
    }

    /// As JSON. What that has no word for is a text.
    pub fn to_json(&self) -> serde_json::Value {
        match self {
            Self::Boolean(truth) => (*truth).into(),
            Self::Integer(number) => (*number).into(),
            Self::Float(number) if number.is_finite() => (*number).into(),
            Self::Text(text) => text.as_str().into(),
            Self::Float(_) | Self::Time(_) => self.to_string().into(),
            Self::List(values) => values.iter().map(Self::to_json).collect(),
            Self::Table(entries) => {
                entries.iter().map(|(name, value)| (name.clone(), value.to_json())).collect()
            }
        }
    }

    /// What stands in a file; `None` for nothing.
    pub(crate) fn from_item(item: &Item) -> Option<Self> {
        match item {
            Item::None => None,
            Item::Value(value) => Some(Self::of_value(value)),
            Item::Table(table) => Some(Self::of_table(table)),
            Item::ArrayOfTables(tables) => {
                Some(Self::List(tables.iter().map(|table| Self::of_table(table)).collect()))
            }
        }
    }

    pub(crate) fn of_value(value: &Value) -> Self {
        match value {
            Value::String(text) => Self::Text(text.value().clone()),
            Value::Integer(number) => Self::Integer(*number.value()),
            Value::Float(number) => Self::Float(*number.value()),
            Value::Boolean(truth) => Self::Boolean(*truth.value()),
            Value::Datetime(time) => Self::Time(time.value().to_string()),
            Value::Array(array) => Self::List(array.iter().map(Self::of_value).collect()),
            Value::InlineTable(table) => Self::of_table(table),
        }
    }

    /// What TOML calls it.
    pub(crate) fn type_name(&self) -> &'static str {
        match self {
            Self::Boolean(_) => "boolean",
            Self::Integer(_) => "integer",
            Self::Float(_) => "float",
            Self::Text(_) => "string",
            Self::Time(_) => "datetime",
            Self::List(_) => "array of strings",
            Self::Table(_) => "table",
        }
    }

    fn of_table(table: &dyn TableLike) -> Self {
        Self::Table(
            table.iter().filter_map(|(name, item)| Some((name.to_owned(), Self::from_item(item)?))).collect(),
        )
    }
}

impl Display for ConfigValue {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Boolean(truth) => write!(out, "{truth}"),
            Self::Integer(number) => write!(out, "{number}"),
            Self::Float(number) if number.is_nan() => out.write_str("nan"),
            // With a fraction or an exponent, so that it stays one.
            Self::Float(number) => write!(out, "{number:?}"),
            Self::Text(text) => write_text(out, text),
            Self::Time(time) => out.write_str(time),
            Self::List(values) => {
                out.write_char('[')?;
                for (index, value) in values.iter().enumerate() {
                    out.write_str(if index > 0 { ", " } else { "" })?;
                    value.fmt(out)?;
                }
                out.write_char(']')
            }
            Self::Table(entries) if entries.is_empty() => out.write_str("{}"),
            Self::Table(entries) => {
                for (index, (name, value)) in entries.iter().enumerate() {
                    out.write_str(if index > 0 { ", " } else { "{ " })?;
                    write!(out, "{} = ", key_text(name))?;
                    value.fmt(out)?;
                }
                out.write_str(" }")
            }
        }
    }
}

/// A name as it is written in front of `=`.
pub fn key_text(name: &str) -> String {
    let is_bare = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    match !name.is_empty() && name.chars().all(is_bare) {
        true => name.to_owned(),
        false => ConfigValue::Text(name.to_owned()).to_string(),
    }
}

/// The names in a key as it is written, such as `a."b c"`; `None` when it is none.
pub fn key_names(text: &str) -> Option<Vec<String>> {
    let names = Name::parse(text).ok()?;
    Some(names.iter().map(|name| name.get().to_owned()).collect())
}

/// A text as a basic string, on one line.
fn write_text(out: &mut impl Write, text: &str) -> fmt::Result {
    out.write_char('"')?;
    for c in text.chars() {
        match c {
            '"' => out.write_str("\\\"")?,
            '\\' => out.write_str("\\\\")?,
            '\n' => out.write_str("\\n")?,
            '\r' => out.write_str("\\r")?,
            '\t' => out.write_str("\\t")?,
            c if c.is_control() => write!(out, "\\u{:04X}", u32::from(c))?,
            c => out.write_char(c)?,
        }
    }
    out.write_char('"')
}

#[cfg(test)]
mod tests {
    use super::ConfigValue;
    use proptest::prelude::*;
    use toml_edit::Document;

    fn parsed(text: &str) -> ConfigValue {
        let text = format!("x = {text}");
        let document = Document::parse(text.as_str()).unwrap();
        ConfigValue::from_item(&document["x"]).unwrap()
    }

    #[test]
    fn a_value_is_written_as_toml_writes_it() {
        for (text, written) in [
            ("true", "true"),
            ("0x10", "16"),
            ("1e3", "1000.0"),
            ("-inf", "-inf"),
            ("nan", "nan"),
            ("'C:\\new'", "\"C:\\\\new\""),
            ("\"\"\"\na\n\tb\"\"\"", "\"a\\n\\tb\""),
            ("1979-05-27 07:32:00", "1979-05-27T07:32:00"),
            ("[\n 'a', # why\n 'b',\n]", "[\"a\", \"b\"]"),
            ("{ a.b = 1, 'c d' = [], \"\" = {} }", "{ a = { b = 1 }, \"c d\" = [], \"\" = {} }"),
        ] {
            assert_eq!(parsed(text).to_string(), written, "{text}");
            // A nan differs from itself.
            assert_eq!(parsed(written).to_string(), written);
        }
    }

    proptest! {
        #[test]
        fn any_text_comes_back(text in any::<String>()) {
            let value = ConfigValue::Text(text);
            prop_assert_eq!(parsed(&value.to_string()), value);
        }
    }
}
