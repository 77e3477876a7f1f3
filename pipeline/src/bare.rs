//! The bare core on one page or a folder: no configuration, no state, no deployment.
//!
//! Every HTML file, feed and web manifest is localized, every other file is copied byte for byte. A folder's result is meant to be served
//! at `/{locale}/`: relative links stay as they are, links from the root get that prefix where they lead to
//! something in the folder.

mod indexes;

use futures::future::{BoxFuture, LocalBoxFuture};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};

use futures::FutureExt as _;

use crate::addresses::Addresses;
use crate::crawl::by_ending;
use crate::exchange::Catalogue;
use crate::model::{LanguagePair, Locale, PagePath, SegmentKey};
use crate::page::{
    CodedText, LinkMap, Page, PageChanges, PageContent, PageFormat, PageLink, Rules, Segment,
    read_content,
};
use crate::search;
use crate::text::{excerpt, is_mistake, language_of_page};
use crate::translate::{Chain, SegmentOutcome, TranslationOrigin, settle};

/// What to do with each page.
pub struct Bare {
    /// Engines to ask.
    pub chain: Chain,
    /// Reviewed translations, which go first.
    pub catalogue: Catalogue,
    /// The language of the pages, and the one wanted.
    pub pair: LanguagePair,
    /// Whether language and direction are written.
    pub head: bool,
    /// Whether links of a folder are moved to the locale.
    pub links: bool,
}

/// What was done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BareReport {
    /// Pages localized.
    pub pages: usize,
    /// Other files, copied or, as feeds and web manifests, localized.
    pub files: usize,
    /// Texts that stay in the source language because no engine has the pair.
    pub untranslated: usize,
    /// Translations that were refused: page, source text, reason.
    pub refused: Vec<(String, String, String)>,
    /// What would give a translation where there is none.
    pub hints: Vec<String>,
    /// Pages that ask not to be translated, and stay as they are.
    pub refusing: Vec<String>,
    /// Pages that are in another language than the source, by their `lang` and their words.
    pub elsewhere: BTreeMap<String, Elsewhere>,
    /// Pages with bytes that make no sense in their encoding: page, encoding, in how many places (R-D8).
    pub broken: Vec<(String, &'static str, usize)>,
    /// Search indexes that stay as they are, or find little: file, reason.
    pub indexes: Vec<(String, String)>,
    /// Untranslated texts.
    open: HashSet<SegmentKey>,
}

/// A page that is in another language than the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Elsewhere {
    /// The language.
    pub language: Locale,
    /// Whether it is translated all the same, because too many pages say so.
    pub is_translated: bool,
}

/// A file could not be read or written.
#[derive(Debug, thiserror::Error)]
#[error("cannot {action} {}: {source}", path.display())]
pub struct FileError {
    action: &'static str,
    path: PathBuf,
    source: std::io::Error,
}

fn failed<'a>(
    action: &'static str,
    path: &'a Path,
) -> impl FnOnce(std::io::Error) -> FileError + 'a {
    move |source| FileError {
        action,
        path: path.to_path_buf(),
        source,
    }
}

/// A template of a page with words of a PO file; what has none stays. Language and direction are written where `head` says so.
/// A language without words gives the template as it is.
pub fn with_words(template: &str, language: &str, words: &str, head: bool) -> (String, BareReport) {
    let plain = || (template.to_owned(), BareReport::default());
    let (Ok(from), Ok(to)) = (Locale::parse("en"), Locale::parse(language)) else {
        return plain();
    };
    let Ok(catalogue) = Catalogue::parse(language, words.as_bytes()) else {
        return plain();
    };
    if catalogue.is_empty() {
        return plain();
    }
    let bare = Bare {
        chain: Chain::new(Vec::new()),
        catalogue,
        pair: LanguagePair { from, to },
        head,
        links: false,
    };
    // Without engines nothing is waited for.
    let made = bare
        .page(Some("template.html"), template.as_bytes())
        .now_or_never();
    made.and_then(|(html, done)| Some((String::from_utf8(html).ok()?, done)))
        .unwrap_or_else(plain)
}

