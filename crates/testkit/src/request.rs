//! One request of a search: done on an array that keeps no bytes, and held against all that is promised.

use crate::checks::{Failure, Task, Times, Worst, check_breach, check_free_pages, check_victims};
use crate::driver::Bench;
use crate::operations::Operation;
use crate::watched::Inspect;
use flash::Lpn;
use ftl::{Guarantee, Scheme};

/// Does one operation and checks what it took and left. Returns whether a collection step ran.
///
/// # Errors
/// What broke.
pub(crate) fn request<S, F>(
    scheme: &mut S,
    operation: Operation,
    promised: &Guarantee,
    worst: &mut Worst,
) -> Result<bool, Failure>
where
    S: Scheme<Flash = Bench<F>>,
    F: Inspect,
{
    let before = Times::of(scheme);
    apply(scheme, operation)?;
    let task = Task::since(scheme, operation, &before);
    worst.saw(&task);
    task.check(promised)?;
    check_breach(scheme, operation)?;
    check_free_pages(scheme)?;
    worst.victim_valid = worst.victim_valid.max(check_victims(scheme, promised)?);
    worst.saw_victims(scheme.flash().inner().most_valid());
    Ok(task.step_ns > 0)
}

fn apply<S, F>(scheme: &mut S, operation: Operation) -> Result<(), Failure>
where
    S: Scheme<Flash = Bench<F>>,
    F: Inspect,
{
    let done = match operation {
        Operation::Write(lpn) => {
            scheme.flash_mut().inner_mut().will_write(Lpn(lpn), 0);
            scheme.write(Lpn(lpn), &[])
        }
        Operation::WriteThrough(lpn) => {
            scheme.flash_mut().inner_mut().will_write(Lpn(lpn), 0);
            scheme.write_through(Lpn(lpn), &[])
        }
        Operation::Trim(lpn) => {
            scheme.flash_mut().inner_mut().trimmed(Lpn(lpn));
            scheme.trim(Lpn(lpn))
        }
        Operation::Read(lpn) => {
            let written = scheme.flash().inner().in_use(Lpn(lpn));
            match scheme.read(Lpn(lpn), &mut []) {
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
