//! A workload for schemes with log blocks, which shows all three kinds of merges.

use ftl::{PageTask, TaskKind};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// `most` page tasks over `pages` logical pages, in logical blocks of `block` pages.
///
/// In turns: a logical block is rewritten whole and in order (switch merge), the first half of the next one (partial
/// merge), pages here and there (full merges); then two reads and a trim.
pub(crate) fn tour(pages: u32, block: u32, most: usize, seed: u64) -> Vec<PageTask> {
    let mut random = Pcg64::seed_from_u64(seed);
    let blocks = (pages / block).max(1);
    let block = block.min(pages);
    let mut tasks = Vec::with_capacity(most);
    let task = PageTask::page;
    let mut turn = 0;
    while tasks.len() < most {
        let [whole, half] = [2 * turn, 2 * turn + 1].map(|number| (number % blocks) * block);
        tasks.extend((whole..whole + block).map(|lpn| task(TaskKind::Write, lpn)));
        tasks.extend((half..half + block / 2).map(|lpn| task(TaskKind::Write, lpn)));
        // Not the first page of a block: that may open a log block for sequential writes.
        let page = random.random_range(1..block);
        let scattered = (0..block + block / 2).map(|at| (at * (block + 1) + page) % pages);
        tasks.extend(scattered.map(|lpn| task(TaskKind::Write, lpn)));
        tasks.extend([whole, half].map(|lpn| task(TaskKind::Read, lpn)));
        tasks.push(task(TaskKind::Trim, random.random_range(0..pages)));
        turn += 1;
    }
    tasks.truncate(most);
    tasks
}

#[cfg(test)]
mod tests {
    use super::*;
    use ftl::Asks;

    #[test]
    fn it_stays_within_its_space() {
        for (pages, block) in [(40, 8), (8, 8), (5, 8), (1000, 64)] {
            let tasks = tour(pages, block, 500, 3);
            assert_eq!(tasks.len(), 500);
            assert!(tasks.iter().all(|task| task.lpn < pages), "{pages} pages");
            let trims = tasks.iter().filter(|task| task.asks == Asks::Page(TaskKind::Trim));
            assert!(trims.count() > 1, "{pages} pages");
        }
    }
}
