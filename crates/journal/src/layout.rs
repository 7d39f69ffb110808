//! How a table looks, and how tables are declared.

/// How a table looks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Layout {
    /// Its name.
    pub(crate) name: &'static str,
    /// Its columns: first those of the key, last the version, if there is one.
    pub(crate) columns: &'static [&'static str],
    /// Whether they hold numbers.
    pub(crate) are_numbers: &'static [bool],
    /// How many of them are the key.
    pub(crate) keys: usize,
}

/// Declares the tables: each row as a struct, with its key first. One that can change has a version.
///
/// `Row` and `Key` are those of the module that the tables are declared in.
macro_rules! rows {
    ($(
        $(#[$meta:meta])*
        $name:ident = $table:literal $kind:ident {
            key { $( $(#[$key_meta:meta])* $key:ident : $key_type:ty as $key_given:ty, )+ }
            $( $(#[$field_meta:meta])* $field:ident : $type:ty, )*
        }
    )*) => {
        /// A table.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Table {
            $( $(#[$meta])* $name, )*
        }

        impl Table {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            pub(crate) const fn layout(self) -> $crate::layout::Layout {
                match self { $(
                    Self::$name => rows!(@layout $table $kind [$($key : $key_type,)+] [$($field : $type,)*]),
                )* }
            }
        }

        /// A row of any table.
        #[derive(Debug, Clone, PartialEq)]
        pub enum Record {
            $( $(#[$meta])* $name($name), )*
        }

        impl Record {
            pub(crate) fn table(&self) -> Table {
                match self { $( Self::$name(_) => Table::$name, )* }
            }

            pub(crate) fn key(&self) -> Key {
                match self { $( Self::$name(row) => row.key(), )* }
            }

            pub(crate) fn version(&self) -> Option<i64> {
                match self { $( Self::$name(row) => row.version(), )* }
            }

            pub(crate) fn cells(&self) -> Vec<$crate::Cell> {
                match self { $( Self::$name(row) => row.cells(), )* }
            }

            pub(crate) fn from_cells(
                table: Table,
                cells: Vec<$crate::Cell>,
            ) -> Result<Self, $crate::UnreadableCell> {
                match table { $( Table::$name => $name::from_cells(cells).map(Self::$name), )* }
            }
        }

        $(
            rows!(@row $kind $(#[$meta])* $name {
                $( $(#[$key_meta])* $key : $key_type, )+
                $( $(#[$field_meta])* $field : $type, )*
            });

            impl $name {
                /// Returns what the row is found by that has this.
                pub fn key_of($($key: $key_given),+) -> Key {
                    Key {
                        table: Table::$name,
                        cells: vec![$( $crate::cell::CellValue::to_cell(&<$key_type>::from($key)) ),+],
                    }
                }
            }

            impl From<$name> for Record {
                fn from(row: $name) -> Self {
                    Self::$name(row)
                }
            }

            impl TryFrom<Record> for $name {
                type Error = Record;

                fn try_from(record: Record) -> Result<Self, Record> {
                    match record {
                        Record::$name(row) => Ok(row),
                        other => Err(other),
                    }
                }
            }

            impl Row for $name {
                const TABLE: Table = Table::$name;

                fn key(&self) -> Key {
                    Key {
                        table: Table::$name,
                        cells: vec![$( $crate::cell::CellValue::to_cell(&self.$key) ),+],
                    }
                }

                fn version(&self) -> Option<i64> {
                    rows!(@version $kind self)
                }

                fn cells(&self) -> Vec<$crate::Cell> {
                    let mut cells = vec![
                        $( $crate::cell::CellValue::to_cell(&self.$key), )+
                        $( $crate::cell::CellValue::to_cell(&self.$field), )*
                    ];
                    cells.extend(self.version().map($crate::Cell::Integer));
                    cells
                }

                fn from_cells(cells: Vec<$crate::Cell>) -> Result<Self, $crate::UnreadableCell> {
                    let mut cells = cells.into_iter();
                    let mut next = || cells.next().unwrap_or($crate::Cell::Null);
                    let table = $table;
                    $( let $key = $crate::cell::CellValue::from_cell(next())
                        .ok_or($crate::UnreadableCell { table, column: stringify!($key) })?; )+
                    $( let $field = $crate::cell::CellValue::from_cell(next())
                        .ok_or($crate::UnreadableCell { table, column: stringify!($field) })?; )*
                    rows!(@of $kind $name { $($key,)+ $($field,)* } next, table)
                }
            }
        )*
    };

    (@layout $table:literal changing [$($key:ident : $key_type:ty,)+] [$($field:ident : $type:ty,)*]) => {
        $crate::layout::Layout {
            name: $table,
            columns: &[$(stringify!($key),)+ $(stringify!($field),)* "version"],
            are_numbers: const { &[$(rows!(@is_number $key_type),)+ $(rows!(@is_number $type),)* true] },
            keys: [$(stringify!($key)),+].len(),
        }
    };
    (@layout $table:literal written_once [$($key:ident : $key_type:ty,)+] [$($field:ident : $type:ty,)*]) => {
        $crate::layout::Layout {
            name: $table,
            columns: &[$(stringify!($key),)+ $(stringify!($field),)*],
            are_numbers: const { &[$(rows!(@is_number $key_type),)+ $(rows!(@is_number $type),)*] },
            keys: [$(stringify!($key)),+].len(),
        }
    };

    (@is_number $type:ty) => {
        <$type as $crate::cell::CellValue>::IS_NUMBER
    };

    (@row changing $(#[$meta:meta])* $name:ident { $( $(#[$field_meta:meta])* $field:ident : $type:ty, )* }) => {
        #[derive(Debug, Clone, PartialEq)]
        $(#[$meta])*
        pub struct $name {
            $( $(#[$field_meta])* pub $field: $type, )*
            /// The number of the change that made it so, from 1; 0 for a row that is not kept yet.
            pub version: i64,
        }
    };
    (@row written_once $(#[$meta:meta])* $name:ident { $( $(#[$field_meta:meta])* $field:ident : $type:ty, )* }) => {
        #[derive(Debug, Clone, PartialEq)]
        $(#[$meta])*
        pub struct $name {
            $( $(#[$field_meta])* pub $field: $type, )*
        }
    };

    (@version changing $row:ident) => { Some($row.version) };
    (@version written_once $row:ident) => { None };

    (@of changing $name:ident { $($field:ident,)* } $next:ident, $table:ident) => {{
        let version = $crate::cell::CellValue::from_cell($next())
            .ok_or($crate::UnreadableCell { table: $table, column: "version" })?;
        Ok($name { $($field,)* version })
    }};
    (@of written_once $name:ident { $($field:ident,)* } $next:ident, $table:ident) => { Ok($name { $($field,)* }) };
}

pub(crate) use rows;
