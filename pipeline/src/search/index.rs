//! Which files of a site are search indexes, which of them are known, and what is made of those for a language. Pure.

use super::docusaurus::Docusaurus;
use super::entries::Entries;
use super::language::{IndexLanguage, SourceFiles};
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
pub enum RecognizedFile {
    /// An index that is made anew for each language.
    Index(RecognizedIndex),
    /// An index that Pagefind makes anew for each language, if it is there to do so.
    Pagefind(Pagefind),
    /// An index that stays in the source language: what it is.
    Unknown(&'static str),
}

/// A search index of the source.
pub struct RecognizedIndex {
    /// Its path, as it is written from the root.
    path: String,
    format: IndexFormat,
}

/// How a site's script comes to an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexLoading {
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

enum IndexFormat {
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
    files: &SourceFiles<'_>,
    has_page: &dyn Fn(&str) -> bool,
) -> Option<RecognizedFile> {
    if let Some(index) = Pagefind::read(path, body) {
        return Some(RecognizedFile::Pagefind(index));
    }
    if path
        .strip_suffix("pagefind.js")
        .is_some_and(|folder| files.contains(&*format!("{folder}pagefind-entry.json")))
    {
        return None;
    }
    let unknown = || {
        let known = UNKNOWN.iter().find(|(ending, _)| path.ends_with(ending));
        let is_index = |(_, what): &(&str, &'static str)| RecognizedFile::Unknown(what);
        // Of all that begins like an index, programs are none, and many files are called index.json.
        let is_data = path.ends_with(".json") && !path.ends_with("/index.json")
            || path.contains("@localSearchIndex");
        known
            .map(is_index)
            .or_else(|| is_data.then_some(RecognizedFile::Unknown("a search index")))
    };
    let text = std::str::from_utf8(body)
        .ok()
        .filter(|_| body.len() <= LARGEST);
    let format = text.and_then(|text| read(path, text, files, has_page));
    format
        .map(|format| {
            RecognizedFile::Index(RecognizedIndex {
                path: path.to_owned(),
                format,
            })
        })
        .or_else(unknown)
}

fn read(
    path: &str,
    text: &str,
    files: &SourceFiles<'_>,
    has_page: &dyn Fn(&str) -> bool,
) -> Option<IndexFormat> {
    let folder = &path[..=path.rfind('/')?];
    if path.ends_with("/searchindex.js") && text.contains("Search.setIndex(") {
        let words = format!("{folder}_static/language_data.js");
        let is_there = files.contains(words.as_str());
        return Sphinx::read(folder, text)
            .filter(|_| is_there)
            .map(|index| IndexFormat::Sphinx(index, words));
    }
    if path.contains("/@localSearchIndex") {
        return MiniSearch::read(text, has_page).map(IndexFormat::MiniSearch);
    }
    if let Some(index) = Docusaurus::read(text, has_page) {
        return Some(IndexFormat::Docusaurus(index));
    }
    let base = path
        .strip_suffix("search/search_index.json")
        .or_else(|| path.strip_suffix("search.json"));
    let pages = base
        .filter(|base| base.ends_with('/'))
        .and_then(|base| MkDocs::read(base, text, files));
    let book = || MdBook::read(folder, text).map(IndexFormat::MdBook);
    let entries = || Entries::read(text, has_page).map(IndexFormat::Entries);
    pages
        .map(IndexFormat::MkDocs)
        .or_else(book)
        .or_else(entries)
}

impl RecognizedIndex {
    /// Its path, as it is written from the root.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// What made it.
    pub fn generator(&self) -> &'static str {
        match &self.format {
            IndexFormat::Sphinx(..) => "Sphinx",
            IndexFormat::MkDocs(index) => index.generator(),
            IndexFormat::MdBook(_) => "mdBook",
            IndexFormat::MiniSearch(_) => "VitePress",
            IndexFormat::Docusaurus(_) => "Docusaurus",
            IndexFormat::Entries(_) => "a theme",
        }
    }

    /// Number of entries in the source's index; a generator lists pages or sections.
    pub fn entries(&self) -> usize {
        match &self.format {
            IndexFormat::Sphinx(index, _) => index.len(),
            IndexFormat::MkDocs(index) => index.len(),
            IndexFormat::MdBook(index) => index.len(),
            IndexFormat::MiniSearch(index) => index.len(),
            IndexFormat::Docusaurus(index) => index.len(),
            IndexFormat::Entries(index) => index.len(),
        }
    }

    /// Texts that the index looks up with [`IndexLanguage::words`].
    pub fn texts(&self) -> Box<dyn Iterator<Item = &str> + '_> {
        match &self.format {
            IndexFormat::Sphinx(index, _) => Box::new(index.texts()),
            IndexFormat::MkDocs(index) => Box::new(index.texts()),
            IndexFormat::MdBook(index) => Box::new(index.texts()),
            IndexFormat::MiniSearch(index) => Box::new(index.texts()),
            IndexFormat::Docusaurus(index) => Box::new(index.texts()),
            IndexFormat::Entries(index) => Box::new(index.texts()),
        }
    }