impl Bare {
    /// Localizes one page; a feed or web manifest is known by its name, or by a look inside where it has none.
    pub fn page<'a>(
        &'a self,
        name: Option<&'a str>,
        html: &'a [u8],
    ) -> BoxFuture<'a, (Vec<u8>, BareReport)> {
        Box::pin(async move {
            let format = match name {
                Some(name) => format(name, html).unwrap_or(PageFormat::Html),
                None => PageFormat::of_nameless(html),
            };
            let parse =
                |format| Page::parse_as(format, html, None, &self.pair.from, &Rules::default());
            let mut page = parse(format);
            // Nobody said that it is XML, so what is none is HTML.
            if name.is_none() && format == PageFormat::Xhtml && page.excess().is_some() {
                page = parse(PageFormat::Html);
            }
            let mut done = BareReport {
                pages: 1,
                ..BareReport::default()
            };
            let name = name.unwrap_or("-");
            let segments: Vec<Segment> = page.segments().collect();
            // One page of one is too many to be believed.
            if let Some(language) = language_of_page(&page, &segments, &self.pair.from) {
                done.elsewhere.insert(
                    name.to_owned(),
                    Elsewhere {
                        language,
                        is_translated: true,
                    },
                );
            }
            let words = self.words(segments.into_iter(), "-", &mut done).await;
            let speak = if self.head { Some(&self.pair.to) } else { None };
            (
                self.fill(&page, (&words, "-"), (speak, None), &mut done),
                done,
            )
        })
    }

    /// Localizes a folder into another; `progress` gets pages done and their number.
    ///
    /// # Errors
    /// A [`FileError`] that names the file.
    #[expect(clippy::too_many_lines, reason = "one pass over the files of a folder")]
    pub fn folder<'a>(
        &'a self,
        from: &'a Path,
        to: &'a Path,
        progress: &'a dyn Fn(usize, usize),
    ) -> LocalBoxFuture<'a, Result<BareReport, FileError>> {
        Box::pin(async move {
            refuse_overlap(from, to)?;
            let mut files = BTreeSet::new();
            let mut done = BareReport::default();
            list(from, "", &mut files, &mut done)?;
            let mut pages = Vec::new();
            let mut others = Vec::new();
            for name in files {
                match format_of_file(from, &name)? {
                    Some(format) => pages.push((name, format)),
                    None => others.push(name),
                }
            }
            done.files = others.len();
            let mut words = HashMap::new();
            let mut elsewhere = Vec::new();
            for (name, format) in &pages {
                let page = self.read(from, name, *format)?;
                let segments: Vec<Segment> = page.segments().collect();
                match language_of_page(&page, &segments, &self.pair.from) {
                    Some(language) => elsewhere.push((name, *format, language)),
                    None => self.learn(&mut words, segments, name, &mut done).await,
                }
            }
            let is_mistake = is_mistake(elsewhere.len(), pages.len());
            for (name, format, language) in elsewhere {
                done.elsewhere.insert(
                    name.clone(),
                    Elsewhere {
                        language,
                        is_translated: is_mistake,
                    },
                );
                if is_mistake {
                    let segments = self.read(from, name, format)?.segments().collect();
                    self.learn(&mut words, segments, name, &mut done).await;
                }
            }
            for name in &others {
                let target = prepare(to, name)?;
                std::fs::copy(from.join(name), &target).map_err(failed("copy to", &target))?;
            }
            let names = pages.iter().map(|(name, _)| name);
            let known = names
                .chain(&others)
                .map(|name| PagePath::of_file(name))
                .collect();
            let addresses = Addresses::of_folder(self.pair.as_ref(), known);
            let has_index = others
                .iter()
                .any(|name| search::may_be_index(&format!("/{name}")));
            let mut said: BTreeMap<String, PageContent> = BTreeMap::new();
            for (index, (name, format)) in pages.iter().enumerate() {
                let page = self.read(from, name, *format)?;
                let path = PagePath::of_file(name);
                let kind = by_ending(name).unwrap_or_default();
                let link = |link: &PageLink<'_>| {
                    addresses.localize_in(kind, &self.pair.to, &path, page.base(), link)
                };
                let is_elsewhere = done
                    .elsewhere
                    .get(name)
                    .is_some_and(|page| !page.is_translated);
                let none = HashMap::new();
                let words = if is_elsewhere { &none } else { &words };
                let speak = if self.head && !is_elsewhere {
                    Some(&self.pair.to)
                } else {
                    None
                };
                let link: Option<&LinkMap<'_>> = if self.links { Some(&link) } else { None };
                let html = self.fill(&page, (words, name), (speak, link), &mut done);
                if has_index && *format == PageFormat::Html {
                    said.insert(name.clone(), read_content(&html));
                }
                let target = prepare(to, name)?;
                std::fs::write(&target, html).map_err(failed("write", &target))?;
                match format {
                    PageFormat::Html | PageFormat::Xhtml => done.pages += 1,
                    PageFormat::Feed
                    | PageFormat::JsonFeed
                    | PageFormat::Manifest
                    | PageFormat::Sidebar => done.files += 1,
                }
                progress(index + 1, pages.len());
            }
            self.indexes((from, to), &others, (&words, &said), &mut done)?;
            Ok(done)
        })
    }

    /// Writes the search indexes among files that were copied anew, of what the pages say.
    fn indexes(
        &self,
        (from, to): (&Path, &Path),
        others: &[String],
        (words, pages): (
            &HashMap<SegmentKey, CodedText>,
            &BTreeMap<String, PageContent>,
        ),
        done: &mut BareReport,
    ) -> Result<(), FileError> {
        let said = indexes::LocalizedFolder {
            pair: &self.pair,
            words,
            pages,
        };
        let read =
            |name: &str| std::fs::read(from.join(name)).map_err(failed("read", &from.join(name)));
        let indexes = said.indexes(others, &read)?;
        for (name, text) in indexes.made {
            let target = prepare(to, &name)?;
            std::fs::write(&target, text).map_err(failed("write", &target))?;
        }
        done.indexes = indexes.left;
        Ok(())
    }

    fn read(&self, folder: &Path, name: &str, format: PageFormat) -> Result<Page, FileError> {
        let path = folder.join(name);
        let html = std::fs::read(&path).map_err(failed("read", &path))?;
        Ok(Page::parse_as(
            format,
            &html,
            None,
            &self.pair.from,
            &Rules::default(),
        ))
    }

    fn key(&self, segment: &Segment) -> SegmentKey {
        segment.key(&self.pair.from)
    }

    /// Finds words for those texts of a page that have none yet.
    async fn learn(
        &self,
        words: &mut HashMap<SegmentKey, CodedText>,
        segments: Vec<Segment>,
        page: &str,
        done: &mut BareReport,
    ) {
        let open = segments
            .into_iter()
            .filter(|text| !words.contains_key(&self.key(text)));
        let open: Vec<Segment> = open.collect();
        words.extend(self.words(open.into_iter(), page, done).await);
    }

    /// Finds words for texts.
    async fn words(
        &self,
        segments: impl Iterator<Item = Segment>,
        page: &str,
        done: &mut BareReport,
    ) -> HashMap<SegmentKey, CodedText> {
        let texts: BTreeMap<SegmentKey, Segment> = segments
            .map(|segment| (self.key(&segment), segment))
            .collect();
        let mut words = HashMap::new();
        let mut open = Vec::new();
        for (key, segment) in texts {
            let settled = settle(
                &segment,
                |segment| self.catalogue.get(segment),
                |_| None,
                |_| None,
            );
            done.note(page, &segment, settled.notices);
            match settled.text {
                Some(text) => words.extend([(key, text)]),
                None if settled.origin == TranslationOrigin::None => open.push(segment),
                None => {}
            }
        }
        let mut take = |index: usize, outcome: SegmentOutcome| {
            let Some(segment) = open.get(index) else {
                return;
            };
            let settled = settle(segment, |_| None, |_| None, |_| Some(outcome));
            done.note(page, segment, settled.notices);
            done.untranslated += usize::from(settled.origin == TranslationOrigin::None);
            done.open.extend(
                matches!(
                    settled.origin,
                    TranslationOrigin::None | TranslationOrigin::Refused
                )
                .then(|| self.key(segment)),
            );
            words.extend(settled.text.map(|text| (self.key(segment), text)));
        };
        self.chain
            .translate(self.pair.as_ref(), &open, &mut take)
            .await;
        if !open.is_empty() && !self.chain.offers(self.pair.as_ref()) {
            done.hints = self.chain.hints(self.pair.as_ref());
        }
        words
    }

    fn fill(
        &self,
        page: &Page,
        (words, name): (&HashMap<SegmentKey, CodedText>, &str),
        (speak, link): (Option<&Locale>, Option<&LinkMap<'_>>),
        done: &mut BareReport,
    ) -> Vec<u8> {
        if let Some(excess) = page.excess() {
            let reason = format!("{excess} and stays as it is");
            done.refused.push((name.to_owned(), String::new(), reason));
        }
        done.refusing
            .extend(page.refuses_translation().then(|| name.to_owned()));
        let keys: Vec<SegmentKey> = page.segments().map(|segment| self.key(&segment)).collect();
        let open: Vec<bool> = keys.iter().map(|key| done.open.contains(key)).collect();
        let is_untranslated = |index: usize| open.get(index).is_some_and(|is_open| *is_open);
        let changes = PageChanges {
            speak,
            link,
            untranslated: Some(&is_untranslated),
            ..PageChanges::default()
        };
        let rendered = page.render(|index| words.get(keys.get(index)?), &changes);
        if page.broken_places() > 0 {
            done.broken
                .push((name.to_owned(), page.encoding(), page.broken_places()));
        }
        for (index, error) in rendered.refused {
            if let Some(segment) = page.segment(index) {
                done.note(name, &segment, [error]);
            }
        }
        rendered.html
    }
}

