//! A part as schemes see it behind its channel: bus time within every operation, and copies by a path.

use super::{CopyPath, CopyTimings, Copyback, CopybackError, Stages, Waits};
use flash::{Copies, Part};

/// How a controller uses a part: devices on the channel, planes that work as one, the path of copies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CopySettings {
    /// The path that copies take where their addresses allow it. Within a device that is ICB, checked or not, or
    /// LCB; between two it is GCB or DGCB. What a path of the one kind says nothing of goes through the controller
    /// (LCB, GCB).
    pub path: CopyPath,
    /// Whether copies between devices use cache program.
    pub cache_program: bool,
    /// Devices on the channel, 1 to 64; GCB and DGCB need 2 at least.
    pub ways: u32,
    /// Planes that work as one, 1 to 4: a page of the array is a page of each.
    pub planes: u32,
    /// Corrected bytes, a page of one plane, that promises count with: 0 to
    /// [`CopyTimings::most_corrected_bytes`].
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

    /// The part so used: its pages are of all planes, its array times include commands and transfer (so its bus
    /// cycles are 0), and its copies go by the path.
    ///
    /// # Errors
    /// A part without bus cycles; a figure outside its range; GCB or DGCB on one device.
    pub fn part(&self, part: &Part, waits: Waits) -> Result<Part, CopybackError> {
        let timings = CopyTimings::of_part(part, waits)?;
        let ways = u64::from(self.ways);
        let least = if self.path.between_devices() { 2 } else { 1 };
        if !(least..=64).contains(&ways) {
            return Err(CopybackError::Figure { field: "ways", least, most: 64, found: ways });
        }
        let (near, far) = match self.path {
            CopyPath::Gcb | CopyPath::Dgcb => (CopyPath::Lcb, self.path),
            near => (near, CopyPath::Gcb),
        };
        let by = |path| Copyback::new(timings, path, self.cache_program, self.planes);
        let near = by(near)?.with_corrected_bytes(self.most_corrected_bytes)?;
        let stages = Stages::of(&timings, self.planes, 0);
        let oob = CopyTimings { page_bytes: timings.spare_bytes.max(1), spare_bytes: 0, ..timings };
        Ok(Part {
            page_bytes: part.page_bytes * self.planes,
            oob_bytes: part.oob_bytes * self.planes,
            t_r_ns: stages.t_sr_ns(),
            t_r_oob_ns: Stages::of(&oob, self.planes, 0).t_sr_ns(),
            t_prog_ns: stages.t_sp_ns(),
            t_bers_ns: near.erase_ns(),
            t_rc_ns: 0,
            t_wc_ns: 0,
            copies: Some(Copies {
                ways: self.ways,
                near: near.times(),
                far: by(far)?.times(),
                most_corrected_bytes: self.most_corrected_bytes * self.planes,
            }),
            ..part.clone()
        })
    }
}
