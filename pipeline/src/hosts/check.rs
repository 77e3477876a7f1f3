//! What a host cannot do of what a site wants: said before anything is sent, with counts, limits and ways out.

use std::collections::{BTreeMap, BTreeSet};

use super::facts::{HostFacts, HostFile};
use super::listed::{RedirectLine, lines, unwritable};
use super::rules::{HostReply, RuleReason};
use super::table::{Ability, Redirects, ability_with};
use super::{
    apache, caddy, cloudfront, htaccess, joined, json_files, nginx, not_found, redirects_file,
};
use crate::counted::counted;
use crate::model::{Host, RedirectBy};
use crate::site_files::ERROR_PAGE;

/// Something that a host cannot do, as a sentence with what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cannot(pub String);

/// The files that tell a host what its tree alone does not.
///
/// # Errors
/// What the host cannot do; nothing may be sent then.
pub fn host_files(
    host: Host,
    facts: &HostFacts<'_>,
    by: RedirectBy,
) -> Result<Vec<HostFile>, Vec<Cannot>> {
    let ability = ability_with(host, by);
    let mut cannot = Vec::new();
    files_fit(ability, facts, &mut cannot);
    names_fit(ability, facts, &mut cannot);
    headers_fit(ability, facts, &mut cannot);
    wishes(ability, facts, by, &mut cannot);
    let theirs = joined::redirects_of_theirs(host, facts);
    let mut lines = match (ability.redirects, by) {
        (Redirects::List { patterns: 0, .. }, RedirectBy::Host) => lines(host, facts, usize::MAX),
        (Redirects::List { fixed, bytes, .. }, RedirectBy::Host) => {
            // A limit of bytes is some hundred lines; whether they fit is seen when they are written.
            let most = bytes.map_or(fixed, |bytes| fixed.min(bytes / BYTES_OF_A_LINE));
            lines(host, facts, most.saturating_sub(theirs.0))
        }
        (Redirects::List { .. }, RedirectBy::Pages) | (Redirects::Any | Redirects::None, _) => {
            Vec::new()
        }
    };
    if by == RedirectBy::Host {
        joined::add_lines_of_theirs(ability, facts, &mut lines);
    }
    redirects_fit(ability, &lines, theirs, &mut cannot);
    let (mut files, unwritable, too_much) = written(host, facts, &lines, by);
    cannot.extend(too_much.into_iter().map(Cannot));
    if let Some(first) = unwritable.first() {
        let count = unwritable.len();
        let addresses = if count == 1 { "address" } else { "addresses" };
        cannot.push(Cannot(format!(
            "{host} cannot be told of {count} {addresses} whose characters its configuration cannot hold, such as {first}; give the \
             pages other names"
        )));
    }
    let lost = match host {
        Host::Apache => htaccess::join(facts, &mut files),
        _ => joined::join(host, facts, &mut files),
    };
    cannot.extend(lost.into_iter().map(Cannot));
    match not_found::page(host, facts) {
        Ok(page) => files.extend(page),
        Err(error) => cannot.push(Cannot(error.to_string())),
    }
    if by == RedirectBy::Pages {
        files.extend(pages(facts));
    }
    if let Redirects::List {
        bytes: Some(most), ..
    } = ability.redirects
    {
        let told = files
            .iter()
            .filter(|file| file.name.starts_with(['_', 's']))
            .map(|file| file.text.len())
            .max();
        if told.is_some_and(|bytes| bytes > most) {
            let bytes = told.unwrap_or_default();
            cannot.push(Cannot(format!(
                "{host} takes {most} bytes of rules, and this site needs {bytes}; {WAYS_OUT}"
            )));
        }
    }
    taken(host, facts, &files, &mut cannot);
    if cannot.is_empty() {
        Ok(files)
    } else {
        Err(cannot)
    }
}

/// Names of the rule files in the tree that a host reads.
pub const RULE_FILES: [&str; 6] = [
    htaccess::NAME,
    joined::REDIRECTS,
    joined::HEADERS,
    "vercel.json",
    "firebase.json",
    "staticwebapp.config.json",
];

const BYTES_OF_A_LINE: usize = 100;
/// The longest part of a path on a disk.
const LONGEST_NAME: usize = 255;
const WAYS_OUT: &str = "use redirects = \"pages\", missing = \"notice\", or another host";

