//! What a build reads from this machine, and which sites a change of it concerns.
//!
//! A file is watched through its folder, because editors replace files; a folder through the one around it too,
//! because generators remove their output and make it anew. What is not there yet is waited for at the nearest folder
//! that is.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use pipeline::config::{Config, SiteConfig, SourceLocation};
use pipeline::model::{SiteId, is_hidden};

use crate::watcher::WatchDepth;

/// Everything that builds of some sites read.
#[derive(Debug, Default)]
pub(super) struct Inputs(Vec<Input>);

/// A file or folder.
#[derive(Debug)]
struct Input {
    path: PathBuf,
    depth: Option<WatchDepth>,
    role: InputRole,
}

/// What it is to a site.
#[derive(Clone, Debug, PartialEq, Eq)]
enum InputRole {
    Configuration,
    /// Its pages and files.
    Source(SiteId),
    /// Translations, templates, paths of pages, files of a language.
    Words(SiteId),
    /// A memory file, which builds write too.
    Memory(SiteId),
}

/// How much of a build is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Need {
    /// A source on the web is as it was.
    Render,
    /// Everything.
    Build,
}

/// Whom a change concerns.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Concerned {
    pub(super) configuration: bool,
    pub(super) sites: BTreeMap<SiteId, Need>,
    /// Whether a folder that is watched was made, moved or removed.
    pub(super) moved: bool,
}

impl Inputs {
    /// What these sites of a configuration are built from.
    pub(super) fn of(config: &Config, sites: &[SiteId]) -> Self {
        let mut inputs = vec![Input::file(&config.file, InputRole::Configuration)];
        for site in config.sites.iter().filter(|site| sites.contains(&site.id)) {
            inputs.extend(of_site(site));
        }
        Self(inputs)
    }

    /// The memory files.
    pub(super) fn memory(&self) -> impl Iterator<Item = &Path> {
        let is_memory = |input: &&Input| matches!(input.role, InputRole::Memory(_));
        self.0
            .iter()
            .filter(is_memory)
            .map(|input| input.path.as_path())
    }

    /// The folders to watch.
    pub(super) fn folders(&self) -> BTreeMap<PathBuf, WatchDepth> {
        let mut folders = BTreeMap::new();
        let mut add = |folder: &Path, depth: WatchDepth| {
            let known = folders.entry(folder.to_path_buf()).or_insert(depth);
            *known = depth.max(*known);
        };
        for input in &self.0 {
            let around = input
                .path
                .ancestors()
                .skip(1)
                .find(|folder| folder.is_dir());
            around
                .into_iter()
                .for_each(|folder| add(folder, WatchDepth::Entries));
            if let Some(depth) = input.depth.filter(|_| input.path.is_dir()) {
                add(&input.path, depth);
            }
        }
        folders
    }

    /// Whom changes of these files and folders concern; `is_own` says that a build wrote what a file holds.
    pub(super) fn concerned(
        &self,
        paths: &BTreeSet<PathBuf>,
        is_own: impl Fn(&Path) -> bool,
    ) -> Concerned {
        let mut concerned = Concerned::default();
        for path in paths {
            if self.memory().any(|memory| memory == path) && is_own(path) {
                continue;
            }
            // A build makes the folders of memory files too.
            let is_made =
                |input: &&Input| matches!(input.role, InputRole::Memory(_)) && is_own(&input.path);
            for input in self
                .0
                .iter()
                .filter(|input| input.is_touched_by(path) && !is_made(input))
            {
                concerned.moved |=
                    input.path.starts_with(path) && (input.depth.is_some() || input.path != *path);
                let (site, need) = match &input.role {
                    InputRole::Configuration => {
                        concerned.configuration = true;
                        continue;
                    }
                    InputRole::Source(site) => (site, Need::Build),
                    InputRole::Words(site) | InputRole::Memory(site) => (site, Need::Render),
                };
                let known = concerned.sites.entry(site.clone()).or_insert(need);
                *known = need.max(*known);
            }
        }
        concerned
    }
}

fn of_site(site: &SiteConfig) -> Vec<Input> {
    let words = || InputRole::Words(site.id.clone());
    let memory = || InputRole::Memory(site.id.clone());
    let mut inputs = Vec::new();
    if let SourceLocation::Folder(folder) = &site.source {
        inputs.push(Input::folder(folder, InputRole::Source(site.id.clone())));
    }
    inputs.extend(
        site.templates
            .iter()
            .map(|folder| Input::folder(folder, words())),
    );
    inputs.extend(
        site.files_in
            .values()
            .map(|folder| Input::folder(folder.path(), words())),
    );
    inputs.extend(site.glossary.iter().map(|file| Input::file(file, words())));
    // Saved figures are read together with the configuration.
    inputs.extend(
        site.figures
            .iter()
            .map(|file| Input::file(file, InputRole::Configuration)),
    );
    for locale in &site.locales {
        inputs.extend(
            site.translations
                .iter()
                .map(|file| Input::file(&file.path(locale), words())),
        );
        inputs.extend(
            site.slugs
                .iter()
                .map(|file| Input::file(&file.path(locale), words())),
        );
        inputs.extend(
            site.memory
                .iter()
                .map(|file| Input::file(&file.path(locale), memory())),
        );
    }
    inputs
}

