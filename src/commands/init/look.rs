//! What is to be seen at a source: who made it, in which language, and which languages are there already.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use pipeline::model::{Locale, SiteId};
use pipeline::page::{Framework, Page};
use url::Url;

use super::generators::{GENERATORS, Generator};
use super::html;

/// What was seen at a source.
#[derive(Debug)]
pub(super) struct SourceFindings {
    /// The folder with the pages; empty for an address.
    pub(super) root: PathBuf,
    /// A name for the site.
    pub(super) id: String,
    /// The host and scheme of an address.
    pub(super) origin: Option<String>,
    /// The public address that the first page or the sitemap names, without a slash at its end.
    pub(super) address: Option<String>,
    /// The language of the first page, or English.
    pub(super) source_locale: Locale,
    /// Whether the first page says its language.
    pub(super) says_language: bool,
    /// The program that made the pages.
    pub(super) generator: Option<&'static str>,
    /// What draws the pages again in the browser.
    pub(super) framework: Option<Framework>,
    /// Languages that have a folder already.
    pub(super) languages: Vec<Locale>,
    /// Patterns for `keep`.
    pub(super) keeps: Vec<Proposed>,
    /// Folders with versions that people wrote, with the languages that are wanted.
    pub(super) versions: Vec<(String, Locale)>,
    /// Patterns for `exclude`.
    pub(super) excludes: Vec<Proposed>,
}

/// A pattern that is proposed, and why.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Proposed {
    pub(super) rule: String,
    pub(super) reason: String,
}

/// The name of a folder says little when it is one of these; its parent's says more.
const OUTPUT_NAMES: [&str; 9] = [
    "public", "build", "book", "dist", "site", "_site", "source", "output", "html",
];

impl SourceFindings {
    /// An address, without looking.
    pub(super) fn of_address(url: &Url) -> Self {
        let host = url.host_str().unwrap_or_default();
        Self {
            root: PathBuf::new(),
            id: site_id(host.strip_prefix("www.").unwrap_or(host)),
            origin: Some(url.origin().ascii_serialization()),
            address: None,
            source_locale: english(),
            says_language: false,
            generator: None,
            framework: None,
            languages: Vec::new(),
            keeps: Vec::new(),
            versions: Vec::new(),
            excludes: Vec::new(),
        }
    }

    /// A folder: the output of a generator, or the project that it is made from.
    pub(super) fn of_folder(folder: &Path) -> io::Result<Self> {
        let project = GENERATORS
            .iter()
            .find(|generator| generator.owns_project(folder));
        let root = match project {
            Some(generator) if folder.join(generator.output).is_dir() => {
                folder.join(generator.output)
            }
            // Output into which the project's own file was copied.
            Some(_) if folder.join("index.html").is_file() => folder.to_path_buf(),
            Some(generator) => {
                let advice = format!(
                    "a {} project without output; build it first",
                    generator.name
                );
                return Err(io::Error::new(io::ErrorKind::NotFound, advice));
            }
            None => folder.to_path_buf(),
        };
        let (page, framework) = match first_page(&root)? {
            Some(path) => (html::read_head(&path)?, framework(&path)?),
            None => {
                return Err(io::Error::new(
                    io::ErrorKind::NotFound,
                    "there is no HTML file in it; give the folder of the finished pages, and build the site first if a generator makes it",
                ));
            }
        };
        let meta = generator_meta(&page);
        let generator =
            project.or_else(|| GENERATORS.iter().find(|one| one.made(&root, meta, &page)));
        let declared = declared_language(&page);
        let source_locale = declared.clone().unwrap_or_else(english);
        let languages = language_folders(&root, &page, &source_locale)?;
        let excludes = excludes(&root, generator);
        let keeps = Vec::new();
        let versions = languages
            .iter()
            .map(|(name, locale)| (format!("/{name}/**"), locale.clone()))
            .collect();
        Ok(Self {
            id: folder_id(folder),
            address: address(&root, &page),
            root,
            origin: None,
            says_language: declared.is_some(),
            source_locale,
            generator: generator
                .map(|generator| generator.name)
                .or_else(|| named(framework)),
            framework,
            languages: languages.into_iter().map(|(_, locale)| locale).collect(),
            keeps,
            versions,
            excludes,
        })
    }
}

