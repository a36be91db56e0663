//! The state of a simulation as bytes, written and read by the same code: one line of
//! [`archived!`](crate::archived) a struct says which of its fields are state and which are built anew.
//! A field that is forgotten does not compile.
//!
//! The bytes end with a hash of all before it. They mean something only to the program that wrote them:
//! neither names nor types are among them, so a reader checks first whose they are.

use flitsim_random::mix;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::{self, Read, Write};

/// Bytes that are written, read and hashed at a time.
const BLOCK: usize = 1 << 16;

enum Stream<'a> {
    To(&'a mut dyn Write),
    From(Box<dyn Read + 'a>),
}

/// Bytes on their way, into a simulation or out of one. After an error nothing more is written, and
/// zeros are read: [`Archive::finish`] tells.
pub struct Archive<'a> {
    stream: Stream<'a>,
    block: Box<[u8]>,
    at: usize,
    end: usize,
    hash: u64,
    outcome: io::Result<()>,
}

impl<'a> Archive<'a> {
    /// One that writes to `to`.
    pub fn saving(to: &'a mut dyn Write) -> Self {
        Self::new(Stream::To(to), BLOCK)
    }

    /// One that reads `from`, of which [`is_whole`] is known.
    pub fn loading(from: Box<dyn Read + 'a>) -> Self {
        Self::new(Stream::From(from), 0)
    }

    fn new(stream: Stream<'a>, end: usize) -> Self {
        Self {
            stream,
            block: vec![0; BLOCK].into_boxed_slice(),
            at: 0,
            end,
            hash: 0,
            outcome: Ok(()),
        }
    }

    /// Whether values are read, and what they were is of no account.
    pub fn is_loading(&self) -> bool {
        matches!(self.stream, Stream::From(_))
    }

    /// Nothing that comes after this counts: `why` is the error.
    pub fn refuse(&mut self, why: impl Into<String>) {
        if self.outcome.is_ok() {
            self.outcome = Err(io::Error::other(why.into()));
        }
    }

    /// Writes `bytes`, or reads them.
    #[inline]
    fn bytes<const N: usize>(&mut self, bytes: &mut [u8; N]) {
        let is_loading = self.is_loading();
        let rest = self.block.get_mut(self.at..self.end);
        if let Some(place) = rest.and_then(|rest| rest.first_chunk_mut()) {
            self.at += N;
            match is_loading {
                true => *bytes = *place,
                false => *place = *bytes,
            }
            return;
        }
        for byte in bytes {
            if self.at == self.end {
                self.turn();
            }
            if is_loading {
                *byte = self.block[self.at];
            } else {
                self.block[self.at] = *byte;
            }
            self.at += 1;
        }
    }

    /// The block is used up: the next one.
    #[cold]
    fn turn(&mut self) {
        let block = &self.block[..self.at];
        self.at = 0;
        let done = match &mut self.stream {
            Stream::To(to) => {
                self.hash = hash(self.hash, block);
                to.write_all(block)
            }
            Stream::From(from) => fill(from, &mut self.block).map(|count| self.end = count),
        };
        if self.outcome.is_ok() {
            self.outcome = done;
        }
        if self.end == 0 {
            self.refuse("it ends too early");
        }
        if self.outcome.is_err() {
            self.block.fill(0);
            self.end = BLOCK;
        }
    }

    /// The last bytes are written, the hash behind them.
    ///
    /// # Errors
    /// Where something could not be written or read, or was [refused](Self::refuse).
    pub fn finish(mut self) -> io::Result<()> {
        if self.is_loading() {
            self.bytes(&mut [0; 8]);
        }
        self.outcome?;
        match self.stream {
            Stream::To(to) => {
                let rest = &self.block[..self.at];
                to.write_all(rest)?;
                to.write_all(&hash(self.hash, rest).to_le_bytes())
            }
            Stream::From(mut from) => {
                match self.at < self.end || fill(&mut from, &mut self.block)? > 0 {
                    true => Err(io::Error::other("there is more in it than here")),
                    false => Ok(()),
                }
            }
        }
    }
}

