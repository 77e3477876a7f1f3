//! Sphinx: `searchindex.js`, and `language_data.js`, which says how a query becomes words. Pure.
//!
//! Both are made for each other: every word of the pages is in the index as it is, so there are no words to pass over and
//! no stems, and a query is cut as the pages were. Snippets are cut from the pages by the site's own script.

use std::collections::{BTreeMap, HashMap};
use std::fmt::{self, Write as _};

use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use super::language::{IndexLanguage, Localized};
use super::place::relative;
use super::spelling::{escaped, read_relaxed};
use super::words::{each_word, splitter};
use crate::page::{PageContent, Section};

/// Members that are generated anew. Parsing skips them, because they are nearly all of the file.
const MADE: [&str; 3] = ["alltitles", "terms", "titleterms"];

/// A `searchindex.js`.
pub(super) struct Sphinx {
    /// The folder that its pages are in.
    base: String,
    data: Map<String, Value>,
    /// What stands around the data.
    around: (String, String),
}

/// Members of the source's index that are kept.
struct SphinxMembers(Map<String, Value>);

impl<'de> Deserialize<'de> for SphinxMembers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = Map<String, Value>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("the object of an index")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
                let mut data = Map::new();
                while let Some(name) = members.next_key::<String>()? {
                    match MADE.contains(&name.as_str()) {
                        true => drop(members.next_value::<IgnoredAny>()?),
                        false => drop(data.insert(name, members.next_value()?)),
                    }
                }
                Ok(data)
            }
        }
        deserializer.deserialize_map(Members).map(Self)
    }
}

/// Member of a localized index.
#[derive(Serialize)]
#[serde(untagged)]
enum SphinxMember<'a> {
    AsItIs(&'a Value),
    Anew(Value),
    Titles(&'a BTreeMap<String, Vec<(u32, Option<String>)>>),
    Terms(&'a BTreeMap<&'a str, &'a Numbers>),
}

/// Numbers of the pages that have a word.
#[derive(Default)]
struct Numbers(Vec<u32>);

impl Serialize for Numbers {
    /// Writes a single number without a list, as Sphinx does.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0[..] {
            [page] => page.serialize(serializer),
            _ => self.0.serialize(serializer),
        }
    }
}

impl Numbers {
    fn add(&mut self, page: u32) {
        if self.0.last() != Some(&page) {
            self.0.push(page);
        }
    }
}

/// Inverted index of words; pages are added in ascending order.
#[derive(Default)]
struct SphinxWords(HashMap<String, Numbers>);

impl SphinxWords {
    fn add(&mut self, word: &str, page: u32) {
        // Sphinx never searches for digits alone.
        if word.bytes().all(|byte| byte.is_ascii_digit()) {
            return;
        }
        match self.0.get_mut(word) {
            Some(pages) => pages.add(page),
            None => drop(self.0.insert(word.to_owned(), Numbers(vec![page]))),
        }
    }

    fn has(&self, word: &str, page: u32) -> bool {
        self.0
            .get(word)
            .is_some_and(|pages| pages.0.last() == Some(&page))
    }

    fn sorted(&self) -> BTreeMap<&str, &Numbers> {
        self.0
            .iter()
            .map(|(word, pages)| (word.as_str(), pages))
            .collect()
    }
}

/// Index contents, added page by page.
#[derive(Default)]
struct SphinxFilling {
    names: Vec<Value>,
    files: Vec<Value>,
    titles: Vec<Value>,
    /// Headings with their pages and anchors; the anchor of a page's own heading is null.
    all_titles: BTreeMap<String, Vec<(u32, Option<String>)>>,
    terms: SphinxWords,
    /// Words of headings, which are left out of `terms`.
    title_terms: SphinxWords,
    /// New page numbers, by the numbers in the source's index.
    numbers: BTreeMap<u64, u32>,
}

impl SphinxFilling {
    fn add(&mut self, (old, name): (usize, String), file: Value, content: &PageContent) {
        let Ok(page) = u32::try_from(self.names.len()) else {
            return;
        };
        self.numbers.insert(old as u64, page);
        self.names.push(name.into());
        self.files.push(file);
        self.titles.push(escaped(content.heading()).into());
        let with_heading = content
            .sections
            .iter()
            .filter(|section| !section.heading.is_empty());
        for (place, section) in with_heading.enumerate() {
            let anchor = section.anchor.clone().filter(|_| place > 0);
            self.all_titles
                .entry(escaped(&section.heading))
                .or_default()
                .push((page, anchor));
        }
        content.sections.iter().for_each(|section| {
            each_word(&section.heading, |word| self.title_terms.add(word, page));
        });
        content.sections.iter().for_each(|section| {
            each_word(&section.text, |word| {
                if !self.title_terms.has(word, page) {
                    self.terms.add(word, page);
                }
            });
        });
    }
}

/// Reduces a page to its headings and its distinct other words.
pub(super) fn words_once(content: &PageContent) -> PageContent {
    let mut words: HashMap<String, ()> = HashMap::new();
    for section in &content.sections {
        each_word(&section.text, |word| {
            if !words.contains_key(word) {
                words.insert(word.to_owned(), ());
            }
        });
    }
    let mut words: Vec<String> = words.into_keys().collect();
    words.sort_unstable();
    let headed = content
        .sections
        .iter()
        .filter(|section| !section.heading.is_empty());
    let mut sections = Vec::new();
    for section in headed {
        let Section {
            anchor, heading, ..
        } = section.clone();
        sections.push(Section {
            anchor,
            heading,
            ..Section::default()
        });
    }
    sections.push(Section {
        text: words.join(" "),
        ..Section::default()
    });
    PageContent {
        title: content.title.clone(),
        sections,
        ..PageContent::default()
    }
}

