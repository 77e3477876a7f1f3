//! Errors with what caused them, as people read them.

use std::error::Error;

/// An error with its causes, in one line, without the numbers that systems give to errors.
pub fn chain(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    for more in of(error).skip(1).map(ToString::to_string) {
        if !text.contains(&more) {
            text = format!("{text}: {more}");
        }
    }
    without_numbers(&text)
}

/// A message without the system's numbers of errors: "(os error 2)" tells a reader nothing that the words before do not.
pub fn without_numbers(message: &str) -> String {
    const OPENING: &str = " (os error ";
    let mut text = String::with_capacity(message.len());
    let mut rest = message;
    while let Some((before, after)) = rest.split_once(OPENING) {
        text.push_str(before);
        let digits = after.bytes().take_while(u8::is_ascii_digit).count();
        rest = match after.get(digits..).and_then(|end| end.strip_prefix(')')) {
            Some(end) if digits > 0 => end,
            _ => {
                text.push_str(OPENING);
                after
            }
        };
    }
    text + rest
}

/// An error and what caused it, one after the other.
pub(crate) fn of<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |error| (*error).source())
}

/// Whether the system says that a disk is full, or that we may not have more of it.
pub(crate) fn is_full(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
    matches!(error.kind(), StorageFull | QuotaExceeded | FileTooLarge)
}

#[cfg(test)]
mod tests {
    use super::without_numbers;

    #[test]
    fn numbers_of_errors_are_left_out() {
        for (message, shown) in [
            ("cannot read a: No such file or directory (os error 2)", "cannot read a: No such file or directory"),
            ("a (os error 13); then b (os error 111)", "a; then b"),
            ("a (os error ) b (os error x", "a (os error ) b (os error x"),
            ("all is well", "all is well"),
        ] {
            assert_eq!(without_numbers(message), shown);
        }
    }
}
