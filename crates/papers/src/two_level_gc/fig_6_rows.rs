//! Rows of Fig. 6: the paper's claims, and comparisons that the paper does not make.

use super::fig_6_board::{
    GREEDY, IN_ORDER, LISTS, LISTS_SPLIT, PREEMPTIVE, SCHEMES, SEARCH, SEARCH_OF_ONE,
    SEARCH_SHARED, WORKLOADS,
};
use crate::figure::Figure;
use crate::row::{Limit, Row};
use crate::runs::Ran;
use crate::verdict::{Reason, Verdict};
use ftl::VictimKind;
use lab::report::{SchemeReport, Summary};

/// Quantity taken from a scheme's report.
pub(super) type Of = fn(&SchemeReport) -> Option<f64>;

/// Victims per search (K).
pub(super) fn at_once() -> f64 {
    let search = VictimKind::greedy_scan(ftl::victims::GreedyScan::AT_ONCE);
    f64::from(search.victims_at_once())
}

pub(super) fn mean(scheme: &SchemeReport) -> Option<f64> {
    scheme.ssd.as_ref().map(|ssd| ssd.page_commands_per_second)
}

pub(super) fn least(scheme: &SchemeReport) -> Option<f64> {
    scheme.ssd.as_ref().map(|ssd| ssd.window_least_per_second)
}

pub(super) fn host_pages(scheme: &SchemeReport) -> Option<f64> {
    scheme.ssd.as_ref().map(|ssd| ssd.host_pages_per_second)
}

pub(super) fn stall(scheme: &SchemeReport) -> Option<f64> {
    scheme.ssd.as_ref().map(|ssd| ssd.longest_stall_ns as f64)
}

pub(super) fn median(scheme: &SchemeReport) -> Option<f64> {
    requests(scheme).p50.map(|ns| ns as f64)
}

pub(super) fn p99_9(scheme: &SchemeReport) -> Option<f64> {
    requests(scheme).p99_9.map(|ns| ns as f64)
}

pub(super) fn longest_request(scheme: &SchemeReport) -> Option<f64> {
    Some(requests(scheme).max as f64)
}

/// Reason why a ratio is missing, and a text to show instead.
struct NoRatio {
    ours: Option<Figure>,
    why: String,
}

/// Value of the scheme `over` divided by that of the scheme `under`.
fn ratio(ran: &Ran, of: Of, over: &str, under: &str) -> Result<f64, NoRatio> {
    let value = |label: &str| {
        let why = || ran.why_not(label).unwrap_or("no such figure in this run").to_owned();
        let found = ran.scheme(label).and_then(of);
        found.ok_or_else(|| NoRatio { ours: None, why: format!("{label}: {}", why()) })
    };
    match (value(over)?, value(under)?) {
        (over, 0.0) => Err(NoRatio {
            ours: Some(Figure::Words(format!("{over:.0} / 0"))),
            why: format!("{under} has none, so that there is no ratio"),
        }),
        (over, under) => Ok(over / under),
    }
}

/// Ratios of all runs, as text for a note.
pub(super) fn each(ran: &[Ran], of: Of, over: &str, under: &str) -> String {
    let told = |ran: &Ran| match ratio(ran, of, over, under) {
        Ok(ratio) => format!("{ratio:.2}"),
        Err(_) => "no ratio".into(),
    };
    ran.iter().map(told).collect::<Vec<_>>().join(", ")
}

/// Evidence row of a ratio without a printed limit.
fn compared(ran: &Ran, what: &str, of: Of, over: &str, under: &str) -> Row {
    let what = format!("{}: {what}", ran.name);
    match ratio(ran, of, over, under) {
        Ok(ratio) => Row::evidence(&what, "×", ratio, 2),
        Err(NoRatio { ours, why }) => {
            Row::incomparable(&what, "×", None, ours, Reason::MissingDetail(why.clone()))
        }
    }
}

/// Claim of a ratio above 1.
struct Claim {
    what: &'static str,
    of: Of,
    /// True if the figure is a delay: the search's is divided by that of 2LGC.
    delay: bool,
    /// False for what follows from the paper and is not in it.
    printed: bool,
}

