//! Pages of one file each, without anything to load: a shell with its style for screen, dark mode, phone and paper;
//! tables; figures that a reader zooms into. The contents are the caller's; nothing here knows what they are about.
//!
//! A page with a script of its own:
//!
//! ```
//! use ftlkit_html::{Page, Table, folded};
//! use maud::html;
//!
//! let table = Table::new(["<block", "valid pages"], [["7".to_owned(), "12".to_owned()]]);
//! let text = Page::new("Blocks").script("console.log('ready')").render(&html! {
//!     p { "One block." }
//!     (table)
//!     (folded("Why one?", html! { p { "One is enough." } }))
//! });
//! assert!(text.starts_with("<!DOCTYPE html>") && text.contains("Blocks"));
//! ```

mod figure;
mod page;
mod table;
mod thin;

pub use figure::{Axis, Figure, Kind, Mark, Panel, Quantity, Series};
pub use page::{Page, copyable, folded};
pub use table::{Table, class_of};
pub use thin::MOST_POINTS;
