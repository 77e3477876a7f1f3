//! Where everything of a deployment lies in the tree of a host.
//!
//! The source language lies at the root, each locale in the folder that its addresses have, files that all share lie
//! once. Where the language stands in the host name, each host has a tree of its own, with the shared files in it.
//! Pseudo-locales are for trying and not in it; a locale that is off has addresses that lead elsewhere, and no files.

use std::collections::{BTreeMap, BTreeSet};

use percent_encoding::percent_decode_str;

use super::place::{File, LanguageAddresses, host_and_path};
use super::table::{Ability, Redirects};
use crate::model::Locale;
use crate::store::{Addressing, ManifestEntry, Published, Tree};

/// A deployment as it lies at its hosts.
#[derive(Clone, Debug)]
pub struct Layout<'a> {
    /// One tree for each host name, that of the source language first.
    pub roots: Vec<HostRoot<'a>>,
}

/// The tree of one host name.
#[derive(Clone, Debug)]
pub struct HostRoot<'a> {
    /// The folder below the target in which it lies; empty where there is one host name only.
    pub folder: String,
    /// What the host puts before names, so that they do without: `/repository`, or nothing.
    pub mount: String,
    /// Its languages, the source language first.
    pub spots: Vec<HostSpot<'a>>,
    /// Its files by their names in the tree.
    pub files: BTreeMap<String, PlacedFile<'a>>,
}

/// One language of a tree.
#[derive(Clone, Debug)]
pub struct HostSpot<'a> {
    /// What its addresses answer.
    pub place: LanguageAddresses<'a>,
    /// What stands before a page's own path: `/es`, or nothing.
    pub prefix: String,
    /// What stands before the paths of files that all languages of this host share.
    pub shared: String,
    /// The language.
    pub locale: &'a Locale,
}

/// A file of the tree.
#[derive(Clone, Debug)]
pub struct PlacedFile<'a> {
    /// The tree of the deployment that it comes from.
    pub tree: &'a Tree,
    /// Its name there.
    pub name: &'a str,
    /// Its record.
    pub entry: &'a ManifestEntry,
    /// The path at which it answers.
    pub address: String,
}

impl<'a> Layout<'a> {
    /// Lays a deployment out as it lies in the store.
    pub fn of(published: &'a Published) -> Self {
        Self::with(published, false)
    }

    /// Lays a deployment out for a host. One that puts the first folders of the addresses before the tree itself has them not
    /// in it; one that cannot be told where a file is finds it by the name that its address has.
    pub fn for_host(published: &'a Published, ability: &Ability) -> Self {
        let mut layout = Self::with(published, ability.mounts);
        if ability.redirects != Redirects::Any {
            layout
                .roots
                .iter_mut()
                .for_each(HostRoot::name_by_addresses);
        }
        layout
    }

    fn with(published: &'a Published, mounts: bool) -> Self {
        let settings = published.settings();
        let targets = settings
            .locales
            .keys()
            .filter(|locale| !locale.is_pseudo() && **locale != settings.source_locale);
        let mut by_host: Vec<(String, Vec<HostSpot<'a>>)> = Vec::new();
        for locale in std::iter::once(&settings.source_locale).chain(targets) {
            let (host, spot) = HostSpot::of(published, locale);
            match by_host.iter_mut().find(|(known, _)| *known == host) {
                Some((_, spots)) => spots.push(spot),
                None => by_host.push((host, vec![spot])),
            }
        }
        // Files that all share may be there without a page.
        if by_host
            .iter()
            .any(|(_, spots)| spots.iter().any(HostSpot::has_files))
        {
            by_host.retain(|(_, spots)| spots.iter().any(HostSpot::has_files));
        } else {
            by_host.truncate(1);
        }
        let is_alone = by_host.len() == 1;
        let folder = |spots: &[HostSpot<'_>]| match spots.first() {
            Some(spot) if !is_alone => settings.label(spot.locale).to_owned(),
            Some(_) | None => String::new(),
        };
        let roots = by_host
            .into_iter()
            .map(|(_, spots)| HostRoot::of(folder(&spots), spots, published, mounts));
        Self {
            roots: roots.collect(),
        }
    }
}

impl<'a> HostSpot<'a> {
    /// The host name of a language, and where it lies there.
    fn of(published: &'a Published, locale: &'a Locale) -> (String, Self) {
        let settings = published.settings();
        let is_source = *locale == settings.source_locale;
        let label = settings.label(locale);
        let url = settings.source_url.as_deref().and_then(host_and_path);
        let (host, base) = match published.addressing() {
            Some(Addressing::Path { host, base, .. }) => (host.as_str(), base.as_str()),
            Some(Addressing::Host { .. }) | None => url.unwrap_or_default(),
        };
        let source = url
            .filter(|(source_host, _)| *source_host == host)
            .map_or(base, |(_, path)| path);
        let (host_name, prefix, shared, source_base) = match published.addressing() {
            Some(Addressing::Host { before, after, .. }) if !is_source => (
                format!("{before}{label}{after}"),
                String::new(),
                String::new(),
                None,
            ),
            Some(Addressing::Host { .. } | Addressing::Path { .. }) | None if is_source => (
                host.to_owned(),
                source.to_owned(),
                source.to_owned(),
                Some(source),
            ),
            Some(Addressing::Host { .. } | Addressing::Path { .. }) | None => {
                let base = if published.addressing().is_some() {
                    base
                } else {
                    ""
                };
                (
                    host.to_owned(),
                    format!("{base}/{label}"),
                    base.to_owned(),
                    Some(source),
                )
            }
        };
        let place = LanguageAddresses {
            published,
            locale: (!is_source).then_some(locale),
            source_base,
            host,
        };
        (
            host_name,
            Self {
                place,
                prefix,
                shared,
                locale,
            },
        )
    }