/// The paper's claims on rates and delays, and what follows from them.
const CLAIMS: [Claim; 5] = [
    Claim {
        what: "page commands per second, 2LGC / search, mean",
        of: mean,
        delay: false,
        printed: true,
    },
    Claim { what: "the same of the window with fewest", of: least, delay: false, printed: true },
    Claim {
        what: "host pages per second, 2LGC / search",
        of: host_pages,
        delay: false,
        printed: false,
    },
    Claim {
        what: "longest gap between completions (stall), search / 2LGC",
        of: stall,
        delay: true,
        printed: true,
    },
    Claim {
        what: "longest request, search / 2LGC",
        of: longest_request,
        delay: true,
        printed: false,
    },
];

impl Claim {
    fn ratio(&self, ran: &Ran, lists: &str, search: &str) -> Result<f64, NoRatio> {
        let [over, under] = if self.delay { [search, lists] } else { [lists, search] };
        ratio(ran, self.of, over, under)
    }

    /// The row on an array aged as §5.1 says.
    fn counted(&self, ran: &Ran) -> Row {
        if self.printed { self.row(ran) } else { self.row(ran).as_evidence() }
    }

    fn row(&self, ran: &Ran) -> Row {
        let what = format!("{}: {}", ran.name, self.what);
        match self.ratio(ran, LISTS, SEARCH) {
            Ok(ratio) => {
                let alike = [(LISTS_SPLIT, SEARCH), (LISTS, SEARCH_SHARED)]
                    .map(|(lists, search)| self.ratio(ran, lists, search).ok());
                let [split, shared] = alike.map(|ratio| {
                    ratio.map_or_else(|| "no ratio".into(), |ratio| format!("{ratio:.2}"))
                });
                let one = self.ratio(ran, LISTS, SEARCH_OF_ONE).ok();
                let one = one.map_or_else(|| "no ratio".into(), |ratio| format!("{ratio:.2}"));
                let of_lists = Listed::of(ran).map_or(0.0, |of| of.share() * 100.0);
                let others = format!(
                    "K = {:.0} victims per search, collection exclusive, {of_lists:.0} % of 2LGC's victims from its lists; \
                     against a search of one {one}; copies in blocks of their own in both: {split}; in the host's in both: {shared}",
                    at_once(),
                );
                let row = Row::limit(&what, "×", Limit::Above(1.0), ratio);
                // The claim is of the lists: it must hold with each division of blocks.
                match alike.into_iter().flatten().all(|ratio| ratio > 1.0) {
                    true => row.noting(&others),
                    false => row.judged(Verdict::Differs),
                }
                .because(Reason::Reading(format!(
                    "Fig. 3 gives the search blocks of its own for copies, and 2LGC the host's. {others}"
                )))
            }
            Err(NoRatio { ours, why }) => {
                let cause = Reason::MissingDetail(why);
                Row::incomparable(&what, "×", Some("> 1"), ours, cause)
            }
        }
    }
}

/// Rows of the paper's claims against the search: page commands, least window and stall are of the first screen.
pub(super) fn claims(ran: &Ran) -> Vec<Row> {
    let (letter, words) = match WORKLOADS.iter().position(|workload| workload.name == ran.name) {
        Some(at) => (["a", "b", "c", "d"][at], WORKLOADS[at].words),
        None => ("", ""),
    };
    let headline = |(at, row): (usize, Row)| match at {
        0 => row.headline(
            &format!("Fig. 6({letter})"),
            &format!("{words}: mean page commands per second, 2LGC / search"),
        ),
        1 => row.headline("§5.2", &format!("{words}: the same in the window with fewest")),
        3 => row.headline("§5.2", &format!("{words}: peak delay (longest stall), search / 2LGC")),
        _ => row,
    };
    let mut rows: Vec<Row> =
        CLAIMS.iter().map(|claim| claim.counted(ran)).enumerate().map(headline).collect();
    rows.push(match letter {
        "d" => {
            listed_row(ran).headline("§5.2", &format!("{words}: victims that were on the lists"))
        }
        _ => listed_row(ran),
    });
    rows.push(compared(ran, "median request, 2LGC / search", median, LISTS, SEARCH));
    rows
}

