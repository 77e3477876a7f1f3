//! The text of a new latimer.toml.

use pipeline::model::Locale;
use pipeline::page::Framework;
use url::Url;

use super::look::{Proposed, SourceFindings};

/// What a host wants of the file.
#[derive(Debug, Default)]
pub(super) struct Wishes {
    /// Pages that a language lacks are shown in the source language.
    pub(super) shows_missing_pages: bool,
    /// The address that the host gives the site.
    pub(super) address: Option<String>,
}

/// Writes the file for a source; without locales, the pseudo-locale that shows what would be translated.
pub(super) fn write(
    source: &str,
    findings: &SourceFindings,
    locales: &[Locale],
    wishes: &Wishes,
) -> String {
    let locales = match locales {
        [] => {
            "[\"en-XA\"] # a pseudo-locale, for trying; add languages, such as \"es\" or \"pt-BR\""
                .to_owned()
        }
        _ => format!(
            "[{}]",
            locales
                .iter()
                .map(|locale| quoted(locale.as_str()))
                .collect::<Vec<_>>()
                .join(", ")
        ),
    };
    let language = if findings.says_language {
        ""
    } else {
        " # a guess: the source was not asked, or does not say"
    };
    let missing = match wishes.shows_missing_pages {
        true => {
            "missing = \"notice\" # the host cannot send readers elsewhere; see docs/publishing.md"
        }
        false => {
            "# missing = \"source307\" # what readers get then: source307, notice, not_found or gone"
        }
    };
    format!(
        "# docs/configuration.md describes each setting. Paths are relative to this file's folder.\n\
         \n\
         [[site]]\n\
         id = {id}\n\
         source = {source}{made}\n\
         source_locale = {source_locale}{language}\n\
         locales = {locales}\n\
         {url}\n\
         translations = \"translations/{{lang}}.po\" # reviewed human translations; they go before any engine\n\
         memory = \"memory/{{lang}}.jsonl\" # machine translations, kept so that nothing is translated twice\n\
         # engine = [\"fx\", \"apertium\"] # tried in order\n\
         # min_translated = 0.5 # share of a page's words below which the page is missing in a language\n\
         {missing}\n\
         # addresses = \"auto\" # /about or /about.html: as the site's canonical links and sitemaps spell it\n\
         {keep}\
         {exclude}\n\
         {crawl}\
         [store]\n\
         objects = \"dist\" # the published pages\n\
         state = \".latimer/state.redb\" # leave this out of version control\n",
        id = quoted(&findings.id),
        source = quoted(source),
        made = findings
            .generator
            .map(|name| format!(" # made by {name}"))
            .unwrap_or_default(),
        source_locale = quoted(findings.source_locale.as_str()),
        url = url(findings, wishes),
        keep = proposed("keep", &findings.keeps).unwrap_or_default(),
        exclude = proposed("exclude", &findings.excludes).unwrap_or_else(|| {
            "# exclude = [\"/internal/**\"] # paths that do not belong to the site\n".to_owned()
        }),
        crawl = if findings.origin.is_some() { CRAWL } else { "" },
    )
}

/// The line of the public address.
fn url(findings: &SourceFindings, wishes: &Wishes) -> String {
    let routes = findings.framework.is_some_and(Framework::has_router);
    match (&findings.origin, &findings.address, &wishes.address) {
        (Some(origin), ..) => format!("url = {} # or with {{lang}} in the host", quoted(&format!("{origin}/{{lang}}"))),
        (None, Some(address), _) => found(address, "the public address that the pages name", routes),
        (None, None, Some(address)) => found(address, "where the host shows this repository", routes),
        (None, None, None) if routes => {
            "# url = \"https://{lang}.example.com\" # the public address: a host for each language, because the \
                           site's scripts go by the path"
                .to_owned()
        }
        (None, None, None) => {
            "# url = \"https://www.example.com/{lang}\" # the public address, for links in the head and sitemaps"
                .to_owned()
        }
    }
}

/// A public address as a pattern, and who said it.
fn found(address: &str, said: &str, routes: bool) -> String {
    let own = Url::parse(address)
        .ok()
        .filter(|url| routes && url.path() == "/")
        .and_then(|url| own_hosts(&url));
    match own {
        Some(hosts) => {
            let why = "a host for each language, because the site's scripts go by the path";
            format!(
                "url = {} # {why}\nsource_url = {} # {said}",
                quoted(&hosts),
                quoted(address)
            )
        }
        None => format!("url = {} # {said}", quoted(&format!("{address}/{{lang}}"))),
    }
}

/// The pattern of a host for each language, where whoever has the address can have such hosts.
fn own_hosts(url: &Url) -> Option<String> {
    let host = url.domain()?;
    let bare = host.strip_prefix("www.").unwrap_or(host);
    let shared = SHARED_HOSTS.iter().any(|suffix| bare.ends_with(suffix));
    (!shared).then(|| format!("{}://{{lang}}.{bare}", url.scheme()))
}

/// Hosts of providers that give a customer one name and nothing below it.
const SHARED_HOSTS: [&str; 9] = [
    ".azurestaticapps.net",
    ".cloudfront.net",
    ".firebaseapp.com",
    ".github.io",
    ".gitlab.io",
    ".netlify.app",
    ".pages.dev",
    ".vercel.app",
    ".web.app",
];

const CRAWL: &str = "[site.crawl]\nmax_pages = 10000\nconcurrency = 8\n# delay_ms = 0 # pause between two requests\n\
                     # max_lost = \"20%\" # a crawl that loses more of the known pages takes none of them away\n\n";

/// A setting with the patterns that are proposed for it, if there are any.
fn proposed(key: &str, patterns: &[Proposed]) -> Option<String> {
    if patterns.is_empty() {
        return None;
    }
    let lines = patterns
        .iter()
        .map(|one| format!("    {}, # {}\n", quoted(&one.rule), one.reason));
    Some(format!("{key} = [\n{}]\n", lines.collect::<String>()))
}

/// A TOML basic string. JSON escapes the same characters in the same way, but for U+007F.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text)
        .to_string()
        .replace('\u{7f}', "\\u007f")
}