impl Sphinx {
    /// Reads an index that lies in a folder.
    pub(super) fn read(base: &str, body: &str) -> Option<Self> {
        let start = body.find("Search.setIndex(")? + "Search.setIndex(".len();
        let end = body.rfind(')').filter(|end| *end > start)?;
        let SphinxMembers(data) = read_relaxed(&body[start..end])?;
        let lists =
            ["docnames", "filenames", "titles"].map(|key| data.get(key).and_then(Value::as_array));
        let [Some(names), Some(files), Some(titles)] = lists else {
            return None;
        };
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

    /// Texts to look up in the site's translations: names of object types.
    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        let names = self.data.get("objnames").and_then(Value::as_object);
        names
            .into_iter()
            .flat_map(Map::values)
            .filter_map(|name| name.get(2)?.as_str())
    }

    /// The index in a language.
    pub(super) fn localize(&self, language: &IndexLanguage<'_>) -> String {
        let mut filling = SphinxFilling::default();
        for (old, name) in self.names().enumerate() {
            if let Some((name, content)) = self.doc(name, language) {
                let file = self.data["filenames"].get(old).cloned().unwrap_or_default();
                filling.add((old, name), file, &content.content);
            }
        }
        let SphinxFilling {
            names,
            files,
            titles,
            all_titles,
            terms,
            title_terms,
            numbers,
        } = filling;
        let terms = terms.sorted();
        let title_terms = title_terms.sorted();
        let mut members: BTreeMap<&str, SphinxMember<'_>> = self
            .data
            .iter()
            .map(|(name, value)| (name.as_str(), SphinxMember::AsItIs(value)))
            .collect();
        for (name, values) in [
            ("docnames", names),
            ("filenames", files),
            ("titles", titles),
        ] {
            members.insert(name, SphinxMember::Anew(Value::Array(values)));
        }
        for name in ["objects", "indexentries"] {
            if let Some(value) = self.data.get(name) {
                members.insert(name, SphinxMember::Anew(renumbered(value, &numbers)));
            }
        }
        if let Some(Value::Object(names)) = self.data.get("objnames") {
            let mut names = names.clone();
            names.values_mut().for_each(|name| say_in(name, language));
            members.insert("objnames", SphinxMember::Anew(Value::Object(names)));
        }
        members.insert("alltitles", SphinxMember::Titles(&all_titles));
        members.insert("terms", SphinxMember::Terms(&terms));
        members.insert("titleterms", SphinxMember::Terms(&title_terms));
        // Write into one buffer: the index may have tens of megabytes.
        let mut written = self.around.0.clone().into_bytes();
        if serde_json::to_writer(&mut written, &members).is_err() {
            return String::new();
        }
        written.extend(self.around.1.bytes());
        String::from_utf8(written).unwrap_or_default()
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        self.data["docnames"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|name| name.as_str().unwrap_or_default())
    }

    /// Finds a page of the index in a language, with the name that links use.
    fn doc<'l>(&self, name: &str, language: &IndexLanguage<'l>) -> Option<(String, Localized<'l>)> {
        // `make html` writes one file a page, `make dirhtml` a folder.
        for (written, ending) in [
            (format!("{name}.html"), ".html"),
            (format!("{name}/index.html"), "/"),
        ] {
            let Some(localized) = (language.page)(&format!("{}{written}", self.base)) else {
                continue;
            };
            let there = relative(&self.base, &localized.path, &written, "");
            let name = if there == written {
                name.to_owned()
            } else {
                there.trim_end_matches(ending).to_owned()
            };
            return Some((name, localized));
        }
        None
    }
}

/// Gives the pages in lists such as `[page, …]` their new numbers, and takes away what stands on pages that are not there.
fn renumbered(value: &Value, numbers: &BTreeMap<u64, u32>) -> Value {
    let place = |place: &Value| {
        let mut place = place.clone();
        if let Some(page) = place.get_mut(0)
            && let Some(old) = page.as_u64()
        {
            *page = (*numbers.get(&old)?).into();
        }
        Some(place)
    };
    let Value::Object(groups) = value else {
        return value.clone();
    };
    let group = |group: &Value| match group {
        Value::Array(places) => {
            let places: Vec<Value> = places.iter().filter_map(place).collect();
            (!places.is_empty()).then_some(Value::Array(places))
        }
        Value::Object(places) => {
            let places = places
                .iter()
                .filter_map(|(name, at)| Some((name.clone(), place(at)?)));
            let places: Map<String, Value> = places.collect();
            (!places.is_empty()).then_some(Value::Object(places))
        }
        other => Some(other.clone()),
    };
    Value::Object(
        groups
            .iter()
            .filter_map(|(name, value)| Some((name.clone(), group(value)?)))
            .collect(),
    )
}

/// Says what a kind of object is called, where the site has words for it.
fn say_in(name: &mut Value, language: &IndexLanguage<'_>) {
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
