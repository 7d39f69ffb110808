//! Declaration of formats: each member once, with its type. The type defines what is valid, so the struct, its parser and its
//! JSON Schema cannot disagree.

/// An object: a struct with public members, and all other members of the document in `extra`. A member of type `Option` may be
/// absent or `null`; all others are required. `check` validates rules across several members.
macro_rules! document {
    (
        $(#[$meta:meta])*
        $name:ident {
            $( $(#[$field_meta:meta])* $field:ident $(as $key:literal)? : $type:ty, )*
        }
        $(check $check:expr)?
    ) => {
        #[derive(Debug, Clone, PartialEq, serde::Serialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        $(#[$meta])*
        pub struct $name {
            $(
                $(#[$field_meta])*
                $(#[serde(rename = $key)])?
                #[serde(skip_serializing_if = "crate::agent::read::Member::is_absent")]
                pub $field: $type,
            )*
            /// Unknown members, in order.
            #[serde(flatten)]
            pub extra: $crate::agent::Extra,
        }

        impl $name {
            /// Names of the known members, in order.
            pub const MEMBERS: &[&str] = &[$(document!(@key $field $($key)?)),*];
        }

        impl $crate::agent::read::Member for $name {
            fn read(
                reader: &mut $crate::agent::read::Reader,
                place: &$crate::agent::read::Place<'_>,
                value: Option<&serde_json::Value>,
            ) -> Option<Self> {
                let object = reader.object(place, value)?;
                $(
                    let $field = {
                        let key = document!(@key $field $($key)?);
                        <$type as $crate::agent::read::Member>::read(reader, &place.key(key), object.get(key))
                    };
                )*
                $(
                    let check: $crate::agent::read::Check = $check;
                    check(reader, place, object);
                )?
                Some(Self { $($field: $field?,)* extra: $crate::agent::read::others(object, Self::MEMBERS) })
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $crate::agent::read::deserialize(deserializer)
            }
        }
    };
    (@key $field:ident $key:literal) => { $key };
    (@key $field:ident) => { stringify!($field) };
}

/// A string that is one of a fixed set of names, in a document.
macro_rules! document_names {
    (
        $(#[$meta:meta])*
        $name:ident { $($variants:tt)* }
    ) => {
        $crate::names::name_enum! { $(#[$meta])* $name { $($variants)* } }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $crate::agent::read::deserialize(deserializer)
            }
        }

        impl $crate::agent::read::Member for $name {
            fn read(
                reader: &mut $crate::agent::read::Reader,
                place: &$crate::agent::read::Place<'_>,
                value: Option<&serde_json::Value>,
            ) -> Option<Self> {
                let found = value.and_then(serde_json::Value::as_str).and_then(Self::named);
                if found.is_none() {
                    reader.note(place, $crate::agent::Rule::IsOneOf { names: Self::NAMES }, value);
                }
                found
            }
        }
    };
}

/// A string with a rule, which `FromStr` implements.
macro_rules! text {
    ($type:ident, $rule:expr) => {
        impl $type {
            /// Returns the text as written.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl std::ops::Deref for $type {
            type Target = str;

            fn deref(&self) -> &str {
                &self.0
            }
        }

        impl AsRef<str> for $type {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }

        impl PartialEq<str> for $type {
            fn eq(&self, other: &str) -> bool {
                *self.0 == *other
            }
        }

        impl PartialEq<&str> for $type {
            fn eq(&self, other: &&str) -> bool {
                *self.0 == **other
            }
        }

        impl From<$type> for String {
            fn from(text: $type) -> Self {
                (*text.0).to_owned()
            }
        }

        $crate::agent::macros::text_like!($type, $rule);
    };
}

/// The part of [`text`] for a type that holds more than its text.
macro_rules! text_like {
    ($type:ident, $rule:expr) => {
        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(&self.0)
            }
        }

        $crate::agent::macros::read_from_text!($type, $rule);
    };
}

/// The part of [`text_like`] for any type with `Display` and `FromStr`.
macro_rules! read_from_text {
    ($type:ident, $rule:expr) => {
        impl TryFrom<String> for $type {
            type Error = <Self as std::str::FromStr>::Err;

            fn try_from(text: String) -> Result<Self, Self::Error> {
                text.parse()
            }
        }

        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $crate::agent::read::deserialize(deserializer)
            }
        }

        impl $crate::agent::read::Member for $type {
            fn read(
                reader: &mut $crate::agent::read::Reader,
                place: &$crate::agent::read::Place<'_>,
                value: Option<&serde_json::Value>,
            ) -> Option<Self> {
                let Some(serde_json::Value::String(text)) = value else {
                    reader.note(place, $crate::agent::Rule::IsString, value);
                    return None;
                };
                match text.parse::<Self>() {
                    Ok(read) => Some(read),
                    Err(error) => {
                        let rule: fn(<Self as std::str::FromStr>::Err) -> $crate::agent::Rule = $rule;
                        reader.note(place, rule(error), value);
                        None
                    }
                }
            }
        }
    };
}

pub(crate) use crate::names::leaf_schema;
pub(crate) use {document, document_names, read_from_text, text, text_like};
