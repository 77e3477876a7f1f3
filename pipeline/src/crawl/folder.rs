//! A site that lies in a folder, as a site generator writes it.
//!
//! Files come in the order of their names. Hidden files are passed over, except `.well-known`; what they say to Apache
//! (`.htaccess`) is kept apart from the site. Files that the configuration names are left out and reported, and so are files that
//! usually hold secrets, unless `include` names them. Links that lead out of the folder are refused and reported, links that lead
//! round in a circle are walked once.
//!
//! One file: one walk through a folder.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use percent_encoding::percent_decode_str;
use tokio::sync::mpsc::Sender;
use tokio::task::{JoinHandle, spawn_blocking};

use super::programs::is_program;
use super::proof::is_proof;
use super::scope::is_translated;
use super::secret_files::{is_secret_content, is_secret_name};
use super::{
    CrawlError, CrawlFailure, CrawlOptions, Crawled, Resource, UnreadFile, Withheld,
    WithheldBecause, media,
};
use crate::config::OwnPaths;
use crate::model::{AddressForms, FileStat, LinkHeader, PagePath, SourceKind, is_hidden};
use crate::page::{self, PageLinks};

/// How much of a file is read to see whether it is a page, in bytes.
const SNIFFED: u64 = 1024;

/// Endings of templates. They look like pages, and themes lie beside what is made of them.
const TEMPLATES: [&str; 15] = [
    "ejs",
    "erb",
    "ftl",
    "handlebars",
    "hbs",
    "j2",
    "jinja",
    "jinja2",
    "liquid",
    "mustache",
    "njk",
    "tera",
    "tmpl",
    "tpl",
    "twig",
];

/// Crawls a folder that is being listed.
#[expect(clippy::too_many_lines, reason = "one pass over a folder")]
pub(super) async fn crawl(
    folder: &Path,
    listing: JoinHandle<io::Result<FolderListing>>,
    options: &CrawlOptions,
    sink: Sender<Resource>,
) -> Result<Crawled, CrawlError> {
    let unreadable = |reason: String| CrawlError::Folder {
        folder: folder.to_owned(),
        reason,
    };
    let listing = listing
        .await
        .map_err(|error| unreadable(error.to_string()))?
        .map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => unreadable("there is none".to_owned()),
            _ => unreadable(error.to_string()),
        })?;
    let mut crawled = Crawled {
        failures: listing.failures,
        withheld: listing.withheld,
        ..Crawled::default()
    };
    // An excluded file needs no report.
    crawled.withheld.retain(|left_out| {
        !is_translated(&left_out.path, &options.translated)
            && options.filter.allows_file(&left_out.path)
    });
    for (name, FileOnDisk { file, stat }) in listing.files {
        let path = PagePath::of_file(&name);
        if is_translated(&path, &options.translated) {
            continue;
        }
        let seen = options
            .seen
            .get(&path)
            .filter(|seen| stat.is_some_and(|stat| stat == seen.stat));
        let content_type = match (media::by_ending(&name), seen) {
            (Some(content_type), _) => content_type,
            // A page may have any name (R-S21).
            (None, Some(seen)) if seen.kind == SourceKind::Page => media::HTML,
            (None, Some(_)) => media::UNKNOWN,
            (None, None) => sniffed(&file),
        };
        let is_page = media::is_page(content_type);
        let allowed = if is_page {
            options.filter.allows_page(&path)
        } else {
            options.filter.allows_file(&path)
        };
        if !allowed {
            crawled.excluded += 1;
            if path.has_control() {
                crawled.with_control.insert(path);
            }
            continue;
        }
        let is_named = options.filter.names_file(&path);
        if is_secret_name(base_name(&name)) && !is_named {
            crawled.withheld.push(Withheld {
                path,
                because: WithheldBecause::Secret,
            });
            continue;
        }
        if is_page && crawled.pages >= options.max_pages {
            crawled.truncated = true;
            continue;
        }
        if let Some(seen) = seen {
            crawled.count(seen.kind);
            crawled.unread.push(UnreadFile {
                path,
                content_type,
                file: seen.clone(),
            });
            continue;
        }
        let limit = is_page.then_some(options.fetch.max_page_bytes);
        let loaded = spawn_blocking(move || load(path, &name, (&file, content_type), limit)).await;
        match loaded.map_err(|error| unreadable(error.to_string()))? {
            Ok(LoadedFile { resource, .. })
                if !is_named && is_secret_content(resource.path.path(), &resource.body) =>
            {
                crawled.withheld.push(Withheld {
                    path: resource.path,
                    because: WithheldBecause::Secret,
                });
            }
            Ok(LoadedFile { resource, .. })
                if !is_named && is_program(resource.path.path(), &resource.body) =>
            {
                crawled.withheld.push(Withheld {
                    path: resource.path,
                    because: WithheldBecause::Program,
                });
            }
            Ok(LoadedFile {
                resource,
                failure,
                stat: read,
            }) => {
                crawled.count(resource.kind);
                // What is to be said of a file is said each time.
                match failure {
                    Some(failure) => crawled.failures.push(failure),
                    None => {
                        // What another file took the place of meanwhile was not what is there.
                        let stat = stat.filter(|stat| {
                            read == Some(*stat) && stat.is_older_than(options.settled)
                        });
                        crawled
                            .stats
                            .extend(stat.map(|stat| (resource.path.clone(), stat)));
                    }
                }
                sink.send(resource).await.map_err(|_| CrawlError::Stopped)?;
            }
            Err(failure) => crawled.failures.push(failure),
        }
    }
    for (name, file) in listing.rules {
        let path = PagePath::of_file(&name);
        if is_translated(&path, &options.translated) || !options.filter.allows_file(&path) {
            continue;
        }
        match spawn_blocking(move || fs::read(file))
            .await
            .map_err(|error| unreadable(error.to_string()))?
        {
            // What is no UTF-8 is refused where it would be written.
            Ok(text) => drop(
                crawled
                    .rules
                    .insert(name, String::from_utf8_lossy(&text).into_owned()),
            ),
            Err(error) => {
                let reason = format!("cannot read the file {name}: {error}");
                crawled.failures.push(CrawlFailure {
                    path,
                    code: "unreadable",
                    reason,
                });
            }
        }
    }
    if crawled.pages + crawled.files == 0 && crawled.failures.is_empty() {
        return Err(CrawlError::Nothing {
            source_name: folder.display().to_string(),
            excluded: crawled.excluded,
        });
    }
    Ok(crawled.sorted())
}

