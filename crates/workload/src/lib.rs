//! Workloads: readers of block traces, generators, and policies that map a workload's addresses to a
//! device's.
//!
//! ```
//! use ftlkit_workload::{Op, Source, Space, WorkloadSpec};
//!
//! let space = Space { bytes: 64 << 20, page_bytes: 4096, pages_per_block: 64 };
//! let workload = WorkloadSpec::builtin("zipf").with("write_share", 1).limited(1000);
//! let facts = workload.check(space)?;
//! let mut source = workload.open(space, 1, &facts)?;
//! let mut requests = Vec::new();
//! while source.fill(&mut requests, 256)? > 0 {}
//! assert_eq!(requests.len(), 1000);
//! assert!(requests.iter().all(|request| request.op == Op::Write));
//! # Ok::<(), ftlkit_workload::WorkloadError>(())
//! ```
//!
//! Features, off by default: `parquet` reads and writes traces as Apache Parquet; `zstd` writes `.zst` files, which all builds
//! read.

mod bytes_ahead;
mod captured;
mod chain;
mod convert;
mod detect;
mod error;
mod escape;
mod facts;
mod footprint;
pub mod formats;
mod generators;
mod info;
mod input;
mod jobs;
mod looped;
mod memory;
mod merged;
pub mod nearest;
mod options;
pub mod output;
mod parameters;
#[cfg(feature = "parquet")]
mod parquet;
mod picture;
mod plan;
mod plausible;
mod policy;
mod prepass;
pub mod quantity;
mod reader;
mod replay;
mod request;
mod requests_ahead;
mod scale;
mod several;
mod source;
mod space;
mod spec;
mod steady_state;
mod tasks;
mod thread;
mod units;
mod zstd_frames;

pub use captured::{CAPTURED, CapturedTrace, captured};
pub use convert::{Converted, convert};
pub use error::{WorkloadError, absent};
pub use escape::{escaped, escaped_lines};
pub use facts::{AddressFacts, DeviceRange, Facts, JobFacts, OperationCounts, TraceFacts};
pub use formats::writing::Loss;
pub use generators::generator::BuiltinInfo;
pub use generators::snia::{Cell, SniaPlan};
pub use generators::{BUILTIN, builtin};
pub use info::{DeviceInfo, OpInfo, StreamInfo, TraceInfo};
pub use input::{Compression, STANDARD_INPUT};
pub use jobs::{Extent, Job, MOST_JOBS, OpenJob, QueueClass};
pub use looped::Looped;
pub use memory::Memory;
pub use options::{OnBadLine, TimeUnit, TraceOptions, Unit};
pub use parameters::{Kind, ParameterInfo};
pub use picture::Picture;
pub use policy::AddressPolicy;
pub use reader::{TraceReader, is_trace, open};
pub use replay::Replay;
pub use request::{LATEST_NS, Op, Request};
pub use scale::Scaled;
pub use several::open_all;
pub use source::{HostLog, Source};
pub use space::Space;
pub use spec::{JobSpec, WorkloadSpec};
pub use steady_state::{SteadyState, Verdict};
pub use tasks::{MOST_TASKS, TaskFault, TaskOperation, TaskOrder, TaskSpec, task_set};
