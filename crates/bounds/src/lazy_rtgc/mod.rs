//! Lazy-RTGC: partial collection in steps of at most one erase time, one step per page write.
//!
//! The condition to build on is [`WholeArray::space`], or [`space`] if blocks may be anywhere.
//! [`share_max`], [`victim_valid`], [`steps_max`] and [`paper_threshold_pages`] are the paper's own, for
//! comparison.
//!
//! Source: Zhang, Li, Wang, Zhang, Wang, Shao, "Lazy-RTGC: A Real-Time Lazy Garbage Collection Mechanism
//! with Jointly Optimizing Average and Worst Performance for NAND Flash Memory Storage Systems", ACM
//! TODAES 20(3):43, 2015.

pub mod on_demand;
mod response;
mod share;
mod space;
mod steps;

pub use crate::moves::collection_ns;
pub use response::{read_ns, response_ns, task_response_ns, worst_response_ns, write_ns};
pub use share::{
    paper_threshold_pages, share_max, steps_max, victim_valid, victim_valid_max,
    victim_valid_of_pages,
};
pub use space::{Space, WholeArray, space, space_for};
pub use steps::{alpha, reclaimed_pages, steps, sustains_its_writes};
