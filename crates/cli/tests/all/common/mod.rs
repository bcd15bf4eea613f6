//! Runs the command as a shell does.
pub(crate) mod schema;

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

/// Result of a run of the command.
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// The command without arguments.
pub(crate) fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ftlkit"));
    command.env_remove("COLUMNS").env("NO_COLOR", "1");
    command
}

/// Runs `ftlkit` with these arguments.
pub(crate) fn ftlkit<S: AsRef<std::ffi::OsStr>>(arguments: impl IntoIterator<Item = S>) -> Ran {
    ran(command().args(arguments).output().expect("ftlkit starts"))
}

/// Runs `ftlkit` with arguments that contain no blanks.
pub(crate) fn words(line: &str) -> Ran {
    ftlkit(line.split_whitespace())
}

pub(crate) fn ran(output: Output) -> Ran {
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("output is UTF-8");
    Ran { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
}

impl Ran {
    /// Checks for success; returns standard output.
    #[track_caller]
    pub(crate) fn ok(self) -> String {
        assert_eq!(self.code, Some(0), "{}", self.stderr);
        self.stdout
    }

    /// Checks the exit code.
    #[track_caller]
    pub(crate) fn ended(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{} {}", self.stdout, self.stderr);
        self
    }

    #[track_caller]
    pub(crate) fn json(self) -> serde_json::Value {
        serde_json::from_str(&self.ok()).expect("one JSON object")
    }

    /// Checks for exit code 2, empty standard output, and at most one screen of errors that contains these words.
    #[track_caller]
    pub(crate) fn refused(self, said: &[&str]) {
        assert_eq!(self.code, Some(2), "{} {}", self.stdout, self.stderr);
        assert_eq!(self.stdout, "");
        assert!(self.stderr.lines().count() <= 24, "more than a screen: {}", self.stderr);
        assert!(!self.stderr.contains("panicked"), "{}", self.stderr);
        for words in said {
            assert!(self.stderr.contains(words), "`{words}` is not in: {}", self.stderr);
        }
    }
}

/// Waits until something is so, as long as it takes: a test that hangs is ended by the guard of `scripts/test`.
pub(crate) fn wait_until(mut so: impl FnMut() -> bool) {
    while !so() {
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Runs a command that would take hours, and ends it by a signal: later each time, until there are figures.
#[cfg(unix)]
pub(crate) fn interrupted(
    signal: &str,
    arguments: &[&str],
    has_figures: impl Fn(&Ran) -> bool,
) -> Ran {
    let run = |tries: u32| {
        let child = command().args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let child = child.expect("ftlkit starts");
        std::thread::sleep(Duration::from_millis(100 << tries));
        let sent = Command::new("kill").args([signal, &child.id().to_string()]).status();
        assert!(sent.expect("kill starts").success());
        let ran = ran(child.wait_with_output().expect("it ends"));
        // It ends by the signal, at the first one or when it has said what it found.
        assert!(matches!(ran.code, None | Some(130)), "{:?} {}", ran.code, ran.stderr);
        ran
    };
    (0..).map(run).find(has_figures).expect("there is no last try")
}

/// The text with single blanks in place of its line breaks.
pub(crate) fn unwrapped(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A scratch directory, removed on drop.
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    pub(crate) fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("ftlkit-cli-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a scratch directory");
        Self(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// The path of a file in it, as text.
    pub(crate) fn at(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }

    /// Writes a file; returns its path.
    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        std::fs::write(self.0.join(name), content).expect("a scratch file");
        self.at(name)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A trace in ftlkit's own format: `requests` sequential writes of 4 KiB.
pub(crate) fn csv_trace(requests: u64) -> String {
    let mut text = "arrival_ns,op,offset_bytes,length_bytes\n".to_owned();
    for n in 0..requests {
        text.push_str(&format!("{},write,{},4096\n", n * 1_000_000, n * 4096));
    }
    text
}
