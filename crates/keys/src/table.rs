//! A table of keys written as one.

/// Declares keys as constants, and the table that has them: none can be left out of it.
///
/// A key is its constant and type, its name, what it takes as a constructor of [`Key`](crate::Key)
/// without name and meaning, what may follow that, and its meaning.
///
/// ```
/// flitsim_keys::table! {
///     /// The table `[router]`.
///     pub static ROUTER = "router", "An input-queued router.";
///
///     /// What a buffer holds.
///     pub BUFFER_FLITS: u32 = "buffer_flits" integer(1..=32_768, "flits").or(8),
///         "What the buffer of each virtual channel holds.";
///     BODY_DELAY: u32 = "body_delay" integer(1..=10_000, "cycles").or_as("delay"), "Of other flits.";
///     DELAY: u32 = "delay" integer(1..=10_000, "cycles").or(1), "What a head flit spends in a router.";
/// }
///
/// let router = ROUTER.defaults();
/// assert_eq!((router.get(&BUFFER_FLITS), router.get(&BODY_DELAY)), (8, 1));
/// ```
#[macro_export]
macro_rules! table {
    (
        $(#[$doc:meta])* $vis:vis static $table:ident = $table_name:literal, $about:literal
            $(, $and:ident($($with:expr),*))*;
        $($keys:tt)*
    ) => {
        $crate::table!(@keys $($keys)*);
        $(#[$doc])*
        $vis static $table: $crate::Table = $crate::Table::new(
            $table_name,
            $about,
            $crate::table!(@list $($keys)*),
        )$(.$and($($with),*))*;
    };
    (@keys $(
        $(#[$doc:meta])* $vis:vis $key:ident: $of:ty = $name:literal
            $takes:ident($($arg:expr),*) $(.$and:ident($($with:expr),*))*, $meaning:expr;
    )*) => {$(
        $(#[$doc])*
        $vis const $key: $crate::Key<$of> =
            $crate::Key::$takes($name, $($arg,)* $meaning)$(.$and($($with),*))*;
    )*};
    (@list $(
        $(#[$doc:meta])* $vis:vis $key:ident: $of:ty = $name:literal
            $takes:ident($($arg:expr),*) $(.$and:ident($($with:expr),*))*, $meaning:expr;
    )*) => {
        &const { [$($key.described()),*] }
    };
}
