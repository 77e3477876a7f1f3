//! Sending readers of `/` to the locale that their browser prefers (`Accept-Language`, RFC 9110 section 12.5.4). Pure.
//!
//! Off unless the site says otherwise. Who is a crawler, comes from the site itself or says `?lang` stays: a crawler
//! shall see every language, and who chose the source language in the switcher meant it. The answer then depends on
//! more than its address, so it is for nobody else's cache.
//!
//! A range finds a locale of the same language in the same script, as likely subtags tell them (`pt` finds `pt-BR`,
//! `zh-TW` finds `zh-Hant`); of several, the one that RFC 4647's lookup finds, else the first.

use hyper::header::{
    ACCEPT_LANGUAGE, CACHE_CONTROL, HeaderMap, HeaderValue, REFERER, USER_AGENT, VARY,
};
use hyper::{Response, StatusCode};
use pipeline::hosts::{CRAWLERS, LanguageAddresses, host_and_path};
use pipeline::model::Locale;
use pipeline::store::{Addressing, Published, Tree};

use super::place::{self, PlacedRequest, RequestSpot};
use super::resolve::ResolvedRedirect;
use super::snapshot::ServedSite;
use crate::Body;
use crate::http::conditions::all;
use crate::http::negotiate::weighted;
use crate::http::target::HttpTarget;

/// So many of a reader's languages are looked at, the dearest first.
const MOST_RANGES: usize = 10;
const HOME: &str = "/";
const FOUND: u16 = 302;

/// What a home page under this rule answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Home {
    /// The source language's page, or whatever is in its place.
    Stays,
    /// The address of the reader's language.
    MovesTo(ResolvedRedirect),
}

/// Applies the rule; `None` where the request is not for the home page of a site that has it.
pub(crate) fn home(sites: &[ServedSite], target: &HttpTarget, asked: &HeaderMap) -> Option<Home> {
    let mut published = sites.iter().filter_map(|site| site.published.as_deref());
    if !target.path.ends_with(HOME)
        || !published.any(|published| published.settings().accept_language)
    {
        return None;
    }
    let Some(PlacedRequest::At(RequestSpot {
        place,
        prefix,
        rest,
    })) = place::of(sites, target)
    else {
        return None;
    };
    let is_home =
        place.locale.is_none() && rest == HOME && place.published.settings().accept_language;
    is_home.then(|| match locale(&place, target, asked) {
        Some(locale) => Home::MovesTo(ResolvedRedirect {
            location: target.with_query(address(&place, prefix, target, locale)),
            status: FOUND,
        }),
        None => Home::Stays,
    })
}

/// Says that an answer of [`home`] depends on who asked.
pub(crate) fn for_one_reader(mut response: Response<Body>) -> Response<Body> {
    let has_bytes = matches!(response.status(), StatusCode::OK | StatusCode::NOT_MODIFIED);
    let cache = if has_bytes {
        "private, max-age=60"
    } else {
        "no-store"
    };
    let headers = response.headers_mut();
    let vary = if headers.contains_key(VARY) {
        "Accept-Encoding, Accept-Language"
    } else {
        "Accept-Language"
    };
    headers.insert(VARY, HeaderValue::from_static(vary));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static(cache));
    response
}

/// The locale that the reader is sent to.
fn locale<'a>(
    place: &LanguageAddresses<'a>,
    target: &HttpTarget,
    asked: &HeaderMap,
) -> Option<&'a Locale> {
    let text = |name| {
        asked
            .get(name)
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default()
    };
    let says_language = target.query.as_deref().is_some_and(|query| {
        query
            .split('&')
            .any(|part| part.split('=').next() == Some("lang"))
    });
    if says_language
        || is_crawler(text(USER_AGENT))
        || is_own_page(place.published, target, text(REFERER))
    {
        return None;
    }
    let settings = place.published.settings();
    let has_home = |locale: &&Locale| {
        place
            .published
            .find(&Tree::Locale((*locale).clone()), HOME)
            .is_some()
    };
    let on = settings
        .locales
        .keys()
        .filter(|locale| settings.is_on(locale) && !locale.is_pseudo())
        .filter(has_home);
    let choices: Vec<&Locale> = std::iter::once(&settings.source_locale).chain(on).collect();
    preferred(&all(asked, &ACCEPT_LANGUAGE)?, &choices)
        .filter(|locale| **locale != settings.source_locale)
}