    /// Text that it needs of each page.
    pub fn needs(&self) -> Needs {
        match self.format {
            IndexFormat::Sphinx(..) => Needs::Words,
            _ => Needs::Sections,
        }
    }

    /// The files that belong to it in a language.
    pub fn files(&self, locale: &Locale, files: &SourceFiles<'_>) -> Vec<IndexFile> {
        let own = IndexFile::Made(self.path.clone());
        match &self.format {
            IndexFormat::Sphinx(_, words) => vec![own, IndexFile::Made(words.clone())],
            IndexFormat::MkDocs(index) => {
                let beside = index
                    .beside(locale.language(), files)
                    .into_iter()
                    .map(IndexFile::Beside);
                std::iter::once(own).chain(beside).collect()
            }
            IndexFormat::MdBook(_)
            | IndexFormat::MiniSearch(_)
            | IndexFormat::Docusaurus(_)
            | IndexFormat::Entries(_) => vec![own],
        }
    }

    /// One of the files that are made anew, in a language.
    pub fn make(
        &self,
        path: &str,
        language: &IndexLanguage<'_>,
        files: &SourceFiles<'_>,
    ) -> String {
        match &self.format {
            IndexFormat::Sphinx(_, words) if words == path => language_data(),
            IndexFormat::Sphinx(index, _) => index.localize(language),
            IndexFormat::MkDocs(index) => index.localize(language, files),
            IndexFormat::MdBook(index) => index.localize(language),
            IndexFormat::MiniSearch(index) => index.localize(language),
            IndexFormat::Docusaurus(index) => index.localize(language),
            IndexFormat::Entries(index) => index.localize(language),
        }
    }

    /// How the site's script comes to it.
    pub fn asked(&self) -> IndexLoading {
        match self.format {
            IndexFormat::Sphinx(..) | IndexFormat::MkDocs(_) | IndexFormat::MdBook(_) => {
                IndexLoading::Beside
            }
            IndexFormat::MiniSearch(_) => IndexLoading::Imported,
            IndexFormat::Docusaurus(_) => IndexLoading::Fetched,
            IndexFormat::Entries(_) => IndexLoading::AtRoot,
        }
    }

    /// Why queries in a language find less than the pages have, if so.
    pub fn lacks(&self, locale: &Locale, files: &SourceFiles<'_>) -> Option<&'static str> {
        let is_cut = match &self.format {
            IndexFormat::Sphinx(..) => true,
            IndexFormat::MkDocs(index) => index.cuts(locale.language(), files),
            IndexFormat::MdBook(index) => index.cuts(),
            IndexFormat::MiniSearch(_) | IndexFormat::Docusaurus(_) | IndexFormat::Entries(_) => {
                false
            }
        };
        (is_unspaced_language(locale.language()) && !is_cut)
            .then_some("the site's search cannot cut its words apart")
    }
}
