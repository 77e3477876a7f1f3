//! Evidence from one page for proper names. The builder decides for the whole site.

/// A possible name on one page, with what the page says for and against it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NameClue {
    /// The name as the page writes it.
    pub name: Box<str>,
    /// Kinds of places that state it, one bit each.
    pub places: u8,
    /// Exact occurrences inside sentences.
    pub inside: u16,
    /// Lower-case occurrences in running text.
    pub lower: u16,
}

impl NameClue {
    /// Place bit of words in headings in title case, which are no evidence for a name.
    pub const HEADING: u8 = 64;
}
