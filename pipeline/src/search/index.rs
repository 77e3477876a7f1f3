//! Which files of a site are search indexes, which of them are known, and what is made of those for a language. Pure.

use super::docusaurus::Docusaurus;
use super::entries::Entries;
use super::language::{Files, Language};
use super::mdbook::MdBook;
use super::minisearch::MiniSearch;
use super::mkdocs::MkDocs;
use super::pagefind::Pagefind;
use super::sphinx::{Sphinx, language_data};
use super::words::is_unspaced_language;
use crate::model::Locale;

/// The largest index that is read, in bytes.
const LARGEST: usize = 64 << 20;

/// What a file of the source is.
pub enum Seen {
    /// An index that is made anew for each language.
    Index(Index),
    /// An index that Pagefind makes anew for each language, if it is there to do so.
    Pagefind(Pagefind),
    /// An index that stays in the source language: what it is.
    Unknown(&'static str),
}

/// A search index of the source.
pub struct Index {
    /// Its path, as it is written from the root.
    path: String,
    format: Format,
}

/// How a site's script comes to an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// By an address that counts from the page.
    Beside,
    /// It is a module that another one names.
    Imported,
    /// From where the site begins, in a way that the live script knows.
    Fetched,
    /// From the root of the host, in ways that nobody here knows.
    AtRoot,
}

/// Kind of page text that a search index requires in addition to headings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Needs {
    /// Distinct words of the page.
    Words,
    /// Text of each section.
    Sections,
}

enum Format {
    /// With the path of the file that says how queries become words.
    Sphinx(Sphinx, String),
    MkDocs(MkDocs),
    MdBook(MdBook),
    MiniSearch(MiniSearch),
    Docusaurus(Docusaurus),
    Entries(Entries),
}

/// A file that belongs to an index in a language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IndexFile {
    /// One that is made anew.
    Made(String),
    /// One of the source that the site's script looks for beside it.
    Beside(String),
}

impl IndexFile {
    /// The path of the source that it takes the place of.
    pub fn path(&self) -> &str {
        match self {
            Self::Made(path) | Self::Beside(path) => path,
        }
    }
}

/// Indexes that nobody here can write, by the ends of their paths.
const UNKNOWN: [(&str, &str); 10] = [
    ("/pagefind/pagefind-entry.json", "an index of Pagefind"),
    ("/pagefind/pagefind.js", "an index of Pagefind"),
    ("/search-data.json", "a search index"),
    ("/search-index.json", "a search index"),
    ("/search_index.json", "a search index"),
    ("/search.json", "a search index"),
    ("/searchindex.js", "a search index"),
    ("/searchindex.json", "a search index"),
    ("/lunr-index.json", "an index of Lunr"),
    ("/fuse-index.json", "an index of Fuse.js"),
];

/// Whether a file may be an index, by its path.
pub fn may_be_index(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    let is_data = name.ends_with(".js") || name.ends_with(".json");
    let starts = [
        "searchindex",
        "search_index",
        "search-index",
        "@localSearchIndex",
    ];
    let is_named = starts.iter().any(|start| name.starts_with(start));
    // Themes of Hugo have theirs beside the home page.
    let is_theme =
        name == "index.json" || (name.contains("search-data") && name.ends_with(".json"));
    is_data && (is_named || is_theme) || UNKNOWN.iter().any(|(ending, _)| path.ends_with(ending))
}

