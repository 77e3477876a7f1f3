//! A site in a folder, or in another tree of files, as a static host would publish it.
//!
//! Hidden files are passed over, and so are the folders in which Latimer keeps former deployments and sources. Links to
//! folders are not followed: they may lead back here.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use url::Url;

use super::AuditError;
use super::addresses::{ClaimedAddress, FolderAddresses};
use super::answer::AuditAnswer;
use super::details::CachedPageFacts;
use super::links::is_checked;
use super::site::{AuditAnswers, AuditedPage, AuditedSite, Header, LostSitemap, SitemapFile};
use super::style_facts::{StyleFacts, StyleSheet};
use super::styles::is_turned;
use crate::crawl::{
    AddressBudget, ListedPage, Robots, Sitemap, by_ending, collect_sitemap, format_of_page, is_page,
};
use crate::model::{Locale, PagePath, is_hidden};
use crate::page::{PageFacts, PageFormat, read_facts};

/// Folders in which Latimer keeps what is not published.
const KEPT: [&str; 3] = ["_deployments", "_sources", "_previews"];

/// Files with names, as a static host would publish them.
pub(super) trait FileTree {
    /// The names of all files.
    fn names(&self) -> BTreeSet<String>;

    /// What messages call it.
    fn place(&self) -> PathBuf;

    /// Reads a file.
    async fn read(&self, name: &str) -> Result<Vec<u8>, AuditError>;
}

/// The files of a folder.
pub(super) struct FolderTree<'a> {
    folder: &'a Path,
    names: BTreeSet<String>,
}

impl<'a> FolderTree<'a> {
    pub(super) fn of(folder: &'a Path) -> Result<Self, AuditError> {
        let mut names = BTreeSet::new();
        list(folder, "", &mut names)?;
        Ok(Self { folder, names })
    }
}

impl FileTree for FolderTree<'_> {
    fn names(&self) -> BTreeSet<String> {
        self.names.clone()
    }

    fn place(&self) -> PathBuf {
        self.folder.to_owned()
    }

    async fn read(&self, name: &str) -> Result<Vec<u8>, AuditError> {
        let path = self.folder.join(name);
        fs::read(&path).map_err(failed(&path))
    }
}

/// Reads a site; `progress` gets pages read and their number.
pub(super) async fn read(
    tree: &impl FileTree,
    base: Option<&Url>,
    progress: &dyn Fn(usize, usize),
) -> Result<AuditedSite, AuditError> {
    let files = tree.names();
    let names: Vec<&String> = files
        .iter()
        .filter(|name| by_ending(name).is_some_and(is_page))
        .collect();
    if names.is_empty() {
        return Err(AuditError::NoPage(tree.place()));
    }
    let mut read: Vec<(String, CachedPageFacts)> = Vec::with_capacity(names.len());
    let mut rooted = RootedLinks::default();
    for name in &names {
        let html = tree.read(name).await?;
        let facts = read_facts(
            by_ending(name).map_or(PageFormat::Html, format_of_page),
            &html,
            None,
        );
        rooted.count(name, &facts, &files);
        read.push(((*name).clone(), CachedPageFacts::of(facts, is_checked)));
        progress(read.len(), names.len());
    }
    let sitemaps = read_sitemaps(tree, &files).await?;
    let indices: BTreeMap<String, usize> = read
        .iter()
        .enumerate()
        .map(|(index, (name, _))| (name.clone(), index))
        .collect();
    let mut claims: Vec<ClaimedAddress> = read
        .iter()
        .flat_map(|(name, kept)| claims(name, &kept.facts))
        .collect();
    if claims.is_empty() {
        claims = listed_claims(&indices, &sitemaps);
    }
    let at_root = rooted.folder();
    let addresses = FolderAddresses::new(files.clone(), indices, &claims, base, at_root.as_deref());
    let unknown = || AuditError::NoAddress(tree.place());
    let url = |name: &str| addresses.url_of(name).ok_or_else(unknown);
    let mut pages = Vec::with_capacity(read.len());
    for (name, kept) in read {
        let url = url(&name)?;
        pages.push(AuditedPage::new(name, url, kept, Header::default()));
    }
    let mut site_maps = Vec::new();
    for (name, content) in sitemaps {
        site_maps.push(SitemapFile {
            url: url(&name)?,
            name,
            content,
        });
    }
    let lost_sitemaps = lost(tree, &files, &addresses, &site_maps).await;
    let sheets = if pages.iter().any(is_turned) {
        style_sheets(tree, &files).await?
    } else {
        Vec::new()
    };
    Ok(AuditedSite {
        pages,
        sitemaps: site_maps,
        lost_sitemaps,
        answers: AuditAnswers::Folder(addresses),
        sheets,
        source: None,
    })
}

