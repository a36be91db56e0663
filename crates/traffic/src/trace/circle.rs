//! Whether a trace's dependencies can all be met, and if not, who waits for whom (Kahn, "Topological
//! sorting of large networks", CACM 5(11), 1962).

/// Who depends on whom, by row: the rows that `row` depends on are
/// `on[first[row]..first[row + 1]]`.
#[derive(Clone, Debug, Default)]
pub(super) struct Dependencies {
    pub(super) first: Vec<u32>,
    pub(super) on: Vec<u32>,
}

impl Dependencies {
    fn of(&self, row: usize) -> &[u32] {
        &self.on[self.first[row] as usize..self.first[row + 1] as usize]
    }

    /// How many rows each row depends on.
    pub(super) fn counts(&self) -> Box<[u32]> {
        self.first
            .windows(2)
            .map(|pair| pair[1] - pair[0])
            .collect()
    }

    /// The other way round: for each row the rows that depend on it, in ascending order.
    pub(super) fn reversed(&self) -> Self {
        let rows = self.first.len() - 1;
        let mut first = vec![0u32; rows + 1];
        for &on in &self.on {
            first[on as usize + 1] += 1;
        }
        for row in 0..rows {
            first[row + 1] += first[row];
        }
        let mut next = first.clone();
        let mut dependents = vec![0; self.on.len()];
        for row in 0..rows {
            for &on in self.of(row) {
                let place = &mut next[on as usize];
                dependents[*place as usize] = row as u32;
                *place += 1;
            }
        }
        Self {
            first,
            on: dependents,
        }
    }

    /// Rows that depend on one another in a circle, if there are any: each on the next, the last on
    /// the first, which is the one that stands first in the file. `reversed` is this the other way
    /// round.
    pub(super) fn circle(&self, reversed: &Self) -> Option<Vec<u32>> {
        let mut needs = self.counts();
        let mut ready: Vec<u32> = (0..needs.len() as u32)
            .filter(|&row| needs[row as usize] == 0)
            .collect();
        while let Some(row) = ready.pop() {
            for &dependent in reversed.of(row as usize) {
                let needs = &mut needs[dependent as usize];
                *needs -= 1;
                if *needs == 0 {
                    ready.push(dependent);
                }
            }
        }
        // Whoever is left depends on someone who is left: the way back ends in a circle.
        let is_left = |row: &u32| needs[*row as usize] > 0;
        let mut row = (0..needs.len() as u32).find(is_left)?;
        let mut at = vec![u32::MAX; needs.len()];
        let mut path = Vec::new();
        while at[row as usize] == u32::MAX {
            at[row as usize] = path.len() as u32;
            path.push(row);
            row = *self.of(row as usize).iter().find(|on| is_left(on))?;
        }
        let mut circle = path.split_off(at[row as usize] as usize);
        let first = (0..circle.len()).min_by_key(|&i| circle[i])?;
        circle.rotate_left(first);
        Some(circle)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn circle(rows: &[&[u32]]) -> Option<Vec<u32>> {
        let mut dependencies = Dependencies::default();
        dependencies.first.push(0);
        for row in rows {
            dependencies.on.extend(*row);
            dependencies.first.push(dependencies.on.len() as u32);
        }
        dependencies.circle(&dependencies.reversed())
    }

    #[test]
    fn circles_are_found_and_their_absence_too() {
        assert_eq!(circle(&[&[], &[0], &[0, 1], &[2, 2]]), None);
        // A dependency on what stands below.
        assert_eq!(circle(&[&[2], &[0], &[]]), None);
        assert_eq!(circle(&[&[0]]), Some(vec![0]));
        // Row 0 waits for the circle, row 4 is freed by nobody, row 1 is fine.
        assert_eq!(
            circle(&[&[1, 3], &[], &[4], &[2], &[3], &[0]]),
            Some(vec![2, 4, 3])
        );
    }

    #[test]
    fn a_long_chain_needs_no_stack() {
        let rows: Vec<Vec<u32>> = (0..100_000u32)
            .map(|row| vec![(row + 1) % 100_000])
            .collect();
        let rows: Vec<&[u32]> = rows.iter().map(Vec::as_slice).collect();
        assert_eq!(circle(&rows).map(|circle| circle.len()), Some(100_000));
    }
}
