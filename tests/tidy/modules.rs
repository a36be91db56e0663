//! The modules of a crate, who uses whom, and the knots among them.

use super::source::{Function, Source};
use std::collections::{BTreeMap, BTreeSet};

/// The text of every file, by its path.
pub type Files = BTreeMap<String, String>;

/// Its root first.
pub struct Crate {
    modules: Vec<Module>,
}

struct Module {
    name: String,
    file: String,
    parent: Option<usize>,
    children: BTreeMap<String, usize>,
    source: Source,
}

/// Children of one module that use each other in a circle.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Knot {
    /// The module whose children they are.
    pub parent: String,
    pub children: Vec<String>,
    /// One use each of one by another, with its file and line.
    pub uses: Vec<String>,
}

/// Reads files into modules.
struct Reader<'f> {
    files: &'f Files,
    faults: &'f mut Vec<String>,
    modules: Vec<Module>,
}

impl Reader<'_> {
    fn source(&mut self, file: &str) -> Source {
        let text = self.files.get(file).map_or("", String::as_str);
        Source::parse(text).unwrap_or_else(|error| {
            self.faults.push(format!("{file}: {error}"));
            Source::default()
        })
    }

    /// Adds a module, whose children's files are in `folder`, and all below it.
    fn add(
        &mut self,
        name: &str,
        parent: Option<usize>,
        file: &str,
        folder: &str,
        mut source: Source,
    ) -> usize {
        let index = self.modules.len();
        let inline = std::mem::take(&mut source.inline);
        let others = std::mem::take(&mut source.files);
        self.modules.push(Module {
            name: name.to_owned(),
            file: file.to_owned(),
            parent,
            children: BTreeMap::new(),
            source,
        });
        let inline = inline
            .into_iter()
            .map(|(child, source)| (child, file.to_owned(), source));
        let mut children = Vec::from_iter(inline);
        for child in others {
            let places = [
                format!("{folder}/{child}.rs"),
                format!("{folder}/{child}/mod.rs"),
            ];
            match places
                .into_iter()
                .find(|place| self.files.contains_key(place))
            {
                Some(place) => {
                    let source = self.source(&place);
                    children.push((child, place, source));
                }
                None => self
                    .faults
                    .push(format!("{file}: no file of `mod {child}`")),
            }
        }
        for (child, file, source) in children {
            let (path, below) = (format!("{name}::{child}"), format!("{folder}/{child}"));
            let added = self.add(&path, Some(index), &file, &below, source);
            self.modules[index].children.insert(child, added);
        }
        index
    }
}

impl Crate {
    /// The crate whose root is the file `root`; what cannot be read is one of the `faults`.
    pub fn read(name: &str, root: &str, files: &Files, faults: &mut Vec<String>) -> Self {
        let mut reader = Reader {
            files,
            faults,
            modules: Vec::new(),
        };
        let source = reader.source(root);
        let folder = root.rsplit_once('/').map_or("", |(folder, _)| folder);
        reader.add(name, None, root, folder, source);
        Self {
            modules: reader.modules,
        }
    }

    /// The functions outside tests, each with its file.
    pub fn functions(&self) -> impl Iterator<Item = (&str, &Function)> {
        self.modules.iter().flat_map(|module| {
            module
                .source
                .functions
                .iter()
                .map(|function| (module.file.as_str(), function))
        })
    }

    /// The module in which `path`, as it stands in the module `at`, leads to something; `None` outside
    /// the crate.
    fn target(&self, at: usize, path: &[String], depth: usize) -> Option<usize> {
        let module = &self.modules[at];
        let (first, rest) = path.split_first()?;
        let start = match first.as_str() {
            "crate" => Some(0),
            "self" => Some(at),
            "super" => module.parent,
            _ => None,
        };
        match start {
            Some(_) if rest.is_empty() => start,
            Some(start) => self.target(start, rest, depth).or(Some(start)),
            None => self.named(at, first, rest, depth),
        }
    }

