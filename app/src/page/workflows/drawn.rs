//! Tasks as boxes with lines between those that need one another. Laid out here, so that no script has to.

use super::one::Place;
use super::tasks::short_state_of;
use leptos::prelude::*;
use protocol::workflow::api::TaskNode;
use protocol::workflow::graph::{TaskPosition, spots};
use std::collections::HashMap;

/// What lies between two boxes, and around all of them.
const GAP_ACROSS: usize = 44;
const GAP_DOWN: usize = 12;
const EDGE: usize = 4;

/// How wide the drawing may be without being scrolled in a wide window; few columns share that.
const ROOM: usize = 926;
const NARROWEST: usize = 192;
/// Wider, the next column would be out of sight in a small window.
const WIDEST: usize = 224;
/// What lies around the texts in a box, on both sides.
const PADDING: usize = 12;
/// How high a box is, with a title of one line or of two.
const HEIGHTS: [usize; 2] = [44, 61];

/// How wide a half of a Chinese character is, in tenths: in a title, and below it.
const TITLE: usize = 84;
const STATE: usize = 73;

/// The boxes of a drawing, all of one size.
#[derive(Debug, Clone, Copy)]
struct Boxes {
    across: usize,
    down: usize,
}

impl Boxes {
    /// How wide they are where there are so many columns.
    fn across(columns: usize) -> usize {
        ((ROOM + GAP_ACROSS) / columns.max(1)).saturating_sub(GAP_ACROSS).clamp(NARROWEST, WIDEST)
    }

    fn left(self, spot: TaskPosition) -> usize {
        EDGE + spot.column * (self.across + GAP_ACROSS)
    }

    fn top(self, spot: TaskPosition) -> usize {
        EDGE + spot.row * (self.down + GAP_DOWN)
    }

    /// The line from the box at `from` to the box at `to`, which stands to the right of it.
    fn line(self, from: TaskPosition, to: TaskPosition) -> String {
        let (x, y) = (self.left(from) + self.across, self.top(from) + self.down / 2);
        let (to_x, to_y) = (self.left(to), self.top(to) + self.down / 2);
        let half = GAP_ACROSS / 2;
        format!("M{x} {y}C{} {y} {} {to_y} {to_x} {to_y}", x + half, to_x.saturating_sub(half))
    }
}

/// How many halves of a Chinese character have room in a box.
fn room(across: usize, half: usize) -> usize {
    (across - 2 * PADDING) * 10 / half
}

/// How wide a character is, in such halves: what is not written in letters of the alphabet may be as wide as a Chinese one.
fn width(char: char) -> usize {
    if u32::from(char) < 0x1100 { 1 } else { 2 }
}

fn width_of(text: &str) -> usize {
    text.chars().map(width).sum()
}

/// As much of the beginning of a text as fits into `room`, in bytes.
fn fitting(text: &str, mut room: usize) -> usize {
    for (at, char) in text.char_indices() {
        let Some(left) = room.checked_sub(width(char)) else { return at };
        room = left;
    }
    text.len()
}

/// A text in the lines of a box: where it is too long, its middle is left out, as what tells one task from another is often the
/// end.
fn lines_of(text: &str, room: usize, most: usize) -> Vec<String> {
    let text: String = text.chars().map(|char| if char.is_control() { ' ' } else { char }).collect();
    let mut rest = text.trim();
    let mut lines = Vec::new();
    while lines.len() + 1 < most && width_of(rest) > room {
        let end = fitting(rest, room);
        // Between two words, unless one of them takes most of the line.
        let is_between = rest[end..].starts_with(' ');
        let between = if is_between { Some(end) } else { rest[..end].rfind(' ') };
        let end = between.filter(|at| width_of(&rest[..*at]) * 2 > room).unwrap_or(end);
        lines.push(rest[..end].trim_end().to_owned());
        rest = rest[end..].trim_start();
    }
    lines.push(shortened(rest, room));
    lines
}

