//! Serial time: one chip, one operation at a time. The model of the real-time papers and of BA-GC.

use crate::{
    BlockId, Cause, Counts, Flash, FlashError, Geometry, Lpn, Ns, Oob, Operation, Part, Ppn,
};

/// Charges each operation its data-sheet time and counts it, by cause.
///
/// The times are tR, tPROG and tBERS as the part gives them. Where a part gives bus cycles apart
/// (`t_rc_ns`, `t_wc_ns` not 0) the transfer over the bus, which this model does not have, is not charged.
///
/// An operation that fails at the medium has run all the same and is charged; one that breaks a rule is
/// refused before it starts and is not.
#[derive(Clone, Debug)]
pub struct Serial<F> {
    inner: F,
    busy_ns: Ns,
    busy_by_cause_ns: [Ns; Cause::ALL.len()],
    busy_in_steps_ns: Ns,
    times: [Ns; Operation::ALL.len()],
    counts: Counts,
}

impl<F: Flash> Serial<F> {
    /// Starts the clock at 0.
    pub fn new(inner: F) -> Self {
        let part = inner.part();
        let times =
            [part.t_r_ns, part.t_r_oob_ns, part.t_prog_ns, part.t_copy_ns(), part.t_bers_ns];
        Self {
            inner,
            busy_ns: 0,
            busy_by_cause_ns: [0; Cause::ALL.len()],
            busy_in_steps_ns: 0,
            times,
            counts: Counts::default(),
        }
    }

    /// Time the chip has worked, ns.
    #[inline]
    pub fn busy_ns(&self) -> Ns {
        self.busy_ns
    }

    /// Time the chip has worked for one cause, ns.
    #[inline]
    pub fn busy_for_ns(&self, cause: Cause) -> Ns {
        self.busy_by_cause_ns[cause as usize]
    }

    /// Time the chip has worked in collection steps ([`Cause::is_step`]), ns.
    #[inline]
    pub fn busy_in_steps_ns(&self) -> Ns {
        self.busy_in_steps_ns
    }

    /// Operations so far.
    #[inline]
    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    /// Energy of the operations so far, picojoules.
    pub fn energy_pj(&self) -> u128 {
        let part = self.part();
        let each = [
            (Operation::Read, part.read_pj()),
            (Operation::ReadOob, part.read_oob_pj()),
            (Operation::Program, part.program_pj()),
            (Operation::Copy, part.read_pj() + part.program_pj()),
            (Operation::Erase, part.erase_pj()),
        ];
        each.iter().map(|(op, pj)| u128::from(self.counts.total(*op)) * u128::from(*pj)).sum()
    }

    /// The wrapped array.
    pub fn inner(&self) -> &F {
        &self.inner
    }

    /// The wrapped array, to be changed.
    pub fn inner_mut(&mut self) -> &mut F {
        &mut self.inner
    }

    /// The wrapped array itself.
    pub fn into_inner(self) -> F {
        self.inner
    }

    #[inline(always)]
    fn spend(&mut self, time: Ns, cause: Cause) {
        self.busy_ns += time;
        self.busy_by_cause_ns[cause as usize] += time;
        self.busy_in_steps_ns += if cause.is_step() { time } else { 0 };
    }

    #[inline(always)]
    fn charge<T>(
        &mut self,
        result: Result<T, FlashError>,
        op: Operation,
        cause: Cause,
    ) -> Result<T, FlashError> {
        if let Err(error) = &result {
            use FlashError::{EraseFailed, ProgramFailed, Uncorrectable};
            if !matches!(error, Uncorrectable(_) | ProgramFailed(_) | EraseFailed(_)) {
                return result;
            }
        }
        let time = self.times[op as usize];
        self.spend(time, cause);
        self.counts.add(op, cause);
        result
    }
}

impl<F: Flash> Flash for Serial<F> {
    #[inline]
    fn geometry(&self) -> &Geometry {
        self.inner.geometry()
    }

    #[inline]
    fn part(&self) -> &Part {
        self.inner.part()
    }

    #[inline]
    fn read(&mut self, ppn: Ppn, data: &mut [u8], cause: Cause) -> Result<Oob, FlashError> {
        let result = self.inner.read(ppn, data, cause);
        self.charge(result, Operation::Read, cause)
    }

    #[inline]
    fn read_part(
        &mut self,
        ppn: Ppn,
        offset: usize,
        data: &mut [u8],
        cause: Cause,
    ) -> Result<Oob, FlashError> {
        let result = self.inner.read_part(ppn, offset, data, cause);
        self.charge(result, Operation::Read, cause)
    }

    #[inline]
    fn keeps_user_bytes(&self) -> bool {
        self.inner.keeps_user_bytes()
    }

    #[inline]
    fn read_oob(&mut self, ppn: Ppn, cause: Cause) -> Result<Oob, FlashError> {
        let result = self.inner.read_oob(ppn, cause);
        self.charge(result, Operation::ReadOob, cause)
    }

    #[inline(always)]
    fn program(&mut self, ppn: Ppn, oob: Oob, data: &[u8], cause: Cause) -> Result<(), FlashError> {
        let result = self.inner.program(ppn, oob, data, cause);
        self.charge(result, Operation::Program, cause)
    }

    #[inline(always)]
    fn copy(&mut self, from: Ppn, to: Ppn, seq: u64, cause: Cause) -> Result<Oob, FlashError> {
        let result = self.inner.copy(from, to, seq, cause);
        self.charge(result, Operation::Copy, cause)
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
        let result = self.inner.copy_run(from, to, seq, cause, lpns);
        let copied = result.map_or_else(|(copied, _)| copied, |()| from.len()) as u64;
        let time = self.times[Operation::Copy as usize] * copied;
        self.spend(time, cause);
        self.counts.add_many(Operation::Copy, cause, copied);
        match result {
            Ok(()) => Ok(()),
            Err((copied, error)) => {
                self.charge(Err(error), Operation::Copy, cause).map_err(|error| (copied, error))
            }
        }
    }

    #[inline]
    fn erase(&mut self, block: BlockId, cause: Cause) -> Result<(), FlashError> {
        let result = self.inner.erase(block, cause);
        self.charge(result, Operation::Erase, cause)
    }

    fn is_bad(&self, block: BlockId) -> bool {
        self.inner.is_bad(block)
    }

    fn mark_bad(&mut self, block: BlockId) -> Result<(), FlashError> {
        self.inner.mark_bad(block)
    }

    fn erase_count(&self, block: BlockId) -> u32 {
        self.inner.erase_count(block)
    }

    #[inline]
    fn peek_lpn(&self, ppn: Ppn) -> Option<Lpn> {
        self.inner.peek_lpn(ppn)
    }
}
