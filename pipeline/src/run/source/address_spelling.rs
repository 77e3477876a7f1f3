//! How a site spells the addresses of its pages (R-S7): `/about.html`, `/about` or `/about/` for `about.html`.
//!
//! Indexes of folders with other names than `index.html` have the address of the folder (R-S9).
//!
//! Canonical addresses and sitemaps decide if they agree. Links decide if there is neither, and only if none has an ending.

use std::collections::{BTreeMap, BTreeSet};

use super::sources::Sources;
use crate::config::{SiteConfig, SourceLocation};
use crate::model::{
    FileForm, FolderForm, Locale, PagePath, Slugs, SourceKind, SourceSitemaps, Spelling,
    mark_of_address, page_stem,
};
use crate::site_files;

/// The spelling of a site, and the pages that it does not fit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::run) struct AddressSpelling {
    spelling: Spelling,
    /// Pages whose address would be that of another page or file, so that they keep their paths.
    exceptions: BTreeSet<PagePath>,
    /// Indexes of folders whose files have other names than `index.html`, by folder (R-S9).
    indexes: BTreeMap<PagePath, PagePath>,
    pub(in crate::run) notice: Option<String>,
}

/// How often each form was found.
#[derive(Clone, Copy, Debug, Default)]
struct SpellingCount {
    ending: usize,
    bare: usize,
    slash: usize,
}

impl SpellingCount {
    fn add(&mut self, form: FileForm) {
        match form {
            FileForm::Ending => self.ending += 1,
            FileForm::Bare => self.bare += 1,
            FileForm::Slash => self.slash += 1,
        }
    }

    /// The form that all have; `None` if there is none or they differ.
    fn only(self) -> Option<FileForm> {
        match self {
            Self {
                ending: 1..,
                bare: 0,
                slash: 0,
            } => Some(FileForm::Ending),
            Self {
                ending: 0,
                bare: 1..,
                slash: 0,
            } => Some(FileForm::Bare),
            Self {
                ending: 0,
                bare: 0,
                slash: 1..,
            } => Some(FileForm::Slash),
            Self { .. } => None,
        }
    }

    fn is_empty(self) -> bool {
        self.ending + self.bare + self.slash == 0
    }
}

impl AddressSpelling {
    /// Decides how the pages of a source are spelled.
    pub(in crate::run) fn decide(
        site: &SiteConfig,
        sources: &Sources,
        sitemaps: &SourceSitemaps,
    ) -> Self {
        let (files, folders) = count(sources, sitemaps);
        let found = if files.is_empty() {
            of_links(sources)
        } else {
            files.only()
        };
        let disagree = !files.is_empty() && files.only().is_none();
        let spelling = Spelling {
            files: site.addresses.or(found).unwrap_or_default(),
            folders: match folders.only() {
                Some(FileForm::Bare) if site.addresses != Some(FileForm::Ending) => {
                    FolderForm::Bare
                }
                Some(_) | None => FolderForm::Slash,
            },
        };
        let notice = (disagree && site.addresses.is_none()).then(|| {
            format!(
                "canonical links and sitemaps of the source spell its pages in different ways ({} with .html, {} without, {} with a \
                 slash), so addresses stay as the files are called; `addresses = \"pretty\"` or \"file\" decides",
                files.ending, files.bare, files.slash
            )
        });
        let indexes = match site.source {
            SourceLocation::Folder(_) => indexes(sources),
            SourceLocation::Web(_) => BTreeMap::new(),
        };
        Self {
            spelling,
            exceptions: exceptions(spelling, sources),
            indexes,
            notice,
        }
    }

    /// The notice about a folder without a home page.
    pub(in crate::run) fn notice_of_home(
        &self,
        site: &SiteConfig,
        sources: &Sources,
    ) -> Option<String> {
        let home = PagePath::of_file("index.html");
        let is_there = sources.records.contains_key(&home)
            || self.indexes.contains_key(&home)
            || sources.redirects.contains_key(&home);
        let is_folder = matches!(site.source, SourceLocation::Folder(_));
        let notice = "the source has no home page (index.html), so readers of / find nothing, and neither does a language that lacks a \
                      page lead there";
        (is_folder && !is_there).then(|| notice.to_owned())
    }

    /// The paths of pages in addresses, before pages get paths of their own.
    pub(in crate::run) fn slugs(&self, site: &SiteConfig) -> Slugs {
        let mut slugs = Slugs::default().spelled(self.spelling, self.indexes.clone());
        let locales: Vec<&Locale> = std::iter::once(&site.source_locale)
            .chain(&site.locales)
            .collect();
        for page in &self.exceptions {
            for locale in &locales {
                slugs.insert(locale, page.clone(), page.clone());
            }
        }
        slugs
    }
}

