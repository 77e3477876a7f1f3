//! Counts as people read them: `1 page`, `2 pages`.

use std::fmt::Display;

/// A count with its noun, which takes an `s` where there is not exactly one.
pub fn counted<N: Copy + Display + TryInto<u64>>(count: N, noun: &str) -> String {
    let is_one = count.try_into().is_ok_and(|count| count == 1);
    format!("{count} {noun}{}", if is_one { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thing_is_not_many() {
        let read = [0, 1, 2].map(|count: u64| counted(count, "page"));
        assert_eq!(read, ["0 pages", "1 page", "2 pages"]);
    }
}
