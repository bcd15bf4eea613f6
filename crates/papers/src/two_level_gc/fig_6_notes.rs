//! Notes on Fig. 6.

use super::fig_6_board::{GREEDY, LISTS, ROOMY, SEARCH, SEARCH_OF_ONE, WORKLOADS};
use super::fig_6_rows::{Listed, Of, at_once, each, host_pages, longest_request, median, p99_9};
use crate::runs::Ran;
use crate::settings::Scale;

pub(super) fn notes(scale: Scale, ran: &[Ran], of_lists: &[Ran]) -> Vec<String> {
    let (capacity, _) = WORKLOADS[0].size(scale);
    let (roomy_capacity, roomy_requests) = ROOMY.size(scale);
    let requests = WORKLOADS.map(|workload| workload.size(scale).1.to_string()).join(", ");
    let blocks = ran.first().map_or(0, |ran| ran.resolved.geometry.blocks());
    let over = |of: Of, over: &str, under: &str| each(ran, of, over, under);
    vec![
        format!(
            "8 channels × 2 ways of clustered pages of 32 KiB, {} ({blocks} blocks; the paper: 64 GB, 16384), SATA2, 32 requests of \
             32 KiB outstanding, ARM7TDMI-S at 87.5 MHz; {requests} requests of workloads 1 to 4",
            capacity,
        ),
        format!(
            "assumed, as the paper does not say: a queue depth of 32 (the most of SATA2); 93 % of the flash is exported; what was \
             written before (all of it once in order, then as much again, each of these writes being by a draw either the next in \
             order or a random one, half and half); the part's tR of 250 µs and tPROG of 1300 µs include the transfer of 35,328 \
             bytes at 5 ns, so that cells take about 73 µs to read (75 µs in the authors' study of copy-back); K \
                 = {:.0} victims per search; how long it measured",
            at_once(),
        ),
        "copies: in Fig. 3(a) victims are copied into a block of their own, in Fig. 3(b) into one that the host goes on to write \
         from its curPage. So the search has blocks of its own for copies (`frontiers=split`) and 2LGC has not (`shared`); the \
         rows have the ratio with each division in both"
            .into(),
        "in order: the array was overwritten in order, once as a whole, and reads and writes each go on behind their last. At \
         one position: behind the last of either, as a single worker of IOMeter, so that each pass leaves what it reads"
            .into(),
        of_victims(ran),
        "stall: the longest time between two completions while requests are outstanding. With 32 of them others hide how long \
         one waits: the row of the longest request tells that"
            .into(),
        format!(
            "2LGC spreads collection over all requests. In workloads 1 to 4 its median request takes {} times that of the \
             search; at p99.9 it takes {} times, and its longest request {} times, what greedy in O(1) on demand does",
            over(median, LISTS, SEARCH),
            over(p99_9, LISTS, GREEDY),
            over(longest_request, LISTS, GREEDY),
        ),
        format!(
            "greedy in O(1) on demand collects one victim at once, which keeps one die busy while the others wait, and the search \
             {:.0}. In workloads 1 to 4 a search of {:.0} has {} times the host pages per second of a search of one, and 2LGC {} \
             times those of greedy on demand: a part of the latter is the number of victims \
             at once, not how they are found",
            at_once(),
            at_once(),
            over(host_pages, SEARCH, SEARCH_OF_ONE),
            over(host_pages, LISTS, GREEDY),
        ),
        format!(
            "60 % exported: not of the paper; the same board with {}, {} requests, 80 % writes, all sequential, and as many \
             overwrites before, all in order. {}",
            roomy_capacity,
            roomy_requests,
            of_victims(of_lists),
        ),
        "a list gives the block that passed the threshold first, not that with fewest valid pages: where it acts, write \
         amplification is to be looked at beside the entries"
            .into(),
        "a page command is a read or a program of a page, for the host or for collection: a scheme that copies more has more \
         of them for the same work of the host, so that host pages per second are judged too"
            .into(),
        "the paper prints Fig. 6 without numbers and says \"superior\": the limits are those of its words, the stall's and the \
         longest request's are what would follow from one victim in place of K at a time"
            .into(),
    ]
}

/// Note on the share of victims that came from the lists, by the runs' counters.
fn of_victims(ran: &[Ran]) -> String {
    let of: Vec<Listed> = ran.iter().filter_map(Listed::of).collect();
    let victims: u64 = of.iter().map(|of| of.victims).sum();
    let searched: u64 = of.iter().map(|of| of.searched).sum();
    match (victims, searched) {
        (0, _) => "no victim of 2LGC was taken, or it was not run".into(),
        (victims, searched) if victims == searched => format!(
            "none of 2LGC's {victims} victims was on a list: no block comes to 3/4 invalid pages, and each victim is found by \
             one linear search for the fewest valid pages. So the rows compare one pass over N entries with a quicksort of \
             them, and one victim page by page between requests with K in one go; not the lists with anything"
        ),
        (victims, searched) => format!(
            "{} of 2LGC's {victims} victims were on its lists; {searched} were found by a search of all blocks",
            victims - searched
        ),
    }
}
