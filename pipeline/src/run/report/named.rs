//! Lists of paths in sentences: the first ones, and how many more there are.

/// The most paths that a sentence names.
const NAMED: usize = 10;

/// The first paths, with the number of the others.
pub(in crate::run) fn named(paths: &[String]) -> String {
    let first = paths
        .iter()
        .take(NAMED)
        .cloned()
        .collect::<Vec<_>>()
        .join(", ");
    match paths.len().saturating_sub(NAMED) {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}
