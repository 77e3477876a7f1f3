//! Files that are published in the tree of a language, too, because pages there name them by addresses that stay as they are written
//! (R-S22, R-S23): in a style sheet or a script that a policy allows by its hash, for one.
//!
//! Files that such a style sheet or module names in its turn are published with it, because their addresses count from it.

use super::locale_files::LocaleFilesPut;
use super::references::SiteContext;
use crate::addresses::FileCopy;
use crate::model::{Locale, object_name};
use crate::page::{self, Naming};
use crate::run::context::Build;
use crate::run::error::BuildError;
use crate::run::source::sources::{self, Sources};
use crate::store::{Draft, Object, Tree};

/// Puts the files that each language needs in its own tree, among them those that its own files name. Whatever has a name there
/// already keeps it.
pub(super) async fn put_copies(
    build: &Build<'_>,
    site: &SiteContext<'_>,
    sources: &Sources,
    own: &LocaleFilesPut,
    draft: &Draft,
) -> Result<(), BuildError> {
    for locale in site.texts.iter().map(|texts| &texts.locale) {
        let tree = Tree::Locale(locale.clone());
        let mut wanted = of_pages(site, locale);
        for (copy, addresses) in own.get(locale).into_iter().flatten() {
            for address in addresses {
                wanted.extend(site.addresses.copies_for_file(locale, copy, address));
            }
        }
        while let Some(copy) = wanted.pop() {
            let name = object_name(&copy.local, false);
            let shown = site.addresses.file_of(locale, &copy.source);
            let record = sources
                .records
                .get(&shown)
                .filter(|_| !draft.has(&tree, &name));
            let Some(record) = record else { continue };
            let Some(body) = sources::read_source(build, record).await? else {
                draft.keep(&tree, &name).await?;
                continue;
            };
            for address in counted_from(&record.content_type, &body) {
                wanted.extend(site.addresses.copies_for_file(locale, &copy, &address));
            }
            let robots = record.robots.as_deref().map(str::to_owned);
            let object = Object::new(name, copy.local, &record.content_type, body);
            draft.put(&tree, Object { robots, ..object }).await?;
        }
    }
    Ok(())
}

/// The files that pages of a language name.
fn of_pages(site: &SiteContext<'_>, locale: &Locale) -> Vec<FileCopy> {
    let mut copies = Vec::new();
    for (path, facts) in &site.corpus.facts {
        if site.addresses.is_published(locale, path) {
            let base = facts.fixed.base.as_deref();
            for address in &facts.fixed.addresses {
                copies.extend(site.addresses.copies_for_page(locale, path, base, address));
            }
        }
    }
    copies
}

/// Addresses in a file that count from where it lies.
pub(super) fn counted_from(content_type: &str, body: &[u8]) -> Vec<String> {
    let mut addresses: Vec<String> = Vec::new();
    match content_type {
        "text/css" => {
            for range in page::css_addresses(body) {
                addresses.push(page::unescape_css(&String::from_utf8_lossy(&body[range])));
            }
        }
        content_type if content_type.ends_with("javascript") => {
            for found in page::script_addresses(body) {
                let address = String::from_utf8_lossy(&body[found.range]).into_owned();
                match found.naming {
                    Naming::Module if address.starts_with('.') => addresses.push(address),
                    Naming::Beside => addresses.push(address),
                    Naming::Module | Naming::Page | Naming::Root | Naming::Computed => {}
                }
            }
        }
        _ => {}
    }
    addresses.retain(|address| {
        !address.is_empty() && !address.starts_with(['/', '#']) && !address.contains(':')
    });
    addresses
}
