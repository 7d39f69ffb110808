//! The statements, made of the tables' layouts. Every name in them is a constant of this crate.

use crate::layout::Layout;
use crate::query::{Condition, Count, RawQuery, Sum};
use crate::rows::Table;
use rusqlite::types::{ToSqlOutput, Value, ValueRef};

/// The number of the last event. Where it is the last one that was pruned, the counter has it.
pub(super) const LAST_EVENT: &str =
    "SELECT max(value, coalesce((SELECT max(seq) FROM event), 0)) FROM counter WHERE name = 'seq'";

impl rusqlite::ToSql for crate::Cell {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self {
            Self::Null => ToSqlOutput::Owned(Value::Null),
            Self::Integer(number) => ToSqlOutput::Owned(Value::Integer(*number)),
            Self::Text(text) => ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())),
        })
    }
}

/// Binds the cells of a row. Nothing happens if there is such a row.
pub(super) fn insert(table: Table) -> String {
    let Layout { name, columns, .. } = table.layout();
    let values = marks(columns.len());
    format!("INSERT INTO {name} ({}) VALUES ({values}) ON CONFLICT DO NOTHING", columns.join(", "))
}

/// Writes the columns at these places, and the version. Binds their cells and the new version, then the key, then the version that
/// the row has. What is not written is in no index that is written.
pub(super) fn update(table: Table, changed: &[usize]) -> String {
    let Layout { name, columns, keys, .. } = table.layout();
    let version = columns.len() - 1;
    let set: Vec<_> = changed.iter().chain([&version]).map(|at| format!("{} = ?", columns[*at])).collect();
    let key: Vec<_> = columns[..keys].iter().map(|column| format!("{column} = ?")).collect();
    format!("UPDATE {name} SET {} WHERE {} AND version = ?", set.join(", "), key.join(" AND "))
}

/// Binds the key.
pub(super) fn select(table: Table) -> String {
    let layout = table.layout();
    format!("SELECT {} FROM {} WHERE {}", layout.columns.join(", "), layout.name, has_key(layout))
}

/// Binds the key.
pub(super) fn delete(table: Table) -> String {
    let layout = table.layout();
    format!("DELETE FROM {} WHERE {}", layout.name, has_key(layout))
}

fn has_key(layout: Layout) -> String {
    let keys: Vec<_> = (0..layout.keys).map(|at| format!("{} = ?{}", layout.columns[at], at + 1)).collect();
    keys.join(" AND ")
}

/// The statement, and what it binds.
pub(super) fn find(query: &RawQuery) -> (String, Vec<crate::Cell>) {
    use crate::Cell;
    let Layout { name, columns, .. } = query.table.layout();
    let mut bound = Vec::new();
    let mut conditions = Vec::new();
    // Of one workflow there are few rows, of one status there may be very many: the index of the workflow is used.
    let of_workflow = query.conditions.iter().any(|(column, _)| *column == "workflow");
    let indexed = if of_workflow { "+" } else { "" };
    // The same of a few sessions and a state.
    let of_sessions = query.conditions.iter().any(|(column, _)| *column == "session");
    for (column, is) in &query.conditions {
        conditions.push(match is {
            // Written out, so that an index of the open ones alone is used.
            Condition::Equal(Cell::Text(status)) if *column == "status" => {
                let is_plain = status.bytes().all(|byte| byte.is_ascii_lowercase());
                debug_assert!(is_plain, "{status}");
                format!("{indexed}status = '{status}'")
            }
            Condition::Equal(cell) => {
                bound.push(cell.clone());
                format!("{column} = ?")
            }
            Condition::OneOf(cells) => {
                bound.extend_from_slice(cells);
                let sign = if *column == "state" && of_sessions { "+" } else { "" };
                format!("{sign}{column} IN ({})", marks(cells.len()))
            }
            Condition::Above(number) => {
                bound.push(Cell::Integer(*number));
                format!("{column} > ?")
            }
            Condition::AtMost(number) => {
                bound.push(Cell::Integer(*number));
                format!("{column} <= ?")
            }
            Condition::Present => format!("{column} IS NOT NULL"),
            // Written out, as above.
            Condition::Positive => format!("{column} > 0"),
        });
    }
    if !query.after.is_empty() {
        bound.extend_from_slice(&query.after);
        let sign = if query.is_descending { '<' } else { '>' };
        conditions.push(format!("({}) {sign} ({})", query.order.join(", "), marks(query.after.len())));
    }
    let mut sql = format!("SELECT {} FROM {name}", columns.join(", "));
    // Of the open decisions few are due: without numbers about its rows, SQLite would read all that are open.
    if query.conditions.iter().any(|(column, _)| *column == "expires") {
        sql.push_str(" INDEXED BY decision_due");
    }
    if !conditions.is_empty() {
        sql.push_str(" WHERE ");
        sql.push_str(&conditions.join(" AND "));
    }
    let direction = if query.is_descending { " DESC" } else { "" };
    let order: Vec<_> = query.order.iter().map(|column| format!("{column}{direction}")).collect();
    sql.push_str(&format!(" ORDER BY {}", order.join(", ")));
    if let Some(limit) = query.limit {
        sql.push_str(&format!(" LIMIT {limit}"));
        if query.skip > 0 {
            bound.push(Cell::Integer(query.skip.into()));
            sql.push_str(" OFFSET ?");
        }
    }
    (sql, bound)
}

/// Binds what the first column must hold, if that is said.
pub(super) fn count(count: &Count) -> String {
    let (by, name) = (count.by.join(", "), count.table.layout().name);
    let of = match count.of.len() {
        0 => String::new(),
        number => format!(" WHERE {} IN ({})", count.by[0], marks(number)),
    };
    format!("SELECT {by}, count(*) FROM {name}{of} GROUP BY {by} ORDER BY {by}")
}

fn marks(number: usize) -> String {
    vec!["?"; number].join(", ")
}

/// Binds what the rows have in common.
pub(super) fn sum(sum: &Sum) -> String {
    let Sum { column, members, of: (of, _), .. } = sum;
    // Never added up as whole numbers: there a sum that is too large would be an error.
    let sums: Vec<_> =
        members.iter().map(|member| format!("sum(CAST({column} ->> '{member}' AS REAL))")).collect();
    let name = sum.table.layout().name;
    format!("SELECT {} FROM {name} WHERE {of} = ? AND {column} IS NOT NULL", sums.join(", "))
}
