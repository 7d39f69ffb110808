//! Declaration of names and payloads.

use serde::de::{DeserializeOwned, Deserializer, Error as _};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// A string that is one of a fixed set of names.
macro_rules! payload_names {
    ($(#[$meta:meta])* $name:ident { $($variants:tt)* }) => {
        $crate::names::name_enum! { $(#[$meta])* $name { $($variants)* } }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let name = String::deserialize(deserializer)?;
                Self::named(&name).ok_or_else(|| serde::de::Error::unknown_variant(&name, Self::NAMES))
            }
        }

        impl $crate::workflow::macros::Member for $name {}
    };
}

/// An object with public members, in camel case. A member of type `Option` may be absent.
macro_rules! payload {
    (
        $(#[$meta:meta])*
        $name:ident {
            $( $(#[$field_meta:meta])* $field:ident $(as $key:literal)? : $type:ty, )*
        }
    ) => {
        #[derive(Debug, Clone, PartialEq, serde::Serialize)]
        #[serde(rename_all = "camelCase")]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        $(#[$meta])*
        pub struct $name {
            $(
                $(#[$field_meta])*
                $(#[serde(rename = $key)])?
                #[serde(skip_serializing_if = "crate::workflow::macros::Member::is_absent")]
                pub $field: $type,
            )*
        }

        impl $crate::workflow::macros::Member for $name {}

        impl $crate::workflow::macros::Object for $name {
            fn read(members: &mut $crate::workflow::macros::Members) -> serde_json::Result<Self> {
                Ok(Self {
                    $( $field: members.take(payload!(@name $field $($key)?))?, )*
                })
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $crate::workflow::macros::deserialize(deserializer)
            }
        }
    };
    (@name $field:ident $key:literal) => { $key };
    (@name $field:ident) => {{
        const SNAKE: &str = stringify!($field);
        const CAMEL: [u8; $crate::workflow::macros::camel_length(SNAKE)] = $crate::workflow::macros::camel(SNAKE);
        const NAME: &str = match std::str::from_utf8(&CAMEL) {
            Ok(name) => name,
            Err(_) => panic!("a name is ASCII"),
        };
        NAME
    }};
}

/// Returns the number of bytes of a name in camel case.
pub(crate) const fn camel_length(snake: &str) -> usize {
    let (bytes, mut length, mut i) = (snake.as_bytes(), 0, 0);
    while i < bytes.len() {
        if bytes[i] != b'_' {
            length += 1;
        }
        i += 1;
    }
    length
}

/// Returns a name in camel case, of which serde knows only the written form.
pub(crate) const fn camel<const N: usize>(snake: &str) -> [u8; N] {
    let (bytes, mut name, mut length, mut i) = (snake.as_bytes(), [0; N], 0, 0);
    while i < bytes.len() {
        if bytes[i] != b'_' {
            let begins_word = i > 0 && bytes[i - 1] == b'_';
            name[length] = if begins_word { bytes[i].to_ascii_uppercase() } else { bytes[i] };
            length += 1;
        }
        i += 1;
    }
    name
}

/// The members of an object that is read. Derived code would be compiled for each type and each source of JSON; of this, only the
/// map is compiled for each source, and of each type only which members it has.
pub(crate) struct Members(Map<String, Value>);

impl Members {
    /// Removes a member and returns it.
    pub(crate) fn take<T: Member + DeserializeOwned>(&mut self, name: &'static str) -> serde_json::Result<T> {
        match self.0.remove(name) {
            Some(value) => T::deserialize(value),
            None => T::absent().ok_or_else(|| serde_json::Error::missing_field(name)),
        }
    }
}

/// A type that is declared by `payload!`.
pub(crate) trait Object: Sized {
    /// Reads it from its members.
    fn read(members: &mut Members) -> serde_json::Result<Self>;
}

/// Reads an object.
pub(crate) fn deserialize<'de, T: Object, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    let mut members = Members(serde::Deserialize::deserialize(deserializer)?);
    T::read(&mut members).map_err(D::Error::custom)
}

/// Type of a member of an object.
pub(crate) trait Member: Sized {
    /// Whether the member is omitted when written.
    fn is_absent(&self) -> bool {
        false
    }

    /// Returns what the member is if it is omitted.
    fn absent() -> Option<Self> {
        None
    }
}

impl<T> Member for Option<T> {
    fn is_absent(&self) -> bool {
        self.is_none()
    }

    fn absent() -> Option<Self> {
        Some(None)
    }
}

impl<T> Member for Vec<T> {}
impl<K, V> Member for BTreeMap<K, V> {}
impl Member for String {}
impl Member for bool {}
impl Member for u8 {}
impl Member for u64 {}
impl Member for f64 {}
impl Member for Value {}
impl Member for Map<String, Value> {}

pub(crate) use {payload, payload_names};
