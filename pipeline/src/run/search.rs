//! Search indexes in every language: which of them a source has, and what a build makes of them.
//!
//! They are made when all pages of a build are rendered, of what those say, so that readers find what they will see.

use std::collections::{BTreeMap, HashMap};

use super::context::Build;
use super::error::RunError;
use super::extract::Corpus;
use super::references::Site;
use super::report::{Noticed, SearchIndex};
use super::sources::Sources;
use super::texts::Texts;
use crate::counted::counted;
use crate::model::{Locale, PagePath, object_name};
use crate::page::Content;
use crate::publish::{Draft, Object, Tree};
use crate::search::{self, Asked, Files, Index, IndexFile, Language, Localized, Seen};
use crate::store::SourceKind;

/// The most words of pages that are kept until the indexes are made, in bytes.
const MOST: usize = 512 << 20;

/// What the pages of each language say.
#[derive(Default)]
pub(super) struct SaidPages {
    pages: BTreeMap<Locale, BTreeMap<PagePath, Content>>,
    size: usize,
}

impl SaidPages {
    /// Takes note of what a page says; beyond [`MOST`] only that there is too much.
    pub(super) fn add(&mut self, locale: &Locale, path: &PagePath, content: Content) {
        self.size += content.size();
        match self.is_too_much() {
            true => self.pages.clear(),
            false => drop(self.pages.entry(locale.clone()).or_default().insert(path.clone(), content)),
        }
    }

    fn is_too_much(&self) -> bool {
        self.size > MOST
    }
}

/// The paths of a source's files.
fn files(sources: &Sources) -> Files<'_> {
    sources.files().map(|(path, _)| path.as_str()).collect()
}