    /// As [`target`](Self::target), from a name in the module `at`.
    fn named(&self, at: usize, first: &str, rest: &[String], depth: usize) -> Option<usize> {
        let module = &self.modules[at];
        if depth > 16 {
            return None;
        }
        if let Some(&child) = module.children.get(first) {
            return match rest.is_empty() {
                true => Some(child),
                false => self.target(child, rest, depth).or(Some(child)),
            };
        }
        if module.source.items.contains(first) {
            return Some(at);
        }
        // A path does not lead to itself.
        if let Some(path) = module
            .source
            .uses
            .get(first)
            .filter(|path| path[0] != first)
        {
            return self.target(at, &[path, rest].concat(), depth + 1);
        }
        module.source.globs.iter().find_map(|glob| {
            let from = self.target(at, glob, depth + 1)?;
            (from != at).then(|| self.named(from, first, rest, depth + 1))?
        })
    }

    /// From the root down.
    fn line_of(&self, module: usize) -> Vec<usize> {
        let mut line: Vec<usize> =
            std::iter::successors(Some(module), |&m| self.modules[m].parent).collect();
        line.reverse();
        line
    }

    /// For each module, who among its children uses whom, and one place of it.
    fn uses(&self) -> BTreeMap<usize, BTreeMap<(usize, usize), String>> {
        let mut uses: BTreeMap<usize, BTreeMap<(usize, usize), String>> = BTreeMap::new();
        for (index, module) in self.modules.iter().enumerate() {
            let from = self.line_of(index);
            for (path, line) in &module.source.paths {
                let Some(target) = self.target(index, path, 0) else {
                    continue;
                };
                let to = self.line_of(target);
                let alike = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
                if let (Some(&user), Some(&used)) = (from.get(alike), to.get(alike)) {
                    let place = format!("{}:{line}: {}", module.file, path.join("::"));
                    let edges = uses.entry(from[alike - 1]).or_default();
                    edges.entry((user, used)).or_insert(place);
                }
            }
        }
        uses
    }

    /// Every knot, at every level.
    pub fn knots(&self) -> Vec<Knot> {
        let uses = self.uses();
        let knots = uses.iter().flat_map(|(&parent, edges)| {
            let children = &self.modules[parent].children;
            circles(edges.keys().copied())
                .into_iter()
                .map(move |knot| Knot {
                    parent: self.modules[parent].name.clone(),
                    children: children
                        .iter()
                        .filter(|(_, child)| knot.contains(child))
                        .map(|(name, _)| name.clone())
                        .collect(),
                    uses: edges
                        .iter()
                        .filter(|((a, b), _)| knot.contains(a) && knot.contains(b))
                        .map(|(_, place)| place.clone())
                        .collect(),
                })
        });
        knots.collect()
    }
}

/// The sets of nodes that reach one another, of two nodes or more.
fn circles(edges: impl Iterator<Item = (usize, usize)>) -> Vec<BTreeSet<usize>> {
    let mut next: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    edges.for_each(|(from, to)| next.entry(from).or_default().push(to));
    let reached = |from: usize| {
        let (mut seen, mut open) = (BTreeSet::new(), vec![from]);
        while let Some(node) = open.pop() {
            let ways = next.get(&node).into_iter().flatten();
            open.extend(ways.filter(|&&to| seen.insert(to)));
        }
        seen
    };
    let reach: BTreeMap<usize, BTreeSet<usize>> =
        next.keys().map(|&node| (node, reached(node))).collect();
    let mut circles = BTreeSet::new();
    for (node, to) in reach.iter().filter(|(node, to)| to.contains(node)) {
        let back = |other: &&usize| reach.get(other).is_some_and(|r| r.contains(node));
        circles.insert(to.iter().filter(back).copied().collect::<BTreeSet<usize>>());
    }
    circles.into_iter().collect()
}
