//! The graph of a plan, drawn: each task stands to the right of all that it depends on. A user who cannot see it has the same in
//! words: the list of tasks says what each comes after.

use crate::html::escape::escape_into;
use crate::html::markup::{IntoMarkup, Markup};
use leptos::prelude::*;
use protocol::agent::{Id, State, TaskDag};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use texts::{Lang, PlanTexts, task_state};

/// With more tasks than this the picture is not readable.
const MAX_TASKS: usize = 150;
const WIDTH: usize = 176;
const HEIGHT: usize = 52;
const GAP_X: usize = 56;
const GAP_Y: usize = 18;
const MARGIN: usize = 4;
/// As many letters of an id have room in a box.
const LETTERS: usize = 20;

/// What is drawn of a task.
struct TaskBox<'d> {
    task: &'d Id,
    state: Option<State>,
    x: usize,
    y: usize,
}

/// Draws a DAG; nothing where there would be no picture: one task, too many, or tasks that depend on one another.
#[expect(non_snake_case, reason = "it is a component in all but the macro")]
pub(super) fn Graph(
    lang: Lang,
    words: &'static PlanTexts,
    dag: &TaskDag,
    states: &BTreeMap<&Id, State>,
) -> Option<Markup> {
    if !(2..=MAX_TASKS).contains(&dag.nodes.len()) {
        return None;
    }
    let order = agent::dag::Graph::new(dag).order()?;
    let mut layers: BTreeMap<&Id, usize> = BTreeMap::new();
    let mut heights: Vec<usize> = Vec::new();
    let mut drawn = Vec::new();
    for node in order {
        let before = node.depends_on.iter().filter_map(|id| layers.get(id));
        let layer = before.max().map_or(0, |layer| layer + 1);
        layers.insert(&node.task_id, layer);
        heights.resize(heights.len().max(layer + 1), 0);
        let (x, y) = (MARGIN + layer * (WIDTH + GAP_X), MARGIN + heights[layer] * (HEIGHT + GAP_Y));
        heights[layer] += 1;
        drawn.push(TaskBox { task: &node.task_id, state: states.get(&node.task_id).copied(), x, y });
    }
    let width = 2 * MARGIN + heights.len() * (WIDTH + GAP_X) - GAP_X;
    let tallest = heights.iter().max().copied().unwrap_or(1);
    let height = 2 * MARGIN + tallest * (HEIGHT + GAP_Y) - GAP_Y;
    let places: BTreeMap<&Id, &TaskBox<'_>> = drawn.iter().map(|one| (one.task, one)).collect();
    let mut svg = format!(
        r#"<svg class="graph" role="img" aria-labelledby="graph-title" viewBox="0 0 {width} {height}" width="{width}" height="{height}"><title id="graph-title">"#
    );
    escape_into(&mut svg, words.graph_in_words);
    svg.push_str("</title>");
    for node in dag.nodes.iter() {
        let Some(to) = places.get(&node.task_id) else { continue };
        for from in node.depends_on.iter().filter_map(|id| places.get(id)) {
            let (x1, y1) = (from.x + WIDTH, from.y + HEIGHT / 2);
            let (x2, y2) = (to.x, to.y + HEIGHT / 2);
            let bend = GAP_X / 2;
            let _ = write!(
                svg,
                r#"<path class="edge" d="M{x1} {y1}C{} {y1} {} {y2} {} {y2}"/><path class="head" d="M{x2} {y2}l-7 -4v8z"/>"#,
                x1 + bend,
                x2 - bend,
                x2 - 6,
            );
        }
    }
    for one in &drawn {
        let TaskBox { x, y, .. } = one;
        let state = one.state.map_or("", State::name);
        // Alone in its box, the name stands in the middle.
        let line = if one.state.is_some() { 22 } else { HEIGHT / 2 + 5 };
        let _ = write!(
            svg,
            r#"<g class="node" data-state="{state}"><rect x="{x}" y="{y}" width="{WIDTH}" height="{HEIGHT}" rx="8"/><text class="task" x="{}" y="{}">"#,
            x + 12,
            y + line,
        );
        escape_into(&mut svg, &shortened(one.task));
        if let Some(state) = one.state {
            let _ = write!(svg, r#"</text><text class="state" x="{}" y="{}">"#, x + 12, y + 41);
            escape_into(&mut svg, task_state(lang, state));
        }
        svg.push_str("</text></g>");
    }
    svg.push_str("</svg>");
    let part = view! {
        <section class="part">
            <h2>{words.graph}</h2>
            <div class="drawing" tabindex="0" role="group" aria-label=words.graph inner_html=svg></div>
        </section>
    };
    Some(part.into_markup())
}

/// An id, without its middle where there is no room for it: ids often begin alike.
fn shortened(id: &str) -> String {
    let letters: Vec<char> = id.chars().collect();
    if letters.len() <= LETTERS {
        return id.to_owned();
    }
    let end = &letters[letters.len() - LETTERS / 2..];
    letters[..LETTERS - LETTERS / 2 - 1].iter().chain(&['…']).chain(end).collect()
}

#[cfg(test)]
mod tests {
    use super::shortened;

    #[test]
    fn an_id_that_has_no_room_shows_its_beginning_and_its_end() {
        assert_eq!(shortened("task_move_callers_12"), "task_move_callers_12");
        assert_eq!(shortened("task_move_callers_of_module_12"), "task_move…_module_12");
    }
}
