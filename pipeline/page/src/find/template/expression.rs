//! An expression, and how its end is found.

/// The distance at which the end of an expression is looked for, in bytes.
pub(super) const FAR: usize = 200;

/// The same for programs, formulas and messages, which are longer.
pub(super) const FARTHER: usize = 1_000;

/// An expression with which a text begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Expression {
    pub(super) length: usize,
    /// Readers see something in its place.
    pub(super) shows: bool,
}

/// The beginning of a text, up to so many bytes.
pub(super) fn beginning(text: &[u8], far: usize) -> &[u8] {
    text.get(..far).unwrap_or(text)
}

/// The first place of a mark in a text, from a byte on.
pub(super) fn position(text: &[u8], from: usize, mark: &[u8]) -> Option<usize> {
    let found = text
        .get(from..)?
        .windows(mark.len())
        .position(|window| window == mark)?;
    Some(from + found)
}
