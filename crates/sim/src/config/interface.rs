//! Notation of host interfaces.

use super::decimal::Rate;
use super::notation::Notation;
use crate::ssd::HostInterface;
use std::fmt;
use workload::nearest::list;

/// Word for no interface between host and controller.
const NONE: &str = "none";
/// Name of an interface given by rate and depth.
pub(super) const CUSTOM: &str = "custom";
/// Most outstanding requests on any interface.
pub(super) const MOST_DEPTH: u32 = 65_536;

/// `none`, a name, or rate and depth: `600MB/s:32`.
impl Notation for Option<HostInterface> {
    fn read(word: &str) -> Result<Self, String> {
        if word == NONE {
            return Ok(None);
        }
        let named = HostInterface::ALL.iter().find(|interface| interface.name == word);
        if let Some(interface) = named {
            return Ok(Some(*interface));
        }
        let fault = |reason: &str| {
            let names = HostInterface::ALL.iter().map(|interface| interface.name);
            let names = list(&[NONE].into_iter().chain(names).collect::<Vec<_>>());
            format!(
                "`{word}`: {reason}; interfaces are {names}, or RATE:DEPTH, such as `600MB/s:32`: user bytes \
                per second (kB/s, MB/s, GB/s: powers of 1000) and outstanding commands at most"
            )
        };
        let (rate, depth) =
            word.split_once(':').ok_or_else(|| fault("no interface has this name"))?;
        let Rate(bytes_per_second) = Rate::read(rate)
            .ok_or_else(|| fault("the rate must be a number and a unit, such as 600MB/s"))?;
        let most_depth = depth.trim().parse().ok().filter(|depth| (1..=MOST_DEPTH).contains(depth));
        let most_depth =
            most_depth.ok_or_else(|| fault(&format!("the depth must be 1 to {MOST_DEPTH}")))?;
        Ok(Some(HostInterface { name: CUSTOM, bytes_per_second, command_ns: 0, most_depth }))
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            None => f.write_str(NONE),
            Some(interface) if interface.name != CUSTOM => f.write_str(interface.name),
            Some(HostInterface { bytes_per_second, most_depth, .. }) => {
                let rate = Rate(*bytes_per_second).to_string().replace(' ', "");
                write!(f, "{rate}:{most_depth}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::notation::Word;
    use super::*;

    type Interface = Word<Option<HostInterface>>;

    #[test]
    fn words_are_read_and_written() {
        for (text, written) in [
            ("none", "none"),
            ("sata2", "sata2"),
            ("600MB/s:32", "600MB/s:32"),
            ("0.6 GB/s : 32", "600MB/s:32"),
            ("1.5GB/s:1024", "1.5GB/s:1024"),
            ("133333333b/s:1", "133.333333MB/s:1"),
        ] {
            let read: Interface = text.parse().unwrap();
            assert_eq!(read.to_string(), written, "{text}");
            assert_eq!(written.parse::<Interface>().unwrap(), read, "{text}");
        }
        let custom = "600MB/s:32".parse::<Interface>().unwrap().0.unwrap();
        assert_eq!((custom.bytes_per_second, custom.most_depth), (600_000_000, 32));
        assert_eq!("sata2".parse::<Interface>().unwrap().0, Some(HostInterface::SATA2));
    }

    #[test]
    fn what_is_wrong_is_told_with_what_would_be_right() {
        for (text, said) in [
            ("sata9", "no interface has this name"),
            ("", "no interface has this name"),
            ("600MB/s", "no interface has this name"),
            ("fast:32", "the rate must be a number and a unit"),
            ("600MiB/s:32", "the rate must be a number and a unit"),
            ("-600MB/s:32", "the rate must be a number and a unit"),
            ("1b/s:32", "the rate must be a number and a unit"),
            ("99999999999999999999GB/s:32", "the rate must be a number and a unit"),
            ("600MB/s:0", "the depth must be 1 to 65536"),
            ("600MB/s:many", "the depth must be 1 to 65536"),
        ] {
            let error = text.parse::<Interface>().unwrap_err();
            assert!(error.contains(said) && error.contains("`600MB/s:32`"), "{text}: {error}");
            assert!(error.contains("`none` and `sata2`"), "{error}");
        }
    }
}
