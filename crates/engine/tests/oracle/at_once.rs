//! Allocators that look at all requests at once, from the sentences of `docs/flow.md`.

use flitsim_engine::Matching;
use std::collections::{BTreeMap, BTreeSet};

/// A request of an input (a row) for an output (a column).
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell {
    /// The least has waited longest.
    pub age: (u64, u64, u64),
    /// Whether it goes behind those of packets that have a virtual channel.
    pub is_guess: bool,
    /// A wave passes over those that are earlier first.
    pub lateness: u8,
    pub row: u32,
    pub column: u32,
    /// The row's and the column's, that a wave goes by, whole sides more or less, and a matching that begins at a row.
    pub numbers: (u32, u32),
    /// Whether others may have the column as well.
    pub is_shared: bool,
}

/// Where it begins: at which diagonal of a square, or at which row of so many.
#[derive(Clone, Copy, Debug)]
pub(super) enum Wave {
    /// From that of the oldest request.
    FromOldest {
        side: u32,
    },
    From {
        first: u32,
        side: u32,
    },
}

/// Whether two cannot both be chosen.
fn exclude(a: &Cell, b: &Cell) -> bool {
    a.row == b.row || a.column == b.column && !a.is_shared
}

/// The numbers of the `cells` that `matching` chooses.
pub(super) fn choose(
    cells: &[Cell],
    matching: Matching,
    wave: Wave,
    is_switch: bool,
) -> Vec<usize> {
    let mut by_age: Vec<usize> = (0..cells.len()).collect();
    by_age.sort_by_key(|&c| (cells[c].is_guess, cells[c].age));
    let chosen = match matching {
        Matching::Wavefront => wavefront(cells, &by_age, wave),
        _ => match wave {
            Wave::FromOldest { .. } => maximum(cells, &by_age, is_switch),
            Wave::From { first, side } => maximum_from(cells, &by_age, first, side),
        },
    };
    for (index, &a) in chosen.iter().enumerate() {
        assert!(
            chosen[..index]
                .iter()
                .all(|&b| !exclude(&cells[a], &cells[b]))
        );
    }
    // Nobody is left beside an output that is free for it, and who has waited longest is not.
    for &cell in &by_age {
        assert!(
            chosen
                .iter()
                .any(|&c| c == cell || exclude(&cells[c], &cells[cell]))
        );
    }
    let who = |cell: usize| {
        if is_switch {
            cell as u32
        } else {
            cells[cell].row
        }
    };
    let passes_by = matches!(wave, Wave::From { .. });
    assert!(
        passes_by
            || by_age
                .first()
                .is_none_or(|&first| chosen.iter().any(|&c| who(c) == who(first)))
    );
    chosen
}

/// A wave goes over the diagonals of a square; first over requests that are no guess.
fn wavefront(cells: &[Cell], by_age: &[usize], wave: Wave) -> Vec<usize> {
    let mut chosen: Vec<usize> = Vec::new();
    let (Wave::FromOldest { side } | Wave::From { side, .. }) = wave;
    let diagonal = |cell: usize| (cells[cell].numbers.0 + cells[cell].numbers.1) % side;
    let first = match wave {
        Wave::FromOldest { .. } => by_age.first().map_or(0, |&oldest| diagonal(oldest)),
        Wave::From { first, .. } => first,
    };
    let turns: BTreeSet<(bool, u8)> = cells.iter().map(|c| (c.is_guess, c.lateness)).collect();
    for turn in turns {
        for step in 0..side {
            for &cell in by_age {
                let is_on = diagonal(cell) == (first + step) % side;
                let is_free = chosen.iter().all(|&c| !exclude(&cells[c], &cells[cell]));
                if is_on && is_free && (cells[cell].is_guess, cells[cell].lateness) == turn {
                    chosen.push(cell);
                }
            }
        }
    }
    chosen
}

/// Requests, the oldest first, are chosen where that leaves as many as can be; at a switch, the oldest in
/// any case.
fn maximum(cells: &[Cell], by_age: &[usize], is_switch: bool) -> Vec<usize> {
    let mut chosen: Vec<usize> = by_age
        .iter()
        .copied()
        .take(usize::from(is_switch))
        .collect();
    let all = most(cells, by_age, &chosen);
    for &cell in by_age {
        if chosen.iter().any(|&c| exclude(&cells[c], &cells[cell])) {
            continue;
        }
        chosen.push(cell);
        if most(cells, by_age, &chosen) < all {
            chosen.pop();
        }
    }
    assert_eq!(chosen.len(), all);
    chosen
}

