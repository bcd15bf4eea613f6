//! Serial time: one operation (or run of copies) at a time, on one chip or on the chips of one channel. The
//! real-time papers and BA-GC use this model.

use super::address::{BlockId, Lpn, Ppn};
use super::copies::{Copies, CopyPath, CopyTimes};
use super::error::FlashError;
use super::interface::{Probe, Worked};
use super::oob::Oob;
use super::operation::{Cause, Counts, Operation};
use super::retries::{Retries, RetryTimes};
use super::time::Ns;
use crate::error::has_run;

/// Charges each operation its data-sheet time, and counts operations by cause.
///
/// The times are the part's tR, tPROG (of the page, where they depend on it) and tBERS; the bus (`t_rc_ns`, `t_wc_ns`,
/// `bus_mts`) is not added. If a part
/// gives the bus cycles separately, first convert it into one whose times include commands and transfers, as
/// `bounds::copyback::CopySettings` does.
///
/// If a part specifies its copy paths ([`Part::copies`](crate::Part::copies)), the two blocks of a copy
/// determine its path and time. The time follows the recurrence of [`CopyRun`](crate::CopyRun):
/// [`Flash::copy`](crate::Flash::copy) is a run of one page, [`Flash::copy_run`](crate::Flash::copy_run) one
/// run. If the path sends corrected bytes again, each bit that ECC corrects counts as a byte of its own.
///
/// If a part gives times of read retries ([`Part::retry`](crate::Part::retry)), a read takes its first read and the
/// steps that the array below reports ([`Probe::retries`]).
///
/// An operation that fails at the medium has run, so it is charged (a copy as a page of its run). An operation
/// that breaks a rule is refused before it starts, so it is not charged.
#[derive(Clone, Debug)]
pub struct Serial<F> {
    pub(crate) inner: F,
    busy_ns: Ns,
    busy_by_cause_ns: [Ns; Cause::ALL.len()],
    busy_in_steps_ns: Ns,
    times: [Ns; Operation::ALL.len()],
    counts: Counts,
    copies: Option<Copies>,
    copies_by: [u64; CopyPath::ALL.len()],
    bytes_sent_again: u64,
    retry: Option<RetryTimes>,
    /// True if the time of an operation depends on its page, or on the mode of its block.
    by_page: bool,
}

impl<F: Probe> Serial<F> {
    /// Wraps an array; the clock starts at 0.
    pub fn new(inner: F) -> Self {
        let part = inner.part();
        // The part's t_R includes the longest read retry.
        let (read_ns, read_oob_ns) = (part.first_read_ns(), part.first_read_oob_ns());
        let retry_ns = part.t_r_ns - read_ns;
        let copy_ns = part.t_copy_ns() - if part.copies.is_none() { retry_ns } else { 0 };
        let times = [read_ns, read_oob_ns, part.t_prog_ns, copy_ns, part.t_bers_ns];
        let copies = part.copies.map(|copies| copies.read_sooner(retry_ns));
        let retry = part.retry;
        let by_page = part.depends_on_page() || part.slc.is_some();
        Self {
            inner,
            busy_ns: 0,
            busy_by_cause_ns: [0; Cause::ALL.len()],
            busy_in_steps_ns: 0,
            times,
            counts: Counts::default(),
            copies,
            copies_by: [0; CopyPath::ALL.len()],
            bytes_sent_again: 0,
            retry,
            by_page,
        }
    }

    /// Busy time, ns.
    #[inline]
    pub fn busy_ns(&self) -> Ns {
        self.busy_ns
    }

    /// Busy time for one cause, ns.
    #[inline]
    pub fn busy_for_ns(&self, cause: Cause) -> Ns {
        self.busy_by_cause_ns[cause as usize]
    }

    /// Busy time in collection steps ([`Cause::is_step`]), ns.
    #[inline]
    pub fn busy_in_steps_ns(&self) -> Ns {
        self.busy_in_steps_ns
    }

