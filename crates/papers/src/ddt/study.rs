//! Comparison of all copy methods on a part: times, throughput, channel use, whole collections.

use crate::ddt::alone::{CopyJob, CopyRunError, alone};
use crate::ddt::way::Way;
use bounds::copyback::{CopyPath, CopyTimings};
use flash::Ns;
use serde::Serialize;

/// Parameters of the comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Study {
    /// Times of the part and its waits.
    pub timings: CopyTimings,
    /// Copy methods to compare.
    pub ways: Vec<Way>,
    /// Pages per transaction to compare; each a multiple of every method's planes.
    pub pages: Vec<u32>,
    /// Valid pages per victim; a victim is one block on every plane.
    pub valid: u32,
}

/// Result of one copy method at one transaction size.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct StudyRow {
    /// Copy path.
    pub path: &'static str,
    /// True if programs use the cache register.
    pub cache_program: bool,
    /// Planes operated together.
    pub planes: u32,
    /// Bytes in error per page.
    pub corrected_bytes: u32,
    /// Pages per transaction.
    pub pages: u32,
    /// Duration of a transaction by the closed form, ns.
    pub transaction_ns: Ns,
    /// Duration of a transaction in the event-driven engine, on an otherwise idle channel, ns.
    pub engine_ns: Ns,
    /// Duration of a transaction divided by its pages, ns.
    pub ns_per_page: f64,
    /// User bytes copied per second.
    pub bytes_per_second: u64,
    /// Share of the transaction during which the channel is occupied.
    pub channel_use: f64,
    /// Duration of a collection: copies of all valid pages, then the erase, ns.
    pub collection_ns: Ns,
    /// Duration of a collection whose erase begins once the last page has left the source, ns.
    pub collection_early_erase_ns: Ns,
    /// Relative time saved against ICB's collection on the same planes with the same errors; negative if it takes
    /// longer.
    pub saving: f64,
    /// True if a program hides the next read, as the paper's equations assume.
    pub reads_hidden: bool,
}

/// Smallest transaction for which a copy method is faster than ICB.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Crossover {
    /// Name of the copy method.
    pub way: String,
    /// Planes operated together.
    pub planes: u32,
    /// Minimum pages per transaction; `None`: never faster.
    pub ahead_from_pages: Option<u32>,
}

impl Study {
    /// Compares every copy method at every transaction size.
    ///
    /// # Errors
    /// Parameters outside their ranges; a number of pages that is no multiple of the planes or exceeds the block.
    pub fn rows(&self) -> Result<Vec<StudyRow>, CopyRunError> {
        let all = self.ways.iter().flat_map(|way| self.pages.iter().map(|&pages| (*way, pages)));
        all.map(|(way, pages)| self.row(way, pages)).collect()
    }

    fn row(&self, way: Way, pages: u32) -> Result<StudyRow, CopyRunError> {
        let (t, valid) = (&self.timings, self.valid);
        let form = way.closed_form(t)?;
        let transaction_ns = form.transaction_ns(pages)?;
        let icb = Way { path: CopyPath::Icb, cache_program: false, ..way }.closed_form(t)?;
        let collection_ns = form.collection_ns(valid, pages)?;
        let base = icb.collection_ns(valid, pages)?;
        let operations = pages / way.planes;
        Ok(StudyRow {
            path: way.path.name(),
            cache_program: way.cache_program,
            planes: way.planes,
            corrected_bytes: way.corrected_bytes,
            pages,
            transaction_ns,
            engine_ns: alone(t, way, CopyJob::transaction(operations))?.copies_ns,
            ns_per_page: transaction_ns as f64 / f64::from(pages),
            bytes_per_second: form.bytes_per_second(pages)?,
            channel_use: form.channel_use(pages)?.as_f64(),
            collection_ns,
            collection_early_erase_ns: form.collection_early_erase_ns(valid, pages)?,
            saving: 1.0 - collection_ns as f64 / base as f64,
            reads_hidden: form.reads_hidden(),
        })
    }

