//! MkDocs, with its own theme or Material: `search/search_index.json`, of which a worker makes the index. Pure.
//!
//! The worker loads functions for a language from files of the site. Where those are there, the index names them. Else it
//! names none: Material's worker then finds words as they are written, and by their beginning; MkDocs' own would take
//! letters away that are not ASCII, so it gets a finished index.

use serde_json::{Map, Value};

use super::language::{IndexEntry, IndexLanguage, LocalizedEntry, SourceFiles};
use super::lunr::{Highlighting, finished};
use super::spelling::{escaped, read_object};
use super::words::{has_unspaced, is_unspaced};

/// What cuts words by default, and what does so where we say it: sentences also have signs, not all of them ASCII.
const DEFAULT_SEPARATOR: &str = "[\\s\\-]+";
const SEPARATOR: &str =
    "[\\s\\-\\u200b,;:!?()\"¿¡«»„“”‚‘’…،؛؟、。，．：；！？（）「」]+|\\.(?=\\s|$)";

/// A `search_index.json`, or the `search.json` of Zensical, which is one with another name for its entries.
pub(super) struct MkDocs {
    /// The folder that its pages are in.
    base: String,
    data: Map<String, Value>,
    /// The member that holds the entries.
    list: &'static str,
    /// Whether the theme is Material, whose worker takes texts for HTML.
    is_material: bool,
    /// Whether a page's own entry has the words of its sections, too.
    whole: bool,
}

impl MkDocs {
    /// Reads an index whose pages lie in a folder.
    pub(super) fn read(base: &str, body: &str, files: &SourceFiles<'_>) -> Option<Self> {
        let data = read_object(body)?;
        let list = ["docs", "items"]
            .into_iter()
            .find(|list| data.contains_key(*list))?;
        let docs = data.get(list)?.as_array()?;
        let is_entry = |doc: &Value| {
            ["location", "title", "text"]
                .iter()
                .all(|key| doc.get(*key).is_some_and(Value::is_string))
        };
        let is_whole = data.get("config")?.is_object() && docs.iter().all(is_entry);
        let whole = holds_sections(docs);
        let is_material = !files.contains(format!("{base}search/worker.js").as_str());
        is_whole.then(|| Self {
            base: base.to_owned(),
            data,
            list,
            is_material,
            whole,
        })
    }

