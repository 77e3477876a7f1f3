//! Files that a language needs in its own tree, because something there names them by an address that stays as it is written
//! (R-S22, R-S23). Pure.

use super::Addresses;
use super::links::{inside, join};
use crate::model::{Locale, PagePath};

/// A file in the tree of a language.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FileCopy {
    /// Its path there.
    pub local: PagePath,
    /// Its path in the source.
    pub source: PagePath,
}

impl Addresses {
    /// The files that the version of a page asks for in its own tree by an address that stays as it is written: one, or all of a
    /// folder. Empty if the version finds them where they lie.
    pub fn copies_for_page(
        &self,
        locale: &Locale,
        page: &PagePath,
        base: Option<&str>,
        address: &str,
    ) -> Vec<FileCopy> {
        let local = self.public.slugs().local(locale, page).into_owned();
        self.copies(
            locale,
            &FileCopy {
                local,
                source: page.clone(),
            },
            base,
            address,
        )
    }

    /// The same for a file that is in the tree of a language already.
    pub fn copies_for_file(
        &self,
        locale: &Locale,
        file: &FileCopy,
        address: &str,
    ) -> Vec<FileCopy> {
        self.copies(locale, file, None, address)
    }

    fn copies(
        &self,
        locale: &Locale,
        from: &FileCopy,
        base: Option<&str>,
        address: &str,
    ) -> Vec<FileCopy> {
        let tree = self.public.base(locale);
        let links = self.links();
        let source =
            join(&self.home, &from.source, base, address).and_then(|meant| links.on_site(&meant));
        let local = join(&tree, &from.local, base, address).and_then(|now| inside(&tree, &now));
        let (Some(source), Some(local)) = (source, local) else {
            return Vec::new();
        };
        if tree == self.public.file_base(locale) && source == local {
            return Vec::new();
        }
        if !source.path().ends_with('/') {
            let is_free = self.files.contains(&source) && !self.has_page_at(locale, &local);
            return if is_free {
                vec![FileCopy { local, source }]
            } else {
                Vec::new()
            };
        }
        let mut copies = Vec::new();
        for file in self.files.range(source.clone()..) {
            let Some(rest) = file.as_str().strip_prefix(source.as_str()) else {
                break;
            };
            if let Ok(local) = PagePath::parse(&format!("{local}{rest}"))
                && !self.has_page_at(locale, &local)
            {
                copies.push(FileCopy {
                    local,
                    source: file.clone(),
                });
            }
        }
        copies
    }

    /// True if a page or document of a language lies at a path of its tree.
    fn has_page_at(&self, locale: &Locale, local: &PagePath) -> bool {
        let slugs = self.public.slugs();
        slugs.source(locale, local).is_some()
            || (self.is_published(locale, local) && *slugs.local(locale, local) == *local)
    }
}
