//! `flitsim watch` on a terminal: it draws, obeys its keys, and leaves the terminal as it was, whether it
//! is left by `q`, by Ctrl-C, by a signal or by a panic.

#![cfg(unix)]

use flitsim::watch::Terminal;
use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Termios, Winsize, tcgetattr, tcsetwinsize};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::AsFd;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Longer than any of this takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// What a program writes when it gives the terminal back: lines wrap, the cursor shows, the screen is
/// the old one.
const GIVEN_BACK: &str = "\u{1b}[?7h\u{1b}[?25h\u{1b}[?1049l";
const TAKEN: &str = "\u{1b}[?1049h\u{1b}[?25l";

/// A terminal of 80 by 24, and a program on it.
struct Session {
    ours: File,
    theirs: File,
    child: Child,
    output: Receiver<Vec<u8>>,
    written: String,
    screen: Shown,
    before: Termios,
}

/// What a terminal shows, as far as this program makes use of one: text, and places to write it.
#[derive(Default)]
struct Shown {
    cells: BTreeMap<(u16, u16), char>,
    at: (u16, u16),
    /// Bytes of a sequence or character whose end has not come.
    rest: Vec<u8>,
}

impl Shown {
    fn write(&mut self, bytes: &[u8]) {
        self.rest.extend_from_slice(bytes);
        let valid = match std::str::from_utf8(&self.rest) {
            Ok(text) => text.len(),
            Err(error) => error.valid_up_to(),
        };
        let text = String::from_utf8_lossy(&self.rest[..valid]).into_owned();
        let mut left = text.as_str();
        while let Some(first) = left.chars().next() {
            if first != '\u{1b}' {
                self.cells.insert(self.at, first);
                self.at.1 += 1;
                left = &left[first.len_utf8()..];
                continue;
            }
            // Sequences end with a letter.
            let Some(end) = left.find(|c: char| c.is_ascii_alphabetic()) else {
                break;
            };
            let place = left[..end]
                .strip_prefix("\u{1b}[")
                .and_then(|p| p.split_once(';'));
            match (&left[end..=end], place) {
                ("H", Some((row, column))) => {
                    self.at = (
                        row.parse().expect("a row"),
                        column.parse().expect("a column"),
                    );
                }
                ("J", _) => self.cells.clear(),
                _ => {}
            }
            left = &left[end + 1..];
        }
        let done = text.len() - left.len();
        self.rest.drain(..done);
    }

    fn rows(&self) -> impl Iterator<Item = String> {
        (1..=24).map(|row| {
            let cell = |column| self.cells.get(&(row, column)).copied().unwrap_or(' ');
            (1..=80).map(cell).collect()
        })
    }
}

/// A terminal of 80 by 24, and its other end.
fn terminal() -> (File, File) {
    let ours =
        openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).expect("a terminal");
    grantpt(&ours).expect("granted");
    unlockpt(&ours).expect("unlocked");
    let name = ptsname(&ours, Vec::new())
        .expect("a name")
        .into_string()
        .expect("text");
    let theirs = File::options()
        .read(true)
        .write(true)
        .open(name)
        .expect("its other end");
    resize(&ours, 80, 24);
    (File::from(ours), theirs)
}

fn resize(terminal: impl AsFd, ws_col: u16, ws_row: u16) {
    let size = Winsize {
        ws_row,
        ws_col,
        ws_xpixel: 0,
        ws_ypixel: 0,
    };
    tcsetwinsize(terminal, size).expect("a size");
}

impl Session {
    fn start(command: &mut Command) -> Self {
        let (ours, theirs) = terminal();
        let before = tcgetattr(&theirs).expect("settings");
        let end = || Stdio::from(theirs.try_clone().expect("another handle"));
        command.stdin(end()).stdout(end()).stderr(end());
        let child = command
            .env("TERM", "xterm-256color")
            .spawn()
            .expect("it starts");
        let mut reader = ours.try_clone().expect("another handle");
        let (sender, output) = channel();
        std::thread::spawn(move || {
            let mut buffer = [0; 4_096];
            while let Ok(read @ 1..) = reader.read(&mut buffer) {
                if sender.send(buffer[..read].to_vec()).is_err() {
                    return;
                }
            }
        });
        Self {
            ours,
            theirs,
            child,
            output,
            written: String::new(),
            screen: Shown::default(),
            before,
        }
    }