/// The same rows of a workload in a state that is written in order; the first two are of the first screen.
pub(super) fn claims_in_order(ran: &Ran) -> Vec<Row> {
    let of = IN_ORDER.iter().find(|workload| workload.name == ran.name);
    let words = of.map_or("", |workload| workload.words);
    let first = ran.name.ends_with("in order");
    let mut rows: Vec<Row> = CLAIMS.iter().map(|claim| claim.row(ran).as_evidence()).collect();
    if let Some(row) = rows.first_mut().filter(|_| first) {
        *row = row.clone().headline(
            "Fig. 6(b), (d)",
            &format!("{words}, state written in order: mean page commands, 2LGC / search"),
        );
    }
    let listed = listed_row(ran);
    rows.push(match ran.name.starts_with("workload 4 in order") {
        true => listed.headline(
            "§5.2",
            &format!("{words}, state written in order: victims that were on the lists"),
        ),
        false => listed,
    });
    rows
}

/// Row of the share of 2LGC's victims that were on its lists.
fn listed_row(ran: &Ran) -> Row {
    let what = format!("{}: victims of 2LGC that were on its lists", ran.name);
    match Listed::of(ran) {
        Some(listed) => Row::evidence(&what, "%", listed.share() * 100.0, 2)
            .noting(&from_lists(ran).unwrap_or_default()),
        None => Row::missing(&what, "%", None, ran.why_not(LISTS).unwrap_or("no victim")),
    }
}

/// Origin of 2LGC's victims, by its counters.
pub(super) struct Listed {
    pub(super) victims: u64,
    pub(super) searched: u64,
}

impl Listed {
    /// Counts the searched victims of 2LGC. A victim from a list reads one entry, a search reads all N, and both
    /// write one.
    pub(super) fn of(ran: &Ran) -> Option<Self> {
        Self::of_scheme(ran, LISTS)
    }

    /// The same of the scheme with this label.
    pub(super) fn of_scheme(ran: &Ran, label: &str) -> Option<Self> {
        let work = ran.scheme(label)?.victim_work.as_ref()?;
        let blocks = u64::from(ran.resolved.geometry.blocks());
        let victims = work.chosen.writes;
        let more = work.chosen.reads.saturating_sub(victims);
        if victims == 0 {
            return None;
        }
        Some(Self { victims, searched: more / blocks.saturating_sub(1).max(1) })
    }

    /// Share of victims from the lists.
    pub(super) fn share(&self) -> f64 {
        1.0 - self.searched as f64 / self.victims.max(1) as f64
    }
}

/// Origin of the victims and entries per victim, by the run's counters.
fn from_lists(ran: &Ran) -> Option<String> {
    let Listed { victims, searched } = Listed::of(ran)?;
    let entries = |label: &str| {
        let work = ran.scheme(label)?.victim_work.as_ref()?;
        Some(format!("{label} {:.0}", work.entries_per_victim?))
    };
    let entries: Vec<String> = [SEARCH, LISTS, GREEDY].into_iter().filter_map(entries).collect();
    Some(format!(
        "{searched} of 2LGC's {victims} victims were found by a search of all {} blocks, {} were on its lists; entries \
        per victim: {}",
        ran.resolved.geometry.blocks(),
        victims.saturating_sub(searched),
        entries.join(", "),
    ))
}

/// Rows of 2LGC's lists against greedy in O(1), which the paper does not compare.
pub(super) fn against_greedy(ran: &Ran) -> Vec<Row> {
    let figures: [(&str, Of); 5] = [
        ("page commands, mean", mean),
        ("host pages", host_pages),
        ("request, p99.9", p99_9),
        ("request, longest", longest_request),
        ("longest stall", stall),
    ];
    let mut rows = Vec::new();
    for (other, label) in [("on demand", GREEDY), ("pre-emptive", PREEMPTIVE)] {
        for (what, of) in figures {
            let what = format!("2LGC / greedy in O(1) {other}, {what}");
            rows.push(compared(ran, &what, of, LISTS, label));
        }
    }
    rows
}

