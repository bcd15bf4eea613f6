//! Numbers and records of the protocol. All are big-endian.

use super::export::{Export, Session};

/// Largest payload of a read or write, bytes. Clients that do not ask assume this limit.
pub const MAX_REQUEST_BYTES: u32 = 32 << 20;
/// Bytes of a request without its payload.
pub(super) const REQUEST_BYTES: usize = 28;

const REQUEST_MAGIC: u32 = 0x2560_9513;
const SIMPLE_MAGIC: u32 = 0x6744_6698;
const STRUCTURED_MAGIC: u32 = 0x668e_33ef;

const FLAG_FUA: u16 = 1;
const FLAG_NO_HOLE: u16 = 1 << 1;
const FLAG_DF: u16 = 1 << 2;
const FLAG_REQ_ONE: u16 = 1 << 3;
const FLAG_FAST_ZERO: u16 = 1 << 4;

/// Errors of a reply, by their numbers on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum NbdError {
    /// The export is read-only.
    NotPermitted = 1,
    /// The device failed.
    Io = 5,
    /// The request breaks a rule.
    Invalid = 22,
    /// There is no room: in the export, or on the device.
    NoSpace = 28,
    /// Zeros cannot be written faster than other bytes, and the client asked for no slower way.
    NotSupported = 95,
    /// The server shuts down.
    Shutdown = 108,
}

/// A request as received, without its payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// Command flags.
    pub flags: u16,
    /// Number of the command.
    pub command: u16,
    /// The client's name of the request.
    pub cookie: u64,
    /// Offset, bytes.
    pub offset: u64,
    /// Length, bytes.
    pub length: u32,
}

/// What a client asks of the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// Read bytes.
    Read,
    /// Write bytes, which are durable on completion with `fua`.
    Write {
        /// Force unit access.
        fua: bool,
    },
    /// Make all completed writes durable.
    Flush,
    /// Bytes of no more use.
    Trim {
        /// Force unit access.
        fua: bool,
    },
    /// Write zeros.
    Zeroes {
        /// Force unit access.
        fua: bool,
        /// Whole pages are deallocated: the client lets the device, and it can ([`Export::deallocates`]).
        deallocate: bool,
        /// The client wants no hole, so that the range has a place on the device.
        no_hole: bool,
        /// The client would rather have an error than wait as for a write.
        fast: bool,
    },
    /// Tell which bytes are allocated.
    Status {
        /// One extent alone.
        one: bool,
    },
}

/// What to do with a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admitted {
    /// The device does it.
    Work(Command),
    /// The client takes its leave.
    Disconnect,
    /// It is refused; a write's payload is read and dropped.
    Refuse(NbdError),
    /// The connection ends: nobody can tell where the next request begins.
    Broken(&'static str),
}

pub(super) fn be16(bytes: &[u8], at: usize) -> u16 {
    u16::from_be_bytes([bytes[at], bytes[at + 1]])
}

pub(super) fn be32(bytes: &[u8], at: usize) -> u32 {
    u32::from(be16(bytes, at)) << 16 | u32::from(be16(bytes, at + 2))
}

pub(super) fn be64(bytes: &[u8], at: usize) -> u64 {
    u64::from(be32(bytes, at)) << 32 | u64::from(be32(bytes, at + 4))
}

impl Request {
    /// Reads a request; `None` if it does not begin with the magic number.
    pub fn parse(bytes: &[u8; REQUEST_BYTES]) -> Option<Self> {
        (be32(bytes, 0) == REQUEST_MAGIC).then(|| Self {
            flags: be16(bytes, 4),
            command: be16(bytes, 6),
            cookie: be64(bytes, 8),
            offset: be64(bytes, 16),
            length: be32(bytes, 24),
        })
    }

    /// True if a payload follows.
    pub(super) fn has_payload(&self) -> bool {
        self.command == 1
    }

    /// True if the reply carries as many bytes.
    pub(super) fn reads(&self) -> bool {
        self.command == 0 && self.length <= MAX_REQUEST_BYTES
    }

    fn flags_within(&self, allowed: u16) -> bool {
        self.flags & !allowed == 0
    }
}

