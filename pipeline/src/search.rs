//! Search in every language: the indexes that a site's generator made, written anew from the pages of a language. Pure.
//!
//! A static site searches in the browser, in a file that its generator made of the source pages. In the tree of each language
//! there is the same file, in the same format, made of that language's pages: its words, its titles and its addresses.
//! What an index names, the site's own script must have; so nothing here brings stems or lists of words along. The index of
//! Pagefind is written by Pagefind.

mod docusaurus;
mod elasticlunr;
mod entries;
mod index;
mod language;
mod lunr;
mod mdbook;
mod minisearch;
mod mkdocs;
mod pagefind;
mod place;
mod row;
mod spelling;
mod sphinx;
mod words;

pub use index::{
    IndexFile, IndexLoading, Needs, RecognizedFile, RecognizedIndex, look, may_be_index,
};
pub use language::{IndexLanguage, Localized, SourceFiles};
pub use pagefind::Pagefind;
pub use row::{of_row, to_row};
