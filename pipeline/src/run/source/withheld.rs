//! Notices about files of a source folder that were left out, because the configuration names them or they may be secret.

use crate::config::SiteConfig;
use crate::crawl::{Withheld, WithheldBecause};
use crate::run::report::named::named;

/// The notices, at most one of each kind.
pub(in crate::run) fn notices(site: &SiteConfig, withheld: &[Withheld]) -> Vec<String> {
    let mut own = Vec::new();
    let mut secret = Vec::new();
    let mut programs = Vec::new();
    for Withheld { path, because } in withheld {
        match because {
            WithheldBecause::Named(key) => own.push(format!("{path} ({key})")),
            WithheldBecause::Secret => secret.push(path.to_string()),
            WithheldBecause::Program => programs.push(path.to_string()),
        }
    }
    let mut notices = Vec::new();
    if !own.is_empty() {
        notices.push(format!(
            "files of the source folder are not published, because the configuration names them: {}; `exclude` them to be \
             told no more",
            named(&own)
        ));
    }
    if let Some(first) = secret.first() {
        let rest = if site.paths.written().0.is_empty() {
            "\"/**\", "
        } else {
            "…, "
        };
        notices.push(format!(
            "files of the source folder are not published, because such files usually hold secrets: {}; to publish one, name \
             it, such as include = [{rest}\"{first}\"], else move or `exclude` it",
            named(&secret)
        ));
    }
    if let Some(first) = programs.first() {
        notices.push(format!(
            "files of the source folder are not published, because they are programs that a server runs (PHP, ASP, JSP): {}; crawl the \
             site instead of its folder to have their pages, or `exclude` them to be told no more, such as exclude = [\"{first}\"]",
            named(&programs)
        ));
    }
    notices
}