    fn watch(arguments: &[&str], environment: &[(&str, &str)]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_flitsim"));
        command.current_dir(env!("CARGO_MANIFEST_DIR"));
        command
            .arg("watch")
            .arg("scenarios/quick.toml")
            .args(arguments);
        command
            .env_remove("NO_COLOR")
            .envs(environment.iter().copied());
        Self::start(&mut command)
    }

    /// Reads until `what` has been written since the last call, and all up to there.
    fn wait_for(&mut self, what: &str) -> String {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(at) = self.written.find(what) {
                let rest = self.written.split_off(at + what.len());
                return std::mem::replace(&mut self.written, rest);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            match self.output.recv_timeout(left) {
                Ok(bytes) => self.take(&bytes),
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                    let _ = self.child.kill();
                    panic!("no {what:?} in {:?}", self.written);
                }
            }
        }
    }

    /// Reads until some row of the screen has `what` in it.
    fn wait_for_row(&mut self, what: &str) {
        let deadline = Instant::now() + PATIENCE;
        while !self.screen.rows().any(|row| row.contains(what)) {
            let left = deadline.saturating_duration_since(Instant::now());
            let Ok(bytes) = self.output.recv_timeout(left) else {
                let _ = self.child.kill();
                let rows: Vec<String> = self.screen.rows().collect();
                panic!("no {what:?} on the screen:\n{}", rows.join("\n"));
            };
            self.take(&bytes);
        }
    }

    /// Takes what was written.
    fn take(&mut self, bytes: &[u8]) {
        let text = String::from_utf8_lossy(bytes);
        self.written += &text;
        self.screen.write(bytes);
    }

    fn press(&mut self, keys: &str) {
        self.ours.write_all(keys.as_bytes()).expect("keys");
    }

    /// The end of the program, and what it wrote after it had given the terminal back. Its settings are
    /// those of before, and it was given back once.
    fn end(mut self) -> (ExitStatus, String) {
        self.wait_for(GIVEN_BACK);
        let deadline = Instant::now() + PATIENCE;
        let status = loop {
            if let Some(status) = self.child.try_wait().expect("it can be waited for") {
                break status;
            }
            assert!(Instant::now() < deadline, "it does not end");
            std::thread::sleep(Duration::from_millis(5));
        };
        while let Ok(bytes) = self.output.recv_timeout(Duration::from_millis(50)) {
            self.take(&bytes);
        }
        let after = tcgetattr(&self.theirs).expect("settings");
        assert_eq!(format!("{after:?}"), format!("{:?}", self.before));
        assert!(!self.written.contains("\u{1b}[?"), "{:?}", self.written);
        (status, self.written)
    }
}

#[test]
fn q_leaves_the_terminal_clean() {
    let mut session = Session::watch(&[], &[]);
    session.wait_for(TAKEN);
    let screen = session.wait_for("q quit");
    assert!(
        screen.contains("quick:") && screen.contains("\u{1b}[48;5;"),
        "{screen:?}"
    );
    assert_ne!(
        format!("{:?}", tcgetattr(&session.theirs).expect("settings")),
        format!("{:?}", session.before),
        "while it runs, keys come one by one"
    );
    session.press("q");
    let (status, after) = session.end();
    assert!(status.success() && after.is_empty(), "{status}: {after:?}");
}

#[test]
fn ctrl_c_leaves_the_terminal_clean() {
    let mut session = Session::watch(&["--load", "0.2"], &[("NO_COLOR", "1")]);
    session.wait_for(TAKEN);
    let screen = session.wait_for("q quit");
    assert!(screen.contains("load 0.2 "), "{screen:?}");
    assert!(
        !screen.contains("[48;") && !screen.contains("[38;"),
        "{screen:?}"
    );
    session.press("\u{3}");
    let (status, after) = session.end();
    assert!(status.success() && after.is_empty(), "{status}: {after:?}");
}

