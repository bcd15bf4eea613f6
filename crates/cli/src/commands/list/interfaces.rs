//! Links between host and SSD, for `ftlkit list interfaces`.

use crate::output::table;
use serde_json::{Value, json};
use sim::ssd::HostInterface;

/// A small and a large request, bytes.
const SIZES: [u64; 2] = [4 << 10, 128 << 10];

/// User rates in MB/s, powers of 1000: reads and writes of 4 KiB, then of 128 KiB.
fn user_rates(interface: &HostInterface) -> [f64; 4] {
    let [small, large] = SIZES.map(|bytes| interface.user_rates(bytes));
    [small[0], small[1], large[0], large[1]].map(|rate| rate / 1e6)
}

/// The table.
pub(super) fn text() -> String {
    let columns = [
        "<interface",
        "link MB/s",
        "read 4 KiB",
        "write 4 KiB",
        "read 128 KiB",
        "write 128 KiB",
        "commands",
    ];
    let rows = HostInterface::ALL.iter().map(|interface| {
        let [read, write, long_read, long_write] =
            user_rates(interface).map(|rate| format!("{rate:.0}"));
        let link = format!("{:.0}", interface.bytes_per_second as f64 / 1e6);
        let depth = interface.most_depth.to_string();
        [interface.name.into(), link, read, write, long_read, long_write, depth]
    });
    let mut text = table(columns, rows);
    text.push_str(
        "\n\nMost user data per second, MB/s: of NVMe after coding, packets, queue entries, doorbells and interrupts, \
         in each\ndirection; +payload=128B|256B|512B sets the data per packet, +latency=TIME the time before each \
         command. Commands:\noutstanding at most; of NVMe per queue. Sources: ftlkit list interfaces --json\n",
    );
    text
}

/// The list, for a script.
pub(super) fn json() -> Vec<Value> {
    let one = |interface: &HostInterface| {
        let [read, write, long_read, long_write] = user_rates(interface).map(|rate| rate * 1e6);
        json!({
            "name": interface.name,
            "bytes_per_second": interface.bytes_per_second,
            "most_depth": interface.most_depth,
            "payload_bytes": interface.packets.map(|packets| packets.payload_bytes),
            "full_duplex": interface.packets.is_some(),
            "read_4k_bytes_per_second": read,
            "write_4k_bytes_per_second": write,
            "read_128k_bytes_per_second": long_read,
            "write_128k_bytes_per_second": long_write,
            "source": interface.source(),
        })
    };
    HostInterface::ALL.iter().map(one).collect()
}