impl Input {
    fn file(path: &Path, role: InputRole) -> Self {
        Self {
            path: real(path),
            depth: None,
            role,
        }
    }

    fn folder(path: &Path, role: InputRole) -> Self {
        // A link to a folder leads to where its files change.
        let path = path.canonicalize().unwrap_or_else(|_| real(path));
        Self {
            path,
            depth: Some(WatchDepth::Everything),
            role,
        }
    }

    /// Whether a change at a path may be one of this: itself, what it lies in, or what lies in it and is not hidden.
    fn is_touched_by(&self, path: &Path) -> bool {
        let below = path
            .strip_prefix(&self.path)
            .ok()
            .filter(|below| !below.as_os_str().is_empty());
        match below {
            None => self.path.starts_with(path),
            Some(below) => self.depth.is_some() && !below.iter().any(is_hidden),
        }
    }
}

/// A path as the system tells it, also of a file that is not there yet or is replaced by another.
fn real(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    for folder in path.ancestors().skip(1) {
        if let (Ok(real), Ok(rest)) = (folder.canonicalize(), path.strip_prefix(folder)) {
            return real.join(rest);
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONFIG: &str = "[[site]]\nid = \"a\"\nsource = \"pages/out\"\nsource_locale = \"en\"\nlocales = [\"es\"]\n\
                          translations = \"po/{lang}.po\"\nmemory = \"pages/out/{lang}.jsonl\"\n\
                          [[site]]\nid = \"b\"\nsource = \"https://www.example.com/\"\nsource_locale = \"en\"\n\
                          locales = [\"es\"]\ntranslations = \"b.po/{lang}\"\nmemory = \"memories/{lang}\"\n\
                          [site.html]\ntemplates = \"templates\"\n[site.locale.es]\nfiles = \"own\"\n";

    fn inputs(folder: &Path) -> Inputs {
        let config = Config::parse(CONFIG, &folder.join("latimer.toml"), &|_| None).unwrap();
        Inputs::of(
            &config,
            &[SiteId::parse("a").unwrap(), SiteId::parse("b").unwrap()],
        )
    }

    #[test]
    fn a_change_concerns_the_sites_that_read_it() {
        let folder = Path::new("/nowhere/at/all");
        let inputs = inputs(folder);
        for (path, configuration, sites, moved) in [
            ("latimer.toml", true, vec![], false),
            (
                "pages/out/index.html",
                false,
                vec![("a", Need::Build)],
                false,
            ),
            ("pages/out/.index.html.swp", false, vec![], false),
            (
                "pages/out/.well-known/x",
                false,
                vec![("a", Need::Build)],
                false,
            ),
            ("pages/out", false, vec![("a", Need::Build)], true),
            ("pages", false, vec![("a", Need::Build)], true),
            ("pages/outside.html", false, vec![], false),
            ("pages/out/es.jsonl", false, vec![], false),
            ("po/es.po", false, vec![("a", Need::Render)], false),
            ("po/de.po", false, vec![], false),
            ("po", false, vec![("a", Need::Render)], true),
            ("b.po/es", false, vec![("b", Need::Render)], false),
            ("memories", false, vec![], false),
            (
                "templates/switcher/inline.html",
                false,
                vec![("b", Need::Render)],
                false,
            ),
            ("own/img/hero.png", false, vec![("b", Need::Render)], false),
            ("own", false, vec![("b", Need::Render)], true),
            ("dist/a/es/index.html", false, vec![], false),
            (".latimer/state.redb", false, vec![], false),
        ] {
            let concerned = inputs.concerned(&[folder.join(path)].into(), |_| true);
            let sites = sites
                .into_iter()
                .map(|(site, need)| (SiteId::parse(site).unwrap(), need))
                .collect();
            assert_eq!(
                concerned,
                Concerned {
                    configuration,
                    sites,
                    moved
                },
                "{path}"
            );
        }
        let memory = inputs.concerned(&[folder.join("pages/out/es.jsonl")].into(), |_| false);
        assert_eq!(memory.sites.values().collect::<Vec<_>>(), [&Need::Build]);
    }

    #[test]
    fn what_is_not_there_yet_is_waited_for_in_the_nearest_folder() {
        let folder = tempfile::TempDir::new().unwrap();
        let root = folder.path().canonicalize().unwrap();
        assert_eq!(
            inputs(folder.path()).folders(),
            [(root.clone(), WatchDepth::Entries)].into()
        );
        std::fs::create_dir_all(root.join("pages/out")).unwrap();
        std::fs::create_dir_all(root.join("po")).unwrap();
        let expected = [
            (root.clone(), WatchDepth::Entries),
            (root.join("pages"), WatchDepth::Entries),
            (root.join("pages/out"), WatchDepth::Everything),
            (root.join("po"), WatchDepth::Entries),
        ];
        assert_eq!(inputs(folder.path()).folders(), expected.into());
    }
}
