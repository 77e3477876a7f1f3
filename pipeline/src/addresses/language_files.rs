//! Files that a language has of its own, in place of the source's (R-S25). Pure.
//!
//! An owner names a folder of them (`[site.locale.es] files`), whose files lie in the tree of the language. Or they lie beside the
//! source's with the language in their name: `hero.es.png` beside `hero.png`. Those are pictures, media and documents alone: nobody
//! means a script by that.

use super::links::Links;
use super::public::Base;
use crate::model::{Locale, PagePath};

/// Endings of pictures, media, captions and documents: a language may have one of its own beside the source's.
const ENDINGS: [&str; 45] = [
    "aac", "apng", "avif", "bmp", "doc", "docx", "flac", "gif", "ico", "jpeg", "jpg", "jxl", "m4a", "m4v", "mid",
    "mov", "mp3", "mp4", "mpeg", "odp", "ods", "odt", "oga", "ogg", "ogv", "opus", "pdf", "png", "pps", "ppsx", "ppt",
    "pptx", "rtf", "srt", "svg", "svgz", "tif", "tiff", "vtt", "wav", "weba", "webm", "webp", "xls", "xlsx",
];

impl Links<'_> {
    /// Where readers of a language find a file of the source: its own in place of the source's.
    pub(super) fn file(&self, locale: &Locale, path: PagePath) -> (Base, PagePath) {
        let public = &self.of.public;
        if self.has_own(locale, &path) {
            return (public.base(locale), path);
        }
        let path = self.beside(locale, &path).unwrap_or(path);
        (public.file_base(locale), path)
    }

    /// True if the folder of a language has a file of this path.
    pub(super) fn has_own(&self, locale: &Locale, path: &PagePath) -> bool {
        self.note(path);
        self.of.own_files.get(locale).is_some_and(|files| files.contains_key(path))
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
        let Some((stem, ending)) = language_file(&path) else { return path };
        let labels = self.labels(locale);
        let before = labels.iter().find_map(|label| stem.strip_suffix(label.as_str())?.strip_suffix('.'));
        let source = before.and_then(|before| PagePath::parse(&format!("{before}.{ending}")).ok());
        match source.filter(|source| !self.is_file(&path) && self.is_file(source)) {
            Some(source) => source,
            None => path,
        }
    }

    /// How a language is called in names of files, each spelling once.
    fn labels(&self, locale: &Locale) -> Vec<String> {
        let mut labels = Vec::new();
        for label in [locale.as_str(), self.of.public.label(locale), &locale.as_str().to_lowercase()] {
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
    if is_known && is_plain { Some((stem, ending)) } else { None }
}
