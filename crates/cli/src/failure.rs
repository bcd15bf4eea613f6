//! Unsuccessful ends of a command, and their exit codes.

use crate::snippet::snippet;
use crate::terminal::{colors, wrapped_for_errors};
use lab::Fault;
use lab::config::ConfigError;
use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;
use workload::escaped_lines;

/// Reason why a command did not succeed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Invalid input.
    Input(Box<Message>),
    /// An internal error.
    Internal(Box<Message>),
    /// More blocks of a device are bad than there are spare ones.
    WornOut(Box<Message>),
    /// A scheme exceeded its bound, or misses a deadline of a periodic task; the report has been printed.
    PromiseBroken,
    /// Ctrl-C; the results so far have been printed.
    Interrupted,
    /// The reader of the output has closed it.
    OutputClosed,
}

/// The fault, its position and a remedy.
#[derive(Debug, Default)]
pub(crate) struct Message {
    what: String,
    help: Option<String>,
    /// The name of a text, the text, and the bytes at fault.
    source: Option<(String, String, std::ops::Range<usize>)>,
}

/// Longest line, in bytes, for which the source is shown; a binary file would fill the screen.
const LONGEST_LINE: usize = 240;

impl Failure {
    /// Invalid input.
    pub(crate) fn input(what: impl fmt::Display) -> Self {
        Self::Input(Box::new(Message { what: what.to_string(), ..Message::default() }))
    }

    /// Invalid input, with a remedy.
    pub(crate) fn input_with_help(what: impl fmt::Display, help: impl fmt::Display) -> Self {
        Self::Input(Box::new(Message {
            what: what.to_string(),
            help: Some(help.to_string()),
            ..Message::default()
        }))
    }

    /// A defect of the program, or a failure of the machine.
    pub(crate) fn internal(what: impl fmt::Display) -> Self {
        Self::Internal(Box::new(Message { what: what.to_string(), ..Message::default() }))
    }

    /// A failure of the machine, or damage that was found, with a remedy.
    pub(crate) fn internal_with_help(what: impl fmt::Display, help: impl fmt::Display) -> Self {
        Self::Internal(Box::new(Message {
            what: what.to_string(),
            help: Some(help.to_string()),
            ..Message::default()
        }))
    }

    /// A device without room for what it is asked to write, with a remedy.
    pub(crate) fn worn_out(what: impl fmt::Display, help: impl fmt::Display) -> Self {
        Self::WornOut(Box::new(Message {
            what: what.to_string(),
            help: Some(help.to_string()),
            ..Message::default()
        }))
    }

    /// Prints the message, if there is one, and returns the exit code.
    pub(crate) fn report(self) -> ExitCode {
        match self {
            Self::Input(message) => {
                message.print();
                ExitCode::from(2)
            }
            Self::Internal(message) => {
                message.print();
                ExitCode::from(1)
            }
            Self::WornOut(message) => {
                message.print();
                ExitCode::from(3)
            }
            Self::PromiseBroken => ExitCode::from(1),
            Self::Interrupted => ExitCode::from(130),
            Self::OutputClosed => ExitCode::SUCCESS,
        }
    }
}

impl From<io::Error> for Failure {
    /// An error on standard output.
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::OutputClosed,
            _ => Self::internal(format!("cannot write the output: {error}")),
        }
    }
}

impl From<ConfigError> for Failure {
    fn from(error: ConfigError) -> Self {
        Fault::from(error).into()
    }
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        let Fault { what, help, source, internal } = fault;
        let Some(ConfigError::Toml { place, text, span, .. }) = source.map(|error| *error) else {
            let message = Box::new(Message { what, help, ..Message::default() });
            return if internal { Self::Internal(message) } else { Self::Input(message) };
        };
        let lines_fit = text.lines().all(|line| line.len() <= LONGEST_LINE);
        Self::Input(Box::new(Message {
            what,
            help,
            source: span.filter(|_| lines_fit).map(|span| (place, text, span)),
        }))
    }
}

impl Message {
    fn print(&self) {
        let color = colors(io::stderr().is_terminal());
        let (bold, plain) = if color { ("\x1b[1;31m", "\x1b[0m") } else { ("", "") };
        let what = wrapped_for_errors(&format!("error: {}\n", escaped_lines(&self.what)));
        let mut text = what.replacen("error:", &format!("{bold}error{plain}:"), 1);
        if let Some((place, source, span)) = &self.source {
            text.push_str(&snippet(&escaped_lines(place), source, span, color));
        }
        if let Some(help) = &self.help {
            text.push_str(&wrapped_for_errors(&format!("help: {}\n", escaped_lines(help))));
        }
        // If standard error is closed, nobody can read the message.
        let _ = io::stderr().write_all(text.as_bytes());
    }
}