/// The hash of what `before` is the hash of, and of `block`: of two blocks that differ in a word it differs.
fn hash(before: u64, block: &[u8]) -> u64 {
    let (words, rest) = block.as_chunks::<8>();
    let words = words.iter().map(|word| u64::from_le_bytes(*word));
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let last = [u64::from_le_bytes(last), block.len() as u64];
    words
        .chain(last)
        .fold(before, |hash, word| mix(hash ^ word))
}

/// Reads until `block` is full or there is no more. How many bytes.
fn fill(from: &mut dyn Read, block: &mut [u8]) -> io::Result<usize> {
    let mut count = 0;
    while count < block.len() {
        match from.read(&mut block[count..])? {
            0 => break,
            more => count += more,
        }
    }
    Ok(count)
}

/// Whether `from` holds `bytes` bytes, the last of which are the hash of those before.
///
/// # Errors
/// What the system says.
pub fn is_whole(from: &mut dyn Read, bytes: u64) -> io::Result<bool> {
    let mut block = vec![0; BLOCK];
    let (mut rest, mut found) = (bytes.saturating_sub(8), 0);
    while rest > 0 {
        let size = rest.min(BLOCK as u64) as usize;
        if fill(from, &mut block[..size])? < size {
            return Ok(false);
        }
        found = hash(found, &block[..size]);
        rest -= size as u64;
    }
    let mut last = [0; 8];
    Ok(fill(from, &mut last)? == last.len() && u64::from_le_bytes(last) == found)
}

