//! Everything that a host's own files are made of, and what becomes of it.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Serialize;

use super::caching::{FOR_EVER, is_html, never_changes};
use super::layout::{HostRoot, HostSpot};
use super::rules::{HostRule, NameStyle, PathLookup, rules};
use crate::model::Locale;
use crate::store::Tree;

/// What the files of a host say.
#[derive(Clone, Debug)]
pub struct HostFacts<'a> {
    /// The tree.
    pub root: &'a HostRoot<'a>,
    /// The addresses that the host has to be told about, sorted.
    pub rules: Vec<HostRule>,
    /// What is said about caching pages and other files whose names hold no hash.
    pub page_cache: String,
    pub(super) style: NameStyle,
    texts: HostTexts,
}

/// What files say that a host is told word for word, by tree and name.
pub type HostTexts = BTreeMap<(Tree, String), String>;

/// A file that the host reads itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HostFile {
    /// Its name in the tree.
    pub name: String,
    /// Whether it lies beside the tree, to be included in the configuration of a server.
    pub is_beside: bool,
    /// What it says.
    pub text: String,
}

impl<'a> HostFacts<'a> {
    /// Looks at a tree.
    pub fn of(root: &'a HostRoot<'a>, page_cache: &str, texts: HostTexts) -> Self {
        let style = PathLookup::of(root).style;
        Self {
            root,
            rules: rules(root),
            page_cache: page_cache.to_owned(),
            style,
            texts,
        }
    }

