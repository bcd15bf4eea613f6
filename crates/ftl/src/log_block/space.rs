//! Division of an array into data blocks and log blocks.

use crate::error::FtlError;
use crate::preset::SchemeConfig;
use alloc::{format, string::String};
use flash::Geometry;

/// Default number of log blocks, if there is room for them (S. Lee et al., §6.2).
const LOG_BLOCKS: u32 = 128;

/// Logical space and number of log blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Division {
    /// Exported logical pages.
    pub(crate) logical_pages: u32,
    /// Maximum number of log blocks.
    pub(crate) log_blocks: u32,
}

/// Divides `blocks` usable blocks. `fixed` of them are neither data blocks nor counted as log blocks.
///
/// Default number of log blocks: 128, but at most an eighth of the blocks and at least one. If the logical
/// space is set: 128, but at most the blocks that it leaves. Default logical pages: all blocks left.
pub(crate) fn divide(
    config: &SchemeConfig,
    geometry: &Geometry,
    blocks: u32,
    fixed: u32,
) -> Result<Division, FtlError> {
    let error = |setting, reason| FtlError::Config { scheme: config.preset.name, setting, reason };
    let pages_per_block = geometry.pages_per_block();
    if blocks < fixed + 2 {
        return Err(error(
            "capacity",
            format!(
                "leaves {blocks} blocks; at least {} are needed: one for data, one for the log, {fixed} for merges",
                fixed + 2
            ),
        ));
    }
    if config.log_blocks == Some(0) {
        return Err(error("log_blocks", String::from("is 0; at least 1 is needed")));
    }
    let most = blocks - fixed;
    let logical_blocks = match config.logical_pages {
        Some(pages) => pages.div_ceil(pages_per_block),
        None => {
            let log_blocks = config.log_blocks.unwrap_or((blocks / 8).clamp(1, LOG_BLOCKS));
            if log_blocks >= most {
                return Err(error(
                    "log_blocks",
                    format!(
                        "is {log_blocks}; at most {} leave a block for data on {blocks} blocks",
                        most - 1
                    ),
                ));
            }
            most - log_blocks
        }
    };
    if logical_blocks >= most {
        return Err(error(
            "logical share",
            format!(
                "exports {} pages; at most {} fit, since of {blocks} blocks a log block and {fixed} for merges must be left",
                config.logical_pages.unwrap_or(0),
                (most - 1) * pages_per_block
            ),
        ));
    }
    let left = most - logical_blocks;
    let log_blocks = config.log_blocks.unwrap_or(left.min(LOG_BLOCKS));
    if log_blocks > left {
        return Err(error(
            "log_blocks",
            format!(
                "is {log_blocks}; beside {logical_blocks} data blocks at most {left} fit on {blocks} blocks"
            ),
        ));
    }
    let logical_pages = config.logical_pages.unwrap_or(logical_blocks * pages_per_block);
    Ok(Division { logical_pages, log_blocks })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::by_name;
    use alloc::string::ToString;

    fn division(
        blocks: u32,
        logical_pages: Option<u32>,
        log_blocks: Option<u32>,
    ) -> Result<(u32, u32), String> {
        let geometry = Geometry::new(blocks, 8, 512).unwrap();
        let plain = SchemeConfig::preset(by_name("fast").unwrap());
        let config = SchemeConfig { logical_pages, log_blocks, ..plain };
        divide(&config, &geometry, blocks, 2)
            .map(|division| (division.logical_pages, division.log_blocks))
            .map_err(|error| error.to_string())
    }

    #[test]
    fn what_is_not_set_follows_from_what_is() {
        assert_eq!(division(4096, None, None), Ok(((4096 - 128 - 2) * 8, 128)));
        assert_eq!(division(80, None, None), Ok(((80 - 10 - 2) * 8, 10)));
        assert_eq!(division(4, None, None), Ok((8, 1)));
        assert_eq!(division(10, None, Some(3)), Ok((40, 3)));
        assert_eq!(division(10, Some(41), None), Ok((41, 2)));
        assert_eq!(division(10, Some(41), Some(1)), Ok((41, 1)));
        assert_eq!(division(4096, Some(8), None), Ok((8, 128)));
    }

    #[test]
    fn what_does_not_fit_is_refused_with_what_would() {
        for (blocks, pages, logs, said) in [
            (3, None, None, "at least 4 are needed"),
            (10, None, Some(0), "at least 1"),
            (10, None, Some(8), "at most 7"),
            (10, Some(57), None, "at most 56"),
            (10, Some(41), Some(3), "at most 2"),
        ] {
            let error = division(blocks, pages, logs).unwrap_err();
            assert!(error.contains(said), "{error}");
        }
    }
}
