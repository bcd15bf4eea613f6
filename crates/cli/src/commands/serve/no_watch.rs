//! A build without `--watch`.

use super::log::Log;
use crate::failure::Failure;
use clap::Args;
use device::Monitor;
use device::nbd::Stop;
use std::io;

/// No option.
#[derive(Debug, Args)]
pub(super) struct WatchArgs {}

/// No view.
pub(super) enum Watch {}

impl WatchArgs {
    pub(super) fn is_on(&self) -> bool {
        false
    }

    pub(super) fn check(&self) -> Result<(), Failure> {
        Ok(())
    }
}

impl Watch {
    pub(super) fn start(_: String, _: Vec<String>, _: (Monitor, Stop), _: Log) -> io::Result<Self> {
        Err(io::Error::other(workload::absent("`--watch`", "watch")))
    }

    pub(super) fn end(self) -> io::Result<()> {
        match self {}
    }
}
