//! A recorded run of a scheme on a small array: what the real code does, step by step.
//!
//! [`record`] runs a scheme on an array that a layer observes, and returns a [`Recording`]: each page task, each operation
//! of the array with its cause and duration, each decision that the scheme reports, and what each of them changed. Four
//! outputs are made of it: [`html::page`], a page to step through, or [`html::page_beside`] of two schemes; [`json_lines`]; [`text::render`], for terminals; and
//! [`svg`], pictures of a frame and of the run.
//!
//! States of pages follow from the operations. After each page task they are compared with the map that the scheme tells
//! ([`ftl::Ftl::inspect`]); a difference ends the recording with an error.

mod captions;
mod channel_log;
mod error;
pub mod html;
mod json;
mod on_channels;
mod pages;
mod record;
mod recorder;
mod recording;
mod scene;
pub mod svg;
pub mod text;
mod tour;
mod units;

// The crates whose types are in this one's: a crate that depends on it needs no other.
pub use {::flash, ::ftl, ::lab};

pub use channel_log::Span;
pub use error::ExplainError;
pub use json::json_lines;
pub use pages::{Content, Page, PageState};
pub use record::{MOST_FRAMES, record, record_beside};
pub use recorder::Outcome;
pub use recording::{
    Bound, Changes, Frame, Header, Put, Recording, Shown, Ssd, State, Thing, What, Where,
};
pub use scene::{DEFAULT_SIDE, DEFAULT_TASKS, MOST_PAGES, MOST_TASKS, Settings};
