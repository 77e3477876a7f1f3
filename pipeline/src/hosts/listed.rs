//! The redirects of hosts that take a list: one line for a page's address, and one for a whole folder where there are too
//! many.

use std::collections::{BTreeMap, BTreeSet};

use super::facts::HostFacts;
use super::place::{SOURCE, host_and_path};
use super::rules::{HostReply, HostRule};
use super::writing::decoded;
use crate::model::Host;

/// A redirect in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RedirectLine {
    /// The path at the host; where it is a pattern, without the `*` at its end.
    pub(super) from: String,
    /// Where it leads; where it is a pattern, without what the `*` stands for.
    pub(super) to: String,
    /// The status.
    pub(super) status: u16,
    /// Whether everything below `from` leads to the same below `to`.
    pub(super) is_pattern: bool,
}

/// The redirects of all pages' addresses; folded into patterns where there are more than `most`.
pub(super) fn lines(host: Host, facts: &HostFacts<'_>, most: usize) -> Vec<RedirectLine> {
    let line = |rule: &HostRule| match &rule.reply {
        HostReply::Moved(to, status) => Some(RedirectLine {
            from: rule.from.clone(),
            to: to.clone(),
            status: *status,
            is_pattern: false,
        }),
        HostReply::Gone | HostReply::NotFound | HostReply::File(_) => None,
    };
    let mut lines: Vec<RedirectLine> = facts
        .rules
        .iter()
        .filter(|rule| rule.is_address)
        .filter_map(line)
        .collect();
    if drops_endings(host, facts) {
        // The host redirects back, which would be a loop.
        lines.retain(|line| line.to.strip_suffix(".html") != Some(&*line.from));
    }
    if lines.len() > most {
        let folded = fold(facts, &lines);
        lines.retain(|line| !above(&line.from).any(|folder| folded.contains_key(folder)));
        lines.extend(folded.into_values());
    }
    lines
}

/// True for a host that redirects `/about.html` to `/about` by itself.
fn drops_endings(host: Host, facts: &HostFacts<'_>) -> bool {
    match host {
        Host::CloudflarePages => true,
        Host::Vercel | Host::Firebase => facts.has_clean_pages(),
        Host::Nginx
        | Host::Apache
        | Host::Caddy
        | Host::Netlify
        | Host::AzureSwa
        | Host::GitlabPages
        | Host::GithubPages
        | Host::Cloudfront
        | Host::S3Website
        | Host::Plain => false,
    }
}

/// Address at which a host serves a file. Headers for the file are sent at no other address.
pub(super) fn answered<'p>(host: Host, facts: &HostFacts<'_>, address: &'p str) -> &'p str {
    let without_ending = address
        .strip_suffix(".html")
        .filter(|_| drops_endings(host, facts));
    without_ending.unwrap_or(address)
}

/// The addresses that a host's list would read as patterns of others.
pub(super) fn unwritable(host: Host, facts: &HostFacts<'_>, lines: &[RedirectLine]) -> Vec<String> {
    let is_wild = |address: &str| is_pattern(host, address);
    let from_or_to = |line: &&RedirectLine| {
        let path = host_and_path(&line.to).map_or(line.to.as_str(), |(_, path)| path);
        // Firebase encodes again what it leads to, so that is written as what it compares.
        let is_lost = host == Host::Firebase && spelled(host, path).is_none();
        spelled(host, &line.from).is_none() || is_wild(path) || is_lost
    };
    let mut found: Vec<String> = lines
        .iter()
        .filter(from_or_to)
        .map(|line| line.from.clone())
        .collect();
    if host == Host::Netlify {
        let gone = facts
            .rules
            .iter()
            .filter(|rule| rule.is_address && rule.reply == HostReply::Gone);
        let homes = facts
            .root
            .spots
            .iter()
            .map(|spot| format!("{}/", spot.prefix));
        let others = gone.map(|rule| rule.from.clone()).chain(homes);
        found.extend(others.filter(|from| spelled(host, from).is_none()));
    }
    if matches!(host, Host::Netlify | Host::CloudflarePages | Host::Firebase) {
        found.extend(
            facts
                .special_at_home()
                .map(|special| special.address)
                .filter(|at| is_wild(at)),
        );
    }
    found
}

/// How a host's list writes a path that it compares with what is asked for; `None` where it has no way to.
///
/// Netlify and Firebase compare decoded paths: one that is written encoded never matches.
pub(super) fn spelled(host: Host, path: &str) -> Option<String> {
    // Vercel's patterns have a way to write what is special in them.
    let is_plain = |path: &str| host == Host::Vercel || !is_pattern(host, path);
    if !matches!(host, Host::Netlify | Host::Firebase) {
        return is_plain(path).then(|| path.to_owned());
    }
    let text = decoded(path);
    let is_lost = |c: char| {
        matches!(c, '#' | '?' | '%' | char::REPLACEMENT_CHARACTER)
            || c.is_control()
            || host == Host::Netlify && c.is_whitespace()
    };
    let is_same = text.matches('/').count() == path.matches('/').count();
    (is_same && is_plain(&text) && !text.contains(is_lost)).then_some(text)
}

/// Whether a host's list reads an address as a pattern.
pub(super) fn is_pattern(host: Host, address: &str) -> bool {
    let wild = match host {
        Host::Vercel => ":*+(){}",
        Host::Firebase => ":*?()[]{}\\",
        Host::AzureSwa => ":*{}",
        _ => ":*",
    };
    address.contains(|c| wild.contains(c))
}

/// Folders that are missing as a whole, the topmost of each: no file lies below them, and everything that is known there
/// leads to the source's folder.
fn fold(facts: &HostFacts<'_>, lines: &[RedirectLine]) -> BTreeMap<String, RedirectLine> {
    let missing = lines.iter().filter(|line| line.status == SOURCE);
    let candidates: BTreeSet<&str> = missing.flat_map(|line| above(&line.from)).collect();
    let mut folded: BTreeMap<String, RedirectLine> = BTreeMap::new();
    // A folder sorts before those in it.
    for folder in candidates {
        let is_inside = above(folder).any(|above| folded.contains_key(above));
        let name = facts.root.name(folder, "");
        let has_files = facts
            .root
            .files
            .range(name.clone()..)
            .next()
            .is_some_and(|(file, _)| file.starts_with(&name));
        if is_inside || has_files || name.is_empty() {
            continue;
        }
        // Lines are sorted as the rules are.
        let first = lines.partition_point(|line| line.from.as_str() < folder);
        let below = || {
            lines[first..]
                .iter()
                .take_while(|line| line.from.starts_with(folder))
        };
        let Some(to) = below()
            .next()
            .and_then(|line| line.to.strip_suffix(&line.from[folder.len()..]))
        else {
            continue;
        };
        let is_same = |line: &RedirectLine| {
            line.status == SOURCE && line.to.strip_prefix(to) == line.from.strip_prefix(folder)
        };
        if below().all(is_same) && below().nth(1).is_some() {
            let line = RedirectLine {
                from: folder.to_owned(),
                to: to.to_owned(),
                status: SOURCE,
                is_pattern: true,
            };
            folded.insert(folder.to_owned(), line);
        }
    }
    folded
}

/// The folders that an address is in, the topmost first; one that is a folder is in itself.
fn above(from: &str) -> impl Iterator<Item = &str> {
    from.match_indices('/').map(|(at, _)| &from[..=at])
}