/// Looks at a file that may be an index.
/// `has_page` says whether the site has a page at a path.
pub fn look(
    path: &str,
    body: &[u8],
    files: &Files<'_>,
    has_page: &dyn Fn(&str) -> bool,
) -> Option<Seen> {
    if let Some(index) = Pagefind::read(path, body) {
        return Some(Seen::Pagefind(index));
    }
    if path
        .strip_suffix("pagefind.js")
        .is_some_and(|folder| files.contains(&*format!("{folder}pagefind-entry.json")))
    {
        return None;
    }
    let unknown = || {
        let known = UNKNOWN.iter().find(|(ending, _)| path.ends_with(ending));
        let is_index = |(_, what): &(&str, &'static str)| Seen::Unknown(what);
        // Of all that begins like an index, programs are none, and many files are called index.json.
        let is_data = path.ends_with(".json") && !path.ends_with("/index.json")
            || path.contains("@localSearchIndex");
        known
            .map(is_index)
            .or_else(|| is_data.then_some(Seen::Unknown("a search index")))
    };
    let text = std::str::from_utf8(body)
        .ok()
        .filter(|_| body.len() <= LARGEST);
    let format = text.and_then(|text| read(path, text, files, has_page));
    format
        .map(|format| {
            Seen::Index(Index {
                path: path.to_owned(),
                format,
            })
        })
        .or_else(unknown)
}

fn read(
    path: &str,
    text: &str,
    files: &Files<'_>,
    has_page: &dyn Fn(&str) -> bool,
) -> Option<Format> {
    let folder = &path[..=path.rfind('/')?];
    if path.ends_with("/searchindex.js") && text.contains("Search.setIndex(") {
        let words = format!("{folder}_static/language_data.js");
        let is_there = files.contains(words.as_str());
        return Sphinx::read(folder, text)
            .filter(|_| is_there)
            .map(|index| Format::Sphinx(index, words));
    }
    if path.contains("/@localSearchIndex") {
        return MiniSearch::read(text, has_page).map(Format::MiniSearch);
    }
    if let Some(index) = Docusaurus::read(text, has_page) {
        return Some(Format::Docusaurus(index));
    }
    let base = path
        .strip_suffix("search/search_index.json")
        .or_else(|| path.strip_suffix("search.json"));
    let pages = base
        .filter(|base| base.ends_with('/'))
        .and_then(|base| MkDocs::read(base, text, files));
    let book = || MdBook::read(folder, text).map(Format::MdBook);
    let entries = || Entries::read(text, has_page).map(Format::Entries);
    pages.map(Format::MkDocs).or_else(book).or_else(entries)
}

impl Index {
    /// Its path, as it is written from the root.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// What made it.
    pub fn generator(&self) -> &'static str {
        match &self.format {
            Format::Sphinx(..) => "Sphinx",
            Format::MkDocs(index) => index.generator(),
            Format::MdBook(_) => "mdBook",
            Format::MiniSearch(_) => "VitePress",
            Format::Docusaurus(_) => "Docusaurus",
            Format::Entries(_) => "a theme",
        }
    }

    /// Number of entries in the source's index; a generator lists pages or sections.
    pub fn entries(&self) -> usize {
        match &self.format {
            Format::Sphinx(index, _) => index.len(),
            Format::MkDocs(index) => index.len(),
            Format::MdBook(index) => index.len(),
            Format::MiniSearch(index) => index.len(),
            Format::Docusaurus(index) => index.len(),
            Format::Entries(index) => index.len(),
        }
    }

    /// Texts that the index looks up with [`Language::words`].
    pub fn texts(&self) -> Box<dyn Iterator<Item = &str> + '_> {
        match &self.format {
            Format::Sphinx(index, _) => Box::new(index.texts()),
            Format::MkDocs(index) => Box::new(index.texts()),
            Format::MdBook(index) => Box::new(index.texts()),
            Format::MiniSearch(index) => Box::new(index.texts()),
            Format::Docusaurus(index) => Box::new(index.texts()),
            Format::Entries(index) => Box::new(index.texts()),
        }
    }

    /// Text that it needs of each page.
    pub fn needs(&self) -> Needs {
        match self.format {
            Format::Sphinx(..) => Needs::Words,
            _ => Needs::Sections,
        }
    }

    /// The files that belong to it in a language.
    pub fn files(&self, locale: &Locale, files: &Files<'_>) -> Vec<IndexFile> {
        let own = IndexFile::Made(self.path.clone());
        match &self.format {
            Format::Sphinx(_, words) => vec![own, IndexFile::Made(words.clone())],
            Format::MkDocs(index) => {
                let beside = index
                    .beside(locale.language(), files)
                    .into_iter()
                    .map(IndexFile::Beside);
                std::iter::once(own).chain(beside).collect()
            }
            Format::MdBook(_)
            | Format::MiniSearch(_)
            | Format::Docusaurus(_)
            | Format::Entries(_) => vec![own],
        }
    }

    /// One of the files that are made anew, in a language.
    pub fn make(&self, path: &str, language: &Language<'_>, files: &Files<'_>) -> String {
        match &self.format {
            Format::Sphinx(_, words) if words == path => language_data(),
            Format::Sphinx(index, _) => index.localize(language),
            Format::MkDocs(index) => index.localize(language, files),
            Format::MdBook(index) => index.localize(language),
            Format::MiniSearch(index) => index.localize(language),
            Format::Docusaurus(index) => index.localize(language),
            Format::Entries(index) => index.localize(language),
        }
    }

    /// How the site's script comes to it.
    pub fn asked(&self) -> Asked {
        match self.format {
            Format::Sphinx(..) | Format::MkDocs(_) | Format::MdBook(_) => Asked::Beside,
            Format::MiniSearch(_) => Asked::Imported,
            Format::Docusaurus(_) => Asked::Fetched,
            Format::Entries(_) => Asked::AtRoot,
        }
    }

    /// Why queries in a language find less than the pages have, if so.
    pub fn lacks(&self, locale: &Locale, files: &Files<'_>) -> Option<&'static str> {
        let is_cut = match &self.format {
            Format::Sphinx(..) => true,
            Format::MkDocs(index) => index.cuts(locale.language(), files),
            Format::MdBook(index) => index.cuts(),
            Format::MiniSearch(_) | Format::Docusaurus(_) | Format::Entries(_) => false,
        };
        (is_unspaced_language(locale.language()) && !is_cut)
            .then_some("the site's search cannot cut its words apart")
    }
}
