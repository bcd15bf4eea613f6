//! The messages between the DDT master and the DDT slaves.

use std::fmt;

/// Message between master and slave (Table I of the paper).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Message {
    /// To the source: issue the read command and address.
    ReadInit,
    /// From the source: the cell read has begun.
    ReadStart,
    /// From the source: the page is in the register, ready for data out.
    ReadEnd,
    /// To the destination: issue the program command and address.
    ProgInit,
    /// From the destination: ready for data in.
    DinReady,
    /// To the destination: bytes were in error and are sent again, corrected.
    ErrRetransmit,
    /// To the destination: issue the confirm command.
    ProgStart,
    /// From the destination: the page is programmed.
    ProgEnd,
    /// To both sides at once: transfer the page.
    DdtBegin,
    /// From both sides: the page has been transferred.
    DdtDone,
}

impl Message {
    /// All messages in the order of Table I.
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

    /// Name in Table I.
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

    /// True if slaves send the message to the master; false if the master sends it to slaves.
    pub const fn to_master(self) -> bool {
        matches!(
            self,
            Self::ReadStart | Self::ReadEnd | Self::DinReady | Self::ProgEnd | Self::DdtDone
        )
    }

    /// True if the message concerns the pages of all planes.
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

/// Sender or receiver of a message.
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

/// Position of a page in a transaction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PagePosition {
    /// Operation number, from 0.
    pub operation: u32,
    /// Plane number, from 0.
    pub plane: u8,
}
