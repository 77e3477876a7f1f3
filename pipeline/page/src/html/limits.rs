//! What a page may cost. One that costs more is not looked into any further and stays as it is, with a reason.
//!
//! Everything in this room takes time in proportion to the page, so no page of a site comes near these limits; they are
//! there for pages made to hurt, and for mistakes of ours. Steps are counted, not seconds, so that the same page has the
//! same fate on every machine.

use std::fmt;

/// The largest page that is looked into, in bytes; a larger one has no places and stays as it is. Looking into a page
/// takes some ten times its size in memory.
pub const LARGEST: usize = 64 << 20;

/// The most tags, comments and texts that are looked into: each takes some fifty bytes of memory
/// with all that is made of it.
pub const MOST_TOKENS: usize = 4_000_000;

/// The most elements inside each other.
pub const DEEPEST: usize = 50_000;

/// The most pages inside values, such as HTML in structured data and feeds: each takes some 700 bytes of memory, be it
/// ever so small.
pub const MOST_INNER: usize = 50_000;

/// The most locale filters inside each other (ITS 2.0).
pub(crate) const DEEPEST_FILTER: usize = 64;

/// The most steps for each byte of a page.
pub const STEPS_A_BYTE: u64 = 64;

/// Steps that any page may take.
const STEPS: u64 = 1_000_000;

/// Why nothing in a page is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExceededLimit {
    /// It is larger than [`LARGEST`].
    Bytes,
    /// It has more than [`MOST_TOKENS`].
    Tokens,
    /// Its elements are nested deeper than [`DEEPEST`], or its locale filters deeper than anybody writes them.
    Depth,
    /// Its values hold more than [`MOST_INNER`] pages.
    Inner,
    /// It takes more than [`STEPS_A_BYTE`].
    Steps,
    /// It is XHTML, and no parser of XML reads it, or HTML has no word for what it says.
    Malformed,
    /// Its bytes are those of a picture, a program or the like.
    Binary,
}

impl fmt::Display for ExceededLimit {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bytes => write!(out, "it is larger than {LARGEST} bytes"),
            Self::Tokens => write!(out, "it has more than {MOST_TOKENS} tags and texts"),
            Self::Depth => write!(out, "its elements are nested too deep (at most {DEEPEST})"),
            Self::Inner => write!(out, "its values hold more than {MOST_INNER} pages"),
            Self::Steps => write!(
                out,
                "it takes more than {STEPS_A_BYTE} steps for each of its bytes"
            ),
            Self::Binary => write!(out, "its content is binary data, not HTML"),
            Self::Malformed => write!(
                out,
                "it is XHTML that is not well formed, or that HTML cannot say"
            ),
        }
    }
}

/// Whether so many steps are too many for a page of so many bytes.
pub(crate) fn is_too_much(steps: u64, bytes: usize) -> bool {
    steps > STEPS + STEPS_A_BYTE.saturating_mul(u64::try_from(bytes).unwrap_or(u64::MAX))
}
