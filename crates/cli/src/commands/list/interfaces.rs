//! Links between host and SSD, for `ftlkit list interfaces`.

use crate::output::{self, table};
use lab::lists::user_rates;
use lab::ssd::HostInterface;

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
            user_rates(interface).map(|rate| format!("{:.0}", rate / 1e6));
        let link = format!("{:.0}", interface.bytes_per_second as f64 / 1e6);
        let depth = interface.most_depth.to_string();
        [interface.name.into(), link, read, write, long_read, long_write, depth]
    });
    let mut text = table(columns, rows);
    text.push_str(&output::wrapped(
        "\n\nMost user data per second, MB/s: of NVMe after coding, packets, queue entries, doorbells and interrupts, \
         in each direction; +payload=128B|256B|512B sets the data per packet, +latency=TIME the time before each \
         command. Commands: outstanding at most; of NVMe per queue. Sources: ftlkit list interfaces --json",
    ));
    text
}
