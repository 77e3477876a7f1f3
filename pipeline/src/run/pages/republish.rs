//! Versions that stay: a page is made from its older source, or its published bytes are taken again. Either way it names
//! the versions and pages that there are today.

use std::borrow::Cow;

use bytes::Bytes;

use super::document_version::document;
use super::kept_versions::{KeptRender, KeptVersion};
use super::references::SiteContext;
use super::version::{self, Original, PageVersion, VersionSpeech};
use crate::config::{SiteConfig, SwitcherTemplate};
use crate::crawl::format_of;
use crate::model::{Locale, PagePath};
use crate::page::{Page, PageChanges, PageHead, PageLink};
use crate::run::context::{Build, blocking};
use crate::run::corpus::extract;
use crate::run::error::BuildError;
use crate::run::options::Stores;
use crate::site_files;
use crate::state::{SourceKind, SourceRecord};
use crate::store::{Draft, ManifestEntry, Object, Put, StoreError, Tree};

/// Where the style sheet of switchers lies, whatever its name.
const STYLE: &str = "/_latimer/switcher.";

/// What was published of a page or document.
struct Old {
    entry: ManifestEntry,
    bytes: Bytes,
}

/// The versions of a page or document that stay.
pub(super) async fn kept_versions(
    build: &Build<'_>,
    site: &SiteContext<'_>,
    path: &PagePath,
    record: &SourceRecord,
    draft: &Draft,
) -> Result<Vec<PageVersion>, BuildError> {
    let mut versions = Vec::new();
    for (locale, kept) in site.kept.of(path) {
        let version = match render_anew(build, site, path, locale, kept).await? {
            Some(version) => Some(version),
            None => as_published(build, site, path, record, locale, draft).await?,
        };
        versions.extend(version);
    }
    Ok(versions)
}

/// A version from its own source.
async fn render_anew(
    build: &Build<'_>,
    site: &SiteContext<'_>,
    path: &PagePath,
    locale: &Locale,
    kept: &KeptVersion,
) -> Result<Option<PageVersion>, BuildError> {
    let (KeptRender::Anew(words), Some(record)) = (&kept.made, &kept.record) else {
        return Ok(None);
    };
    let Some(page) = extract::parse(build, path, record).await? else {
        return Ok(None);
    };
    let speech = VersionSpeech::Before(locale, words);
    Ok(Some(match record.kind {
        SourceKind::Page => {
            version::render(build, site, Original::of(path, record), &page, speech)?
        }
        SourceKind::Document | SourceKind::File => document(site, path, record, &page, speech),
    }))
}

/// A version from its published bytes; nothing where they have gone since the run began.
async fn as_published(
    build: &Build<'_>,
    site: &SiteContext<'_>,
    path: &PagePath,
    record: &SourceRecord,
    locale: &Locale,
    draft: &Draft,
) -> Result<Option<PageVersion>, BuildError> {
    let tree = Tree::Locale(locale.clone());
    let found = draft
        .previous()
        .and_then(|published| Some((published, published.page(&tree, path)?)));
    let Some((published, (name, entry))) = found else {
        return Ok(None);
    };
    let bytes = match published
        .read(&build.stores.objects, &tree, name, entry, None)
        .await
    {
        Err(StoreError::Damaged { .. }) => return Ok(None),
        bytes => bytes?,
    };
    let old = Old {
        entry: entry.clone(),
        bytes,
    };
    // They know the words of that day; what is loaded today knows others.
    for script in site_files::scripts_named(&String::from_utf8_lossy(&old.bytes)) {
        draft.keep_shared(&Tree::Shared, script).await?;
    }
    let rules = build.site.rules.clone();
    let speaks = locale.clone();
    let kind = record.content_type.clone();
    let address = path.path().to_owned();
    let body = old.bytes.clone();
    let source = record.kind;
    let page = blocking(move || {
        let format = format_of(source, &kind, &address, &body);
        Page::parse_as(format, &body, Some("utf-8"), &speaks, &rules)
    });
    let page = page.await?;
    let body = match source {
        SourceKind::Document => {
            with_current_links(build.site, site, path, record, locale, (&page, None))
        }
        SourceKind::Page | SourceKind::File => {
            with_current_head(build.site, site, path, record, locale, &page, &old)?
        }
    };
    let object = Object {
        source: old.entry.source.map(String::from),
        noindex: old.entry.noindex,
        robots: old.entry.robots.map(String::from),
        link: (source == SourceKind::Document && !record.noindex)
            .then(|| site.link_header(locale, path))
            .flatten(),
        ..Object::new(
            site.name(locale, path),
            site.local(locale, path),
            &old.entry.content_type,
            body,
        )
    };
    Ok(Some(PageVersion {
        tree,
        object,
        refused: Vec::new(),
        locale: locale.clone(),
        file: None,
        lacks_template: false,
        asked: Vec::new(),
    }))
}

