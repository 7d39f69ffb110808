//! Tasks as boxes with lines between those that need one another. Laid out here, so that no script has to.

use super::one::Place;
use leptos::prelude::*;
use model::workflow::api::TaskNode;
use model::workflow::graph::{Spot, spots};
use std::collections::HashMap;

/// How much room something takes, in units of the drawing.
struct Size {
    across: usize,
    down: usize,
}

/// A box, and what lies between it and the next ones.
const BOX: Size = Size { across: 192, down: 44 };
const GAP: Size = Size { across: 44, down: 12 };
/// What lies around all of them.
const EDGE: usize = 4;

/// How wide the texts in a box may be, in halves of a Chinese character: its title, and below that what becomes of it.
const TITLE: usize = 20;
const STATE: usize = 23;

fn left(spot: Spot) -> usize {
    EDGE + spot.column * (BOX.across + GAP.across)
}

fn top(spot: Spot) -> usize {
    EDGE + spot.row * (BOX.down + GAP.down)
}

/// The line from the box at `from` to the box at `to`, which stands to the right of it.
fn line(from: Spot, to: Spot) -> String {
    let (x, y) = (left(from) + BOX.across, top(from) + BOX.down / 2);
    let (to_x, to_y) = (left(to), top(to) + BOX.down / 2);
    let half = GAP.across / 2;
    format!("M{x} {y}C{} {y} {} {to_y} {to_x} {to_y}", x + half, to_x.saturating_sub(half))
}

/// As much of a text as fits into `room`.
fn fitted(text: &str, mut room: usize) -> String {
    let mut fitted = String::new();
    for char in text.chars().map(|char| if char.is_control() { ' ' } else { char }) {
        // What is not written in letters of the alphabet may be as wide as a Chinese character.
        let Some(left) = room.checked_sub(if u32::from(char) < 0x1100 { 1 } else { 2 }) else {
            fitted.push('…');
            break;
        };
        room = left;
        fitted.push(char);
    }
    fitted
}

/// Draws these tasks. Whoever cannot see it has the list, which says the same.
#[expect(non_snake_case, reason = "it is a component in all but the macro")]
pub(super) fn Drawn(place: &Place<'_>, tasks: &[TaskNode]) -> impl IntoView + use<> {
    let words = place.words;
    let places: HashMap<&str, usize> =
        tasks.iter().enumerate().map(|(at, task)| (task.id.as_str(), at)).collect();
    let needs: Vec<Vec<usize>> = tasks
        .iter()
        .map(|task| task.dependencies.iter().filter_map(|need| places.get(need.as_str()).copied()).collect())
        .collect();
    let spots = spots(&needs);
    let columns = spots.iter().map(|spot| spot.column + 1).max().unwrap_or_default();
    let rows = spots.iter().map(|spot| spot.row + 1).max().unwrap_or_default();
    let width = 2 * EDGE + columns * (BOX.across + GAP.across) - GAP.across;
    let height = 2 * EDGE + rows * (BOX.down + GAP.down) - GAP.down;
    // One path for all lines of a task.
    let lines = needs.iter().enumerate().filter(|(_, needs)| !needs.is_empty()).map(|(at, needs)| {
        let lines: String = needs.iter().map(|need| line(spots[*need], spots[at])).collect();
        view! { <path d=lines /> }
    });
    let lines: Vec<_> = lines.collect();
    let boxes = tasks.iter().zip(&spots).map(|(task, spot)| {
        let (x, y) = (left(*spot), top(*spot));
        let title = if model::is_blank(&task.description) { &task.id } else { &task.description };
        view! {
            <g data-state=task.fsm_state.name()>
                <rect x=x y=y width=BOX.across height=BOX.down rx="8" />
                <text x=x + 12 y=y + 18>
                    {fitted(title, TITLE)}
                </text>
                <text class="state" x=x + 12 y=y + 35>
                    {fitted(&format!("{} · {}", words.task(task.fsm_state), task.id), STATE)}
                </text>
            </g>
        }
    });
    let boxes: Vec<_> = boxes.collect();
    view! {
        <div id="graph" class="graph" tabindex="0" role="region" aria-label=words.graph>
            <svg
                role="img"
                aria-label=words.graph
                width=width
                height=height
                viewBox=format!("0 0 {width} {height}")
            >
                <g class="lines">{lines}</g>
                {boxes}
            </svg>
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::{Spot, fitted, line};

    #[test]
    fn a_line_leads_from_the_right_edge_of_a_box_to_the_left_edge_of_another() {
        let at = |column, row| Spot { column, row };
        assert_eq!(line(at(0, 0), at(1, 0)), "M196 26C218 26 218 26 240 26");
        assert_eq!(line(at(0, 0), at(1, 1)), "M196 26C218 26 218 82 240 82");
    }

    #[test]
    fn what_stands_in_a_box_fits_there() {
        assert_eq!(fitted("Search the web", 20), "Search the web");
        assert_eq!(fitted(&"x".repeat(100), 20), "x".repeat(20) + "…");
        assert_eq!(fitted(&"搜".repeat(100), 20), "搜".repeat(10) + "…");
        assert_eq!(fitted("a\nb", 20), "a b");
    }
}
