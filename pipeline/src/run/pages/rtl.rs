//! Style sheets for right-to-left languages (R-S26), and the bytes of files that take the place of others.
//!
//! A page that loads a file with `integrity` needs the hash of the file that a language has in its place, so these few are read before
//! anything is rendered. If nothing of the site is made for right-to-left, its owner is told.

use std::collections::BTreeMap;
use std::fs;

use super::other_files::OtherFiles;
use super::references::SiteContext;
use crate::audit::{MANY, StyleFacts};
use crate::config::SiteConfig;
use crate::model::{Direction, Locale, PagePath, rtl_sheets};
use crate::run::context::{Build, blocking};
use crate::run::error::BuildError;
use crate::run::source::sources::{self, Sources};

/// The hashes of style sheets of the source that take the place of others in right-to-left languages.
pub(super) fn sheets_of_site(site: &SiteConfig, sources: &Sources) -> BTreeMap<PagePath, String> {
    let mut sheets = BTreeMap::new();
    for (path, _) in sources.files().filter(|_| site.turns_direction()) {
        for name in rtl_sheets(path.path()) {
            if let Ok(name) = PagePath::parse(&name)
                && let Some(record) = sources.records.get(&name)
            {
                sheets.insert(name, record.hash.to_string());
            }
        }
    }
    sheets
}

/// Reads the files whose hashes pages may need.
pub(super) async fn other_files(
    build: &Build<'_>,
    site: &SiteContext<'_>,
    sources: &Sources,
) -> Result<OtherFiles, BuildError> {
    let mut files = OtherFiles::default();
    for path in sheets_of_site(build.site, sources).into_keys() {
        let Some(record) = sources.records.get(&path) else {
            continue;
        };
        if let Some(bytes) = sources::read_source(build, record).await? {
            files.of_source.insert(path, bytes);
        }
    }
    for (locale, path, file) in site.locale_files.programs_and_sheets() {
        let file = file.to_owned();
        // One that went away is named where it is published.
        if let Ok(bytes) = blocking(move || fs::read(file)).await? {
            files
                .of_languages
                .insert((locale.clone(), path.clone()), bytes.into());
        }
    }
    Ok(files)
}

/// Says that the site's own style sheets know one direction only, if it has a language of the other.
pub(super) async fn notice_of_direction(
    build: &Build<'_>,
    site: &SiteContext<'_>,
    sources: &Sources,
) -> Result<Option<String>, BuildError> {
    let locales = site.texts.iter().map(|texts| &texts.locale);
    let turned: Vec<&str> = locales
        .filter(|locale| locale.direction() == Direction::Rtl)
        .map(Locale::as_str)
        .collect();
    if turned.is_empty() || !build.site.turns_direction() {
        return Ok(None);
    }
    let mut physical = 0;
    let mut first = None;
    for (path, record) in sources
        .files()
        .filter(|(_, record)| &*record.content_type == "text/css")
    {
        let is_rtl = path.path().contains("rtl");
        let Some(bytes) = sources::read_source(build, record).await? else {
            continue;
        };
        let facts = StyleFacts::of(&String::from_utf8_lossy(&bytes));
        if is_rtl || facts.is_logical {
            return Ok(None);
        }
        physical += facts.physical;
        first = first.or(Some(path).filter(|_| facts.physical > 0));
    }
    let Some(first) = first.filter(|_| physical >= MANY) else {
        return Ok(None);
    };
    Ok(Some(format!(
        "the style sheets of the site are made for left-to-right alone ({physical} declarations such as float: left or margin-left; the \
         first in {first}), so pages in {} may look wrong: use logical properties (margin-inline-start, text-align: start), or put a \
         style sheet with -rtl in its name beside each one",
        turned.join(", ")
    )))
}
