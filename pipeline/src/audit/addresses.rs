//! Which address a file of a folder has, found out from what the pages say of themselves.
//!
//! Each page's canonical address, and the address under which it names itself, is compared with the name of its file:
//! what both end with is the page's own, what is left is a folder and the address at which it is published. So
//! `es/about/index.html` at `https://es.example.com/about/` says that `es/` is `https://es.example.com/`. The pages
//! vote; a folder below another one needs more votes than it has for the outer one. Addresses are then looked up as a
//! static host does it: `/about` is `about.html`, `/a/` is `a/index.html`, and `/a` leads to `/a/`.

use std::collections::{BTreeMap, BTreeSet};

use percent_encoding::percent_decode_str;
use url::Url;

use super::answer::AuditAnswer;
use crate::model::{PagePath, object_name};

/// The address of a folder about whose address nothing is known.
const NOWHERE: &str = "http://folder.invalid/";

/// A folder and the address at which it is published, both ending in `/` or, for the whole folder, empty.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Mount {
    folder: String,
    base: Url,
}

/// The addresses of a folder's files.
#[derive(Debug)]
pub(super) struct FolderAddresses {
    /// Those of inner folders first.
    mounts: Vec<Mount>,
    files: BTreeSet<String>,
    /// The pages among the files and their indices.
    pages: BTreeMap<String, usize>,
}

/// What a page says about its own address.
#[derive(Clone, Debug)]
pub(super) struct ClaimedAddress {
    /// The page's file.
    pub(super) name: String,
    /// The address that it claims.
    pub(super) url: Url,
}

impl FolderAddresses {
    /// Finds out the addresses; `base` is what the user says of the whole folder, `at_root` the folder of a locale into
    /// which links from the root lead.
    pub(super) fn new(
        files: BTreeSet<String>,
        pages: BTreeMap<String, usize>,
        claims: &[ClaimedAddress],
        base: Option<&Url>,
        at_root: Option<&str>,
    ) -> Self {
        let mut mounts = tell_apart(elect(claims, &pages), at_root);
        if let Some(base) = base {
            mounts.retain(|mount| !mount.folder.is_empty());
            mounts.push(Mount {
                folder: String::new(),
                base: as_folder(base),
            });
        }
        if mounts.is_empty()
            && let Ok(base) = Url::parse(NOWHERE)
        {
            let folders = [Some(""), at_root].into_iter().flatten();
            mounts.extend(folders.map(|folder| Mount {
                folder: folder.to_owned(),
                base: base.clone(),
            }));
        }
        let is_known = |name: &String| mounts.iter().any(|mount| name.starts_with(&mount.folder));
        let rest = mounts
            .first()
            .filter(|_| !pages.keys().all(is_known))
            .map(|mount| mount.base.clone());
        // Where only some folders say where they are, the others lie beside them.
        mounts.extend(rest.map(|base| Mount {
            folder: String::new(),
            base,
        }));
        mounts.sort_by(|one, other| {
            other
                .folder
                .len()
                .cmp(&one.folder.len())
                .then_with(|| one.cmp(other))
        });
        Self {
            mounts,
            files,
            pages,
        }
    }

    /// The address of a file.
    pub(super) fn url_of(&self, name: &str) -> Option<Url> {
        let mount = self.mount_of(name)?;
        let path = PagePath::of_file(name.strip_prefix(&mount.folder)?);
        mount
            .base
            .join(&format!("./{}", path.path().trim_start_matches('/')))
            .ok()
    }

    /// What is found at an address.
    pub(super) fn answer(&self, url: &Url) -> AuditAnswer {
        let mut known = false;
        let own: Vec<&Mount> = self
            .mounts
            .iter()
            .filter(|mount| mount.base.origin() == url.origin())
            .collect();
        for mount in &own {
            let Some(rest) = url.path().strip_prefix(mount.base.path()) else {
                continue;
            };
            known = true;
            match self.look_up(mount, rest, url) {
                AuditAnswer::Missing => {}
                found => return found,
            }
        }
        if known {
            self.beside(&own, url).unwrap_or(AuditAnswer::Missing)
        } else {
            AuditAnswer::Unknown
        }
    }

    /// A file that lies beside the folders of all hosts and so is on every one of them.
    fn beside(&self, own: &[&Mount], url: &Url) -> Option<AuditAnswer> {
        if own.iter().any(|mount| mount.folder.is_empty()) {
            return None;
        }
        let root = Mount {
            folder: String::new(),
            base: url.join("/").ok()?,
        };
        let found = self.look_up(&root, url.path().strip_prefix('/')?, url);
        (found == AuditAnswer::File).then_some(found)
    }