    /// The tree of its language, if readers get it.
    fn tree(&self) -> Option<&'a Tree> {
        let published = self.place.published;
        let is_own = |tree: &&Tree| matches!(tree, Tree::Locale(locale) if locale == self.locale);
        published
            .trees()
            .find(is_own)
            .filter(|_| published.settings().is_on(self.locale))
    }

    fn has_files(&self) -> bool {
        self.tree().is_some()
    }
}

impl PlacedFile<'_> {
    /// Whether it lies among the files of a language, or among shared ones that lie there too.
    pub(super) fn is_of(&self, spot: &HostSpot<'_>) -> bool {
        match self.tree {
            Tree::Locale(locale) => locale == spot.locale,
            Tree::Shared => spot.prefix == spot.shared,
        }
    }
}

impl<'a> HostRoot<'a> {
    fn of(
        folder: String,
        spots: Vec<HostSpot<'a>>,
        published: &'a Published,
        mounts: bool,
    ) -> Self {
        let mount = spots
            .first()
            .map(|spot| spot.shared.clone())
            .filter(|_| mounts)
            .unwrap_or_default();
        let mut root = Self {
            folder,
            mount,
            spots,
            files: BTreeMap::new(),
        };
        let shared = published.trees().find(|tree| **tree == Tree::Shared);
        let places: BTreeSet<String> = root.spots.iter().map(|spot| spot.shared.clone()).collect();
        for prefix in places {
            shared
                .into_iter()
                .for_each(|tree| root.put(published, tree, &prefix));
        }
        let own: Vec<_> = root
            .spots
            .iter()
            .filter_map(|spot| Some((spot.tree()?, spot.prefix.clone())))
            .collect();
        for (tree, prefix) in own {
            root.put(published, tree, &prefix);
        }
        root.clear_the_way();
        root
    }

    fn put(&mut self, published: &'a Published, tree: &'a Tree, prefix: &str) {
        for (name, entry) in published
            .manifest(tree)
            .into_iter()
            .flat_map(|manifest| manifest.objects.iter())
        {
            let address = format!("{prefix}{}", entry.path);
            let placed = PlacedFile {
                tree,
                name,
                entry,
                address,
            };
            self.files
                .insert(self.name(&format!("{prefix}/"), name), placed);
        }
    }

