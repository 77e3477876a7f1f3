//! `_redirects` and `_headers`, as Netlify, Cloudflare Pages and GitLab Pages read them.

use std::cmp::Reverse;

use super::caching::FOR_EVER;
use super::facts::{HostFacts, HostFile};
use super::languages::LanguageRule;
use super::listed::{RedirectLine, answered, is_pattern, spelled};
use super::rules::HostReply;
use super::table::ability;
use crate::model::Host;

/// The files of such a host.
pub(super) fn files(host: Host, facts: &HostFacts<'_>, lines: &[RedirectLine]) -> Vec<HostFile> {
    let mut files = Vec::new();
    let redirects = redirects(host, facts, lines);
    if !redirects.is_empty() {
        files.push(HostFile {
            name: "_redirects".to_owned(),
            is_beside: false,
            text: redirects,
        });
    }
    if host != Host::GitlabPages {
        files.push(HostFile {
            name: "_headers".to_owned(),
            is_beside: false,
            text: headers(host, facts),
        });
    }
    files
}

#[expect(clippy::too_many_lines, reason = "writes the file section by section")]
fn redirects(host: Host, facts: &HostFacts<'_>, lines: &[RedirectLine]) -> String {
    let mut text = String::new();
    let mut line = |from: &str, more: &str, to: &str, status: &str| {
        // What cannot be written has been refused.
        let from = spelled(host, from).unwrap_or_default();
        text.push_str(&format!("{from}{more} {to} {status}\n"));
    };
    if host == Host::Netlify {
        for spot in &facts.root.spots {
            let home = format!("{}/", spot.prefix);
            if LanguageRule::of(facts, spot).is_none() {
                continue;
            }
            // Who asks for a language keeps the page.
            line(
                &home,
                " lang=:lang",
                &format!("/{}", facts.root.name(&home, "index.html")),
                "200!",
            );
            for (locale, to) in facts.home_languages() {
                if locale != spot.locale {
                    line(
                        &home,
                        "",
                        &to,
                        &format!("302! Language={}", locale.as_str().to_lowercase()),
                    );
                }
            }
        }
    }
    // Exact lines go before patterns: the first that fits counts.
    for RedirectLine {
        from, to, status, ..
    } in lines.iter().filter(|line| !line.is_pattern)
    {
        line(from, "", to, &known(host, *status).to_string());
    }
    for rule in facts
        .rules
        .iter()
        .filter(|rule| rule.is_address && rule.reply == HostReply::Gone)
    {
        // A language without a page for that shows the source's, as the host does for what is not found.
        let spots = facts
            .root
            .spots
            .get(rule.spot)
            .into_iter()
            .chain(facts.root.spots.first());
        let page = spots.filter_map(|spot| facts.error_page(spot)).next();
        line(
            &rule.from,
            "",
            &page.map_or_else(|| "/".to_owned(), |page| format!("/{page}")),
            "410!",
        );
    }
    for RedirectLine {
        from, to, status, ..
    } in lines.iter().filter(|line| line.is_pattern)
    {
        line(
            from,
            "*",
            &format!("{to}:splat"),
            &known(host, *status).to_string(),
        );
    }
    if host == Host::Netlify {
        // The host finds /404.html by itself; what lies in folders has its own, and the first line that fits counts.
        let mut folders: Vec<_> = facts
            .root
            .spots
            .iter()
            .filter(|spot| !spot.prefix.is_empty())
            .collect();
        folders.sort_by_key(|spot| Reverse(spot.prefix.len()));
        for spot in folders {
            if let Some(page) = facts.error_page(spot) {
                line(
                    &format!("{}/", spot.prefix),
                    "*",
                    &format!("/{page}"),
                    "404",
                );
            }
        }
    }
    text
}

/// The status that the host knows for it.
fn known(host: Host, status: u16) -> u16 {
    match (host, status) {
        (Host::GitlabPages, 308) => 301,
        (Host::GitlabPages, 303 | 307) => 302,
        _ => status,
    }
}

fn headers(host: Host, facts: &HostFacts<'_>) -> String {
    let mut text = "/*\n  X-Content-Type-Options: nosniff\n".to_owned();
    // Headers that say more than caching are never cut: `check` counts them.
    let most = ability(host)
        .headers
        .map_or(usize::MAX, |most| most.saturating_sub(1));
    let mut blocks: Vec<String> = Vec::new();
    for special in facts.special_within(ability(host).headers.map(|_| most)) {
        let mut block = format!("{}\n", answered(host, facts, &special.address));
        let mut add = |name: &str, value: &str| block.push_str(&format!("  {name}: {value}\n"));
        special.link.into_iter().for_each(|link| add("Link", link));
        special
            .content_type
            .into_iter()
            .for_each(|kind| add("Content-Type", kind));
        special
            .robots
            .iter()
            .for_each(|robots| add("X-Robots-Tag", robots));
        blocks.push(block);
    }
    let immutable = facts
        .immutable()
        .filter_map(|name| facts.root.files.get(name));
    let immutable = immutable.filter(|file| !is_pattern(host, &file.address));
    blocks.extend(immutable.map(|file| format!("{}\n  Cache-Control: {FOR_EVER}\n", file.address)));
    text.extend(blocks.into_iter().take(most));
    text
}