/// The host's own files; with the addresses that they cannot hold, and with what is too much.
fn written(
    host: Host,
    facts: &HostFacts<'_>,
    lines: &[RedirectLine],
    by: RedirectBy,
) -> (Vec<HostFile>, Vec<String>, Vec<String>) {
    let (files, unwritable) = match host {
        Host::Nginx => nginx::files(facts),
        Host::Apache => apache::files(facts),
        Host::Caddy => caddy::files(facts),
        Host::Netlify | Host::CloudflarePages | Host::GitlabPages => (
            redirects_file::files(host, facts, lines),
            unwritable(host, facts, lines),
        ),
        Host::Vercel | Host::Firebase | Host::AzureSwa => (
            json_files::files(host, facts, lines),
            unwritable(host, facts, lines),
        ),
        Host::GithubPages => {
            // Without it the host leaves out folders that begin with an underscore.
            let file = HostFile {
                name: ".nojekyll".to_owned(),
                is_beside: false,
                text: String::new(),
            };
            (vec![file], Vec::new())
        }
        Host::Cloudfront => match by {
            RedirectBy::Host => return cloudfront::files(facts),
            RedirectBy::Pages => (vec![cloudfront::index_alone()], Vec::new()),
        },
        Host::S3Website | Host::Plain => (Vec::new(), Vec::new()),
    };
    (files, unwritable, Vec::new())
}

fn files_fit(ability: Ability, facts: &HostFacts<'_>, cannot: &mut Vec<Cannot>) {
    let host = ability.host;
    let files = &facts.root.files;
    if let Some(most) = ability.files.filter(|most| files.len() > *most) {
        let found = files.len();
        cannot.push(Cannot(format!(
            "{host} holds {most} files, and this site has {found}; publish fewer languages, or use another host"
        )));
    }
    let large = |most: &u64| files.iter().find(|(_, file)| file.entry.size > *most);
    if let Some((most, (name, file))) = ability
        .file_bytes
        .and_then(|most| Some((most, large(&most)?)))
    {
        let size = file.entry.size;
        cannot.push(Cannot(format!(
            "{host} holds files of at most {most} bytes, and {name} has {size}; leave it out with `exclude`, or use another host"
        )));
    }
    let bytes: u64 = files.values().map(|file| file.entry.size).sum();
    if let Some(most) = ability.bytes.filter(|most| bytes > *most) {
        cannot.push(Cannot(format!(
            "{host} holds {most} bytes, and this site has {bytes}; publish fewer languages, or use another host"
        )));
    }
}

/// A host that goes by names alone must have one for each address.
fn names_fit(ability: Ability, facts: &HostFacts<'_>, cannot: &mut Vec<Cannot>) {
    if ability.redirects == Redirects::Any {
        return;
    }
    let host = ability.host;
    let files = &facts.root.files;
    let mut lost: BTreeSet<&str> = facts.root.lost().collect();
    let is_long = |name: &str| name.split('/').any(|part| part.len() > LONGEST_NAME);
    let is_odd =
        |name: &str| name.contains(|c: char| c.is_control() || ability.no_names_with.contains(&c));
    let mut folded: BTreeMap<String, &str> = BTreeMap::new();
    for (name, file) in files {
        let is_double = ability.folds_case && folded.insert(name.to_lowercase(), name).is_some();
        if is_long(name) || is_odd(name) || is_double {
            lost.insert(&file.address);
        }
    }
    if let Some(first) = lost.first() {
        let count = lost.len();
        let addresses = if count == 1 { "address" } else { "addresses" };
        cannot.push(Cannot(format!(
            "{host} finds files by their names, and has none for {count} {addresses}, such as {first}: by its length, its characters, \
             or because it differs from another in case alone; give those pages and files other names, leave them out with \
             `exclude`, or use another host"
        )));
    }
}

/// What is said about single files has its place; what is said about caching may be cut.
fn headers_fit(ability: Ability, facts: &HostFacts<'_>, cannot: &mut Vec<Cannot>) {
    // One path stands for all files.
    let Some(most) = ability.headers.map(|most| most.saturating_sub(1)) else {
        return;
    };
    let host = ability.host;
    let found = facts.special_within(Some(most)).len();
    if found > most {
        cannot.push(Cannot(format!(
            "{host} takes headers (noindex, Link, types) for {most} addresses, and this site has them for {found}; leave \
             some of these files out with `exclude`, or use another host"
        )));
    }
}

/// What the configuration asks for beside redirects.
fn wishes(ability: Ability, facts: &HostFacts<'_>, by: RedirectBy, cannot: &mut Vec<Cannot>) {
    let host = ability.host;
    let queries = facts
        .root
        .files
        .values()
        .filter(|file| file.entry.path.query().is_some())
        .count();
    if queries > 0 {
        cannot.push(Cannot(format!(
            "{host} serves files, and files have no queries: {} named by a query (`crawl.query`); use `latimer serve`, or \
             take the parameters out of `crawl.query`",
            if queries == 1 { "1 page is".to_owned() } else { format!("{queries} pages are") }
        )));
    }
    if !ability.chooses_language && !facts.home_languages().is_empty() {
        cannot.push(Cannot(format!(
            "{host} cannot send readers of / to their language (accept_language); set accept_language = false, where the \
             switcher remains, or use another host"
        )));
    }
    let gone = facts
        .rules
        .iter()
        .filter(|rule| rule.is_address && rule.reply == HostReply::Gone)
        .count();
    if !ability.gone && gone > 0 {
        cannot.push(Cannot(format!(
            "{host} cannot answer 410: {} gone (missing = \"gone\"); use missing = \"404\" or \"notice\", or another host",
            if gone == 1 { "1 page is".to_owned() } else { format!("{gone} pages are") }
        )));
    }
    if ability.redirects == Redirects::None && by == RedirectBy::Host {
        cannot_redirect(host, facts, cannot);
    }
}

