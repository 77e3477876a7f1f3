//! Docusaurus: its local search (`@easyops-cn/docusaurus-search-local`), finished indexes of lunr in one `search-index.json`.
//! Pure.
//!
//! The file is a list: the titles of pages, their headings, their descriptions, their keywords and their texts, each with
//! the documents that readers see and an index of its own. The site's script cuts queries at white space and hyphens, and
//! words of Chinese signs by the words that the index has.

use std::collections::HashMap;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Map, Value};

use super::language::{IndexEntry, IndexLanguage, LocalizedEntry};
use super::lunr::{Highlighting, finished};

/// The number of a document.
const NUMBER: &str = "i";
/// What it says, which is searched.
const TEXT: &str = "t";
/// The title of its page or section.
const TITLE: &str = "s";
/// The path of its page, and the fragment of its section.
const PAGE: &str = "u";
const FRAGMENT: &str = "h";
/// The titles of the pages above a page.
const ABOVE: &str = "b";
/// Which of the list are descriptions, and which are texts; titles and headings come before both.
const DESCRIPTIONS: usize = 2;
const TEXTS: usize = 4;

/// A `search-index.json`.
pub(super) struct Docusaurus {
    /// The documents of each kind, as the source has them.
    kinds: Vec<Vec<Map<String, Value>>>,
}

/// An entry of the list: documents of one kind with their index.
#[derive(Deserialize)]
struct DocusaurusKind {
    documents: Vec<Map<String, Value>>,
    #[serde(rename = "index")]
    _index: DocusaurusIndex,
}

/// The source's index, parsed only to check its form.
#[derive(Deserialize)]
struct DocusaurusIndex {
    #[serde(rename = "invertedIndex")]
    _inverted: Vec<IgnoredAny>,
}

impl Docusaurus {
    /// Reads a file whose documents are pages of the site.
    pub(super) fn read(body: &str, has_page: &dyn Fn(&str) -> bool) -> Option<Self> {
        let data: Vec<DocusaurusKind> = serde_json::from_str(body).ok()?;
        let kinds: Vec<_> = data.into_iter().map(|kind| kind.documents).collect();
        let is_known = |document: &Map<String, Value>| {
            document.get(NUMBER).is_some_and(Value::is_u64)
                && document.get(TEXT).is_some_and(Value::is_string)
                && has_page(text(document, PAGE))
        };
        let is_whole = kinds.len() == TEXTS + 1 && kinds.iter().flatten().all(is_known);
        is_whole.then_some(Self { kinds })
    }

    /// How many entries it has.
    pub(super) fn len(&self) -> usize {
        self.kinds.iter().map(Vec::len).sum()
    }

    /// Texts to look up in the site's translations: all but page text.
    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        self.kinds.iter().enumerate().flat_map(|(kind, documents)| {
            documents.iter().flat_map(move |document| {
                let above = document
                    .get(ABOVE)
                    .and_then(Value::as_array)
                    .into_iter()
                    .flatten();
                let own = document.get(TEXT).filter(|_| kind != TEXTS);
                above
                    .chain(own)
                    .chain(document.get(TITLE))
                    .filter_map(Value::as_str)
            })
        })
    }

    /// The file in a language.
    pub(super) fn localize(&self, language: &IndexLanguage<'_>) -> String {
        let sections = self.sections(language);
        let mut written = String::from("[");
        for (kind, documents) in self.kinds.iter().enumerate() {
            let documents = documents.iter().filter_map(|document| {
                let said = sections.get(location(document).as_str())?.as_ref()?;
                Some(localized(document, kind, said, &sections, language))
            });
            let documents: Vec<Value> = documents.map(Value::Object).collect();
            if kind > 0 {
                written.push(',');
            }
            written.push_str("{\"documents\":");
            written.push_str(&serde_json::to_string(&documents).unwrap_or_default());
            written.push_str(",\"index\":");
            written.push_str(&finished(&documents, NUMBER, &[TEXT], Highlighting::Chunks));
            written.push('}');
        }
        written.push(']');
        written
    }

    /// What each page and section says that a document is of, by where it is.
    fn sections(&self, language: &IndexLanguage<'_>) -> HashMap<String, Option<LocalizedEntry>> {
        let mut titles: HashMap<String, &str> = HashMap::new();
        for (kind, documents) in self.kinds.iter().enumerate() {
            for document in documents {
                let title = text(document, if kind < DESCRIPTIONS { TEXT } else { TITLE });
                titles.entry(location(document)).or_insert(title);
            }
        }
        let mut entries: Vec<IndexEntry<'_>> = titles
            .iter()
            .map(|(location, title)| IndexEntry { location, title })
            .collect();
        entries.sort_by_key(|entry| entry.location);
        let said = language.said("", &entries, false);
        entries
            .iter()
            .map(|entry| entry.location.to_owned())
            .zip(said)
            .collect()
    }
}

/// A document in a language.
fn localized(
    document: &Map<String, Value>,
    kind: usize,
    said: &LocalizedEntry,
    sections: &HashMap<String, Option<LocalizedEntry>>,
    language: &IndexLanguage<'_>,
) -> Map<String, Value> {
    let by_itself = |text: &str| (language.words)(text).unwrap_or_else(|| text.to_owned());
    let mut document = document.clone();
    let words = match kind {
        TEXTS => said.text.clone(),
        kind if kind < DESCRIPTIONS => Some(said.title.clone()),
        // Most often the beginning of the page, cut off.
        DESCRIPTIONS => {
            (language.words)(text(&document, TEXT)).or_else(|| said.text.as_deref().map(beginning))
        }
        _ => None,
    };
    let words = words.unwrap_or_else(|| by_itself(text(&document, TEXT)));
    let page = sections.get(text(&document, PAGE)).and_then(Option::as_ref);
    if document.contains_key(TITLE) {
        let title = if kind == TEXTS { Some(said) } else { page };
        let title = title.map_or_else(
            || by_itself(text(&document, TITLE)),
            |said| said.title.clone(),
        );
        document.insert(TITLE.to_owned(), title.into());
    }
    if let Some(Value::Array(above)) = document.get_mut(ABOVE) {
        for title in above {
            *title = title.as_str().map(by_itself).into();
        }
    }
    let (path, _) = said
        .location
        .split_once('#')
        .unwrap_or((&said.location, ""));
    document.insert(PAGE.to_owned(), path.into());
    document.insert(TEXT.to_owned(), words.into());
    document
}

/// How much of a page stands for a description, in letters.
const DESCRIPTION: usize = 200;

fn beginning(text: &str) -> String {
    text.chars().take(DESCRIPTION).collect()
}

fn location(document: &Map<String, Value>) -> String {
    format!("{}{}", text(document, PAGE), text(document, FRAGMENT))
}

fn text<'d>(document: &'d Map<String, Value>, key: &str) -> &'d str {
    document
        .get(key)
        .and_then(Value::as_str)
        .unwrap_or_default()
}
