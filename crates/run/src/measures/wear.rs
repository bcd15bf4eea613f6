//! Evenness of block erases.

/// Erases per block.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Wear {
    /// (σ_erase / N) × 100, with σ_erase the population standard deviation of the erases per block and N the
    /// number of blocks. Smaller is more even.
    ///
    /// Source: S. Choudhuri, T. Givargis, "Deterministic Service Guarantees for NAND Flash using Partial
    /// Block Cleaning", §VI.
    pub index: f64,
    /// Erases of the least erased block.
    pub least: u32,
    /// Mean erases per block.
    pub mean: f64,
    /// Erases of the most erased block.
    pub most: u32,
}

/// Wear from the erase count of each block; all zero without blocks.
pub fn wear(erases: &[u32]) -> Wear {
    let (Some(&least), Some(&most)) = (erases.iter().min(), erases.iter().max()) else {
        return Wear::default();
    };
    let blocks = erases.len() as u128;
    let sum: u128 = erases.iter().map(|&e| u128::from(e)).sum();
    let squares: u128 = erases.iter().map(|&e| u128::from(e).pow(2)).sum();
    // N²σ² = N·Σx² − (Σx)², in integers: no cancellation, and the same result on every machine.
    let n = blocks as f64;
    let deviation = ((blocks * squares - sum * sum) as f64).sqrt() / n;
    Wear { index: deviation / n * 100.0, least, mean: sum as f64 / n, most }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values() {
        // Population σ of 2, 4, 4, 4, 5, 5, 7, 9 is 2; over 8 blocks: 25 %.
        let w = wear(&[2, 4, 4, 4, 5, 5, 7, 9]);
        assert_eq!(w, Wear { index: 25.0, least: 2, mean: 5.0, most: 9 });
    }

    #[test]
    fn no_block_one_block_even_blocks_extremes() {
        assert_eq!(wear(&[]), Wear::default());
        assert_eq!(wear(&[7]), Wear { index: 0.0, least: 7, mean: 7.0, most: 7 });
        assert_eq!(wear(&[3; 1000]).index, 0.0);
        let w = wear(&[0, u32::MAX]);
        assert_eq!(w.index, f64::from(u32::MAX) / 2.0 / 2.0 * 100.0);
    }
}
