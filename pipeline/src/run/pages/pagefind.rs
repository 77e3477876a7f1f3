//! Pagefind's index in every language. Its program reads the pages of a build as they are published, from a folder that is
//! gone afterwards.
//!
//! With a host for each language, each has an index of its own. With the language in the path, the site's script looks for the
//! source's index from every page and goes by the page's language, so that one gets the other languages, too.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::time::timeout;

use super::references::SiteContext;
use super::search::SaidPages;
use crate::config::{SearchConfig, SiteConfig};
use crate::model::{Locale, PagePath};
use crate::passing::PassingFolder;
use crate::processes::{self, ProcessEnvironment, ProcessFailure};
use crate::run::context::{self, Build};
use crate::run::error::BuildError;
use crate::run::report::build_report::Noticed;
use crate::run::source::sources::Sources;
use crate::search::Pagefind;
use crate::store::{ContentHash, Draft, Object, StoreError, Tree};

/// How long the program may take.
const PATIENCE: Duration = Duration::from_secs(600);

/// What browsers are told of files that only Pagefind knows.
const OF_PAGEFIND: &str = "application/octet-stream";

/// Published page that Pagefind indexes.
struct Gathered {
    locale: Locale,
    name: Arc<str>,
    /// Path below the folder that Pagefind reads.
    place: PathBuf,
    hash: ContentHash,
}

/// Result of publishing an index.
#[derive(Default)]
pub(super) struct PutPagefind {
    /// Source files that it replaces.
    pub(in crate::run) replaced: BTreeSet<PagePath>,
    /// Reason that the source's index stays.
    pub(super) why_not: Option<Noticed>,
    /// True if the update was deferred.
    pub(in crate::run) waits: bool,
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
    /// The pages cannot be copied to a temporary folder.
    #[error("the pages could not be written to a folder for it: {error}")]
    Folder {
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
    #[error(
        "the site's index is by Pagefind {site}, and the program is {program}; use the same version"
    )]
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
pub async fn try_pagefind(search: &SearchConfig) -> Option<Result<&str, PagefindError>> {
    let program = search.pagefind.first()?;
    Some(
        run_program(program, &["--version".to_owned()], &search.variables)
            .await
            .map(|()| program.as_str()),
    )
}

/// Runs it to its end.
async fn run_program(
    program: &str,
    arguments: &[String],
    variables: &[String],
) -> Result<(), PagefindError> {
    let outcome = timeout(
        PATIENCE,
        processes::run(program, arguments, ProcessEnvironment::Named(variables)),
    )
    .await;
    let program = program.to_owned();
    match outcome {
        Ok(Ok(())) => Ok(()),
        Ok(Err(ProcessFailure::Ended(ended, said))) => Err(PagefindError::Ended {
            program,
            ended,
            said,
        }),
        Ok(Err(ProcessFailure::Start(error))) => Err(PagefindError::Start { program, error }),
        Err(_) => Err(PagefindError::TooLong { program }),
    }
}

/// Files that a program wrote, by their names in the index's folder.
type PagefindFiles = BTreeMap<String, Vec<u8>>;

