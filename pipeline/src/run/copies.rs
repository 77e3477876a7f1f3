//! Files that are published in the tree of a language, too, because pages there name them by addresses that stay as they are written
//! (R-S22, R-S23): in a style sheet or a script that a policy allows by its hash, for one.
//!
//! What such a style sheet or module names in its turn counts from where it lies, so it comes along.

use super::context::Build;
use super::error::RunError;
use super::references::Site;
use super::sources::Sources;
use crate::addresses::FileCopy;
use crate::model::{Locale, object_name};
use crate::page::{self, Naming};
use crate::publish::{Draft, Object, Tree};
use crate::store::SourceRecord;

impl Build<'_> {
    /// Puts the files that each language needs in its own tree. Whatever has a name there already keeps it.
    pub(super) async fn put_copies(&self, site: &Site<'_>, sources: &Sources, draft: &Draft) -> Result<(), RunError> {
        for locale in site.texts.iter().map(|texts| &texts.locale) {
            let tree = Tree::Locale(locale.clone());
            let mut wanted = of_pages(site, locale);
            while let Some(copy) = wanted.pop() {
                let name = object_name(&copy.local, false);
                let record = sources.records.get(&copy.source).filter(|_| !draft.has(&tree, &name));
                let Some(record) = record else { continue };
                let Some(body) = self.source(record).await? else {
                    draft.keep(&tree, &name).await?;
                    continue;
                };
                for address in counted_from(record, &body) {
                    wanted.extend(site.addresses.copies_for_file(locale, &copy, &address));
                }
                let robots = record.robots.as_deref().map(str::to_owned);
                let object = Object::new(name, copy.local, &record.content_type, body);
                draft.put(&tree, Object { robots, ..object }).await?;
            }
        }
        Ok(())
    }
}

/// The files that pages of a language name.
fn of_pages(site: &Site<'_>, locale: &Locale) -> Vec<FileCopy> {
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
fn counted_from(record: &SourceRecord, body: &[u8]) -> Vec<String> {
    let mut addresses: Vec<String> = Vec::new();
    match &*record.content_type {
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
    addresses.retain(|address| !address.is_empty() && !address.starts_with(['/', '#']) && !address.contains(':'));
    addresses
}
