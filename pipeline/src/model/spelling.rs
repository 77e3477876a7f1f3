//! Spellings of the addresses of pages: `about.html` may be `/about.html`, `/about` or `/about/` to readers (R-S7).

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use url::Url;

use super::PagePath;

/// The ending of pages that hosts leave out of addresses.
const ENDING: &str = ".html";

/// How the addresses of a site spell its pages. Pages are told apart by their paths in the source, whatever their addresses are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Spelling {
    /// The form of `about.html`.
    pub files: FileForm,
    /// The form of `docs/index.html`.
    pub folders: FolderForm,
}

/// The address of a page that lies in a file of its own name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FileForm {
    /// `/about.html`
    #[default]
    Ending,
    /// `/about`
    Bare,
    /// `/about/`
    Slash,
}

/// The address of a page that is the index of a folder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FolderForm {
    /// `/docs/`
    #[default]
    Slash,
    /// `/docs`
    Bare,
}

impl Spelling {
    /// True if pages have the addresses that their paths are.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// The path in the public address of a page.
    pub fn public(self, page: &PagePath) -> Cow<'_, PagePath> {
        let text = page.path();
        let written = match (stem(text), self.files, self.folders) {
            (Some(stem), FileForm::Bare, _) => stem.to_owned(),
            (Some(stem), FileForm::Slash, _) => format!("{stem}/"),
            (None, _, FolderForm::Bare) if text.len() > 1 && text.ends_with('/') => {
                text.trim_end_matches('/').to_owned()
            }
            (Some(_), FileForm::Ending, _) | (None, _, _) => return Cow::Borrowed(page),
        };
        let written = match page.query() {
            Some(query) => format!("{written}?{query}"),
            None => written,
        };
        PagePath::parse(&written).map_or(Cow::Borrowed(page), Cow::Owned)
    }
}

/// The path of a page in a file of its own name, without the ending. `None` for indexes of folders and anything else.
pub(crate) fn stem(path: &str) -> Option<&str> {
    let stem = path.strip_suffix(ENDING)?;
    let name = stem.rsplit('/').next().unwrap_or_default();
    if name.is_empty() || name == "index" {
        None
    } else {
        Some(stem)
    }
}

/// The most links without an ending that are remembered of a page.
const MOST_BARE: usize = 4;

/// How a page of the source spells addresses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct AddressForms {
    /// The form in which the page names its own address as the canonical one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub canonical: Option<FileForm>,
    /// True if a link names a page by its file, with the ending.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub links_with_ending: bool,
    /// Marks of the paths of its first links without an ending; 0 stands for none.
    #[serde(skip_serializing_if = "is_zero")]
    pub bare_links: [u32; MOST_BARE],
}

impl AddressForms {
    /// Its bytes in a row.
    pub const LENGTH: usize = 2 + 4 * MOST_BARE;

    /// True if the page says nothing of addresses.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// Notes the address that a page at `path` names as its canonical one. The host does not count, and neither does what lies before
    /// the path: it may be published below a folder.
    pub fn note_canonical(&mut self, path: &PagePath, address: &str) {
        let Some(named) = resolve(path, address) else {
            return;
        };
        let named = named.path();
        let own = path.path();
        let stem = stem(own).or_else(|| own.strip_suffix('/')).unwrap_or(own);
        self.canonical = if stem.is_empty() {
            None
        } else if named.ends_with(stem) {
            Some(FileForm::Bare)
        } else if named.ends_with(&format!("{stem}/")) {
            Some(FileForm::Slash)
        } else if named.ends_with(own) {
            Some(FileForm::Ending)
        } else {
            None
        };
    }

    /// Notes an address that a link of a page at `path` names, if it names no host.
    pub fn note_link(&mut self, path: &PagePath, address: &str) {
        if address.starts_with(['#', '?']) || address.contains("//") || address.is_empty() {
            return;
        }
        let Some(named) = resolve(path, address) else {
            return;
        };
        let text = named.path();
        let name = text.rsplit('/').next().unwrap_or_default();
        if stem(text).is_some() {
            self.links_with_ending = true;
        } else if !name.is_empty() && !name.contains('.') {
            let mark = mark(text);
            if !self.bare_links.contains(&mark)
                && let Some(free) = self.bare_links.iter_mut().find(|known| **known == 0)
            {
                *free = mark;
            }
        }
    }

    /// Its bytes.
    pub fn to_bytes(self) -> Vec<u8> {
        let canonical = match self.canonical {
            None => 0,
            Some(FileForm::Ending) => 1,
            Some(FileForm::Bare) => 2,
            Some(FileForm::Slash) => 3,
        };
        let mut bytes = vec![canonical, u8::from(self.links_with_ending)];
        for mark in self.bare_links {
            bytes.extend(mark.to_le_bytes());
        }
        bytes
    }

