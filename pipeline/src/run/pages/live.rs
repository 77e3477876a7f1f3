//! Pages that scripts draw: which of them get the live script, and its data about them.
//!
//! A framework draws a page again from a state of its own, which is in the source language. The live script keeps the
//! words of the page there: those that stand on it, and, from a file that all pages of a locale share, those that scripts
//! put in on any page. A page whose words would not last counts as not translated.

use std::collections::{BTreeMap, HashMap};

use url::Url;

use super::text_nodes::{pairs, pieces};
use crate::addresses::{Addresses, PublicAddresses};
use crate::config::{Live, SiteConfig};
use crate::counted::counted;
use crate::model::{Locale, PagePath};
use crate::page::{Framework, LIVE_ISLANDS, Rendering, live_attributes};
use crate::run::context::{self, Build};
use crate::run::corpus::contents::Corpus;
use crate::run::corpus::indices::Indices;
use crate::run::corpus::scripted::Scripted;
use crate::run::memo::shared_words::ENTRY;
use crate::run::report::build_report::{DrawnKind, DrawnPage};
use crate::run::words::texts::LocaleTexts;
use crate::run::words::word_counts::WordsBySource;
use crate::search::{IndexLoading, RecognizedIndex};
use crate::site_files::{self, OwnScript, Pattern, SharedWords};
use crate::translate::TranslationOrigin;

/// Stands for the host of a site whose public address is not known.
const NOWHERE: &str = "http://site.invalid";

/// Why the words of a page do not last when scripts draw it again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unlasting<'c> {
    /// The site wants no live script.
    Unwanted,
    /// A policy of the page forbids it: the directive, as it is written.
    Forbidden(&'c str),
}

/// What the live script gets in each locale.
#[derive(Debug, Default)]
pub(in crate::run) struct LiveSite(BTreeMap<Locale, LiveLocale>);

/// What all pages of a locale share.
#[derive(Debug)]
pub(in crate::run) struct LiveLocale {
    pub(in crate::run) words: OwnScript,
    /// Whether other pages are loaded as documents, because their words are not here.
    pub(in crate::run) documents: bool,
    /// Whether pages have paths that do not follow from those of the source.
    pub(in crate::run) renames: bool,
    /// What stands in this language for modules of the source that are search indexes, by their paths.
    pub(in crate::run) modules: BTreeMap<String, String>,
    /// Whether a search fetches an index that is there in this language.
    pub(in crate::run) fetches: bool,
}

impl LiveSite {
    /// What the pages of a locale share, if any of them has the script.
    pub(in crate::run) fn of(&self, locale: &Locale) -> Option<&LiveLocale> {
        self.0.get(locale)
    }

    /// The files that pages share.
    pub(in crate::run) fn files(&self) -> impl Iterator<Item = &OwnScript> {
        let scripts = [site_files::live_script(), site_files::addressed_script()];
        let words = self.0.values().map(|shared| &shared.words);
        scripts
            .into_iter()
            .filter(|_| !self.0.is_empty())
            .chain(words)
    }
}

/// Whether a page gets the live script.
pub(in crate::run) fn is_live(site: &SiteConfig, corpus: &Corpus, path: &PagePath) -> bool {
    match site.scripts.live {
        Live::Nowhere => false,
        Live::Auto => corpus.is_drawn(path),
        Live::All => true,
    }
}

/// What keeps the words of a page from lasting, if scripts draw it.
pub(crate) fn unlasting<'c>(
    site: &SiteConfig,
    corpus: &'c Corpus,
    locale: &Locale,
    path: &PagePath,
) -> Option<Unlasting<'c>> {
    let scripted = corpus
        .scripted
        .get(path)
        .filter(|_| corpus.is_drawn(path))?;
    if !is_live(site, corpus, path) {
        return Some(Unlasting::Unwanted);
    }
    forbidding(site, corpus, Some(scripted), locale, path).map(Unlasting::Forbidden)
}

/// Whether a page gets the live script in a locale: it is one for it, and nothing forbids it.
pub(in crate::run) fn gets_script(
    site: &SiteConfig,
    corpus: &Corpus,
    locale: &Locale,
    path: &PagePath,
) -> bool {
    let forbidden = || forbidding(site, corpus, corpus.scripted.get(path), locale, path);
    is_live(site, corpus, path) && forbidden().is_none()
}

