//! The channel of an experiment's array, or all channels of an SSD: devices, planes that operate together and
//! bit errors. Also the part as a scheme sees it there.

mod retry;

use super::bit_errors::{BitErrorSettings, PageErrors};
use super::bus_cycle::LONGEST_CYCLE_NS;
use super::error::ConfigError;
use super::read_retry::ReadRetrySettings;
use bounds::copyback::{CopySettings, CopyTimings, Copyback, CopybackError, Waits};
use flash::channels::{Timing, TimingError};
use flash::faults::{AgedErrorRate, BitErrorModel, BitErrorRate};
use flash::parallel::Stripes;
use flash::pins::{Interface, WindowCheck, Windows, windows};
use flash::{Copies, CopyPath, CopyTimes, Geometry, GeometryError, Ns, Part, Retries};
use ftl::{Allocation, AllocationOrder};
use workload::quantity::Duration;

/// A part and its use by a controller, the same for every scheme of an experiment.
///
/// If a part gives its bus (t_RC and t_WC, or MT/s), its times as schemes see them include commands and transfers.
/// Its copies then follow a path ([`CopySettings::part`]). The array times of any other part include the
/// transfers; it has one device and one plane.
#[derive(Clone, Debug, PartialEq)]
pub struct Channel {
    part: Part,
    /// Channels of an SSD; `None`: one channel, which runs one operation at a time.
    pub channels: Option<u32>,
    /// Devices per channel.
    pub ways: u32,
    /// Dies per device that operate independently; 1 if this is no SSD.
    pub dies: u32,
    /// Planes that operate together: a page of the array is one page of each plane.
    pub planes: u32,
    /// Planes per die with writes of their own; 1 if its planes operate together.
    pub own_planes: u32,
    /// How blocks of the array are blocks of the part.
    stripes: Stripes,
    /// Bit errors of the pages.
    pub bit_errors: BitErrorSettings,
    /// Steps of reads that ECC does not correct at once.
    retry: ReadRetrySettings,
    /// Most of these steps in one read, as bounds count them.
    most: Retries,
    /// Cycle and skew of direct transfers between dies; `None` without bus cycles.
    direct: Option<DirectTransfer>,
}

/// Bus cycle of direct transfers between dies (tRWC), and delay from read to write cycle (tDL), ns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct DirectTransfer {
    t_rwc_ns: Ns,
    t_dl_ns: Ns,
}

/// The two settings of copies that every scheme has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CopyChoice {
    /// Copy path; default: LCB on one device (die of an SSD), GCB on several.
    pub path: Option<CopyPath>,
    /// Use of cache program for copies between devices; default: false.
    pub cache_program: Option<bool>,
}

/// A copy setting that cannot work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CopyFault {
    /// `copy` or `copy_cache`.
    pub setting: &'static str,
    /// The fault and a valid value.
    pub reason: String,
}

impl Channel {
    /// A channel with one device, one plane and no bit errors.
    ///
    /// # Errors
    /// If the part gives only one of the two bus cycles.
    pub fn plain(part: Part) -> Result<Self, ConfigError> {
        Self::new(part, 1, 1, BitErrorSettings::default())
    }

    /// A channel of `ways` devices (1 to 64), each with `planes` planes that operate together (1 to 4).
    ///
    /// # Errors
    /// If a number is outside its range, or the part lacks the figures for it. Also if bit errors are set
    /// without a known ECC strength, or exceed the ECC's strength.
    pub fn new(
        mut part: Part,
        ways: u32,
        planes: u32,
        bit_errors: BitErrorSettings,
    ) -> Result<Self, ConfigError> {
        for (setting, found, most) in [("ways", ways, 64), ("planes", planes, 4)] {
            if !(1..=most).contains(&found) {
                let reason = format!("must be 1 to {most}, not {found}");
                return Err(ConfigError::setting(setting, reason));
            }
            if found > 1 && !gives_bus_cycles(&part) {
                return Err(ConfigError::setting(setting, no_bus_cycles(&part)));
            }
        }
        part.ecc_bits_per_kib = bit_errors.ecc_bits_per_kib.or(part.ecc_bits_per_kib);
        let direct = latching(&part).map(DirectTransfer::from);
        let (retry, most) = (ReadRetrySettings::default(), Retries::default());
        let channels = None;
        let channel = Self {
            part,
            channels,
            ways,
            dies: 1,
            planes,
            own_planes: 1,
            stripes: Stripes::default(),
            bit_errors,
            retry,
            most,
            direct,
        };
        channel.check_ecc()?;
        if gives_bus_cycles(&channel.part) {
            channel.timings().map_err(|error| ConfigError::setting("part", error.to_string()))?;
        }
        Ok(channel)
    }

