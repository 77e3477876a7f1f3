//! The pure core: a page is its own source, unchanged, plus a sorted list of places where something else may stand.
//!
//! [`Page::parse`] finds the places of HTML, [`Page::parse_as`] those of any [`PageFormat`], [`Page::render`] copies
//! the source and fills them. What is not a place cannot change, so a page may stay untranslated but is never damaged.
//! Nothing here touches a file, a socket, a clock or a global.
//!
//! Invariant: without a translation and without a change, rendering returns the source byte for byte.
//!
//! ```
//! use page::{CodedText, Locale, Page, PageChanges};
//!
//! let english = Locale::parse("en")?;
//! let page = Page::parse(b"<p>Fresh <b>bread</b>", Some("utf-8"), &english);
//! let segment = page.segments().next().ok_or("no text")?;
//! assert_eq!(segment.text.to_markup(), "Fresh <g id=\"1\">bread</g>");
//! let words = CodedText::from_markup("<g id=\"1\">Pan</g> fresco")?;
//! let rendered = page.render(|_| Some(&words), &PageChanges::default());
//! assert_eq!(rendered.html, b"<p><b>Pan</b> fresco");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![cfg_attr(test, allow(clippy::too_many_lines, reason = "a test tells one story"))]

mod content;
mod document;
mod edits;
mod facts;
mod fill;
mod find;
mod form;
mod found_links;
mod head;
mod html;
mod kept;
mod live;
mod locale;
mod page;
mod parse;
mod render;
mod robots;
mod text;
mod turn;
mod untranslated;

pub use content::{PageContent, Section, read_content};
pub use document::PageFormat;
pub use facts::{AlternateLink, LinkFact, PageFacts, StatedText, read_facts};
pub use find::addresses_in_values::{css_addresses, unescape_css};
pub use find::names::{NameSource, PageName};
pub use find::script_addresses::{Naming, ScriptAddress, script_addresses};
pub use find::template::expressions;
pub use form::MarkupForm;
pub use found_links::{FoundLink, PageLinks, each_link, find_links};
pub use head::places::PageHead;
pub use html::hydration::{Framework, Rendering};
pub use html::known::MARKER;
pub use html::limits::{DEEPEST, ExceededLimit, LARGEST, MOST_INNER, MOST_TOKENS, STEPS_A_BYTE};
pub use html::rules::{LocaleFilter, RuleError, Rules};
pub use kept::SkippedText;
pub use live::{LIVE_ISLANDS, LiveHeadWriter, LivePair, live_attributes, live_kept};
pub use locale::{Direction, Locale, LocaleError, is_country};
pub use page::Page;
pub use render::{FileMap, LinkKind, LinkMap, PageChanges, PageLink, Rendered};
pub use robots::{RobotsRules, RobotsStatement};
pub use text::arrow::{turned_arrow, turned_arrows};
pub use text::check::check;
pub use text::code::{CodeKind, InlineCode};
pub use text::coded::{CodedText, HIGHEST_CODE, Pieces, TextError, TextPiece};
pub use text::key::SegmentKey;
pub use text::segment::{Segment, TextClass};