/// The page of a folder that a static host would answer with at a path; `None` if there is none.
pub(crate) fn page_of(
    folder: &Path,
    own: &OwnPaths,
    path: &PagePath,
    limit: usize,
) -> Option<Result<Resource, CrawlFailure>> {
    let root = folder.canonicalize().ok()?;
    let name = percent_decode_str(path.path().trim_start_matches('/'))
        .decode_utf8()
        .ok()?;
    // A part that is hidden, or that is none on this system, names no page.
    let parts = name.split('/').filter(|part| !part.is_empty());
    if name.contains('\0')
        || parts
            .clone()
            .any(|part| part.starts_with('.') || part.contains('\\'))
    {
        return None;
    }
    let name = parts.collect::<Vec<_>>().join("/");
    let index = format!("{name}/index.html")
        .trim_start_matches('/')
        .to_owned();
    let names = if path.path().ends_with('/') {
        vec![index]
    } else {
        vec![name.clone(), format!("{name}.html"), index]
    };
    let file = |name: String| {
        let written = root.join(&name);
        let file = written
            .canonicalize()
            .ok()
            .filter(|file| file.starts_with(&root) && file.is_file())?;
        // A page in a folder of templates, for one, is none of the site's.
        if file
            .ancestors()
            .take_while(|part| *part != root)
            .any(|part| own.key_of(part, part).is_some())
        {
            return None;
        }
        let content_type = media::by_ending(&name).unwrap_or_else(|| sniffed(&file));
        media::is_page(content_type).then_some((name, file, content_type))
    };
    let (name, file, content_type) = names.into_iter().find_map(file)?;
    let loaded = load(
        PagePath::of_file(&name),
        &name,
        (&file, content_type),
        Some(limit),
    );
    Some(loaded.and_then(
        |LoadedFile {
             resource, failure, ..
         }| failure.map_or(Ok(resource), Err),
    ))
}

/// Files that lie beside a source, in a folder of their own, and that are published like those of the source.
#[derive(Debug, Default)]
pub(crate) struct FolderFiles {
    /// The files by their paths.
    pub(crate) files: BTreeMap<PagePath, FolderFile>,
    /// Pages, which are not taken.
    pub(crate) pages: Vec<PagePath>,
    /// Files that are not taken, because they may be secret, are programs or are named by the configuration.
    pub(crate) withheld: Vec<PagePath>,
    /// Files that cannot be had.
    pub(crate) failures: Vec<CrawlFailure>,
}

/// One of them.
#[derive(Debug)]
pub(crate) struct FolderFile {
    /// Its place on the disk.
    pub(crate) file: PathBuf,
    pub(crate) content_type: &'static str,
    /// Hash of its bytes.
    pub(crate) hash: String,
}