/// A text that fits into `room`: without its middle, if it is longer.
fn shortened(text: &str, room: usize) -> String {
    if width_of(text) <= room {
        return text.to_owned();
    }
    let room = room.saturating_sub(1);
    let beginning = &text[..fitting(text, room / 2)];
    let mut left = room - room / 2;
    let end = text.char_indices().rev().take_while(|(_, char)| {
        let fits = left.checked_sub(width(*char));
        left = fits.unwrap_or_default();
        fits.is_some()
    });
    let end = end.last().map_or("", |(at, _)| &text[at..]);
    format!("{}…{}", beginning.trim_end(), end.trim_start())
}

/// Draws these tasks. For users who cannot see it, the list says the same.
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
    let across = Boxes::across(columns);
    let titles = tasks.iter().map(|task| {
        let title = if model::is_blank(&task.description) { &task.id } else { &task.description };
        lines_of(title, room(across, TITLE), HEIGHTS.len())
    });
    let titles: Vec<_> = titles.collect();
    let highest = titles.iter().map(Vec::len).max().unwrap_or(1);
    let boxes = Boxes { across, down: HEIGHTS[highest - 1] };
    let width = (2 * EDGE + columns * (boxes.across + GAP_ACROSS)).saturating_sub(GAP_ACROSS);
    let height = (2 * EDGE + rows * (boxes.down + GAP_DOWN)).saturating_sub(GAP_DOWN);
    // One path for all lines of a task.
    let lines = needs.iter().enumerate().filter(|(_, needs)| !needs.is_empty()).map(|(at, needs)| {
        let lines: String = needs.iter().map(|need| boxes.line(spots[*need], spots[at])).collect();
        view! { <path d=lines /> }
    });
    let lines: Vec<_> = lines.collect();
    let boxes = tasks.iter().zip(&spots).zip(titles).map(|((task, spot), title)| {
        let (x, y) = (boxes.left(*spot), boxes.top(*spot));
        let (state, word) = short_state_of(place, task);
        let title = title.into_iter().zip(0..).map(|(line, at)| {
            view! {
                <text x=x + PADDING y=y + 18 + 17 * at>
                    {line}
                </text>
            }
        });
        let title: Vec<_> = title.collect();
        view! {
            <g data-state=state>
                <title>{task.description.clone()}</title>
                <rect x=x y=y width=boxes.across height=boxes.down rx="8" />
                {title}
                <text class="state" x=x + PADDING y=y + boxes.down - 9>
                    {shortened(&format!("{word} · {}", task.id), room(across, STATE))}
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
    use super::{Boxes, TaskPosition, lines_of, room, shortened};

    #[test]
    fn a_line_leads_from_the_right_edge_of_a_box_to_the_left_edge_of_another() {
        let boxes = Boxes { across: 192, down: 44 };
        let at = |column, row| TaskPosition { column, row };
        assert_eq!(boxes.line(at(0, 0), at(1, 0)), "M196 26C218 26 218 26 240 26");
        assert_eq!(boxes.line(at(0, 0), at(1, 1)), "M196 26C218 26 218 82 240 82");
    }

    #[test]
    fn few_columns_share_the_width_of_the_page() {
        assert_eq!([1, 3, 4, 9].map(Boxes::across), [224, 224, 198, 192]);
        assert_eq!(room(192, super::TITLE), 20);
    }

    #[test]
    fn what_stands_in_a_box_fits_there_and_shows_its_end() {
        assert_eq!(shortened("Search the web", 20), "Search the web");
        assert_eq!(shortened(&"x".repeat(100), 20), "x".repeat(9) + "…" + &"x".repeat(10));
        assert_eq!(shortened(&"搜".repeat(100), 20), "搜".repeat(4) + "…" + &"搜".repeat(5));
        assert_eq!(lines_of("Move the callers of module 12", 20, 2), ["Move the callers of", "module 12"]);
        assert_eq!(lines_of("迁移调用方到新的模块十二", 20, 2), ["迁移调用方到新的模块", "十二"]);
        assert_eq!(lines_of("a\nb", 20, 2), ["a b"]);
        assert_eq!(
            lines_of("Read what the last release says of the costs in module 12", 20, 2),
            ["Read what the last", "release s…module 12"],
        );
    }
}
