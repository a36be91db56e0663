//! Allocators that look at all bids at once, as cells of a matrix of inputs and outputs: the wavefront
//! and a maximum matching (Dally & Towles, section 19.4).
//!
//! Invariant: of the cells chosen, no two share a row or a column; between two calls, none is chosen.

use crate::config::Matching;
use crate::kernel::wiring::NONE;

/// Among the ways to columns: this column's cell stays.
const STAYS: u32 = NONE - 1;

/// A bid of an input (its row) for an output.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell {
    /// The least has waited longest; no two are alike. The highest bit of the first puts a cell behind all others.
    pub(super) order: [u64; 2],
    pub(super) row: u32,
    /// An output that takes all is a column for each row.
    pub(super) column: u32,
    /// Those of its row and of its column by which an allocator goes that begins at a place of its own; of a wavefront any
    /// whose sum is the same but for whole sides.
    pub(super) numbers: [u32; 2],
    /// A wavefront goes over the cells of a lower class first.
    pub(super) class: u8,
    /// Whose it is.
    pub(super) place: u32,
}

/// Where an allocator begins, and how many diagonals or rows there are.
#[derive(Clone, Copy, Debug)]
pub(super) enum Start {
    /// With the cell that has waited longest.
    Oldest(u32),
    /// With a diagonal or a row, of so many.
    At([u32; 2]),
}

/// The cells of a router, and scratch of the matchings.
#[derive(Debug)]
pub(super) struct Cells {
    pub(super) all: Vec<Cell>,
    /// The places of those chosen.
    pub(super) chosen: Vec<u32>,
    /// By row and by column: the cell chosen.
    of_row: Vec<u32>,
    of_column: Vec<u32>,
    /// By column: the cell that leads to it.
    way_to: Vec<u32>,
    is_reached: Vec<bool>,
    /// The first cells of rows to look from, in turn.
    queue: Vec<u32>,
}

impl Cells {
    /// Room for `rows` and `columns`, and `most` cells.
    pub(super) fn new([rows, columns, most]: [usize; 3]) -> Self {
        Self {
            all: Vec::with_capacity(most),
            chosen: Vec::with_capacity(rows),
            of_row: vec![NONE; rows],
            of_column: vec![NONE; columns],
            way_to: vec![NONE; columns],
            is_reached: vec![false; rows],
            queue: Vec::with_capacity(rows),
        }
    }

    /// Chooses by `matching`, which begins at `start`. With `oldest_first` a maximum matching that begins with the cell that
    /// has waited longest has that cell whatever it costs: one other at most.
    pub(super) fn choose_by(&mut self, matching: Matching, start: Start, oldest_first: bool) {
        match (matching, start) {
            (Matching::Maximum, Start::At(place)) => self.maximum_from(place),
            (Matching::Maximum, Start::Oldest(_)) => self.maximum(oldest_first),
            (_, start) => self.wavefront(start),
        }
    }

    /// Chooses diagonal by diagonal, beginning with that of `start`; of one cell's bids the one that has waited longest.
    /// What has no highest bit goes before all else, then what has a lower class.
    fn wavefront(&mut self, start: Start) {
        let Some(oldest) = self.all.iter().min_by_key(|cell| cell.order) else {
            return;
        };
        let [row, column] = oldest.numbers;
        let [first, side] = match start {
            Start::Oldest(side) => [(row + column) % side, side],
            Start::At(place) => place,
        };
        for cell in &mut self.all {
            let [row, column] = cell.numbers;
            cell.numbers = [(row + column + side - first) % side, 0];
        }
        self.all.sort_unstable_by_key(|cell| {
            (cell.order[0] >> 63, cell.class, cell.numbers, cell.order)
        });
        for (cell, index) in self.all.iter().zip(0u32..) {
            let row = &mut self.of_row[cell.row as usize];
            let column = &mut self.of_column[cell.column as usize];
            if *row == NONE && *column == NONE {
                (*row, *column) = (index, index);
            }
        }
        self.finish();
    }

    /// Chooses as many as can be: one more by a shortest path from the rows without a column, as long as there is one. Rows
    /// come by their numbers from `first` of `rows` on, and columns by theirs from 0 on; of one cell's bids the one that
    /// goes first (BookSim2's `maxsize.cpp`).
    fn maximum_from(&mut self, [first, rows]: [u32; 2]) {
        for cell in &mut self.all {
            cell.numbers[0] = (cell.numbers[0] + rows - first) % rows;
        }
        self.all
            .sort_unstable_by_key(|cell| (cell.numbers, cell.order));
        self.all.dedup_by_key(|cell| cell.numbers);
        while let Some(end) = self.shortest_path() {
            self.turn_over(end);
        }
        self.finish();
    }

