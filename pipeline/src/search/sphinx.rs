//! Sphinx: `searchindex.js`, and `language_data.js`, which says how a query becomes words. Pure.
//!
//! Both are made for each other: every word of the pages is in the index as it is, so there are no words to pass over and
//! no stems, and a query is cut as the pages were. Snippets are cut from the pages by the site's own script.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Map, Value};

use super::language::{Language, Localized};
use super::place::relative;
use super::spelling::{escaped, read_object};
use super::words::{each_word, splitter};

/// A `searchindex.js`.
pub(super) struct Sphinx {
    /// The folder that its pages are in.
    base: String,
    data: Map<String, Value>,
    /// What stands around the data.
    around: (String, String),
}

/// A page that the index knows and readers of a language have.
struct Doc<'a> {
    /// Its number in the source's index.
    old: usize,
    /// Its name, as links are made of it.
    name: String,
    localized: Localized<'a>,
}

impl Sphinx {
    /// Reads an index that lies in a folder.
    pub(super) fn read(base: &str, body: &str) -> Option<Self> {
        let start = body.find("Search.setIndex(")? + "Search.setIndex(".len();
        let end = body.rfind(')').filter(|end| *end > start)?;
        let mut data = read_object(&body[start..end])?;
        // Words and headings are found anew.
        ["terms", "titleterms", "alltitles"].iter().for_each(|key| drop(data.remove(*key)));
        let lists = ["docnames", "filenames", "titles"].map(|key| data.get(key).and_then(Value::as_array));
        let [Some(names), Some(files), Some(titles)] = lists else { return None };
        let around = (body[..start].to_owned(), body[end..].to_owned());
        (names.len() == files.len() && names.len() == titles.len()).then(|| Self {
            base: base.to_owned(),
            data,
            around,
        })
    }

    /// How many pages it knows.
    pub(super) fn len(&self) -> usize {
        self.names().count()
    }

    /// The index in a language.
    pub(super) fn localize(&self, language: &Language<'_>) -> String {
        let docs: Vec<Doc<'_>> = self.docs(language);
        let mut data = self.data.clone();
        let mut keep = |key: &str, values: Vec<Value>| data.insert(key.to_owned(), Value::Array(values));
        let files = |doc: &Doc<'_>| self.data["filenames"].get(doc.old).cloned().unwrap_or_default();
        keep("docnames", docs.iter().map(|doc| doc.name.clone().into()).collect());
        keep("filenames", docs.iter().map(files).collect());
        keep("titles", docs.iter().map(|doc| escaped(doc.localized.content.heading()).into()).collect());
        data.insert("alltitles".to_owned(), all_titles(&docs));
        let (terms, title_terms) = terms(&docs);
        data.insert("terms".to_owned(), terms);
        data.insert("titleterms".to_owned(), title_terms);
        let numbers: BTreeMap<u64, u64> =
            (0..).zip(&docs).map(|(new, doc)| (u64::try_from(doc.old).unwrap_or(0), new)).collect();
        for key in ["objects", "indexentries"] {
            if let Some(value) = data.get_mut(key) {
                renumber(value, &numbers);
            }
        }
        if let Some(Value::Object(names)) = data.get_mut("objnames") {
            names.values_mut().for_each(|name| say_in(name, language));
        }
        let json = serde_json::to_string(&data).unwrap_or_default();
        format!("{}{json}{}", self.around.0, self.around.1)
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        self.data["docnames"].as_array().into_iter().flatten().map(|name| name.as_str().unwrap_or_default())
    }

    fn docs<'l>(&self, language: &Language<'l>) -> Vec<Doc<'l>> {
        let doc = |(old, name): (usize, &str)| {
            // `make html` writes one file a page, `make dirhtml` a folder.
            for (written, ending) in [(format!("{name}.html"), ".html"), (format!("{name}/index.html"), "/")] {
                let Some(localized) = (language.page)(&format!("{}{written}", self.base)) else { continue };
                let there = relative(&self.base, localized.path, &written, "");
                let name = if there == written { name.to_owned() } else { there.trim_end_matches(ending).to_owned() };
                return Some(Doc { old, name, localized });
            }
            None
        };
        self.names().enumerate().filter_map(doc).collect()
    }
}

