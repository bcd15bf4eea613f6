//! One request of a search, on an array without user bytes, checked against all bounds.

use crate::bench::{AnyScheme, bench_of, bench_of_mut};
use crate::checks::{Failure, Task, Times, Worst, check_breach, check_free_pages, check_victims};
use crate::operations::Operation;
use flash::Lpn;
use ftl::Guarantee;

/// Runs one operation and checks its times and its result. Returns true if a collection step ran.
///
/// # Errors
/// The failed check.
pub(crate) fn request(
    scheme: &mut AnyScheme,
    operation: Operation,
    promised: &Guarantee,
    worst: &mut Worst,
) -> Result<bool, Failure> {
    let before = Times::of(scheme);
    apply(scheme, operation)?;
    let task = Task::since(scheme, operation, &before);
    worst.saw(&task);
    task.check(promised)?;
    check_breach(scheme, operation)?;
    check_free_pages(scheme)?;
    worst.victim_valid = worst.victim_valid.max(check_victims(scheme, promised)?);
    worst.saw_victims(bench_of(scheme).inner().most_valid());
    Ok(task.step_ns > 0)
}

fn apply(scheme: &mut AnyScheme, operation: Operation) -> Result<(), Failure> {
    let done = match operation {
        Operation::Write(lpn) => {
            bench_of_mut(scheme).inner_mut().will_write(Lpn(lpn), 0);
            scheme.write(Lpn(lpn), None)
        }
        Operation::WriteThrough(lpn) => {
            bench_of_mut(scheme).inner_mut().will_write(Lpn(lpn), 0);
            scheme.write_through(Lpn(lpn), None)
        }
        Operation::Trim(lpn) => {
            bench_of_mut(scheme).inner_mut().trimmed(Lpn(lpn));
            scheme.trim(Lpn(lpn))
        }
        Operation::Read(lpn) => {
            let written = bench_of(scheme).inner().in_use(Lpn(lpn));
            match scheme.read(Lpn(lpn), None) {
                Ok(present) if present != written => {
                    let what = format!("LPN {lpn} reads as present: {present}, written: {written}");
                    return Err(Failure::Account(what));
                }
                done => done.map(|_| ()),
            }
        }
        Operation::Idle => scheme.idle().map(|_| ()),
        Operation::Flush | Operation::Remount => scheme.flush(),
        Operation::Shutdown => scheme.shutdown(),
    };
    done.map_err(|error| Failure::Scheme { operation: format!("{operation:?}"), error })
}