/// The words of a page by origin, where they last; else nobody's.
pub(crate) fn lasting_words(
    site: &SiteConfig,
    corpus: &Corpus,
    texts: &LocaleTexts,
    path: &PagePath,
    indices: &[u32],
) -> WordsBySource {
    let words = texts.words(corpus, indices);
    if unlasting(site, corpus, &texts.locale, path).is_some() {
        words.lost()
    } else {
        words
    }
}

/// What of a page's policies forbids the script.
fn forbidding<'c>(
    site: &SiteConfig,
    corpus: &'c Corpus,
    scripted: Option<&'c Scripted>,
    locale: &Locale,
    path: &PagePath,
) -> Option<&'c str> {
    let addresses = PublicAddresses::of_site(site);
    let own = addresses
        .page(locale, path)
        .and_then(|page| Url::parse(&page).ok());
    let page = own.or_else(|| Url::parse(NOWHERE).ok())?;
    let script = page
        .join(&addresses.own_file(locale, locale, &site_files::live_script().name))
        .ok()?;
    let own = scripted
        .into_iter()
        .flat_map(|page| &page.policies)
        .map(String::as_str);
    let served = corpus.served_policies.of(page.path());
    own.chain(served)
        .find_map(|policy| site_files::forbidding(policy, &page, &script))
}

/// The pages that scripts draw.
pub(in crate::run) fn drawn_pages(site: &SiteConfig, corpus: &Corpus) -> Vec<DrawnPage> {
    let Some(locale) = site.locales.first() else {
        return Vec::new();
    };
    let drawn = |(path, scripted): (&PagePath, &Scripted)| {
        let kind = match scripted.rendering {
            Rendering::Static => return None,
            Rendering::Hydrated => DrawnKind::Hydrated,
            Rendering::ByScripts => DrawnKind::ByScripts,
        };
        let framework = scripted.framework.unwrap_or(Framework::Other).name();
        Some(DrawnPage {
            path: path.clone(),
            kind,
            framework: framework.into(),
            lasts: unlasting(site, corpus, locale, path).is_none(),
        })
    };
    corpus.scripted.iter().filter_map(drawn).collect()
}

/// What an owner has to know of the pages that scripts draw (R-I3).
pub(in crate::run) fn notices_of_scripts(config: &SiteConfig, corpus: &Corpus) -> Vec<String> {
    let Some(locale) = config.locales.first() else {
        return Vec::new();
    };
    let (mut unwanted, mut forbidden, mut empty) = (
        Vec::new(),
        BTreeMap::<&str, Vec<&PagePath>>::new(),
        Vec::new(),
    );
    let is_empty = |path: &PagePath| {
        let page = &corpus.scripted[path];
        page.rendering == Rendering::ByScripts && !corpus.found.contains_key(path)
    };
    for path in corpus.scripted.keys().filter(|path| corpus.is_drawn(path)) {
        match unlasting(config, corpus, locale, path) {
            Some(Unlasting::Unwanted) => unwanted.push(path),
            Some(Unlasting::Forbidden(policy)) => forbidden.entry(policy).or_default().push(path),
            None if is_empty(path) => empty.push(path),
            None => {}
        }
    }
    let advice = match config.scripts.discovery {
        Some(_) => "the browser found none for them either",
        None => {
            "let a browser find them with `discover` in [site.scripts], or let the site's generator render its pages"
        }
    };
    let lose = "scripts draw again in the source language, so their words count as not translated";
    let mut notices = Vec::new();
    notices.extend(several(&unwanted).map(|pages| {
        format!(
            "{pages}, which {lose}: let `live` in [site.scripts] be \"auto\", so that the live script keeps them"
        )
    }));
    notices.extend(forbidden.iter().filter_map(|(policy, paths)| {
        let pages = several(paths)?;
        Some(format!(
            "{pages}, which {lose}: the policy `{policy}` forbids the live script; allow scripts from 'self' in it"
        ))
    }));
    notices.extend(several(&empty).map(|pages| {
        format!(
            "{pages}, which scripts draw from nothing: texts that stand in no HTML are translated where the \
             translation files have them; {advice}"
        )
    }));
    let hydrated = corpus
        .scripted
        .values()
        .any(|page| page.rendering == Rendering::Hydrated);
    notices.extend((config.rules.changes_state() && hydrated).then(|| {
        "`translate_state` changes JSON in <script type=\"application/json\"> alone; what frameworks keep in programs \
         (Next.js, Docusaurus, VitePress) stays, and the live script does without it"
            .to_owned()
    }));
    notices
}