/// Reads the files of a folder under the rules for a source's.
///
/// # Errors
/// The folder cannot be read.
pub(crate) fn files_of(folder: &Path, own: OwnPaths) -> io::Result<FolderFiles> {
    let FolderListing {
        files,
        withheld,
        failures,
        ..
    } = FolderListing::of(folder, own)?;
    let mut found = FolderFiles {
        failures,
        ..FolderFiles::default()
    };
    found
        .withheld
        .extend(withheld.into_iter().map(|withheld| withheld.path));
    for (name, FileOnDisk { file, .. }) in files {
        let path = PagePath::of_file(&name);
        let content_type = media::by_ending(&name).unwrap_or_else(|| sniffed(&file));
        if is_secret_name(base_name(&name)) {
            found.withheld.push(path);
            continue;
        }
        let body = match fs::read(&file) {
            Ok(body) => body,
            Err(error) => {
                let reason = format!("cannot read the file {name}: {error}");
                found.failures.push(CrawlFailure {
                    path,
                    code: "unreadable",
                    reason,
                });
                continue;
            }
        };
        if is_secret_content(path.path(), &body) || is_program(path.path(), &body) {
            found.withheld.push(path);
        } else if media::is_page(content_type) {
            found.pages.push(path);
        } else {
            let hash = blake3::hash(&body).to_hex().to_string();
            found.files.insert(
                path,
                FolderFile {
                    file,
                    content_type,
                    hash,
                },
            );
        }
    }
    Ok(found)
}

/// The media type of a file whose name tells none, by the beginning of its content.
fn sniffed(file: &Path) -> &'static str {
    if file
        .extension()
        .and_then(OsStr::to_str)
        .is_some_and(|ending| TEMPLATES.contains(&ending))
    {
        return media::UNKNOWN;
    }
    let mut beginning = Vec::new();
    let read = fs::File::open(file).and_then(|file| file.take(SNIFFED).read_to_end(&mut beginning));
    if read.is_ok() && media::looks_like_page(&beginning) {
        media::HTML
    } else {
        media::UNKNOWN
    }
}

