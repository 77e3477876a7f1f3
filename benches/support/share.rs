//! Cases of incremental builds, and sizes as benchmarks print them.

/// Cases with the number of edited pages in a thousand.
pub(crate) const CASES: [(&str, usize); 4] = [
    ("nothing", 0),
    ("one page", 1),
    ("1 % of the pages", 10),
    ("10 % of the pages", 100),
];

/// Number of pages that a case edits.
pub(crate) fn edited(pages: usize, of_thousand: usize) -> usize {
    if of_thousand == 1 {
        1
    } else {
        pages * of_thousand / 1000
    }
}

/// Formats a size in KiB; an unknown one is empty.
pub(crate) fn mib(kib: u64) -> String {
    if kib == 0 {
        String::new()
    } else {
        format!("{} MiB", kib >> 10)
    }
}
