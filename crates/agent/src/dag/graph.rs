//! The tasks of a DAG in their order.

use petgraph::Direction;
use petgraph::algo::{tarjan_scc, toposort};
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::{Dfs, Reversed};
use protocol::agent::{Id, Node, TaskDag};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The tasks of a DAG: who waits for whom. Of two nodes that are one task, the first counts; a dependency on a task that is not
/// there is none. Lint reports both.
#[derive(Debug)]
pub struct Graph<'d> {
    dag: &'d TaskDag,
    graph: DiGraph<usize, ()>,
    by_id: BTreeMap<&'d str, NodeIndex>,
}

impl<'d> Graph<'d> {
    /// Reads the tasks of `dag`.
    pub fn new(dag: &'d TaskDag) -> Self {
        let mut graph = DiGraph::new();
        let mut by_id = BTreeMap::new();
        for (index, node) in dag.nodes.iter().enumerate() {
            by_id.entry(node.task_id.as_str()).or_insert_with(|| graph.add_node(index));
        }
        for (id, &to) in &by_id {
            let node = &dag.nodes[graph[to]];
            debug_assert_eq!(node.task_id, **id);
            for dependency in &node.depends_on {
                if let Some(&from) = by_id.get(dependency.as_str()) {
                    graph.update_edge(from, to, ());
                }
            }
        }
        Self { dag, graph, by_id }
    }

    /// Returns the DAG.
    pub fn dag(&self) -> &'d TaskDag {
        self.dag
    }

    /// Returns the task of this id.
    pub fn node(&self, task_id: &str) -> Option<&'d Node> {
        self.by_id.get(task_id).map(|&index| self.at(index))
    }

    /// Returns the tasks, each after all that it depends on, and as they stand in the document besides. `None` if some
    /// depend on one another.
    pub fn order(&self) -> Option<Vec<&'d Node>> {
        toposort(&self.graph, None).ok()?;
        let mut left: BTreeMap<NodeIndex, usize> = self
            .graph
            .node_indices()
            .map(|index| (index, self.graph.edges_directed(index, Direction::Incoming).count()))
            .collect();
        // By their place in the document: `toposort` has an order of its own.
        let mut free: BTreeSet<(usize, NodeIndex)> = left
            .iter()
            .filter(|(_, count)| **count == 0)
            .map(|(index, _)| (self.graph[*index], *index))
            .collect();
        let mut order = Vec::with_capacity(left.len());
        while let Some((_, index)) = free.pop_first() {
            order.push(self.at(index));
            for next in self.graph.neighbors_directed(index, Direction::Outgoing) {
                if let Some(count) = left.get_mut(&next) {
                    *count -= 1;
                    if *count == 0 {
                        free.insert((self.graph[next], next));
                    }
                }
            }
        }
        Some(order)
    }

    /// Returns the groups of tasks that depend on one another, each in the order of the document.
    pub fn cycles(&self) -> Vec<Vec<&'d Id>> {
        let groups = tarjan_scc(&self.graph).into_iter();
        let mut cycles: Vec<Vec<usize>> = groups
            .filter(|group| group.len() > 1 || self.graph.contains_edge(group[0], group[0]))
            .map(|group| {
                let mut places: Vec<usize> = group.into_iter().map(|index| self.graph[index]).collect();
                places.sort_unstable();
                places
            })
            .collect();
        cycles.sort_unstable();
        let ids =
            |places: Vec<usize>| places.into_iter().map(|place| &self.dag.nodes[place].task_id).collect();
        cycles.into_iter().map(ids).collect()
    }

    /// Returns a shortest way from the first task of a group in [`Graph::cycles`] back to itself: each depends on the next one.
    pub fn way_around(&self, group: &[&'d Id]) -> Vec<&'d Id> {
        let Some(&first) = group.first() else { return Vec::new() };
        let mut ways: VecDeque<Vec<&'d Id>> = [vec![first]].into();
        let mut seen = BTreeSet::new();
        while let Some(way) = ways.pop_front() {
            let Some(node) = way.last().and_then(|last| self.node(last)) else { continue };
            for next in &node.depends_on {
                if next == first {
                    return way.into_iter().chain([first]).collect();
                }
                let is_of_group = group.contains(&next);
                if is_of_group && seen.insert(next) {
                    ways.push_back(way.iter().copied().chain([next]).collect());
                }
            }
        }
        vec![first]
    }

    /// Returns the tasks that depend on `task_id` themselves.
    pub fn dependents(&self, task_id: &str) -> Vec<&'d Node> {
        let Some(&index) = self.by_id.get(task_id) else { return Vec::new() };
        let mut places: Vec<usize> = self
            .graph
            .neighbors_directed(index, Direction::Outgoing)
            .map(|index| self.graph[index])
            .collect();
        places.sort_unstable();
        places.into_iter().map(|place| &self.dag.nodes[place]).collect()
    }

    /// Returns all that `task_id` depends on, the dependencies of dependencies as well, and not itself.
    pub fn ancestors(&self, task_id: &str) -> BTreeSet<&'d str> {
        let Some(&index) = self.by_id.get(task_id) else { return BTreeSet::new() };
        let reversed = Reversed(&self.graph);
        let mut search = Dfs::new(reversed, index);
        let mut found = BTreeSet::new();
        while let Some(next) = search.next(reversed) {
            if next != index {
                found.insert(self.at(next).task_id.as_str());
            }
        }
        found
    }

    /// Whether `later` depends on `earlier`, be it by way of others.
    pub fn is_after(&self, later: &str, earlier: &str) -> bool {
        self.ancestors(later).contains(earlier)
    }

    fn at(&self, index: NodeIndex) -> &'d Node {
        &self.dag.nodes[self.graph[index]]
    }
}
