//! Indexes of themes: JSON with an entry for each page or section, which a script of the theme reads whole (Just the Docs,
//! themes of Hugo and their like). Pure.
//!
//! Such a file is known by what it holds: every entry names a page of the site, and has words. Titles and texts are those
//! of the page; other members stay, or get the site's own words for them.

use serde_json::{Map, Value};

use super::language::{IndexEntry, IndexLanguage};
use super::spelling::escaped;

/// Members that say where an entry leads, the one that counts first.
const ADDRESSES: [&str; 9] = [
    "relUrl",
    "relpermalink",
    "url",
    "uri",
    "href",
    "permalink",
    "link",
    "location",
    "path",
];
/// Members that hold the words of a page or section.
const TEXTS: [&str; 4] = ["content", "contents", "text", "body"];
/// Members that hold what else readers see.
const LABELS: [&str; 10] = [
    "title",
    "heading",
    "doc",
    "name",
    "summary",
    "description",
    "excerpt",
    "section",
    "category",
    "hdr",
];
/// How much of a page stands for a summary, in letters.
const SUMMARY: usize = 200;

/// An index of a theme.
pub(super) struct Entries {
    data: Value,
    /// The member that holds the entries, where the whole is an object of several.
    list: Option<String>,
    /// The member that says where an entry leads.
    address: &'static str,
    /// Whether texts are HTML, as far as one sees.
    is_html: bool,
}

impl Entries {
    /// Reads an index all of whose entries are pages of the site.
    pub(super) fn read(body: &str, has_page: &dyn Fn(&str) -> bool) -> Option<Self> {
        let data: Value = serde_json::from_str(body.trim_start_matches('\u{feff}')).ok()?;
        let whole = |list: &Option<String>| {
            list.as_ref()
                .map_or(Some(&data), |list| data.get(list))
                .map(objects)
        };
        let lists = data
            .as_object()
            .into_iter()
            .flat_map(|object| object.keys().cloned().map(Some));
        let list = std::iter::once(None)
            .chain(lists)
            .find(|list| whole(list).flatten().is_some())?;
        let entries = whole(&list)??;
        let leads = |address: &&'static str| {
            entries
                .iter()
                .all(|entry| is_page(entry, address, has_page))
        };
        let address = ADDRESSES.into_iter().find(leads)?;
        let has_words = |entry: &&Map<String, Value>| {
            TEXTS
                .iter()
                .chain(&LABELS)
                .any(|key| entry.get(*key).is_some_and(Value::is_string))
        };
        let is_whole = entries.iter().all(has_words);
        let texts = || {
            entries
                .iter()
                .flat_map(|entry| entry.values())
                .filter_map(Value::as_str)
        };
        let has = |mark: &str| texts().any(|text| text.contains(mark));
        let is_html = has("&lt;") || has("&amp;") || has("</") || !has("<");
        is_whole.then_some(Self {
            list,
            address,
            is_html,
            data: data.clone(),
        })
    }

    /// How many entries it has.
    pub(super) fn len(&self) -> usize {
        self.entries().len()
    }

    /// Texts to look up in the site's translations: all members but addresses and page text.
    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        let members = self.entries().into_iter().flatten();
        let labels = members.filter(|(name, _)| {
            !TEXTS.contains(&name.as_str()) && !ADDRESSES.contains(&name.as_str())
        });
        labels.filter_map(|(_, value)| value.as_str())
    }

    fn entries(&self) -> Vec<&Map<String, Value>> {
        let whole = self
            .list
            .as_ref()
            .map_or(Some(&self.data), |list| self.data.get(list));
        whole.and_then(objects).unwrap_or_default()
    }

    /// The index in a language.
    pub(super) fn localize(&self, language: &IndexLanguage<'_>) -> String {
        let entries = self.entries();
        let text = |entry: &Map<String, Value>, key: &str| {
            entry
                .get(key)
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned()
        };
        let own: Vec<(String, String)> = entries
            .iter()
            .map(|entry| (path_of(&text(entry, self.address)), text(entry, "title")))
            .collect();
        let wanted: Vec<IndexEntry<'_>> = own
            .iter()
            .map(|(location, title)| IndexEntry { location, title })
            .collect();
        let said = language.said("", &wanted, true);
        let mut made = entries.into_iter().zip(said).map(|(entry, said)| {
            let said = said?;
            let mut entry = entry.clone();
            let words = said.text.unwrap_or_default();
            for (key, value) in &mut entry {
                let Some(before) = value.as_str() else {
                    continue;
                };
                let key = key.as_str();
                if ADDRESSES.contains(&key) {
                    *value = moved(before, &path_of(before), &said.location).into();
                } else if let Some(after) = self.said(language, key, before, &said.title, &words) {
                    *value = after.into();
                }
            }
            Some(Value::Object(entry))
        });
        let mut data = self.data.clone();
        let list = match &self.list {
            Some(list) => data.get_mut(list),
            None => Some(&mut data),
        };
        match list {
            Some(Value::Array(entries)) => *entries = made.flatten().collect(),
            Some(Value::Object(entries)) => {
                entries.retain(|_, entry| match made.next().flatten() {
                    Some(new) => {
                        *entry = new;
                        true
                    }
                    None => false,
                })
            }
            _ => {}
        }
        serde_json::to_string(&data).unwrap_or_default()
    }

    /// What a member says, where it is another text now.
    fn said(
        &self,
        language: &IndexLanguage<'_>,
        key: &str,
        before: &str,
        title: &str,
        words: &str,
    ) -> Option<String> {
        let spelled = |text: &str| {
            if self.is_html {
                escaped(text)
            } else {
                text.to_owned()
            }
        };
        match key {
            _ if before.is_empty() => None,
            "title" => Some(spelled(title)),
            _ if TEXTS.contains(&key) => (!words.is_empty()).then(|| spelled(words)),
            "summary" | "description" | "excerpt" => {
                let start = || words.chars().take(SUMMARY).collect::<String>();
                Some(spelled(&(language.words)(before).unwrap_or_else(start)))
            }
            _ => (language.words)(before).map(|words| spelled(&words)),
        }
    }
}

/// What holds entries: an array of objects, or an object of them; nothing where something else is among them.
fn objects(value: &Value) -> Option<Vec<&Map<String, Value>>> {
    let all: Option<Vec<_>> = match value {
        Value::Array(entries) => entries.iter().map(Value::as_object).collect(),
        Value::Object(entries) => entries.values().map(Value::as_object).collect(),
        _ => None,
    };
    all.filter(|all| !all.is_empty())
}

fn is_page(entry: &Map<String, Value>, address: &str, has_page: &dyn Fn(&str) -> bool) -> bool {
    let written = entry.get(address).and_then(Value::as_str);
    written.is_some_and(|written| has_page(path_of(written).split('#').next().unwrap_or_default()))
}

/// The path of an address with its fragment, from the root of its host.
fn path_of(address: &str) -> String {
    let path = match address.split_once("://") {
        Some((_, rest)) => rest.find('/').map_or("/", |slash| &rest[slash..]),
        None => address,
    };
    if path.starts_with('/') {
        path.to_owned()
    } else {
        format!("/{path}")
    }
}

/// An address that leads elsewhere on its host, written like the one before; on another host it counts from the root.
fn moved(before: &str, path: &str, location: &str) -> String {
    match before.contains("://") || path != location {
        true => location.to_owned(),
        false => before.to_owned(),
    }
}
