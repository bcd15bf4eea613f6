//! Experiments: what is to be run, as people write it, and the same with every default filled in.

mod error;
mod nearest;
mod part;
mod precondition;
mod quantity;
mod scheme;
mod text_or_table;

pub use error::ConfigError;
pub use nearest::{did_you_mean, list, nearest};
pub use part::{PartChoice, PartTable, by_name as part_by_name};
pub use precondition::{Fill, PreconditionChoice, Preconditioning};
pub use quantity::{ByteUnits, Bytes, Duration, Quantity, QuantityError, TimeUnits, Units};
pub use scheme::{SchemeChoice, SchemeTable, Victim};
pub use text_or_table::{Text, TextOrTable};
