//! A headless Chromium, told what to do over its debugging pipe: file descriptors 3 and 4, messages
//! of the DevTools protocol with a zero byte behind each. No port, no driver program.

#![allow(dead_code, reason = "a helper has more than one test needs")]

use base64::Engine as _;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// How long an answer may take, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// How often it is started before it is said not to start.
const STARTS: u32 = 4;

/// The file, in its profile, of what it writes beside its answers.
const LOG: &str = "stderr";

/// Names under which it is installed; first the one that has no window, which starts and draws with the least.
const NAMES: [&str; 7] = [
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "headless_shell",
];

/// The browser of this machine: `CHROMIUM` in the environment, or the first in `PATH`.
pub fn find() -> Option<PathBuf> {
    if let Some(path) = std::env::var_os("CHROMIUM") {
        return Some(path.into());
    }
    let path = std::env::var_os("PATH")?;
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let all = NAMES
        .iter()
        .flat_map(|name| folders.iter().map(move |f| f.join(name)));
    all.into_iter().find(|path| path.is_file())
}

/// A running browser with one page.
pub struct Browser {
    child: Child,
    to: ChildStdin,
    from: Receiver<Value>,
    events: VecDeque<Value>,
    next: u64,
    session: Option<String>,
    /// What went wrong on the page: errors on its console, exceptions, requests that failed or that
    /// left the file.
    pub faults: Vec<String>,
    profile: TempDir,
}

impl Browser {
    /// Starts it: more than once where it ends at once or says nothing, as happens beside much other work.
    pub fn launch(program: &Path) -> Self {
        let mut said = Vec::new();
        for _ in 0..STARTS {
            let mut browser = Self::start(program);
            match browser.attach() {
                Ok(()) => return browser,
                Err(silence) => {
                    let log = std::fs::read_to_string(browser.log()).unwrap_or_default();
                    said.push(format!("{silence}: {log}"));
                }
            }
        }
        panic!("{} does not start: {said:#?}", program.display());
    }

    /// Where it writes what is none of its answers.
    fn log(&self) -> PathBuf {
        self.profile.path().join(LOG)
    }

    fn start(program: &Path) -> Self {
        let profile = tempfile::tempdir().expect("a folder for its profile");
        let log = std::fs::File::create(profile.path().join(LOG)).expect("a file");
        // The shell makes its own input and output the descriptors that the browser speaks on.
        let mut child = Command::new("sh")
            .args(["-c", "exec \"$0\" \"$@\" 3<&0 4>&1 0</dev/null 1>&2"])
            .arg(program)
            .args([
                "--headless=new",
                "--remote-debugging-pipe",
                "--no-sandbox",
                "--no-first-run",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--disable-extensions",
                "--disable-background-networking",
                "--disable-component-update",
                "--force-device-scale-factor=1",
                "--hide-scrollbars",
            ])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .arg("about:blank")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .expect("a shell");
        let to = child.stdin.take().expect("piped");
        let mut output = BufReader::new(child.stdout.take().expect("piped"));
        let (sender, from) = channel();
        std::thread::spawn(move || {
            let mut message = Vec::new();
            while output.read_until(0, &mut message).is_ok_and(|n| n > 0) {
                message.pop();
                let Ok(value) = serde_json::from_slice(&message) else {
                    break;
                };
                if sender.send(value).is_err() {
                    break;
                }
                message.clear();
            }
        });
        Self {
            child,
            to,
            from,
            events: VecDeque::new(),
            next: 1,
            session: None,
            faults: Vec::new(),
            profile,
        }
    }

