//! Available memory of the machine.

use std::fs::read_to_string;
use std::path::Path;

/// Bytes that can be allocated without swapping: what the machine has available, less where limits of the process
/// (`ulimit -v`) or of its control group leave less. `None` on other systems than Linux, or if nothing can be read.
pub fn available_bytes() -> Option<u64> {
    if !cfg!(target_os = "linux") {
        return None;
    }
    let read = |path: &str| read_to_string(path).ok();
    let machine = read("/proc/meminfo").and_then(|text| in_kib(&text, "MemAvailable:"));
    let limit = read("/proc/self/limits").and_then(|text| address_space(&text));
    let used = read("/proc/self/status").and_then(|text| in_kib(&text, "VmSize:"));
    let process = limit.map(|limit| limit.saturating_sub(used.unwrap_or(0)));
    let group = read("/proc/self/cgroup").and_then(|text| group_leaves(&text));
    [machine, process, group].into_iter().flatten().min()
}

/// The value of a line `KEY: N kB`, bytes.
fn in_kib(text: &str, key: &str) -> Option<u64> {
    let value = text.lines().find_map(|line| line.strip_prefix(key))?;
    let kib: u64 = value.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(1024)
}

/// The soft limit of the address space in `/proc/self/limits`, bytes.
fn address_space(limits: &str) -> Option<u64> {
    let values = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    values.split_whitespace().next()?.parse().ok()
}

/// What the limit of the process's control group leaves, bytes.
fn group_leaves(groups: &str) -> Option<u64> {
    let left = |folder: &Path, [most, used, cache]: [&str; 3]| {
        let number = |file: &str| -> Option<u64> {
            read_to_string(folder.join(file)).ok()?.trim().parse().ok()
        };
        let stat = read_to_string(folder.join("memory.stat")).unwrap_or_default();
        let cached = stat.lines().find_map(|line| line.strip_prefix(cache)?.trim().parse().ok());
        // Pages of files that nothing uses are given back.
        let used = number(used)?.saturating_sub(cached.unwrap_or(0));
        Some(number(most)?.saturating_sub(used))
    };
    let of = |line: &str| {
        let (_, line) = line.split_once(':')?;
        let (controllers, path) = line.split_once(':')?;
        let (root, files) = match controllers {
            "" => ("/sys/fs/cgroup", ["memory.max", "memory.current", "inactive_file "]),
            "memory" => (
                "/sys/fs/cgroup/memory",
                ["memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file "],
            ),
            _ => return None,
        };
        // Within a container, the group's own folder is the root.
        let folders = [Path::new(root).join(path.trim_start_matches('/')), root.into()];
        folders.iter().find_map(|folder| left(folder, files))
    };
    groups.lines().filter_map(of).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_are_found_and_are_in_kib() {
        let text = "MemTotal:        8000000 kB\nMemFree:  17 kB\nMemAvailable:    4096 kB\nBuffers: 1 kB\n";
        let available = |text| in_kib(text, "MemAvailable:");
        assert_eq!(available(text), Some(4096 * 1024));
        assert_eq!(available("MemFree: 17 kB\n"), None);
        assert_eq!(available("MemAvailable: much\n"), None);
        let limits =
            |value| format!("Max data size  1  1  bytes\nMax address space  {value}  bytes");
        assert_eq!(address_space(&limits("4096000 unlimited")), Some(4_096_000));
        assert_eq!(address_space(&limits("unlimited unlimited")), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn linux_tells() {
        assert!(available_bytes().is_some_and(|bytes| bytes > 0));
    }
}