    /// What made it.
    pub(super) fn generator(&self) -> &'static str {
        match (self.list, self.is_material) {
            ("items", _) => "Zensical",
            (_, true) => "MkDocs Material",
            (_, false) => "MkDocs",
        }
    }

    /// How many entries it has.
    pub(super) fn len(&self) -> usize {
        self.docs().len()
    }

    /// Texts to look up in the site's translations: titles and breadcrumbs.
    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        self.docs().iter().flat_map(|doc| {
            let steps = doc
                .get("path")
                .and_then(Value::as_array)
                .into_iter()
                .flatten();
            doc.get("title")
                .into_iter()
                .chain(steps)
                .filter_map(Value::as_str)
        })
    }

    fn docs(&self) -> &[Value] {
        self.data[self.list]
            .as_array()
            .map(Vec::as_slice)
            .unwrap_or_default()
    }

    /// The files that the worker loads for a language; nothing where one of them is not there, or is of no use.
    fn plugins(&self, language: &str, files: &SourceFiles<'_>) -> Option<Vec<String>> {
        let cutter = match language {
            // Their functions rely on programs that no browser has.
            "en" | "zh" | "yue" | "ko" => return None,
            "ja" => Some("tinyseg"),
            "hi" | "th" if self.is_material => Some("wordcut"),
            _ => None,
        };
        let language = if language == "nb" || language == "nn" {
            "no"
        } else {
            language
        };
        let file = |name: &str| match (self.is_material, name.starts_with("lunr.")) {
            (true, true) => format!("{}assets/javascripts/lunr/min/{name}.min.js", self.base),
            (true, false) => format!("{}assets/javascripts/lunr/{name}.js", self.base),
            (false, _) => format!("{}search/{name}.js", self.base),
        };
        let names = [
            "lunr.stemmer.support".to_owned(),
            format!("lunr.{language}"),
        ];
        let all: Vec<String> = names
            .iter()
            .map(String::as_str)
            .chain(cutter)
            .map(file)
            .collect();
        all.iter()
            .all(|file| files.contains(file.as_str()))
            .then_some(all)
    }

    /// The files that the site's pages and its worker look for beside the index.
    pub(super) fn beside(&self, language: &str, files: &SourceFiles<'_>) -> Vec<String> {
        let folder = if self.is_material {
            "assets/javascripts/workers/"
        } else {
            "search/"
        };
        let folder = format!("{}{folder}", self.base);
        let is_program = |path: &&&str| path.starts_with(folder.as_str()) && path.ends_with(".js");
        let workers = files
            .range(folder.as_str()..)
            .take_while(|path| path.starts_with(folder.as_str()));
        let mut beside: Vec<String> = workers
            .filter(is_program)
            .map(|path| (*path).to_owned())
            .collect();
        beside.extend(self.plugins(language, files).unwrap_or_default());
        beside.sort();
        beside.dedup();
        beside
    }

    /// Whether queries in a language without spaces are cut as its texts are.
    pub(super) fn cuts(&self, language: &str, files: &SourceFiles<'_>) -> bool {
        match language {
            "ja" => self.plugins(language, files).is_some(),
            "zh" | "yue" => self.generator() == "MkDocs Material",
            _ => false,
        }
    }

    /// The index in a language.
    pub(super) fn localize(&self, language: &IndexLanguage<'_>, files: &SourceFiles<'_>) -> String {
        let named = self.plugins(language.locale.language(), files).map(|_| {
            match language.locale.language() {
                "nb" | "nn" => "no",
                language => language,
            }
        });
        let text = |doc: &Value, key: &str| {
            doc.get(key)
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned()
        };
        let own: Vec<(String, String)> = self
            .docs()
            .iter()
            .map(|doc| (text(doc, "location"), text(doc, "title")))
            .collect();
        let entries: Vec<IndexEntry<'_>> = own
            .iter()
            .map(|(location, title)| IndexEntry { location, title })
            .collect();
        let said = language.said(&self.base, &entries, self.whole);
        let docs = self.docs().iter().zip(said).filter_map(|(doc, said)| {
            let LocalizedEntry {
                location,
                title,
                text,
            } = said?;
            let mut doc = doc.clone();
            doc["location"] = location.into();
            doc["title"] = self.spelled(&title, named).into();
            if let Some(text) = text {
                doc["text"] = self.spelled(&text, named).into();
            }
            for step in doc
                .get_mut("path")
                .and_then(Value::as_array_mut)
                .into_iter()
                .flatten()
            {
                if let Some(words) = step.as_str().and_then(language.words) {
                    *step = self.spelled(&words, named).into();
                }
            }
            Some(doc)
        });
        let docs: Vec<Value> = docs.collect();
        let mut data = self.data.clone();
        // One that was made beforehand is in the source language.
        data.remove("index");
        if !self.is_material && named.is_none() {
            let index = finished(&docs, "location", &["title", "text"], Highlighting::None);
            data.insert(
                "index".to_owned(),
                serde_json::from_str(&index).unwrap_or_default(),
            );
        }
        data.insert(self.list.to_owned(), Value::Array(docs));
        if let Some(Value::Object(config)) = data.get_mut("config") {
            self.configure(config, named);
        }
        serde_json::to_string(&data).unwrap_or_default()
    }

    fn spelled(&self, words: &str, named: Option<&str>) -> String {
        match self.is_material {
            true if named.is_none() && has_unspaced(words) => escaped(&parted(words)),
            true => escaped(words),
            false => words.to_owned(),
        }
    }

    /// Says what cuts words. `en` stands for lunr itself; its functions are for English, so none of them is used.
    fn configure(&self, config: &mut Map<String, Value>, named: Option<&str>) {
        config.insert("lang".to_owned(), vec![named.unwrap_or("en")].into());
        if named.is_none() && self.is_material {
            config.insert("pipeline".to_owned(), Value::Array(Vec::new()));
        }
        let separator = match config.get("separator").and_then(Value::as_str) {
            Some(DEFAULT_SEPARATOR) => SEPARATOR.to_owned(),
            Some(own) if self.is_material => format!("{own}|\u{200b}"),
            Some(_) | None => return,
        };
        config.insert("separator".to_owned(), separator.into());
    }
}

/// Letters of scripts without spaces, with marks between them that no reader sees and the worker cuts at.
fn parted(text: &str) -> String {
    let mut parted = String::with_capacity(text.len() * 2);
    let mut before = None;
    for letter in text.chars() {
        if before.is_some_and(is_unspaced) && is_unspaced(letter) {
            parted.push('\u{200b}');
        }
        parted.push(letter);
        before = Some(letter);
    }
    parted
}

/// Whether a page's own entry holds the words of its sections.
fn holds_sections(docs: &[Value]) -> bool {
    const TELLING: usize = 24;
    let text = |doc: &Value, key: &str| {
        doc.get(key)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    let mut page = (String::new(), String::new());
    for doc in docs {
        let location = text(doc, "location");
        let words = text(doc, "text");
        match location.split_once('#') {
            None => page = (location, words),
            Some((of, _)) if of == page.0 && words.len() >= TELLING => {
                return page.1.contains(&words);
            }
            Some(_) => {}
        }
    }
    false
}