/// Reads the style sheets, except those for right-to-left pages alone.
async fn style_sheets(
    tree: &impl FileTree,
    files: &BTreeSet<String>,
) -> Result<Vec<StyleSheet>, AuditError> {
    let mut sheets = Vec::new();
    for name in files.iter().filter(|name| name.ends_with(".css")) {
        let bytes = tree.read(name).await?;
        let facts = StyleFacts::of(&String::from_utf8_lossy(&bytes));
        sheets.push(StyleSheet {
            name: name.clone(),
            facts,
        });
    }
    Ok(sheets)
}

fn failed(path: &Path) -> impl FnOnce(std::io::Error) -> AuditError {
    let path = path.to_path_buf();
    move |source| AuditError::Unreadable { path, source }
}

fn list(folder: &Path, prefix: &str, files: &mut BTreeSet<String>) -> Result<(), AuditError> {
    for entry in fs::read_dir(folder).map_err(failed(folder))? {
        let entry = entry.map_err(failed(folder))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if is_hidden(&entry.file_name()) || KEPT.contains(&name.as_str()) {
            continue;
        }
        let name = format!("{prefix}{name}");
        let path: PathBuf = entry.path();
        if entry.file_type().map_err(failed(&path))?.is_dir() {
            list(&path, &format!("{name}/"), files)?;
        } else if path.is_file() {
            files.insert(name);
        }
    }
    Ok(())
}

/// What a page says of its own address: its canonical one, and the one under which it names its own language.
fn claims(name: &str, facts: &PageFacts) -> Vec<ClaimedAddress> {
    let own = facts
        .lang
        .as_ref()
        .and_then(|lang| Locale::parse(&lang.text).ok());
    let is_own = |tag: &str| {
        Locale::parse(tag)
            .ok()
            .zip(own.as_ref())
            .is_some_and(|(tag, own)| tag == *own || tag.as_str() == own.search_tag())
    };
    let named = facts
        .alternates
        .iter()
        .filter(|alternate| is_own(&alternate.tag))
        .map(|alternate| &alternate.address);
    let addresses = facts
        .canonical
        .iter()
        .map(|canonical| &canonical.text)
        .chain(named);
    let claim = |address: &String| {
        let url = Url::parse(address)
            .ok()
            .filter(|url| matches!(url.scheme(), "http" | "https"))?;
        Some(ClaimedAddress {
            name: name.to_owned(),
            url,
        })
    };
    addresses.filter_map(claim).collect()
}

/// Where no page says its address: the addresses of sitemaps that end like the name of a page.
fn listed_claims(
    pages: &BTreeMap<String, usize>,
    sitemaps: &[(String, Sitemap)],
) -> Vec<ClaimedAddress> {
    let by_path: BTreeMap<String, &String> = pages
        .keys()
        .map(|name| (plain_path(PagePath::of_file(name).path()), name))
        .collect();
    let claim = |entry: &ListedPage| {
        let url = Url::parse(&entry.address).ok()?;
        let path = plain_path(PagePath::of_url(&url).path());
        let starts = [0]
            .into_iter()
            .chain(path.match_indices('/').map(|(at, _)| at + 1));
        let name = starts
            .filter_map(|at| by_path.get(path.get(at..)?))
            .next()?;
        Some(ClaimedAddress {
            name: (*name).clone(),
            url,
        })
    };
    sitemaps
        .iter()
        .flat_map(|(_, sitemap)| &sitemap.pages)
        .filter_map(claim)
        .collect()
}

fn plain_path(path: &str) -> String {
    let path = path.trim_start_matches('/');
    path.strip_suffix("index.html")
        .or_else(|| path.strip_suffix(".html"))
        .unwrap_or(path)
        .trim_end_matches('/')
        .to_owned()
}

/// Links to the root that lead into the folder of their page: such a folder is published at the root although it lies beside
/// the others.
#[derive(Default)]
struct RootedLinks(BTreeMap<String, usize>);