impl BareReport {
    fn note(
        &mut self,
        page: &str,
        segment: &Segment,
        reasons: impl IntoIterator<Item = impl ToString>,
    ) {
        let text = || excerpt(&segment.text.to_markup()).into_owned();
        self.refused.extend(
            reasons
                .into_iter()
                .map(|reason| (page.to_owned(), text(), reason.to_string())),
        );
    }
}

/// Refuses to write into what is read: a file copied onto itself is empty afterwards.
fn refuse_overlap(from: &Path, to: &Path) -> Result<(), FileError> {
    std::fs::create_dir_all(to).map_err(failed("create", to))?;
    let from = from.canonicalize().map_err(failed("read", from))?;
    let full = to.canonicalize().map_err(failed("read", to))?;
    if full.starts_with(&from) || from.starts_with(&full) {
        let reason = "it overlaps the input folder; choose another one";
        return Err(failed("write into", to)(std::io::Error::new(
            std::io::ErrorKind::InvalidInput,
            reason,
        )));
    }
    Ok(())
}

/// Lists the files below a folder by their names relative to it; a link to a file counts as that
/// file, a link to a folder is reported: it may lead back here.
fn list(
    folder: &Path,
    prefix: &str,
    files: &mut BTreeSet<String>,
    done: &mut BareReport,
) -> Result<(), FileError> {
    for entry in std::fs::read_dir(folder).map_err(failed("read", folder))? {
        let entry = entry.map_err(failed("read", folder))?;
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        let kind = entry.file_type().map_err(failed("read", &entry.path()))?;
        if kind.is_dir() {
            list(&entry.path(), &format!("{name}/"), files, done)?;
        } else if entry.path().is_file() {
            files.insert(name);
        } else {
            done.refused.push((
                name,
                String::new(),
                "it is a link to a folder, or no file, and is left out".into(),
            ));
        }
    }
    Ok(())
}

fn prepare(folder: &Path, name: &str) -> Result<PathBuf, FileError> {
    let target = folder.join(name);
    if let Some(parent) = target.parent() {
        std::fs::create_dir_all(parent).map_err(failed("create", parent))?;
    }
    Ok(target)
}

/// What a file is, where it is localized; only what may be a document is looked into.
fn format_of_file(folder: &Path, name: &str) -> Result<Option<PageFormat>, FileError> {
    let kind = by_ending(name).unwrap_or_default();
    let path = folder.join(name);
    let is_data = ["/xml", "/json", "+xml", "+json", "/javascript"]
        .iter()
        .any(|ending| kind.ends_with(ending));
    let body = if is_data {
        std::fs::read(&path).map_err(failed("read", &path))?
    } else {
        Vec::new()
    };
    Ok(format(name, &body))
}

fn format(name: &str, body: &[u8]) -> Option<PageFormat> {
    PageFormat::of(by_ending(name).unwrap_or_default(), name, body)
}
