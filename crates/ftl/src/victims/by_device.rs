//! Greedy on a channel of several devices, where copies within a device and between two devices take different
//! times.
//!
//! Two full blocks compete: the one with fewest valid pages on the device being written, and the one with fewest
//! on all other devices. The victim is the block whose collection uses up fewer pages: λ for the copies, and ⌈λ/α⌉
//! for the host writes that its steps follow.
//!
//! State and cost: one [`Greedy`] per device, over the device's blocks. O(1) per page that becomes invalid, and
//! for a fixed π O(W) per victim.
//!
//! Work: that of [`Greedy`]; in addition a victim reads the borders of each device up to its fewest valid pages.
//!
//! Ties between the two blocks go to the other device, those between devices to fewer valid pages, then to the
//! lowest device number.

use super::greedy::Greedy;
use super::interface::Victims;
use crate::inspection::List;
use crate::victim_work::VictimWork;
use alloc::vec::Vec;
use flash::BlockId;

/// See the module. Block `b` is on device `b mod W`.
#[derive(Clone, Debug)]
pub struct ByDevice {
    devices: Vec<Greedy>,
    /// α for copies to the same device, and to another.
    copies_per_step: [u32; 2],
    pages_per_block: u32,
    /// Borders read to find each device's fewest valid pages.
    borders_read: u64,
}

impl ByDevice {
    /// Makes a policy without candidates, for an array of `blocks` × `pages_per_block` on `ways` devices (1 or
    /// more).
    ///
    /// `copies_per_step` are the copies per step to a block of the same device, and of another.
    pub fn new(blocks: u32, pages_per_block: u32, ways: u32, copies_per_step: [u32; 2]) -> Self {
        let of_device = |device| Greedy::new(blocks_of(blocks, ways, device), pages_per_block);
        let devices = (0..ways).map(of_device).collect();
        Self { devices, copies_per_step, pages_per_block, borders_read: 0 }
    }

    /// RAM of a controller, bytes.
    pub(crate) fn controller_bytes(blocks: u32, pages_per_block: u32, ways: u32) -> u64 {
        let of_device =
            |device| Greedy::controller_bytes(blocks_of(blocks, ways, device), pages_per_block);
        (0..ways).map(of_device).sum()
    }

    fn ways(&self) -> u32 {
        self.devices.len() as u32
    }

    #[inline]
    fn split(&self, block: BlockId) -> (usize, BlockId) {
        let ways = self.ways();
        ((block.0 % ways) as usize, BlockId(block.0 / ways))
    }

    /// Pages that the collection of a block of `valid` valid pages uses up.
    fn used_up(&self, valid: u32, far: bool) -> u64 {
        match (valid, self.copies_per_step[usize::from(far)]) {
            (0, _) => 0,
            (_, 0) => u64::MAX,
            (valid, copies) => u64::from(valid) + u64::from(valid.div_ceil(copies)),
        }
    }

    fn take_from(&mut self, device: u32, valid: &dyn Fn(BlockId) -> u32) -> Option<BlockId> {
        let ways = self.ways();
        let global = |block: BlockId| BlockId(block.0 * ways + device);
        self.devices[device as usize].take(&|block| valid(global(block))).map(global)
    }

    /// Counts the borders that the next call of [`ByDevice::least`] reads.
    fn count_borders(&mut self) {
        let read =
            |greedy: &Greedy| u64::from(greedy.least_valid().unwrap_or(self.pages_per_block)) + 1;
        self.borders_read += self.devices.iter().map(read).sum::<u64>();
    }

    /// Fewest valid pages of each device that has a candidate, and the device.
    fn least(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        (0..)
            .zip(&self.devices)
            .filter_map(|(device, greedy)| greedy.least_valid().map(|valid| (valid, device)))
    }
}

/// Blocks of a device: ⌊N/W⌋, or one more.
fn blocks_of(blocks: u32, ways: u32, device: u32) -> u32 {
    blocks / ways + u32::from(device < blocks % ways)
}

impl Victims for ByDevice {
    #[inline]
    fn insert(&mut self, block: BlockId, valid: u32) {
        let (device, block) = self.split(block);
        self.devices[device].insert(block, valid);
    }

    #[inline]
    fn invalidated(&mut self, block: BlockId, valid: u32) {
        let (device, block) = self.split(block);
        self.devices[device].invalidated(block, valid);
    }

    fn take(&mut self, valid: &dyn Fn(BlockId) -> u32) -> Option<BlockId> {
        self.count_borders();
        let (_, device) = self.least().min()?;
        self.take_from(device, valid)
    }