impl RootedLinks {
    /// Counts the links of a page, unless the root has a page.
    fn count(&mut self, name: &str, facts: &PageFacts, files: &BTreeSet<String>) {
        let Some((folder, _)) = name
            .split_once('/')
            .filter(|_| !files.contains("index.html"))
        else {
            return;
        };
        let inside = |path: &str| {
            let path = path.split(['?', '#']).next().unwrap_or_default();
            let index = if path.ends_with('/') || path.is_empty() {
                "index.html"
            } else {
                ""
            };
            !files.contains(path) && files.contains(&format!("{folder}/{path}{index}"))
        };
        let rooted = facts
            .links
            .iter()
            .filter_map(|link| link.address.strip_prefix('/'));
        *self.0.entry(format!("{folder}/")).or_default() +=
            rooted.filter(|path| inside(path)).count();
    }

    /// The folder with the most of them.
    fn folder(self) -> Option<String> {
        self.0
            .into_iter()
            .filter(|(_, count)| *count > 0)
            .max_by_key(|(_, count)| *count)
            .map(|(folder, _)| folder)
    }
}

async fn read_sitemaps(
    tree: &impl FileTree,
    files: &BTreeSet<String>,
) -> Result<Vec<(String, Sitemap)>, AuditError> {
    let mut sitemaps = Vec::new();
    for name in files {
        let lower = name.to_ascii_lowercase();
        let may_be =
            lower.ends_with(".xml") || (lower.ends_with(".xml.gz") && lower.contains("sitemap"));
        if !may_be {
            continue;
        }
        let body = tree.read(name).await?;
        // A compressed copy beside a sitemap says the same once more.
        let is_copy = lower.ends_with(".gz") && files.contains(name.trim_end_matches(".gz"));
        let is_sitemap = lower.ends_with(".gz") || has_root(&body);
        if is_sitemap && !is_copy {
            sitemaps.push((
                name.clone(),
                collect_sitemap(&body, &mut AddressBudget::unbounded()),
            ));
        }
    }
    Ok(sitemaps)
}

/// Whether the first element is that of a sitemap.
fn has_root(body: &[u8]) -> bool {
    const FAR: usize = 4096;
    let start = String::from_utf8_lossy(&body[..body.len().min(FAR)]);
    let mut elements = start
        .split('<')
        .filter(|part| part.starts_with(|first: char| first.is_ascii_alphabetic()));
    elements.next().is_some_and(|first| {
        let name = first
            .split(|end: char| end.is_whitespace() || end == '>')
            .next()
            .unwrap_or_default();
        matches!(name.rsplit(':').next(), Some("urlset" | "sitemapindex"))
    })
}

/// Sitemaps that robots.txt or an index names and that are not there.
async fn lost(
    tree: &impl FileTree,
    files: &BTreeSet<String>,
    addresses: &FolderAddresses,
    sitemaps: &[SitemapFile],
) -> Vec<LostSitemap> {
    let mut named: Vec<(String, Option<Url>, String)> = Vec::new();
    for name in files
        .iter()
        .filter(|name| name.rsplit('/').next() == Some("robots.txt"))
    {
        let robots = Robots::parse(&tree.read(name).await.unwrap_or_default(), "");
        let base = addresses.url_of(name);
        // A file that lies beside the folders of languages has no address of its own, and names sitemaps in full.
        let join = |address: &String| match &base {
            Some(base) => base.join(address).ok(),
            None => Url::parse(address).ok(),
        };
        named.extend(
            robots
                .sitemaps
                .iter()
                .map(|address| (name.clone(), join(address), address.clone())),
        );
    }
    for sitemap in sitemaps {
        let join = |address: &String| sitemap.url.join(address).ok();
        named.extend(
            sitemap
                .content
                .sitemaps
                .iter()
                .map(|address| (sitemap.name.clone(), join(address), address.clone())),
        );
    }
    let is_lost = |url: &Option<Url>| {
        url.as_ref()
            .is_none_or(|url| addresses.answer(url) == AuditAnswer::Missing)
    };
    let lost = |(name, _, address)| LostSitemap {
        name,
        address,
        reason: String::from("there is nothing"),
    };
    named
        .into_iter()
        .filter(|(_, url, _)| is_lost(url))
        .map(lost)
        .collect()
}
