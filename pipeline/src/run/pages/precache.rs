//! Service workers that keep pages by lists of the source's, or answer every address with one of them: recognized, and said.

use crate::config::LanguagePlace;
use crate::run::context::Build;
use crate::run::corpus::contents::Corpus;
use crate::run::error::BuildError;
use crate::run::source::sources::{self, Sources};
use crate::state::SourceKind;

/// Names that such programs and their lists have.
const NAMES: [&str; 6] = [
    "sw.js",
    "service-worker.js",
    "serviceworker.js",
    "ngsw.json",
    "firebase-messaging-sw.js",
    "precache-manifest.js",
];

/// The largest that is looked into, in bytes.
const LARGEST: usize = 4 << 20;

/// Says which service workers keep pages by lists of the source's, and which answer other languages with its page.
pub(in crate::run) async fn find_precaches(
    build: &Build<'_>,
    sources: &Sources,
    corpus: &mut Corpus,
) -> Result<(), BuildError> {
    let mut found = Vec::new();
    let mut shells = Vec::new();
    let shares_hosts = build
        .site
        .url
        .as_ref()
        .is_none_or(|url| url.place() == LanguagePlace::Path);
    for (path, record) in sources.of_kind(SourceKind::File) {
        let name = path.path().rsplit('/').next().unwrap_or_default();
        let is_list = name.starts_with("precache-manifest.") && name.ends_with(".js");
        if !is_list && !NAMES.contains(&name) {
            continue;
        }
        let Some(body) = sources::read_source(build, record)
            .await?
            .filter(|body| body.len() <= LARGEST)
        else {
            continue;
        };
        let text = String::from_utf8_lossy(&body);
        found.extend(lists_pages(&text).then(|| path.to_string()));
        shells.extend((shares_hosts && has_shell(&text)).then(|| path.to_string()));
    }
    corpus.notices.extend((!shells.is_empty()).then(|| {
        format!(
            "a service worker answers every address with one page, from a reader's second visit on: {}; it is one for all \
             languages, so that page is the source's; give each language a host of its own by url = \"https://{{lang}}.example.com\"",
            shells.join(", ")
        )
    }));
    corpus.notices.extend((!found.is_empty()).then(|| {
        format!(
            "a service worker keeps pages in the browsers of readers, by a list of the source's pages that stays as it is: \
             {}; those who have it get new words when the source changes, and not before",
            found.join(", ")
        )
    }));
    Ok(())
}

/// Whether a program or its data names pages with their hashes.
fn lists_pages(text: &str) -> bool {
    let names_pages = text.contains(".html\"") || text.contains(".html'");
    let is_made = names_pages
        && ["revision", "precache", "hashTable"]
            .iter()
            .any(|word| text.contains(word));
    is_made || text.split("addAll(").skip(1).any(names_a_page)
}

/// Whether the list at the beginning of a text, as people write it (`["/", "/offline.html"]`), has a page in it.
fn names_a_page(text: &str) -> bool {
    let list = text.split(')').next().unwrap_or_default();
    let literals = list.split(['"', '\'', '`']).skip(1).step_by(2);
    literals
        .into_iter()
        .any(|literal| literal.ends_with('/') || literal.ends_with(".html"))
}

/// Whether a program or its data answers what a reader navigates to with a page that it keeps, as applications do.
fn has_shell(text: &str) -> bool {
    // Workbox has the method in every bundle: only a call of it with a page counts.
    [
        "createHandlerBoundToURL(\"",
        "createHandlerBoundToURL('",
        "\"navigationUrls\"",
    ]
    .iter()
    .any(|word| text.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_pages_are_told_from_programs_without_r_s24() {
        for (text, is_list) in [
            (
                r#"e.precacheAndRoute([{url:"index.html",revision:"f3a"}])"#,
                true,
            ),
            (r#"{"hashTable":{"/index.html":"0a1b"}}"#, true),
            (
                r#"self.addEventListener("push",()=>open("/index.html"))"#,
                false,
            ),
            (
                r#"e.precacheAndRoute([{url:"app.js",revision:null}])"#,
                false,
            ),
            (
                r#"caches.open("v1").then(c => c.addAll(["/app.js", '/offline.html']))"#,
                true,
            ),
            (r#"cache.addAll(["/", "/style.css"])"#, true),
            (r#"cache.addAll(["/app.js"]); fetch("/")"#, false),
        ] {
            assert_eq!(lists_pages(text), is_list, "{text}");
        }
    }

    #[test]
    fn programs_that_answer_every_address_are_told_from_those_that_could() {
        for (text, has) in [
            (
                r#"e.registerRoute(new e.NavigationRoute(e.createHandlerBoundToURL("index.html")))"#,
                true,
            ),
            (
                r#"{"navigationUrls":[{"positive":true,"regex":"^\/.*$"}]}"#,
                true,
            ),
            (
                r#"createHandlerBoundToURL(e){const t=this.getCacheKeyForURL(e)}e.precacheAndRoute([])"#,
                false,
            ),
        ] {
            assert_eq!(has_shell(text), has, "{text}");
        }
    }
}