    /// Same with this cycle of direct transfers instead of the shortest at which the pins latch.
    ///
    /// # Errors
    /// If the part gives no bus cycles, or `t_rwc_ns` is shorter than they are or longer than 100 µs.
    pub fn with_direct_cycle(mut self, t_rwc_ns: Ns) -> Result<Self, ConfigError> {
        let refused = |reason| Err(ConfigError::setting("t_rwc", reason));
        if !self.has_paths() {
            return refused(no_bus_cycles(&self.part));
        }
        if self.part.bus_mts > 0 {
            return refused(no_direct_transfers(&self.part));
        }
        let least = self.part.t_rc_ns.max(self.part.t_wc_ns);
        if !(least..=LONGEST_CYCLE_NS).contains(&t_rwc_ns) {
            return refused(format!(
                "must be {least}ns (the longer of tRC and tWC of part `{}`) to 100us, not {}",
                self.part.name,
                Duration::new(t_rwc_ns)
            ));
        }
        // A cycle at which the pins do not latch has no skew that fits: it keeps the default.
        let check = pin_check(&self.part, Some(t_rwc_ns));
        let fits = check.filter(|(_, check)| check.refusal.is_none());
        let t_dl_ns = fits.map_or(Timing::DEFAULT_T_DL_NS, |(_, check)| check.asked.t_dl_ns);
        self.direct = Some(DirectTransfer { t_rwc_ns, t_dl_ns });
        Ok(self)
    }

    /// Times of the bus and the cells, with the cycle of direct transfers.
    ///
    /// # Errors
    /// If the part gives no bus cycles.
    pub fn timing(&self) -> Result<Timing, TimingError> {
        let timing = Timing { ecc_ns: self.retry.decode_ns, ..Timing::of(&self.part)? };
        let timing =
            Timing { t_bers_ns: timing.t_bers_ns / Ns::from(self.stripes.blocks), ..timing };
        Ok(match self.direct {
            None => timing,
            Some(DirectTransfer { t_rwc_ns, t_dl_ns }) => {
                Timing { direct_cycle_ns: t_rwc_ns, t_dl_ns, ..timing }
            }
        })
    }

    /// Waits of the bus; irrelevant without bus cycles.
    fn waits(&self) -> Waits {
        self.timing().map_or(Waits::STUDY, |timing| Waits::from(&timing))
    }

    /// Note on the cycle of direct transfers, if it is not simply that of the bus.
    pub(super) fn note_on_direct_transfers(&self) -> Option<String> {
        let direct = self.direct?;
        let (mode, check) = pin_check(&self.part, None)?;
        let t_rwc_ns = direct.t_rwc_ns;
        let legal = check.working().is_some_and(|works| t_rwc_ns >= works.t_rwc_ns);
        match check.refusal {
            None => None,
            Some(refusal) if legal => Some(format!(
                "dgcb transfers at a cycle of {t_rwc_ns} ns; the bus's {} ns are too short for pins of ONFI mode \
                 {mode}: {refusal}; set another with --t-rwc",
                check.asked.t_rwc_ns
            )),
            Some(refusal) => Some(format!(
                "dgcb assumes pins that latch at {t_rwc_ns} ns; those of ONFI mode {mode} do not: {refusal} \
                 (`ftlkit copyback --windows`)"
            )),
        }
    }

    /// Same for each channel of an SSD, with `dies` dies per device, each with `own_planes` planes of their own. The
    /// part must give bus cycles.
    #[must_use]
    pub fn on_ssd(self, channels: u32, dies: u32, own_planes: u32) -> Self {
        Self { channels: Some(channels), dies, own_planes, ..self }
    }

    /// Same for an array whose blocks are these reclaim units. An erase takes the time of all of them, one
    /// after the other; on channels they are erased side by side, so that this is the longest.
    #[must_use]
    pub(super) fn in_units(self, stripes: Stripes) -> Self {
        let blocks = stripes.blocks;
        let part = Part {
            pages_per_block: self.part.pages_per_block * blocks,
            t_bers_ns: self.part.t_bers_ns * Ns::from(blocks),
            ..self.part
        };
        Self { part, stripes, ..self }
    }

