//! Pagefind's index in every language. Its program reads the pages of a build as they are published, from a folder that is
//! gone afterwards.
//!
//! With a host for each language, each has an index of its own. With the language in the path, the site's script looks for the
//! source's index from every page and goes by the page's language, so that one gets the other languages, too.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use tokio::time::timeout;

use super::context::Build;
use super::error::RunError;
use super::references::Site;
use super::report::Noticed;
use super::sources::Sources;
use crate::config::Search;
use crate::model::{Locale, PagePath};
use crate::passing::PassingFolder;
use crate::processes::{self, Environment, Failure};
use crate::publish::{Draft, Object, PublishError, Tree};
use crate::search::Pagefind;

/// How long the program may take.
const PATIENCE: Duration = Duration::from_secs(600);

/// What browsers are told of files that only Pagefind knows.
const OF_PAGEFIND: &str = "application/octet-stream";

/// The pages that Pagefind is to read.
pub(super) struct Gathered<'a> {
    index: &'a Pagefind,
    folder: PassingFolder,
    /// The hash of each page, by its place in the folder.
    pages: Mutex<BTreeMap<PathBuf, blake3::Hash>>,
    /// The first thing that went wrong.
    trouble: OnceLock<String>,
}

/// Why there is no index by Pagefind. Its causes stand in its sentence.
#[derive(Debug, thiserror::Error)]
pub enum PagefindError {
    /// The program cannot be started.
    #[error(
        "{program} could not be started: {error}; install Pagefind, or name its program with `pagefind` in [site.search]"
    )]
    Start {
        /// Its name.
        program: String,
        /// Why.
        error: std::io::Error,
    },
    /// The program failed.
    #[error("{program} {ended}{said}")]
    Ended {
        /// Its name.
        program: String,
        /// How it ended.
        ended: String,
        /// Its last lines, each after a line break.
        said: String,
    },
    /// The program took too long.
    #[error("{program} took longer than {} minutes", PATIENCE.as_secs() / 60)]
    TooLong {
        /// Its name.
        program: String,
    },
    /// What the program wrote cannot be read.
    #[error("what {program} wrote cannot be read: {error}")]
    Unreadable {
        /// Its name.
        program: String,
        /// Why.
        error: std::io::Error,
    },
    /// The program wrote no index, or none that is known.
    #[error("it wrote no index")]
    NoIndex,
    /// The site's own index is by another version, so that theirs cannot be joined.
    #[error("the site's index is by Pagefind {site}, and the program is {program}; use the same version")]
    OtherVersion {
        /// The version of the site's index.
        site: String,
        /// The version of the program.
        program: String,
    },
}

/// Starts Pagefind to see whether it can be used, and gives its program; nothing where none is wanted.
///
/// # Errors
/// A [`PagefindError`] when it cannot be started or says that it failed.
pub async fn try_pagefind(search: &Search) -> Option<Result<&str, PagefindError>> {
    let program = search.pagefind.first()?;
    Some(run_program(program, &["--version".to_owned()], &search.variables).await.map(|()| program.as_str()))
}

/// Runs it to its end.
async fn run_program(program: &str, arguments: &[String], variables: &[String]) -> Result<(), PagefindError> {
    let outcome = timeout(PATIENCE, processes::run(program, arguments, Environment::Named(variables))).await;
    let program = program.to_owned();
    match outcome {
        Ok(Ok(())) => Ok(()),
        Ok(Err(Failure::Ended(ended, said))) => Err(PagefindError::Ended { program, ended, said }),
        Ok(Err(Failure::Start(error))) => Err(PagefindError::Start { program, error }),
        Err(_) => Err(PagefindError::TooLong { program }),
    }
}

/// Files that a program wrote, by their names in the index's folder.
type Written = BTreeMap<String, Vec<u8>>;

