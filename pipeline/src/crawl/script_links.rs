//! The files that a program names (R-S22).

use url::Url;

use super::collector::Collector;
use super::entry::NamedBy;
use super::room::LONGEST_ADDRESS;
use super::scope::{CrawlScope, LinkRole, role_by_name};
use crate::model::PagePath;
use crate::page::{self, Naming};

/// True for a program by its media type, or by its name where the server does not know types.
pub(super) fn is_program(content_type: &str, path: &str) -> bool {
    let subtype = content_type
        .split_once('/')
        .map_or("", |(_, subtype)| subtype);
    matches!(
        subtype,
        "javascript" | "x-javascript" | "ecmascript" | "x-ecmascript"
    ) || (matches!(content_type, "application/octet-stream" | "text/plain")
        && [".js", ".mjs"].iter().any(|ending| path.ends_with(ending)))
}

/// Collects the files that a program at an address names.
pub(super) fn collect(scope: &CrawlScope, program: &Url, body: &[u8], found: &mut Collector) {
    for address in page::script_addresses(body) {
        let Ok(written) = std::str::from_utf8(&body[address.range]) else {
            continue;
        };
        if found.is_full() || written.len() > LONGEST_ADDRESS {
            return;
        }
        let named = match address.naming {
            Naming::Computed => {
                found.note_computed(&PagePath::of_url(program), written.to_owned());
                continue;
            }
            Naming::Module => {
                is_specifier(written).then(|| (program.join(written), LinkRole::File))
            }
            Naming::Beside => role_by_name(written).map(|role| (program.join(written), role)),
            Naming::Root => Some((needed(program, written), LinkRole::File)),
            // A program fetches what it likes: only what is certainly a file is asked for.
            Naming::Page => role_by_name(written).map(|role| (from_page(scope, written), role)),
        };
        let Some((Ok(url), role)) = named else {
            continue;
        };
        let named_by = match address.naming {
            Naming::Page | Naming::Root if !is_absolute(written) => NamedBy::Guess,
            Naming::Module | Naming::Beside | Naming::Page | Naming::Root | Naming::Computed => {
                NamedBy::Script
            }
        };
        found.add_named_by(scope.judge(&url, role), named_by);
    }
}

/// Tells an address from the bare name of a module, which only an import map knows.
fn is_specifier(name: &str) -> bool {
    name.starts_with("./") || name.starts_with("../") || is_absolute(name)
}

fn is_absolute(address: &str) -> bool {
    address.starts_with('/') || address.contains("://")
}

/// An address that counts from the page. The crawl does not know which pages load a program, so they are taken to be where it began.
fn from_page(scope: &CrawlScope, address: &str) -> Result<Url, url::ParseError> {
    scope.start().join(address)
}

/// An entry of Vite's list, such as `assets/a.css`: it counts from the root of the build, in which the program has a folder, too.
fn needed(program: &Url, entry: &str) -> Result<Url, url::ParseError> {
    if is_specifier(entry) {
        return program.join(entry);
    }
    let (own_folder, _) = program.path().rsplit_once('/').unwrap_or_default();
    let (folder, _) = entry.rsplit_once('/').unwrap_or_default();
    let root = own_folder
        .strip_suffix(folder)
        .filter(|root| folder.is_empty() || root.ends_with('/'));
    match root {
        Some(root) => program.join(&format!("{}/{entry}", root.trim_end_matches('/'))),
        None => program.join(&format!("/{entry}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_of_a_build_count_from_its_root_r_s22() {
        for (program, entry, wanted) in [
            (
                "https://h.example/assets/a.js",
                "assets/b.css",
                "/assets/b.css",
            ),
            (
                "https://h.example/app/assets/a.js",
                "assets/b.css",
                "/app/assets/b.css",
            ),
            (
                "https://h.example/app/a.js",
                "assets/b.css",
                "/assets/b.css",
            ),
            ("https://h.example/app/a.js", "b.css", "/app/b.css"),
            ("https://h.example/assets/a.js", "./b.css", "/assets/b.css"),
            (
                "https://h.example/my-assets/a.js",
                "assets/b.css",
                "/assets/b.css",
            ),
        ] {
            let url = needed(&Url::parse(program).unwrap(), entry).unwrap();
            assert_eq!(url.path(), wanted, "{program} {entry}");
        }
    }
}