/// Rows that separate the effect of collecting several victims at once from that of the search.
pub(super) fn victims_at_once(ran: &Ran) -> Vec<Row> {
    let row = |what: &str, over, under| compared(ran, what, host_pages, over, under);
    vec![
        row("search of K victims / of one, host pages", SEARCH, SEARCH_OF_ONE)
            .noting("K are found by one search and collected side by side on several dies"),
        row("search of one / greedy in O(1) on demand, host pages", SEARCH_OF_ONE, GREEDY)
            .noting("one victim at once each: what the search itself takes"),
    ]
}

/// Rows of the workload whose blocks reach 3/4 invalid pages.
pub(super) fn where_lists_act(ran: &Ran) -> Vec<Row> {
    let mut rows = vec![listed_row(ran)];
    for (other, label) in [
        ("search", SEARCH),
        ("greedy in O(1) on demand", GREEDY),
        ("greedy in O(1) pre-emptive", PREEMPTIVE),
    ] {
        let figures: [(&str, Of); 3] = [
            ("write amplification", |s| s.waf),
            ("host pages", host_pages),
            ("request, p99.9", p99_9),
        ];
        for (what, of) in figures {
            rows.push(compared(ran, &format!("2LGC / {other}, {what}"), of, LISTS, label));
        }
    }
    let told = ["host pages", "request, p99.9", "entries per victim", "write amplification"];
    rows.extend(rows_of(ran, &told));
    rows
}

type RowSpec = (&'static str, &'static str, usize, Of);

fn ms(ns: Option<u64>) -> Option<f64> {
    ns.map(|ns| ns as f64 / 1e6)
}

fn requests(scheme: &SchemeReport) -> &Summary {
    &scheme.request_completion_ns
}

/// Quantities per scheme: name, unit, decimals, value.
pub(super) const TOLD: [RowSpec; 14] = [
    ("page commands, mean", "/s", 0, mean),
    ("page commands, least of a window", "/s", 0, least),
    ("host pages", "/s", 0, host_pages),
    ("request, median", "ms", 2, |s| ms(requests(s).p50)),
    ("request, p99", "ms", 2, |s| ms(requests(s).p99)),
    ("request, p99.9", "ms", 2, |s| ms(requests(s).p99_9)),
    ("request, longest", "ms", 2, |s| Some(requests(s).max as f64 / 1e6)),
    ("longest stall", "ms", 2, |s| ms(Some(s.ssd.as_ref()?.longest_stall_ns))),
    ("longest collection", "ms", 2, |s| ms(Some(s.ssd.as_ref()?.longest_collection_ns))),
    ("longest processor time", "ms", 3, |s| ms(Some(s.ssd.as_ref()?.longest_processor_ns))),
    ("processor", "%", 1, |s| Some(s.ssd.as_ref()?.processor_share * 100.0)),
    ("link", "%", 1, |s| Some(s.ssd.as_ref()?.link_use? * 100.0)),
    ("entries per victim", "", 1, |s| s.victim_work.as_ref()?.entries_per_victim),
    ("write amplification", "", 3, |s| s.waf),
];

/// Quantities shown in rows; the CSV file has the others too.
const IN_ROWS: [&str; 9] = [
    "page commands, mean",
    "page commands, least of a window",
    "host pages",
    "request, median",
    "request, p99",
    "request, p99.9",
    "request, longest",
    "longest stall",
    "longest processor time",
];

pub(super) fn figures(ran: &Ran) -> Vec<Row> {
    rows_of(ran, &IN_ROWS)
}

fn rows_of(ran: &Ran, names: &[&str]) -> Vec<Row> {
    let mut rows = Vec::new();
    for (what, unit, decimals, of) in TOLD.iter().filter(|told| names.contains(&told.0)) {
        for (label, _) in SCHEMES {
            let what = format!("{}, {what}: {label}", ran.name);
            rows.push(match ran.scheme(label).and_then(of) {
                Some(value) => Row::evidence(&what, unit, value, *decimals),
                None => {
                    let why = ran.why_not(label).unwrap_or("no such figure in this run");
                    Row::missing(&what, unit, None, why)
                }
            });
        }
    }
    rows
}
