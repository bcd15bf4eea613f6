//! Report of outstanding operations and their dependencies, for deadlocks.

use super::Parallel;
use super::operations::Operation;
use crate::channels::GrantObserver;
use crate::interface::Probe;
use core::fmt;

/// Most operations listed.
const MOST: usize = 12;

impl<F: Probe, W: GrantObserver> Parallel<F, W> {
    /// The outstanding operations and the number of dependencies of each, for error messages.
    pub fn waiting(&self) -> impl fmt::Display + '_ {
        Waiting(self)
    }
}

struct Waiting<'a, F, W>(&'a Parallel<F, W>);

impl<F: Probe, W: GrantObserver> fmt::Display for Waiting<'_, F, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Parallel { operations, channels, steps, tasks, .. } = self.0;
        let reads = operations.iter().filter(|(_, operation)| operation.reads).count();
        let (all, sent) = (operations.outstanding() + reads, channels.outstanding());
        write!(
            f,
            "at {} ns: {all} operations pending, {} of them for collection; {sent} commands on the channels; {} \
            tasks waiting",
            channels.now_ns(),
            steps.left,
            tasks.outstanding()
        )?;
        let told = operations.iter().flat_map(|(slot, operation)| {
            let read = operation.reads.then_some((slot, Described(operation, true)));
            read.into_iter().chain([(slot, Described(operation, false))])
        });
        for (slot, described) in told.take(MOST) {
            write!(f, "; operation {slot}: {described}")?;
        }
        if all > MOST {
            write!(f, "; and {} more", all - MOST)?;
        }
        Ok(())
    }
}

/// An operation, or the read of a copy that it is the program of.
struct Described<'a>(&'a Operation, bool);

impl fmt::Display for Described<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Operation { work, waits, left, .. } = self.0;
        let whose = if self.0.step { "collection" } else { "a task" };
        if self.1 {
            let block = self.0.reading().block;
            return write!(f, "read of {block} for {whose} is on its die, 1 commands left");
        }
        let (first, second) = work.sides();
        let how = if work.is_direct() { "direct transfer" } else { "copy-back" };
        write!(f, "{} of {}", first.command.name(), first.block)?;
        if let Some(second) = second {
            write!(f, " and {} of {} ({how})", second.command.name(), second.block)?;
        }
        match waits {
            0 => write!(f, " for {whose} is on its die, {left} commands left"),
            waits => write!(f, " for {whose} waits for {waits} others"),
        }
    }
}
