//! The command as users run it.

mod bad_input;
mod cases;
mod commands;
mod common;
mod compare;
mod copyback;
#[cfg(unix)]
mod crash;
mod deadline;
mod docs;
mod explain;
mod fdp;
mod fit;
#[cfg(feature = "html")]
mod html;
#[cfg(unix)]
mod image;
mod lessons;
mod new;
mod queueing;
mod real_traces;

mod reproduce;
#[cfg(unix)]
mod serve;
#[cfg(unix)]
mod serve_start;
#[cfg(unix)]
mod signals;
mod ssd;
mod sweep;
mod task_orders;
mod tasks;
mod traces;
mod zns;
