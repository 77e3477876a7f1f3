//! Whose a place is: a small file that names the target and the site, so that no site takes the files of another.
//!
//! It lies among the files of a folder or bucket, and beside the releases of one.

use super::wanted::{SendRank, WantedFile, What};
use crate::config::{FolderLayout, PublishConfig, PublishTo};
use crate::store::FileAttributes;

/// The name of that file.
pub(super) const MARK: &str = ".latimer-target";
const OF: &str = " of ";
const AT: &str = " at ";

/// The file for a target, where it lies among the others; `url` is the site's pattern of addresses.
pub(super) fn item(target: &PublishConfig, url: Option<&str>) -> Option<WantedFile> {
    let is_among = matches!(
        target.to,
        PublishTo::Folder {
            layout: FolderLayout::Plain,
            ..
        } | PublishTo::Bucket { .. }
    );
    let text = text(target, url);
    let about = FileAttributes {
        content_type: "text/plain; charset=utf-8".to_owned(),
        cache: "no-store".to_owned(),
        language: None,
        encoding: None,
    };
    is_among.then(|| WantedFile {
        size: u64::try_from(text.len()).unwrap_or(u64::MAX),
        hash: blake3::hash(text.as_bytes()).to_hex().to_string(),
        what: What::Text(text.into()),
        rank: SendRank::Mark,
        about,
    })
}

/// What the file says.
pub(super) fn text(target: &PublishConfig, url: Option<&str>) -> String {
    format!(
        "{}{}\n",
        owner(target),
        url.map(|url| format!("{AT}{url}")).unwrap_or_default()
    )
}

/// Whether a mark names this target.
pub(super) fn is_of_target(said: &str, target: &PublishConfig) -> bool {
    said.trim_end().split(AT).next() == Some(owner(target).as_str())
}

/// The target and its site.
pub(super) fn owner(target: &PublishConfig) -> String {
    format!("{}{OF}{}", target.name, target.site)
}

/// Whether what a mark says may be about this site: its name, and its addresses where both are known and nothing remembers
/// this place.
pub(super) fn is_ours(said: &str, target: &PublishConfig, url: Option<&str>) -> bool {
    let (who, at) = said
        .trim_end()
        .split_once(AT)
        .map_or((said.trim_end(), None), |(who, at)| (who, Some(at)));
    let is_site = who
        .split_once(OF)
        .is_some_and(|(_, site)| site == target.site.as_str());
    is_site && at.is_none_or(|at| url.is_none_or(|url| url == at))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::model::{Host, RedirectBy, SiteId};

    #[test]
    fn a_mark_is_ours_by_its_site_and_by_addresses_that_both_know() {
        let target = PublishConfig {
            name: "live".parse().unwrap(),
            site: SiteId::parse("bakery").unwrap(),
            to: PublishTo::Folder {
                folder: "www".into(),
                layout: FolderLayout::Plain,
            },
            host: Host::Plain,
            redirects: RedirectBy::Host,
            keep: Duration::ZERO,
            page_cache: String::new(),
            after_run: false,
        };
        let url = Some("https://a.example/{lang}");
        for (said, url, expected) in [
            ("live of bakery", url, true),
            ("once-1 of bakery\n", url, true),
            ("live of bakery at https://a.example/{lang}\n", url, true),
            ("live of bakery at https://a.example/{lang}\n", None, true),
            ("live of bakery at https://b.example/{lang}\n", url, false),
            ("live of shop at https://a.example/{lang}\n", url, false),
            ("rubbish", url, false),
        ] {
            assert_eq!(is_ours(said, &target, url), expected, "{said}");
        }
    }
}
