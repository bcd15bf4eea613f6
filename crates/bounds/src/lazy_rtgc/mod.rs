//! Lazy-RTGC: partial collection whose steps ride on page writes, one a write, none longer than an erase.
//!
//! Source: Zhang, Li, Wang, Zhang, Wang, Shao, "Lazy-RTGC: A Real-Time Lazy Garbage Collection Mechanism
//! with Jointly Optimizing Average and Worst Performance for NAND Flash Memory Storage Systems", ACM
//! TODAES 20(3):43, 2015.

mod space;
mod steps;

pub use space::{Space, space, space_for};
pub use steps::{alpha, steps};
