//! Blocks that an observed array names as due for a refresh or a read reclaim: all kinds of blocks, in a fixed disorder.

use flash::{BlockId, Cause, DueBlock};

/// Names one block after the other.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Due {
    named: u32,
    now: Option<DueBlock>,
}

impl Due {
    /// Names this block first.
    pub(crate) fn of(due: DueBlock) -> Self {
        Self { named: 0, now: Some(due) }
    }

    /// The block that is due: the same until its turn ends or it is erased, then another that `is_written`.
    pub(crate) fn block(
        &mut self,
        blocks: u32,
        is_written: impl Fn(BlockId) -> bool,
    ) -> Option<DueBlock> {
        if self.now.is_none() {
            self.named = self.named.wrapping_add(1);
            let first = self.named.wrapping_mul(0x9e37_79b9) >> 7;
            let mut all = (0..blocks).map(|at| BlockId(first.wrapping_add(at) % blocks));
            let cause =
                if self.named.is_multiple_of(3) { Cause::ReadReclaim } else { Cause::Refresh };
            self.now = all.find(|block| is_written(*block)).map(|block| DueBlock { block, cause });
        }
        self.now
    }

    /// Ends the turn of a block, if it has it.
    pub(crate) fn ends(&mut self, block: BlockId) {
        self.now = self.now.filter(|due| due.block != block);
    }
}
