//! What is in a cell of a table.

use protocol::workflow::{AgentState, EventType, TaskState, WorkflowState};

/// A time: milliseconds since the beginning of 1970.
pub type Millis = i64;

/// What is in a cell of a table.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cell {
    /// Nothing.
    Null,
    /// A number, a time, or 1 for true and 0 for false.
    Integer(i64),
    /// A text; JSON is one as well.
    Text(String),
}

/// A cell that does not hold what its column is for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{table}.{column} is not readable")]
pub struct UnreadableCell {
    /// The table.
    pub table: &'static str,
    /// The column.
    pub column: &'static str,
}

/// What can be in a cell.
pub(crate) trait CellValue: Sized {
    /// Whether it is kept as a number.
    const IS_NUMBER: bool = false;

    /// As it is kept.
    fn to_cell(&self) -> Cell;
    /// As it was kept; `None` for anything else.
    fn from_cell(cell: Cell) -> Option<Self>;
}

impl CellValue for i64 {
    const IS_NUMBER: bool = true;

    fn to_cell(&self) -> Cell {
        Cell::Integer(*self)
    }

    fn from_cell(cell: Cell) -> Option<Self> {
        match cell {
            Cell::Integer(number) => Some(number),
            _ => None,
        }
    }
}

impl CellValue for bool {
    const IS_NUMBER: bool = true;

    fn to_cell(&self) -> Cell {
        Cell::Integer((*self).into())
    }

    fn from_cell(cell: Cell) -> Option<Self> {
        match cell {
            Cell::Integer(0) => Some(false),
            Cell::Integer(1) => Some(true),
            _ => None,
        }
    }
}

impl CellValue for String {
    fn to_cell(&self) -> Cell {
        Cell::Text(self.clone())
    }

    fn from_cell(cell: Cell) -> Option<Self> {
        match cell {
            Cell::Text(text) => Some(text),
            _ => None,
        }
    }
}

impl<T: CellValue> CellValue for Option<T> {
    const IS_NUMBER: bool = T::IS_NUMBER;

    fn to_cell(&self) -> Cell {
        self.as_ref().map_or(Cell::Null, T::to_cell)
    }

    fn from_cell(cell: Cell) -> Option<Self> {
        match cell {
            Cell::Null => Some(None),
            cell => T::from_cell(cell).map(Some),
        }
    }
}

/// One of a few names, kept as that name.
macro_rules! named {
    ($($type:ty),* $(,)?) => { $(
        impl $crate::cell::CellValue for $type {
            fn to_cell(&self) -> $crate::Cell {
                $crate::Cell::Text(self.name().to_owned())
            }

            fn from_cell(cell: $crate::Cell) -> Option<Self> {
                match cell {
                    $crate::Cell::Text(name) => Self::named(&name),
                    _ => None,
                }
            }
        }
    )* };
}

named!(AgentState, EventType, TaskState, WorkflowState);

pub(crate) use named;
