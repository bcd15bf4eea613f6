//! Available memory of the machine.

/// Bytes that can be allocated without swapping: `MemAvailable` of Linux's `/proc/meminfo`. `None` on
/// other systems, or if it cannot be read.
pub fn available_bytes() -> Option<u64> {
    if !cfg!(target_os = "linux") {
        return None;
    }
    available_in(&std::fs::read_to_string("/proc/meminfo").ok()?)
}

fn available_in(meminfo: &str) -> Option<u64> {
    let value = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kib: u64 = value.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_is_found_and_is_in_kib() {
        let text = "MemTotal:        8000000 kB\nMemFree:  17 kB\nMemAvailable:    4096 kB\nBuffers: 1 kB\n";
        assert_eq!(available_in(text), Some(4096 * 1024));
        assert_eq!(available_in("MemFree: 17 kB\n"), None);
        assert_eq!(available_in("MemAvailable: much\n"), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn linux_tells() {
        assert!(available_bytes().is_some_and(|bytes| bytes > 0));
    }
}