impl Build<'_> {
    /// Gathers pages where Pagefind is to read them.
    pub(super) fn gather<'a>(&self, site: &Site<'a>) -> Option<Result<Gathered<'a>, Noticed>> {
        let index = site.corpus.pagefind.as_ref()?;
        Some(match PassingFolder::make("pagefind") {
            Ok(folder) => Ok(Gathered { index, folder, pages: Mutex::default(), trouble: OnceLock::new() }),
            Err(error) => Err(stays(index, &format!("no folder could be made for it: {error}"))),
        })
    }

    /// Gathers a page of a locale.
    pub(super) async fn add_page(
        &self,
        site: &Site<'_>,
        gathered: &Gathered<'_>,
        locale: &Locale,
        (name, body): (&str, &[u8]),
    ) {
        let Some(folder) = self.folder(site, gathered.index, locale) else { return };
        let place = folder.join(name);
        let file = gathered.folder.path().join(&place);
        gathered.pages().insert(place, blake3::hash(body));
        let written = async {
            tokio::fs::create_dir_all(file.parent().unwrap_or(&file)).await?;
            tokio::fs::write(&file, body).await
        };
        if let Err(error) = written.await {
            let _ = gathered.trouble.set(format!("{}: {error}", file.display()));
        }
    }

    /// Where the pages of a locale lie, from the folder that the index is about; nowhere where they lie outside of it.
    fn folder(&self, site: &Site<'_>, index: &Pagefind, locale: &Locale) -> Option<PathBuf> {
        if self.has_hosts() {
            return Some(PathBuf::from(locale.as_str()).join("pages"));
        }
        let folder = site.addresses.public().below_files(locale, index.about())?;
        Some(Path::new("all/pages").join(folder))
    }

    /// Has the index made and puts it; gives the files of the source that it takes the place of, and why it is not there.
    pub(super) async fn put_pagefind(
        &self,
        site: &Site<'_>,
        gathered: Option<Gathered<'_>>,
        sources: &Sources,
        draft: &Draft,
    ) -> Result<(BTreeSet<PagePath>, Option<Noticed>), RunError> {
        let mut replaced = BTreeSet::new();
        let Some(gathered) = gathered else { return Ok((replaced, None)) };
        let index = gathered.index;
        let roots: Vec<(&str, Tree)> = match self.has_hosts() {
            true => {
                site.texts.iter().map(|texts| (texts.locale.as_str(), Tree::Locale(texts.locale.clone()))).collect()
            }
            false => vec![("all", Tree::Shared)],
        };
        for (root, tree) in roots {
            let made_of = self.made_of(&gathered, root);
            let root = gathered.folder.path().join(root);
            if !root.exists() {
                continue;
            }
            let published = self.published(index, &tree, &made_of, draft).await?;
            if let Some(trouble) = gathered.trouble.get() {
                return Ok((replaced, Some(stays(index, trouble))));
            }
            let made = match published {
                Some(written) => Ok(written),
                None => {
                    let written = self.run_pagefind(&root).await;
                    written.and_then(|written| joined(index, &tree, written, &made_of))
                }
            };
            let written = match made {
                Ok(written) => written,
                Err(why) => return Ok((replaced, Some(stays(index, &why)))),
            };
            let taken: BTreeSet<&str> = sources.files().map(|(path, _)| path.as_str()).collect();
            for (name, body) in written {
                let Ok(path) = PagePath::parse(&format!("{}{name}", index.folder())) else { continue };
                if tree == Tree::Shared && taken.contains(path.as_str()) {
                    if path.as_str() != index.entry_path() {
                        continue;
                    }
                    replaced.insert(path.clone());
                }
                let kind = content_type(sources, &path);
                let object = Object::new(path.as_str()[1..].to_owned(), path, kind, body);
                draft.put(&tree, object).await?;
            }
        }
        Ok((replaced, None))
    }

    /// What the index of the pages below a folder is made of, as one hash.
    fn made_of(&self, gathered: &Gathered<'_>, root: &str) -> String {
        let mut hasher = blake3::Hasher::new();
        hasher.update(format!("{:?} {}", self.site.search.pagefind, gathered.index.entry()).as_bytes());
        for (place, hash) in gathered.pages().iter().filter(|(place, _)| place.starts_with(root)) {
            hasher.update(place.as_os_str().as_encoded_bytes()).update(hash.as_bytes());
        }
        hasher.finalize().to_hex()[..16].to_owned()
    }

    /// The files of the index that is published, if it is made of the same. Pagefind reads pages side by side and numbers them
    /// as it comes, so the next index of the same pages would be another.
    async fn published(
        &self,
        index: &Pagefind,
        tree: &Tree,
        made_of: &str,
        draft: &Draft,
    ) -> Result<Option<Written>, RunError> {
        let Some((published, manifest)) =
            draft.previous().and_then(|published| Some((published, published.manifest(tree)?)))
        else {
            return Ok(None);
        };
        let mut written = Written::new();
        let own = |name: &str| Some(name.strip_prefix(&index.folder()[1..])?.to_owned());
        let entry_path = index.entry_path();
        let is_same = |body: &[u8]| Pagefind::read(&entry_path, body).is_some_and(|old| old.made_of() == Some(made_of));
        let files = manifest.objects.iter().filter_map(|(name, entry)| Some((own(name)?, name, entry)));
        let (first, others): (Vec<_>, Vec<_>) = files.partition(|(_, name, _)| **name == entry_path[1..]);
        for (own, name, entry) in first.into_iter().chain(others) {
            let body = match published.read(&self.stores.objects, tree, name, entry, None).await {
                Err(PublishError::Damaged { .. }) => return Ok(None),
                body => body?,
            };
            if written.is_empty() && !is_same(&body) {
                return Ok(None);
            }
            written.insert(own, body.into());
        }
        Ok(Some(written).filter(|written| !written.is_empty()))
    }

    /// Runs Pagefind over the pages below a folder.
    async fn run_pagefind(&self, root: &Path) -> Result<Written, PagefindError> {
        let (pages, out) = (root.join("pages"), root.join("index"));
        let Some((program, options)) = self.site.search.pagefind.split_first() else { return Ok(Written::new()) };
        let own = ["--site".into(), pages.to_string_lossy(), "--output-path".into(), out.to_string_lossy()];
        let arguments: Vec<String> = options.iter().cloned().chain(own.map(String::from)).collect();
        run_program(program, &arguments, &self.site.search.variables).await?;
        read(&out).map_err(|error| PagefindError::Unreadable { program: program.clone(), error })
    }
}