    /// How blocks of the array are blocks of the part: as reclaim units in reclaim groups, else one to one.
    pub fn stripes(&self) -> Stripes {
        self.stripes
    }

    /// Allocation of writes to reclaim units, if blocks of the array are not those of single dies or there are several
    /// reclaim groups: a unit of the allocation is a group.
    pub(super) fn allocation_in_groups(&self) -> Option<Allocation> {
        let groups = u16::try_from(self.stripes.groups).unwrap_or(u16::MAX);
        let allocation = Allocation::new([groups, 1, 1, 1], AllocationOrder::default());
        (self.stripes != Stripes::default()).then_some(allocation)
    }

    /// Dies of an SSD, devices of one channel, which operate independently. Block `b` of the array is on die
    /// `b mod all_dies`.
    pub fn all_dies(&self) -> u32 {
        self.channels.unwrap_or(1) * self.ways * self.dies
    }

    /// Units with writes of their own: the dies, or their planes. Block `b` of the array is in unit `b mod units`.
    pub fn units(&self) -> u32 {
        self.all_dies() * self.own_planes
    }

    /// Name of a unit.
    pub(super) fn unit_name(&self) -> &'static str {
        if self.own_planes > 1 { "plane" } else { "die" }
    }

    /// The part's data sheet; an ECC strength set with the bit errors overrides its own.
    pub fn part(&self) -> &Part {
        &self.part
    }

    /// User bytes per page of the array.
    pub fn page_bytes(&self) -> u32 {
        self.part.page_bytes * self.planes
    }

    /// Devices on all channels.
    pub fn devices(&self) -> u32 {
        self.channels.unwrap_or(1) * self.ways
    }

    /// Nominal bytes of all its devices.
    pub fn capacity_bytes(&self) -> u64 {
        self.part.capacity_bytes.saturating_mul(self.devices().into())
    }

    /// An array of `capacity_bytes`, rounded down to whole blocks.
    ///
    /// # Errors
    /// If the capacity is less than one block, or has too many pages.
    pub fn geometry(&self, capacity_bytes: u64) -> Result<Geometry, GeometryError> {
        Geometry::with_capacity(capacity_bytes, self.part.pages_per_block, self.page_bytes())
    }

    /// True if copies use paths with different times.
    pub fn has_paths(&self) -> bool {
        gives_bus_cycles(&self.part)
    }

    /// The part as a scheme with these copy settings sees it.
    ///
    /// If the part lacks the figures for the path, or the channel has too few devices or dies for it.
    /// If the part lacks the figures for the path, or a single device does not have the path.
    pub fn part_for(&self, copies: CopyChoice) -> Result<Part, CopyFault> {
        let fault = |setting, reason| Err(CopyFault { setting, reason });
        if !self.has_paths() {
            return match (copies.path, copies.cache_program) {
                (None, None) => Ok(self.with_retries(self.decoding(self.part.clone()))),
                (Some(_), _) => fault("copy", no_bus_cycles(&self.part)),
                (None, Some(_)) => fault("copy_cache", no_bus_cycles(&self.part)),
            };
        }
        let default = if self.all_dies() > 1 { CopyPath::Gcb } else { CopyPath::Lcb };
        let path = copies.path.unwrap_or(default);
        if self.own_planes > 1 && matches!(path, CopyPath::Icb | CopyPath::IcbUnchecked) {
            return fault(
                "copy",
                format!(
                    "{path} copies within a plane, and with planes of their own a copy may go to another plane of its die; \
                    use `lcb` or `gcb`, or --plane-use ganged"
                ),
            );
        }
        if path.between_devices() && self.all_dies() == 1 {
            return fault(
                "copy",
                format!(
                    "{path} copies between devices, and the channel has one; set `ways`, as in --ways 4, or \
                    copy within the device: `icb`, `icb-unchecked` or `lcb`"
                ),
            );
        }
        if path == CopyPath::Dgcb && self.ways * self.dies == 1 {
            return fault(
                "copy",
                format!(
                    "{path} copies between dies of one channel, and each channel has one die; set `ways` or \
                    `dies`, as in --ways 2, or use `gcb`"
                ),
            );
        }
        if path == CopyPath::Dgcb && self.part.bus_mts > 0 {
            return fault("copy", no_direct_transfers(&self.part));
        }
        let settings = CopySettings {
            path,
            cache_program: copies.cache_program.unwrap_or(false),
            // Copy times depend only on one die or several, not on the number.
            ways: self.all_dies().min(2),
            planes: self.planes,
            most_corrected_bytes: self
                .most_wrong_bits()
                .map_err(|error| CopyFault { setting: "copy", reason: error.to_string() })?,
        };
        let part = settings
            .part(&self.part, self.waits())
            .map_err(|error| CopyFault { setting: "copy", reason: error.to_string() })?;
        let copies = part.copies.map(|copies| self.copies_among_units(copies));
        Ok(self.with_retries(Part { capacity_bytes: self.capacity_bytes(), copies, ..part }))
    }

    /// Sets the number of dies. Between dies of different channels a page passes through the controller,
    /// whatever the path within a channel. With several channels, bounds must assume the longer times.
    fn copies_among_units(&self, copies: Copies) -> Copies {
        let mut copies = Copies { ways: self.all_dies(), ..copies };
        if let Some(through) = self.between_channels(&copies.far) {
            let CopyTimes { fetch_ns, load_ns, .. } = through;
            copies.far.fetch_ns = copies.far.fetch_ns.max(fetch_ns);
            copies.far.load_ns = copies.far.load_ns.max(load_ns);
        }
        copies
    }

    /// Times of copies between channels, if they differ from those within one.
    fn between_channels(&self, far: &CopyTimes) -> Option<CopyTimes> {
        let several = self.channels.is_some_and(|channels| channels > 1);
        if !several || far.path != CopyPath::Dgcb {
            return None;
        }
        let timings = self.timings().ok()?;
        let through = Copyback::new(timings, CopyPath::Gcb, far.cache_program, self.planes).ok()?;
        Some(through.times())
    }

    fn timings(&self) -> Result<CopyTimings, CopybackError> {
        CopyTimings::of_part(&self.part, self.waits())
    }

    /// True if a page may have bit errors, or be read again.
    pub(super) fn may_read_again(&self) -> bool {
        !self.bit_errors.are_off() || !self.retry().steps().is_off()
    }

    /// Most correctable bit errors of a page of one plane; bounds assume this number.
    fn most_wrong_bits(&self) -> Result<u32, CopybackError> {
        Ok(match self.bit_errors.errors {
            PageErrors::Off => 0,
            PageErrors::ByHand(bits) => bits,
            PageErrors::Wear { .. } | PageErrors::Law(_) => self.timings()?.most_corrected_bytes(),
        })
    }

    /// Bit error model of a page of the array; `None` if bit errors are off.
    pub fn bit_error_model(&self) -> Option<BitErrorModel> {
        let ecc_bits_per_kib = self.part.ecc_bits_per_kib?;
        match self.bit_errors.errors {
            PageErrors::Off => None,
            PageErrors::ByHand(bits) => {
                Some(BitErrorModel::Fixed { bits_per_page: bits * self.planes, ecc_bits_per_kib })
            }
            PageErrors::Wear { base, per_erase, per_read } => {
                let cycles = u64::from(self.bit_errors.cycles);
                Some(BitErrorModel::Drawn(BitErrorRate {
                    base: base.saturating_add(per_erase.saturating_mul(cycles)),
                    per_erase,
                    per_read,
                    ecc_bits_per_kib,
                }))
            }
            PageErrors::Law(law) => Some(BitErrorModel::Aged(AgedErrorRate {
                law,
                cycles: self.bit_errors.cycles,
                age_s: self.bit_errors.age_s,
                ecc_bits_per_kib,
            })),
        }
    }

    /// Bits of a page of one plane that its ECC corrects: the sum over its codewords of 1 KiB.
    fn correctable_bits(&self) -> u32 {
        let codewords = self.page_bytes().div_ceil(1024);
        codewords * self.part.ecc_bits_per_kib.unwrap_or(0) / self.planes
    }

    fn check_ecc(&self) -> Result<(), ConfigError> {
        if self.bit_errors.are_off() {
            return Ok(());
        }
        let name = &self.part.name;
        let Some(ecc) = self.part.ecc_bits_per_kib else {
            return Err(ConfigError::setting(
                "bit_errors",
                format!(
                    "part `{name}` has no ECC strength; set `+ecc=BITS` (per 1 KiB), as in `8+ecc=24`, or \
                    part.ecc_bits_per_kib"
                ),
            ));
        };
        match self.bit_errors.errors {
            PageErrors::ByHand(bits) if bits > self.correctable_bits() => {
                Err(ConfigError::setting(
                    "bit_errors",
                    format!(
                        "{bits} bit errors per page would make every page uncorrectable: with {ecc} bits per 1 \
                        KiB the ECC corrects {} per page of `{name}`; use at most that many, or a stronger ECC \
                        (`+ecc=BITS`)",
                        self.correctable_bits()
                    ),
                ))
            }
            _ => Ok(()),
        }
    }
}

