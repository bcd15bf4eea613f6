//! Upper bounds on the time to move pages, for every way of copying that the part has.
//!
//! On a part without [`Part::copies`] a page is moved by a read and a program.
//! Every bound here is then t_rd + t_wr per page.

use flash::{CopyTimes, Ns, Part};

/// Most pages that a page-mapped collector copies at once.
pub const RUN_PAGES: u32 = 32;

/// Upper bound on moving one page, by a copy or by a read and a program.
///
/// The second way applies to pages that are changed or assembled on the way.
pub fn move_ns(part: &Part) -> Ns {
    part.t_copy_ns().max(part.t_r_ns + part.t_prog_ns)
}

/// Upper bound on moving one page that is copied or, if a write buffer holds a newer version, programmed from
/// there.
pub fn copy_or_program_ns(part: &Part) -> Ns {
    part.t_copy_ns().max(part.t_prog_ns)
}

/// Upper bound on copying the `pages` valid pages of one victim.
///
/// The copies are made in runs of [`RUN_PAGES`]; the last run is shorter.
/// If the destination block becomes full within a run, the run continues in another block.
/// A victim has no more valid pages than a block holds, so this cuts at most one run.
///
/// The time of a run of n pages is convex in n.
/// It is the larger of two straight lines, for a destination on the same device and for one on another.
/// A run cut in two therefore takes longest if one part is a single page.
/// Copies also never take longer than the same number of copies of one page.
pub fn copies_ns(part: &Part, pages: u32) -> Ns {
    let (runs, rest) = (u64::from(pages / RUN_PAGES), u64::from(pages % RUN_PAGES));
    let run = |pages: u64| part.t_copies_ns(pages);
    let (whole, one) = (run(RUN_PAGES.into()), run(1));
    let cut = |pages: u64| if pages > 1 { run(pages - 1) + one } else { run(pages) };
    let last_cut = runs * whole + cut(rest);
    let other_cut = match runs {
        0 => 0,
        runs => (runs - 1) * whole + cut(RUN_PAGES.into()) + run(rest),
    };
    last_cut.max(other_cut).min(u64::from(pages) * one)
}

/// Most pages that can be copied within `limit_ns`, in runs of [`RUN_PAGES`] that all go to the same block.
///
/// That block is on another device if `far`, else on the same one.
pub fn copies_within(part: &Part, limit_ns: Ns, far: bool) -> u32 {
    let Some(copies) = &part.copies else { return pages(limit_ns.checked_div(part.t_copy_ns())) };
    let times = if far { &copies.far } else { &copies.near };
    let run = longest_ns(part, times, RUN_PAGES.into());
    let Some(runs) = limit_ns.checked_div(run) else { return u32::MAX };
    let rest = copies.pages_within(limit_ns - runs * run, far);
    pages(Some(runs)).saturating_mul(RUN_PAGES).saturating_add(rest)
}

/// Most pages that can be moved within `limit_ns`, each copied or programmed from a write buffer, in any
/// order.
///
/// If `far`, copies go to another device.
pub fn copies_or_programs_within(part: &Part, limit_ns: Ns, far: bool) -> u32 {
    let copy = match &part.copies {
        None => part.t_copy_ns(),
        Some(copies) => longest_ns(part, if far { &copies.far } else { &copies.near }, 1),
    };
    pages(limit_ns.checked_div(copy.max(part.t_prog_ns)))
}

fn longest_ns(part: &Part, times: &CopyTimes, pages: u64) -> Ns {
    let corrected = part.copies.map_or(0, |copies| copies.most_corrected_bytes);
    times.run_ns(pages, corrected.into())
}

/// A part whose times are 0 has no limit.
fn pages(count: Option<u64>) -> u32 {
    count.and_then(|count| u32::try_from(count).ok()).unwrap_or(u32::MAX)
}

/// e_G = λ(t_rd + t_wr) + t_er: collection of one whole victim of λ valid pages (Eq. 6).
///
/// If the part has other ways of copying, at most λ copies ([`copies_ns`]) and the erase.
pub fn collection_ns(part: &Part, victim_valid: u32) -> Ns {
    copies_ns(part, victim_valid) + part.t_bers_ns
}

#[cfg(test)]
mod tests {
    use super::*;
    use flash::parts::EVALUATION_SLC;
    use flash::{Copies, CopyPath};
    use proptest::prelude::*;

    fn times(path: CopyPath, [fetch_ns, load_ns, prog_ns, repair_ns]: [Ns; 4]) -> CopyTimes {
        CopyTimes { path, cache_program: true, fetch_ns, load_ns, prog_ns, repair_ns }
    }

    /// Time of a victim's copies: the first `first` fit into the open block, the others go to another block.
    fn in_runs(copies: &Copies, pages: u32, first: u32, far: [bool; 2]) -> Ns {
        let mut total = 0;
        let mut at = 0;
        while at < pages {
            let end = (at + RUN_PAGES).min(pages);
            for (far, from, to) in
                [(far[0], at.min(first), end.min(first)), (far[1], at.max(first), end.max(first))]
            {
                let by = if far { &copies.far } else { &copies.near };
                total += by.run_ns((to - from).into(), copies.most_corrected_bytes.into());
            }
            at = end;
        }
        total
    }

    proptest! {
        #[test]
        fn no_way_to_make_the_copies_takes_longer(
            near in [1..900u64, 1..900u64, 1..900u64, 0..3u64],
            far in [1..900u64, 1..900u64, 1..900u64, 0..3u64],
            between: bool,
            most_corrected_bytes in 0..9u32,
            pages in 0..200u32,
            first in 0..200u32,
            apart: [bool; 2],
        ) {
            let far_path = if between { CopyPath::Dgcb } else { CopyPath::Gcb };
            let far = CopyTimes { cache_program: between, ..times(far_path, far) };
            let near = times(CopyPath::Lcb, near);
            let copies = Copies { ways: 2, near, far, most_corrected_bytes };
            let part = Part { copies: Some(copies), ..EVALUATION_SLC.clone() };
            let bound = copies_ns(&part, pages);
            prop_assert!(in_runs(&copies, pages, first, apart) <= bound);
            prop_assert!(bound <= u64::from(pages) * part.t_copy_ns());
            for far in [false, true] {
                let takes = |pages| in_runs(&copies, pages, pages, [far; 2]);
                let limit = takes(pages);
                prop_assert_eq!(copies_within(&part, limit, far), pages);
                if pages > 0 {
                    prop_assert_eq!(copies_within(&part, limit - 1, far), pages - 1);
                }
                prop_assert!(copies_or_programs_within(&part, limit, far) <= pages);
            }
        }
    }

    #[test]
    fn without_ways_of_copying_each_page_is_a_read_and_a_program() {
        let part = &EVALUATION_SLC;
        assert_eq!((move_ns(part), copy_or_program_ns(part)), (249_900, 249_900));
        assert_eq!(copies_ns(part, 63), 63 * 249_900);
        for far in [false, true] {
            assert_eq!(copies_within(part, part.t_bers_ns, far), 8);
            assert_eq!(copies_or_programs_within(part, part.t_bers_ns, far), 8);
        }
    }
}
