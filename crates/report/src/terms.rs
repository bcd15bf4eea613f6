//! The words of the reports.

/// Words and their meanings, in the order in which a reader meets them.
pub const TERMS: &[(&str, &str)] = &[
    (
        "page, block",
        "Flash is read and programmed by pages and erased by blocks of π pages. A page is programmed once per erase.",
    ),
    (
        "LPN, PPN",
        "Logical page number, which the host uses; physical page number, where the page is. The map leads from one to the other.",
    ),
    ("page task", "One page of a host request. A request of n pages is n page tasks."),
    (
        "logical share (σ)",
        "Logical pages that a scheme exports, of all physical pages. The rest is over-provisioning: share 0.875 is 14.3 % of the exported space.",
    ),
    (
        "precondition",
        "What is written before measuring: `full`, all logical pages in order; `age=1`, as much again at random; `footprint`, the workload's pages only.",
    ),
    (
        "collection, victim",
        "Making room: the valid pages of a full block, the victim, are copied elsewhere, and it is erased.",
    ),
    (
        "valid pages",
        "Pages of a block that hold the newest version of an LPN. The fewer a victim has, the cheaper its collection.",
    ),
    ("WAF", "Write amplification: pages programmed per page that the host wrote."),
    (
        "above oracle",
        "Gap to the optimum: by how much WAF is above that of `placement=oracle`, which knows when each page becomes invalid; \
         shown where one is among the schemes.",
    ),
    (
        "settled, fills",
        "Whether WAF was steady: five rounds, each a tenth of the exported space, within 20 % (SNIA PTS); and from which \
         multiple of the exported space on.",
    ),
    (
        "behind the warm-up",
        "Mean WAF after the part of the run that MSER-5 (White 1997) cuts as its warm-up; ±: 95 % confidence interval by 20 batch \
         means within the run. `warm-up`: that part, in per cent of the host's writes.",
    ),
    (
        "device busy",
        "Share of time in which the flash works; on an SSD the mean of its dies or of its channels, whichever is greater.",
    ),
    (
        "page written in part",
        "Page of which a request writes some bytes. It is read first, so that the others are kept: two page tasks.",
    ),
    (
        "switch, partial, full merge",
        "How block- and log-mapped schemes collect: without copies; with the rest of one block; from several blocks.",
    ),
    ("response", "Time of a page task and of the collection behind it, without queueing."),
    (
        "completion",
        "Time from arrival, or from issue if the host keeps requests outstanding, to the end: with queueing.",
    ),
    ("mean without collection", "Mean time of page tasks alone."),
    ("longest collection pause", "The longest part of a response that was collection."),
    ("p99.9", "999 of 1000 took no longer. It needs some thousands of samples."),
    (
        "bound",
        "The longest response that a scheme permits, computed before the run from the part's times (`ftlkit bounds`).",
    ),
    (
        "real-time (one step)",
        "A bound by which a page task waits for one step of collection at most, such as a copy or an erase.",
    ),
    (
        "whole-victim worst case",
        "A bound by which a page task may wait for whole victims, folds or merges.",
    ),
    (
        "bound kept, exceeded",
        "No page task took longer than its bound; or one did, with the command that repeats it.",
    ),
    (
        "entries touched per victim choice",
        "Table entries that a controller reads and writes to choose a victim, upkeep included.",
    ),
    (
        "wear σ/mean, max/mean",
        "Standard deviation and maximum of the erases per block, over their mean. 0 and 1: even wear.",
    ),
    ("RAM", "The scheme's tables in a controller: map, blocks, victims, buffer."),
    (
        "CMT",
        "Cached mapping table: the part of the map that is in RAM, if the map is on flash (`dftl`, `lazy-rtgc-on-demand`).",
    ),
    ("OOB", "Spare area of a page. It holds the LPN, by which a mount rebuilds the map."),
    ("tR, tPROG, tBERS", "Times of a page read, a page program and a block erase (ONFI)."),
    (
        "U(R), U(λ), U(σ)",
        "Bounds of Lazy-RTGC: of the response, of a victim's valid pages, of the logical share that permits them.",
    ),
    (
        "die, channel, way, plane",
        "A die works on one operation at a time, on one of its planes or on several at once. The dies of a channel share its bus; ways are the dies side by side.",
    ),
    ("frontier", "Block that is being written; on an SSD one for each die."),
    (
        "stream, handle",
        "A number that the host names with a write, and the set of open blocks that such writes go to (NVMe: placement handle).",
    ),
    (
        "reclaim unit, reclaim group",
        "With FDP: blocks that are written, collected and erased as one; and a share of the dies that collects by itself.",
    ),
    (
        "displaced",
        "Written to a block of another handle or reclaim group, because too few blocks were free or the group was full.",
    ),
];