impl From<Windows> for DirectTransfer {
    fn from(windows: Windows) -> Self {
        Self { t_rwc_ns: windows.t_rwc_ns, t_dl_ns: windows.t_dl_ns }
    }
}

/// Window check of the part's pins at `cycle_ns`, by default at its own bus cycles, and the ONFI mode of the pins:
/// the fastest that is not faster than the part. `None` without bus cycles, and on a synchronous bus.
fn pin_check(part: &Part, cycle_ns: Option<Ns>) -> Option<(u8, WindowCheck)> {
    if part.bus_mts > 0 {
        return None;
    }
    let timing = Timing::of(part).ok()?;
    let fits = |mode: &u8| {
        Timing::with_mode(part, *mode)
            .is_ok_and(|mode| mode.t_rc_ns >= timing.t_rc_ns && mode.t_wc_ns >= timing.t_wc_ns)
    };
    let mode = (0..=5).rev().find(fits).unwrap_or(0);
    let timing = Timing { direct_cycle_ns: cycle_ns.unwrap_or(0), ..timing };
    let interface = Interface::of_timing(&timing, mode).ok()?;
    Some((mode, windows(&interface, &interface)))
}

/// Shortest cycle at which the part's pins latch a direct transfer; the bus's own if none up to 1 µs works.
fn latching(part: &Part) -> Option<Windows> {
    let (_, check) = pin_check(part, None)?;
    Some(check.working().unwrap_or(check.asked))
}