/// One more as long as there is a way: the shortest from the rows without a column, those looked at first that come first
/// from `first` on, and of a row columns in their order. Of a row's requests for a column the oldest that is no guess.
fn maximum_from(cells: &[Cell], by_age: &[usize], first: u32, side: u32) -> Vec<usize> {
    let mut requests: BTreeMap<u32, BTreeMap<u32, usize>> = BTreeMap::new();
    for &cell in by_age {
        let (row, column) = cells[cell].numbers;
        let of_row = requests.entry((row + side - first) % side).or_default();
        of_row.entry(column).or_insert(cell);
    }
    // No two have one number.
    let numbered = |cell: &Cell| [(cell.numbers.0, cell.row), (cell.numbers.1, cell.column)];
    for side in [0, 1] {
        let who: BTreeMap<u32, u32> = cells.iter().map(|cell| numbered(cell)[side]).collect();
        let mut all = cells.iter().map(|cell| numbered(cell)[side]);
        assert!(all.all(|(number, place)| who[&number] == place));
    }
    let (mut column_of, mut row_of) = (BTreeMap::new(), BTreeMap::new());
    let end_of_way = |column_of: &BTreeMap<u32, u32>, row_of: &BTreeMap<u32, u32>| {
        let mut came: BTreeMap<u32, u32> = BTreeMap::new();
        let rows = requests.keys().copied();
        let mut layer: Vec<u32> = rows.filter(|row| !column_of.contains_key(row)).collect();
        while !layer.is_empty() {
            for row in std::mem::take(&mut layer) {
                for &column in requests[&row].keys() {
                    if column_of.get(&row) == Some(&column) || came.contains_key(&column) {
                        continue;
                    }
                    came.insert(column, row);
                    match row_of.get(&column) {
                        Some(&other) => layer.push(other),
                        None => return Some((column, came)),
                    }
                }
            }
        }
        None
    };
    while let Some((mut column, came)) = end_of_way(&column_of, &row_of) {
        loop {
            let row = came[&column];
            row_of.insert(column, row);
            match column_of.insert(row, column) {
                Some(before) => column = before,
                None => break,
            }
        }
    }
    assert_eq!(column_of.len(), most(cells, by_age, &[]));
    // The row that it begins with is served.
    assert!(!requests.contains_key(&0) || column_of.contains_key(&0));
    let pairs = column_of.iter();
    pairs.map(|(row, column)| requests[row][column]).collect()
}

/// How many can be chosen with all of `chosen` among them: row by row, one after another finds a column,
/// which who has it may have to change for another.
fn most(cells: &[Cell], by_age: &[usize], chosen: &[usize]) -> usize {
    let left = by_age.iter().copied();
    let left: Vec<usize> = left
        .filter(|&cell| chosen.iter().all(|&c| !exclude(&cells[c], &cells[cell])))
        .collect();
    let mut rows: Vec<u32> = left.iter().map(|&cell| cells[cell].row).collect();
    rows.sort_unstable();
    rows.dedup();
    let mut has: Vec<(u32, u32)> = Vec::new();
    let mut found = 0;
    for row in rows {
        let mut tried = Vec::new();
        found += usize::from(finds(cells, &left, row, &mut has, &mut tried));
    }
    chosen.len() + found
}

/// Whether `row` finds a column; `has` holds who has which.
fn finds(
    cells: &[Cell],
    left: &[usize],
    row: u32,
    has: &mut Vec<(u32, u32)>,
    tried: &mut Vec<u32>,
) -> bool {
    for cell in left
        .iter()
        .map(|&cell| cells[cell])
        .filter(|cell| cell.row == row)
    {
        if cell.is_shared {
            return true;
        }
        if tried.contains(&cell.column) {
            continue;
        }
        tried.push(cell.column);
        let holder = has.iter().position(|held| held.0 == cell.column);
        if holder.is_none_or(|held| finds(cells, left, has[held].1, has, tried)) {
            has.retain(|held| held.0 != cell.column);
            has.push((cell.column, row));
            return true;
        }
    }
    false
}