/// The last part of a name.
fn base_name(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

/// A file that was read.
struct LoadedFile {
    resource: Resource,
    /// Why it is not what it would be otherwise.
    failure: Option<CrawlFailure>,
    /// What the disk said of it before and after it was read, where that is the same.
    stat: Option<FileStat>,
}

/// Reads a file; `limit` is set for pages. A page beyond it is taken as a file, with the reason beside it.
fn load(
    path: PagePath,
    name: &str,
    (file, content_type): (&Path, &str),
    limit: Option<usize>,
) -> Result<LoadedFile, CrawlFailure> {
    let fail = |code, reason| CrawlFailure {
        path: path.clone(),
        code,
        reason,
    };
    let read = || {
        let mut file = fs::File::open(file)?;
        let before = FileStat::of(&file.metadata()?);
        let mut body = Vec::new();
        file.read_to_end(&mut body)?;
        let after = FileStat::of(&file.metadata()?);
        io::Result::Ok((body, before.filter(|_| before == after)))
    };
    let (body, stat) = read().map_err(|error| {
        fail(
            "unreadable",
            format!("cannot read the file {name}: {error}"),
        )
    })?;
    let beyond = limit.filter(|&limit| body.len() > limit).map(|limit| {
        let reason = format!(
            "{name} is larger than {limit} bytes (max_page_bytes), so it is published in its own language only, as it is"
        );
        fail("page_too_large", reason)
    });
    let is_small_page = limit.is_some() && beyond.is_none();
    let searched =
        is_small_page.then(|| page::find_links(media::format_of_page(content_type), &body, None));
    let searched = searched.unwrap_or_default();
    let addresses = address_forms(&path, &searched);
    let PageLinks {
        noindex,
        form,
        frames,
        ..
    } = searched;
    let kind = match is_small_page && !is_proof(path.path(), &form) {
        true => SourceKind::Page,
        false => media::kind_of_file(content_type, name, &body),
    };
    let is_page = kind == SourceKind::Page;
    let resource = Resource {
        kind,
        content_type: content_type.to_owned(),
        charset: None,
        noindex: is_page && noindex,
        fragment: is_page && form.is_fragment,
        frames: if is_page { frames } else { Vec::new() },
        addresses: if is_page {
            addresses
        } else {
            AddressForms::default()
        },
        body: body.into(),
        robots: None,
        links: LinkHeader::default(),
        policies: Vec::new(),
        etag: None,
        last_modified: None,
        head: None,
        sent: None,
        path,
    };
    Ok(LoadedFile {
        resource,
        failure: beyond,
        stat,
    })
}

/// How a page of a folder spells addresses: its canonical one, and those of its links.
fn address_forms(path: &PagePath, page: &PageLinks) -> AddressForms {
    let mut forms = AddressForms::default();
    if let Some(canonical) = &page.canonical {
        forms.note_canonical(path, canonical);
    }
    if page.base.is_none() {
        for link in page
            .links
            .iter()
            .filter(|link| matches!(&*link.element, "a" | "area"))
        {
            forms.note_link(path, &link.address);
        }
    }
    forms
}

/// The files of a folder by their names relative to it, with `/` between the parts.
#[derive(Debug, Default)]
pub(super) struct FolderListing {
    files: BTreeMap<String, FileOnDisk>,
    /// Files that tell Apache about their folder.
    rules: BTreeMap<String, PathBuf>,
    withheld: Vec<Withheld>,
    failures: Vec<CrawlFailure>,
    /// Files that the configuration names.
    own: OwnPaths,
}

/// A file of a folder.
#[derive(Debug)]
struct FileOnDisk {
    file: PathBuf,
    /// What the disk says of it.
    stat: Option<FileStat>,
}

impl FolderListing {
    /// Lists a folder without the files that the configuration names.
    pub(super) fn of(root: &Path, own: OwnPaths) -> io::Result<Self> {
        let real = root.canonicalize()?;
        fs::read_dir(&real)?;
        let mut listing = Self {
            own,
            ..Self::default()
        };
        listing.walk(&real, &mut vec![real.clone()], "");
        Ok(listing)
    }

    /// Lists a folder; `inside` holds the real paths of the folders around it, the root first.
    fn walk(&mut self, root: &Path, inside: &mut Vec<PathBuf>, prefix: &str) {
        let Some(folder) = inside.last().cloned() else {
            return;
        };
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) => {
                return self.fail(
                    prefix,
                    "unreadable",
                    format!("cannot read the folder: {error}"),
                );
            }
        };
        for entry in entries {
            match entry {
                Ok(entry) => self.enter(root, inside, prefix, &entry),
                Err(error) => self.fail(
                    prefix,
                    "unreadable",
                    format!("cannot list the folder: {error}"),
                ),
            }
        }
    }

    fn enter(
        &mut self,
        root: &Path,
        inside: &mut Vec<PathBuf>,
        prefix: &str,
        entry: &fs::DirEntry,
    ) {
        let name = entry.file_name();
        let relative = format!("{prefix}{}", name.to_string_lossy());
        if name == ".htaccess" {
            let real = entry
                .path()
                .canonicalize()
                .ok()
                .filter(|real| real.starts_with(root) && real.is_file());
            self.rules.extend(real.map(|real| (relative, real)));
            return;
        }
        // A hidden file that may be secret is listed, so that it is reported.
        if is_hidden(&name) && !(is_secret_name(&name.to_string_lossy()) && entry.path().is_file())
        {
            return;
        }
        if name.to_str().is_none() {
            return self.fail(
                &relative,
                "bad_name",
                String::from("its name is not valid UTF-8"),
            );
        }
        // What is no link in a real folder has its real path already.
        let (real, found) = if entry.file_type().is_ok_and(|kind| !kind.is_symlink()) {
            (entry.path(), entry.metadata())
        } else {
            let real = match entry.path().canonicalize() {
                Ok(real) => real,
                Err(error) => {
                    return self.fail(
                        &relative,
                        "unreadable",
                        format!("cannot be followed: {error}"),
                    );
                }
            };
            if !real.starts_with(root) {
                return self.fail(
                    &relative,
                    "outside_folder",
                    String::from("it is a link out of the folder"),
                );
            }
            let found = fs::metadata(&real);
            (real, found)
        };
        if let Some(key) = self.own.key_of(&entry.path(), &real) {
            let because = WithheldBecause::Named(key.to_owned());
            self.withheld.push(Withheld {
                path: PagePath::of_file(&relative),
                because,
            });
            return;
        }
        let found = match found {
            Ok(found) => found,
            // It is there, or was a moment ago, so it is not gone.
            Err(error) => {
                return self.fail(
                    &relative,
                    "unreadable",
                    format!("cannot be looked at: {error}"),
                );
            }
        };
        if !found.is_dir() {
            if found.is_file() {
                self.files.insert(
                    relative,
                    FileOnDisk {
                        file: real,
                        stat: FileStat::of(&found),
                    },
                );
            }
        } else if !inside.contains(&real) {
            inside.push(real);
            self.walk(root, inside, &format!("{relative}/"));
            inside.pop();
        }
    }

    fn fail(&mut self, relative: &str, code: &'static str, reason: String) {
        self.failures.push(CrawlFailure {
            path: PagePath::of_file(relative),
            code,
            reason,
        });
    }
}