/// As large as a screen is, whatever the terminal claims.
#[test]
fn a_terminal_of_any_size_is_drawn() {
    let mut session = Session::watch(&["--color", "never"], &[]);
    session.wait_for("q quit");
    resize(&session.ours, u16::MAX, u16::MAX);
    // The last line is another one now.
    session.wait_for("q quit");
    session.press("q");
    let (status, after) = session.end();
    assert!(status.success() && after.is_empty(), "{status}: {after:?}");
}

#[test]
fn a_signal_leaves_the_terminal_clean() {
    let mut session = Session::watch(&["--color", "never"], &[]);
    session.wait_for("q quit");
    let child = Pid::from_child(&session.child);
    kill_process(child, Signal::TERM).expect("a signal");
    let (_, after) = session.end();
    assert!(after.is_empty(), "{after:?}");
}

#[test]
fn keys_pause_step_and_change_the_load() {
    let mut session = Session::watch(&["--load", "0.2"], &[]);
    session.wait_for_row("1,000 cycles a second");
    session.press("+");
    session.wait_for_row("3,000 cycles a second");
    session.press(" ");
    session.wait_for_row("paused");
    session.press("\u{1b}[A");
    session.wait_for_row("load 0.22 flits/node/cycle");
    session.press("v");
    session.wait_for_row("packets in queues");
    session.press("\t");
    session.wait_for_row("torus (2 of 2)");
    // Another series begins from its first cycle, and is still paused.
    session.wait_for_row("cycle 0 ");
    session.press("S");
    session.wait_for_row("cycle 256 ");
    session.press("ss");
    session.wait_for_row("cycle 258 ");
    session.press("q");
    assert!(session.end().0.success());
}

/// What the next test runs in a process of its own; nothing anywhere else.
#[test]
fn helper_that_panics_where_asked_to() {
    if std::env::var_os("FLITSIM_TEST_PANICS").is_some() {
        let _terminal = Terminal::enter().expect("a terminal");
        panic!("somebody has to read this");
    }
}

#[test]
fn a_panic_gives_the_terminal_back_before_it_speaks() {
    let mut command = Command::new(std::env::current_exe().expect("this test"));
    command.args([
        "--exact",
        "watch_terminal::helper_that_panics_where_asked_to",
        "--nocapture",
    ]);
    let mut session = Session::start(command.env("FLITSIM_TEST_PANICS", "1"));
    session.wait_for(TAKEN);
    let (status, after) = session.end();
    assert!(
        !status.success() && after.contains("somebody has to read this"),
        "{after:?}"
    );
}

#[test]
fn without_a_terminal_it_says_what_to_use() {
    let output = Command::new(env!("CARGO_BIN_EXE_flitsim"))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args(["watch", "scenarios/quick.toml"])
        .output()
        .expect("it runs");
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("needs a terminal"), "{said}");
    assert!(
        said.contains("`flitsim run scenarios/quick.toml`"),
        "{said}"
    );
    assert!(output.stdout.is_empty());
}

#[test]
fn a_terminal_that_is_gone_ends_it() {
    for keys in ["", " "] {
        let (mut ours, theirs) = terminal();
        // Another terminal that this test may have is none of its.
        let mut command = Command::new("setsid");
        command.current_dir(env!("CARGO_MANIFEST_DIR"));
        command.args([
            env!("CARGO_BIN_EXE_flitsim"),
            "watch",
            "scenarios/quick.toml",
        ]);
        let end = || Stdio::from(theirs.try_clone().expect("another handle"));
        command.stdin(end()).stdout(end()).stderr(Stdio::null());
        let mut child = command
            .env("TERM", "xterm-256color")
            .spawn()
            .expect("it starts");
        drop(command);
        drop(theirs);
        let (mut written, mut buffer) = (String::new(), [0; 4_096]);
        while !written.contains("q quit") {
            let read = ours.read(&mut buffer).expect("what it writes");
            written += &String::from_utf8_lossy(&buffer[..read]);
        }
        // Paused, it has nothing to draw.
        ours.write_all(keys.as_bytes()).expect("keys");
        std::thread::sleep(Duration::from_millis(300));
        let _ = ours.read(&mut buffer);
        drop(ours);
        let deadline = Instant::now() + PATIENCE;
        while child.try_wait().expect("it can be waited for").is_none() {
            if Instant::now() > deadline {
                let _ = child.kill();
                panic!("it goes on without a terminal, after {keys:?}");
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}
