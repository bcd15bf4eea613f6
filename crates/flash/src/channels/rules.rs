//! Rules for requests.

use super::request::{Command, Last, PageAddress, Pages, Request};
use super::topology::{DieAddress, Topology};
use crate::time::Ns;

/// Reason why a request is refused. A refusal leaves the state unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RequestError {
    /// There is no such die.
    #[error(
        "channel {} way {} die {} is beyond the {} channels of {} ways of {} dies",
        die.channel, die.way, die.die, topology.channels, topology.ways, topology.dies
    )]
    NoSuchDie {
        /// The requested die.
        die: DieAddress,
        /// Topology of the channels.
        topology: Topology,
    },
    /// There is no such page.
    #[error(
        "block {} page {} is beyond the die's {blocks} blocks of {pages} pages",
        address.block, address.page
    )]
    NoSuchPage {
        /// The requested page.
        address: PageAddress,
        /// Blocks per die.
        blocks: u32,
        /// Pages per block.
        pages: u32,
    },
    /// Two pages of one plane in one operation.
    #[error(
        "blocks {first} and {second} are both on plane {plane}: a multi-plane operation takes one block of a plane"
    )]
    SamePlane {
        /// A block.
        first: u32,
        /// Another block of the same plane.
        second: u32,
        /// That plane.
        plane: u16,
    },
    /// Different pages of their blocks in one operation.
    #[error(
        "pages {first} and {second} in one multi-plane operation: the page within the block must be the same on every plane"
    )]
    DifferentPages {
        /// The first plane's page.
        first: u32,
        /// The page of another plane.
        second: u32,
    },
    /// Blocks at different places of their planes, on a part that requires the same place.
    #[error(
        "blocks {first} and {second} in one multi-plane operation: this part takes only blocks at the same place of their planes ({} and {})",
        first / u32::from(*planes), second / u32::from(*planes)
    )]
    UnpairedBlocks {
        /// The first plane's block.
        first: u32,
        /// The block of another plane.
        second: u32,
        /// Planes per die.
        planes: u16,
    },
    /// A cache read has started the next page, but another request follows.
    #[error(
        "{} of block {} page {} follows a cache read of block {} page {}: the next request of the die must read the page after it, on the same planes",
        command.name(), found.block, found.page, before.block, before.page
    )]
    BrokenCacheRead {
        /// The command of the request that follows.
        command: Command,
        /// Its first page.
        found: PageAddress,
        /// The first page of the cache read.
        before: PageAddress,
    },
    /// A cache read of the last page of a block: there is no next page.
    #[error(
        "a cache read of page {page}, the last of block {block}, has no page to read next: end the run with a read"
    )]
    CacheReadBeyondBlock {
        /// The block.
        block: u32,
        /// Its last page.
        page: u32,
    },
    /// A copy-back program, but no read has filled the registers of its planes.
    #[error(
        "a copy-program of block {} page {} must be the next request of its die after the read that fills the registers, on the same planes in the same order",
        .0.block, .0.page
    )]
    EmptyRegister(PageAddress),
    /// The request arrives before the current time of the channels.
    #[error(
        "a request that arrives at {arrival_ns} ns is too late: the channels have run to {now_ns} ns"
    )]
    Late {
        /// Arrival time of the request.
        arrival_ns: Ns,
        /// Current time of the channels: grants up to here are fixed.
        now_ns: Ns,
    },
    /// A time that would overflow.
    #[error("{field} must be at most {most} ns, not {found}")]
    Time {
        /// Name of the field.
        field: &'static str,
        /// Largest value.
        most: Ns,
        /// Value of the field.
        found: Ns,
    },
    /// Corrected bytes for an operation that is not a copy.
    #[error(
        "repair_ns is for a copy-program or the program of a direct transfer, not for a {}: it must be 0", .0.name()
    )]
    Repair(Command),
    /// An invalid direct transfer.
    #[error("a direct transfer {0}")]
    Direct(&'static str),
}

/// Latest arrival, ns: 146 years. Sums of it and operation times stay far from overflow.
pub(super) const LATEST: Ns = 1 << 62;
/// Longest repair time, ns: one hour.
const LONGEST_REPAIR: Ns = 3_600_000_000_000;

/// Checks a request by itself, against the topology.
#[inline]
pub(super) fn check(
    request: &Request,
    topology: &Topology,
    now_ns: Ns,
    repairs: bool,
) -> Result<(), RequestError> {
    // Nearly all requests are of one page and obey all rules: one branch for them.
    let first = &request.pages.as_slice()[0];
    let is_plain = topology.has(request.die)
        & (now_ns <= request.arrival_ns)
        & (request.arrival_ns <= LATEST)
        & (request.repair_ns == 0)
        & (request.pages.planes() == 1)
        & (request.command != Command::CacheRead)
        & (first.block < topology.blocks_per_die())
        & (first.page < topology.pages_per_block);
    if is_plain { Ok(()) } else { check_all(request, topology, now_ns, repairs) }
}

