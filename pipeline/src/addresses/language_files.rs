//! Files that a language has of its own, in place of the source's (R-S25). Pure.
//!
//! An owner names a folder of them (`[site.locale.es] files`), whose files lie in the tree of the language. Or they lie beside the
//! source's with the language in their name: `hero.es.png` beside `hero.png`. Those are pictures, media and documents alone: nobody
//! means a script by that.

use super::links::{Links, join, resolve};
use super::public::PublicBase;
use crate::model::{Direction, Locale, PagePath, added_rtl_sheet, rtl_sheets};
use crate::page::PageLink;

/// Endings of pictures, media, captions and documents: a language may have one of its own beside the source's.
const ENDINGS: [&str; 45] = [
    "aac", "apng", "avif", "bmp", "doc", "docx", "flac", "gif", "ico", "jpeg", "jpg", "jxl", "m4a",
    "m4v", "mid", "mov", "mp3", "mp4", "mpeg", "odp", "ods", "odt", "oga", "ogg", "ogv", "opus",
    "pdf", "png", "pps", "ppsx", "ppt", "pptx", "rtf", "srt", "svg", "svgz", "tif", "tiff", "vtt",
    "wav", "weba", "webm", "webp", "xls", "xlsx",
];

/// A file that takes the place of another in a language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OtherFile {
    /// One of the language's folder.
    OfLanguage(PagePath),
    /// One of the source.
    OfSource(PagePath),
}

impl Links<'_> {
    /// The address of a file for readers of a language, which may have one of its own in place of the source's.
    pub(super) fn file(
        &self,
        locale: &Locale,
        path: PagePath,
        link: &PageLink<'_>,
    ) -> (PublicBase, PagePath) {
        let path = match self.has_own(locale, &path) {
            true => path,
            false => match self
                .beside(locale, &path)
                .or_else(|| self.rtl_sheet(locale, &path, link))
            {
                Some(other) => other,
                None => path,
            },
        };
        self.place(locale, path)
    }

    /// The place of a file, which may be one of a language.
    fn place(&self, locale: &Locale, path: PagePath) -> (PublicBase, PagePath) {
        let public = &self.of.public;
        let is_own = self.has_own(locale, &path);
        (
            if is_own {
                public.base(locale)
            } else {
                public.file_base(locale)
            },
            path,
        )
    }

    /// The file that takes the place of the one that a link of a source page names, in a language; `None` if that one stays.
    pub fn other_file(
        &self,
        locale: &Locale,
        page: &PagePath,
        base: Option<&str>,
        link: &PageLink<'_>,
    ) -> Option<OtherFile> {
        let meant = resolve(&self.of.home, page, base, link)?;
        let path = self.meant(self.on_site(&meant)?);
        if self.has_own(locale, &path) {
            return Some(OtherFile::OfLanguage(path));
        }
        let other = self
            .rtl_sheet(locale, &path, link)
            .filter(|_| self.is_file(&path))?;
        Some(if self.has_own(locale, &other) {
            OtherFile::OfLanguage(other)
        } else {
            OtherFile::OfSource(other)
        })
    }

    /// The address of the style sheet that a version in a right-to-left language loads behind the one of a link (R-S26): `rtl.css`
    /// beside `style.css`, unless the page names it itself.
    pub fn sheet_behind<'s>(
        &self,
        locale: &Locale,
        (page, base): (&PagePath, Option<&str>),
        link: &PageLink<'_>,
        mut sheets: impl Iterator<Item = &'s str>,
    ) -> Option<String> {
        if !self.turns(locale) {
            return None;
        }
        let meant = resolve(&self.of.home, page, base, link)?;
        let path = self.meant(self.on_site(&meant)?);
        let added = PagePath::parse(&added_rtl_sheet(path.path())?).ok()?;
        if !(self.is_file(&added) || self.has_own(locale, &added))
            || self.rtl_sheet(locale, &path, link).is_some()
        {
            return None;
        }
        let named = |address: &str| {
            let url = join(&self.of.home, page, base, address)?;
            self.on_site(&url)
        };
        if sheets.any(|address| named(address).as_ref() == Some(&added)) {
            return None;
        }
        let (base, added) = self.place(locale, added);
        let query = meant
            .query()
            .map(|query| format!("?{query}"))
            .unwrap_or_default();
        Some(
            self.of
                .public
                .written(locale, &base, &format!("{added}{query}")),
        )
    }

    /// The style sheet that takes the place of another in a right-to-left language (R-S26).
    fn rtl_sheet(&self, locale: &Locale, path: &PagePath, link: &PageLink<'_>) -> Option<PagePath> {
        let is_sheet = link.element == "link"
            && link
                .rel
                .iter()
                .any(|rel| matches!(&**rel, "stylesheet" | "preload"));
        if !is_sheet || path.query().is_some() || !self.turns(locale) {
            return None;
        }
        let names = rtl_sheets(path.path()).into_iter();
        let mut sheets = names.filter_map(|name| PagePath::parse(&name).ok());
        sheets.find(|sheet| self.is_file(sheet) || self.has_own(locale, sheet))
    }

    /// True if a language is written in the other direction than the source.
    fn turns(&self, locale: &Locale) -> bool {
        locale.direction() == Direction::Rtl
            && self.of.public.source_locale().direction() == Direction::Ltr
    }

    /// True if the folder of a language has a file of this path.
    pub(super) fn has_own(&self, locale: &Locale, path: &PagePath) -> bool {
        self.note(path);
        self.of
            .own_files
            .get(locale)
            .is_some_and(|files| files.contains_key(path))
    }

    /// The file of a language that lies beside that of the source.
    pub(super) fn beside(&self, locale: &Locale, path: &PagePath) -> Option<PagePath> {
        let (stem, ending) = language_file(path)?;
        for label in self.labels(locale) {
            if let Ok(own) = PagePath::parse(&format!("{stem}.{label}.{ending}"))
                && self.is_file(&own)
            {
                return Some(own);
            }
        }
        None
    }

    /// The file of the source whose place a file of a language took that is gone.
    pub(super) fn without_language(&self, locale: &Locale, path: PagePath) -> PagePath {
        let Some((stem, ending)) = language_file(&path) else {
            return path;
        };
        let labels = self.labels(locale);
        let before = labels
            .iter()
            .find_map(|label| stem.strip_suffix(label.as_str())?.strip_suffix('.'));
        let source = before.and_then(|before| PagePath::parse(&format!("{before}.{ending}")).ok());
        match source.filter(|source| !self.is_file(&path) && self.is_file(source)) {
            Some(source) => source,
            None => path,
        }
    }

    /// Names of a language in file names, each spelling once.
    fn labels(&self, locale: &Locale) -> Vec<String> {
        let mut labels = Vec::new();
        for label in [
            locale.as_str(),
            self.of.public.label(locale),
            &locale.as_str().to_lowercase(),
        ] {
            if !labels.iter().any(|known| known == label) {
                labels.push(label.to_owned());
            }
        }
        labels
    }
}

/// The path before the ending, and the ending, of a file that a language may have of its own beside it.
fn language_file(path: &PagePath) -> Option<(&str, &str)> {
    let (stem, ending) = path.path().rsplit_once('.')?;
    let is_known = ENDINGS.contains(&ending.to_ascii_lowercase().as_str());
    let is_plain = path.query().is_none() && !stem.is_empty() && !stem.ends_with('/');
    if is_known && is_plain {
        Some((stem, ending))
    } else {
        None
    }
}
