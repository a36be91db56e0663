//! Two tiers of tests: those of every change, and with them the long ones where `FLITSIM_TESTS=all`, as in
//! `.ci/run`. What is left out says so.

// A test program that uses a part of this would otherwise be told of the rest.
#![allow(dead_code)]

use std::io::{self, Write};

/// Whether the test that asks has to wait for the second tier.
pub fn is_left_out() -> bool {
    !is_all() && {
        say("left out");
        true
    }
}

/// How many of a test's cases run: all of them, or a tenth in the first tier.
pub fn cases(all: u64) -> u64 {
    one_in(10, all)
}

/// As [`cases`], for long ones: one in `among` in the first tier.
pub fn one_in(among: u64, all: u64) -> u64 {
    if is_all() {
        return all;
    }
    let some = all.div_ceil(among);
    say(&format!("{some} of {all} cases"));
    some
}

/// Every how manyth case of a test runs: each, or every fifth in the first tier.
pub fn step() -> usize {
    if is_all() {
        return 1;
    }
    say("every fifth case");
    5
}

fn is_all() -> bool {
    match std::env::var("FLITSIM_TESTS") {
        Ok(which) if which == "all" => true,
        Ok(which) => panic!("FLITSIM_TESTS is `all` or not set, not `{which}`"),
        Err(_) => false,
    }
}

/// Past the capture of output: a test that passes tells it, too.
fn say(what: &str) {
    let thread = std::thread::current();
    let test = thread.name().unwrap_or_default();
    let _ = writeln!(io::stderr(), "{test}: {what}; FLITSIM_TESTS=all runs all");
}