/// The words that all pages of a locale share.
pub(super) fn live_site(
    build: &Build<'_>,
    corpus: &Corpus,
    all: &[LocaleTexts],
    addresses: &Addresses,
) -> LiveSite {
    let pages: Vec<&PagePath> = corpus
        .pages
        .keys()
        .filter(|path| is_live(build.site, corpus, path))
        .collect();
    if pages.is_empty() {
        return LiveSite::default();
    }
    let shared = |texts: &LocaleTexts| {
        let shared = shared_words(build, corpus, texts);
        let documents = shared.is_none();
        let mut words = shared.unwrap_or_default();
        let mut found = LiveTally::default();
        for index in pages
            .iter()
            .filter_map(|path| corpus.found.get(*path))
            .flat_map(Indices::iter)
        {
            found.add(corpus, texts, index);
        }
        let found = found.most_frequent().into_iter();
        let elsewhere = texts
            .elsewhere
            .iter()
            .flat_map(|(source, words)| pieces(source, words));
        let elsewhere = found
            .chain(elsewhere)
            .filter(|(source, _)| !words.contains_key(source));
        let elsewhere: BTreeMap<String, String> = elsewhere.collect();
        let pages = exceptions(build.site, corpus, &texts.locale, addresses);
        words.extend(elsewhere);
        let mut attributes = live_attributes();
        attributes.extend(build.site.rules.asked().map(|name| (name, "*".to_owned())));
        let renames = !pages.is_empty();
        let patterns = words
            .iter()
            .filter_map(|(source, target)| Pattern::of(source, target))
            .collect();
        let said = SharedWords {
            attributes,
            islands: LIVE_ISLANDS,
            words: &words,
            patterns,
            pages,
        };
        let words = OwnScript::of_locale(&texts.locale, &said);
        let modules = modules(build.site, corpus, &texts.locale, addresses);
        let fetches = !context::has_hosts(build.site)
            && corpus
                .indexes
                .iter()
                .any(|index| index.asked() == IndexLoading::Fetched);
        (
            texts.locale.clone(),
            LiveLocale {
                words,
                documents,
                renames,
                modules,
                fetches,
            },
        )
    };
    LiveSite(all.iter().map(shared).collect())
}

/// The words of all pages that get the live script; `None` if they are too many for one file.
fn shared_words(
    build: &Build<'_>,
    corpus: &Corpus,
    texts: &LocaleTexts,
) -> Option<BTreeMap<String, String>> {
    if corpus.has_cached_drawn_pages() {
        return None;
    }
    let mut tally = LiveTally::default();
    for (_, indices) in corpus
        .pages
        .iter()
        .filter(|(path, _)| is_live(build.site, corpus, path))
    {
        indices
            .iter()
            .for_each(|index| tally.add(corpus, texts, index));
    }
    let words = tally.most_frequent();
    let bytes: usize = words
        .iter()
        .map(|(source, target)| source.len() + target.len() + ENTRY)
        .sum();
    (bytes as u64 <= build.options.limits.shared_words).then_some(words)
}

/// Search indexes that other modules name by the source's paths.
fn modules(
    site: &SiteConfig,
    corpus: &Corpus,
    locale: &Locale,
    addresses: &Addresses,
) -> BTreeMap<String, String> {
    let public = addresses.public();
    let source = &site.source_locale;
    let imported = corpus
        .indexes
        .iter()
        .filter(|index| !context::has_hosts(site) && index.asked() == IndexLoading::Imported);
    let paths = imported.filter_map(|index| PagePath::parse(index.path()).ok());
    paths
        .map(|path| (public.path(source, &path), public.path(locale, &path)))
        .collect()
}

