//! Allocators that look at all requests at once, from the sentences of `docs/flow.md`.

use flitsim_engine::Matching;

/// A request of an input (a row) for an output (a column).
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell {
    /// The least has waited longest.
    pub age: (u64, u64, u64),
    /// Whether it goes behind those of packets that have a virtual channel.
    pub is_guess: bool,
    pub row: u32,
    pub column: u32,
    /// That a wave goes by, whole sides more or less.
    pub diagonal: u32,
    /// Whether others may have the column as well.
    pub is_shared: bool,
}

/// How a wave goes over the diagonals of a square.
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
        _ => maximum(cells, &by_age, is_switch),
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
    let passes_by = matching == Matching::Wavefront && matches!(wave, Wave::From { .. });
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
    let diagonal = |cell: usize| cells[cell].diagonal % side;
    let first = match wave {
        Wave::FromOldest { .. } => by_age.first().map_or(0, |&oldest| diagonal(oldest)),
        Wave::From { first, .. } => first,
    };
    for is_guess in [false, true] {
        for step in 0..side {
            for &cell in by_age {
                let is_on = diagonal(cell) == (first + step) % side;
                let is_free = chosen.iter().all(|&c| !exclude(&cells[c], &cells[cell]));
                if is_on && is_free && cells[cell].is_guess == is_guess {
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
