//! The search indexes of a folder, in its new language.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use crate::model::{LanguagePair, PagePath, SegmentKey};
use crate::page::{CodedText, PageContent};
use crate::search::{
    self, IndexFile, IndexLanguage, IndexLoading, Localized, RecognizedFile, SourceFiles,
};

/// What the pages of a folder say in their new language, and the words of its texts.
pub(super) struct LocalizedFolder<'a> {
    pub(super) pair: &'a LanguagePair,
    pub(super) words: &'a HashMap<SegmentKey, CodedText>,
    /// By the names of the pages.
    pub(super) pages: &'a BTreeMap<String, PageContent>,
}

/// What becomes of the indexes among some files.
#[derive(Default)]
pub(super) struct LocalizedIndexes {
    /// Files that are made anew, by name.
    pub(super) made: BTreeMap<String, String>,
    /// What is worth knowing of those that stay: the file, and why.
    pub(super) left: Vec<(String, String)>,
}

impl LocalizedFolder<'_> {
    /// Makes the indexes among files, which `read` gives, by name.
    pub(super) fn indexes<E>(
        &self,
        names: &[String],
        read: &dyn Fn(&str) -> Result<Vec<u8>, E>,
    ) -> Result<LocalizedIndexes, E> {
        let paths: Vec<(String, &String)> = names
            .iter()
            .map(|name| (PagePath::of_file(name).as_str().to_owned(), name))
            .collect();
        let files: SourceFiles<'_> = paths.iter().map(|(path, _)| path.as_str()).collect();
        let by_path: HashMap<&str, &String> = paths
            .iter()
            .map(|(path, name)| (path.as_str(), *name))
            .collect();
        let pages: HashMap<String, &PageContent> = self
            .pages
            .iter()
            .map(|(name, content)| (PagePath::of_file(name).as_str().to_owned(), content))
            .collect();
        let page = |written: &str| {
            let path = PagePath::of_file(written.trim_start_matches('/'));
            let (path, content) = pages.get_key_value(path.as_str())?;
            Some(Localized {
                path: path.into(),
                content: Cow::Borrowed(*content),
            })
        };
        let words = |text: &str| {
            let key = SegmentKey::new(
                &self.pair.from,
                "prose",
                &CodedText::plain(text).to_markup(),
            );
            self.words.get(&key).map(|words| words.text().to_owned())
        };
        let locale = &self.pair.to;
        let language = IndexLanguage {
            locale,
            page: &page,
            words: &words,
        };
        let mut indexes = LocalizedIndexes::default();
        for (path, name) in paths.iter().filter(|(path, _)| search::may_be_index(path)) {
            let has_page = |path: &str| {
                pages.contains_key(PagePath::of_file(path.trim_start_matches('/')).as_str())
            };
            match search::look(path, &read(name)?, &files, &has_page) {
                Some(RecognizedFile::Index(index)) if index.asked() != IndexLoading::Beside => {
                    let why = "the site's script looks for it at the root, where the source's is"
                        .to_owned();
                    indexes.left.push(((*name).clone(), why));
                }
                Some(RecognizedFile::Index(index)) => {
                    let why = index
                        .lacks(locale, &files)
                        .map(|why| format!("search finds little in {locale}: {why}"));
                    indexes.left.extend(why.map(|why| ((*name).clone(), why)));
                    for file in index.files(locale, &files) {
                        if let (IndexFile::Made(path), Some(name)) =
                            (&file, by_path.get(file.path()))
                        {
                            indexes
                                .made
                                .insert((*name).clone(), index.make(path, &language, &files));
                        }
                    }
                }
                Some(RecognizedFile::Unknown(what)) => {
                    indexes.left.push(((*name).clone(), self.stays(what)))
                }
                Some(RecognizedFile::Pagefind(_)) => {
                    let why = self.stays("an index of Pagefind");
                    indexes.left.push((
                        (*name).clone(),
                        format!("{why}; run Pagefind on the new folder"),
                    ));
                }
                None => {}
            }
        }
        Ok(indexes)
    }
    fn stays(&self, what: &str) -> String {
        format!(
            "{what} stays as it is: search finds words of {} alone",
            self.pair.from
        )
    }
}
