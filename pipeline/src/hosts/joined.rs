//! The source's own `_redirects` and `_headers`: theirs stay and come first, ours follow below a marked line.
//!
//! The first line that fits counts, so theirs may hide none of ours; and no header may be said twice, for hosts join the two.

use std::collections::{BTreeSet, HashSet};

use super::facts::{HostFacts, HostFile};
use super::layout::HostSpot;
use super::listed::RedirectLine;
use super::place::{HostAnswer, host_and_path};
use super::table::{Ability, Redirects, ability};
use super::writing::decoded;
use crate::model::Host;
use crate::store::Tree;

/// Between theirs and ours; what lies below it in a source is from an earlier publishing.
pub(super) const MARK: &str = "# Below this line: written by `latimer publish`.";
pub(super) const REDIRECTS: &str = "_redirects";
pub(super) const HEADERS: &str = "_headers";

/// The files that can be joined with a source's own.
pub fn can_be_joined(host: Host) -> &'static [&'static str] {
    match host {
        Host::Netlify | Host::CloudflarePages => &[REDIRECTS, HEADERS],
        Host::GitlabPages => &[REDIRECTS],
        _ => &[],
    }
}

/// How many redirects the source's own list has: fixed ones, and patterns.
pub(super) fn redirects_of_theirs(host: Host, facts: &HostFacts<'_>) -> (usize, usize) {
    let theirs = theirs(host, facts, REDIRECTS).unwrap_or_default();
    let (patterns, fixed): (Vec<&str>, Vec<&str>) = rules(theirs)
        .map(|(_, from)| from)
        .partition(|from| is_wild(from));
    (fixed.len(), patterns.len())
}

/// Repeats the site's own redirects in each language: `/old` to `/about` gives `/es/old` to `/es/about`. Adds all or
/// none, as the host's limits allow.
pub(super) fn add_lines_of_theirs(
    ability: Ability,
    facts: &HostFacts<'_>,
    lines: &mut Vec<RedirectLine>,
) {
    let Redirects::List { fixed, bytes, .. } = ability.redirects else {
        return;
    };
    let theirs = theirs(ability.host, facts, REDIRECTS).unwrap_or_default();
    let more = lines_of_theirs(theirs, facts);
    let (own, _) = redirects_of_theirs(ability.host, facts);
    let all = lines.iter().chain(&more);
    let length: usize = all
        .map(|line| line.from.len() + line.to.len() + " 308 \n".len())
        .sum();
    let has_room = bytes.is_none_or(|most| theirs.len() + MARK.len() + length <= most);
    if has_room && own + lines.len() + more.len() <= fixed {
        lines.extend(more);
    }
}

/// Skips patterns and lines with conditions: their targets cannot be looked up.
fn lines_of_theirs(theirs: &str, facts: &HostFacts<'_>) -> Vec<RedirectLine> {
    let Some(source) = facts
        .root
        .spots
        .iter()
        .find(|spot| spot.place.locale.is_none())
    else {
        return Vec::new();
    };
    let taken = Patterns::of(theirs);
    let mut lines = Vec::new();
    let mut known = HashSet::new();
    for JoinedRedirect { from, to, status } in theirs.lines().filter_map(redirect) {
        let Some(path) = from
            .strip_prefix(&source.prefix)
            .filter(|_| facts.root.spot(from).prefix == source.prefix)
        else {
            continue;
        };
        for spot in facts
            .root
            .spots
            .iter()
            .filter(|spot| spot.prefix != source.prefix)
        {
            let from = format!("{}{path}", spot.prefix);
            let is_free = matches!(spot.place.answer(path, None), HostAnswer::NotFound(_));
            if is_free && !taken.has(&decoded(&from)) && known.insert(from.clone()) {
                lines.push(RedirectLine {
                    from,
                    to: version(source, spot, to),
                    status,
                    is_pattern: false,
                });
            }
        }
    }
    lines
}

/// A redirect of one address to another.
struct JoinedRedirect<'t> {
    from: &'t str,
    to: &'t str,
    status: u16,
}

/// Parses a line; `None` for patterns, lines with conditions and rewrites.
fn redirect(line: &str) -> Option<JoinedRedirect<'_>> {
    let mut words = line.split_whitespace();
    let from = words.next()?;
    let to = words.next()?;
    let status = words.next().map_or(Some(301), |status| {
        status.trim_end_matches('!').parse().ok()
    })?;
    let is_one = from.starts_with('/')
        && !is_wild(from)
        && !path(to).contains(['*', ':'])
        && words.next().is_none();
    (is_one && matches!(status, 301 | 302 | 303 | 307 | 308)).then_some(JoinedRedirect {
        from,
        to,
        status,
    })
}

/// Target of a redirect in a language; the source's target if the language has no such page.
fn version(source: &HostSpot<'_>, spot: &HostSpot<'_>, to: &str) -> String {
    let end = to.find(['?', '#']).unwrap_or(to.len());
    let (address, rest) = to.split_at(end);
    let answer = address
        .strip_prefix(&source.prefix)
        .filter(|path| path.starts_with('/'));
    match answer.map(|path| (path, spot.place.answer(path, None))) {
        Some((path, HostAnswer::File(file))) if *file.tree != Tree::Shared => {
            format!("{}{path}{rest}", spot.prefix)
        }
        Some((_, HostAnswer::Moved(path, _))) => format!("{}{path}{rest}", spot.prefix),
        Some((
            _,
            HostAnswer::File(_)
            | HostAnswer::Source(_)
            | HostAnswer::NotFound(_)
            | HostAnswer::Gone(_),
        ))
        | None => to.to_owned(),
    }
}

/// Paths that the lines of a file match.
struct Patterns {
    plain: HashSet<String>,
    wild: Vec<String>,
}