impl SourceFindings {
    /// Proposes to keep the folders of languages that are not wanted. Those of wanted ones are versions of other pages.
    pub(super) fn propose_for(&mut self, wanted: &[Locale]) {
        let is_wanted = |locale: &Locale| wanted.iter().any(|wanted| wanted.same_language(locale));
        for (rule, locale) in self
            .versions
            .extract_if(.., |(_, locale)| !is_wanted(locale))
        {
            self.keeps.push(Proposed {
                rule,
                reason: format!("is in another language already: {locale}"),
            });
        }
    }
}

/// One line for each thing that was seen.
impl fmt::Display for SourceFindings {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(generator) = self.generator {
            writeln!(formatter, "made by {generator}")?;
        }
        if self.framework.is_some_and(Framework::has_router) {
            writeln!(
                formatter,
                "scripts draw its pages again and go by the address: give each language a host of its own, so that paths \
                 stay what they are (docs/scripts.md)"
            )?;
        }
        for (rule, locale) in &self.versions {
            writeln!(
                formatter,
                "takes {rule} for the versions in {locale} of the pages that they name or whose path they have"
            )?;
        }
        for kept in &self.keeps {
            writeln!(formatter, "keeps {} as it is ({})", kept.rule, kept.reason)?;
        }
        self.excludes.iter().try_for_each(|exclude| {
            writeln!(
                formatter,
                "leaves out {} ({})",
                exclude.rule, exclude.reason
            )
        })
    }
}

/// What draws a page again in the browser.
fn framework(page: &Path) -> io::Result<Option<Framework>> {
    let html = std::fs::read(page)?;
    Ok(Page::parse(&html, None, &english()).framework())
}

fn named(framework: Option<Framework>) -> Option<&'static str> {
    framework
        .filter(|framework| *framework != Framework::Other)
        .map(Framework::name)
}

/// The public address that the folder's index, else its sitemap, names.
fn address(root: &Path, page: &str) -> Option<String> {
    let value = |name: &str, key: &str, word: &str, value: &str| {
        let tags = html::tags(page, name).into_iter();
        let mut named = tags.filter(|tag| {
            html::attribute(tag, key).is_some_and(|found| found.eq_ignore_ascii_case(word))
        });
        named
            .find_map(|tag| html::attribute(tag, value))
            .map(str::to_owned)
    };
    let canonical = value("link", "rel", "canonical", "href")
        .or_else(|| value("meta", "property", "og:url", "content"));
    let first = || {
        let sitemap = std::fs::read_to_string(root.join("sitemap.xml")).ok()?;
        // The first of a sitemap need not be the home page, so only its host counts.
        let first = sitemap
            .split_once("<loc>")?
            .1
            .split_once("</loc>")?
            .0
            .trim()
            .to_owned();
        Some(Url::parse(&first).ok()?.origin().ascii_serialization())
    };
    let in_full = canonical.filter(|address| Url::parse(address).is_ok());
    let url = Url::parse(&in_full.or_else(first)?).ok()?;
    let is_public = url
        .domain()
        .is_some_and(|host| host.contains('.') && !host.ends_with(".localhost"));
    let path = url
        .path()
        .trim_end_matches("index.html")
        .trim_end_matches('/');
    (is_public && matches!(url.scheme(), "http" | "https"))
        .then(|| format!("{}{path}", url.origin().ascii_serialization()))
}

fn generator_meta(page: &str) -> Option<&str> {
    let metas = html::tags(page, "meta");
    let named = |tag: &&str| {
        html::attribute(tag, "name").is_some_and(|name| name.eq_ignore_ascii_case("generator"))
    };
    metas
        .into_iter()
        .find(named)
        .and_then(|tag| html::attribute(tag, "content"))
}

