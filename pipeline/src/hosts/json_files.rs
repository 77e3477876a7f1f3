//! The JSON files of Vercel, Firebase Hosting and Azure Static Web Apps.

use serde_json::{Map, Value, json};

use super::caching::FOR_EVER;
use super::facts::{HostFacts, HostFile};
use super::listed::{RedirectLine, answered, is_pattern, spelled};
use super::writing::decoded;
use crate::model::Host;

/// The file of such a host.
pub(super) fn files(host: Host, facts: &HostFacts<'_>, lines: &[RedirectLine]) -> Vec<HostFile> {
    let (name, value) = match host {
        Host::Vercel => ("vercel.json", vercel(facts, lines)),
        Host::Firebase => ("firebase.json", firebase(facts, lines)),
        _ => ("staticwebapp.config.json", azure(facts, lines)),
    };
    // What was just made of strings can be written.
    let text = serde_json::to_string_pretty(&value).unwrap_or_default();
    vec![HostFile {
        name: name.to_owned(),
        is_beside: false,
        text: format!("{text}\n"),
    }]
}

fn vercel(facts: &HostFacts<'_>, lines: &[RedirectLine]) -> Value {
    let redirect = |line: &RedirectLine| {
        let (from, to) = match line.is_pattern {
            true => (
                format!("{}:path*", pattern(&line.from)),
                format!("{}:path*", line.to),
            ),
            false => (pattern(&line.from), line.to.clone()),
        };
        json!({ "source": from, "destination": to, "statusCode": line.status })
    };
    let headers = headers(Host::Vercel, facts)
        .into_iter()
        .map(|(path, headers)| json!({ "source": pattern(&path), "headers": headers }));
    json!({
        "$schema": "https://openapi.vercel.sh/vercel.json",
        "cleanUrls": facts.has_clean_pages(),
        "redirects": lines.iter().map(redirect).collect::<Vec<_>>(),
        "headers": headers.collect::<Vec<_>>(),
    })
}

/// A path in which nothing is a parameter.
fn pattern(path: &str) -> String {
    let mut text = String::new();
    for c in path.chars() {
        if matches!(
            c,
            ':' | '(' | ')' | '*' | '+' | '?' | '{' | '}' | '[' | ']' | '!' | '.'
        ) {
            text.push('\\');
        }
        text.push(c);
    }
    text
}

fn firebase(facts: &HostFacts<'_>, lines: &[RedirectLine]) -> Value {
    let redirect = |line: &RedirectLine| {
        // It encodes again what it leads to; what cannot be written has been refused.
        let from = spelled(Host::Firebase, &line.from).unwrap_or_default();
        let to = decoded(&line.to);
        let (from, to) = match line.is_pattern {
            true => (format!("{from}:path*"), format!("{to}:path")),
            false => (from, to),
        };
        json!({ "source": from, "destination": to, "type": line.status })
    };
    let headers = headers(Host::Firebase, facts)
        .into_iter()
        .map(|(path, headers)| json!({ "source": path, "headers": headers }));
    json!({ "hosting": {
        "public": ".",
        "ignore": ["firebase.json"],
        "cleanUrls": facts.has_clean_pages(),
        "redirects": lines.iter().map(redirect).collect::<Vec<_>>(),
        "headers": headers.collect::<Vec<_>>(),
    } })
}

fn azure(facts: &HostFacts<'_>, lines: &[RedirectLine]) -> Value {
    let redirect = |line: &RedirectLine| json!({ "route": line.from, "redirect": line.to, "statusCode": line.status });
    let mut value = json!({
        "globalHeaders": { "X-Content-Type-Options": "nosniff", "Cache-Control": facts.page_cache },
        "mimeTypes": facts.types().into_iter().map(|(ending, kind)| (format!(".{ending}"), kind.into())).collect::<Map<_, _>>(),
        "routes": lines.iter().map(redirect).collect::<Vec<_>>(),
    });
    let source = facts
        .root
        .spots
        .iter()
        .find(|spot| spot.place.locale.is_none());
    if let Some(page) = source.and_then(|spot| facts.error_page(spot)) {
        value["responseOverrides"] = json!({ "404": { "rewrite": format!("/{page}") } });
    }
    value
}

/// Headers of single files, in the form that two of the hosts share.
fn headers(host: Host, facts: &HostFacts<'_>) -> Vec<(String, Vec<Value>)> {
    let header = |key: &str, value: &str| json!({ "key": key, "value": value });
    let mut all = Vec::new();
    for special in facts.special_by_ending() {
        let mut own: Vec<Value> = special
            .link
            .into_iter()
            .map(|link| header("Link", link))
            .collect();
        own.extend(
            special
                .content_type
                .map(|kind| header("Content-Type", kind)),
        );
        own.extend(special.robots.map(|robots| header("X-Robots-Tag", &robots)));
        all.push((answered(host, facts, &special.address).to_owned(), own));
    }
    let immutable = facts
        .immutable()
        .filter_map(|name| facts.root.files.get(name));
    let immutable =
        immutable.filter(|file| host == Host::Vercel || !is_pattern(host, &file.address));
    all.extend(immutable.map(|file| {
        (
            file.address.clone(),
            vec![header("Cache-Control", FOR_EVER)],
        )
    }));
    all
}