impl Patterns {
    fn of(text: &str) -> Self {
        let mut patterns = Self {
            plain: HashSet::new(),
            wild: Vec::new(),
        };
        for (_, from) in rules(text) {
            let pattern = decoded(path(from));
            if is_wild(from) {
                patterns.wild.push(pattern);
            } else {
                patterns.plain.insert(pattern);
            }
        }
        patterns
    }

    /// True if a line matches a decoded path.
    fn has(&self, path: &str) -> bool {
        self.plain.contains(path) || self.wild.iter().any(|pattern| matches(pattern, path))
    }
}

/// Puts what the source has under the name of one of our files before it; gives what stands in the way of that.
pub(super) fn join(host: Host, facts: &HostFacts<'_>, files: &mut [HostFile]) -> Vec<String> {
    let mut cannot = Vec::new();
    for file in files {
        let Some(theirs) =
            theirs(host, facts, &file.name).filter(|theirs| !theirs.trim().is_empty())
        else {
            continue;
        };
        if file.name == HEADERS {
            let (ours, lost) = headers(host, theirs, &file.text);
            cannot.extend(lost);
            file.text = ours;
        } else {
            cannot.extend(hidden(theirs, &file.text));
        }
        file.text = format!("{}\n{MARK}\n{}", theirs.trim_end(), file.text);
    }
    cannot
}

/// What the source says itself in a file that can be joined.
fn theirs<'f>(host: Host, facts: &'f HostFacts<'_>, name: &str) -> Option<&'f str> {
    let text = facts
        .text(name)
        .filter(|_| can_be_joined(host).contains(&name))?;
    Some(text.find(MARK).map_or(text, |end| &text[..end]))
}

/// The paths that lines begin with, with the numbers of the lines.
fn rules(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let paths = text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.starts_with([' ', '\t']));
    paths
        .filter_map(|(at, line)| Some((at + 1, line.split_whitespace().next()?)))
        .filter(|(_, path)| !path.starts_with('#'))
}

fn is_wild(from: &str) -> bool {
    path(from).contains(['*', ':'])
}

fn path(from: &str) -> &str {
    host_and_path(from).map_or(from, |(_, path)| if path.is_empty() { "/" } else { path })
}

/// Their lines that would take addresses from ours.
fn hidden(theirs: &str, ours: &str) -> Vec<String> {
    // What stands for anything below a folder is one such address.
    let ours: BTreeSet<String> = rules(ours)
        .map(|(_, from)| decoded(from).replace('*', "x"))
        .collect();
    let hides = |(line, from): (usize, &str)| {
        let pattern = decoded(path(from));
        let taken = match is_wild(from) {
            true => ours.iter().find(|path| matches(&pattern, path)),
            false => ours.get(&pattern),
        };
        taken.map(|taken| {
            format!(
                "line {line} of the site's {REDIRECTS} ({from}) would hide what Latimer's {REDIRECTS} says below it of {taken}; \
                 narrow that line, or leave the file out with `exclude`"
            )
        })
    };
    rules(theirs).filter_map(hides).collect()
}

/// Whether a pattern may fit a path. What follows a `*` is not looked at.
fn matches(pattern: &str, path: &str) -> bool {
    let (start, is_open) = pattern
        .split_once('*')
        .map_or((pattern, false), |(start, _)| (start, true));
    let path = if is_open {
        format!("{path}/")
    } else {
        path.to_owned()
    };
    let (wanted, found): (Vec<&str>, Vec<&str>) =
        (start.split('/').collect(), path.split('/').collect());
    let is_long = if is_open {
        found.len() >= wanted.len()
    } else {
        found.len() == wanted.len()
    };
    let last = wanted.len().saturating_sub(1);
    let fits = |(at, (wanted, found)): (usize, (&&str, &&str))| {
        let is_last = is_open && at == last;
        wanted == found
            || wanted.starts_with(':') && !found.is_empty()
            || is_last && found.starts_with(*wanted)
    };
    is_long && wanted.iter().zip(&found).enumerate().all(fits)
}

/// Our headers without those that theirs say; with what is lost, if that may not be left out.
fn headers(host: Host, theirs: &str, ours: &str) -> (String, Option<String>) {
    let name = |line: &str| {
        line.split_once(':')
            .map(|(name, _)| name.trim().to_lowercase())
    };
    let indented = |line: &&str| line.starts_with([' ', '\t']);
    let said: BTreeSet<String> = theirs.lines().filter(indented).filter_map(name).collect();
    let may_go = |line: &str| {
        ["cache-control", "x-content-type-options"]
            .iter()
            .any(|one| name(line).as_deref() == Some(one))
    };
    let mut room = ability(host).headers.map_or(usize::MAX, |most| {
        most.saturating_sub(rules(theirs).count())
    });
    let mut kept = String::new();
    let mut path = None;
    let mut lost = None;
    for line in ours.lines() {
        if !indented(&line) {
            path = Some(line);
            continue;
        }
        let is_theirs = name(line).is_some_and(|name| said.contains(&name));
        let has_room = path.is_none() || room > 0;
        if is_theirs || !has_room {
            lost = lost.or_else(|| (!may_go(line)).then(|| line.trim()));
            continue;
        }
        if let Some(path) = path.take() {
            room -= 1;
            kept.push_str(&format!("{path}\n"));
        }
        kept.push_str(&format!("{line}\n"));
    }
    let lost = lost.map(|lost| {
        format!(
            "the site's {HEADERS} leaves no room for what Latimer's {HEADERS} has to say ({lost}): it says the same header, or \
             takes all lines that {host} has; leave the file out with `exclude`"
        )
    });
    (kept, lost)
}