fn gives_bus_cycles(part: &Part) -> bool {
    part.bus_mts > 0 || part.t_rc_ns > 0 || part.t_wc_ns > 0
}

fn no_direct_transfers(part: &Part) -> String {
    format!(
        "part `{}` has a synchronous bus ({} MT/s), on which direct transfers (dgcb) are not defined: they latch what \
        another die drives on an asynchronous bus; omit it, or use `gcb`",
        part.name, part.bus_mts
    )
}

fn no_bus_cycles(part: &Part) -> String {
    format!(
        "part `{}` has no t_rc_ns and t_wc_ns: its array times include the transfer, so neither a shared bus \
        nor copy paths can be modelled; choose a part that has them (`ddt-mlc`), or set both and give array \
        times without the transfer: t_rc_ns and t_wc_ns in a part file, or, with commands that take --set, \
        --set part.t_rc_ns=25ns --set part.t_wc_ns=25ns",
        part.name
    )
}

#[cfg(test)]
mod tests {
    use super::super::notation::Notation;
    use super::*;
    use flash::parts;

    fn ddt() -> Part {
        parts::by_name("ddt-mlc").unwrap().clone()
    }

    fn errors(text: &str) -> BitErrorSettings {
        BitErrorSettings::read(text).unwrap()
    }

    fn by(path: CopyPath) -> CopyChoice {
        CopyChoice { path: Some(path), cache_program: None }
    }

    #[test]
    fn a_part_without_bus_cycles_stays_as_it_is() {
        let channel = Channel::plain(parts::EVALUATION_SLC.clone()).unwrap();
        assert_eq!(channel.part_for(CopyChoice::default()).unwrap(), parts::EVALUATION_SLC);
        assert_eq!(channel.page_bytes(), 2048);
    }

    #[test]
    fn transfers_count_and_planes_make_a_page() {
        let channel = Channel::new(ddt(), 4, 2, errors("8")).unwrap();
        let part = channel.part_for(by(CopyPath::Dgcb)).unwrap();
        assert_eq!((part.page_bytes, channel.page_bytes()), (16384, 16384));
        assert!(part.t_r_ns > 75_000 + 2 * 216_000, "{}", part.t_r_ns);
        let copies = part.copies.unwrap();
        assert_eq!((copies.ways, copies.most_corrected_bytes), (4, 16));
        assert_eq!((copies.near.path, copies.far.path), (CopyPath::Lcb, CopyPath::Dgcb));
        let path = |ways| {
            let part = Channel::new(ddt(), ways, 1, errors("off")).unwrap();
            let copies = part.part_for(CopyChoice::default()).unwrap().copies.unwrap();
            copies.longest_ns(2)
        };
        assert!(path(1) > 0 && path(2) >= path(1));
    }