/// The one of some tags that a reader prefers; the first where none is meant.
pub(crate) fn chosen(accept: Option<&HeaderValue>, tags: &[&'static str]) -> &'static str {
    let known: Vec<Locale> = tags
        .iter()
        .filter_map(|tag| Locale::parse(tag).ok())
        .collect();
    let choices: Vec<&Locale> = known.iter().collect();
    let wanted = accept.and_then(|accept| preferred(accept.to_str().ok()?, &choices));
    let found = wanted.and_then(|wanted| tags.iter().find(|tag| **tag == wanted.as_str()));
    found.or(tags.first()).copied().unwrap_or("en")
}

/// The choice that a list of language ranges prefers. What has the weight 0 is not acceptable, and `*` stands for every
/// choice that no other range names (RFC 9110 section 12.5.4, RFC 4647).
fn preferred<'a>(accept: &str, choices: &[&'a Locale]) -> Option<&'a Locale> {
    let mut ranges: Vec<(u32, &str)> = weighted(accept).collect();
    ranges.sort_by_key(|(weight, _)| std::cmp::Reverse(*weight));
    let dear = ranges
        .iter()
        .take_while(|(weight, _)| *weight > 0)
        .take(MOST_RANGES);
    let dear: Vec<Option<Locale>> = dear
        .filter_map(|(_, range)| {
            if *range == "*" {
                Some(None)
            } else {
                Locale::parse(range).ok().map(Some)
            }
        })
        .collect();
    let refused = ranges
        .iter()
        .rev()
        .take_while(|(weight, _)| *weight == 0)
        .take(MOST_RANGES);
    let refused: Vec<Locale> = refused
        .filter_map(|(_, range)| Locale::parse(range).ok())
        .collect();
    let is_refused = |choice: &Locale| refused.iter().any(|range| begins_with(choice, range));
    let open: Vec<&Locale> = choices
        .iter()
        .copied()
        .filter(|choice| !is_refused(choice))
        .collect();
    let is_named = |choice: &Locale| dear.iter().flatten().any(|range| is_meant(range, choice));
    dear.iter().find_map(|range| match range {
        Some(range) => looked_up(range, &open),
        None => open.iter().copied().find(|choice| !is_named(choice)),
    })
}

/// The choice that a range means: the one that RFC 4647's lookup finds, else the first of the same language and script.
fn looked_up<'a>(range: &Locale, choices: &[&'a Locale]) -> Option<&'a Locale> {
    let of_language: Vec<&'a Locale> = choices
        .iter()
        .copied()
        .filter(|choice| is_meant(range, choice))
        .collect();
    let shortened = range
        .as_str()
        .rmatch_indices('-')
        .map(|(at, _)| &range.as_str()[..at]);
    let mut tags = std::iter::once(range.as_str()).chain(shortened);
    let found = tags.find_map(|tag| of_language.iter().find(|choice| choice.as_str() == tag));
    found.or(of_language.first()).copied()
}

fn is_meant(range: &Locale, choice: &Locale) -> bool {
    choice.language() == range.language() && choice.same_language(range)
}

/// Whether a tag is a range or begins with it, subtag by subtag (RFC 4647, basic filtering).
fn begins_with(tag: &Locale, range: &Locale) -> bool {
    tag.as_str()
        .strip_prefix(range.as_str())
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
}

fn is_crawler(user_agent: &str) -> bool {
    let name = user_agent.to_ascii_lowercase();
    CRAWLERS.iter().any(|part| name.contains(part))
}

/// Whether an address is one of the site's own pages, on this host or on another of its hosts.
fn is_own_page(published: &Published, target: &HttpTarget, address: &str) -> bool {
    let Some((host, path)) = host_and_path(address) else {
        return false;
    };
    let host = host.to_ascii_lowercase();
    let path = path
        .split(['?', '#'])
        .next()
        .filter(|path| !path.is_empty())
        .unwrap_or(HOME)
        .to_owned();
    host == target.host
        || place::on_own_host(
            published,
            &HttpTarget {
                host,
                path,
                query: None,
            },
        )
        .is_some()
}

/// Where a locale's home page is: on this host if the pattern has no other, and always on a loopback host.
fn address(
    place: &LanguageAddresses<'_>,
    prefix: &str,
    target: &HttpTarget,
    locale: &Locale,
) -> String {
    let label = place.published.settings().label(locale);
    let is_loopback = place::loopback(target.host_name()).is_some();
    match place.published.addressing().filter(|_| !is_loopback) {
        Some(Addressing::Host {
            scheme,
            before,
            after,
        }) => format!("{scheme}://{before}{label}{after}/"),
        Some(Addressing::Path { scheme, host, base }) if !place::same_host(host, target) => {
            format!("{scheme}://{host}{base}/{label}/")
        }
        Some(Addressing::Path { .. }) | None => format!("{prefix}/{label}/"),
    }
}
