//! robots.txt for several languages (S3): what it says of the source's paths, it says of their versions, too. Pure.

use std::collections::{BTreeMap, BTreeSet};

use crate::crawl::{normalized, rule_matches};

/// The most bytes of a robots.txt that crawlers have to read (RFC 9309, section 2.5).
pub(super) const LIMIT: usize = 500 * 1024;

/// Place of a language's pages on a host.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::run) struct RobotsPlace {
    /// Prefix of their paths.
    pub(in crate::run) prefix: String,
    /// Pages with paths of their own: the path in the source and that in the language, each from the root of its host.
    pub(in crate::run) moved: Vec<(String, String)>,
}

/// Treatment of the source's own lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::run) enum SourceLines<'a> {
    /// Kept as they are: the source lies on the same host.
    Stay,
    /// The language has a host of its own, and the lines speak of it instead.
    Move {
        /// The source's host and that of the language, for `Host:` lines.
        hosts: Option<(&'a str, &'a str)>,
    },
}

/// A robots.txt with each `Allow` and `Disallow` also for these places; `base` stands before the paths of the source.
pub(in crate::run) fn localized(
    own: &[u8],
    base: &str,
    places: &[RobotsPlace],
    lines: SourceLines<'_>,
) -> Vec<u8> {
    let all = read(own);
    let decided: Vec<DecidedPaths<'_>> = places.iter().map(|place| decide(&all, place)).collect();
    let rules = all.iter().filter_map(|line| line.rule.as_ref());
    let mut said: BTreeSet<(usize, bool, String)> = rules
        .map(|rule| (rule.group, rule.allow, rule.pattern.clone()))
        .collect();
    let mut written = Vec::with_capacity(own.len());
    for (at, line) in all.iter().enumerate() {
        let Some(rule) = &line.rule else {
            other_line(line, lines, &mut written);
            continue;
        };
        let is_localized = places
            .iter()
            .any(|place| is_below(&rule.pattern, &place.prefix));
        let stays = lines == SourceLines::Stay
            || is_localized
            || moved_to(&rule.pattern, base, "").is_none();
        if stays {
            put(line.text, line, &mut written);
        }
        if is_localized && lines == SourceLines::Stay {
            continue;
        }
        for (place, decided) in places.iter().zip(&decided) {
            let moved = decided.get(&at).map_or(&[][..], Vec::as_slice);
            for pattern in patterns(rule, base, place, moved) {
                let is_new = said.insert((rule.group, rule.allow, pattern.clone()));
                if pattern == rule.pattern && !stays {
                    put(line.text, line, &mut written);
                } else if is_new {
                    put(
                        format!("{}: {pattern}", rule.key).as_bytes(),
                        line,
                        &mut written,
                    );
                }
            }
        }
    }
    // Empty lines are left in the place of sitemaps.
    while lines != SourceLines::Stay
        && (written.ends_with(b"\n\n") || written.ends_with(b"\r\n\r\n"))
    {
        written.truncate(written.trim_ascii_end().len());
        written.push(b'\n');
    }
    written
}

/// Writes a line that ends as another one does; the last one of a file may have no end.
fn put(text: &[u8], like: &RobotsLine<'_>, written: &mut Vec<u8>) {
    written.extend_from_slice(text);
    written.extend_from_slice(if like.end.is_empty() { b"\n" } else { like.end });
}

/// Writes a line that is no rule. On another host, sitemaps of the source are left out: they list its own pages.
fn other_line(line: &RobotsLine<'_>, lines: SourceLines<'_>, written: &mut Vec<u8>) {
    if let SourceLines::Move { hosts } = lines
        && let Some((key, value)) = named(line.text)
    {
        if key.eq_ignore_ascii_case("sitemap") {
            return;
        }
        if let Some((from, to)) = hosts
            && key.eq_ignore_ascii_case("host")
            && value.eq_ignore_ascii_case(from)
        {
            return put(format!("{key}: {to}").as_bytes(), line, written);
        }
    }
    written.extend_from_slice(line.text);
    written.extend_from_slice(line.end);
}

/// The `Allow` and `Disallow` lines of a robots.txt that another one does not have.
pub(super) fn added(text: &[u8], own: &[u8]) -> Vec<String> {
    let mut known = BTreeSet::new();
    for rule in read(own).into_iter().filter_map(|line| line.rule) {
        known.insert((rule.allow, rule.pattern));
    }
    let mut lines = Vec::new();
    for rule in read(text).into_iter().filter_map(|line| line.rule) {
        let line = format!("{}: {}", rule.key.trim(), rule.pattern);
        if known.insert((rule.allow, rule.pattern)) {
            lines.push(line);
        }
    }
    lines
}