    /// The forms of some bytes; `None` if they are none.
    pub fn of_bytes(bytes: &[u8; Self::LENGTH]) -> Option<Self> {
        let (&[canonical, links], marks) = bytes.split_first_chunk()?;
        let canonical = match canonical {
            0 => None,
            1 => Some(FileForm::Ending),
            2 => Some(FileForm::Bare),
            3 => Some(FileForm::Slash),
            _ => return None,
        };
        let (marks, _) = marks.as_chunks::<4>();
        let bare_links = *marks.first_chunk::<MOST_BARE>()?;
        Some(Self {
            canonical,
            links_with_ending: links != 0,
            bare_links: bare_links.map(u32::from_le_bytes),
        })
    }
}

/// Stands for a path without an ending; never 0.
pub(crate) fn mark(path: &str) -> u32 {
    blake3::hash(path.as_bytes())
        .as_bytes()
        .first_chunk()
        .map_or(1, |bytes| u32::from_le_bytes(*bytes))
        .max(1)
}

fn is_zero(marks: &[u32; MOST_BARE]) -> bool {
    *marks == [0; MOST_BARE]
}

fn resolve(path: &PagePath, address: &str) -> Option<PagePath> {
    let here = Url::parse("http://site.invalid")
        .ok()?
        .join(path.as_str())
        .ok()?;
    let named = here
        .join(address)
        .ok()
        .filter(|named| matches!(named.scheme(), "http" | "https"))?;
    Some(PagePath::of_url(&named))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> PagePath {
        PagePath::parse(text).unwrap()
    }

    #[test]
    fn pages_are_spelled_as_the_site_does_r_s7() {
        let spelling = |files, folders| Spelling { files, folders };
        for (page, ending, bare, slash, bare_folders) in [
            (
                "/about.html",
                "/about.html",
                "/about",
                "/about/",
                "/about.html",
            ),
            (
                "/docs/a.html?page=2",
                "/docs/a.html?page=2",
                "/docs/a?page=2",
                "/docs/a/?page=2",
                "/docs/a.html?page=2",
            ),
            ("/docs/", "/docs/", "/docs/", "/docs/", "/docs"),
            ("/", "/", "/", "/", "/"),
            (
                "/a/index.html",
                "/a/index.html",
                "/a/index.html",
                "/a/index.html",
                "/a/index.html",
            ),
            (
                "/about.htm",
                "/about.htm",
                "/about.htm",
                "/about.htm",
                "/about.htm",
            ),
            ("/about", "/about", "/about", "/about", "/about"),
        ] {
            let page = path(page);
            let [slash_folders, bare_folder] = [FolderForm::Slash, FolderForm::Bare];
            assert_eq!(
                spelling(FileForm::Ending, slash_folders)
                    .public(&page)
                    .as_str(),
                ending
            );
            assert_eq!(
                spelling(FileForm::Bare, slash_folders)
                    .public(&page)
                    .as_str(),
                bare
            );
            assert_eq!(
                spelling(FileForm::Slash, slash_folders)
                    .public(&page)
                    .as_str(),
                slash
            );
            assert_eq!(
                spelling(FileForm::Ending, bare_folder)
                    .public(&page)
                    .as_str(),
                bare_folders
            );
        }
    }

    #[test]
    fn canonical_addresses_tell_the_spelling_r_s7() {
        for (page, canonical, expected) in [
            (
                "/about.html",
                "https://www.example.com/about",
                Some(FileForm::Bare),
            ),
            (
                "/about.html",
                "https://example.com/docs/about/",
                Some(FileForm::Slash),
            ),
            ("/about.html", "about.html?x=1", Some(FileForm::Ending)),
            ("/about.html", "/team", None),
            (
                "/docs/",
                "https://www.example.com/docs",
                Some(FileForm::Bare),
            ),
            ("/docs/", "/docs/", Some(FileForm::Slash)),
            ("/", "https://www.example.com/", None),
        ] {
            let mut forms = AddressForms::default();
            forms.note_canonical(&path(page), canonical);
            assert_eq!(forms.canonical, expected, "{page} {canonical}");
        }
    }

    #[test]
    fn links_tell_the_spelling_where_nothing_else_does_r_s7() {
        let mut forms = AddressForms::default();
        let links = [
            "#top",
            "mailto:a@example.com",
            "https://example.com/x.html",
            "/",
            "img.png",
            "../about",
            "/a",
            "/a",
        ];
        links
            .iter()
            .for_each(|link| forms.note_link(&path("/docs/x.html"), link));
        assert_eq!(
            (forms.links_with_ending, forms.bare_links),
            (false, [mark("/about"), mark("/a"), 0, 0])
        );
        forms.note_link(&path("/"), "b.html");
        assert!(forms.links_with_ending);
        let bytes = forms.to_bytes();
        assert_eq!(
            AddressForms::of_bytes(bytes.as_slice().try_into().unwrap()),
            Some(forms)
        );
    }
}
