//! What is asked of a device: readers of block traces, generators, and the policies between a
//! workload's addresses and a device's.

mod catalogue;
mod convert;
mod detect;
mod error;
mod facts;
mod footprint;
pub mod formats;
mod generators;
mod info;
mod input;
mod looped;
mod memory;
mod parameters;
mod plan;
mod policy;
mod prepass;
mod reader;
mod replay;
mod request;
mod scale;
mod source;
mod space;
mod spec;
mod steady_state;
mod table;
mod units;

pub use catalogue::{BUILTIN, BuiltinInfo, builtin};
pub use convert::{Converted, Loss, Target, convert};
pub use error::WorkloadError;
pub use facts::{AddressFacts, DeviceRange, Facts, OperationCounts, TraceFacts};
pub use generators::snia::{Cell, SniaPlan};
pub use info::{DeviceInfo, OpInfo, TraceInfo};
pub use input::Compression;
pub use looped::Looped;
pub use memory::Memory;
pub use parameters::{Kind, ParameterInfo};
pub use policy::AddressPolicy;
pub use reader::{OnBadLine, TraceOptions, TraceReader, open};
pub use replay::Replay;
pub use request::{Op, Request};
pub use scale::Scaled;
pub use source::Source;
pub use space::Space;
pub use spec::WorkloadSpec;
pub use steady_state::{SteadyState, Verdict};
