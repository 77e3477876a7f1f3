//! The pure core: a page is its own source, unchanged, plus a sorted list of places where something else may stand.
//!
//! [`Page::parse`] finds the places of HTML, [`Page::parse_as`] those of any [`Format`], [`Page::render`] copies the
//! source and fills them. What is not a place cannot change, so a page may stay untranslated but is never damaged.
//! Nothing here touches a file, a socket, a clock or a global.

mod attributes;
mod block;
mod check;
mod code;
mod document;
mod edits;
mod element;
mod encoding;
mod facts;
mod fill;
mod found;
mod found_links;
mod head;
mod hydration;
mod inherit;
mod json;
mod keeps;
mod kept;
mod key;
mod known;
mod legacy;
mod limits;
mod link_place;
mod links;
mod locale;
mod option;
mod page;
mod parse;
mod part;
mod prescan;
mod render;
mod rules;
mod scan;
mod segment;
mod space;
mod span;
mod stack;
mod state;
mod structured;
mod switchers;
mod tags;
mod text;
mod tokens;
mod unit;
mod value;
mod walk;
mod writing;

pub use check::check;
pub use code::{Code, CodeKind};
pub use document::Format;
pub use facts::{Alternate, LinkFact, PageFacts, Said, read_facts};
pub use found_links::{FoundLink, PageLinks, find_links};
pub use head::Head;
pub use hydration::Rendering;
pub use kept::Kept;
pub use key::SegmentKey;
pub use limits::{DEEPEST, Excess, LARGEST, MOST_INNER, MOST_TOKENS, STEPS_A_BYTE};
pub use links::css_addresses;
pub use locale::{Direction, Locale, LocaleError};
pub use page::Page;
pub use render::{Changes, Link, LinkMap, Rendered};
pub use rules::{LocaleFilter, RuleError, Rules};
pub use segment::{Segment, TextClass};
pub use switchers::MARKER;
pub use text::{CodedText, HIGHEST_CODE, Piece, Pieces, TextError};
