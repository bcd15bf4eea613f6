//! Notation of host interfaces.

use super::decimal::Rate;
use super::notation::Notation;
use ::run::ssd::{HostInterface, Packets};
use flash::Ns;
use std::fmt;
use workload::nearest::list;
use workload::quantity::{Bytes, Duration};

/// Word for no interface between host and controller.
const NONE: &str = "none";
/// Name of an interface given by rate and depth.
pub(super) const CUSTOM: &str = "custom";
/// Most outstanding requests on any interface.
pub(super) const MOST_DEPTH: u32 = 65_536;
/// Longest latency of a command: a second.
const MOST_LATENCY_NS: Ns = 1_000_000_000;

/// `none`, a name with settings (`nvme:gen4x4+payload=128B+latency=1us`), or rate and depth: `600MB/s:32`.
impl Notation for Option<HostInterface> {
    fn read(word: &str) -> Result<Self, String> {
        if word == NONE {
            return Ok(None);
        }
        let fault = |reason: &str| {
            let names = HostInterface::ALL.iter().map(|interface| interface.name);
            let names = list(&[NONE].into_iter().chain(names).collect::<Vec<_>>());
            format!(
                "`{word}`: {reason}; interfaces are {names}, or RATE:DEPTH, such as `600MB/s:32`: user bytes \
                per second (kB/s, MB/s, GB/s: powers of 1000) and outstanding commands at most; those of NVMe take \
                `+payload=128B` and `+latency=1us`"
            )
        };
        let mut settings = word.split('+');
        let name = settings.next().unwrap_or_default().trim();
        let named = HostInterface::ALL.iter().find(|interface| interface.name == name);
        if let Some(interface) = named {
            let mut interface = *interface;
            for setting in settings {
                set(&mut interface, setting.trim()).map_err(|reason| fault(&reason))?;
            }
            return Ok(Some(interface));
        }
        let (rate, depth) = word
            .split_once(':')
            .filter(|(rate, _)| rate.trim() != "nvme")
            .ok_or_else(|| fault("no interface has this name"))?;
        let Rate(bytes_per_second) = Rate::read(rate)
            .ok_or_else(|| fault("the rate must be a number and a unit, such as 600MB/s"))?;
        let most_depth = depth.trim().parse().ok().filter(|depth| (1..=MOST_DEPTH).contains(depth));
        let most_depth =
            most_depth.ok_or_else(|| fault(&format!("the depth must be 1 to {MOST_DEPTH}")))?;
        let (command_ns, packets) = (0, None);
        Ok(Some(HostInterface { name: CUSTOM, bytes_per_second, command_ns, most_depth, packets }))
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(interface) = self else { return f.write_str(NONE) };
        if interface.name == CUSTOM {
            let rate = Rate(interface.bytes_per_second).to_string().replace(' ', "");
            return write!(f, "{rate}:{}", interface.most_depth);
        }
        f.write_str(interface.name)?;
        let Some(packets) = interface.packets else { return Ok(()) };
        if packets.payload_bytes != Packets::DEFAULT.payload_bytes {
            write!(f, "+payload={}B", packets.payload_bytes)?;
        }
        if packets.latency_ns != Packets::DEFAULT.latency_ns {
            write!(f, "+latency={}", Duration::new(packets.latency_ns))?;
        }
        Ok(())
    }
}

/// Applies `payload=SIZE` or `latency=TIME`.
fn set(interface: &mut HostInterface, setting: &str) -> Result<(), String> {
    let name = interface.name;
    let packets = interface.packets.as_mut();
    let packets = packets.ok_or_else(|| format!("`{name}` takes no settings"))?;
    let (key, value) = setting.split_once('=').unwrap_or((setting, ""));
    match key.trim() {
        "payload" => {
            let known = value.parse::<Bytes>().ok().and_then(|bytes| {
                Packets::PAYLOADS.into_iter().find(|known| u64::from(*known) == bytes.0)
            });
            packets.payload_bytes =
                known.ok_or("payload, bytes of data in a packet, must be 128B, 256B or 512B")?;
        }
        "latency" => {
            let known = value.parse::<Duration>().ok().filter(|time| time.0 <= MOST_LATENCY_NS);
            packets.latency_ns =
                known.ok_or("latency, time before a command's transfers, must be 0ns to 1s")?.0;
        }
        other => return Err(format!("`{name}` has no setting `{other}`")),
    }
    Ok(())
}

/// The link on one line.
pub(super) fn interface_line(interface: &HostInterface) -> String {
    let rate = Rate(interface.bytes_per_second);
    match (interface.name, interface.packets) {
        (CUSTOM, _) => format!("interface of {rate}"),
        (name, None) => format!("interface {name} of {rate}"),
        (name, Some(packets)) => {
            let latency = match packets.latency_ns {
                0 => String::new(),
                latency_ns => format!(", {} before a command", Duration::new(latency_ns)),
            };
            let payload = packets.payload_bytes;
            format!(
                "interface {name} of {rate} in each direction, payloads of {payload} B{latency}"
            )
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
            ("nvme:gen3x4", "nvme:gen3x4"),
            ("nvme:gen5x4+payload=256B + latency=0us", "nvme:gen5x4"),
            ("nvme:gen4x4+latency=1us+payload=128", "nvme:gen4x4+payload=128B+latency=1us"),
        ] {
            let read: Interface = text.parse().unwrap();
            assert_eq!(read.to_string(), written, "{text}");
            assert_eq!(written.parse::<Interface>().unwrap(), read, "{text}");
        }
        let custom = "600MB/s:32".parse::<Interface>().unwrap().0.unwrap();
        assert_eq!((custom.bytes_per_second, custom.most_depth), (600_000_000, 32));
        let nvme = "nvme:gen4x4+latency=1us".parse::<Interface>().unwrap().0.unwrap();
        assert_eq!((nvme.packets.unwrap().latency_ns, nvme.most_depth), (1000, 65_535));
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
            ("nvme", "no interface has this name"),
            ("nvme:gen6x4", "no interface has this name"),
            ("nvme:gen4x4+payload=64B", "must be 128B, 256B or 512B"),
            ("nvme:gen4x4+latency=2s", "must be 0ns to 1s"),
            ("nvme:gen4x4+latency", "must be 0ns to 1s"),
            ("nvme:gen4x4+depth=4", "has no setting `depth`"),
            ("sata2+payload=128B", "`sata2` takes no settings"),
        ] {
            let error = text.parse::<Interface>().unwrap_err();
            assert!(error.contains(said) && error.contains("`600MB/s:32`"), "{text}: {error}");
            assert!(error.contains("`none`, `sata2`, "), "{error}");
        }
    }
}