/// Patterns of a source rule in a language: its own with the language's prefix, and one for each page that the rule decides about
/// and that has another path there.
fn patterns(rule: &RobotsTxtRule, base: &str, place: &RobotsPlace, moved: &[&str]) -> Vec<String> {
    let Some(pattern) = moved_to(&rule.pattern, base, &place.prefix) else {
        return Vec::new();
    };
    let mut known = vec![normalized(&pattern)];
    let mut found = vec![pattern];
    for local in moved {
        let path = normalized(local);
        if known.iter().any(|known| rule_matches(known, &path)) {
            continue;
        }
        // A home page is the beginning of every address.
        let is_whole = rule.pattern.ends_with('$') || *local == format!("{}/", place.prefix);
        let pattern = if is_whole {
            format!("{local}$")
        } else {
            (*local).to_owned()
        };
        known.push(normalized(&pattern));
        found.push(pattern);
    }
    found
}

/// Paths in a language by the line of the rule that decides about the page in the source.
type DecidedPaths<'p> = BTreeMap<usize, Vec<&'p str>>;

/// Finds, in each group, the rule that decides about each page with a path of its own: the longest, and of equal ones that which
/// allows.
fn decide<'p>(all: &[RobotsLine<'_>], place: &'p RobotsPlace) -> DecidedPaths<'p> {
    let mut decided = DecidedPaths::new();
    for (source, local) in &place.moved {
        let path = normalized(source);
        let mut best: BTreeMap<usize, (usize, bool, usize)> = BTreeMap::new();
        for (at, line) in all.iter().enumerate() {
            let Some(rule) = line
                .rule
                .as_ref()
                .filter(|rule| rule_matches(&rule.normal, &path))
            else {
                continue;
            };
            let best = best.entry(rule.group).or_insert((0, false, at));
            if (rule.normal.len(), rule.allow) > (best.0, best.1) {
                *best = (rule.normal.len(), rule.allow, at);
            }
        }
        for (_, _, at) in best.into_values() {
            decided.entry(at).or_default().push(local);
        }
    }
    decided
}

/// A pattern of the source's paths with another prefix in the place of the source's. `None` if it is about other paths.
fn moved_to(pattern: &str, base: &str, prefix: &str) -> Option<String> {
    // A pattern that begins with a wildcard counts from the root, too.
    if pattern.starts_with('*') {
        return Some(format!("{prefix}/{pattern}"));
    }
    let rest = pattern.strip_prefix(base)?;
    rest.starts_with('/').then(|| format!("{prefix}{rest}"))
}

fn is_below(pattern: &str, prefix: &str) -> bool {
    !prefix.is_empty()
        && pattern
            .strip_prefix(prefix)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '$']))
}

/// A line of a robots.txt.
struct RobotsLine<'t> {
    text: &'t [u8],
    /// The line break; empty at the end of the file.
    end: &'t [u8],
    rule: Option<RobotsTxtRule>,
}

struct RobotsTxtRule {
    /// Number of the group in the file.
    group: usize,
    allow: bool,
    /// Its name as written.
    key: String,
    pattern: String,
    /// The pattern as paths are compared with it.
    normal: String,
}

/// The name and value of a line, without a comment.
fn named(text: &[u8]) -> Option<(String, String)> {
    let text = String::from_utf8_lossy(text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text));
    let text = text.split('#').next().unwrap_or_default();
    let (key, value) = text.split_once(':')?;
    Some((key.trim().to_owned(), value.trim().to_owned()))
}

