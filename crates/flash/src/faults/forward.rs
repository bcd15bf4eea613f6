//! What a wrapper passes on unchanged, written once.

/// Methods of [`Flash`](crate::Flash) and [`Tearable`](super::Tearable) that hand over to `self.inner`.
macro_rules! forward {
    ($($method:ident)*) => { $($crate::faults::forward::forward_one!($method);)* };
}

macro_rules! forward_one {
    (geometry) => {
        #[inline]
        fn geometry(&self) -> &$crate::Geometry {
            self.inner.geometry()
        }
    };
    (part) => {
        #[inline]
        fn part(&self) -> &$crate::Part {
            self.inner.part()
        }
    };
    (read) => {
        #[inline]
        fn read(
            &mut self,
            ppn: $crate::Ppn,
            data: &mut [u8],
            cause: $crate::Cause,
        ) -> Result<$crate::Oob, $crate::FlashError> {
            self.inner.read(ppn, data, cause)
        }
    };
    (keeps_user_bytes) => {
        #[inline]
        fn keeps_user_bytes(&self) -> bool {
            self.inner.keeps_user_bytes()
        }
    };
    (read_oob) => {
        #[inline]
        fn read_oob(
            &mut self,
            ppn: $crate::Ppn,
            cause: $crate::Cause,
        ) -> Result<$crate::Oob, $crate::FlashError> {
            self.inner.read_oob(ppn, cause)
        }
    };
    (program) => {
        #[inline]
        fn program(
            &mut self,
            ppn: $crate::Ppn,
            oob: $crate::Oob,
            data: &[u8],
            cause: $crate::Cause,
        ) -> Result<(), $crate::FlashError> {
            self.inner.program(ppn, oob, data, cause)
        }
    };
    (copy) => {
        #[inline]
        fn copy(
            &mut self,
            from: $crate::Ppn,
            to: $crate::Ppn,
            seq: u64,
            cause: $crate::Cause,
        ) -> Result<$crate::Oob, $crate::FlashError> {
            self.inner.copy(from, to, seq, cause)
        }
    };
    (erase) => {
        #[inline]
        fn erase(
            &mut self,
            block: $crate::BlockId,
            cause: $crate::Cause,
        ) -> Result<(), $crate::FlashError> {
            self.inner.erase(block, cause)
        }
    };
    (is_bad) => {
        fn is_bad(&self, block: $crate::BlockId) -> bool {
            self.inner.is_bad(block)
        }
    };
    (mark_bad) => {
        fn mark_bad(&mut self, block: $crate::BlockId) -> Result<(), $crate::FlashError> {
            self.inner.mark_bad(block)
        }
    };
    (erase_count) => {
        fn erase_count(&self, block: $crate::BlockId) -> u32 {
            self.inner.erase_count(block)
        }
    };
    (prefetch) => {
        #[inline]
        fn prefetch(&self, ppn: $crate::Ppn) {
            self.inner.prefetch(ppn)
        }
    };
    (peek_lpn) => {
        #[inline]
        fn peek_lpn(&self, ppn: $crate::Ppn) -> Option<$crate::Lpn> {
            self.inner.peek_lpn(ppn)
        }
    };
    (has_bit_errors) => {
        #[inline]
        fn has_bit_errors(&self) -> bool {
            self.inner.has_bit_errors()
        }
    };
    (corrected_bits) => {
        #[inline]
        fn corrected_bits(&self) -> u64 {
            self.inner.corrected_bits()
        }
    };
    (waste) => {
        fn waste(&mut self, ppn: $crate::Ppn) -> Result<(), $crate::FlashError> {
            self.inner.waste(ppn)
        }
    };
    (half_erase) => {
        fn half_erase(&mut self, block: $crate::BlockId) -> Result<(), $crate::FlashError> {
            self.inner.half_erase(block)
        }
    };
    (spoil) => {
        fn spoil(&mut self, ppn: $crate::Ppn) -> Result<(), $crate::FlashError> {
            self.inner.spoil(ppn)
        }
    };
}

pub(crate) use {forward, forward_one};
