//! The source as a build sees it: its pages and files, where it redirects, and what of it today's settings let in.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use bytes::Bytes;

use crate::config::{LanguagePlace, SiteConfig, SourceLocation};
use crate::crawl;
use crate::model::{PagePath, SourceSitemaps};
use crate::run::context::Build;
use crate::run::error::BuildError;
use crate::state::{SourceKind, SourceRecord, SourceRecords};
use crate::store::{self, SiteRedirect, StoredSource};

/// The source as this build sees it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sources {
    pub(crate) records: SourceRecords,
    pub(crate) redirects: BTreeMap<PagePath, SiteRedirect>,
    /// What it has for its own server (`.htaccess`), by name.
    pub(in crate::run) rules: BTreeMap<String, String>,
    /// What its sitemaps say, if it is crawled; those of a folder are files of it.
    pub(in crate::run) sitemaps: SourceSitemaps,
    pub(in crate::run) carried: Carried,
    /// The fetched bytes that the store had before the crawl.
    pub(in crate::run) stored: Arc<[StoredSource]>,
    /// Those that this run wrote, where they are many.
    pub(in crate::run) written: Arc<[StoredSource]>,
}

/// What this run did not take from the source itself, so that another builder's version is as good, and a later one better.
#[derive(Clone, Debug, Default)]
pub(in crate::run) struct Carried {
    /// Pages and files that stay as they were, and such as could not be taken or were held back.
    pub(in crate::run) paths: BTreeSet<PagePath>,
    /// Whether what the run does not have may be there all the same: it asked nobody, or does not believe the answer.
    pub(in crate::run) absent: bool,
}

impl Sources {
    pub(crate) fn of_kind(
        &self,
        kind: SourceKind,
    ) -> impl Iterator<Item = (&PagePath, &SourceRecord)> {
        self.records
            .iter()
            .map(|(path, record)| (path, &**record))
            .filter(move |(_, record)| record.kind == kind)
    }

    /// Keeps what was known of a path, which this run did not take from the source.
    pub(in crate::run) fn carry(&mut self, path: &PagePath, record: &Arc<SourceRecord>) {
        self.records.insert(path.clone(), Arc::clone(record));
        self.carried.paths.insert(path.clone());
    }

    /// What is published as it is, documents too.
    pub(crate) fn files(&self) -> impl Iterator<Item = (&PagePath, &SourceRecord)> {
        self.records
            .iter()
            .map(|(path, record)| (path, &**record))
            .filter(|(_, record)| record.kind != SourceKind::Page)
    }

    /// `/a/index.html` and `/a` are other spellings of `/a/` when all hold the same bytes (R-E7).
    pub(super) fn join_equal_pages(&mut self) {
        let same = |path: &PagePath, record: &SourceRecord| {
            let folder = match path.as_str().strip_suffix("index.html") {
                Some(folder) if folder.ends_with('/') => folder.to_owned(),
                _ if path.as_str().ends_with('/') => return None,
                _ => format!("{path}/"),
            };
            let folder = PagePath::parse(&folder).ok()?;
            let is_same = self
                .records
                .get(&folder)
                .is_some_and(|other| other.hash == record.hash);
            is_same.then(|| (path.clone(), folder))
        };
        let joined: Vec<_> = self
            .of_kind(SourceKind::Page)
            .filter_map(|(path, record)| same(path, record))
            .collect();
        for (path, folder) in joined {
            self.records.remove(&path);
            self.redirects.insert(
                path,
                SiteRedirect {
                    to: folder,
                    status: 308,
                },
            );
        }
    }

    /// Keeps redirects that were known, where nothing else is there and they lead to something.
    pub(in crate::run) fn carry_redirects(
        &mut self,
        known: &BTreeMap<PagePath, SiteRedirect>,
        scope: &SourceScope<'_>,
    ) {
        for (from, redirect) in known
            .iter()
            .filter(|(from, redirect)| scope.lets_in_redirect(from, redirect))
        {
            let is_open = !self.records.contains_key(from) && !self.redirects.contains_key(from);
            if is_open && self.records.contains_key(&redirect.to) {
                self.redirects.insert(from.clone(), redirect.clone());
            }
        }
    }

    /// Drops what sitemaps say of pages that were not taken.
    pub(super) fn forget_unknown_entries(&mut self) {
        let Self {
            records,
            redirects,
            sitemaps,
            ..
        } = self;
        sitemaps
            .entries
            .retain(|path, _| records.contains_key(path) || redirects.contains_key(path));
    }