/// A published page with today's alternates, switchers and links.
fn with_current_head(
    config: &SiteConfig,
    site: &SiteContext<'_>,
    path: &PagePath,
    record: &SourceRecord,
    locale: &Locale,
    page: &Page,
    old: &Old,
) -> Result<Vec<u8>, BuildError> {
    let about = version::about(config, site, locale, path, record.noindex);
    let template = config.switcher.template;
    let links = site.switcher_links(locale, path);
    let keeps_place =
        site.permits_handlers(locale, path, page.policies().iter().chain(&record.policies));
    let block = |mark: &str| {
        let template = SwitcherTemplate::named(mark).unwrap_or(template);
        // White space around the old block stays.
        site.templates
            .switcher(template, locale, &links, keeps_place)
            .map(|block| block.trim().to_owned())
    };
    let marked = page
        .marked_switchers()
        .map(block)
        .collect::<Result<Vec<_>, _>>()?;
    let has_style = String::from_utf8_lossy(&old.bytes).contains(STYLE);
    let style = site
        .addresses
        .public()
        .own_file(locale, locale, &site.style);
    let style = match marked.is_empty() || has_style || links.len() < 2 {
        true => Cow::Borrowed(""),
        false => Cow::Owned(format!("<link rel=\"stylesheet\" href=\"{style}\" />")),
    };
    let head = PageHead {
        canonical: about.canonical.as_deref(),
        alternates: &about.alternates,
        alone: about.is_error,
        // What else it says to search engines stands in it already.
        noindex: false,
        extra: &style,
        marked: &marked,
        ..PageHead::default()
    };
    Ok(with_current_links(
        config,
        site,
        path,
        record,
        locale,
        (page, Some(&head)),
    ))
}

fn with_current_links(
    config: &SiteConfig,
    site: &SiteContext<'_>,
    path: &PagePath,
    record: &SourceRecord,
    locale: &Locale,
    (page, head): (&Page, Option<&PageHead<'_>>),
) -> Vec<u8> {
    let public = site.addresses.public();
    let link = |link: &PageLink<'_>| match link.address.contains(STYLE) {
        true => Some(public.own_file(locale, locale, &site.style)),
        false => site.addresses.relocalize(locale, path, page.base(), link),
    };
    let is_localized = *locale != config.source_locale;
    let policies = site.policies_beside(locale, path, record);
    let link = is_localized.then_some(&link as _);
    let changes = PageChanges {
        head,
        link,
        policies: &policies,
        ..PageChanges::default()
    };
    page.render(|_| None, &changes).html
}

/// What putting a file that stays did.
pub(super) enum Stays {
    /// The published one goes on.
    Kept,
    /// There is none.
    Gone,
}

/// Keeps the published version of a file whose source is missing.
pub(super) async fn keep_file(
    stores: &Stores,
    draft: &Draft,
    name: &str,
    path: &PagePath,
    (robots, link): (Option<String>, Option<String>),
) -> Result<Stays, BuildError> {
    let tree = Tree::Shared;
    let found = draft
        .previous()
        .and_then(|published| Some((published, published.find(&tree, path.as_str())?)));
    let Some((published, (old, entry))) = found else {
        return Ok(Stays::Gone);
    };
    if old == name
        && entry.link.as_deref() == link.as_deref()
        && entry.robots.as_deref() == robots.as_deref()
    {
        // Published bytes may be missing too.
        return Ok(if draft.keep(&tree, name).await? {
            Stays::Kept
        } else {
            Stays::Gone
        });
    }
    match published
        .read(&stores.objects, &tree, old, entry, None)
        .await
    {
        Err(StoreError::Damaged { .. }) => Ok(Stays::Gone),
        bytes => {
            let object = Object {
                robots,
                link,
                ..Object::new(name.to_owned(), path.clone(), &entry.content_type, bytes?)
            };
            let _: Put = draft.put(&tree, object).await?;
            Ok(Stays::Kept)
        }
    }
}
