//! Which addresses a host has to be told, because its tree alone would answer otherwise.
//!
//! Only what is special is looked at: pages that a locale lacks, pages with paths of their own or from before, redirects of
//! the source, and pages whose names do not follow the site's style. All others answer rightly by themselves, in each of
//! their spellings, wherever the host looks names up as the snippets for servers do ([`PathLookup`]).

use std::collections::{BTreeMap, BTreeSet};

use super::caching::is_html;
use super::layout::{HostRoot, HostSpot};
use super::place::{CANONICAL, HostAnswer, SOURCE, spellings};
use crate::model::PagePath;
use crate::store::Tree;

/// An address that a host has to be told about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostRule {
    /// Which language of the tree it belongs to.
    pub spot: usize,
    /// The path at the host, as a URL writes it.
    pub from: String,
    /// What it answers.
    pub reply: HostReply,
    /// Why.
    pub why: RuleReason,
    /// Whether this is the page's address, and not another spelling of it.
    pub is_address: bool,
}

/// What an address answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HostReply {
    /// A redirect, with its status.
    Moved(String, u16),
    /// 410, with the language's error page.
    Gone,
    /// 404, with the language's error page.
    NotFound,
    /// The file of this name in the tree.
    File(String),
}

/// Why a host has to be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RuleReason {
    /// The language lacks the page.
    Missing,
    /// The page is somewhere else now.
    Moved,
    /// The page is there under another spelling.
    Spelling,
}

/// How the names of pages stand to their paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NameStyle {
    /// `about.html` is `/about.html`.
    Ending,
    /// `about.html` is `/about`.
    Clean,
}

/// How a server of one's own looks a path up: what the snippets for nginx, Apache and Caddy do without any rule.
#[derive(Clone, Debug)]
pub(super) struct PathLookup<'r> {
    root: &'r HostRoot<'r>,
    /// The style of most pages.
    pub(super) style: NameStyle,
}

/// Every address of a tree that must be told, sorted.
pub fn rules(root: &HostRoot<'_>) -> Vec<HostRule> {
    let lookup = PathLookup::of(root);
    let mut found = BTreeMap::new();
    for (at, spot) in root.spots.iter().enumerate() {
        for (path, is_address) in special(root, spot, &lookup) {
            let reply = desired(root, spot, &path);
            let from = format!("{}{path}", spot.prefix);
            if reply == lookup.reply(spot, &path) {
                continue;
            }
            let why = match &reply {
                HostReply::Moved(_, SOURCE) | HostReply::Gone | HostReply::NotFound => {
                    RuleReason::Missing
                }
                HostReply::Moved(to, _) if spellings(&from).any(|other| other == *to) => {
                    RuleReason::Spelling
                }
                HostReply::Moved(..) => RuleReason::Moved,
                HostReply::File(_) => RuleReason::Spelling,
            };
            found.insert(
                from.clone(),
                HostRule {
                    spot: at,
                    from,
                    reply,
                    why,
                    is_address,
                },
            );
        }
    }
    found.into_values().collect()
}

/// What a path of a language answers by the law.
fn desired(root: &HostRoot<'_>, spot: &HostSpot<'_>, path: &str) -> HostReply {
    match spot.place.answer(path, None) {
        HostAnswer::File(file) => HostReply::File(root.name_of(spot, &file)),
        HostAnswer::Moved(to, status) => HostReply::Moved(format!("{}{to}", spot.prefix), status),
        HostAnswer::Source(to) => HostReply::Moved(to, SOURCE),
        HostAnswer::NotFound(_) => HostReply::NotFound,
        HostAnswer::Gone(_) => HostReply::Gone,
    }
}