    fn take_to(&mut self, to: BlockId, valid: &dyn Fn(BlockId) -> u32) -> Option<BlockId> {
        self.count_borders();
        let (near, _) = self.split(to);
        let cost = |(valid, device): (u32, u32)| {
            let far = device as usize != near;
            (self.used_up(valid, far), !far, valid, device)
        };
        let gains = |(valid, _): &(u32, u32)| *valid < self.pages_per_block;
        let (.., device) = self.least().filter(gains).map(cost).min()?;
        self.take_from(device, valid)
    }

    fn take_least(&mut self, valid: &dyn Fn(BlockId) -> u32) -> Option<BlockId> {
        self.take(valid)
    }

    fn least_valid(&self) -> Option<u32> {
        self.least().map(|(valid, _)| valid).min()
    }

    #[inline]
    fn prefetch(&self, block: BlockId) {
        let (device, block) = self.split(block);
        self.devices[device].prefetch(block);
    }

    fn work(&self) -> VictimWork {
        let mut work = VictimWork::default();
        self.devices.iter().for_each(|greedy| work += greedy.work());
        work.chosen.reads += self.borders_read;
        work
    }

    fn lists(&self) -> Vec<List> {
        let ways = self.ways();
        let of_device = |(device, greedy): (u32, &Greedy)| {
            let global = move |block: BlockId| BlockId(block.0 * ways + device);
            let help = "Full blocks of one device by rising valid pages; one list per device.";
            List::of_blocks("candidates", help, greedy.candidates().map(global))
        };
        (0..).zip(&self.devices).map(of_device).collect()
    }

    fn heap_bytes(&self) -> usize {
        let own = self.devices.capacity() * size_of::<Greedy>();
        own + self.devices.iter().map(Greedy::heap_bytes).sum::<usize>()
    }

    fn ram_bytes(&self) -> u64 {
        self.devices.iter().map(Greedy::ram_bytes).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::BTreeMap;
    use proptest::prelude::*;

    #[test]
    fn counts_the_borders_of_each_device() {
        let mut victims = ByDevice::new(8, 4, 2, [2, 1]);
        victims.insert(BlockId(0), 2);
        victims.insert(BlockId(3), 1);
        let taken = |valid: u32, block: u32| {
            let mut greedy = Greedy::new(4, 4);
            greedy.insert(BlockId(block), valid);
            greedy.take(&|_| valid);
            greedy.work()
        };
        // With copies to device 1, block 3 uses up 1 + 1 pages and block 0 2 + 2. Then only block 0 is left.
        assert_eq!(victims.take_to(BlockId(3), &|_| 1), Some(BlockId(3)));
        assert_eq!(victims.take_to(BlockId(2), &|_| 2), Some(BlockId(0)));
        assert_eq!(victims.take(&|_| 0), None);
        let mut expected = taken(2, 0);
        expected += taken(1, 1);
        // Borders up to 2 and 1, then up to 2 and all five, then all five twice.
        expected.chosen.reads += (3 + 2) + (3 + 5) + (5 + 5);
        assert_eq!(victims.work(), expected);
    }

    proptest! {
        #![proptest_config(crate::properties::config())]

        /// Compares with a full search of a map of valid counts.
        #[test]
        fn takes_the_block_that_uses_up_least(
            ways in 1u32..6,
            near in 0u32..4,
            far in 0u32..4,
            steps in proptest::collection::vec((0u8..8, 0u32..20, 0u32..=8), 0..400),
        ) {
            let alpha = [near, far];
            let mut victims = ByDevice::new(20, 8, ways, alpha);
            let mut model: BTreeMap<u32, u32> = BTreeMap::new();
            for (what, block, valid) in steps {
                match (what, model.get(&block).copied()) {
                    (0..=2, None) => {
                        victims.insert(BlockId(block), valid);
                        model.insert(block, valid);
                    }
                    (3..=6, Some(v)) if v > 0 => {
                        victims.invalidated(BlockId(block), v - 1);
                        model.insert(block, v - 1);
                    }
                    (7, _) => {
                        let least = model.values().copied().min();
                        prop_assert_eq!(victims.least_valid(), least);
                        let used_up = |candidate: u32, valid: u32| {
                            let alpha = alpha[usize::from(candidate % ways != block % ways)];
                            match (valid, alpha) {
                                (0, _) => 0,
                                (_, 0) => u32::MAX,
                                _ => valid + valid.div_ceil(alpha),
                            }
                        };
                        let gain = model.iter().filter(|(_, valid)| **valid < 8);
                        let uses = gain.map(|(block, valid)| used_up(*block, *valid)).min();
                        match victims.take_to(BlockId(block), &|b| model[&b.0]) {
                            None => prop_assert_eq!(uses, None),
                            Some(taken) => {
                                let valid = model.remove(&taken.0).unwrap();
                                prop_assert_eq!(Some(used_up(taken.0, valid)), uses);
                            }
                        }
                    }
                    _ => {}
                }
            }
            prop_assert_eq!(victims.ram_bytes(), ByDevice::controller_bytes(20, 8, ways));
        }
    }
}