/// The forms of pages in files of their own, and of indexes of folders, in canonical links and sitemaps.
fn count(sources: &Sources, sitemaps: &SourceSitemaps) -> (SpellingCount, SpellingCount) {
    let mut files = SpellingCount::default();
    let mut folders = SpellingCount::default();
    for (path, record) in sources.of_kind(SourceKind::Page) {
        let Some(form) = record.addresses.canonical else {
            continue;
        };
        if page_stem(path.path()).is_some() {
            files.add(form);
        } else if path.path().ends_with('/') {
            folders.add(form);
        }
    }
    for path in sitemaps.entries.keys().map(PagePath::path) {
        let bare = path.trim_end_matches('/');
        let is_bare = bare.len() == path.len();
        if bare.is_empty() {
            continue;
        }
        if page_stem(path).is_some() {
            files.add(FileForm::Ending);
        } else if is_page(sources, path) {
            if !is_bare {
                folders.add(FileForm::Slash);
            }
        } else if is_page(sources, &format!("{bare}.html")) {
            files.add(if is_bare {
                FileForm::Bare
            } else {
                FileForm::Slash
            });
        } else if is_bare && is_page(sources, &format!("{bare}/")) {
            folders.add(FileForm::Bare);
        }
    }
    (files, folders)
}

/// True if the source has a page at a path.
fn is_page(sources: &Sources, text: &str) -> bool {
    let record = PagePath::parse(text)
        .ok()
        .and_then(|path| sources.records.get(&path));
    record.is_some_and(|record| record.kind == SourceKind::Page)
}

/// Names of files that hosts take for the index of a folder, without their endings, and these, in the order of preference.
const INDEX_NAMES: [&str; 2] = ["index", "default"];
const INDEX_ENDINGS: [&str; 8] = ["htm", "html", "xhtml", "shtml", "php", "asp", "aspx", "jsp"];

/// The rank of a file among those that may be the index of its folder; `None` if it may not.
fn rank(path: &str) -> Option<(usize, usize)> {
    let (name, ending) = path.rsplit('/').next()?.rsplit_once('.')?;
    let name = INDEX_NAMES
        .iter()
        .position(|known| name.eq_ignore_ascii_case(known))?;
    let ending = INDEX_ENDINGS
        .iter()
        .position(|known| ending.eq_ignore_ascii_case(known))?;
    Some((name, ending))
}

/// The indexes of folders that have no `index.html`.
fn indexes(sources: &Sources) -> BTreeMap<PagePath, PagePath> {
    let mut found: BTreeMap<PagePath, ((usize, usize), PagePath)> = BTreeMap::new();
    for (path, _) in sources.of_kind(SourceKind::Page) {
        let Some(rank) = rank(path.path()) else {
            continue;
        };
        let Ok(folder) = PagePath::parse(path.directory()) else {
            continue;
        };
        if sources.records.contains_key(&folder)
            || found.get(&folder).is_some_and(|(best, _)| *best <= rank)
        {
            continue;
        }
        found.insert(folder, (rank, path.clone()));
    }
    found
        .into_iter()
        .map(|(folder, (_, page))| (folder, page))
        .collect()
}

/// The form that all links have to pages in files of their own.
fn of_links(sources: &Sources) -> Option<FileForm> {
    let mut pages = sources.of_kind(SourceKind::Page);
    if pages.any(|(_, record)| record.addresses.links_with_ending) {
        return None;
    }
    let mut marks = BTreeSet::new();
    for (path, _) in sources.of_kind(SourceKind::Page) {
        marks.extend(page_stem(path.path()).map(mark_of_address));
    }
    let mut linked = sources
        .of_kind(SourceKind::Page)
        .flat_map(|(_, record)| record.addresses.bare_links);
    if linked.any(|mark| marks.contains(&mark)) {
        Some(FileForm::Bare)
    } else {
        None
    }
}

/// Pages for what is not found, which hosts look for by name, fragments, which scripts fetch by name, and pages whose address would be
/// another's.
fn exceptions(spelling: Spelling, sources: &Sources) -> BTreeSet<PagePath> {
    let mut exceptions = BTreeSet::new();
    if spelling.is_default() {
        return exceptions;
    }
    let mut taken: BTreeSet<PagePath> = BTreeSet::new();
    for (path, record) in sources.of_kind(SourceKind::Page) {
        let public = spelling.public(path).into_owned();
        if public == *path {
            continue;
        }
        let is_taken =
            sources.records.contains_key(&public) || sources.redirects.contains_key(&public);
        if is_taken || record.fragment || site_files::is_error_page(path) || !taken.insert(public) {
            exceptions.insert(path.clone());
        }
    }
    exceptions
}