    /// Operation counts so far.
    #[inline]
    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    /// Copies by one path; 0 if the part does not specify its copy paths.
    #[inline]
    pub fn copies_by(&self, path: CopyPath) -> u64 {
        self.copies_by[path as usize]
    }

    /// Corrected bytes that copies sent again to their destinations.
    #[inline]
    pub fn bytes_sent_again(&self) -> u64 {
        self.bytes_sent_again
    }

    /// Energy of the operations so far, picojoules.
    pub fn energy_pj(&self) -> u128 {
        let part = self.inner.part();
        let each = [
            (Operation::Read, part.read_pj()),
            (Operation::ReadOob, part.read_oob_pj()),
            (Operation::Program, part.program_pj()),
            (Operation::Copy, part.read_pj() + part.program_pj()),
            (Operation::Erase, part.erase_pj()),
        ];
        let first: u128 =
            each.iter().map(|(op, pj)| u128::from(self.counts.total(*op)) * u128::from(*pj)).sum();
        let repeated = self.retry.map_or(0, |times| times.reads(&self.inner.retries()));
        first + u128::from(repeated) * u128::from(part.read_pj())
    }

    unwraps!(F);

    #[inline(always)]
    fn spend(&mut self, time: Ns, cause: Cause) {
        self.busy_ns += time;
        self.busy_by_cause_ns[cause as usize] += time;
        self.busy_in_steps_ns += if cause.is_step() { time } else { 0 };
    }

    /// Steps of read retries so far, if any can run.
    #[inline(always)]
    fn retried(&self) -> Retries {
        match self.retry {
            None => Retries::default(),
            Some(_) => self.inner.retries(),
        }
    }

    /// Time of the steps of page reads since `before`.
    #[inline(always)]
    fn retries_ns(&self, before: &Retries) -> Ns {
        match &self.retry {
            None => 0,
            Some(times) => times.steps_ns(&self.inner.retries().since(before)),
        }
    }

    #[inline(always)]
    fn charge<T>(
        &mut self,
        result: Result<T, FlashError>,
        op: Operation,
        ppn: Ppn,
        cause: Cause,
    ) -> Result<T, FlashError> {
        if let Err(error) = &result
            && !error.failed_at_medium()
        {
            return result;
        }
        let time = if self.by_page { self.time_of(op, ppn) } else { self.times[op as usize] };
        self.spend(time, cause);
        self.counts.add(op, cause);
        result
    }

    /// Time of an operation on a page, if it depends on the page or on the mode of its block. Not inlined: the common part of all pages alike
    /// stays small.
    #[cold]
    #[inline(never)]
    fn time_of(&self, op: Operation, ppn: Ppn) -> Ns {
        let (part, (block, page)) = (self.inner.part(), self.inner.geometry().split(ppn));
        let slc = part.slc.is_some() && self.inner.is_slc(block);
        match op {
            // The part's t_R includes the longest read retry.
            Operation::Read if !slc => part.t_r_by_page_ns.of_page(page, self.times[op as usize]),
            Operation::Read => part.t_r_of_ns(page, true),
            Operation::Program => part.t_prog_of_ns(page, slc),
            _ => self.times[op as usize],
        }
    }

    /// tR and tPROG of the longest pages.
    fn longest(&self) -> [Ns; 2] {
        [self.times[Operation::Read as usize], self.times[Operation::Program as usize]]
    }

    /// Time of the first `ran` copies of a run whose pages take different times.
    #[cold]
    #[inline(never)]
    fn copies_by_page_ns(
        &self,
        times: Option<&CopyTimes>,
        from: &[Ppn],
        to: Ppn,
        ran: usize,
        sent_again: u64,
    ) -> Ns {
        let pairs = from.iter().zip(to.0..).take(ran);
        let cells = pairs.map(|(from, to)| {
            (self.time_of(Operation::Read, *from), self.time_of(Operation::Program, Ppn(to)))
        });
        match times {
            None => cells.map(|(read, program)| read + program).sum(),
            Some(times) => {
                let mut run = times.run();
                let longest = self.longest();
                cells.for_each(|(read, program)| {
                    let (fetch, prog) = times.of_cells(longest, [read, program]);
                    run.page_of(fetch, prog, sent_again);
                });
                run.total_ns()
            }
        }
    }

