//! Tables that relations keep beside their network: built on first use, and shared from then on.
//!
//! Invariant: all that is built from one [`Tables`] is for one network, and for one file of routes
//! where there is one.

use std::any::Any;
use std::fmt::Debug;
use std::sync::{Arc, Mutex, PoisonError};

/// What a relation keeps, beside its network, that is worth sharing.
pub(super) trait Table: Any + Debug + Send + Sync {
    /// Bytes that it takes.
    fn bytes(&self) -> u64;
}

/// The tables of the relations on one network.
#[derive(Debug, Default)]
pub struct Tables {
    /// By type and number of virtual channels, 0 where that does not matter.
    kept: Mutex<Vec<(u32, Arc<dyn Table>)>>,
}

impl Tables {
    /// Bytes that all tables take which were built so far.
    pub fn bytes(&self) -> u64 {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.iter().map(|(_, table)| table.bytes()).sum()
    }

    /// The table of type `T`, for `virtual_channels` where it depends on them, else 0: as `build`
    /// makes it, unless it was built before. Not under the lock: what builds may wait for other threads, and begin
    /// work meanwhile that asks here. Of two that build at once, the first is kept.
    pub(super) fn get<T: Table, E>(
        &self,
        virtual_channels: u32,
        build: impl FnOnce() -> Result<T, E>,
    ) -> Result<Arc<T>, E> {
        let lock = || self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let known = find(&lock(), virtual_channels);
        if let Some(table) = known {
            return Ok(table);
        }
        let built = Arc::new(build()?);
        let mut kept = lock();
        Ok(find(&kept, virtual_channels).unwrap_or_else(|| {
            kept.push((virtual_channels, Arc::<T>::clone(&built)));
            built
        }))
    }
}

fn find<T: Table>(kept: &[(u32, Arc<dyn Table>)], virtual_channels: u32) -> Option<Arc<T>> {
    let mut alike = kept.iter().filter(|(vcs, _)| *vcs == virtual_channels);
    alike.find_map(|(_, table)| {
        let table: Arc<dyn Any + Send + Sync> = Arc::<dyn Table>::clone(table);
        table.downcast().ok()
    })
}
