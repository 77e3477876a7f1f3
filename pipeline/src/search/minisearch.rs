//! VitePress: its local search, an index of MiniSearch in a chunk that pages import by name. Pure.
//!
//! The chunk of a language lies under the name of the source's, so it is found where the language has a host of its own.
//! MiniSearch finds words by their beginning and forgives a wrong letter; it cuts at white space and signs.

use std::collections::{BTreeMap, HashMap};

use serde_json::{Map, Value, json};

use super::language::{IndexEntry, IndexLanguage, LocalizedEntry};
use super::spelling::{escaped, read_object, single_quoted, unquoted};
use super::words::each_token;

/// The fields, in the order of their numbers.
const FIELDS: [&str; 3] = ["title", "titles", "text"];

/// The chunk of an index.
pub(super) struct MiniSearch {
    data: Map<String, Value>,
    /// What stands around its string.
    around: (String, String),
}

/// Words of a field: document → how often.
type DocumentCounts = BTreeMap<usize, u32>;

impl MiniSearch {
    /// Reads a chunk whose entries are pages of the site.
    pub(super) fn read(body: &str, has_page: &dyn Fn(&str) -> bool) -> Option<Self> {
        let start = body.find("'{\"documentCount\"").map(|start| start + 1)?;
        let end = body
            .rfind("}'")
            .map(|end| end + 1)
            .filter(|end| *end > start)?;
        let mut data = read_object(&unquoted(&body[start..end]))?;
        let ids = data.get("documentIds")?.as_object()?;
        let is_page = |id: &Value| {
            id.as_str()
                .is_some_and(|id| has_page(id.split('#').next().unwrap_or_default()))
        };
        let fields = FIELDS
            .iter()
            .enumerate()
            .map(|(number, field)| ((*field).to_owned(), json!(number)));
        let is_known = data.get("fieldIds")? == &Value::Object(fields.collect())
            && data.get("serializationVersion")? == 2
            && data.get("storedFields")?.is_object();
        let around = (body[..start].to_owned(), body[end..].to_owned());
        let is_known = is_known && ids.values().all(is_page);
        // Words are found anew.
        data.remove("index");
        is_known.then_some(Self { data, around })
    }

    /// How many entries it has.
    pub(super) fn len(&self) -> usize {
        self.data["documentIds"].as_object().map_or(0, Map::len)
    }

    /// Texts to look up in the site's translations: titles.
    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        let stored = self.data["storedFields"]
            .as_object()
            .into_iter()
            .flat_map(Map::values);
        stored.filter_map(|document| document.get("title")?.as_str())
    }

    /// The index in a language.
    pub(super) fn localize(&self, language: &IndexLanguage<'_>) -> String {
        let own = self.documents();
        let entries: Vec<IndexEntry<'_>> = own
            .iter()
            .map(|(location, title, _)| IndexEntry { location, title })
            .collect();
        let said = language.said("", &entries, false);
        // The headings above an entry are entries of its page.
        let page = |location: &str| location.split('#').next().unwrap_or_default().to_owned();
        let heading = |said: &Option<LocalizedEntry>| said.as_ref().map(|said| said.title.clone());
        let headings: HashMap<(String, &str), Option<String>> = own
            .iter()
            .zip(&said)
            .map(|((location, title, _), said)| ((page(location), title.as_str()), heading(said)))
            .collect();
        let mut index = MiniSearchFields::default();
        let mut stored = Map::new();
        for ((location, _, above), said) in own.iter().zip(&said) {
            let Some(LocalizedEntry {
                location: there,
                title,
                text,
            }) = said
            else {
                continue;
            };
            let translated = |title: &String| {
                headings
                    .get(&(page(location), title.as_str()))
                    .cloned()
                    .flatten()
            };
            let titles: Vec<String> = above
                .iter()
                .map(|title| translated(title).unwrap_or_else(|| title.clone()))
                .collect();
            let number = index.add(
                there,
                [
                    title,
                    &titles.join(" "),
                    text.as_deref().unwrap_or_default(),
                ],
            );
            // The site's script takes headings for HTML.
            let titles: Vec<String> = titles.iter().map(|title| escaped(title)).collect();
            stored.insert(
                number.to_string(),
                json!({ "title": escaped(title), "titles": titles }),
            );
        }
        let mut data = self.data.clone();
        data.extend(index.finish());
        data.insert("storedFields".to_owned(), Value::Object(stored));
        let json = serde_json::to_string(&data).unwrap_or_default();
        format!("{}{}{}", self.around.0, single_quoted(&json), self.around.1)
    }

    /// Where each entry leads, its heading and those above it.
    fn documents(&self) -> Vec<(String, String, Vec<String>)> {
        let ids = self.data["documentIds"].as_object();
        let mut ids: Vec<(u64, &str, &String)> = ids
            .into_iter()
            .flatten()
            .filter_map(|(number, id)| Some((number.parse().ok()?, id.as_str()?, number)))
            .collect();
        ids.sort_unstable();
        let document = |(_, id, number): (u64, &str, &String)| {
            let stored = &self.data["storedFields"][number];
            let titles = stored["titles"].as_array().into_iter().flatten();
            let titles = titles
                .map(|title| title.as_str().unwrap_or_default().to_owned())
                .collect();
            (
                id.to_owned(),
                stored["title"].as_str().unwrap_or_default().to_owned(),
                titles,
            )
        };
        ids.into_iter().map(document).collect()
    }
}

