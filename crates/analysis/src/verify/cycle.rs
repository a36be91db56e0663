//! Cycles of directed graphs: strongly connected components (Tarjan 1972) with explicit stacks,
//! and the shortest cycle in them.
//!
//! A graph is whatever can list the successors of a vertex one by one: compressed sparse rows and
//! bit rows alike.

/// The most edges that the search for a shortest cycle looks at, as a rule, before it is content with
/// the shortest found.
pub(super) const EDGES_MOST: u64 = 100_000_000;

const NONE: u32 = u32::MAX;

/// A directed graph on the vertices `0..vertices()`.
pub(super) trait Graph {
    /// How many vertices there are.
    fn vertices(&self) -> u32;

    /// The next successor of `vertex` from `cursor` on, which starts at 0 and is moved past it.
    fn next(&self, vertex: u32, cursor: &mut u64) -> Option<u32>;
}

/// Strongly connected components that hold a cycle.
struct Components {
    /// By vertex; `NONE` where it is on no cycle.
    of: Vec<u32>,
    /// The vertices of each, ascending.
    members: Vec<Vec<u32>>,
}

/// A vertex under way, with the cursor of its next successor.
type Frame = (u32, u64);

struct Tarjan<'g, G> {
    graph: &'g G,
    /// By vertex, in the order of discovery from 1; 0 where not discovered.
    index: Vec<u32>,
    /// The least index known to be reached within the component; `NONE` once it is complete.
    low: Vec<u32>,
    open: Vec<u32>,
    path: Vec<Frame>,
    discovered: u32,
    components: Components,
}

impl<G: Graph> Tarjan<'_, G> {
    fn discover(&mut self, vertex: u32) {
        self.discovered += 1;
        self.index[vertex as usize] = self.discovered;
        self.low[vertex as usize] = self.discovered;
        self.open.push(vertex);
        self.path.push((vertex, 0));
    }

    fn search(&mut self, root: u32) {
        self.discover(root);
        while let Some((vertex, cursor)) = self.path.last_mut() {
            let vertex = *vertex;
            if let Some(to) = self.graph.next(vertex, cursor) {
                if self.index[to as usize] == 0 {
                    self.discover(to);
                } else if self.low[to as usize] != NONE {
                    let low = self.low[vertex as usize].min(self.index[to as usize]);
                    self.low[vertex as usize] = low;
                }
                continue;
            }
            self.path.pop();
            let low = self.low[vertex as usize];
            if let Some(&(before, _)) = self.path.last() {
                let before = &mut self.low[before as usize];
                *before = low.min(*before);
            }
            if low == self.index[vertex as usize] {
                self.close(vertex);
            }
        }
    }

    /// Takes the component whose first vertex is `root` off the stack.
    fn close(&mut self, root: u32) {
        let position = self.open.iter().rposition(|&v| v == root);
        let first = position.expect("a root is open until its component is closed");
        for &member in &self.open[first..] {
            self.low[member as usize] = NONE;
        }
        if self.open.len() - first == 1 && !has_edge(self.graph, root, root) {
            self.open.truncate(first);
            return;
        }
        let mut members = self.open.split_off(first);
        members.sort_unstable();
        for &member in &members {
            self.components.of[member as usize] = self.components.members.len() as u32;
        }
        self.components.members.push(members);
    }
}

fn has_edge(graph: &impl Graph, from: u32, to: u32) -> bool {
    let mut cursor = 0;
    std::iter::from_fn(|| graph.next(from, &mut cursor)).any(|next| next == to)
}

fn components(graph: &impl Graph) -> Components {
    let vertices = graph.vertices() as usize;
    let mut tarjan = Tarjan {
        graph,
        index: vec![0; vertices],
        low: vec![0; vertices],
        open: Vec::new(),
        path: Vec::new(),
        discovered: 0,
        components: Components {
            of: vec![NONE; vertices],
            members: Vec::new(),
        },
    };
    for root in 0..graph.vertices() {
        if tarjan.index[root as usize] == 0 {
            tarjan.search(root);
        }
    }
    let mut components = tarjan.components;
    components
        .members
        .sort_unstable_by_key(|members| members[0]);
    for (id, members) in (0..).zip(&components.members) {
        for &member in members {
            components.of[member as usize] = id;
        }
    }
    components
}

/// Whether there is a cycle.
pub(super) fn exists(graph: &impl Graph) -> bool {
    !components(graph).members.is_empty()
}

/// A shortest cycle, as the vertices along it; `None` where there is no cycle. In graphs so large
/// that not every vertex can be tried, looking at about `edges_most` edges, the shortest through those
/// that were.
pub(super) fn shortest(graph: &impl Graph, edges_most: u64) -> Option<Vec<u32>> {
    let components = components(graph);
    let mut search = Search {
        graph,
        components: &components,
        seen_from: vec![NONE; graph.vertices() as usize],
        before: vec![NONE; graph.vertices() as usize],
        edges: 0,
    };
    let mut best: Option<Vec<u32>> = None;
    for members in &components.members {
        for &root in members {
            if best.is_some() && search.edges > edges_most {
                return best;
            }
            let most = best.as_ref().map_or(usize::MAX, |cycle| cycle.len() - 1);
            if let Some(cycle) = search.through(root, most) {
                best = Some(cycle);
            }
        }
    }
    best
}

struct Search<'g, G> {
    graph: &'g G,
    components: &'g Components,
    /// The root of the last search that came by.
    seen_from: Vec<u32>,
    /// The vertex before it in that search.
    before: Vec<u32>,
    edges: u64,
}