fn declared_language(page: &str) -> Option<Locale> {
    Locale::parse(
        html::tags(page, "html")
            .first()
            .and_then(|tag| html::attribute(tag, "lang"))?,
    )
    .ok()
}

/// The folder's index, else its first HTML file by name.
fn first_page(folder: &Path) -> io::Result<Option<PathBuf>> {
    let mut pages: Vec<_> = names(folder)?
        .into_iter()
        .filter(|name| is_html(name))
        .collect();
    pages.sort_by_key(|name| (!name.starts_with("index."), name.clone()));
    Ok(pages.first().map(|name| folder.join(name)))
}

fn is_html(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    lower.ends_with(".html") || lower.ends_with(".htm")
}

/// Names in a folder, sorted; what is not UTF-8 cannot be named in latimer.toml and is passed over.
fn names(folder: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        names.extend(entry?.file_name().into_string().ok());
    }
    names.sort();
    Ok(names)
}

/// Folders that hold another language. The name alone proves little (`/go/`, `/it/`): the pages must agree.
fn language_folders(root: &Path, page: &str, source: &Locale) -> io::Result<Vec<(String, Locale)>> {
    let announced: Vec<String> = html::tags(page, "link")
        .into_iter()
        .filter(|tag| html::attribute(tag, "hreflang").is_some())
        .filter_map(|tag| html::attribute(tag, "href").map(first_segment))
        .collect();
    let mut found = Vec::new();
    for name in names(root)? {
        let Ok(locale) = Locale::parse(&name) else {
            continue;
        };
        if locale.language() == source.language() || !root.join(&name).is_dir() {
            continue;
        }
        let Some(page) = first_page(&root.join(&name))? else {
            continue;
        };
        let declared = declared_language(&html::read_head(&page)?);
        let agrees = declared
            .as_ref()
            .is_some_and(|declared| declared.language() == locale.language());
        // `wp-json` and the like have the form of a tag, too.
        let plausible =
            declared.is_none() && locale.language().len() == 2 && Locale::names_language(&name);
        if announced.contains(&name) || agrees || plausible {
            found.push((name, locale));
        }
    }
    Ok(found)
}

/// The first segment of an address's path, relative or absolute.
fn first_segment(address: &str) -> String {
    let path = match address.split_once("://") {
        Some((_, rest)) => rest.split_once('/').map_or("", |(_, path)| path),
        None => address.trim_start_matches("./").trim_start_matches('/'),
    };
    path.split(['/', '?', '#'])
        .next()
        .unwrap_or_default()
        .to_owned()
}

fn excludes(root: &Path, generator: Option<&Generator>) -> Vec<Proposed> {
    let known = generator
        .map(|generator| generator.leave_out)
        .unwrap_or_default()
        .iter();
    let made = known.filter(|(mark, _, _)| root.join(mark).exists());
    made.map(|(_, rule, reason)| Proposed {
        rule: (*rule).to_owned(),
        reason: (*reason).to_owned(),
    })
    .collect()
}

fn folder_id(folder: &Path) -> String {
    let name = |path: &Path| {
        path.file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default()
    };
    let own = name(folder);
    if OUTPUT_NAMES.contains(&own.as_str()) {
        site_id(&folder.parent().map(name).unwrap_or_default())
    } else {
        site_id(&own)
    }
}

/// Bends a name into a site id.
fn site_id(name: &str) -> String {
    let kept = |character: char| {
        if character.is_ascii_alphanumeric() {
            character.to_ascii_lowercase()
        } else {
            '-'
        }
    };
    let id: String = name.chars().map(kept).take(63).collect();
    let id = id.trim_matches('-').to_owned();
    if SiteId::parse(&id).is_ok() {
        id
    } else {
        "site".to_owned()
    }
}

#[expect(clippy::expect_used, reason = "`en` is a language tag")]
fn english() -> Locale {
    Locale::parse("en").expect("`en` is a language tag")
}