    /// Where a redirect leads in the end; `None` where there is none.
    pub(super) fn led_to(&self, from: &PagePath) -> Option<PagePath> {
        let mut at = from;
        for _ in 0..=self.redirects.len() {
            match self.redirects.get(at) {
                Some(next) => at = &next.to,
                None => break,
            }
        }
        (at != from).then(|| at.clone())
    }
}

/// What the settings let in of a source.
pub(in crate::run) struct SourceScope<'a> {
    site: &'a SiteConfig,
    /// Where our own pages lie.
    translated: Vec<String>,
}

impl SourceScope<'_> {
    /// Whether they let a path in.
    pub(in crate::run) fn lets_in(&self, path: &PagePath, kind: SourceKind) -> bool {
        let allowed = match kind {
            SourceKind::Page => {
                self.site.paths.allows_page(path) && self.site.crawl.query.allow(path)
            }
            SourceKind::Document | SourceKind::File => self.site.paths.allows_file(path),
        };
        allowed && !crawl::is_translated(path, &self.translated)
    }

    /// Whether they let a file for the source's own server in.
    pub(in crate::run) fn lets_in_rules(&self, name: &str) -> bool {
        self.lets_in(&PagePath::of_file(name), SourceKind::File)
    }

    /// Whether they let both ends of a redirect in.
    pub(in crate::run) fn lets_in_redirect(
        &self,
        from: &PagePath,
        redirect: &SiteRedirect,
    ) -> bool {
        self.lets_in(from, SourceKind::File) && self.lets_in(&redirect.to, SourceKind::File)
    }
}

/// What today's settings let in of the source.
pub(in crate::run) fn scope(config: &SiteConfig) -> SourceScope<'_> {
    SourceScope {
        site: config,
        translated: translated_prefixes(config),
    }
}

/// The bytes of a source; what is not that any more counts as missing.
pub(crate) async fn read_source(
    build: &Build<'_>,
    record: &SourceRecord,
) -> Result<Option<Bytes>, BuildError> {
    let found = store::source(&build.stores.objects, &build.site.id, &record.name).await?;
    Ok(found.filter(|bytes| *blake3::hash(bytes).to_hex() == *record.hash))
}

/// The folder of our own files among published ones.
const OWN_FOLDER: &str = "_latimer";

/// Folders of our own pages on the source site, which are never taken for its own. A folder has them if it has files of ours, and the
/// crawled host if our pages are published there.
pub(super) fn translated_prefixes(site: &SiteConfig) -> Vec<String> {
    let before = match (&site.url, &site.source) {
        (Some(pattern), _) if pattern.place() == LanguagePlace::Host => return Vec::new(),
        (_, SourceLocation::Folder(folder)) if !folder.join(OWN_FOLDER).is_dir() => {
            return Vec::new();
        }
        (Some(pattern), SourceLocation::Web(source))
            if pattern.origin("") != source.origin().ascii_serialization() =>
        {
            return Vec::new();
        }
        (Some(pattern), SourceLocation::Web(_)) => {
            pattern.path_prefix("").trim_end_matches('/').to_owned()
        }
        (Some(_) | None, _) => String::new(),
    };
    prefixes_below(site, &before)
}

/// Folders to which a language menu of the crawled site may lead although their pages are not there: the site's versions are published
/// on another host. Pages of the author may lie there, too.
pub(super) fn version_prefixes(site: &SiteConfig) -> Vec<String> {
    let Some(pattern) = site
        .url
        .as_ref()
        .filter(|_| matches!(site.source, SourceLocation::Web(_)))
    else {
        return Vec::new();
    };
    if !translated_prefixes(site).is_empty() {
        return Vec::new();
    }
    match pattern.place() {
        LanguagePlace::Host => prefixes_below(site, ""),
        LanguagePlace::Path => prefixes_below(site, pattern.path_prefix("").trim_end_matches('/')),
    }
}

/// The folder of each language below a folder.
fn prefixes_below(site: &SiteConfig, folder: &str) -> Vec<String> {
    site.locales
        .iter()
        .map(|locale| format!("{folder}/{}/", site.label(locale)))
        .collect()
}

/// Notices about folders of languages in a source that published files lie in: they are taken for ours.
pub(super) fn collisions(site: &SiteConfig) -> Vec<String> {
    let SourceLocation::Folder(folder) = &site.source else {
        return Vec::new();
    };
    let mut prefixes = translated_prefixes(site);
    prefixes.retain(|prefix| folder.join(prefix.trim_matches('/')).is_dir());
    let notice = |prefix: &String| {
        format!(
            "{prefix} of the source is left out, because the files of `_latimer` beside it were published by Latimer: publish to another \
             folder than that of the source"
        )
    };
    prefixes.iter().map(notice).collect()
}
