//! Declaration of names and payloads.

/// A string that is one of a fixed set of names.
macro_rules! names {
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
macro_rules! object {
    (
        $(#[$meta:meta])*
        $name:ident {
            $( $(#[$field_meta:meta])* $field:ident $(as $key:literal)? : $type:ty, )*
        }
    ) => {
        #[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
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
    };
}

/// Type of a member of an object.
pub(crate) trait Member {
    /// Whether the member is omitted when written.
    fn is_absent(&self) -> bool {
        false
    }
}

impl<T> Member for Option<T> {
    fn is_absent(&self) -> bool {
        self.is_none()
    }
}

impl<T> Member for Vec<T> {}
impl<K, V> Member for std::collections::BTreeMap<K, V> {}
impl Member for String {}
impl Member for bool {}
impl Member for u8 {}
impl Member for u64 {}
impl Member for f64 {}
impl Member for serde_json::Value {}
impl Member for serde_json::Map<String, serde_json::Value> {}

pub(crate) use {names, object};
