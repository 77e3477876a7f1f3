//! Evidence from one page for proper names. The builder decides for the whole site.

/// Evidence from one page that a phrase is a proper name; only all pages of the site together decide.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NameClue {
    /// The name as the page writes it.
    pub name: Box<str>,
    /// Kinds of places outside sentences that contain the name, one bit each; [`Self::HEADING`] alone is no evidence.
    pub places: u8,
    /// Occurrences in this spelling after the first word of a sentence: evidence for a name.
    pub inside: u16,
    /// Occurrences in lower case in running text: evidence against a name.
    pub lower: u16,
}

impl NameClue {
    /// Place bit of words in headings in title case, which are no evidence for a name.
    pub const HEADING: u8 = 64;
}
