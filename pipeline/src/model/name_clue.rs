//! Clues of one page to a proper name. What a name is, is decided for a whole site.

/// A possible name on one page, with what the page says for and against it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NameClue {
    /// The name as the page writes it.
    pub name: Box<str>,
    /// Kinds of places that give it, one bit each.
    pub places: u8,
    /// Occurrences inside of sentences as it is written.
    pub inside: u16,
    /// Occurrences in running text in lower case.
    pub lower: u16,
}