/// Fields as they fill.
#[derive(Default)]
struct MiniSearchFields {
    ids: Map<String, Value>,
    words: BTreeMap<String, [DocumentCounts; FIELDS.len()]>,
    lengths: Map<String, Value>,
    sums: [usize; FIELDS.len()],
}

impl MiniSearchFields {
    /// Adds a document and gives its number.
    fn add(&mut self, id: &str, texts: [&str; FIELDS.len()]) -> usize {
        let number = self.ids.len();
        let mut lengths = [0_usize; FIELDS.len()];
        for (field, text) in texts.into_iter().enumerate() {
            each_token(text, |word| {
                let places = match self.words.get_mut(word) {
                    Some(places) => places,
                    None => self.words.entry(word.to_owned()).or_default(),
                };
                let count = places[field].entry(number).or_default();
                // Different words count towards the length of a field.
                lengths[field] += usize::from(*count == 0);
                *count += 1;
            });
            self.sums[field] += lengths[field];
        }
        self.ids.insert(number.to_string(), id.into());
        self.lengths.insert(number.to_string(), json!(lengths));
        number
    }

    /// What the index says of them.
    fn finish(self) -> Map<String, Value> {
        let documents = self.ids.len();
        let number = |count: usize| u32::try_from(count).map_or(f64::MAX, f64::from);
        let averages = self.sums.map(|sum| number(sum) / number(documents.max(1)));
        let places = |places: [DocumentCounts; FIELDS.len()]| -> Map<String, Value> {
            let counts = |places: DocumentCounts| -> Map<String, Value> {
                places
                    .into_iter()
                    .map(|(document, count)| (document.to_string(), count.into()))
                    .collect()
            };
            let filled = places
                .into_iter()
                .enumerate()
                .filter(|(_, places)| !places.is_empty());
            filled
                .map(|(field, places)| (field.to_string(), Value::Object(counts(places))))
                .collect()
        };
        let index: Vec<Value> = self
            .words
            .into_iter()
            .map(|(word, all)| json!([word, places(all)]))
            .collect();
        let said = json!({
            "documentCount": documents,
            "nextId": documents,
            "documentIds": self.ids,
            "fieldLength": self.lengths,
            "averageFieldLength": averages,
            "index": index,
        });
        match said {
            Value::Object(said) => said,
            _ => Map::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;
    use crate::model::Locale;
    use crate::page::read_content;
    use crate::search::Localized;

    const CHUNK: &str = concat!(
        r#"const e='{"documentCount":1,"nextId":1,"documentIds":{"0":"/a.html#b"},"#,
        r#""fieldIds":{"title":0,"titles":1,"text":2},"storedFields":{"0":{"title":"B","titles":[]}},"#,
        r#""index":[],"serializationVersion":2}';export{e as default};"#
    );

    #[test]
    fn headings_are_no_markup() {
        let index = MiniSearch::read(CHUNK, &|path| path == "/a.html").unwrap();
        assert!(
            MiniSearch::read(CHUNK, &|_| false).is_none(),
            "an entry that is no page"
        );
        let locale = Locale::parse("es").unwrap();
        let content =
            read_content(b"<main><h2 id=b>C &lt;img src=x onerror='y'&gt;</h2><p>l'agua \\ d");
        let page = |path: &str| {
            (path == "/a.html").then_some(Localized {
                path: "/a.html".into(),
                content: Cow::Borrowed(&content),
            })
        };
        let made = index.localize(&IndexLanguage {
            locale: &locale,
            page: &page,
            words: &|_| None,
        });
        let said = &made[made.find('{').unwrap()..=made.rfind("}'").unwrap()];
        let said = read_object(&unquoted(said)).unwrap();
        assert_eq!(
            said["storedFields"]["0"]["title"],
            "C &lt;img src=x onerror='y'&gt;"
        );
        assert!(
            said["index"]
                .as_array()
                .unwrap()
                .contains(&json!(["agua", {"2": {"0": 1}}])),
            "{made}"
        );
    }
}
