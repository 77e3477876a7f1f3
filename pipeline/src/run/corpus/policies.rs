//! What is kept of the policies that servers send with pages: what they say of scripts and style sheets, without what differs in
//! each answer.

use std::collections::BTreeMap;

use url::Url;

use super::contents::Corpus;
use crate::addresses::PublicAddresses;
use crate::config::{Placement, SiteConfig, SwitcherTemplate};
use crate::model::{Locale, PagePath};
use crate::run::report::named::named;
use crate::site_files;

/// Stands for the host of a site whose public address is not known.
const NOWHERE: &str = "http://site.invalid";

/// Names the pages whose policies forbid the style sheet of the switcher that they get (R-S23).
pub(in crate::run) fn notices_of_policies(site: &SiteConfig, corpus: &Corpus) -> Vec<String> {
    let switcher = &site.switcher;
    // Pages without an element that waits get none.
    let has_style = matches!(
        switcher.placement,
        Placement::BodyStart | Placement::BodyEnd
    ) && switcher.template != SwitcherTemplate::Headless;
    let Some(locale) = site.locales.first().filter(|_| has_style) else {
        return Vec::new();
    };
    let public = PublicAddresses::of_site(site);
    let style = public.own_file(locale, locale, &site_files::switcher_style().0);
    let mut forbidden: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for path in corpus.pages_of(locale).map(|(path, _)| path) {
        if corpus.parts.fragments.contains(path) || corpus.parts.framed.contains(path) {
            continue;
        }
        if let Some(directive) = forbidding_style(corpus, &public, locale, path, &style) {
            forbidden
                .entry(directive)
                .or_default()
                .push(path.to_string());
        }
    }
    forbidden
        .into_iter()
        .map(|(directive, pages)| notice(directive, &pages))
        .collect()
}

fn notice(directive: &str, pages: &[String]) -> String {
    format!(
        "the policy (Content-Security-Policy) of these pages forbids the style sheet of the language switcher by `{directive}`, so readers \
         see a plain list; allow 'self' in its style-src: {}",
        named(pages)
    )
}

/// The directive of a page's policies that forbids a style sheet in a language.
fn forbidding_style<'c>(
    corpus: &'c Corpus,
    public: &PublicAddresses,
    locale: &Locale,
    path: &PagePath,
    style: &str,
) -> Option<&'c str> {
    let page = public
        .page(locale, path)
        .unwrap_or_else(|| format!("{NOWHERE}{}", public.path(locale, path)));
    let page = Url::parse(&page).ok()?;
    let style = page.join(style).ok()?;
    let own = corpus
        .scripted
        .get(path)
        .into_iter()
        .flat_map(|page| &page.policies)
        .map(String::as_str);
    let mut policies = own.chain(corpus.served_policies.of(page.path()));
    policies.find_map(|policy| site_files::forbidding_style(policy, &page, &style))
}

/// What policies say of scripts and style sheets.
pub(in crate::run) fn kept_policies(policies: &[String]) -> Vec<String> {
    policies
        .iter()
        .map(|policy| kept(policy))
        .filter(|policy| !policy.is_empty())
        .collect()
}

/// What a policy says of scripts and style sheets, without what differs in each answer.
fn kept(value: &str) -> String {
    let word = |word: &str| match word.starts_with("'nonce-") {
        true => word.rfind('\'').map_or("'nonce-'".to_owned(), |end| {
            format!("'nonce-{}", &word[end..])
        }),
        false => word.to_owned(),
    };
    let is_kept = |directive: &&str| {
        let name = directive
            .split_ascii_whitespace()
            .next()
            .unwrap_or_default()
            .to_ascii_lowercase();
        matches!(
            name.as_str(),
            "default-src"
                | "sandbox"
                | "script-src"
                | "script-src-attr"
                | "script-src-elem"
                | "style-src"
                | "style-src-attr"
                | "style-src-elem"
        )
    };
    let directive = |directive: &str| {
        directive
            .split_ascii_whitespace()
            .map(word)
            .collect::<Vec<_>>()
            .join(" ")
    };
    // Of several policies each is one.
    let policy = |policy: &str| {
        policy
            .split(';')
            .filter(is_kept)
            .map(directive)
            .collect::<Vec<_>>()
            .join("; ")
    };
    site_files::policies(value)
        .map(policy)
        .filter(|policy| !policy.is_empty())
        .collect::<Vec<_>>()
        .join(", ")
}
