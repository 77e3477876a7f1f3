//! Everything that is to lie at a target, with the place of each in the order of sending.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use bytes::Bytes;

use super::error::TargetError;
use crate::config::{PublishConfig, PublishTo};
use crate::hosts::{self, Cannot, HostFacts, HostFile, HostRoot, HostTexts, Layout, PlacedFile};
use crate::site_files::{ERROR_PAGE, is_error_page};
use crate::store::{Encoding, FileAttributes, Published, Tree};

/// What is to lie at a target.
#[derive(Debug)]
pub(super) struct WantedFiles {
    /// Files, by their names there.
    pub(super) items: BTreeMap<String, WantedFile>,
    /// Files for the configuration of a server, which lie beside.
    pub(super) beside: Vec<HostFile>,
    /// How many trees there are: one for each host name of the site.
    pub(super) trees: usize,
}

/// A file that is to lie at a target.
#[derive(Clone, Debug)]
pub(super) struct WantedFile {
    pub(super) what: What,
    /// How many bytes are sent.
    pub(super) size: u64,
    /// By what it is known that the same lies there already.
    pub(super) hash: String,
    pub(super) rank: SendRank,
    pub(super) about: FileAttributes,
}

/// Where the bytes come from.
#[derive(Clone, Debug)]
pub(super) enum What {
    /// From the deployment.
    File {
        tree: Tree,
        name: String,
        encoding: Option<Encoding>,
    },
    /// They are these.
    Text(Bytes),
}

/// The place in the order of sending.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SendRank {
    /// Whose the place is.
    Mark,
    Hashed,
    File,
    /// A page, those that lie deepest first.
    Page(Reverse<usize>),
    ErrorPage,
    List,
    Rules,
}

/// Lays a deployment out for a target.
///
/// # Errors
/// What the host cannot do.
pub(super) fn wanted(
    published: &Published,
    target: &PublishConfig,
    texts: &HostTexts,
) -> Result<WantedFiles, TargetError> {
    let ability = hosts::ability_with(target.host, target.redirects);
    let layout = Layout::for_host(published, &ability);
    let trees = layout.roots.len();
    let mut wanted = WantedFiles {
        items: BTreeMap::new(),
        beside: Vec::new(),
        trees,
    };
    let mut cannot = Vec::new();
    for root in &layout.roots {
        let facts = HostFacts::of(root, &target.page_cache, texts.clone());
        match hosts::host_files(target.host, &facts, target.redirects) {
            Ok(files) => wanted.add(&facts, files, target),
            Err(more) => cannot.extend(more),
        }
    }
    let leads_out = |name: &&String| name.split('/').any(|part| matches!(part, "" | "." | ".."));
    let strays = wanted.items.keys().filter(leads_out);
    cannot.extend(strays.map(|name| {
        Cannot(format!(
            "{name:?} leads out of the published folder; exclude that page"
        ))
    }));
    cannot.extend(too_long(&wanted, &target.to));
    if cannot.is_empty() {
        Ok(wanted)
    } else {
        Err(TargetError::Cannot(cannot))
    }
}

/// Keys of a bucket have at most so many bytes.
const LONGEST_KEY: usize = 1024;

fn too_long(wanted: &WantedFiles, to: &PublishTo) -> Option<Cannot> {
    let PublishTo::Bucket { url, .. } = to else {
        return None;
    };
    let prefix = url.path().trim_matches('/').len() + 1;
    let is_long = |name: &&String| prefix + name.len() > LONGEST_KEY;
    let count = wanted.items.keys().filter(is_long).count();
    let first = wanted.items.keys().find(is_long)?;
    let names = if count == 1 { "name" } else { "names" };
    Some(Cannot(format!(
        "a bucket holds names of at most {LONGEST_KEY} bytes, and {count} {names} would have more, such as {first}; leave those \
         pages out with `exclude`, or use another host"
    )))
}