/// Pages of the index at `root`, in the order of their paths.
fn gather_pages(
    config: &SiteConfig,
    (site, index): (&SiteContext<'_>, &Pagefind),
    said: &SaidPages,
    root: &str,
    draft: &Draft,
) -> Vec<Gathered> {
    let mut pages = Vec::new();
    for texts in &site.texts {
        let locale = &texts.locale;
        let tree = Tree::Locale(locale.clone());
        let Some(folder) =
            folder(config, site, index, locale).filter(|folder| folder.starts_with(root))
        else {
            continue;
        };
        pages.extend(said.pages(locale).filter_map(|path| {
            let name = site.name(locale, path);
            let hash = draft.entry(&tree, &name)?.hash;
            Some(Gathered {
                locale: locale.clone(),
                place: folder.join(&*name),
                name,
                hash,
            })
        }));
    }
    pages.sort_by(|one, other| one.place.cmp(&other.place));
    pages
}

/// Runs Pagefind on a temporary copy of the pages.
async fn make_pagefind(
    site: &SiteConfig,
    (index, root, tree): (&Pagefind, &str, &Tree),
    (pages, made_of): (&[Gathered], &str),
    draft: &Draft,
) -> Result<Result<PagefindFiles, PagefindError>, BuildError> {
    let folder = match PassingFolder::make("pagefind") {
        Ok(folder) => folder,
        Err(error) => return Ok(Err(PagefindError::Folder { error })),
    };
    for Gathered {
        locale,
        name,
        place,
        ..
    } in pages
    {
        let body = draft.read(&Tree::Locale(locale.clone()), name).await?;
        let file = folder.path().join(place);
        let written = async {
            tokio::fs::create_dir_all(file.parent().unwrap_or(&file)).await?;
            tokio::fs::write(&file, body).await
        };
        if let Err(error) = written.await {
            return Ok(Err(PagefindError::Folder { error }));
        }
    }
    let written = run_pagefind(site, &folder.path().join(root)).await;
    Ok(written.and_then(|written| joined(index, tree, written, made_of)))
}

/// Where the pages of a locale lie, from the folder that the index is about; nowhere where they lie outside of it.
fn folder(
    config: &SiteConfig,
    site: &SiteContext<'_>,
    index: &Pagefind,
    locale: &Locale,
) -> Option<PathBuf> {
    if context::has_hosts(config) {
        return Some(PathBuf::from(locale.as_str()).join("pages"));
    }
    let folder = site.addresses.public().below_files(locale, index.about())?;
    Some(Path::new("all/pages").join(folder))
}

/// Publishes the index of Pagefind.
pub(super) async fn put_pagefind(
    build: &Build<'_>,
    site: &SiteContext<'_>,
    said: &SaidPages,
    sources: &Sources,
    draft: &Draft,
) -> Result<PutPagefind, BuildError> {
    let mut put = PutPagefind::default();
    let Some(index) = &site.corpus.pagefind else {
        return Ok(put);
    };
    let roots: Vec<(&str, Tree)> = match context::has_hosts(build.site) {
        true => site
            .texts
            .iter()
            .map(|texts| (texts.locale.as_str(), Tree::Locale(texts.locale.clone())))
            .collect(),
        false => vec![("all", Tree::Shared)],
    };
    for (root, tree) in roots {
        let pages = gather_pages(build.site, (site, index), said, root, draft);
        if pages.is_empty() {
            continue;
        }
        let made_of = made_of(build.site, index, &pages);
        let made = match published_index(build, index, &tree, &made_of, draft).await? {
            Some((written, is_same)) => {
                put.waits |= !is_same;
                Ok(written)
            }
            None => {
                make_pagefind(build.site, (index, root, &tree), (&pages, &made_of), draft).await?
            }
        };
        let written = match made {
            Ok(written) => written,
            Err(why) => {
                put.why_not = Some(stays(index, &why));
                return Ok(put);
            }
        };
        let taken: BTreeSet<&str> = sources.files().map(|(path, _)| path.as_str()).collect();
        for (name, body) in written {
            let Ok(path) = PagePath::parse(&format!("{}{name}", index.folder())) else {
                continue;
            };
            if tree == Tree::Shared && taken.contains(path.as_str()) {
                if path.as_str() != index.entry_path() {
                    continue;
                }
                put.replaced.insert(path.clone());
            }
            let kind = content_type(sources, &path);
            let object = Object::new(path.as_str()[1..].to_owned(), path, kind, body);
            draft.put(&tree, object).await?;
        }
    }
    Ok(put)
}

/// Fingerprint of an index's pages and settings.
fn made_of(site: &SiteConfig, index: &Pagefind, pages: &[Gathered]) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(format!("{:?} {}", site.search.pagefind, index.entry()).as_bytes());
    for Gathered { place, hash, .. } in pages {
        hasher
            .update(place.as_os_str().as_encoded_bytes())
            .update(hash.spelled().as_bytes());
    }
    hasher.finalize().to_hex()[..16].to_owned()
}

