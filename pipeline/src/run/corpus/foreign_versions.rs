//! Versions of pages that the author names and Latimer does not make (S2): another region's site, or a language that is
//! translated elsewhere. Heads and sitemaps of every version go on naming them.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use url::Url;

use crate::addresses::Addresses;
use crate::config::SiteConfig;
use crate::model::{Claimed, Claims, Locale, PagePath};
use crate::run::report::named::named;
use crate::run::source::claimed::made;

/// The tag for readers of none of the languages.
const X_DEFAULT: &str = "x-default";

/// Tag and address in full of each version, by the page.
pub(super) type ForeignVersions = BTreeMap<PagePath, Vec<(String, String)>>;

/// Foreign versions of all pages, and the notices about them.
#[derive(Default)]
pub(in crate::run) struct ForeignVersionDecisions {
    pub(in crate::run) versions: ForeignVersions,
    pub(in crate::run) notices: Vec<String>,
}

/// Decides about the alternate links of all pages; a site without a public address keeps its own as they are.
pub(in crate::run) fn decide(
    claims: &BTreeMap<PagePath, Claims>,
    site: &SiteConfig,
    (addresses, singles): (&Addresses, &BTreeMap<PagePath, Option<Locale>>),
    own_origins: &BTreeSet<String>,
) -> ForeignVersionDecisions {
    let public = addresses.public();
    let mut versions = ForeignVersions::new();
    let mut invalid = BTreeSet::new();
    let mut rivals = Vec::new();
    for (path, claims) in claims
        .iter()
        .filter(|(path, _)| !singles.contains_key(*path))
    {
        let mut kept: Vec<(String, String)> = Vec::new();
        for (tag, claimed) in &claims.alternates {
            let locale = match tag.eq_ignore_ascii_case(X_DEFAULT) {
                true if site.x_default.is_some() => continue,
                true => None,
                false => match Locale::parse(tag) {
                    Ok(locale) => Some(locale),
                    Err(_) => {
                        invalid.insert(format!("{tag:?} ({path})"));
                        continue;
                    }
                },
            };
            let claimed = of_site(claimed, own_origins, addresses);
            let address = match &*claimed {
                Claimed::Own => public.page(public.source_locale(), path),
                Claimed::Page(page) => public.page(public.source_locale(), page),
                Claimed::Elsewhere(address) => Some(address.clone()),
            };
            let Some(address) = address else { continue };
            if let Some(own) = locale.as_ref().and_then(|locale| made(site, locale)) {
                if matches!(*claimed, Claimed::Elsewhere(_)) && *own != site.source_locale {
                    rivals.extend(
                        public
                            .page(own, path)
                            .map(|ours| format!("{own}: {address} and {ours}")),
                    );
                }
                continue;
            }
            if !kept
                .iter()
                .any(|(other, _)| other.eq_ignore_ascii_case(tag))
            {
                kept.push((tag.clone(), address));
            }
        }
        if !kept.is_empty() {
            versions.insert(path.clone(), kept);
        }
    }
    ForeignVersionDecisions {
        versions,
        notices: notices(invalid, &rivals),
    }
}

/// The claim with a page of the site in place of its address on a host that is the site itself.
fn of_site<'c>(
    claimed: &'c Claimed,
    own_origins: &BTreeSet<String>,
    addresses: &Addresses,
) -> Cow<'c, Claimed> {
    if let Claimed::Elsewhere(address) = claimed
        && let Ok(url) = Url::parse(address)
        && own_origins.contains(&url.origin().ascii_serialization())
    {
        let page = addresses.meant(PagePath::of_url(&url));
        if addresses.is_page(&page) {
            return Cow::Owned(Claimed::Page(page));
        }
    }
    Cow::Borrowed(claimed)
}

fn notices(invalid: BTreeSet<String>, rivals: &[String]) -> Vec<String> {
    let mut notices = Vec::new();
    if !invalid.is_empty() {
        let tags: Vec<String> = invalid.into_iter().collect();
        notices.push(format!(
            "alternate links of the source name no language, so they are left out (hreflang takes tags such as \"pt-BR\"): {}",
            named(&tags)
        ));
    }
    if !rivals.is_empty() {
        notices.push(format!(
            "the source names versions on another host in languages that are made here too, so two sites would compete; only \
             ours are named. Take the language out of `locales`, or the link out of the source: {}",
            named(rivals)
        ));
    }
    notices
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The alternate links that a page at `/a/` gets for those that its author wrote.
    #[track_caller]
    fn check(more: &str, written: &[(&str, Claimed)], expected: &[(&str, &str)], notices: usize) {
        let text = format!(
            "[[site]]\nid = \"a\"\nsource = \"src\"\nsource_locale = \"en\"\nlocales = [\"es-419\", \"fr\"]\n\
             url = \"https://www.example.com/{{lang}}\"\n{more}"
        );
        let config =
            crate::config::Config::parse(&text, std::path::Path::new("/x/latimer.toml"), &|_| None)
                .unwrap();
        let alternates = written
            .iter()
            .map(|(tag, claimed)| ((*tag).to_owned(), claimed.clone()))
            .collect();
        let path = PagePath::parse("/a/").unwrap();
        let addresses = Addresses::new(&config.sites[0], crate::addresses::CrawledSite::default());
        let claims = BTreeMap::from([(
            path.clone(),
            Claims {
                canonical: None,
                alternates,
            },
        )]);
        let decided = decide(
            &claims,
            &config.sites[0],
            (&addresses, &BTreeMap::new()),
            &BTreeSet::new(),
        );
        let found: Vec<_> = decided.versions.get(&path).into_iter().flatten().collect();
        let found: Vec<_> = found
            .iter()
            .map(|(tag, address)| (tag.as_str(), address.as_str()))
            .collect();
        assert_eq!(
            (found.as_slice(), decided.notices.len()),
            (expected, notices),
            "{:?}",
            decided.notices
        );
    }

    fn elsewhere(address: &str) -> Claimed {
        Claimed::Elsewhere(address.to_owned())
    }

    #[test]
    fn versions_that_others_make_stay_r_s2() {
        let uk = "https://example.co.uk/a/";
        let own = "https://www.example.com/a/";
        check(
            "",
            &[("en-GB", elsewhere(uk)), ("x-default", Claimed::Own)],
            &[("en-GB", uk), ("x-default", own)],
            0,
        );
        check(
            "x_default = \"fr\"\n",
            &[("X-Default", Claimed::Own)],
            &[],
            0,
        );
        // Languages of this site are named by what is published, however the tag is written.
        check(
            "",
            &[
                ("EN", Claimed::Own),
                ("fr", Claimed::Own),
                ("ES-419", Claimed::Own),
                ("es", Claimed::Own),
            ],
            &[],
            0,
        );
        check("", &[("fr", elsewhere("https://example.fr/a/"))], &[], 1);
        check("", &[("en", elsewhere("https://en.example.org/"))], &[], 0);
        check(
            "",
            &[("english", elsewhere(uk)), ("en_GB", elsewhere(uk))],
            &[],
            1,
        );
        // The first of two counts, and a page of the site is named in full.
        let german = Claimed::Page(PagePath::parse("/de/a/").unwrap());
        check(
            "",
            &[("de", german), ("DE", elsewhere(uk))],
            &[("de", "https://www.example.com/de/a/")],
            0,
        );
    }
}