/// Decides what to do with a request to this export.
pub fn admit(request: &Request, export: &Export, session: &Session) -> Admitted {
    use Admitted::{Broken, Disconnect, Refuse, Work};
    let Request { command, offset, length, .. } = *request;
    let fua = request.flags & FLAG_FUA != 0;
    let (work, allowed) = match command {
        0 => (Command::Read, FLAG_FUA | if session.structured { FLAG_DF } else { 0 }),
        1 => (Command::Write { fua }, FLAG_FUA),
        2 => return Disconnect,
        3 => (Command::Flush, FLAG_FUA),
        4 => (Command::Trim { fua }, FLAG_FUA),
        6 => {
            let [no_hole, fast] =
                [FLAG_NO_HOLE, FLAG_FAST_ZERO].map(|flag| request.flags & flag != 0);
            let deallocate = export.deallocates && !no_hole;
            let zeroes = Command::Zeroes { fua, deallocate, no_hole, fast };
            (zeroes, FLAG_FUA | FLAG_NO_HOLE | FLAG_FAST_ZERO)
        }
        7 => {
            let one = request.flags & FLAG_REQ_ONE != 0;
            (Command::Status { one }, FLAG_FUA | FLAG_REQ_ONE)
        }
        // Of a kind that is not advertised, such as a cache request or a resize.
        _ => return Refuse(NbdError::Invalid),
    };
    if request.has_payload() && length > MAX_REQUEST_BYTES {
        return Broken("a write of more than 32 MiB");
    }
    let changes =
        matches!(work, Command::Write { .. } | Command::Trim { .. } | Command::Zeroes { .. });
    let within = offset.checked_add(length.into()).is_some_and(|end| end <= export.bytes);
    match work {
        _ if !request.flags_within(allowed) => Refuse(NbdError::Invalid),
        _ if changes && export.read_only => Refuse(NbdError::NotPermitted),
        Command::Flush => Work(work),
        Command::Read if length > MAX_REQUEST_BYTES => Refuse(NbdError::Invalid),
        Command::Status { .. } if !session.allocation || length == 0 => Refuse(NbdError::Invalid),
        Command::Write { .. } | Command::Zeroes { .. } if !within => Refuse(NbdError::NoSpace),
        _ if !within => Refuse(NbdError::Invalid),
        // Only what is deallocated is faster than a write.
        Command::Zeroes { fast: true, deallocate, .. }
            if !deallocate || !export.whole_pages(offset, length) =>
        {
            Refuse(NbdError::NotSupported)
        }
        _ => Work(work),
    }
}

/// A simple reply.
pub(super) fn simple(out: &mut Vec<u8>, cookie: u64, error: u32, data: &[u8]) {
    out.extend_from_slice(&SIMPLE_MAGIC.to_be_bytes());
    out.extend_from_slice(&error.to_be_bytes());
    out.extend_from_slice(&cookie.to_be_bytes());
    out.extend_from_slice(data);
}

/// Chunks of a structured reply.
pub(super) enum Chunk<'a> {
    /// No content.
    None,
    /// Bytes from this offset on.
    Data(u64, &'a [u8]),
    /// Lengths and flags of extents, of metadata context 1.
    Status(&'a [(u32, u32)]),
    /// An error with a message.
    Error(u32, &'a str),
}

/// A structured reply of one chunk.
pub(super) fn structured(out: &mut Vec<u8>, cookie: u64, chunk: &Chunk<'_>) {
    const DONE: u16 = 1;
    let (kind, length) = match chunk {
        Chunk::None => (0_u16, 0),
        Chunk::Data(_, data) => (1, 8 + data.len()),
        Chunk::Status(extents) => (5, 4 + 8 * extents.len()),
        Chunk::Error(_, message) => (0x8001, 6 + message.len()),
    };
    out.extend_from_slice(&STRUCTURED_MAGIC.to_be_bytes());
    out.extend_from_slice(&DONE.to_be_bytes());
    out.extend_from_slice(&kind.to_be_bytes());
    out.extend_from_slice(&cookie.to_be_bytes());
    out.extend_from_slice(&(length as u32).to_be_bytes());
    match chunk {
        Chunk::None => {}
        Chunk::Data(offset, data) => {
            out.extend_from_slice(&offset.to_be_bytes());
            out.extend_from_slice(data);
        }
        Chunk::Status(extents) => {
            out.extend_from_slice(&1_u32.to_be_bytes());
            for (length, flags) in *extents {
                out.extend_from_slice(&length.to_be_bytes());
                out.extend_from_slice(&flags.to_be_bytes());
            }
        }
        Chunk::Error(error, message) => {
            out.extend_from_slice(&error.to_be_bytes());
            out.extend_from_slice(&(message.len() as u16).to_be_bytes());
            out.extend_from_slice(message.as_bytes());
        }
    }
}