#[cold]
fn check_all(
    request: &Request,
    topology: &Topology,
    now_ns: Ns,
    repairs: bool,
) -> Result<(), RequestError> {
    if !topology.has(request.die) {
        return Err(RequestError::NoSuchDie { die: request.die, topology: *topology });
    }
    if request.arrival_ns < now_ns {
        return Err(RequestError::Late { arrival_ns: request.arrival_ns, now_ns });
    }
    if request.arrival_ns > LATEST {
        let (most, found) = (LATEST, request.arrival_ns);
        return Err(RequestError::Time { field: "arrival_ns", most, found });
    }
    if request.repair_ns > LONGEST_REPAIR {
        let (most, found) = (LONGEST_REPAIR, request.repair_ns);
        return Err(RequestError::Time { field: "repair_ns", most, found });
    }
    if request.repair_ns != 0 && !repairs {
        return Err(RequestError::Repair(request.command));
    }
    check_pages(request.command, &request.pages, topology)
}

fn check_pages(command: Command, pages: &Pages, topology: &Topology) -> Result<(), RequestError> {
    let (blocks, most) = (topology.blocks_per_die(), topology.pages_per_block);
    let erase = command == Command::Erase;
    let pages = pages.as_slice();
    for address in pages {
        if address.block >= blocks || !erase && address.page >= most {
            return Err(RequestError::NoSuchPage { address: *address, blocks, pages: most });
        }
    }
    let first = pages[0];
    if command == Command::CacheRead && first.page + 1 == most {
        return Err(RequestError::CacheReadBeyondBlock { block: first.block, page: first.page });
    }
    for (at, address) in pages.iter().enumerate().skip(1) {
        let plane = topology.plane_of(address.block);
        if let Some(same) = pages[..at].iter().find(|other| topology.plane_of(other.block) == plane)
        {
            let (first, second) = (same.block, address.block);
            return Err(RequestError::SamePlane { first, second, plane });
        }
        check_pair(first, *address, erase, topology)?;
    }
    Ok(())
}

/// Checks that a page of another plane matches the first plane's page.
fn check_pair(
    first: PageAddress,
    other: PageAddress,
    erase: bool,
    topology: &Topology,
) -> Result<(), RequestError> {
    if !erase && other.page != first.page {
        return Err(RequestError::DifferentPages { first: first.page, second: other.page });
    }
    let planes = topology.planes;
    let place = |block: u32| block / u32::from(planes);
    if topology.paired_blocks && place(other.block) != place(first.block) {
        let (first, second) = (first.block, other.block);
        return Err(RequestError::UnpairedBlocks { first, second, planes });
    }
    Ok(())
}

/// Checks that the two sides of a direct transfer match.
pub(super) fn check_direct(source: &Request, destination: &Request) -> Result<(), RequestError> {
    let wrong = if source.command != Command::Read {
        "reads its source by a read"
    } else if !matches!(destination.command, Command::Program | Command::CacheProgram) {
        "programs its destination by a program or a cache-program"
    } else if source.die.channel != destination.die.channel {
        "needs two dies of one channel: it goes over the bus that they share"
    } else if source.die == destination.die {
        "needs two dies: within one, read and copy-program"
    } else if source.pages.planes() != destination.pages.planes() {
        "needs as many planes at its source as at its destination"
    } else {
        return Ok(());
    };
    Err(RequestError::Direct(wrong))
}

/// Relation of a request to the request before it of the same die and class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Follows {
    /// It waits until the die is done with all before.
    Alone,
    /// It is the next page of a cache read, which is in the register when the die is ready.
    CacheRead,
    /// It is a program of the same blocks after a cache program. Its data may come in while the cells work.
    CacheProgram,
}

#[inline]
pub(super) fn follows(
    before: Option<Last>,
    request: &Request,
    topology: &Topology,
) -> Result<Follows, RequestError> {
    let (command, pages) = (request.command, &request.pages);
    if command != Command::CopyProgram && !before.as_ref().is_some_and(Last::goes_on) {
        return Ok(Follows::Alone);
    }
    let Some(before) = before else {
        return match command {
            Command::CopyProgram => Err(RequestError::EmptyRegister(pages.as_slice()[0])),
            _ => Ok(Follows::Alone),
        };
    };
    match before.command {
        Command::CacheRead => {
            let (next, found) = (before.first(), pages.as_slice()[0]);
            if command.reads_out() && before.is_on(pages) && found.page == next.page + 1 {
                return Ok(Follows::CacheRead);
            }
            Err(RequestError::BrokenCacheRead { command, found, before: next })
        }
        Command::CacheProgram
            if matches!(command, Command::Program | Command::CacheProgram)
                && before.is_on(pages) =>
        {
            Ok(Follows::CacheProgram)
        }
        Command::Read | Command::CopyRead if command == Command::CopyProgram => {
            let planes = pages.as_slice().iter().map(|page| topology.plane_of(page.block));
            if planes.eq(before.blocks().iter().map(|block| topology.plane_of(*block))) {
                return Ok(Follows::Alone);
            }
            Err(RequestError::EmptyRegister(pages.as_slice()[0]))
        }
        _ if command == Command::CopyProgram => {
            Err(RequestError::EmptyRegister(pages.as_slice()[0]))
        }
        _ => Ok(Follows::Alone),
    }
}