fn cannot_redirect(host: Host, facts: &HostFacts<'_>, cannot: &mut Vec<Cannot>) {
    let (mut missing, mut moved): (BTreeMap<&str, usize>, usize) = (BTreeMap::new(), 0);
    for rule in facts.rules.iter().filter(|rule| rule.is_address) {
        match (&rule.reply, rule.why, facts.root.spots.get(rule.spot)) {
            (HostReply::Moved(..), RuleReason::Missing, Some(spot)) => {
                *missing.entry(spot.locale.as_str()).or_default() += 1
            }
            (HostReply::Moved(..), _, _) => moved += 1,
            (HostReply::Gone | HostReply::NotFound | HostReply::File(_), _, _) => {}
        }
    }
    let is_are = |count: usize, verb: [&str; 2]| {
        format!(
            "{} {}",
            counted(count, "page"),
            verb[usize::from(count != 1)]
        )
    };
    let mut found: Vec<String> = missing
        .iter()
        .map(|(locale, count)| {
            format!(
                "{} missing in {locale} (307)",
                is_are(*count, ["is", "are"])
            )
        })
        .collect();
    if moved > 0 {
        found.push(format!(
            "{} {} moved (308)",
            counted(moved, "path"),
            if moved == 1 { "has" } else { "have" }
        ));
    }
    if !found.is_empty() {
        cannot.push(Cannot(format!(
            "{host} cannot redirect: {}; {WAYS_OUT}",
            found.join(", ")
        )));
    }
}

fn redirects_fit(
    ability: Ability,
    lines: &[RedirectLine],
    theirs: (usize, usize),
    cannot: &mut Vec<Cannot>,
) {
    let Redirects::List {
        fixed, patterns, ..
    } = ability.redirects
    else {
        return;
    };
    let host = ability.host;
    let found = theirs.0 + lines.iter().filter(|line| !line.is_pattern).count();
    if found > fixed {
        cannot.push(Cannot(format!(
            "{host} takes {fixed} redirects, and this site needs {found}; {WAYS_OUT}"
        )));
    }
    let found = theirs.1 + lines.iter().filter(|line| line.is_pattern).count();
    if found > patterns {
        cannot.push(Cannot(format!(
            "{host} takes {patterns} redirects with *, and this site needs {found}; {WAYS_OUT}"
        )));
    }
}

/// Pages that lead on, where the host cannot redirect.
fn pages(facts: &HostFacts<'_>) -> Vec<HostFile> {
    let page = |rule: &super::HostRule| {
        let HostReply::Moved(to, _) = &rule.reply else {
            return None;
        };
        let inside = facts.root.name(&rule.from, "");
        let name = match rule.from.as_str() {
            from if from.ends_with('/') => format!("{inside}index.html"),
            from if from.ends_with(".html") => inside,
            _ => format!("{inside}.html"),
        };
        // If the page for what is not found led on, every wrong address below it would.
        let is_for_all = name.rsplit('/').next() == Some(ERROR_PAGE);
        let is_free = !facts.root.files.contains_key(&name) && !is_for_all;
        is_free.then(|| HostFile {
            name,
            is_beside: false,
            text: leading_to(to),
        })
    };
    facts
        .rules
        .iter()
        .filter(|rule| rule.is_address)
        .filter_map(page)
        .collect()
}

/// A page that leads on at once. The address is percent-encoded but for what HTML has names for.
fn leading_to(to: &str) -> String {
    let to = to
        .replace('&', "&amp;")
        .replace('"', "&quot;")
        .replace('\'', "&#39;")
        .replace('<', "&lt;");
    format!(
        "<!doctype html>\n<meta charset=\"utf-8\">\n<title>{to}</title>\n<meta name=\"robots\" content=\"noindex\">\n\
         <link rel=\"canonical\" href=\"{to}\">\n<meta http-equiv=\"refresh\" content=\"0; url={to}\">\n<a href=\"{to}\">{to}</a>\n"
    )
}

/// Files of the source that have the name of one of ours, and names that the host cannot hold.
fn taken(host: Host, facts: &HostFacts<'_>, files: &[HostFile], cannot: &mut Vec<Cannot>) {
    let is_joined = |file: &&HostFile| joined::can_be_joined(host).contains(&file.name.as_str());
    let inside = files
        .iter()
        .filter(|file| !file.is_beside && !is_joined(file));
    for file in inside.filter(|file| facts.root.files.contains_key(&file.name)) {
        let name = &file.name;
        cannot.push(Cannot(format!(
            "the site has a file {name}, which {host} reads and Latimer writes, too, and the two cannot be joined; take what it says over to `latimer.toml`, and \
             leave the file out with `exclude`"
        )));
    }
}
