//! One locale's version of a page: its words, what it says of itself, and its switchers.

use std::borrow::Cow;

use super::live;
use super::live_head::LiveHead;
use super::references::SiteContext;
use super::spoken::{SpokenPage, SpokenText};
use crate::addresses::Links;
use crate::config::{Placement, SiteConfig, Switcher, SwitcherTemplate};
use crate::crawl::format_of_page;
use crate::model::{Locale, PagePath};
use crate::page::{LivePair, Page, PageChanges, PageFormat, PageHead, PageLink, RobotsStatement};
use crate::run::context::Build;
use crate::run::error::BuildError;
use crate::run::report::build_report::RefusedText;
use crate::run::words::texts::LocaleTexts;
use crate::site_files::{self, OwnScript};
use crate::state::SourceRecord;
use crate::store::{Object, Tree};
use crate::translate::ResolvedText;

/// Style sheets of a page among which one for right-to-left languages is looked for.
const MOST_SHEETS: usize = 64;

/// The media types of rendered pages.
const HTML: &str = "text/html; charset=utf-8";
const XHTML: &str = "application/xhtml+xml; charset=utf-8";

/// A locale's version of a page or document, ready to be stored.
pub(in crate::run) struct PageVersion {
    pub(in crate::run) tree: Tree,
    pub(in crate::run) object: Object,
    pub(in crate::run) refused: Vec<RefusedText>,
    pub(in crate::run) locale: Locale,
    /// A file that the page brings with it.
    pub(in crate::run) file: Option<OwnScript>,
    /// The page is XML, and a template of the site is not.
    pub(super) lacks_template: bool,
    /// The paths that it asked for, by their marks.
    pub(in crate::run) asked: Vec<u32>,
}

/// A page of the source, and the page whose version it is made into.
#[derive(Clone, Copy)]
pub(in crate::run) struct Original<'p> {
    /// The page that the version is of.
    pub(in crate::run) path: &'p PagePath,
    /// Path of what it is made of: the page itself, or a version that the author wrote.
    pub(in crate::run) source: &'p PagePath,
    pub(in crate::run) record: &'p SourceRecord,
}

impl<'p> Original<'p> {
    /// The page itself.
    pub(in crate::run) fn of(path: &'p PagePath, record: &'p SourceRecord) -> Self {
        Self {
            path,
            source: path,
            record,
        }
    }

    /// True if the author wrote the version.
    pub(in crate::run) fn is_written(self) -> bool {
        self.path != self.source
    }
}

/// Whose words a version has.
#[derive(Clone, Copy)]
pub(in crate::run) enum VersionSpeech<'t> {
    /// The source's own.
    Source(&'t Locale),
    /// Those of this build.
    Now(&'t LocaleTexts),
    /// Those that stay, by the place of the segment.
    Before(&'t Locale, &'t [ResolvedText]),
}

impl<'t> VersionSpeech<'t> {
    pub(in crate::run) fn locale(self) -> &'t Locale {
        match self {
            Self::Source(locale) | Self::Before(locale, _) => locale,
            Self::Now(texts) => &texts.locale,
        }
    }

    pub(in crate::run) fn is_source(self) -> bool {
        matches!(self, Self::Source(_))
    }

    /// The words of the page whose texts are `indices`, by the places of its segments.
    pub(in crate::run) fn words(self, indices: &[u32]) -> SpokenPage<'t> {
        SpokenPage::new(match self {
            Self::Source(_) => Vec::new(),
            Self::Now(texts) => indices.iter().map(|&index| texts.spoken(index)).collect(),
            Self::Before(_, settled) => {
                let spoken = |settled: &'t ResolvedText| match &settled.text {
                    Some(text) => SpokenText::Words(Cow::Borrowed(text)),
                    None => SpokenText::without_words(&settled.origin),
                };
                settled.iter().map(spoken).collect()
            }
        })
    }
}

/// What a page says of itself in a locale.
#[derive(Debug)]
pub(in crate::run) struct VersionFacts {
    /// Whether it is there as one of the locale's.
    is_translated: bool,
    /// Whether it is in the locale's language.
    speaks: bool,
    pub(in crate::run) alternates: Vec<(String, String)>,
    pub(in crate::run) canonical: Option<String>,
    pub(in crate::run) is_error: bool,
    /// Whether other pages show it as a part of theirs.
    is_fragment: bool,
    /// Whether it has no versions.
    is_single: bool,
}

/// The switchers of a page, and what goes into its head for them.
#[derive(Default)]
struct PlacedSwitchers {
    style: String,
    marked: Vec<String>,
    waiting: String,
    body_start: String,
    body_end: String,
}

