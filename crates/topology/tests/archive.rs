//! State as bytes: what is saved is loaded, and what was damaged or is of another shape is noticed.

use flitsim_topology::archive::{Archive, Archived, Fixed, is_whole};
use std::io;

/// Bytes that are written and read at a time.
const BLOCK: usize = 1 << 16;

fn saved(values: &mut impl Archived) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut archive = Archive::saving(&mut bytes);
    values.archive(&mut archive);
    archive.finish().unwrap();
    bytes
}

fn load<T: Archived>(bytes: &[u8], values: &mut T) -> io::Result<()> {
    let mut archive = Archive::loading(Box::new(bytes));
    values.archive(&mut archive);
    archive.finish()
}

#[test]
fn what_is_saved_is_loaded() {
    // Of odd sizes, so that values straddle blocks.
    for count in [0, 1, 9_000, 100_000] {
        let item = |i: u64| (i as u8, (Some(i * i), format!("{i}")));
        let mut items: Vec<(u8, (Option<u64>, String))> = (0..count).map(item).collect();
        let bytes = saved(&mut items);
        let mut again: Vec<(u8, (Option<u64>, String))> = Vec::new();
        load(&bytes, &mut again).unwrap();
        assert_eq!(again, items);
        assert!(is_whole(&mut &*bytes, bytes.len() as u64).unwrap());
    }
}

#[test]
fn a_byte_that_differs_or_is_missing_is_noticed() {
    let bytes = saved(&mut vec![7u32; 40_000]);
    for at in [0, 5, BLOCK - 1, BLOCK, 2 * BLOCK + 3, bytes.len() - 1] {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1;
        assert!(
            !is_whole(&mut &*damaged, bytes.len() as u64).unwrap(),
            "{at}"
        );
        assert!(!is_whole(&mut &bytes[..at], at as u64).unwrap(), "{at}");
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let bytes = saved(&mut vec![7u32; 10]);
    let mut short = vec![0u32; 9].into_boxed_slice();
    let mut archive = Archive::loading(Box::new(&*bytes));
    short.archive_fixed(&mut archive);
    assert!(archive.finish().is_err());
    assert!(load(&[], &mut vec![0u32]).is_err());
    assert!(load(&bytes[..30], &mut vec![0u32]).is_err());
    assert!(load(&bytes, &mut 0u64).is_err(), "there is more");
    let mut count = u64::MAX;
    let endless = saved(&mut count);
    assert!(load(&endless, &mut vec![0u32]).is_err());
}