/// Reads the lines of a file. Rules before the first group count for no crawler.
fn read(text: &[u8]) -> Vec<RobotsLine<'_>> {
    let mut lines = Vec::new();
    let mut group = 0;
    let mut in_rules = true;
    let mut rest = text;
    while !rest.is_empty() {
        let length = rest
            .iter()
            .position(|byte| matches!(byte, b'\n' | b'\r'))
            .unwrap_or(rest.len());
        let (text, after) = rest.split_at(length);
        let end = match after {
            [b'\r', b'\n', ..] => 2,
            [_, ..] => 1,
            [] => 0,
        };
        let (end, after) = after.split_at(end);
        rest = after;
        let mut rule = None;
        if let Some((key, value)) = named(text) {
            let allow = key.eq_ignore_ascii_case("allow");
            if key.eq_ignore_ascii_case("user-agent") {
                if std::mem::take(&mut in_rules) {
                    group += 1;
                }
            } else if allow || key.eq_ignore_ascii_case("disallow") {
                in_rules = true;
                let normal = normalized(&value);
                rule = (!value.is_empty() && group > 0).then_some(RobotsTxtRule {
                    group,
                    allow,
                    key,
                    pattern: value,
                    normal,
                });
            }
        }
        lines.push(RobotsLine { text, end, rule });
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(prefix: &str, moved: &[(&str, &str)]) -> RobotsPlace {
        let moved = moved
            .iter()
            .map(|(source, local)| ((*source).to_owned(), (*local).to_owned()))
            .collect();
        RobotsPlace {
            prefix: prefix.to_owned(),
            moved,
        }
    }

    #[track_caller]
    fn check(own: &str, base: &str, places: &[RobotsPlace], expected: &str) {
        let given = localized(own.as_bytes(), base, places, SourceLines::Stay);
        assert_eq!(String::from_utf8(given.clone()).unwrap(), expected);
        // Done once more, nothing is added.
        assert_eq!(localized(&given, base, places, SourceLines::Stay), given);
    }

    #[test]
    fn rules_are_repeated_for_each_language_r_s3() {
        let both = [place("/es", &[]), place("/pt", &[])];
        check(
            "User-agent: *\nDisallow: /private/\nDisallow: /*?s=\nAllow: /private/ok$\n\nSitemap: https://h/s.xml\n",
            "",
            &both,
            "User-agent: *\nDisallow: /private/\nDisallow: /es/private/\nDisallow: /pt/private/\nDisallow: /*?s=\n\
             Disallow: /es/*?s=\nDisallow: /pt/*?s=\nAllow: /private/ok$\nAllow: /es/private/ok$\nAllow: /pt/private/ok$\n\n\
             Sitemap: https://h/s.xml\n",
        );
        let one = [place("/es", &[])];
        // Rules with a prefix, without a value or outside of a group stay; line breaks and comments stay, too.
        check(
            "User-agent: a\nDisallow:\nDisallow: /es/x/\n",
            "",
            &one,
            "User-agent: a\nDisallow:\nDisallow: /es/x/\n",
        );
        check("Disallow: /x\n", "", &one, "Disallow: /x\n");
        check(
            "user-agent:*\r\n disallow : /x # why",
            "",
            &one,
            "user-agent:*\r\n disallow : /x # why\ndisallow: /es/x\n",
        );
        check(
            "User-agent: *\rDisallow: *.pdf$\r",
            "",
            &one,
            "User-agent: *\rDisallow: *.pdf$\rDisallow: /es/*.pdf$\r",
        );
        // Groups are independent of each other.
        check(
            "User-agent: a\nDisallow: /x\nDisallow: /es/x\nUser-agent: b\nDisallow: /x\nDisallow: /essays\n",
            "",
            &one,
            "User-agent: a\nDisallow: /x\nDisallow: /es/x\nUser-agent: b\nDisallow: /x\nDisallow: /es/x\nDisallow: /essays\n\
             Disallow: /es/essays\n",
        );
    }

    #[test]
    fn prefixes_follow_the_base_of_the_site_r_s3() {
        let places = [place("/docs/es", &[])];
        check(
            "User-agent: *\nDisallow: /docs/private/\nDisallow: /other/\nDisallow: /\n",
            "/docs",
            &places,
            "User-agent: *\nDisallow: /docs/private/\nDisallow: /docs/es/private/\nDisallow: /other/\nDisallow: /\n",
        );
    }

    #[test]
    fn pages_with_paths_of_their_own_get_lines_r_s3() {
        let moved = [
            ("/private/", "/es/privado/"),
            ("/private/list/", "/es/privado/lista/"),
            ("/private/ok", "/es/bien"),
            ("/private/pay", "/es/private/pagar"),
            ("/open/", "/es/abierto/"),
            ("/top$", "/es/"),
        ];
        check(
            "User-agent: *\nDisallow: /private/\nAllow: /private/ok\nDisallow: /top\n",
            "",
            &[place("/es", &moved)],
            "User-agent: *\nDisallow: /private/\nDisallow: /es/private/\nDisallow: /es/privado/\nAllow: /private/ok\n\
             Allow: /es/private/ok\nAllow: /es/bien\nDisallow: /top\nDisallow: /es/top\nDisallow: /es/$\n",
        );
    }

    #[test]
    fn a_host_of_its_own_has_a_copy_r_s3() {
        let own = "User-agent: *\nDisallow: /private/\nSitemap: https://www.h/sitemap.xml\nHost: www.h\nCrawl-delay: 1\n";
        let lines = SourceLines::Move {
            hosts: Some(("www.h", "es.h")),
        };
        let given = localized(
            own.as_bytes(),
            "",
            &[place("", &[("/private/", "/privado/")])],
            lines,
        );
        let expected =
            "User-agent: *\nDisallow: /private/\nDisallow: /privado/\nHost: es.h\nCrawl-delay: 1\n";
        assert_eq!(String::from_utf8(given).unwrap(), expected);
    }

    proptest::proptest! {
        #[test]
        fn the_source_keeps_its_rules_r_s3(lines in proptest::collection::vec("(User-agent: \\*|Disallow: /[ab*$]{0,3}|Allow: /[ab]{0,2}|#x| )", 0..12), path in "/[ab]{0,3}") {
            let own = lines.join("\n");
            let given = localized(own.as_bytes(), "", &[place("/zz", &[])], SourceLines::Stay);
            let says = |text: &[u8], path: &str| crate::crawl::Robots::parse(text, "*").allows(path);
            proptest::prop_assert_eq!(says(own.as_bytes(), &path), says(&given, &path));
            // A version is as free as its page, but for rules that hold everywhere.
            if own.contains('*') && !own.contains("/*") && !lines.iter().any(|line| matches!(line.as_str(), "Disallow: /" | "Allow: /")) {
                proptest::prop_assert_eq!(says(own.as_bytes(), &path), says(&given, &format!("/zz{path}")));
            }
        }
    }
}
