//! What a call returns: 0 or more, or one of these.

use core::ffi::{CStr, c_int};
use flash::FlashError;
use ftl::FtlError;

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $value:literal: $text:literal;)*) => {
        $($(#[$doc])* pub const $name: c_int = $value;)*

        /// Every code with its name in C and its text.
        pub const ALL: &[(&str, c_int, &CStr)] = &[$((stringify!($name), $value, $text)),*];
    };
}

codes! {
    /// Done.
    FTL_OK = 0: c"done";
    /// Done, and there is more to do: of `ftl_idle`.
    FTL_MORE = 1: c"done, and there is more to do";
    /// A pointer is NULL, or a function of the driver that must be there is.
    FTL_E_ARGUMENT = -1: c"a pointer is NULL, or the driver lacks a function";
    /// The shape of the array is not one.
    FTL_E_SHAPE = -2: c"the array's shape is not possible: 3 blocks of 2 pages at least, 2 to 1048576 bytes and pages, fewer than 2^32 - 1 pages in all";
    /// A time is 0, or the scheme has no bound with these times.
    FTL_E_TIMES = -3: c"the part's times are not possible for the scheme: all above 0, and a copy (read and program) within an erase";
    /// The scheme needs more blocks.
    FTL_E_BLOCKS = -4: c"the scheme needs more blocks than there are besides the spare ones";
    /// More logical pages are asked for than the bound allows.
    FTL_E_PAGES = -5: c"more logical pages are asked for than the scheme's bound allows";
    /// A format: more blocks are bad than are spare. A mount: no more blocks are good than are spare. Nothing was erased or programmed, but by a format that found them bad.
    FTL_E_SPARE = -6: c"more blocks are bad than are spare: a format needs more spare_blocks; at a mount no more are good than are spare, so is_bad is wrong";
    /// The arena, or the scratch memory of a shutdown, is too small. An instance goes on.
    FTL_E_MEMORY = -7: c"the arena is smaller than ftl_memory_needed says, or the scratch memory than ftl_shutdown_memory says";
    /// Another format, mount or shutdown with scratch memory is under way.
    FTL_E_BUSY = -8: c"another format, mount or shutdown with scratch memory is under way";
    /// A logical page beyond `ftl_pages`.
    FTL_E_RANGE = -9: c"the logical page is beyond ftl_pages";
    /// The page is lost, until it is written again; a mount may not know it.
    FTL_E_UNREADABLE = -10: c"the page is lost: the driver's ECC could not correct its only copy";
    /// No free page is left.
    FTL_E_FULL = -11: c"no free page is left: more blocks went bad than were spare";
    /// The array is of another format, or is not what the scheme writes. Nothing was erased or programmed.
    FTL_E_FORMAT = -12: c"the array is of another scheme, shape, number of spare blocks or number of logical pages (where pages is 0 it follows from the times), or of another version of the library, or cannot be read at all: mount it with the configuration of its format";
    /// A function of the driver stopped the call, and ended the instance if there is one.
    FTL_E_STOPPED = -13: c"the driver stopped the call: mount again, or repeat the format";
    /// A function of the driver returned what it must not.
    FTL_E_DRIVER = -14: c"the driver broke its contract: a value that it must not return, or a page that is not what was programmed; mount again";
    /// A failure took more memory than was set aside for failures.
    FTL_E_LOST_TRACK = -15: c"failures of the array took more memory than is set aside for them: mount again, nothing is lost";
    /// The handle is not one of a mounted instance.
    FTL_E_HANDLE = -16: c"the handle is not one of a mounted instance";
    /// The arena would be larger than a pointer of this processor reaches.
    FTL_E_TOO_LARGE = -17: c"the arena would be larger than this processor can address: take fewer blocks or logical pages, or lazy-rtgc-on-demand";
    /// A block could neither be erased nor be marked bad: of `ftl_format`.
    FTL_E_NOT_ERASED = -18: c"a block could neither be erased nor be marked bad, and still holds its old pages: format again, after the driver has marked the block";
}

/// The text of a code.
pub fn text(code: c_int) -> &'static CStr {
    ALL.iter().find(|(_, known, _)| *known == code).map_or(c"an unknown code", |(.., text)| *text)
}

/// The code of an error of a scheme. `fault` is what the driver did, if it did anything.
pub(crate) fn code(error: &FtlError, fault: c_int) -> c_int {
    if fault != FTL_OK {
        return fault;
    }
    match error {
        FtlError::BeyondDevice { .. } => FTL_E_RANGE,
        FtlError::Config { setting: "logical share", .. } => FTL_E_PAGES,
        FtlError::Config { setting: "part", .. } => FTL_E_TIMES,
        FtlError::Config { setting: "spare_blocks", .. } => FTL_E_SPARE,
        FtlError::Config { .. } | FtlError::Unknown { .. } | FtlError::Refused(_) => FTL_E_BLOCKS,
        FtlError::Full { .. } => FTL_E_FULL,
        FtlError::Mount(_) => FTL_E_FORMAT,
        FtlError::Flash(FlashError::Uncorrectable(_)) => FTL_E_UNREADABLE,
        FtlError::Flash(_) => FTL_E_DRIVER,
    }
}