    /// What a file of the tree says, if that is known.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        let file = self.root.files.get(name)?;
        self.texts
            .get(&(file.tree.clone(), file.name.to_owned()))
            .map(String::as_str)
    }

    /// The source's own files for Apache, by their names there; they are in no tree.
    pub(super) fn rules_of_source(&self) -> impl Iterator<Item = (&str, &str)> {
        let is_rule = |name: &str| name.rsplit('/').next() == Some(".htaccess");
        let texts = self
            .texts
            .iter()
            .filter(move |((tree, name), _)| *tree == Tree::Shared && is_rule(name));
        texts.map(|((_, name), text)| (name.as_str(), text.as_str()))
    }

    /// Whether most pages are found without the ending of their names.
    pub(super) fn is_clean(&self) -> bool {
        self.style == NameStyle::Clean
    }

    /// Whether any page is found without the ending of its name.
    pub(super) fn has_clean_pages(&self) -> bool {
        let is_told = |address: &str| address.ends_with('/') || address.ends_with(".html");
        self.root
            .files
            .iter()
            .any(|(name, file)| name.ends_with(".html") && !is_told(&file.address))
    }

    /// The languages to which readers of the home page may be sent, with their addresses; the source language first.
    pub(super) fn home_languages(&self) -> Vec<(&'a Locale, String)> {
        let spots = self.root.spots.iter();
        let is_wanted = |spot: &&HostSpot<'_>| {
            spot.place.published.settings().accept_language && self.has_home(spot)
        };
        spots
            .filter(is_wanted)
            .map(|spot| (spot.locale, format!("{}/", spot.prefix)))
            .collect()
    }

    /// Whether a language has a home page here.
    pub(super) fn has_home(&self, spot: &HostSpot<'_>) -> bool {
        self.root
            .files
            .contains_key(&self.root.name(&format!("{}/", spot.prefix), "index.html"))
    }

    /// The file that a language shows for what is not found, by its name in the tree.
    pub(super) fn error_page(&self, spot: &HostSpot<'_>) -> Option<String> {
        let page = spot.place.error_page()?;
        let name = self.root.name_of(spot, &page);
        self.root
            .files
            .get(&name)
            .is_some_and(|file| file.tree == page.tree && file.name == page.name)
            .then_some(name)
    }

    /// The media type that most files with an ending have.
    pub(super) fn types(&self) -> BTreeMap<&str, &str> {
        let mut counts: BTreeMap<&str, BTreeMap<&str, usize>> = BTreeMap::new();
        for (name, file) in &self.root.files {
            let Some(ending) = ending(name) else { continue };
            *counts
                .entry(ending)
                .or_default()
                .entry(&file.entry.content_type)
                .or_default() += 1;
        }
        counts
            .into_iter()
            .filter_map(|(ending, types)| {
                Some((ending, types.into_iter().max_by_key(|(_, count)| *count)?.0))
            })
            .collect()
    }

    /// Files that are sent otherwise than their ending says, or with headers of their own, at each of their addresses. The host is told
    /// the types of endings.
    pub(super) fn special_files(&self) -> Vec<Special<'_>> {
        self.specials(self.types())
    }

    fn specials(&self, types: BTreeMap<&str, &str>) -> Vec<Special<'_>> {
        let mut all = Vec::new();
        for (name, file) in &self.root.files {
            let entry = file.entry;
            let usual = ending(name).and_then(|ending| types.get(ending).copied());
            let content_type =
                (usual != Some(&*entry.content_type)).then_some(&*entry.content_type);
            let link = entry.link.as_deref();
            let robots = entry.robots_tag();
            if content_type.is_none() && link.is_none() && robots.is_none() {
                continue;
            }
            let special = |at: usize, spot: &HostSpot<'_>| {
                let address = format!("{}{}", spot.prefix, entry.path);
                Special {
                    spot: at,
                    name,
                    address,
                    content_type,
                    link,
                    robots: robots.clone(),
                }
            };
            let own = self
                .root
                .spots
                .iter()
                .enumerate()
                .find(|(_, spot)| file.is_of(spot));
            all.extend(own.map(|(at, spot)| special(at, spot)));
            let is_free = |spot: &HostSpot<'_>| {
                !self
                    .root
                    .files
                    .contains_key(&self.root.name(&format!("{}/", spot.prefix), file.name))
            };
            if *file.tree == Tree::Shared {
                all.extend(
                    self.root
                        .with_shared()
                        .filter(|(_, spot)| is_free(spot))
                        .map(|(at, spot)| special(at, spot)),
                );
            }
        }
        all
    }

    /// Special files at the one address at which hosts find them that look no further than the tree.
    pub(super) fn special_at_home(&self) -> impl Iterator<Item = Special<'_>> {
        self.special_files()
            .into_iter()
            .filter(|special| self.is_home(special))
    }

    /// The same for a host that is not told the types of endings, so that it takes no page for one that has another ending (R-S21).
    pub(super) fn special_by_ending(&self) -> impl Iterator<Item = Special<'_>> {
        let mut types = self.types();
        types
            .retain(|ending, content_type| PAGE_ENDINGS.contains(ending) || !is_html(content_type));
        self.specials(types)
            .into_iter()
            .filter(|special| self.is_home(special))
    }

    fn is_home(&self, special: &Special<'_>) -> bool {
        self.root
            .files
            .get(special.name)
            .is_some_and(|file| file.address == special.address)
    }

    /// Files that need headers at a host that takes them for `most` addresses. Beyond that limit, the statements of pages to
    /// crawlers are left out: they stand in the heads of the pages as well.
    pub(super) fn special_within(&self, most: Option<usize>) -> Vec<Special<'_>> {
        let mut all: Vec<Special<'_>> = self.special_by_ending().collect();
        if most.is_some_and(|most| all.len() > most) {
            all.retain(|special| {
                let file = self.root.files.get(special.name);
                let is_page = file.is_some_and(|file| is_html(&file.entry.content_type));
                special.content_type.is_some() || special.link.is_some() || !is_page
            });
        }
        all
    }

    /// Names that caches may keep for ever.
    pub(super) fn immutable(&self) -> impl Iterator<Item = &'a str> {
        let files = self.root.files.iter();
        files
            .filter(|(name, file)| never_changes(name, &file.entry.content_type))
            .map(|(name, _)| name.as_str())
    }

    /// What is said about caching a file.
    pub fn cache(&self, name: &str, content_type: &str) -> &str {
        if never_changes(name, content_type) {
            FOR_EVER
        } else {
            &self.page_cache
        }
    }
}

/// A file that is sent otherwise than its ending says, or with headers of its own.
#[derive(Clone, Debug)]
pub(super) struct Special<'f> {
    /// In which language's addresses it is.
    pub(super) spot: usize,
    /// Its name in the tree.
    pub(super) name: &'f str,
    /// The path at which it answers.
    pub(super) address: String,
    /// Its media type, where its ending says another.
    pub(super) content_type: Option<&'f str>,
    /// Its `Link` header.
    pub(super) link: Option<&'f str>,
    /// Its `X-Robots-Tag` header.
    pub(super) robots: Option<Cow<'f, str>>,
}

/// The ending of a file's name, if it has one that can be written anywhere.
/// Endings of files that every host sends as pages.
const PAGE_ENDINGS: [&str; 5] = ["htm", "HTM", "html", "HTML", "xhtml"];

fn ending(name: &str) -> Option<&str> {
    let file = name.rsplit('/').next().unwrap_or(name);
    let (_, ending) = file.rsplit_once('.')?;
    (!ending.is_empty() && ending.bytes().all(|byte| byte.is_ascii_alphanumeric()))
        .then_some(ending)
}