    #[test]
    fn direct_transfers_take_the_shortest_cycle_at_which_the_pins_latch() {
        let channel = || Channel::new(ddt(), 2, 1, errors("off")).unwrap();
        let far = |channel: &Channel| {
            channel.part_for(by(CopyPath::Dgcb)).unwrap().copies.unwrap().far.run_ns(1, 0)
        };
        let timing = channel().timing().unwrap();
        assert_eq!((timing.t_rc_ns, timing.t_rwc_ns(), timing.t_dl_ns), (25, 35, 18));
        let asked = channel().with_direct_cycle(25).unwrap();
        // 8640 bytes, and the paper's skew, which the pins do not meet.
        assert_eq!(far(&channel()) - far(&asked), 8640 * 10 - 2);
        let note = asked.note_on_direct_transfers().unwrap();
        assert!(
            note.contains("assumes pins that latch at 25 ns; those of ONFI mode 4 do not"),
            "{note}"
        );
        let note = channel().note_on_direct_transfers().unwrap();
        assert!(
            note.contains("at a cycle of 35 ns") && note.contains("25 ns are too short"),
            "{note}"
        );
        let wide = channel().with_direct_cycle(50).unwrap();
        assert_eq!((wide.timing().unwrap().t_rwc_ns(), wide.timing().unwrap().t_dl_ns), (50, 18));
        for (cycle, said) in [(24, "must be 25ns"), (100_001, "to 100us, not")] {
            let error = channel().with_direct_cycle(cycle).unwrap_err().to_string();
            assert!(error.contains(said), "{error}");
        }
        let slc = Channel::plain(parts::EVALUATION_SLC.clone()).unwrap();
        assert!(slc.note_on_direct_transfers().is_none());
        assert!(slc.with_direct_cycle(30).unwrap_err().to_string().contains("t_rwc: part"));
    }

    #[test]
    fn promises_count_with_what_the_ecc_corrects() {
        let most = |text| {
            let channel = Channel::new(ddt(), 2, 1, errors(text)).unwrap();
            channel.part_for(by(CopyPath::Dgcb)).unwrap().copies.unwrap().most_corrected_bytes
        };
        assert_eq!(most("off"), 0);
        assert_eq!(most("192"), 192);
        assert_eq!(most("wear:1,0,0"), 192);
        assert_eq!(most("wear:1,0,0+ecc=2"), 16);
    }

    #[test]
    fn what_cannot_be_is_refused_with_what_would_be_right() {
        let slc = || parts::EVALUATION_SLC.clone();
        let half = Part { t_wc_ns: 0, ..ddt() };
        for (found, said) in [
            (Channel::new(ddt(), 0, 1, errors("off")), "ways: must be 1 to 64, not 0"),
            (Channel::new(ddt(), 65, 1, errors("off")), "ways: must be 1 to 64, not 65"),
            (Channel::new(ddt(), 1, 5, errors("off")), "planes: must be 1 to 4, not 5"),
            (Channel::new(slc(), 2, 1, errors("off")), "ways: part `evaluation-slc` has no t_rc"),
            (Channel::new(slc(), 1, 2, errors("off")), "planes: part `evaluation-slc` has no"),
            (Channel::new(slc(), 1, 1, errors("3")), "`+ecc=BITS`"),
            (Channel::new(slc(), 1, 1, errors("9+ecc=4")), "corrects 8 per page"),
            (Channel::new(ddt(), 1, 1, errors("193")), "corrects 192 per page"),
            (Channel::plain(half), "has no t_wc_ns"),
        ] {
            let error = found.unwrap_err().to_string();
            assert!(error.contains(said), "{said}: {error}");
        }
        let one = Channel::plain(ddt()).unwrap();
        let fault = one.part_for(by(CopyPath::Dgcb)).unwrap_err();
        assert!(fault.setting == "copy" && fault.reason.contains("--ways 4"), "{fault:?}");
        let without = Channel::plain(slc()).unwrap();
        let fault = without.part_for(by(CopyPath::Icb)).unwrap_err();
        assert!(fault.setting == "copy" && fault.reason.contains("part.t_rc_ns=25ns"), "{fault:?}");
        let cache = CopyChoice { path: None, cache_program: Some(true) };
        assert_eq!(without.part_for(cache).unwrap_err().setting, "copy_cache");
    }
}
