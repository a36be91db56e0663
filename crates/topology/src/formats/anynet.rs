//! `anynet` files of BookSim2 (`anynet.cpp`): a line for each router or node, with those that it is linked to.
//!
//! `router 0 node 0 router 1 4`: node 0 is router 0's, and the channel to router 1 takes 4 cycles; one of which
//! nothing is said takes one, as does the channel back. A later line overrides. A number behind a node is refused:
//! BookSim2 would take it for that of a router.

use super::draft::Draft;
use super::error::{FileError, Problem, Source};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// Whether `text` is one: its first word is `router` or `node`, and a number follows.
pub(crate) fn is_anynet(text: &str) -> bool {
    let mut words = text.split_whitespace();
    let is_kind = matches!(words.next(), Some("router" | "node"));
    is_kind && words.next().is_some_and(|word| word.parse::<u32>().is_ok())
}

/// A word, and where it stands.
type Word<'a> = (&'a str, usize);

/// A router or a node: whether it is a router, its number, and where it stands.
type End = (bool, u32, usize);

/// What has been read.
#[derive(Default)]
struct Links {
    /// By node: its router, and where that was said.
    nodes: BTreeMap<u32, (u32, usize)>,
    routers: BTreeSet<u32>,
    /// By the two routers of a channel: its cycles, and where they were said.
    channels: BTreeMap<(u32, u32), (u32, usize)>,
}

fn wrong(source: Source<'_>, (text, offset): Word<'_>, expected: &'static str) -> FileError {
    let problem = Problem::Value {
        column: "link",
        text: text.to_owned(),
        expected,
        nearest: None,
    };
    source.error(offset, problem)
}

impl Links {
    fn add(
        &mut self,
        source: Source<'_>,
        head: End,
        body: End,
        cycles: Option<Word<'_>>,
    ) -> Result<(), FileError> {
        let ((is_router, from, _), (to_router, to, at)) = (head, body);
        let number = cycles.map(|word| match word.0.parse() {
            Ok(cycles @ 1..=100_000) if is_router && to_router => Ok(cycles),
            _ => Err(wrong(
                source,
                word,
                "a number of cycles, from 1 on, behind two routers",
            )),
        });
        let number = number.transpose()?.unwrap_or(1);
        let (router, node) = match (is_router, to_router) {
            (true, true) => {
                self.routers.extend([from, to]);
                self.channels.insert((from, to), (number, at));
                self.channels.entry((to, from)).or_insert((1, at));
                return Ok(());
            }
            (true, false) => (from, to),
            (false, true) => (to, from),
            (false, false) => {
                return Err(wrong(
                    source,
                    ("node", at),
                    "a router: no node is linked to another",
                ));
            }
        };
        self.routers.insert(router);
        match self.nodes.insert(node, (router, at)) {
            Some((before, _)) if before != router => {
                Err(wrong(source, ("node", at), "one router for each node"))
            }
            _ => Ok(()),
        }
    }

    fn draft<'a>(&self, source: Source<'a>) -> Result<Draft<'a>, FileError> {
        let mut draft = Draft::new(source, Some(source));
        let name = |kind: &str, number: u32| Cow::<'a, str>::Owned(format!("{kind} {number}"));
        for (&node, &(_, at)) in &self.nodes {
            draft.add_node(
                (name("node", node), at),
                [Some(("terminal", at)), None, None],
            )?;
        }
        if let Some((&last, &(_, at))) = self.nodes.last_key_value()
            && last as usize >= self.nodes.len()
        {
            return Err(wrong(
                source,
                ("node", at),
                "nodes numbered from 0 on, none left out",
            ));
        }
        for &router in &self.routers {
            draft.add_node(
                (name("router", router), 0),
                [Some(("switch", 0)), None, None],
            )?;
        }
        let mut join = |from: (&str, u32), to: (&str, u32), cycles: u32, at| {
            let ends = [(name(from.0, from.1), at), (name(to.0, to.1), at)];
            let delay = (cycles - 1).to_string();
            draft.add_channel(ends, at, [None, None, Some((&delay, at)), None])
        };
        for (&node, &(router, at)) in &self.nodes {
            join(("node", node), ("router", router), 1, at)?;
            join(("router", router), ("node", node), 1, at)?;
        }
        for (&(from, to), &(cycles, at)) in &self.channels {
            join(("router", from), ("router", to), cycles, at)?;
        }
        Ok(draft)
    }
}

/// The draft of the network that `source` says.
pub(super) fn parse(source: Source<'_>) -> Result<Draft<'_>, FileError> {
    let mut links = Links::default();
    let mut start = 0;
    for line in source.text.split_inclusive('\n') {
        let place = |word: &str| start + (word.as_ptr() as usize - line.as_ptr() as usize);
        let mut words = line
            .split_whitespace()
            .map(|word| (word, place(word)))
            .peekable();
        let end = |kind: Word<'_>, number: Option<Word<'_>>| match (kind.0, number) {
            ("router" | "node", Some((text, _))) if text.parse::<u32>().is_ok() => {
                Ok((kind.0 == "router", text.parse().unwrap_or(0), kind.1))
            }
            _ => Err(wrong(source, kind, "`router` or `node`, and its number")),
        };
        if let Some(first) = words.next() {
            let head = end(first, words.next())?;
            while let Some(kind) = words.next() {
                let body = end(kind, words.next())?;
                let cycles = words.next_if(|(word, _)| !matches!(*word, "router" | "node"));
                links.add(source, head, body, cycles)?;
            }
        }
        start += line.len();
    }
    links.draft(source)
}
