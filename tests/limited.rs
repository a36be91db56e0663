//! Tests under a limit of memory: each is run again in a process of its own, which has the limit.

// A test program that uses nothing of this would otherwise be told so.
#![allow(dead_code)]

use std::process::Command;

/// Set in the process that has the limit.
const LIMITED: &str = "FLITSIM_TEST_LIMITED";

/// Whether the test `name` is to go on: it runs in the process that has 2 GB of address space. Elsewhere that process
/// has been started, and the test has passed there.
///
/// # Panics
/// If it has failed there.
pub fn is_limited(name: &str) -> bool {
    if std::env::var_os(LIMITED).is_some() {
        return true;
    }
    let output = Command::new("sh")
        .args(["-c", "ulimit -v 2000000; exec \"$0\" --exact \"$1\""])
        .arg(std::env::current_exe().expect("a program"))
        .arg(name)
        .env(LIMITED, "")
        // Of many processors each would reserve its own.
        .envs([("RAYON_NUM_THREADS", "1"), ("MALLOC_ARENA_MAX", "1")])
        .output()
        .expect("a shell");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && said.contains("1 passed"),
        "{said}"
    );
    false
}
