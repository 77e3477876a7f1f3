//! Folders of the source that are called like a language: `/es/`. The author's own versions lie there (R-S15), or pages that have nothing
//! to do with the language (R-S16).

use crate::addresses::PublicAddresses;
use crate::config::{LanguagePlace, SiteConfig};
use crate::model::{Locale, PagePath};

/// Folders of the source that are called like a language.
pub(in crate::run) struct LanguageFolders<'s> {
    site: &'s SiteConfig,
    public: PublicAddresses,
}

impl<'s> LanguageFolders<'s> {
    pub(in crate::run) fn of(site: &'s SiteConfig) -> Self {
        Self {
            site,
            public: PublicAddresses::of_site(site),
        }
    }

    /// The locale in whose folder a path of the source lies, and the path that a version there has in the locale.
    pub(in crate::run) fn find(&self, path: &PagePath) -> Option<(&'s Locale, PagePath)> {
        self.site
            .locales
            .iter()
            .find_map(|locale| Some((locale, self.local(locale, path)?)))
    }

    fn local(&self, locale: &Locale, path: &PagePath) -> Option<PagePath> {
        if !self.has_hosts() {
            return self.public.at_source_path(locale, path);
        }
        let rest = path.as_str().strip_prefix('/')?;
        let at = rest.find('/')?;
        let (folder, rest) = rest.split_at_checked(at)?;
        let is_own = [self.site.label(locale), locale.as_str()]
            .iter()
            .any(|own| own.eq_ignore_ascii_case(folder));
        if is_own {
            PagePath::parse(rest).ok()
        } else {
            None
        }
    }

    /// True if each language has a host of its own, so that no version has the address of a source page.
    pub(in crate::run) fn has_hosts(&self) -> bool {
        self.site
            .url
            .as_ref()
            .is_some_and(|url| url.place() == LanguagePlace::Host)
    }
}
