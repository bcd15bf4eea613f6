//! A scheme that keeps no data and maps nothing: what it is asked goes into a sink.

use flash::{AnyArray, Lpn};
use ftl::{Background, CollectionLog, Ftl, FtlError, Guarantee, Ram, Telemetry};

/// Takes what a [`ToSink`] is asked. Default: does nothing.
pub(crate) trait Sink {
    /// A page was written.
    fn write(&mut self, _lpn: Lpn) {}

    /// A page was trimmed.
    fn trim(&mut self, _lpn: Lpn) {}

    /// As [`Background::idle`].
    fn idle(&mut self) -> bool {
        false
    }

    /// As [`Background::due_ns`].
    fn due_ns(&self) -> u64 {
        u64::MAX
    }
}

/// Accepts every task, and leaves its array alone.
#[derive(Clone, Debug)]
pub(crate) struct ToSink<S> {
    flash: AnyArray,
    logical_pages: u32,
    log: CollectionLog,
    sink: S,
}

impl<S> ToSink<S> {
    pub(crate) fn new(flash: AnyArray, logical_pages: u32, sink: S) -> Self {
        Self { flash, logical_pages, log: CollectionLog::default(), sink }
    }
}

impl<S: Sink> Ftl for ToSink<S> {
    type Flash = AnyArray;

    fn flash(&self) -> &AnyArray {
        &self.flash
    }

    fn flash_mut(&mut self) -> &mut AnyArray {
        &mut self.flash
    }

    fn into_flash(self: Box<Self>) -> AnyArray {
        self.flash
    }

    fn logical_pages(&self) -> u32 {
        self.logical_pages
    }

    #[inline]
    fn write(&mut self, lpn: Lpn, _data: Option<&[u8]>) -> Result<(), FtlError> {
        self.check(lpn)?;
        self.sink.write(lpn);
        Ok(())
    }

    fn read(&mut self, lpn: Lpn, data: Option<&mut [u8]>) -> Result<bool, FtlError> {
        self.check(lpn)?;
        if let Some(data) = data {
            data.fill(0);
        }
        Ok(false)
    }

    fn trim(&mut self, lpn: Lpn) -> Result<(), FtlError> {
        self.check(lpn)?;
        self.sink.trim(lpn);
        Ok(())
    }

    fn free_pages(&self) -> u64 {
        0
    }

    fn telemetry(&self) -> Telemetry<'_> {
        Telemetry::new(Guarantee::default(), Ram::default(), &self.log)
    }

    fn restart_telemetry(&mut self) {}
}

impl<S: Sink> Background for ToSink<S> {
    fn idle(&mut self) -> Result<bool, FtlError> {
        Ok(self.sink.idle())
    }

    fn due_ns(&self) -> u64 {
        self.sink.due_ns()
    }
}