/// Returns the published index if its input is unchanged or the update is deferred, and which of the two: true for unchanged.
/// Pagefind reads pages side by side and numbers them as it comes, so the next index of the same pages would be another.
async fn published_index(
    build: &Build<'_>,
    index: &Pagefind,
    tree: &Tree,
    made_of: &str,
    draft: &Draft,
) -> Result<Option<(PagefindFiles, bool)>, BuildError> {
    let Some((published, manifest)) = draft
        .previous()
        .and_then(|published| Some((published, published.manifest(tree)?)))
    else {
        return Ok(None);
    };
    let mut written = PagefindFiles::new();
    let mut is_made_of_this = true;
    let own = |name: &str| Some(name.strip_prefix(&index.folder()[1..])?.to_owned());
    let entry_path = index.entry_path();
    let is_same = |body: &[u8]| {
        Pagefind::read(&entry_path, body).is_some_and(|old| old.made_of() == Some(made_of))
    };
    let files = manifest
        .objects
        .iter()
        .filter_map(|(name, entry)| Some((own(name)?, name, entry)));
    let (first, others): (Vec<_>, Vec<_>) =
        files.partition(|(_, name, _)| **name == entry_path[1..]);
    for (own, name, entry) in first.into_iter().chain(others) {
        let body = match published
            .read(&build.stores.objects, tree, name, entry, None)
            .await
        {
            Err(StoreError::Damaged { .. }) => return Ok(None),
            body => body?,
        };
        if written.is_empty() && !is_same(&body) {
            is_made_of_this = false;
            if !build.options.defers_search {
                return Ok(None);
            }
        }
        written.insert(own, body.into());
    }
    Ok((!written.is_empty()).then_some((written, is_made_of_this)))
}

/// Runs Pagefind over the pages below a folder.
async fn run_pagefind(config: &SiteConfig, root: &Path) -> Result<PagefindFiles, PagefindError> {
    let pages = root.join("pages");
    let out = root.join("index");
    let Some((program, options)) = config.search.pagefind.split_first() else {
        return Ok(PagefindFiles::new());
    };
    let own = [
        "--site".into(),
        pages.to_string_lossy(),
        "--output-path".into(),
        out.to_string_lossy(),
    ];
    let arguments: Vec<String> = options
        .iter()
        .cloned()
        .chain(own.map(String::from))
        .collect();
    run_program(program, &arguments, &config.search.variables).await?;
    read(&out).map_err(|error| PagefindError::Unreadable {
        program: program.clone(),
        error,
    })
}

/// What is put of what Pagefind wrote: in a tree that all languages share, the files of the source and those of the others.
fn joined(
    index: &Pagefind,
    tree: &Tree,
    mut written: PagefindFiles,
    made_of: &str,
) -> Result<PagefindFiles, PagefindError> {
    let path = index.entry_path();
    let name = &path[index.folder().len()..];
    let made = written
        .get(name)
        .and_then(|body| Pagefind::read(&path, body))
        .ok_or(PagefindError::NoIndex)?;
    let entry = match tree {
        Tree::Locale(_) => made,
        Tree::Shared if made.version() == index.version() => index.clone().with_languages_of(made),
        Tree::Shared => {
            let site = index.version().to_owned();
            let program = made.version().to_owned();
            return Err(PagefindError::OtherVersion { site, program });
        }
    };
    written.insert(name.to_owned(), entry.marked(made_of).entry().into_bytes());
    Ok(written)
}

/// All files below a folder.
fn read(folder: &Path) -> std::io::Result<PagefindFiles> {
    let mut written = PagefindFiles::new();
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
    let ending = |path: &PagePath| {
        path.as_str()
            .rsplit_once('.')
            .map(|(_, ending)| ending.to_owned())
    };
    let wanted = ending(path);
    let same = sources.files().find(|(other, _)| ending(other) == wanted);
    same.map_or(OF_PAGEFIND, |(_, record)| &record.content_type)
}

fn stays(index: &Pagefind, why: &dyn std::fmt::Display) -> Noticed {
    let path = index.entry_path();
    Noticed::Notice(format!(
        "{path} stays as it is, and search finds words of the source language alone: {why}"
    ))
}