    fn attach(&mut self) -> Result<(), String> {
        let permissions =
            json!({ "permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"] });
        self.try_call("Browser.grantPermissions", permissions)?;
        let page = self.try_call("Target.createTarget", json!({ "url": "about:blank" }))?;
        let target = json!({ "targetId": page["targetId"], "flatten": true });
        let session = self.try_call("Target.attachToTarget", target)?;
        self.session = session["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page", "Runtime", "Network", "Log", "Performance"] {
            self.try_call(&format!("{domain}.enable"), json!({}))?;
        }
        Ok(())
    }

    /// Sends a command and waits for its answer.
    pub fn call(&mut self, method: &str, parameters: Value) -> Value {
        let answer = self.try_call(method, parameters);
        answer.unwrap_or_else(|silence| {
            let log = std::fs::read_to_string(self.log()).unwrap_or_default();
            panic!("{silence}: {log}")
        })
    }

    fn try_call(&mut self, method: &str, parameters: Value) -> Result<Value, String> {
        let id = self.send(method, parameters)?;
        loop {
            let message = self.receive(method)?;
            if message["id"] == id {
                let error = &message["error"];
                assert!(error.is_null(), "{method}: {error}");
                return Ok(message["result"].clone());
            }
        }
    }

    /// Sends a command. Its number, which its answer has.
    fn send(&mut self, method: &str, parameters: Value) -> Result<u64, String> {
        let id = self.next;
        self.next += 1;
        let mut message = json!({ "id": id, "method": method, "params": parameters });
        if let Some(session) = &self.session {
            message["sessionId"] = session.as_str().into();
        }
        let mut text = message.to_string().into_bytes();
        text.push(0);
        let written = self.to.write_all(&text).and_then(|()| self.to.flush());
        written
            .map(|()| id)
            .map_err(|error| format!("{method} cannot be said ({error})"))
    }

    /// The next message; what it says of faults is kept.
    fn receive(&mut self, wanted: &str) -> Result<Value, String> {
        let message = self.from.recv_timeout(PATIENCE);
        let message = message.map_err(|error| format!("no answer to {wanted} ({error})"))?;
        let parameters = &message["params"];
        let fault = match message["method"].as_str() {
            Some("Runtime.exceptionThrown") => {
                Some(parameters["exceptionDetails"]["exception"]["description"].to_string())
            }
            Some("Runtime.consoleAPICalled") if parameters["type"] != "log" => {
                Some(parameters["args"].to_string())
            }
            Some("Log.entryAdded") if parameters["entry"]["level"] == "error" => {
                Some(parameters["entry"]["text"].to_string())
            }
            Some("Network.loadingFailed") => Some(parameters["errorText"].to_string()),
            Some("Network.requestWillBeSent") => {
                let address = parameters["request"]["url"].as_str().unwrap_or_default();
                let is_local = ["file:", "data:"].iter().any(|p| address.starts_with(p));
                (!is_local).then(|| format!("asks for {address}"))
            }
            _ => None,
        };
        self.faults.extend(fault);
        if message["method"].is_string() {
            self.events.push_back(message.clone());
        }
        Ok(message)
    }

    fn wait_for(&mut self, method: &str) {
        loop {
            while let Some(event) = self.events.pop_front() {
                if event["method"] == method {
                    return;
                }
            }
            self.receive(method)
                .unwrap_or_else(|silence| panic!("{silence}"));
        }
    }

    /// The size of the window.
    pub fn resize(&mut self, width: u32, height: u32) {
        let metrics = json!({
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600,
        });
        self.call("Emulation.setDeviceMetricsOverride", metrics);
    }

    /// Light or dark, and screen or print.
    pub fn media(&mut self, kind: &str, scheme: &str) {
        let features = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        let media = json!({ "media": kind, "features": features });
        self.call("Emulation.setEmulatedMedia", media);
    }

    /// Opens a file and waits until it is loaded.
    pub fn open(&mut self, path: &Path) {
        let path = path.canonicalize().expect("the page is there");
        self.events.clear();
        let address = format!("file://{}", path.display());
        self.call("Page.navigate", json!({ "url": address }));
        self.wait_for("Page.loadEventFired");
    }

    /// The value of an expression on the page; promises are awaited.
    pub fn value(&mut self, expression: &str) -> Value {
        let parameters = json!({
            "expression": expression, "returnByValue": true, "awaitPromise": true,
            "userGesture": true,
        });
        let answer = self.call("Runtime.evaluate", parameters);
        let exception = &answer["exceptionDetails"];
        assert!(exception.is_null(), "{expression}: {exception}");
        answer["result"]["value"].clone()
    }

    /// The value of an expression, a text.
    pub fn text(&mut self, expression: &str) -> String {
        let value = self.value(expression);
        let text = value.as_str();
        text.unwrap_or_else(|| panic!("{expression}: {value}"))
            .to_owned()
    }

    /// Waits until `condition` holds.
    pub fn wait_until(&mut self, condition: &str) {
        let start = Instant::now();
        while self.value(condition) != true {
            assert!(start.elapsed() < PATIENCE, "never: {condition}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// The middle of the element that `selector` selects, after scrolling to it.
    fn middle(&mut self, selector: &str) -> (f64, f64) {
        let at = self.value(&format!(
            "(() => {{ const e = document.querySelector({selector:?}); \
             e.scrollIntoView({{ block: 'center', behavior: 'instant' }}); \
             const b = e.getBoundingClientRect(); \
             return [b.x + b.width / 2, b.y + b.height / 2]; }})()"
        ));
        let coordinate = |i: usize| at[i].as_f64().expect("a coordinate");
        (coordinate(0), coordinate(1))
    }

    fn mouse(&mut self, kind: &str, (x, y): (f64, f64)) {
        let button = if kind == "mouseMoved" { "none" } else { "left" };
        let event = json!({ "type": kind, "x": x, "y": y, "button": button, "clickCount": 1 });
        self.call("Input.dispatchMouseEvent", event);
    }

    /// Moves the pointer to an element.
    pub fn point_at(&mut self, selector: &str) {
        let middle = self.middle(selector);
        self.mouse("mouseMoved", middle);
    }

    /// Clicks an element.
    pub fn click(&mut self, selector: &str) {
        let middle = self.middle(selector);
        for kind in ["mouseMoved", "mousePressed", "mouseReleased"] {
            self.mouse(kind, middle);
        }
    }

    /// Presses a key.
    pub fn press(&mut self, key: &str) {
        let (code, text) = match key {
            "Tab" => (9, ""),
            "Enter" => (13, "\r"),
            " " => (32, " "),
            "End" => (35, ""),
            "Home" => (36, ""),
            "ArrowLeft" => (37, ""),
            "ArrowUp" => (38, ""),
            "ArrowRight" => (39, ""),
            "ArrowDown" => (40, ""),
            other => panic!("no key {other}"),
        };
        for kind in ["keyDown", "keyUp"] {
            let mut event = json!({
                "type": kind, "key": key, "code": if key == " " { "Space" } else { key },
                "windowsVirtualKeyCode": code,
            });
            if kind == "keyDown" && !text.is_empty() {
                event["text"] = text.into();
            }
            self.call("Input.dispatchKeyEvent", event);
        }
    }

    /// Presses Tab until `selector` has the focus, at most `times` times.
    pub fn tab_to(&mut self, selector: &str, times: usize) {
        let has_focus = format!("document.activeElement.matches({selector:?})");
        for _ in 0..times {
            self.press("Tab");
            if self.value(&has_focus) == true {
                return;
            }
        }
        panic!("{times} presses of Tab do not reach {selector}");
    }

    /// What the page has counted of its work since it was opened: `Nodes`, `LayoutCount`, `RecalcStyleCount`.
    pub fn counted(&mut self, name: &str) -> u64 {
        let answer = self.call("Performance.getMetrics", json!({}));
        let metrics = answer["metrics"].as_array().expect("a list");
        let metric = metrics.iter().find(|metric| metric["name"] == name);
        let value = metric.and_then(|metric| metric["value"].as_f64());
        value.expect("a count") as u64
    }

    /// A picture of the whole page.
    pub fn screenshot(&mut self, path: &Path) {
        let parameters = json!({ "format": "png", "captureBeyondViewport": true });
        let answer = self.call("Page.captureScreenshot", parameters);
        self.keep(&answer["data"], path);
    }

    /// The page as it prints.
    pub fn print(&mut self, path: &Path) {
        let answer = self.call("Page.printToPDF", json!({ "printBackground": false }));
        self.keep(&answer["data"], path);
    }

    fn keep(&self, data: &Value, path: &Path) {
        let text = data.as_str().expect("data");
        let bytes = base64::engine::general_purpose::STANDARD.decode(text);
        std::fs::write(path, bytes.expect("base64")).expect("written");
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // It goes when its pipe is closed too; what is already gone needs no farewell.
        let _ = self
            .to
            .write_all(b"{\"id\":0,\"method\":\"Browser.close\"}\0");
        let start = Instant::now();
        while start.elapsed() < Duration::from_secs(5) {
            if self.child.try_wait().is_ok_and(|status| status.is_some()) {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
