//! mdBook: `searchindex.js`, `searchindex-*.js` and `searchindex.json`, an index of elasticlunr. Pure.
//!
//! The site's own elasticlunr knows English: it cuts words back to English stems, passes English words over and takes
//! away letters that are not ASCII. So an index in another language names no function at all, and holds words as they are
//! written; the beginning of a word is enough to find it. An index that is a program brings the function along that cuts
//! queries as its words were cut.

use serde_json::{Map, Value, json};

use super::elasticlunr::Inverted;
use super::language::{IndexEntry, IndexLanguage, LocalizedEntry};
use super::spelling::{escaped, read_object, single_quoted, unquoted};
use super::words::splitter;

/// What stands between the parts of where a section is found.
const STEP: &str = " » ";

/// An index of mdBook.
pub(super) struct MdBook {
    /// The folder that its pages are in.
    base: String,
    data: Map<String, Value>,
    writing: MdBookWriting,
}

/// How the file says it.
enum MdBookWriting {
    Json,
    /// As an object in a program, and what stands around it.
    Object(String, String),
    /// As JSON in a string of a program.
    Quoted(String, String),
}

impl MdBookWriting {
    /// Takes a file apart.
    fn read(body: &str) -> Option<(Self, Map<String, Value>)> {
        if body.trim_start().starts_with('{') {
            return Some((Self::Json, read_object(body)?));
        }
        let start = body
            .find('{')
            .filter(|&start| body[..start].contains("window.search"))?;
        let end = body
            .rfind('}')
            .map(|end| end + 1)
            .filter(|end| *end > start)?;
        let before = body[..start].to_owned();
        let after = body[end..].to_owned();
        if before.trim_end().ends_with("JSON.parse('") {
            return Some((
                Self::Quoted(before, after),
                read_object(&unquoted(&body[start..end]))?,
            ));
        }
        Some((Self::Object(before, after), read_object(&body[start..end])?))
    }

    fn write(&self, data: &Map<String, Value>) -> String {
        let json = serde_json::to_string(data).unwrap_or_default();
        match self {
            Self::Json => json,
            Self::Object(before, after) => format!("{before}{json}{after}{}", cutting()),
            Self::Quoted(before, after) => {
                format!("{before}{}{after}{}", single_quoted(&json), cutting())
            }
        }
    }
}

/// Lets the site's elasticlunr cut queries as the index was cut.
fn cutting() -> String {
    format!(
        "\nif (window.elasticlunr) {{\n  const cut = {};\n  window.elasticlunr.tokenizer = Object.assign(\n    \
         (query) => cut(String(query ?? \"\")).map((word) => word.toLowerCase()), window.elasticlunr.tokenizer);\n}}\n",
        splitter()
    )
}

impl MdBook {
    /// Reads an index that lies in a folder.
    pub(super) fn read(base: &str, body: &str) -> Option<Self> {
        let (writing, mut data) = MdBookWriting::read(body)?;
        // Words are found anew.
        data.get_mut("index")?.as_object_mut()?.remove("index");
        let index = Self {
            base: base.to_owned(),
            data,
            writing,
        };
        let is_whole = index.data.get("doc_urls")?.is_array()
            && index.documents()?.values().all(Value::is_object);
        is_whole.then_some(index)
    }

    /// How many entries it has.
    pub(super) fn len(&self) -> usize {
        self.documents().map_or(0, Map::len)
    }

    /// Texts to look up in the site's translations: titles and breadcrumbs.
    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        let documents = self.documents().into_iter().flat_map(Map::values);
        documents.flat_map(|document| {
            let text = |name: &str| {
                document
                    .get(name)
                    .and_then(Value::as_str)
                    .unwrap_or_default()
            };
            text("breadcrumbs").split(STEP).chain([text("title")])
        })
    }

    /// Whether queries are cut by a program of ours.
    pub(super) fn cuts(&self) -> bool {
        !matches!(self.writing, MdBookWriting::Json)
    }

    fn documents(&self) -> Option<&Map<String, Value>> {
        self.data
            .get("index")?
            .get("documentStore")?
            .get("docs")?
            .as_object()
    }

    /// The index in a language.
    pub(super) fn localize(&self, language: &IndexLanguage<'_>) -> String {
        let urls: Vec<&str> = self.data["doc_urls"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let field = |number: usize, name: &str| {
            let document = self
                .documents()
                .and_then(|documents| documents.get(&number.to_string()));
            document
                .and_then(|document| document.get(name)?.as_str())
                .unwrap_or_default()
        };
        let entries: Vec<IndexEntry<'_>> = (0..)
            .zip(&urls)
            .map(|(number, location)| IndexEntry {
                location,
                title: field(number, "title"),
            })
            .collect();
        let said = language.said(&self.base, &entries, false);
        let mut inverted = Inverted::default();
        let mut documents = Map::new();
        let mut places = Vec::new();
        let found = said
            .into_iter()
            .enumerate()
            .filter_map(|(old, said)| Some((old, said?)));
        for (
            new,
            (
                old,
                LocalizedEntry {
                    location,
                    title,
                    text,
                },
            ),
        ) in found.enumerate()
        {
            let body = text.unwrap_or_else(|| field(old, "body").to_owned());
            let steps = trail(
                field(old, "breadcrumbs"),
                field(old, "title"),
                &title,
                language,
            );
            inverted.add(
                new,
                &[("title", &title), ("body", &body), ("breadcrumbs", &steps)],
            );
            // The site's script takes the last for HTML.
            let document = json!({ "body": body, "breadcrumbs": escaped(&steps), "id": new.to_string(), "title": title });
            documents.insert(new.to_string(), document);
            places.push(Value::from(location));
        }
        let mut data = self.data.clone();
        let length = documents.len();
        data.insert("doc_urls".to_owned(), Value::Array(places));
        if let Some(index) = data.get_mut("index") {
            index["pipeline"] = json!([]);
            index["fields"] = json!(["title", "body", "breadcrumbs"]);
            index["index"] = inverted.trees();
            let store = json!({ "docInfo": inverted.lengths(), "docs": documents, "length": length, "save": true });
            index["documentStore"] = store;
        }
        self.writing.write(&data)
    }
}

/// Where a section is found, in a language: chapters by the site's words, itself by its heading.
fn trail(steps: &str, source: &str, title: &str, language: &IndexLanguage<'_>) -> String {
    let steps: Vec<&str> = steps.split(STEP).collect();
    let last = steps.len().saturating_sub(1);
    let step = |(index, step): (usize, &&str)| match index {
        _ if index == last && *step == source => title.to_owned(),
        _ => (language.words)(step).unwrap_or_else(|| (*step).to_owned()),
    };
    steps
        .iter()
        .enumerate()
        .map(step)
        .collect::<Vec<_>>()
        .join(STEP)
}