    /// The end of the shortest of such paths, if there is one. Cells are sorted by row.
    fn shortest_path(&mut self) -> Option<u32> {
        let all = &self.all;
        let is_first = |index: usize| index == 0 || all[index - 1].row != all[index].row;
        self.queue.clear();
        for (index, cell) in all.iter().enumerate() {
            self.way_to[cell.column as usize] = NONE;
            if is_first(index) && self.of_row[cell.row as usize] == NONE {
                self.queue.push(index as u32);
            }
        }
        let mut looked = 0;
        while let Some(&from) = self.queue.get(looked) {
            looked += 1;
            let row = all[from as usize].row;
            let of_row = all[from as usize..].iter().zip(from..);
            for (cell, index) in of_row.take_while(|(cell, _)| cell.row == row) {
                let way = &mut self.way_to[cell.column as usize];
                if self.of_row[row as usize] == index || *way != NONE {
                    continue;
                }
                *way = index;
                let other = self.of_column[cell.column as usize];
                if other == NONE {
                    return Some(index);
                }
                let mut behind = (0..=other as usize).rev();
                let first = behind.find(|&index| is_first(index));
                self.queue.extend(first.map(|index| index as u32));
            }
        }
        None
    }

    /// Chooses as many as can be; of all such sets the one with the cell that has waited longest, of those
    /// the one with the next, and so on. With `oldest_first` that one is chosen whatever it costs: one other
    /// at most.
    fn maximum(&mut self, oldest_first: bool) {
        self.all.sort_unstable_by_key(|cell| cell.order);
        if oldest_first && let Some(&oldest) = self.all.first() {
            self.choose(0);
            self.way_to[oldest.column as usize] = STAYS;
        }
        while self.augment() {}
        for index in 0..self.all.len() as u32 {
            let Cell { row, column, .. } = self.all[index as usize];
            let (row, column) = (row as usize, column as usize);
            let before = [self.of_row[row], self.of_column[column]];
            if before.iter().any(|&cell| self.stays(cell)) {
                continue;
            }
            if before[0] != index {
                before.iter().for_each(|&cell| self.give_up(cell));
                self.choose(index);
            }
            self.way_to[column] = STAYS;
            let is_smaller = before[0] != before[1] && !before.contains(&NONE);
            if is_smaller && !self.augment() {
                self.way_to[column] = NONE;
                self.give_up(index);
                before.iter().for_each(|&cell| self.choose(cell));
            }
        }
        self.finish();
    }

    fn stays(&self, cell: u32) -> bool {
        let column = self.all.get(cell as usize).map(|cell| cell.column as usize);
        column.is_some_and(|column| self.way_to[column] == STAYS)
    }

    fn choose(&mut self, index: u32) {
        let Cell { row, column, .. } = self.all[index as usize];
        self.of_row[row as usize] = index;
        self.of_column[column as usize] = index;
    }

    fn give_up(&mut self, index: u32) {
        if let Some(&Cell { row, column, .. }) = self.all.get(index as usize) {
            self.of_row[row as usize] = NONE;
            self.of_column[column as usize] = NONE;
        }
    }

    /// One more, if that can be without those that stay: a path from a row without a column over cells
    /// not chosen and chosen, in turn, to a column without a row (Berge 1957).
    fn augment(&mut self) -> bool {
        for cell in &self.all {
            let way = &mut self.way_to[cell.column as usize];
            *way = if *way == STAYS { STAYS } else { NONE };
            self.is_reached[cell.row as usize] = self.of_row[cell.row as usize] == NONE;
        }
        let mut is_stuck = false;
        while !is_stuck {
            is_stuck = true;
            for (cell, index) in self.all.iter().zip(0u32..) {
                let column = cell.column as usize;
                if !self.is_reached[cell.row as usize] || self.way_to[column] != NONE {
                    continue;
                }
                is_stuck = false;
                self.way_to[column] = index;
                match self.all.get(self.of_column[column] as usize) {
                    Some(next) => self.is_reached[next.row as usize] = true,
                    None => {
                        self.turn_over(index);
                        return true;
                    }
                }
            }
        }
        false
    }

    /// The cells of the path that ends with `index` are chosen, and no more those that were.
    fn turn_over(&mut self, mut index: u32) {
        while let Some(&Cell { row, .. }) = self.all.get(index as usize) {
            let before = self.of_row[row as usize];
            self.choose(index);
            let next = self.all.get(before as usize);
            index = next.map_or(NONE, |cell| self.way_to[cell.column as usize]);
        }
    }

    fn finish(&mut self) {
        for (cell, index) in self.all.iter().zip(0u32..) {
            self.way_to[cell.column as usize] = NONE;
            self.of_column[cell.column as usize] = NONE;
            let of_row = &mut self.of_row[cell.row as usize];
            if *of_row == index {
                *of_row = NONE;
                self.chosen.push(cell.place);
            }
        }
        self.all.clear();
    }
}
