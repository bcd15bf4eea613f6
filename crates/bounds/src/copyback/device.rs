//! A part as schemes see it through its channel: operations include bus time, and copies use a path.

use super::error::CopybackError;
use super::stages::Stages;
use super::timings::{CopyTimings, Waits};
use super::transaction::Copyback;
use flash::{Copies, CopyPath, Ns, Part, SlcMode};

/// Use of a part by a controller: devices on the channel, planes that work as one, path of copies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CopySettings {
    /// Path of copies whose addresses allow it: ICB (checked or not) and LCB within a device, GCB and DGCB
    /// between two.
    ///
    /// Other copies go through the controller: between two devices by GCB, within one by LCB.
    pub path: CopyPath,
    /// True if copies between devices use cache program.
    pub cache_program: bool,
    /// Devices on the channel, 1 to 64; GCB and DGCB need at least 2.
    pub ways: u32,
    /// Planes that work as one, 1 to 4: a page of the array is one page per plane.
    pub planes: u32,
    /// Corrected bytes per page of one plane that bounds assume: 0 to [`CopyTimings::most_corrected_bytes`].
    pub most_corrected_bytes: u32,
}

impl CopySettings {
    /// One device, one plane, copies through the controller, no errors.
    pub const PLAIN: Self = Self {
        path: CopyPath::Lcb,
        cache_program: false,
        ways: 1,
        planes: 1,
        most_corrected_bytes: 0,
    };

    /// The part in this use.
    ///
    /// - Its pages span all planes.
    /// - Its array times include commands, transfer and the ECC result, so its bus cycles are 0.
    /// - Its copies use the path.
    /// - An OOB read transfers the spare bytes alone.
    /// - Its capacity is that of `part`, in whole blocks of all planes.
    ///
    /// # Errors
    /// A part without bus cycles; a figure outside its range; GCB or DGCB on one device; pages of all planes
    /// of more than 2²⁰ bytes; a part with less than one block per plane.
    pub fn part(&self, part: &Part, waits: Waits) -> Result<Part, CopybackError> {
        let timings = CopyTimings::of_part(part, waits)?;
        self.check_ways()?;
        let (near, far) = match self.path {
            CopyPath::Gcb | CopyPath::Dgcb => (CopyPath::Lcb, self.path),
            near => (near, CopyPath::Gcb),
        };
        let by = |path| Copyback::new(timings, path, self.cache_program, self.planes);
        let near = by(near)?.with_corrected_bytes(self.most_corrected_bytes)?;
        let pages = Pages::of(part, self.planes)?;
        let stages = Stages::of(&timings, self.planes, 0);
        let (t_r_ns, t_prog_ns) = (stages.t_sr_ns() + stages.t_ecc_ns, stages.t_sp_ns());
        let (with_read, with_program) = (t_r_ns - part.t_r_ns, t_prog_ns - part.t_prog_ns);
        Ok(Part {
            page_bytes: pages.data_bytes,
            oob_bytes: pages.spare_bytes,
            capacity_bytes: pages.capacity_bytes,
            t_r_ns,
            t_r_by_page_ns: part.t_r_by_page_ns.map(|ns| ns + with_read),
            t_r_oob_ns: self.oob_read_ns(part, timings)?,
            t_prog_ns,
            t_prog_by_page_ns: part.t_prog_by_page_ns.map(|ns| ns + with_program),
            t_bers_ns: near.erase_ns(),
            t_rc_ns: 0,
            t_wc_ns: 0,
            bus_mts: 0,
            slc: part.slc.map(|slc| SlcMode {
                t_r_ns: slc.t_r_ns + with_read,
                t_prog_ns: slc.t_prog_ns + with_program,
                t_bers_ns: slc.t_bers_ns + (near.erase_ns() - part.t_bers_ns),
            }),
            copies: Some(Copies {
                ways: self.ways,
                near: near.times(),
                far: by(far)?.times(),
                most_corrected_bytes: self.most_corrected_bytes * self.planes,
            }),
            ..part.clone()
        })
    }

    fn check_ways(&self) -> Result<(), CopybackError> {
        let (field, least) = match self.path {
            CopyPath::Gcb => ("ways of a channel on which gcb copies between two devices", 2),
            CopyPath::Dgcb => ("ways of a channel on which dgcb copies between two devices", 2),
            CopyPath::Icb | CopyPath::IcbUnchecked | CopyPath::Lcb => ("ways", 1),
        };
        within(field, self.ways.into(), least, 64)
    }

    /// Read of the spare bytes alone, ns. It is addressed at their column, so nothing else is transferred.
    fn oob_read_ns(&self, part: &Part, timings: CopyTimings) -> Result<Ns, CopybackError> {
        within("t_r_oob_ns", part.t_r_oob_ns, 1, CopyTimings::LONGEST_ARRAY_NS)?;
        let (page_bytes, t_r_ns) = (timings.spare_bytes, part.t_r_oob_ns);
        let spare = CopyTimings { page_bytes, spare_bytes: 0, t_r_ns, ..timings };
        let stages = Stages::of(&spare, self.planes, 0);
        Ok(stages.t_sr_ns() + stages.t_ecc_ns)
    }
}

/// Page sizes over all planes together, and the resulting capacity.
struct Pages {
    data_bytes: u32,
    spare_bytes: u32,
    capacity_bytes: u64,
}

impl Pages {
    /// Sizes for 1 to 4 planes.
    fn of(part: &Part, planes: u32) -> Result<Self, CopybackError> {
        let (data_bytes, spare_bytes) = (part.page_bytes * planes, part.oob_bytes * planes);
        let most = CopyTimings::MOST_PAGE_BYTES;
        within("page_bytes of all planes together", data_bytes.into(), 1, most)?;
        within("oob_bytes of all planes together", spare_bytes.into(), 0, most)?;
        let block_bytes = u64::from(part.pages_per_block) * u64::from(data_bytes);
        within(
            "capacity_bytes of a part with this number of planes",
            part.capacity_bytes,
            block_bytes,
            u64::MAX,
        )?;
        let capacity_bytes = part.capacity_bytes - part.capacity_bytes % block_bytes;
        Ok(Self { data_bytes, spare_bytes, capacity_bytes })
    }
}

fn within(field: &'static str, found: u64, least: u64, most: u64) -> Result<(), CopybackError> {
    if (least..=most).contains(&found) {
        return Ok(());
    }
    Err(CopybackError::Figure { field, least, most, found })
}