/// State that is written, or read in place of what is there.
pub trait Archived {
    /// Writes it or reads it, as `archive` does.
    fn archive(&mut self, archive: &mut Archive<'_>);
}

/// Says how a struct is [`Archived`]: its fields of any length; `fixed`, those whose length is known when
/// the struct is built; `rebuilt`, those that are built anew and not stored, or by a method, named after
/// `then`. `newtype` is for tuples of one.
///
/// ```
/// use flitsim_topology::archive::{Archive, Archived};
///
/// #[derive(Default)]
/// struct Seen {
///     packets: Vec<u32>,
///     flits: [u64; 2],
///     name: String,
/// }
///
/// flitsim_topology::archived! { Seen { packets, flits; rebuilt name } }
///
/// let (mut bytes, mut seen) = (Vec::new(), Seen::default());
/// seen.packets = vec![3, 1, 4];
/// let mut archive = Archive::saving(&mut bytes);
/// seen.archive(&mut archive);
/// archive.finish()?;
///
/// let mut again = Seen::default();
/// let mut archive = Archive::loading(Box::new(bytes.as_slice()));
/// again.archive(&mut archive);
/// archive.finish()?;
/// assert_eq!(again.packets, [3, 1, 4]);
/// # Ok::<(), std::io::Error>(())
/// ```
#[macro_export]
macro_rules! archived {
    (newtype $($type:ty),+) => {$(
        impl $crate::archive::Archived for $type {
            #[inline]
            fn archive(&mut self, archive: &mut $crate::archive::Archive<'_>) {
                $crate::archive::Archived::archive(&mut self.0, archive);
            }
        }
    )+};
    ($type:ty $(where [$($generics:tt)*])? {
        $($kept:ident),* $(; fixed $($fixed:ident),+)? $(; rebuilt $($rebuilt:ident),+)?
        $(; then $then:ident)?
    }) => {
        impl $(<$($generics)*>)? $crate::archive::Archived for $type {
            #[inline]
            fn archive(&mut self, archive: &mut $crate::archive::Archive<'_>) {
                let Self { $($kept,)* $($($fixed,)+)? $($($rebuilt: _,)+)? } = self;
                $($crate::archive::Archived::archive($kept, archive);)*
                $($($crate::archive::Fixed::archive_fixed($fixed, archive);)+)?
                $(self.$then(archive);)?
            }
        }
    };
}

/// What is built with as many items as it keeps.
pub trait Fixed {
    /// Writes the items or reads them.
    fn archive_fixed(&mut self, archive: &mut Archive<'_>);
}

fn archive_items<T: Archived>(items: &mut [T], archive: &mut Archive<'_>) {
    let mut count = items.len();
    count.archive(archive);
    if count != items.len() {
        return archive.refuse("a list in it has another length than here");
    }
    items.iter_mut().for_each(|item| item.archive(archive));
}

impl<T: Archived> Fixed for Vec<T> {
    fn archive_fixed(&mut self, archive: &mut Archive<'_>) {
        archive_items(self, archive);
    }
}

impl<T: Archived> Fixed for Box<[T]> {
    fn archive_fixed(&mut self, archive: &mut Archive<'_>) {
        archive_items(self, archive);
    }
}

impl<T: Archived> Fixed for Option<T> {
    fn archive_fixed(&mut self, archive: &mut Archive<'_>) {
        archive_items(self.as_mut_slice(), archive);
    }
}

impl<T: Archived + Default> Archived for Vec<T> {
    fn archive(&mut self, archive: &mut Archive<'_>) {
        let mut count = self.len();
        count.archive(archive);
        self.truncate(count);
        self.iter_mut().for_each(|item| item.archive(archive));
        // One by one: a length that is not so ends where the bytes do.
        while self.len() < count && archive.outcome.is_ok() {
            let mut item = T::default();
            item.archive(archive);
            self.push(item);
        }
    }
}

impl<T: Archived + Default> Archived for Option<T> {
    fn archive(&mut self, archive: &mut Archive<'_>) {
        let mut is_some = self.is_some();
        is_some.archive(archive);
        if archive.is_loading() {
            *self = is_some.then(T::default);
        }
        self.iter_mut().for_each(|item| item.archive(archive));
    }
}

/// No two items are equal, so what comes out does not depend on how they lie.
impl<T: Archived + Default + Ord> Archived for BinaryHeap<Reverse<T>> {
    fn archive(&mut self, archive: &mut Archive<'_>) {
        let mut items: Vec<T> = self.drain().map(|Reverse(item)| item).collect();
        items.archive(archive);
        self.extend(items.into_iter().map(Reverse));
    }
}

impl<T: Archived + ?Sized> Archived for Box<T> {
    fn archive(&mut self, archive: &mut Archive<'_>) {
        (**self).archive(archive);
    }
}

impl<T: Archived, const N: usize> Archived for [T; N] {
    #[inline]
    fn archive(&mut self, archive: &mut Archive<'_>) {
        self.iter_mut().for_each(|item| item.archive(archive));
    }
}

impl<T: Archived, U: Archived> Archived for (T, U) {
    #[inline]
    fn archive(&mut self, archive: &mut Archive<'_>) {
        self.0.archive(archive);
        self.1.archive(archive);
    }
}

macro_rules! integers {
    ($($integer:ty)+) => {$(
        impl Archived for $integer {
            #[inline]
            fn archive(&mut self, archive: &mut Archive<'_>) {
                let mut bytes = self.to_le_bytes();
                archive.bytes(&mut bytes);
                *self = Self::from_le_bytes(bytes);
            }
        }
    )+};
}

integers!(u8 u16 u32 u64 f64);

impl Archived for usize {
    #[inline]
    fn archive(&mut self, archive: &mut Archive<'_>) {
        let mut word = *self as u64;
        word.archive(archive);
        *self = word as Self;
    }
}

impl Archived for bool {
    #[inline]
    fn archive(&mut self, archive: &mut Archive<'_>) {
        let mut byte = u8::from(*self);
        byte.archive(archive);
        *self = byte != 0;
    }
}

impl Archived for String {
    fn archive(&mut self, archive: &mut Archive<'_>) {
        let mut bytes = std::mem::take(self).into_bytes();
        bytes.archive(archive);
        *self = Self::from_utf8(bytes).unwrap_or_default();
    }
}
