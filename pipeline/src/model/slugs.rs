//! Pages that have a path of their own in some locales.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Locale, PagePath, Spelling};

/// Localized paths: `/about/` is `/quienes-somos/` in Spanish. A page that is not named here has the source's path, in the spelling of the
/// site.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "StoredSlugs", into = "StoredSlugs")]
pub struct Slugs {
    by_source: LocalePaths,
    /// The same the other way round.
    by_local: LocalePaths,
    spelling: Spelling,
    /// Pages that are the indexes of folders although their files have other names than `index.html`, by the path of the folder.
    indexes: BTreeMap<PagePath, PagePath>,
}

/// For each locale, one path by another.
type LocalePaths = BTreeMap<Locale, BTreeMap<PagePath, PagePath>>;

/// The form in which slugs are stored.
#[derive(Serialize, Deserialize)]
struct StoredSlugs {
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    paths: LocalePaths,
    #[serde(default, skip_serializing_if = "Spelling::is_default")]
    spelling: Spelling,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    indexes: BTreeMap<PagePath, PagePath>,
}

impl From<StoredSlugs> for Slugs {
    fn from(stored: StoredSlugs) -> Self {
        let StoredSlugs {
            paths: by_source,
            spelling,
            indexes,
        } = stored;
        let turned = |paths: &BTreeMap<PagePath, PagePath>| {
            paths
                .iter()
                .map(|(source, local)| (local.clone(), source.clone()))
                .collect()
        };
        let by_local = by_source
            .iter()
            .map(|(locale, paths)| (locale.clone(), turned(paths)))
            .collect();
        Self {
            by_source,
            by_local,
            spelling,
            indexes,
        }
    }
}

impl From<Slugs> for StoredSlugs {
    fn from(slugs: Slugs) -> Self {
        Self {
            paths: slugs.by_source,
            spelling: slugs.spelling,
            indexes: slugs.indexes,
        }
    }
}

impl Slugs {
    /// Gives a page a path in a locale.
    pub fn insert(&mut self, locale: &Locale, source: PagePath, local: PagePath) {
        self.by_local
            .entry(locale.clone())
            .or_default()
            .insert(local.clone(), source.clone());
        self.by_source
            .entry(locale.clone())
            .or_default()
            .insert(source, local);
    }

    /// The same, with pages spelled in the way of the site, and with the indexes of its folders.
    pub fn spelled(self, spelling: Spelling, indexes: BTreeMap<PagePath, PagePath>) -> Self {
        Self {
            spelling,
            indexes,
            ..self
        }
    }

    /// The page that is the index of a folder although its file has another name than `index.html`.
    pub fn index_of(&self, folder: &PagePath) -> Option<&PagePath> {
        self.indexes.get(folder)
    }

    /// Indexes with other names than `index.html`, by folder.
    pub fn indexes(&self) -> &BTreeMap<PagePath, PagePath> {
        &self.indexes
    }

    /// How addresses spell pages that have no path of their own.
    pub fn spelling(&self) -> Spelling {
        self.spelling
    }

    /// True if every page has the address that its path is.
    pub fn is_empty(&self) -> bool {
        self.by_source.is_empty() && self.spelling.is_default() && self.indexes.is_empty()
    }

    /// The path in the address of a source page in a locale. A page that only a query tells from another goes with it.
    pub fn local<'p>(&self, locale: &Locale, source: &'p PagePath) -> Cow<'p, PagePath> {
        if let Some(own) = look_up(&self.by_source, locale, source) {
            return Cow::Owned(own);
        }
        if !self.indexes.is_empty()
            && let Ok(folder) = PagePath::parse(source.directory())
            && self
                .indexes
                .get(&folder)
                .is_some_and(|index| index == source)
        {
            return Cow::Owned(self.spelling.public(&folder).into_owned());
        }
        self.spelling.public(source)
    }

    /// The path that a page has of its own in a locale, or else in the source: names of files follow it.
    pub fn file<'p>(&self, locale: &Locale, source: &'p PagePath) -> Cow<'p, PagePath> {
        look_up(&self.by_source, locale, source).map_or(Cow::Borrowed(source), Cow::Owned)
    }

    /// The source page that a path of its own stands for in a locale.
    pub fn source(&self, locale: &Locale, local: &PagePath) -> Option<PagePath> {
        look_up(&self.by_local, locale, local)
    }

    /// The pages that have a path of their own in some locale, with that path.
    pub fn all(&self) -> impl Iterator<Item = (&Locale, &PagePath, &PagePath)> {
        self.by_source.iter().flat_map(|(locale, paths)| {
            paths
                .iter()
                .map(move |(source, local)| (locale, source, local))
        })
    }

    /// The pages of a locale that have a path of their own, with it.
    pub fn of(&self, locale: &Locale) -> impl Iterator<Item = (&PagePath, &PagePath)> {
        self.by_source.get(locale).into_iter().flatten()
    }
}

fn look_up(paths: &LocalePaths, locale: &Locale, path: &PagePath) -> Option<PagePath> {
    let paths = paths.get(locale)?;
    paths.get(path).cloned().or_else(|| {
        let found = paths.get(&PagePath::parse(path.path()).ok()?)?;
        Some(found.with_query(path.query()?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_one_path_in_each_locale() {
        let path = |text: &str| PagePath::parse(text).unwrap();
        let es = Locale::parse("es").unwrap();
        let fr = Locale::parse("fr").unwrap();
        let mut slugs = Slugs::default();
        slugs.insert(&es, path("/about/"), path("/quiénes-somos/"));
        for (source, local) in [
            ("/about/", "/qui%C3%A9nes-somos/"),
            ("/about/?page=2", "/qui%C3%A9nes-somos/?page=2"),
            ("/", "/"),
        ] {
            assert_eq!(slugs.local(&es, &path(source)).as_str(), local);
            assert_eq!(slugs.local(&fr, &path(source)).as_str(), source);
            let back = (source != local).then(|| path(source));
            assert_eq!(slugs.source(&es, &path(local)), back);
        }
        let json = serde_json::to_string(&slugs).unwrap();
        assert_eq!(
            serde_json::from_str::<Slugs>(&json).unwrap(),
            slugs,
            "{json}"
        );
    }
}