    /// Copy times from one page's block to another's; `None` if the part does not specify its copy paths.
    #[inline(always)]
    fn times_between(&self, from: Ppn, to: Ppn) -> Option<CopyTimes> {
        let copies = self.copies.as_ref()?;
        let geometry = self.inner.geometry();
        Some(*copies.between(geometry.block_of(from), geometry.block_of(to)))
    }

    /// Charges copies, and counts them by their path if the part specifies its copy paths.
    #[inline(always)]
    fn charge_copies(&mut self, path: Option<CopyPath>, time: Ns, copies: u64, cause: Cause) {
        self.spend(time, cause);
        self.counts.add_many(Operation::Copy, cause, copies);
        if let Some(path) = path {
            self.copies_by[path as usize] += copies;
        }
    }

    /// Bytes that the last copy sent again, from the bits that ECC corrected during it.
    #[inline]
    fn sent_again(&mut self, path: CopyPath, corrected_before: u64) -> u64 {
        if !path.sends_corrections() {
            return 0;
        }
        let sent = self.inner.corrected_bits() - corrected_before;
        self.bytes_sent_again += sent;
        sent
    }

    /// Runs copies page by page, because each page may send a different number of bytes again, or be read again.
    fn copy_each(
        &mut self,
        times: &CopyTimes,
        from: &[Ppn],
        to: Ppn,
        seq: u64,
        cause: Cause,
        lpns: &mut [Lpn],
    ) -> Result<(), (usize, FlashError)> {
        let (mut run, mut ran) = (times.run(), 0);
        let mut failed = Ok(());
        for (at, (from, lpn)) in from.iter().zip(lpns).enumerate() {
            let (before, retried) = (self.inner.corrected_bits(), self.retried());
            let result = self.inner.copy(*from, Ppn(to.0 + at as u32), seq, cause);
            if has_run(&result) {
                let sent_again = self.sent_again(times.path, before);
                let retries_ns = self.retries_ns(&retried);
                if self.by_page {
                    let (read, program) = (
                        self.time_of(Operation::Read, *from),
                        self.time_of(Operation::Program, Ppn(to.0 + at as u32)),
                    );
                    let (fetch, prog) = times.of_cells(self.longest(), [read, program]);
                    run.page_of(fetch + retries_ns, prog, sent_again);
                } else {
                    run.page_after(sent_again, retries_ns);
                }
                ran += 1;
            }
            match result {
                Ok(oob) => *lpn = oob.lpn,
                Err(error) => {
                    failed = Err((at, error));
                    break;
                }
            }
        }
        self.charge_copies(Some(times.path), run.total_ns(), ran, cause);
        failed
    }
}

impl<F: Probe> crate::layer::Layer for Serial<F> {
    layer_on!(self, self.inner, F);

    #[inline(always)]
    fn read(&mut self, ppn: Ppn, data: Option<&mut [u8]>, cause: Cause) -> Result<Oob, FlashError> {
        let retried = self.retried();
        let result = self.inner.read(ppn, data, cause);
        self.spend(self.retries_ns(&retried), cause);
        self.charge(result, Operation::Read, ppn, cause)
    }

    #[inline(always)]
    fn read_data(
        &mut self,
        ppn: Ppn,
        data: Option<&mut [u8]>,
        cause: Cause,
    ) -> Result<(), FlashError> {
        let retried = self.retried();
        let result = self.inner.read_data(ppn, data, cause);
        self.spend(self.retries_ns(&retried), cause);
        self.charge(result, Operation::Read, ppn, cause)
    }

    #[inline]
    fn read_part(
        &mut self,
        ppn: Ppn,
        offset: usize,
        data: &mut [u8],
        cause: Cause,
    ) -> Result<Oob, FlashError> {
        let retried = self.retried();
        let result = self.inner.read_part(ppn, offset, data, cause);
        self.spend(self.retries_ns(&retried), cause);
        self.charge(result, Operation::Read, ppn, cause)
    }