impl Build<'_> {
    /// Finds the indexes of a source, and says what stays as it is.
    pub(super) async fn find_indexes(&self, sources: &Sources, corpus: &mut Corpus) -> Result<(), RunError> {
        let files = files(sources);
        let mut unknown = Vec::new();
        for (path, record) in sources.of_kind(SourceKind::File).filter(|(path, _)| search::may_be_index(path.as_str()))
        {
            let Some(body) = self.source(record).await? else { continue };
            let pages = &corpus.pages;
            let has_page = |path: &str| spellings(path).any(|path| pages.contains_key(&path));
            match search::look(path.as_str(), &body, &files, &has_page) {
                Some(Seen::Index(index)) if !self.has_hosts() && !self.leads_to(&index, corpus) => {
                    let generator = index.generator();
                    let also = match index.asked() {
                        Asked::Imported => ", or the live script and a policy that allows import maps",
                        Asked::Fetched => ", or the live script",
                        Asked::Beside | Asked::AtRoot => "",
                    };
                    unknown
                        .push(format!("{path} (an index by {generator}, which needs a host for each language{also})"));
                }
                Some(Seen::Index(index)) => corpus.indexes.push(index),
                Some(Seen::Pagefind(index)) if self.site.search.pagefind.is_empty() => {
                    unknown.push(format!(
                        "{path} (an index of Pagefind with {}; `pagefind` in [site.search] names the program that makes it in \
                         each language)",
                        counted(index.pages(), "page")
                    ));
                }
                Some(Seen::Pagefind(index)) if corpus.pagefind.is_none() => corpus.pagefind = Some(index),
                Some(Seen::Pagefind(_)) => unknown.push(format!("{path} (a second index of Pagefind)")),
                Some(Seen::Unknown(what)) => unknown.push(format!("{path} ({what})")),
                None => {}
            }
        }
        // Where one index by Docusaurus stays, so do all: one address leads to them.
        if !self.has_hosts() && unknown.iter().any(|file| file.starts_with("/search-index")) {
            let stay = corpus.indexes.extract_if(.., |index| index.asked() == Asked::Fetched);
            unknown.extend(stay.map(|index| format!("{} (beside one that stays)", index.path())));
        }
        corpus.notices.extend(notice_of_unknown(&unknown));
        for locale in &self.site.locales {
            let lacks = |index: &Index| Some((index.path().to_owned(), index.lacks(locale, &files)?));
            corpus.notices.extend(
                corpus
                    .indexes
                    .iter()
                    .filter_map(lacks)
                    .map(|(path, why)| format!("{path}: search finds little in {locale}, because {why}")),
            );
        }
        Ok(())
    }

    /// What the report says of the indexes.
    pub(super) fn indexes(&self, corpus: &Corpus) -> Vec<SearchIndex> {
        let said = |index: &Index| SearchIndex {
            path: index.path().to_owned(),
            generator: index.generator().into(),
            entries: index.entries(),
        };
        let by_pagefind = corpus.pagefind.iter().map(|index| SearchIndex {
            path: index.entry_path(),
            generator: "Pagefind".into(),
            entries: index.pages(),
        });
        corpus.indexes.iter().map(said).chain(by_pagefind).collect()
    }

    /// The files that belong to indexes in a language, by their paths in the source. Where each language has a host of its
    /// own, the source's other files are there already.
    pub(super) fn index_files(&self, sources: &Sources, corpus: &Corpus, locale: &Locale) -> Vec<PagePath> {
        let files = files(sources);
        let all = corpus.indexes.iter().flat_map(|index| index.files(locale, &files));
        let wanted = all.filter(|file| matches!(file, IndexFile::Made(_)) || !self.has_hosts());
        wanted.filter_map(|file| PagePath::parse(file.path()).ok()).collect()
    }

    /// Puts the indexes of each language.
    pub(super) async fn put_indexes(
        &self,
        site: &Site<'_>,
        sources: &Sources,
        said: &SaidPages,
        draft: &Draft,
    ) -> Result<Option<Noticed>, RunError> {
        if site.corpus.indexes.is_empty() {
            return Ok(None);
        }
        let files = files(sources);
        let known = known_texts(site.corpus);
        for texts in &site.texts {
            let made = self.made(site, texts, said, &known, &files);
            for path in self.index_files(sources, site.corpus, &texts.locale) {
                let Some(record) = sources.records.get(&path) else { continue };
                let body = match made.get(path.as_str()) {
                    Some(text) => Some(text.clone().into()),
                    None => self.source(record).await?,
                };
                let Some(body) = body else { continue };
                let object = Object::new(object_name(&path, false), path, &record.content_type, body);
                draft.put(&Tree::Locale(texts.locale.clone()), object).await?;
            }
        }
        Ok(said.is_too_much().then(|| {
            Noticed::Notice("the pages say too much for search indexes, which stay in the source language".to_owned())
        }))
    }

    /// The files that are made anew in a language, by their paths; none where the pages say too much.
    fn made(
        &self,
        site: &Site<'_>,
        texts: &Texts,
        said: &SaidPages,
        known: &HashMap<String, u32>,
        files: &Files<'_>,
    ) -> BTreeMap<String, String> {
        let locale = &texts.locale;
        if said.is_too_much() {
            return BTreeMap::new();
        }
        let slugs = site.addresses.public().slugs();
        let pages: HashMap<&PagePath, (String, &Content)> = said
            .pages
            .get(locale)
            .into_iter()
            .flatten()
            .map(|(path, content)| (path, (slugs.local(locale, path).as_str().to_owned(), content)))
            .collect();
        let page = |written: &str| {
            let path = site.addresses.meant(PagePath::parse(written).ok()?);
            let (path, content) = pages.get(&path)?;
            Some(Localized { path, content })
        };
        let elsewhere: HashMap<&str, &str> =
            texts.elsewhere.iter().map(|(text, words)| (text.as_str(), words.as_str())).collect();
        let words = |text: &str| match known.get(text) {
            Some(&index) => texts.text(index).map(|words| words.into_text()),
            None => elsewhere.get(text).map(|words| (*words).to_owned()),
        };
        let language = Language { locale, page: &page, words: &words };
        let mut made = BTreeMap::new();
        for index in &site.corpus.indexes {
            for file in index.files(locale, files) {
                if let IndexFile::Made(path) = file {
                    let text = index.make(&path, &language, files);
                    made.insert(path, text);
                }
            }
        }
        made
    }
}

/// The texts of a source that stand by themselves.
fn known_texts(corpus: &Corpus) -> HashMap<String, u32> {
    let plain = (0..).zip(corpus.texts.iter()).filter(|(_, text)| !text.segment.text.has_codes());
    plain.map(|(index, text)| (text.segment.text.into_text(), index)).collect()
}

/// The paths that a page may have which an index writes so.
fn spellings(path: &str) -> impl Iterator<Item = PagePath> {
    let bare = path.strip_suffix("index.html").unwrap_or(path);
    let spellings = [path.to_owned(), bare.to_owned(), format!("{bare}/"), format!("{bare}.html")];
    spellings.into_iter().filter_map(|path| PagePath::parse(&path).ok())
}

fn notice_of_unknown(files: &[String]) -> Option<String> {
    (!files.is_empty()).then(|| {
        format!(
            "search finds words of the source language alone where it goes by these files, which stay as they are: {}",
            files.join(", ")
        )
    })
}
