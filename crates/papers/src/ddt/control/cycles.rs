//! Bus cycles of a way controller during one tenure of the bus.

use flash::Ns;
use flash::channels::Timing;

/// Cycles of one tenure of the bus.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cycles {
    /// 00h, address, 30h; or 32h if another plane follows.
    Read {
        /// True for the last plane.
        last: bool,
    },
    /// Data out of a register to the controller.
    DataOut,
    /// 80h, address, tADL.
    ProgramAddress,
    /// 11h: the next plane follows.
    NextPlane,
    /// Data out of one device's register into another's, with WE# tDL after RE#.
    Direct {
        /// True if 06h, address, E0h, tCCS precede the data, to select the source register of another plane.
        choose: bool,
    },
    /// 85h, column, tCCS, data for each byte.
    Corrections {
        /// Number of corrected bytes.
        bytes: u32,
    },
    /// 10h; or 15h for a cache program.
    Confirm {
        /// True for a cache program.
        cached: bool,
    },
    /// 80h, address, tADL, data in, 10h.
    Program,
    /// 60h, row, D0h.
    Erase,
    /// 70h, tWHR, status out.
    Status,
}

impl Cycles {
    /// Name in logs.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read { .. } => "read command",
            Self::DataOut => "data out",
            Self::ProgramAddress => "program address",
            Self::NextPlane => "next plane",
            Self::Direct { .. } => "direct transfer",
            Self::Corrections { .. } => "corrected bytes",
            Self::Confirm { .. } => "confirm",
            Self::Program => "program, data in",
            Self::Erase => "erase command",
            Self::Status => "status",
        }
    }

    /// Time for which the cycles hold the bus.
    pub fn bus_ns(self, t: &Timing) -> Ns {
        let (column, row) = (Ns::from(t.column_cycles), Ns::from(t.row_cycles));
        let page_command = (2 + column + row) * t.t_wc_ns;
        match self {
            Self::Read { .. } => page_command,
            Self::DataOut => t.t_do_ns(),
            Self::ProgramAddress => page_command - t.t_wc_ns + t.t_adl_ns,
            Self::NextPlane | Self::Confirm { .. } => t.t_wc_ns,
            Self::Direct { choose: false } => t.t_dio_ns(),
            Self::Direct { choose: true } => page_command + t.t_ccs_ns + t.t_dio_ns(),
            Self::Corrections { bytes } => {
                Ns::from(bytes) * ((2 + column) * t.t_wc_ns + t.t_ccs_ns)
            }
            Self::Program => page_command + t.t_adl_ns + t.t_di_ns(),
            Self::Erase => (2 + row) * t.t_wc_ns,
            Self::Status => t.t_wc_ns + t.t_whr_ns + t.t_rc_ns,
        }
    }

    /// True if the cycles count as a read for [`Policy::ReadFirst`](flash::channels::Policy::ReadFirst). The data of
    /// a direct transfer count as part of the program.
    pub const fn reads(self) -> bool {
        matches!(self, Self::Read { .. } | Self::DataOut)
    }
}