/// What a page says of itself in a locale.
pub(in crate::run) fn about(
    config: &SiteConfig,
    site: &SiteContext<'_>,
    locale: &Locale,
    path: &PagePath,
    noindex: bool,
) -> VersionFacts {
    let is_translated = site.is_translated(locale, path);
    let alternates = if noindex || !is_translated {
        Vec::new()
    } else {
        site.alternates(locale, path)
    };
    let speaks = is_translated;
    let is_error = site_files::is_error_page(path);
    let canonical_of = if speaks {
        locale
    } else {
        &config.source_locale
    };
    let canonical = match site.corpus.canonicals.get(path) {
        Some(canonical) => site.canonical_address(canonical, canonical_of),
        None => site.addresses.public().page(canonical_of, path),
    };
    let is_fragment = site.corpus.parts.fragments.contains(path);
    let canonical = canonical.filter(|_| !is_error && !is_fragment);
    let is_single = site.corpus.singles.contains_key(path);
    VersionFacts {
        is_translated,
        speaks,
        alternates,
        canonical,
        is_error,
        is_fragment,
        is_single,
    }
}

/// One locale's version of a page.
#[expect(clippy::too_many_lines, reason = "the parts of one rendered version")]
pub(in crate::run) fn render(
    build: &Build<'_>,
    site: &SiteContext<'_>,
    original: Original<'_>,
    page: &Page,
    speech: VersionSpeech<'_>,
) -> Result<PageVersion, BuildError> {
    let Original {
        path,
        source,
        record,
    } = original;
    let locale = speech.locale();
    let is_written = original.is_written();
    let VersionFacts {
        is_translated,
        speaks,
        alternates,
        canonical,
        is_error,
        is_fragment,
        is_single,
    } = about(build.site, site, locale, path, record.noindex);
    let notice = if is_translated {
        String::new()
    } else {
        site.templates.notice(locale)?
    };
    let canonical_of = if speaks {
        locale
    } else {
        &build.site.source_locale
    };
    let public = site.addresses.public();
    let switchers = match is_fragment || is_single || page.is_amp() {
        true => PlacedSwitchers::default(),
        false => placed_switchers(build.site, site, (locale, path), record, page)?,
    };
    let is_hidden = locale.is_pseudo() || !is_translated || (is_error && !speech.is_source());
    let robots = record
        .robots
        .as_deref()
        .map(RobotsStatement::read)
        .unwrap_or_default();
    let whole = PageHead {
        canonical: canonical.as_deref(),
        alternates: &alternates,
        alone: is_error,
        noindex: is_hidden,
        robots: &robots,
        extra: &switchers.style,
        body_start: &(notice + &switchers.body_start),
        body_end: &switchers.body_end,
        marked: &switchers.marked,
        waiting: &switchers.waiting,
    };
    let head = if is_single {
        PageHead {
            alternates: &alternates,
            ..PageHead::default()
        }
    } else {
        whole
    };
    let says_nothing = is_fragment || (is_single && alternates.is_empty());
    let is_drawn = site.corpus.is_drawn(source);
    let links = site.addresses.links();
    let link = |link: &PageLink<'_>| {
        // The source keeps its links as they are; only its language menu leads to what is published.
        if speech.is_source() {
            return if is_drawn || is_single {
                None
            } else {
                links.switch(path, page.base(), link)
            };
        }
        // Where no address is known in full, the source's would make search engines drop this version (R-C5).
        let is_canonical = link.element == "link" && link.rel.iter().any(|rel| rel == "canonical");
        match is_canonical && public.page(canonical_of, path).is_none() {
            true => site.canonical_reference(locale, canonical_of, path),
            false if is_drawn => {
                let address = links.localize(locale, source, page.base(), link)?;
                Some(live::spelled_like(link.address, address))
                    .filter(|address| address != link.address)
            }
            false => links.localize(locale, source, page.base(), link),
        }
    };
    let is_version =
        |link: &PageLink<'_>| links.leads_to_version(locale, source, page.base(), link);
    let live = LiveHead::default();
    let enliven = |pairs: &[LivePair]| live.make(build, site, locale, (path, page), pairs);
    let is_live = is_translated
        && !is_fragment
        && !page.is_amp()
        && !speech.is_source()
        && !is_written
        && live::gets_script(build.site, site.corpus, locale, path);
    let file = |link: &PageLink<'_>| {
        let other = links.other_file(locale, source, page.base(), link)?;
        site.other_files.get(locale, &other).map(Cow::Borrowed)
    };
    let behind = |link: &PageLink<'_>| {
        links.sheet_behind(
            locale,
            (source, page.base()),
            link,
            page.style_sheets().take(MOST_SHEETS),
        )
    };
    let loads = !speech.is_source() && !is_single && !page.is_amp();
    let policies = site.policies_beside(locale, path, record);
    let words = if is_translated && !is_written {
        speech.words(&site.corpus.indices(path))
    } else {
        SpokenPage::default()
    };
    let is_untranslated = |place: usize| words.is_untranslated(place);
    let changes = PageChanges {
        live: is_live.then_some(&enliven as _),
        speak: Some(locale).filter(|_| speaks && !speech.is_source()),
        head: Some(&head).filter(|_| !says_nothing),
        is_fragment,
        link: Some(&link),
        file: if loads { Some(&file) } else { None },
        sheet_behind: if loads && is_translated {
            Some(&behind)
        } else {
            None
        },
        untranslated: Some(&is_untranslated),
        is_version: Some(&is_version),
        policies: &policies,
    };
    let rendered = page.render(|place| words.text(place), &changes);
    let refused = rendered
        .refused
        .iter()
        .map(|(index, error)| RefusedText::of(path, page, *index, error));
    Ok(PageVersion {
        refused: refused.collect(),
        tree: Tree::Locale(locale.clone()),
        object: Object {
            noindex: head.noindex,
            robots: record.robots.as_deref().map(str::to_owned),
            ..Object::new(
                site.name(locale, path),
                site.local(locale, path),
                media_type(record),
                rendered.html,
            )
        },
        locale: locale.clone(),
        file: live.into_file(),
        lacks_template: !page.takes(&head),
        asked: asked_of(links, original),
    })
}