impl WantedFiles {
    fn add(&mut self, facts: &HostFacts<'_>, files: Vec<HostFile>, target: &PublishConfig) {
        let HostRoot { folder, .. } = facts.root;
        let inside = |name: &str| {
            if folder.is_empty() {
                name.to_owned()
            } else {
                format!("{folder}/{name}")
            }
        };
        for (name, file) in &facts.root.files {
            self.items
                .insert(inside(name), item(facts, name, file, target));
        }
        for file in files {
            if file.is_beside {
                let name = if folder.is_empty() {
                    file.name
                } else {
                    format!("{folder}.{}", file.name)
                };
                self.beside.push(HostFile { name, ..file });
            } else {
                let name = inside(&file.name);
                self.items.insert(name, own_item(file, target));
            }
        }
    }
}

fn item(
    facts: &HostFacts<'_>,
    name: &str,
    file: &PlacedFile<'_>,
    target: &PublishConfig,
) -> WantedFile {
    let entry = file.entry;
    let wanted = match &target.to {
        PublishTo::Bucket { encoding, .. } => *encoding,
        PublishTo::Folder { .. } | PublishTo::Command { .. } => None,
    };
    let variant = wanted.and_then(|encoding| Some((encoding, entry.encodings.get(encoding)?)));
    let about = FileAttributes {
        content_type: entry.content_type.to_string(),
        cache: facts.cache(name, &entry.content_type).to_owned(),
        language: match file.tree {
            Tree::Locale(locale) => Some(locale.to_string()),
            Tree::Shared => None,
        },
        encoding: variant.map(|(encoding, _)| encoding),
    };
    let path = &entry.path;
    let is_list = entry.content_type.contains("xml") || entry.link.is_some();
    let rank = if is_error_page(path) {
        SendRank::ErrorPage
    } else if hosts::is_html(&entry.content_type) {
        SendRank::Page(Reverse(
            name.matches('/').count() * 2 + usize::from(!name.ends_with("index.html")),
        ))
    } else if hosts::never_changes(name, &entry.content_type) {
        SendRank::Hashed
    } else if is_list && !entry.content_type.contains("svg") {
        SendRank::List
    } else {
        SendRank::File
    };
    WantedFile {
        size: variant.map_or(entry.size, |(_, variant)| variant.size),
        hash: known_by(&entry.hash.spelled(), &about, target),
        what: What::File {
            tree: file.tree.clone(),
            name: file.name.to_owned(),
            encoding: about.encoding,
        },
        rank,
        about,
    }
}

fn own_item(file: HostFile, target: &PublishConfig) -> WantedFile {
    let is_page = file.name.ends_with(".html");
    let content_type = if is_page {
        "text/html; charset=utf-8"
    } else {
        "text/plain; charset=utf-8"
    };
    let content_type = content_type.to_owned();
    let cache = target.page_cache.clone();
    let about = FileAttributes {
        content_type,
        cache,
        language: None,
        encoding: None,
    };
    let hash = blake3::hash(file.text.as_bytes()).to_hex().to_string();
    WantedFile {
        size: u64::try_from(file.text.len()).unwrap_or(u64::MAX),
        hash: known_by(&hash, &about, target),
        what: What::Text(file.text.into()),
        rank: match is_page {
            true if file.name == ERROR_PAGE => SendRank::ErrorPage,
            true => SendRank::Page(Reverse(usize::MAX)),
            false => SendRank::Rules,
        },
        about,
    }
}

/// A bucket keeps what is said about a file with it, so a change of that is a change of the file.
fn known_by(hash: &str, about: &FileAttributes, target: &PublishConfig) -> String {
    match target.to {
        PublishTo::Folder { .. } | PublishTo::Command { .. } => hash.to_owned(),
        PublishTo::Bucket { .. } => {
            let said = blake3::hash(format!("{about:?}").as_bytes()).to_hex();
            format!("{hash}-{}", said.get(..16).unwrap_or_default())
        }
    }
}