impl<G: Graph> Search<'_, G> {
    /// The shortest cycle through `root` of at most `most` vertices, breadth first.
    fn through(&mut self, root: u32, most: usize) -> Option<Vec<u32>> {
        let component = self.components.of[root as usize];
        let mut here = vec![root];
        for length in 1.. {
            if here.is_empty() || length > most {
                return None;
            }
            let mut next = Vec::new();
            for &vertex in &here {
                let mut cursor = 0;
                while let Some(to) = self.graph.next(vertex, &mut cursor) {
                    self.edges += 1;
                    if to == root {
                        return Some(self.path(root, vertex));
                    }
                    let is_new = self.seen_from[to as usize] != root;
                    if is_new && self.components.of[to as usize] == component {
                        self.seen_from[to as usize] = root;
                        self.before[to as usize] = vertex;
                        next.push(to);
                    }
                }
            }
            here = next;
        }
        None
    }

    fn path(&self, root: u32, last: u32) -> Vec<u32> {
        let mut path = vec![last];
        let mut at = last;
        while at != root {
            at = self.before[at as usize];
            path.push(at);
        }
        path.reverse();
        path
    }
}

/// A cycle of the graph in which every vertex has at most one successor, `NONE` where none.
pub(super) fn of_functional(next: &[u32]) -> Option<Vec<u32>> {
    let mut seen_from = vec![NONE; next.len()];
    for root in 0..next.len() as u32 {
        let mut at = root;
        while at != NONE && seen_from[at as usize] == NONE {
            seen_from[at as usize] = root;
            at = next[at as usize];
        }
        if at != NONE && seen_from[at as usize] == root {
            let mut cycle = vec![at];
            let mut follow = next[at as usize];
            while follow != at {
                cycle.push(follow);
                follow = next[follow as usize];
            }
            return Some(cycle);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use flitsim_random::Pcg64Mcg;
    use rand::{RngExt, SeedableRng};

    struct Lists(Vec<Vec<u32>>);

    impl Graph for Lists {
        fn vertices(&self) -> u32 {
            self.0.len() as u32
        }

        fn next(&self, vertex: u32, cursor: &mut u64) -> Option<u32> {
            let to = self.0[vertex as usize].get(*cursor as usize).copied();
            *cursor += 1;
            to
        }
    }

    fn lists(vertices: u32, edges: &[(u32, u32)]) -> Lists {
        let mut lists = vec![Vec::new(); vertices as usize];
        for &(from, to) in edges {
            lists[from as usize].push(to);
        }
        Lists(lists)
    }

    /// By definition: the least power of the adjacency relation with a vertex that comes home.
    fn shortest_length(graph: &Lists) -> Option<usize> {
        let n = graph.0.len();
        let mut reach: Vec<Vec<bool>> = (0..n).map(|v| (0..n).map(|w| v == w).collect()).collect();
        for length in 1..=n {
            let step = |row: &Vec<bool>| {
                let mut next = vec![false; n];
                for v in (0..n).filter(|&v| row[v]) {
                    graph.0[v].iter().for_each(|&w| next[w as usize] = true);
                }
                next
            };
            reach = reach.iter().map(step).collect();
            if (0..n).any(|v| reach[v][v]) {
                return Some(length);
            }
        }
        None
    }

    #[test]
    fn known_cycles() {
        assert_eq!(
            shortest(
                &lists(5, &[(0, 1), (1, 2), (0, 2), (3, 2), (2, 4)]),
                EDGES_MOST
            ),
            None
        );
        assert_eq!(shortest(&lists(6, &[(5, 5)]), EDGES_MOST), Some(vec![5]));
        let two_rings = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 3)];
        assert_eq!(
            shortest(&lists(5, &two_rings), EDGES_MOST),
            Some(vec![3, 4])
        );
        assert_eq!(of_functional(&[1, 2, NONE, 4, 5, 4]), Some(vec![4, 5]));
        assert_eq!(of_functional(&[1, 2, NONE, 0]), None);
    }

    #[test]
    fn a_search_that_may_look_at_few_edges_ends_with_its_first_cycle() {
        let graphs = [
            lists(5, &[(0, 1), (1, 2), (2, 0), (3, 4), (4, 3)]),
            lists(5, &[(0, 1), (1, 0), (2, 3), (3, 4), (4, 2)]),
        ];
        let both = |most| -> usize {
            let found = graphs.iter().filter_map(|graph| shortest(graph, most));
            found.map(|cycle| cycle.len()).sum()
        };
        assert_eq!((both(0), both(EDGES_MOST)), (3 + 2, 2 + 2));
    }

    #[test]
    fn as_short_as_by_definition_in_random_graphs() {
        let mut rng = Pcg64Mcg::seed_from_u64(1);
        for case in 0..2_000u32 {
            let n = 2 + case % 9;
            let mut draw = |below: u32| rng.random_range(..below);
            let edges: Vec<_> = (0..draw(2 * n)).map(|_| (draw(n), draw(n))).collect();
            let graph = lists(n, &edges);
            let found = shortest(&graph, EDGES_MOST);
            assert_eq!(
                found.as_ref().map(Vec::len),
                shortest_length(&graph),
                "{edges:?}"
            );
            let Some(cycle) = found else { continue };
            for (i, &from) in cycle.iter().enumerate() {
                let to = cycle[(i + 1) % cycle.len()];
                assert!(has_edge(&graph, from, to), "{cycle:?} {edges:?}");
            }
        }
    }
}