/// The switchers of a page: in the place of those that it has already, and otherwise where the site says.
fn placed_switchers(
    config: &SiteConfig,
    site: &SiteContext<'_>,
    (locale, path): (&Locale, &PagePath),
    record: &SourceRecord,
    page: &Page,
) -> Result<PlacedSwitchers, BuildError> {
    let Switcher {
        template,
        placement,
    } = config.switcher;
    let marks: Vec<SwitcherTemplate> = page
        .marked_switchers()
        .map(|mark| SwitcherTemplate::named(mark).unwrap_or(template))
        .collect();
    let is_placed = match placement {
        Placement::Nowhere => false,
        Placement::Waiting => page.awaits_switcher(),
        Placement::BodyStart | Placement::BodyEnd => true,
    };
    let is_placed = is_placed && marks.is_empty() && !site.corpus.parts.framed.contains(path);
    let mut placed = PlacedSwitchers::default();
    if marks.is_empty() && !is_placed {
        return Ok(placed);
    }
    let links = site.switcher_links(locale, path);
    let keeps_place =
        site.permits_handlers(locale, path, page.policies().iter().chain(&record.policies));
    let block = |template: &SwitcherTemplate| {
        site.templates
            .switcher(*template, locale, &links, keeps_place)
    };
    placed.marked = marks.iter().map(block).collect::<Result<_, _>>()?;
    if is_placed {
        let place = match placement {
            _ if page.awaits_switcher() => &mut placed.waiting,
            Placement::BodyStart => &mut placed.body_start,
            Placement::BodyEnd | Placement::Waiting | Placement::Nowhere => &mut placed.body_end,
        };
        *place = block(&template)?;
    }
    let is_seen = |template: &SwitcherTemplate| *template != SwitcherTemplate::Headless;
    if links.len() > 1 && (marks.iter().any(is_seen) || (is_placed && is_seen(&template))) {
        let style = site
            .addresses
            .public()
            .own_file(locale, locale, &site.style);
        placed.style = format!("<link rel=\"stylesheet\" href=\"{style}\" />");
    }
    Ok(placed)
}

/// The paths that a page asked for. Its own and the home page's count for what it says of itself, too.
fn asked_of(links: Links<'_>, original: Original<'_>) -> Vec<u32> {
    let asked = links.into_asked();
    for path in [
        original.path,
        original.source,
        &PagePath::of_file("index.html"),
    ] {
        asked.note(path);
    }
    asked.into_marks()
}

fn media_type(record: &SourceRecord) -> &'static str {
    match format_of_page(&record.content_type) {
        PageFormat::Xhtml => XHTML,
        PageFormat::Html
        | PageFormat::Feed
        | PageFormat::JsonFeed
        | PageFormat::Manifest
        | PageFormat::Sidebar => HTML,
    }
}