    fn look_up(&self, mount: &Mount, rest: &str, url: &Url) -> AuditAnswer {
        let decoded = percent_decode_str(rest).decode_utf8_lossy().into_owned();
        let at = |name: String| self.found(mount, &format!("{}{name}", mount.folder));
        if decoded.is_empty() || decoded.ends_with('/') {
            return at(format!("{decoded}index.html"))
                .or_else(|| self.stored(mount, rest, url))
                .unwrap_or(AuditAnswer::Missing);
        }
        let found = at(decoded.clone())
            .or_else(|| at(format!("{decoded}.html")))
            .or_else(|| self.stored(mount, rest, url));
        if let Some(found) = found {
            return found;
        }
        let mut folder = url.clone();
        folder.set_path(&format!("{}/", url.path()));
        match at(format!("{decoded}/index.html")) {
            Some(_) => AuditAnswer::Redirect(folder),
            None => AuditAnswer::Missing,
        }
    }

    /// A name that a disk cannot hold, as Latimer writes it.
    fn stored(&self, mount: &Mount, rest: &str, url: &Url) -> Option<AuditAnswer> {
        let path = PagePath::parse(&format!("/{rest}")).ok()?;
        let with_query = url.query().map(|query| path.with_query(query));
        let mut paths = with_query.iter().chain([&path]);
        paths.find_map(|path| {
            [true, false].into_iter().find_map(|html| {
                self.found(
                    mount,
                    &format!("{}{}", mount.folder, object_name(path, html)),
                )
            })
        })
    }

    /// A file, unless it is published elsewhere.
    fn found(&self, mount: &Mount, name: &str) -> Option<AuditAnswer> {
        if let Some(&index) = self.pages.get(name) {
            let owner = self.mount_of(name)?;
            return (owner == mount).then_some(AuditAnswer::Page(index));
        }
        self.files.contains(name).then_some(AuditAnswer::File)
    }

    fn mount_of(&self, name: &str) -> Option<&Mount> {
        self.mounts
            .iter()
            .find(|mount| name.starts_with(&mount.folder))
            .or_else(|| self.mounts.last())
    }
}

/// An address as people know it: of a folder whose address is unknown, only the path.
pub(super) fn show(url: &Url) -> String {
    match url.as_str().strip_prefix(NOWHERE) {
        Some(path) => format!("/{path}"),
        None => url.to_string(),
    }
}

/// Counts the votes of pages about where folders are published.
fn elect(claims: &[ClaimedAddress], pages: &BTreeMap<String, usize>) -> Vec<Mount> {
    let mut votes: BTreeMap<Mount, usize> = BTreeMap::new();
    // Of each page's votes for outer folders, so that an inner one can be weighed against them.
    let mut ballots: Vec<(&str, Mount)> = Vec::new();
    for claim in claims {
        if let Some(mount) = mount_of_claim(claim) {
            *votes.entry(mount.clone()).or_default() += 1;
            ballots.push((&claim.name, mount));
        }
    }
    let mut best: BTreeMap<&str, (&Mount, usize)> = BTreeMap::new();
    for (mount, &count) in &votes {
        let known = best.entry(&mount.folder).or_insert((mount, count));
        if count > known.1 {
            *known = (mount, count);
        }
    }
    let wins = |mount: &Mount, count: usize| {
        let outer = ballots.iter().filter(|(name, other)| {
            name.starts_with(&mount.folder) && other.folder.len() < mount.folder.len()
        });
        mount.folder.is_empty() || (count > outer.count() && (count > 1 || pages.len() == 1))
    };
    best.into_values()
        .filter(|&(mount, count)| wins(mount, count))
        .map(|(mount, _)| mount.clone())
        .collect()
}

/// Folders beside each other cannot all be at one address, although their pages may say so, as copies of one page do
/// whose canonical address nobody changed. The one is there into which links from the root lead.
fn tell_apart(mounts: Vec<Mount>, at_root: Option<&str>) -> Vec<Mount> {
    let inner = |mount: &&Mount| !mount.folder.is_empty();
    let is_shared = |base: &Url| {
        mounts
            .iter()
            .filter(inner)
            .filter(|mount| mount.base == *base)
            .count()
            > 1
    };
    let shared: BTreeSet<Url> = mounts
        .iter()
        .map(|mount| &mount.base)
        .filter(|base| is_shared(base))
        .cloned()
        .collect();
    let stays =
        |mount: &Mount| !shared.contains(&mount.base) || at_root == Some(mount.folder.as_str());
    let mut told: Vec<Mount> = mounts
        .iter()
        .filter(|mount| mount.folder.is_empty() || stays(mount))
        .cloned()
        .collect();
    if told.iter().all(|mount| !mount.folder.is_empty()) {
        told.extend(shared.into_iter().next().map(|base| Mount {
            folder: String::new(),
            base,
        }));
    }
    told
}