    #[inline(always)]
    fn read_oob(&mut self, ppn: Ppn, cause: Cause) -> Result<Oob, FlashError> {
        let retried = self.retried();
        let result = self.inner.read_oob(ppn, cause);
        if let Some(times) = &self.retry {
            self.spend(times.steps_oob_ns(&self.inner.retries().since(&retried)), cause);
        }
        self.charge(result, Operation::ReadOob, ppn, cause)
    }

    #[inline(always)]
    fn program(
        &mut self,
        ppn: Ppn,
        oob: Oob,
        data: Option<&[u8]>,
        cause: Cause,
    ) -> Result<(), FlashError> {
        let result = self.inner.program(ppn, oob, data, cause);
        self.charge(result, Operation::Program, ppn, cause)
    }

    #[inline(always)]
    fn program_plain(&mut self, to: Ppn, lpns: &[Lpn], seq: u64, cause: Cause) -> usize {
        if self.by_page {
            return 0;
        }
        let programs = self.inner.program_plain(to, lpns, seq, cause);
        self.spend(self.times[Operation::Program as usize] * programs as Ns, cause);
        self.counts.add_many(Operation::Program, cause, programs as u64);
        programs
    }

    #[inline(always)]
    fn copy(&mut self, from: Ppn, to: Ppn, seq: u64, cause: Cause) -> Result<Oob, FlashError> {
        let retried = self.retried();
        let times = self.times_between(from, to);
        let before = if times.is_some() { self.inner.corrected_bits() } else { 0 };
        let result = self.inner.copy(from, to, seq, cause);
        if !has_run(&result) {
            return result;
        }
        let path = times.as_ref().map(|times| times.path);
        let sent_again = path.map_or(0, |path| self.sent_again(path, before));
        let time = match &times {
            _ if self.by_page => self.copies_by_page_ns(times.as_ref(), &[from], to, 1, sent_again),
            None => self.times[Operation::Copy as usize],
            Some(times) => times.run_ns(1, sent_again),
        };
        self.charge_copies(path, time + self.retries_ns(&retried), 1, cause);
        result
    }

    #[inline]
    fn copy_run(
        &mut self,
        from: &[Ppn],
        to: Ppn,
        seq: u64,
        cause: Cause,
        lpns: &mut [Lpn],
    ) -> Result<(), (usize, FlashError)> {
        let times = from.first().and_then(|first| self.times_between(*first, to));
        if let Some(times) = &times
            && (times.path.sends_corrections() || self.retry.is_some())
            && self.inner.has_bit_errors()
        {
            return self.copy_each(times, from, to, seq, cause, lpns);
        }
        let retried = self.retried();
        let result = self.inner.copy_run(from, to, seq, cause, lpns);
        let ran = match &result {
            Ok(()) => from.len() as u64,
            Err((copied, error)) => *copied as u64 + u64::from(error.failed_at_medium()),
        };
        let path = times.as_ref().map(|times| times.path);
        let time = match &times {
            _ if self.by_page => self.copies_by_page_ns(times.as_ref(), from, to, ran as usize, 0),
            None => self.times[Operation::Copy as usize] * ran,
            Some(times) => times.run_ns(ran, 0),
        } + self.retries_ns(&retried);
        self.charge_copies(path, time, ran, cause);
        result
    }

    #[inline(always)]
    fn erase(&mut self, block: BlockId, cause: Cause) -> Result<(), FlashError> {
        // The erase ends the mode on which its time depends.
        let in_slc = self.by_page && self.inner.is_slc(block);
        let result = self.inner.erase(block, cause);
        if in_slc && has_run(&result) {
            self.spend(self.inner.part().t_bers_of_ns(true), cause);
            self.counts.add(Operation::Erase, cause);
            return result;
        }
        let first = self.inner.geometry().ppn(block, 0);
        self.charge(result, Operation::Erase, first, cause)
    }

    #[inline]
    fn worked(&self) -> Worked {
        Worked { busy_ns: self.busy_ns, steps_ns: self.busy_in_steps_ns }
    }
}
