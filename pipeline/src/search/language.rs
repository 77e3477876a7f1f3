//! What indexes are made of: the pages of one language, as they are published. Pure.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};

use super::place::{IndexLocation, relative};
use crate::model::Locale;
use crate::page::PageContent;

/// The paths of all files of a source, as they are written from the root.
pub type SourceFiles<'a> = BTreeSet<&'a str>;

/// A language in which an index is made.
pub struct IndexLanguage<'a> {
    /// The language.
    pub locale: &'a Locale,
    /// Looks up the page at a path of the source, written from the root; `None` if the language lacks it.
    pub page: &'a dyn Fn(&str) -> Option<Localized<'a>>,
    /// The words for a text of the source, where the site has it by itself.
    pub words: &'a dyn Fn(&str) -> Option<String>,
}

/// A page in a language.
#[derive(Clone, Debug)]
pub struct Localized<'a> {
    /// Its path there.
    pub path: Cow<'a, str>,
    /// What it says.
    pub content: Cow<'a, PageContent>,
}

/// What an entry of an index says in a language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LocalizedEntry {
    /// Where it leads, from the folder that the index counts from.
    pub(super) location: String,
    pub(super) title: String,
    /// Its words; none where the page has no such section any more, and the source's have to do.
    pub(super) text: Option<String>,
}

/// An entry of an index in the source language.
pub(super) struct IndexEntry<'a> {
    /// Where it leads, from the folder that the index counts from, with a fragment for a part of a page.
    pub(super) location: &'a str,
    pub(super) title: &'a str,
}

impl IndexLanguage<'_> {
    /// What entries of an index say, in their order; nothing for what readers of the language do not have. `base` is the
    /// folder that locations count from, and `whole` whether a page's own entry has the words of its sections, too.
    ///
    /// A section's words are those up to the next one that has an entry.
    pub(super) fn said(
        &self,
        base: &str,
        entries: &[IndexEntry<'_>],
        whole: bool,
    ) -> Vec<Option<LocalizedEntry>> {
        let mut by_page: HashMap<&str, HashMap<&str, usize>> = HashMap::new();
        for (index, entry) in entries.iter().enumerate() {
            let IndexLocation { page, fragment } = IndexLocation::of(entry.location);
            by_page
                .entry(page)
                .or_default()
                .entry(fragment)
                .or_insert(index);
        }
        let mut texts: Vec<Option<String>> = vec![None; entries.len()];
        let mut headings: Vec<Option<String>> = vec![None; entries.len()];
        // Keep only path and heading of each page, so that one page at a time is in memory.
        let mut found: HashMap<&str, (String, String)> = HashMap::new();
        for (page, fragments) in &by_page {
            let Some(Localized { path, content }) = (self.page)(&format!("{base}{page}")) else {
                continue;
            };
            found.insert(page, (path.into_owned(), content.heading().to_owned()));
            let own = fragments.get("").copied();
            let mut at = own;
            for section in &content.sections {
                let entry = section
                    .ids
                    .iter()
                    .find_map(|id| fragments.get(id.as_str()))
                    .copied();
                if let Some(entry) = entry.filter(|&entry| texts[entry].is_none()) {
                    (at, headings[entry]) = (Some(entry), Some(section.heading.clone()));
                    texts[entry] = Some(String::new());
                }
                let around = own.filter(|_| whole && at != own);
                for entry in at.into_iter().chain(around) {
                    let text = texts[entry].get_or_insert_default();
                    // A heading that is the entry's title is not said again.
                    let is_title =
                        section.level == 1 || headings[entry].as_ref() == Some(&section.heading);
                    if !is_title {
                        add(text, &section.heading);
                    }
                    add(text, &section.text);
                }
            }
        }
        let mut said = |(index, entry): (usize, &IndexEntry<'_>)| {
            let IndexLocation { page, fragment } = IndexLocation::of(entry.location);
            let (path, heading) = found.get(page)?;
            let title = headings[index].take().filter(|heading| !heading.is_empty());
            let title = title.or_else(|| (self.words)(entry.title));
            let own = || {
                if fragment.is_empty() {
                    heading.clone()
                } else {
                    entry.title.to_owned()
                }
            };
            Some(LocalizedEntry {
                location: relative(base, path, page, fragment),
                title: title.unwrap_or_else(own),
                text: texts[index].take(),
            })
        };
        entries.iter().enumerate().map(&mut said).collect()
    }
}

fn add(text: &mut String, words: &str) {
    if !words.is_empty() {
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(words);
    }
}
