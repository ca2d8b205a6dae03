//! What the operating system says about this process; nothing where it does not say it in `/proc`.

#[derive(Debug, Default)]
pub(super) struct Process {
    pub(super) resident_bytes: Option<u64>,
    pub(super) open_files: Option<u64>,
}

#[cfg(target_os = "linux")]
#[expect(clippy::disallowed_methods, reason = "files of the kernel, which hold nothing of a vault")]
pub(super) fn look() -> Process {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let open_files = std::fs::read_dir("/proc/self/fd").ok();
    // Counting takes one handle more.
    Process { resident_bytes: resident(&status), open_files: open_files.map(|files| (files.count() as u64).saturating_sub(1)) }
}

#[cfg(not(target_os = "linux"))]
pub(super) fn look() -> Process {
    Process::default()
}

#[cfg(target_os = "linux")]
fn resident(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn memory_and_files_of_this_process_are_seen() {
        assert_eq!(resident("VmPeak:\t 1 kB\nVmRSS:\t   20844 kB\nThreads:\t1\n"), Some(20844 * 1024));
        let before = look();
        assert!(before.resident_bytes.is_some_and(|bytes| bytes > 1 << 20), "{before:?}");
        let _files: Vec<_> = (0..5).map(|_| tempfile::tempfile().expect("a file")).collect();
        // Other tests of this process open files too.
        assert!(before.open_files.is_some_and(|files| files >= 3), "{before:?}");
        assert!(look().open_files.is_some_and(|files| files >= 8));
    }
}