/// What is left of a page's name and address where both no longer end alike.
fn mount_of_claim(claim: &ClaimedAddress) -> Option<Mount> {
    let name = claim
        .name
        .strip_suffix("index.html")
        .or_else(|| claim.name.strip_suffix(".html"));
    let name = name.unwrap_or(&claim.name);
    let path = percent_decode_str(claim.url.path())
        .decode_utf8()
        .ok()?
        .into_owned();
    let path = path
        .strip_suffix("index.html")
        .or_else(|| path.strip_suffix(".html"))
        .unwrap_or(&path);
    let mut folder: Vec<&str> = name.split('/').filter(|part| !part.is_empty()).collect();
    let mut base: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    while let (Some(one), Some(other)) = (folder.last(), base.last()) {
        if one != other {
            break;
        }
        folder.pop();
        base.pop();
    }
    let join = |parts: &[&str]| {
        parts
            .iter()
            .map(|part| format!("{part}/"))
            .collect::<String>()
    };
    let mut url = claim.url.clone();
    url.set_query(None);
    url.set_fragment(None);
    url.set_path(&format!("/{}", join(&base)));
    Some(Mount {
        folder: join(&folder),
        base: url,
    })
}

fn as_folder(base: &Url) -> Url {
    let mut base = base.clone();
    base.set_query(None);
    base.set_fragment(None);
    if !base.path().ends_with('/') {
        base.set_path(&format!("{}/", base.path()));
    }
    base
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Files with the addresses that pages claim, and what is found at addresses: a file's place, `->` an address,
    /// `file`, `none` or `?`.
    fn check(files: &[(&str, &str)], expected: &[(&str, &str)]) {
        let names: Vec<&str> = files.iter().map(|(name, _)| *name).collect();
        let is_page = |name: &&&str| name.ends_with(".html");
        let pages = names
            .iter()
            .filter(is_page)
            .enumerate()
            .map(|(at, name)| (name.to_string(), at))
            .collect();
        let claims: Vec<ClaimedAddress> = files
            .iter()
            .filter_map(|(name, url)| {
                Some(ClaimedAddress {
                    name: (*name).into(),
                    url: Url::parse(url).ok()?,
                })
            })
            .collect();
        let files = names.iter().map(|name| (*name).to_owned()).collect();
        let addresses = FolderAddresses::new(files, pages, &claims, None, Some("en/"));
        let listed: Vec<&&str> = names.iter().filter(is_page).collect();
        for (url, expected) in expected {
            let found = match addresses.answer(&Url::parse(url).unwrap()) {
                AuditAnswer::Page(index) => listed[index].to_string(),
                AuditAnswer::File => "file".into(),
                AuditAnswer::Redirect(to) => format!("-> {to}"),
                AuditAnswer::Missing => "none".into(),
                AuditAnswer::Unknown => "?".into(),
            };
            assert_eq!(found, *expected, "{url}: {:?}", addresses.mounts);
        }
    }

    #[test]
    fn folders_find_their_addresses() {
        check(
            &[
                ("css/a.css", ""),
                ("en/about/index.html", "https://h.example/about/"),
                ("en/index.html", "https://h.example/"),
                ("es/about/index.html", "https://h.example/about/"),
                ("es/index.html", "https://h.example/es/"),
                ("es/menu/index.html", "https://h.example/es/menu/"),
            ],
            &[
                ("https://h.example/", "en/index.html"),
                ("https://h.example/about", "-> https://h.example/about/"),
                ("https://h.example/es/about/", "es/about/index.html"),
                ("https://h.example/en/about/", "none"),
                ("https://h.example/css/a.css?v=1", "file"),
                ("https://other.example/", "?"),
            ],
        );
        check(
            &[
                ("a.css", ""),
                ("de/a.html", "https://de.h.example/a"),
                ("de/index.html", "https://de.h.example/"),
                ("en/a.html", "https://en.h.example/a"),
                ("en/index.html", "https://en.h.example/"),
            ],
            &[
                ("https://de.h.example/a", "de/a.html"),
                ("https://en.h.example/a.html", "en/a.html"),
                ("https://en.h.example/a.css", "file"),
                ("https://en.h.example/b", "none"),
            ],
        );
        let copies = [
            ("ar/a/index.html", "https://h.example/a/"),
            ("ar/index.html", "https://h.example/"),
            ("en/a/index.html", "https://h.example/a/"),
            ("en/index.html", "https://h.example/"),
        ];
        check(
            &copies,
            &[
                ("https://h.example/a/", "en/a/index.html"),
                ("https://h.example/ar/", "ar/index.html"),
            ],
        );
        check(
            &[
                (
                    "html/de/a.html",
                    "https://h.example/browse/de/stable/a.html",
                ),
                ("html/de/index.html", "https://h.example/browse/de/stable/"),
            ],
            &[
                (
                    "https://h.example/browse/de/stable/a.html",
                    "html/de/a.html",
                ),
                ("https://h.example/browse/de/stable/b.html", "none"),
                ("https://h.example/", "?"),
            ],
        );
        check(
            &[
                ("docs/x.html", "https://h.example/repo/docs/x"),
                ("index.html", "https://h.example/repo/"),
            ],
            &[
                ("https://h.example/repo/docs/x", "docs/x.html"),
                ("https://h.example/elsewhere", "?"),
                ("https://h.example/repo/y", "none"),
            ],
        );
    }
}
