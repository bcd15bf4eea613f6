//! Pages of one file each, without anything to load: a shell with its style for screen, dark mode, phone and paper,
//! also of tables; figures that a reader zooms into. The contents are the caller's; nothing here knows what they are about.
//!
//! A page with a script of its own:
//!
//! ```
//! use ftlkit_report::html::{Page, folded};
//! use maud::html;
//!
//! let text = Page::new("Blocks").script("console.log('ready')").render(&html! {
//!     p { "One block." }
//!     (folded("Why one?", html! { p { "One is enough." } }))
//! });
//! assert!(text.starts_with("<!DOCTYPE html>") && text.contains("Blocks"));
//! ```

mod figure;
mod page;
mod thin;

pub use figure::{Axis, Figure, Kind, Mark, Panel, Quantity, Series};
pub use page::{Page, copyable, folded};
pub use thin::MOST_POINTS;
