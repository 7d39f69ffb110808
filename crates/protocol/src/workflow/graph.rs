//! Layout of the tasks of a plan: each task stands to the right of its dependencies.

use std::collections::HashMap;

/// Position of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TaskPosition {
    /// Length of the longest chain of dependencies before the task.
    pub column: usize,
    /// Position among the tasks of the same column, from the top.
    pub row: usize,
}

/// Returns the position of each task. `needs` lists, for each task, the indices of its dependencies; unknown tasks and
/// dependencies on the task itself are ignored. Tasks of a dependency cycle share one column after all others.
///
/// Within a column, tasks stand as near as possible to their dependencies, so that lines rarely cross.
pub fn spots(needs: &[Vec<usize>]) -> Vec<TaskPosition> {
    let count = needs.len();
    let known = |task: usize| needs[task].iter().copied().filter(move |need| *need < count && *need != task);
    let mut needed_by = vec![Vec::new(); count];
    let mut open: Vec<usize> = (0..count).map(|task| known(task).count()).collect();
    for task in 0..count {
        for need in known(task) {
            needed_by[need].push(task);
        }
    }
    let mut column = vec![None; count];
    let mut ready: Vec<usize> = (0..count).filter(|task| open[*task] == 0).collect();
    let mut columns = 0;
    while !ready.is_empty() {
        let mut next = Vec::new();
        for task in ready {
            column[task] = Some(columns);
            for &later in &needed_by[task] {
                open[later] -= 1;
                if open[later] == 0 {
                    next.push(later);
                }
            }
        }
        columns += 1;
        ready = next;
    }
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); columns + 1];
    for (task, column) in column.iter().enumerate() {
        members[column.unwrap_or(columns)].push(task);
    }
    let mut spots = vec![TaskPosition { column: 0, row: 0 }; count];
    let mut rows: HashMap<usize, usize> = HashMap::new();
    for (column, mut tasks) in members.into_iter().enumerate() {
        // The mean of the rows of what it needs, in thousandths; in the order of the plan where that is the same.
        tasks.sort_by_key(|&task| {
            let above: Vec<usize> = known(task).filter_map(|need| rows.get(&need).copied()).collect();
            (above.iter().sum::<usize>() * 1000).checked_div(above.len()).unwrap_or(task * 1000)
        });
        for (row, task) in tasks.into_iter().enumerate() {
            rows.insert(task, row);
            spots[task] = TaskPosition { column, row };
        }
    }
    spots
}

#[cfg(test)]
mod tests {
    use super::{TaskPosition, spots};
    use proptest::prelude::*;
    use std::collections::HashSet;

    fn columns(needs: &[Vec<usize>]) -> Vec<usize> {
        spots(needs).iter().map(|spot| spot.column).collect()
    }

    #[test]
    fn a_task_stands_behind_all_that_it_needs() {
        assert_eq!(columns(&[]), [0_usize; 0]);
        assert_eq!(columns(&[vec![]]), [0]);
        // A diamond with a short cut.
        assert_eq!(columns(&[vec![], vec![0], vec![0], vec![1, 2, 0]]), [0, 1, 1, 2]);
        // Not in the order of the plan.
        assert_eq!(columns(&[vec![1], vec![2], vec![]]), [2, 1, 0]);
    }

    #[test]
    fn a_task_stands_beside_what_it_needs() {
        let spots = spots(&[vec![], vec![], vec![1], vec![0]]);
        let at = |column, row| TaskPosition { column, row };
        assert_eq!(spots, [at(0, 0), at(0, 1), at(1, 1), at(1, 0)]);
    }

    #[test]
    fn what_cannot_be_drawn_is_drawn_all_the_same() {
        assert_eq!(columns(&[vec![0, 7], vec![0]]), [0, 1], "itself, and a task that is not there");
        assert_eq!(columns(&[vec![], vec![2], vec![1], vec![0]]), [0, 2, 2, 1], "a circle");
    }

    proptest! {
        #[test]
        fn no_two_tasks_stand_in_the_same_spot_and_none_before_what_it_needs(
            drawn in prop::collection::vec(prop::collection::vec(any::<prop::sample::Index>(), 0..4), 0..40),
        ) {
            let needs: Vec<Vec<usize>> = drawn.iter().enumerate().map(|(task, needs)| {
                if task == 0 { Vec::new() } else { needs.iter().map(|need| need.index(task)).collect() }
            }).collect();
            let spots = spots(&needs);
            let taken: HashSet<_> = spots.iter().map(|spot| (spot.column, spot.row)).collect();
            prop_assert_eq!(taken.len(), needs.len());
            for (task, needs) in needs.iter().enumerate() {
                for need in needs {
                    prop_assert!(spots[*need].column < spots[task].column);
                }
            }
        }
    }
}