    /// The language to whose addresses a path belongs; that of the shortest prefix where it belongs to none.
    pub(super) fn spot(&self, path: &str) -> &HostSpot<'a> {
        let is_below = |spot: &&HostSpot<'_>| {
            path.strip_prefix(spot.prefix.as_str())
                .is_some_and(|rest| rest.starts_with('/') || rest.is_empty())
        };
        let found = self
            .spots
            .iter()
            .filter(is_below)
            .max_by_key(|spot| spot.prefix.len());
        found.unwrap_or(&self.spots[0])
    }

    /// The languages in whose folders shared files are found, too.
    pub(super) fn with_shared(&self) -> impl Iterator<Item = (usize, &HostSpot<'a>)> {
        self.spots
            .iter()
            .enumerate()
            .filter(|(_, spot)| spot.prefix != spot.shared)
    }

    /// Whether a path leads into a language's folder, where no shared file is.
    pub(super) fn is_of_language(&self, path: &str) -> bool {
        self.with_shared().any(|(_, spot)| {
            path.strip_prefix(spot.prefix.as_str())
                .is_some_and(|rest| rest.starts_with('/'))
        })
    }

    /// The name in the tree of what has a name below the path of a folder.
    pub(super) fn name(&self, folder: &str, name: &str) -> String {
        let inside = folder.strip_prefix(self.mount.as_str()).unwrap_or(folder);
        let inside = percent_decode_str(inside).decode_utf8_lossy();
        format!("{}{name}", inside.trim_start_matches('/'))
    }

    /// The name in the tree of a file that a language answers with.
    pub(super) fn name_of(&self, spot: &HostSpot<'_>, file: &File<'_>) -> String {
        let prefix = match file.tree {
            Tree::Shared => spot.shared.as_str(),
            Tree::Locale(locale) if locale == spot.locale => spot.prefix.as_str(),
            // A page of the source below the prefix of a language.
            Tree::Locale(_) => spot.place.source_base.unwrap_or_default(),
        };
        self.name(&format!("{prefix}/"), file.name)
    }

    /// Gives files the names that their addresses have, where those are free: the store's own are others where a disk could
    /// not hold them or tell them apart.
    fn name_by_addresses(&mut self) {
        let wanted = |(name, file): (&String, &PlacedFile<'_>)| {
            Some((
                name.clone(),
                name_by_address(name, &self.name(&file.address, ""))?,
            ))
        };
        let wanted: Vec<(String, String)> = self.files.iter().filter_map(wanted).collect();
        for (name, by_address) in wanted {
            let folder = format!("{by_address}/");
            let is_folder = self
                .files
                .range(folder.clone()..)
                .next()
                .is_some_and(|(other, _)| other.starts_with(&folder));
            let mut above = by_address
                .match_indices('/')
                .map(|(at, _)| &by_address[..at]);
            let is_free = !is_folder
                && !self.files.contains_key(&by_address)
                && !above.any(|folder| self.files.contains_key(folder));
            // The index of a folder keeps its name beside the one by which hosts find it (R-S9).
            let keeps_name = is_other_index(&name) && by_address.ends_with("index.html");
            let file = if keeps_name {
                self.files.get(&name).cloned()
            } else {
                self.files.remove(&name)
            };
            if let Some(file) = file {
                self.files
                    .insert(if is_free { by_address } else { name }, file);
            }
        }
    }

    /// The addresses of files that have another name, so that a host that goes by names does not find them.
    pub(super) fn lost(&self) -> impl Iterator<Item = &str> {
        let is_lost = |(name, file): &(&String, &PlacedFile<'_>)| {
            let by_address = name_by_address(name, &self.name(&file.address, ""));
            let is_found = |by_address: &String| {
                self.files
                    .get(by_address)
                    .is_some_and(|other| other.address == file.address)
            };
            file.entry.path.query().is_none()
                && by_address.is_some_and(|by_address| !is_found(&by_address))
        };
        self.files
            .iter()
            .filter(is_lost)
            .map(|(_, file)| file.address.as_str())
    }

    /// Takes away files where a folder is: no disk holds both.
    fn clear_the_way(&mut self) {
        let above = |name: &String| -> Vec<String> {
            name.match_indices('/')
                .map(|(at, _)| name[..at].to_owned())
                .collect()
        };
        let folders: BTreeSet<String> = self.files.keys().flat_map(above).collect();
        self.files.retain(|name, _| !folders.contains(name));
    }
}

/// True for a name of the index of a folder that is not `index.html`.
fn is_other_index(name: &str) -> bool {
    let name = name.rsplit('/').next().unwrap_or(name);
    let stem = name.split('.').next().unwrap_or_default();
    let is_index = ["index", "default"]
        .iter()
        .any(|index| stem.eq_ignore_ascii_case(index));
    is_index && name.contains('.') && name != "index.html"
}

/// The name by which a file is found at an address, decoded and without its first slash, if it has another.
fn name_by_address(name: &str, address: &str) -> Option<String> {
    let endings = ["", ".html", "/index.html"];
    let is_found = match address.is_empty() || address.ends_with('/') {
        true => name.strip_prefix(address) == Some("index.html"),
        false => endings
            .iter()
            .any(|ending| name.strip_prefix(address) == Some(ending)),
    };
    let ending = match address {
        folder if folder.is_empty() || folder.ends_with('/') => "index.html",
        page if name.ends_with(".html") && !page.ends_with(".html") => ".html",
        _ => "",
    };
    (!is_found).then(|| format!("{address}{ending}"))
}
