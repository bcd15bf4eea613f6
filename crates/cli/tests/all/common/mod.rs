//! Runs the command as a shell would.
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// What a run of the command gave.
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// The command, to be given arguments.
pub(crate) fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ftlkit"));
    command.env_remove("COLUMNS").env("NO_COLOR", "1");
    command
}

/// Runs `ftlkit` with these arguments.
pub(crate) fn ftlkit<S: AsRef<std::ffi::OsStr>>(arguments: impl IntoIterator<Item = S>) -> Ran {
    ran(command().args(arguments).output().expect("ftlkit starts"))
}

/// Runs `ftlkit` with arguments that hold no blanks.
pub(crate) fn words(line: &str) -> Ran {
    ftlkit(line.split_whitespace())
}

pub(crate) fn ran(output: Output) -> Ran {
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("output is UTF-8");
    Ran { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
}

impl Ran {
    /// Ended well; gives what was printed.
    #[track_caller]
    pub(crate) fn ok(self) -> String {
        assert_eq!(self.code, Some(0), "{}", self.stderr);
        self.stdout
    }

    #[track_caller]
    pub(crate) fn json(self) -> serde_json::Value {
        serde_json::from_str(&self.ok()).expect("one JSON object")
    }

    /// Ended with exit code 2, with nothing on standard output and one screen of words that include these.
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

/// A directory of its own, gone with the value.
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

    /// Writes a file; gives its path.
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

/// A trace of ftlkit's own format: writes of 4 KiB, one after the other, `requests` of them.
pub(crate) fn csv_trace(requests: u64) -> String {
    let mut text = "arrival_ns,op,offset_bytes,length_bytes\n".to_owned();
    for n in 0..requests {
        text.push_str(&format!("{},write,{},4096\n", n * 1_000_000, n * 4096));
    }
    text
}
