//! The messages between the DDT master and the DDT slaves.

use std::fmt;

/// A message (Table I of the source).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Message {
    /// Give the source its read command and address.
    ReadInit,
    /// The source reads its cells.
    ReadStart,
    /// The page is in the source's register, ready for data out.
    ReadEnd,
    /// Give the destination its program command and address.
    ProgInit,
    /// The destination is ready for data in.
    DinReady,
    /// Bytes were wrong: send them again, corrected.
    ErrRetransmit,
    /// Give the destination its confirm command.
    ProgStart,
    /// The destination has programmed its page.
    ProgEnd,
    /// Transfer the page; to both sides at once.
    DdtBegin,
    /// The page has been transferred; from both sides.
    DdtDone,
}

impl Message {
    /// Every message, in the order of Table I.
    pub const ALL: [Self; 10] = [
        Self::ReadInit,
        Self::ReadStart,
        Self::ReadEnd,
        Self::ProgInit,
        Self::DinReady,
        Self::ErrRetransmit,
        Self::ProgStart,
        Self::ProgEnd,
        Self::DdtBegin,
        Self::DdtDone,
    ];

    /// Its name in Table I.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ReadInit => "READ_INIT",
            Self::ReadStart => "READ_START",
            Self::ReadEnd => "READ_END",
            Self::ProgInit => "PROG_INIT",
            Self::DinReady => "DIN_READY",
            Self::ErrRetransmit => "ERR_RETRANSMIT",
            Self::ProgStart => "PROG_START",
            Self::ProgEnd => "PROG_END",
            Self::DdtBegin => "DDT_BEGIN",
            Self::DdtDone => "DDT_DONE",
        }
    }

    /// Whether slaves send it to the master; the master sends the others to slaves.
    pub const fn to_master(self) -> bool {
        matches!(
            self,
            Self::ReadStart | Self::ReadEnd | Self::DinReady | Self::ProgEnd | Self::DdtDone
        )
    }

    /// Whether it is about the pages of all planes.
    pub const fn about_operation(self) -> bool {
        matches!(
            self,
            Self::ReadInit | Self::ReadStart | Self::ReadEnd | Self::ProgStart | Self::ProgEnd
        )
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Who sends or receives a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Party {
    /// The DDT master (DDT-M) of the channel.
    Master,
    /// The DDT slave (DDT-S) in the controller of a way.
    Slave(u16),
}

impl fmt::Display for Party {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Master => f.pad("DDT-M"),
            Self::Slave(way) => f.pad(&format!("DDT-S{way}")),
        }
    }
}

/// Which page of a transaction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PagePosition {
    /// Operation, from 0.
    pub operation: u32,
    /// Plane, from 0.
    pub plane: u8,
}