    /// Returns, for each method between two devices, the transaction size from which it beats ICB on the same planes.
    ///
    /// # Errors
    /// Parameters outside their ranges.
    pub fn crossovers(&self) -> Result<Vec<Crossover>, CopyRunError> {
        let far = self.ways.iter().filter(|way| way.path.between_devices());
        far.map(|way| {
            let form = way.closed_form(&self.timings)?;
            let icb = Way { path: CopyPath::Icb, cache_program: false, ..*way };
            let ahead_from_pages = form.first_ahead_of(&icb.closed_form(&self.timings)?)?;
            Ok(Crossover { way: way.name(), planes: way.planes, ahead_from_pages })
        })
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ddt::copier::EraseAt;
    use crate::ddt::way::{Way, channels_timing};
    use bounds::copyback::Waits;
    use flash::channels::{Addressing, Timing};
    use flash::parts::DDT_MLC;

    fn study() -> CopyTimings {
        CopyTimings::of_part(&DDT_MLC, Waits::STUDY).unwrap()
    }

    #[test]
    fn the_engine_takes_what_the_closed_forms_say() {
        let t = study();
        for planes in [1, 2] {
            for (way, percent) in
                Way::all(planes).flat_map(|way| [0, 35, 100].map(|percent| (way, percent)))
            {
                let way = way.with_corrected_bytes(t.corrected_bytes_at(percent));
                let form = way.closed_form(&t).unwrap();
                for operations in 1..=128 {
                    let ran = alone(&t, way, CopyJob::transaction(operations)).unwrap();
                    let pages = operations * planes;
                    let what = format!("{} on {planes} planes, {operations}", way.name());
                    assert_eq!(Ok(ran.copies_ns), form.transaction_ns(pages), "{what}");
                    // t_ADL, and t_CCS beside data, hold the engine's bus; the closed forms count them as waits.
                    let data = form.channel_time(pages).unwrap().data_ns;
                    let moved = ran.bus.data_in_ns + ran.bus.data_out_ns;
                    let repairs = way.repair_ns(&t).unwrap() * u64::from(operations);
                    let again = u64::from(way.corrected_bytes * pages) * t.t_wc_ns;
                    let sent = if way.path.sends_corrections() { again } else { 0 };
                    assert_eq!(moved - repairs, data - sent, "{what}");
                    if way.corrected_bytes == 0 {
                        // In the engine, the source of a direct transfer reads on once its data are out. The closed
                        // form waits until t_WB after the confirm command.
                        let ahead = if way.path == CopyPath::Dgcb { t.waits.t_wb_ns } else { 0 };
                        let free = form.source_free_ns(pages).unwrap();
                        assert!((free - ahead..=free).contains(&ran.source_free_ns), "{what}");
                    }
                }
            }
        }
    }

    #[test]
    fn on_a_synchronous_bus_too() {
        // 8640 bytes take 25,946 (25,945.9…), 5,400 and 3,600 ns.
        for (bus_mts, data_ns) in [(333, 25_946), (1600, 5_400), (2400, 3_600)] {
            let part = flash::Part { bus_mts, t_rc_ns: 0, t_wc_ns: 0, ..DDT_MLC.clone() };
            let t = CopyTimings::of_part(&part, Waits::STUDY).unwrap();
            assert_eq!((t.data_out_ns(), t.data_in_ns()), (data_ns, data_ns));
            assert_eq!(Timing::of(&part).unwrap().t_do_ns(), data_ns);
            for planes in [1, 2, 4] {
                for way in Way::all(planes) {
                    if way.path == CopyPath::Dgcb {
                        assert!(way.closed_form(&t).is_err(), "not defined");
                        continue;
                    }
                    let form = way.closed_form(&t).unwrap();
                    for operations in [1, 2, 3, 17, 128] {
                        let ran = alone(&t, way, CopyJob::transaction(operations)).unwrap();
                        let pages = operations * planes;
                        assert_eq!(Ok(ran.copies_ns), form.transaction_ns(pages), "{}", way.name());
                        let data = form.channel_time(pages).unwrap().data_ns;
                        assert_eq!(ran.bus.data_in_ns + ran.bus.data_out_ns, data);
                    }
                }
            }
        }
    }

    #[test]
    fn whole_collections_too() {
        let t = study();
        for way in Way::all(1) {
            let form = way.closed_form(&t).unwrap();
            for (valid, each) in [(128, 128), (100, 8), (3, 8), (17, 1)] {
                let ran = alone(&t, way, CopyJob::whole(valid, each)).unwrap();
                assert_eq!(Ok(ran.end_ns), form.collection_ns(valid, each), "{}", way.name());
                let early =
                    CopyJob { erase: Some(EraseAt::SourceFree), ..CopyJob::whole(valid, each) };
                let early = alone(&t, way, early).unwrap().end_ns;
                let bound = form.collection_early_erase_ns(valid, each).unwrap();
                // The erase command shares the bus with the last load or its confirm command.
                let load = form.stages().t_sp_set_ns + form.stages().t_di_ns;
                assert!((bound..=bound + load).contains(&early), "{}: {early} {bound}", way.name());
            }
        }
        let nothing = alone(&t, Way::new(CopyPath::Gcb, true, 1), CopyJob::whole(0, 8)).unwrap();
        assert_eq!((nothing.copies_ns, nothing.end_ns), (0, 3_000_000 + 5 * 25 + 100));
    }

    #[test]
    fn program_init_beside_the_read() {
        let t = study();
        for cache in [false, true] {
            let way = Way::new(CopyPath::Dgcb, cache, 1);
            let at = |addressing| {
                let collection = CopyJob { addressing, ..CopyJob::transaction(8) };
                alone(&t, way, collection).unwrap().copies_ns
            };
            let gain = way.closed_form(&t).unwrap().early_prog_init_gain_ns();
            assert_eq!(at(Addressing::AfterRead) - at(Addressing::DuringRead), gain);
        }
    }

    #[test]
    fn rows_of_the_study() {
        let study = Study {
            timings: study(),
            ways: Way::all(1).collect(),
            pages: vec![1, 128],
            valid: 128,
        };
        let rows = study.rows().unwrap();
        assert_eq!(rows.len(), 14);
        assert!(rows.iter().all(|row| row.engine_ns == row.transaction_ns && row.reads_hidden));
        let gcb = rows.iter().find(|row| (row.path, row.pages) == ("gcb", 128)).unwrap();
        assert!((gcb.saving * 100.0 - 4.52).abs() < 0.01);
        let crossovers = study.crossovers().unwrap();
        let from: Vec<_> = crossovers.iter().map(|row| row.ahead_from_pages).collect();
        assert_eq!(from, [Some(4), Some(2), Some(2), Some(2)]);
        assert_eq!(channels_timing(&study.timings).t_dio_ns(), 216_020);
    }
}