/// Headings with the pages and fragments that they stand at; the fragment of a page's own heading is null.
fn all_titles(docs: &[Doc<'_>]) -> Value {
    let mut titles: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for (number, doc) in docs.iter().enumerate() {
        let content = doc.localized.content;
        let mut is_first = true;
        for section in content.sections.iter().filter(|section| !section.heading.is_empty()) {
            let anchor = section.anchor.as_deref().filter(|_| !is_first);
            titles.entry(escaped(&section.heading)).or_default().push(serde_json::json!([number, anchor]));
            is_first = false;
        }
    }
    titles.into_iter().map(|(title, places)| (title, Value::Array(places))).collect()
}

/// The words of texts and those of headings, each with the numbers of its pages; those of headings are not said twice.
fn terms(docs: &[Doc<'_>]) -> (Value, Value) {
    let (mut terms, mut titles): (BTreeMap<String, Vec<usize>>, BTreeMap<String, Vec<usize>>) = Default::default();
    for (number, doc) in docs.iter().enumerate() {
        let sections = &doc.localized.content.sections;
        sections.iter().for_each(|section| each_word(&section.heading, |word| note(&mut titles, word, number)));
        sections.iter().for_each(|section| {
            each_word(&section.text, |word| {
                if titles.get(word).and_then(|pages| pages.last()) != Some(&number) {
                    note(&mut terms, word, number);
                }
            });
        });
    }
    let written = |terms: BTreeMap<String, Vec<usize>>| {
        let pages = |pages: Vec<usize>| match pages[..] {
            [page] => Value::from(page),
            _ => Value::from(pages),
        };
        terms.into_iter().map(|(word, numbers)| (word, pages(numbers))).collect()
    };
    (written(terms), written(titles))
}

fn note(terms: &mut BTreeMap<String, Vec<usize>>, word: &str, number: usize) {
    // A query is never asked for figures alone.
    if word.bytes().all(|byte| byte.is_ascii_digit()) {
        return;
    }
    match terms.get_mut(word) {
        Some(pages) if pages.last() == Some(&number) => {}
        Some(pages) => pages.push(number),
        None => {
            terms.insert(word.to_owned(), vec![number]);
        }
    }
}

/// Gives the pages in lists such as `[page, …]` their new numbers, and takes away what stands on pages that are not there.
fn renumber(value: &mut Value, numbers: &BTreeMap<u64, u64>) {
    let renumbered = |place: &mut Value| {
        let Some((page, old)) = place.get_mut(0).and_then(|page| page.as_u64().map(|old| (page, old))) else {
            return true;
        };
        let new = numbers.get(&old);
        new.iter().for_each(|&&new| *page = new.into());
        new.is_some()
    };
    let Value::Object(groups) = value else { return };
    for group in groups.values_mut() {
        match group {
            Value::Array(places) => places.retain_mut(renumbered),
            Value::Object(places) => places.retain(|_, place| renumbered(place)),
            _ => {}
        }
    }
    groups.retain(|_, group| match group {
        Value::Array(places) => !places.is_empty(),
        Value::Object(places) => !places.is_empty(),
        _ => true,
    });
}

/// Says what a kind of object is called, where the site has words for it.
fn say_in(name: &mut Value, language: &Language<'_>) {
    if let Some(called) = name.get_mut(2)
        && let Some(words) = called.as_str().and_then(language.words)
    {
        *called = escaped(&words).into();
    }
}

/// `language_data.js` for an index of ours.
pub(super) fn language_data() -> String {
    let mut text = String::from(
        "// The index holds each word as it is written: no word is passed over, and none is cut back to a stem.\n\
         var stopwords = Object.assign(new Set(), { indexOf: () => -1 });\n\
         var Stemmer = function () {\n  this.stemWord = (word) => word;\n};\n",
    );
    let _ = writeln!(text, "var splitQuery = {};", splitter());
    text
}