impl Gathered<'_> {
    /// A thread that panicked while holding it left whole records.
    fn pages(&self) -> MutexGuard<'_, BTreeMap<PathBuf, blake3::Hash>> {
        self.pages.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What is put of what Pagefind wrote: in a tree that all languages share, the files of the source and those of the others.
fn joined(index: &Pagefind, tree: &Tree, mut written: Written, made_of: &str) -> Result<Written, PagefindError> {
    let path = index.entry_path();
    let name = &path[index.folder().len()..];
    let made = written.get(name).and_then(|body| Pagefind::read(&path, body)).ok_or(PagefindError::NoIndex)?;
    let entry = match tree {
        Tree::Locale(_) => made,
        Tree::Shared if made.version() == index.version() => index.clone().with_languages_of(made),
        Tree::Shared => {
            let (site, program) = (index.version().to_owned(), made.version().to_owned());
            return Err(PagefindError::OtherVersion { site, program });
        }
    };
    written.insert(name.to_owned(), entry.marked(made_of).entry().into_bytes());
    Ok(written)
}

/// All files below a folder.
fn read(folder: &Path) -> std::io::Result<Written> {
    let mut written = Written::new();
    let mut folders = vec![(folder.to_owned(), String::new())];
    while let Some((folder, before)) = folders.pop() {
        for entry in std::fs::read_dir(&folder)? {
            let entry = entry?;
            let name = format!("{before}{}", entry.file_name().to_string_lossy());
            match entry.file_type()?.is_dir() {
                true => folders.push((entry.path(), name + "/")),
                false => drop(written.insert(name, std::fs::read(entry.path())?)),
            }
        }
    }
    Ok(written)
}

/// What the source says of files of the same kind.
fn content_type<'s>(sources: &'s Sources, path: &PagePath) -> &'s str {
    let ending = |path: &PagePath| path.as_str().rsplit_once('.').map(|(_, ending)| ending.to_owned());
    let wanted = ending(path);
    let same = sources.files().find(|(other, _)| ending(other) == wanted);
    same.map_or(OF_PAGEFIND, |(_, record)| &record.content_type)
}

fn stays(index: &Pagefind, why: &dyn std::fmt::Display) -> Noticed {
    let path = index.entry_path();
    Noticed::Notice(format!("{path} stays as it is, and search finds words of the source language alone: {why}"))
}