/// Whether the live script brings readers of each language to an index, where they share a host.
pub(in crate::run) fn leads_to(
    config: &SiteConfig,
    index: &RecognizedIndex,
    corpus: &Corpus,
) -> bool {
    let Some(locale) = config.locales.first() else {
        return false;
    };
    let mut routed = corpus.scripted.iter().filter(|(path, page)| {
        corpus.is_drawn(path) && page.framework.is_some_and(Framework::has_router)
    });
    let forbids_maps = |path: &PagePath, page: &Scripted| {
        let own = page.policies.iter().map(String::as_str);
        own.chain(corpus.served_policies.of(path.as_str()))
            .any(site_files::forbids_inline)
    };
    let is_led = |(path, page): (&PagePath, &Scripted)| {
        gets_script(config, corpus, locale, path)
            && (index.asked() == IndexLoading::Fetched || !forbids_maps(path, page))
    };
    match index.asked() {
        IndexLoading::Beside => true,
        // The script knows how a search asks where the site begins, and nowhere else.
        IndexLoading::Fetched if index.path().rfind('/') != Some(0) => false,
        IndexLoading::Imported | IndexLoading::Fetched => {
            config.scripts.mask && routed.clone().next().is_some() && routed.all(is_led)
        }
        IndexLoading::AtRoot => false,
    }
}

/// The pages of a locale whose paths do not follow from those of the source.
fn exceptions(
    site: &SiteConfig,
    corpus: &Corpus,
    locale: &Locale,
    addresses: &Addresses,
) -> BTreeMap<String, String> {
    let public = addresses.public();
    let source = &site.source_locale;
    if !site.scripts.mask {
        return BTreeMap::new();
    }
    let exception = |path: &PagePath| {
        let from = public.path(source, path);
        let to = match addresses.is_published(locale, path) {
            true if public.slugs().local(locale, path) == public.slugs().local(source, path) => {
                return None;
            }
            true => public.path(locale, path),
            false => from.clone(),
        };
        Some((bare(&from).to_owned(), to))
    };
    corpus.pages.keys().filter_map(exception).collect()
}

/// How often a text has which translation.
#[derive(Default)]
struct LiveTally(HashMap<String, HashMap<String, usize>>);

impl LiveTally {
    /// Counts the nodes of a text that stands on a page.
    fn add(&mut self, corpus: &Corpus, texts: &LocaleTexts, index: u32) {
        let index = usize::try_from(index)
            .ok()
            .filter(|&index| texts.settled.origin(index).is_some());
        let text =
            index.and_then(|index| Some((corpus.texts.get(index)?, texts.settled.get(index)?)));
        let Some((text, settled)) = text else { return };
        let Some(target) = &settled.text else { return };
        // Of several, people's words are the right ones.
        let weight = if settled.origin == TranslationOrigin::Person {
            1 << 20
        } else {
            1
        };
        for (source, target) in
            pairs(&text.segment.text, target).filter(|(source, target)| source != target)
        {
            *self.0.entry(source).or_default().entry(target).or_default() += weight;
        }
    }

    fn most_frequent(self) -> BTreeMap<String, String> {
        let most = |(source, counts): (String, HashMap<String, usize>)| {
            let most = counts
                .into_iter()
                .max_by(|one, other| one.1.cmp(&other.1).then_with(|| other.0.cmp(&one.0)));
            Some((source, most?.0))
        };
        self.0.into_iter().filter_map(most).collect()
    }
}

/// Some pages as the subject of a sentence.
fn several(paths: &[&PagePath]) -> Option<String> {
    let first = paths.first()?;
    Some(format!("{}, such as {first}", counted(paths.len(), "page")))
}

/// An address that ends in `.html` or not as the written one does: routers know pages by the spelling of their links.
/// What is written as a folder or as its index stays what it is.
pub(super) fn spelled_like(written: &str, address: String) -> String {
    let path = |address: &str| address.find(['?', '#']).unwrap_or(address.len());
    let (own, rest) = address.split_at(path(&address));
    let written = &written[..path(written)];
    let name = written.rsplit('/').next().unwrap_or_default();
    if matches!(name, "" | "." | ".." | "index.html" | "index.htm") || bare(own).is_empty() {
        return address;
    }
    format!("{}{}{rest}", bare(own), &written[bare(written).len()..])
}

/// A path without the endings that hosts leave out.
fn bare(path: &str) -> &str {
    let path = path.strip_suffix('/').unwrap_or(path);
    let path = path
        .strip_suffix(".html")
        .or_else(|| path.strip_suffix(".htm"))
        .unwrap_or(path);
    path.strip_suffix("/index").unwrap_or(path)
}

#[cfg(test)]
mod tests;