/// The paths of a language that the tree alone may answer wrongly; with whether each is a page's own address.
fn special(
    root: &HostRoot<'_>,
    spot: &HostSpot<'_>,
    lookup: &PathLookup<'_>,
) -> BTreeMap<String, bool> {
    let published = spot.place.published;
    let settings = published.settings();
    let is_on = settings.is_on(spot.locale);
    let own = Tree::Locale(spot.locale.clone());
    let mut pages: BTreeSet<&PagePath> = BTreeSet::new();
    for tree in published.trees() {
        let Some(manifest) = published.manifest(tree) else {
            continue;
        };
        if let Tree::Locale(_) = tree {
            pages.extend(manifest.missing.iter());
        }
        if *tree == own && is_on || *tree == Tree::Locale(settings.source_locale.clone()) {
            pages.extend(manifest.objects.values().map(|entry| &entry.path));
        }
    }
    let mut paths: BTreeSet<PagePath> = BTreeSet::new();
    // What the store calls a file is no address of it.
    let mut names: BTreeSet<PagePath> = BTreeSet::new();
    for page in pages {
        let local = settings.slugs.local(spot.locale, page);
        let is_there = is_on && published.find(&own, local.as_str()).is_some();
        if !is_there || *local != *page {
            paths.extend([page.clone(), local.into_owned()]);
        }
    }
    if is_on {
        paths.extend(
            settings
                .former
                .get(spot.locale)
                .into_iter()
                .flat_map(BTreeMap::keys)
                .cloned(),
        );
        paths.extend(settings.redirects.keys().cloned());
        if *spot.locale == settings.source_locale {
            // Versions that the author wrote may have moved to the host of their language.
            paths.extend(settings.written.keys().cloned());
        }
        let found_here = root
            .files
            .iter()
            .filter(|(_, file)| file.is_of(spot) || *file.tree == Tree::Shared);
        let odd = found_here.filter(|(name, file)| {
            lookup.reply(spot, file.entry.path.as_str()) != HostReply::File(name.to_string())
        });
        for (_, file) in odd {
            paths.insert(file.entry.path.clone());
            names.insert(PagePath::of_file(file.name));
        }
    }
    // What looks like a page of the name of a language's folder is none.
    let folders = root
        .spots
        .iter()
        .filter_map(|other| other.prefix.strip_prefix(&spot.prefix))
        .filter(|rest| rest.starts_with('/'));
    paths.extend(folders.filter_map(|rest| PagePath::parse(&format!("{rest}.html")).ok()));
    // Queries are not looked at by hosts.
    let plain = paths.iter().filter(|path| path.query().is_none());
    let mut all: BTreeMap<String, bool> = BTreeMap::new();
    let is_own = |path: &String| {
        path.starts_with('/') && root.spot(&format!("{}{path}", spot.prefix)).prefix == spot.prefix
    };
    for path in plain.clone().chain(&names) {
        for other in spellings(path.as_str()).filter(is_own) {
            all.entry(other).or_insert(false);
        }
    }
    for path in plain {
        // What is the address of another language's folder is that folder, as at `latimer serve`.
        if is_own(&path.to_string()) {
            all.insert(path.to_string(), true);
        }
    }
    all
}

impl<'r> PathLookup<'r> {
    /// Looks paths up in a tree.
    pub(super) fn of(root: &'r HostRoot<'r>) -> Self {
        let is_page = |name: &str| {
            name.ends_with(".html") && !name.ends_with("/index.html") && name != "index.html"
        };
        let pages = || {
            root.files
                .iter()
                .filter(|(name, file)| is_page(name) && is_html(&file.entry.content_type))
        };
        let clean = pages()
            .filter(|(_, file)| !file.entry.path.path().ends_with(".html"))
            .count();
        let style = if clean * 2 > pages().count() {
            NameStyle::Clean
        } else {
            NameStyle::Ending
        };
        Self { root, style }
    }

    /// What a path of a language answers without any rule.
    fn reply(&self, spot: &HostSpot<'_>, path: &str) -> HostReply {
        let own = self.name(&spot.prefix, path);
        let is_page_name = path.ends_with("/index.html")
            || self.style == NameStyle::Clean && path.ends_with(".html");
        if path.ends_with('/') {
            let index = format!("{own}index.html");
            if self.has(&index) {
                return HostReply::File(index);
            }
        } else if !is_page_name {
            let page = format!("{own}.html");
            if self.has(&own) {
                return HostReply::File(own);
            } else if self.style == NameStyle::Clean && self.has(&page) {
                return HostReply::File(page);
            } else if let Some(shared) = self.shared(spot, path) {
                return HostReply::File(shared);
            }
        }
        let stem = spellings(path).nth(1).unwrap_or_default();
        let name = self.name(&spot.prefix, &stem);
        let moved =
            |ending: &str| HostReply::Moved(format!("{}{stem}{ending}", spot.prefix), CANONICAL);
        let folder = if stem.is_empty() {
            self.name(&spot.prefix, "/")
        } else {
            format!("{name}/")
        };
        let page = format!("{name}.html");
        if self.has(&format!("{folder}index.html")) {
            moved("/")
        } else if !stem.is_empty()
            && (self.has(&name)
                || self.style == NameStyle::Clean && self.has(&page)
                || self.shared(spot, &stem).is_some())
        {
            moved("")
        } else if !stem.is_empty() && self.has(&page) {
            moved(".html")
        } else {
            HostReply::NotFound
        }
    }

    /// A file that all languages share, asked for below a language's folder.
    fn shared(&self, spot: &HostSpot<'_>, path: &str) -> Option<String> {
        let name = self.name(&spot.shared, path);
        (self.has(&name) && !self.root.is_of_language(&format!("{}{path}", spot.shared)))
            .then_some(name)
    }

    fn name(&self, prefix: &str, path: &str) -> String {
        self.root.name(&format!("{prefix}{path}"), "")
    }

    fn has(&self, name: &str) -> bool {
        self.root.files.contains_key(name)
    }
}
