//! robots.txt by RFC 9309: the group that names us, or the one for everybody; the longest rule decides.
//!
//! Parsed once and then asked for every address. Patterns are matched from left to right without backtracking, so
//! that a hostile file costs time in proportion to its size.

use super::room::LONGEST_ADDRESS;
use super::sitemap::MOST_SITEMAPS;
use crate::page::{RobotsRules, RobotsStatement};

/// How much of a robots.txt is read (RFC 9309 section 2.5).
pub(super) const LIMIT: usize = 500 * 1024;

/// Rules kept for our own crawler, and for all crawlers. Half a megabyte has some 12,000 rules of usual length. As with text beyond
/// [`LIMIT`], the rest is not read.
const MOST_RULES: usize = 20_000;

/// What a robots.txt says to us.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Robots {
    rules: Vec<RobotsRule>,
    /// The addresses of its `Sitemap:` lines, as written.
    pub(crate) sitemaps: Vec<String>,
    /// The file's text.
    pub(super) text: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct RobotsRule {
    allow: bool,
    pattern: String,
}

impl Robots {
    /// Reads a robots.txt for a crawler of this User-Agent.
    pub(crate) fn parse(body: &[u8], user_agent: &str) -> Self {
        let text = String::from_utf8_lossy(body.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(body));
        let own = product_token(user_agent);
        let mut ours = None::<Vec<RobotsRule>>;
        let mut everybodys = Vec::new();
        let mut sitemaps = Vec::new();
        let mut for_us = false;
        let mut for_all = false;
        let mut in_rules = false;
        for line in text.split(['\n', '\r']) {
            let line = line.split('#').next().unwrap_or_default();
            let Some((key, value)) = line.split_once(':') else {
                continue;
            };
            let value = value.trim();
            match key.trim().to_ascii_lowercase().as_str() {
                "user-agent" => {
                    if std::mem::take(&mut in_rules) {
                        (for_us, for_all) = (false, false);
                    }
                    for_all |= value.starts_with('*');
                    if !own.is_empty() && product_token(value).eq_ignore_ascii_case(own) {
                        for_us = true;
                        ours.get_or_insert_with(Vec::new);
                    }
                }
                key @ ("allow" | "disallow") => {
                    in_rules = true;
                    if value.is_empty() {
                        continue;
                    }
                    let rule = RobotsRule {
                        allow: key == "allow",
                        pattern: normalized(value),
                    };
                    if let Some(ours) = ours
                        .as_mut()
                        .filter(|ours| for_us && ours.len() < MOST_RULES)
                    {
                        ours.push(rule.clone());
                    }
                    if for_all && everybodys.len() < MOST_RULES {
                        everybodys.push(rule);
                    }
                }
                "sitemap" if sitemaps.len() < MOST_SITEMAPS && value.len() <= LONGEST_ADDRESS => {
                    sitemaps.push(value.to_owned());
                }
                _ => {}
            }
        }
        Self {
            rules: ours.unwrap_or(everybodys),
            sitemaps,
            text: text.into_owned(),
        }
    }

    /// The rules without the text, for audits, which ask many hosts.
    pub(super) fn without_text(self) -> Self {
        Self {
            text: String::new(),
            ..self
        }
    }

    /// The pattern by which everything below a folder is forbidden, if it is.
    pub(crate) fn forbids_folder(&self, folder: &str) -> Option<&str> {
        let folder = normalized(folder);
        let covers = |rule: &&RobotsRule| {
            !rule.pattern.ends_with('$') && rule_matches(&rule.pattern, &folder)
        };
        let longest = self
            .rules
            .iter()
            .filter(covers)
            .max_by_key(|rule| (rule.pattern.len(), rule.allow))?;
        (!longest.allow).then_some(longest.pattern.as_str())
    }

    /// Whether we may fetch a path, given with its query.
    pub(crate) fn allows(&self, path: &str) -> bool {
        if path == "/robots.txt" {
            return true;
        }
        let path = normalized(path);
        let matching = self
            .rules
            .iter()
            .filter(|rule| rule_matches(&rule.pattern, &path));
        matching
            .max_by_key(|rule| (rule.pattern.len(), rule.allow))
            .is_none_or(|rule| rule.allow)
    }
}

/// What the X-Robots-Tag headers of an answer say to us.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tags {
    pub(super) noindex: bool,
    pub(super) nofollow: bool,
}

impl Tags {
    /// Reads header values such as `noindex, nofollow` or `otherbot: noindex`.
    pub(super) fn parse(values: &[String], user_agent: &str) -> Self {
        let own = product_token(user_agent);
        let mut tags = Self::default();
        for RobotsStatement { crawler, rules } in
            values.iter().flat_map(|value| RobotsStatement::read(value))
        {
            let to_us = crawler
                .as_deref()
                .is_some_and(|crawler| crawler.eq_ignore_ascii_case(own));
            let rules = RobotsRules::of_crawler(crawler.as_deref().filter(|_| !to_us), &rules);
            tags.noindex |= rules.noindex;
            tags.nofollow |= rules.nofollow;
        }
        tags
    }
}

/// The longest `X-Robots-Tag` that is repeated.
const LONGEST_HEADER: usize = 1_000;

/// Joins the statements of several headers into one that every host can send. Rules with characters that some host cannot write
/// are left out; no crawler knows such rules.
pub(super) fn header(values: &[String]) -> Option<String> {
    let is_plain = |rule: &&str| {
        rule.bytes()
            .all(|byte| byte == b' ' || byte.is_ascii_graphic() && !b"\"'$%\\{}<>".contains(&byte))
    };
    let mut plain = Vec::new();
    let mut length = 0;
    for value in values {
        let mut rules = Vec::new();
        for rule in value.split(',').filter(is_plain) {
            length += rule.len() + 2;
            if length <= LONGEST_HEADER {
                rules.push(rule);
            }
        }
        plain.push(rules.join(","));
    }
    plain.retain(|value| !value.trim().is_empty());
    match plain.as_slice() {
        [] => None,
        [one] => Some(one.trim().to_owned()),
        several => Some(RobotsStatement::join(several.iter().map(String::as_str))),
    }
}

/// The leading name of a User-Agent: `Latimer` of `Latimer/0.1 (+https://…)`.
fn product_token(user_agent: &str) -> &str {
    let end = user_agent
        .find(|letter: char| !letter.is_ascii_alphabetic() && !matches!(letter, '_' | '-'));
    &user_agent[..end.unwrap_or(user_agent.len())]
}

/// Brings a path or pattern into the one form in which they are compared (RFC 9309 section 2.2.2).
pub(crate) fn normalized(text: &str) -> String {
    let bytes = text.as_bytes();
    let digit = |at: usize| {
        bytes
            .get(at)
            .and_then(|&byte| char::from(byte).to_digit(16))
    };
    let mut normal = String::with_capacity(text.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let encoded = match (byte, digit(at + 1), digit(at + 2)) {
            (b'%', Some(high), Some(low)) => u8::try_from(high * 16 + low).ok(),
            _ => None,
        };
        at += if encoded.is_some() { 3 } else { 1 };
        match encoded {
            Some(plain @ (b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~')) => {
                normal.push(char::from(plain));
            }
            Some(other) => normal.push_str(&format!("%{other:02X}")),
            None if byte.is_ascii() => normal.push(char::from(byte)),
            None => normal.push_str(&format!("%{byte:02X}")),
        }
    }
    normal
}

/// Matches a pattern with `*` and a closing `$` against the start of a path.
pub(crate) fn rule_matches(pattern: &str, path: &str) -> bool {
    let (pattern, whole) = pattern
        .strip_suffix('$')
        .map_or((pattern, false), |pattern| (pattern, true));
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| path.strip_prefix(first)) else {
        return false;
    };
    let mut open_end = !whole;
    let mut parts = parts.peekable();
    while let Some(part) = parts.next() {
        if whole && parts.peek().is_none() {
            return rest.ends_with(part);
        }
        let Some(at) = rest.find(part) else {
            return false;
        };
        rest = &rest[at + part.len()..];
        open_end = true;
    }
    open_end || rest.is_empty()
}

#[cfg(test)]
mod tests {
    use robotstxt::DefaultMatcher;

    use super::*;

    /// Checks our answer, and that the port of Google's parser agrees.
    fn check(robots: &str, agent: &str, path: &str, allowed: bool) {
        let given = Robots::parse(robots.as_bytes(), agent).allows(path);
        assert_eq!(given, allowed, "{path} for {agent} by {robots:?}");
        let judge = DefaultMatcher::default().one_agent_allowed_by_robots(
            robots,
            product_token(agent),
            &format!("http://site.example{path}"),
        );
        assert_eq!(
            judge, allowed,
            "the judge differs: {path} for {agent} by {robots:?}"
        );
    }

    #[test]
    fn robots_are_obeyed_r_e11_rfc_9309() {
        let us = "Latimer/0.1 (+https://latimer.example)";
        for (robots, path, allowed) in [
            ("", "/", true),
            ("User-agent: *\nDisallow: /", "/", false),
            ("User-agent: *\nDisallow:", "/a", true),
            ("User-agent: *\nDisallow: /private", "/private/x", false),
            ("User-agent: *\nDisallow: /private", "/privateer", false),
            ("User-agent: *\nDisallow: /private", "/Private", true),
            ("User-agent: *\nDisallow: /p\nAllow: /p/ok", "/p/ok/x", true),
            ("User-agent: *\nAllow: /p\nDisallow: /p", "/p", true),
            ("User-agent: *\nDisallow: /*.pdf$", "/a/b.pdf", false),
            ("User-agent: *\nDisallow: /*.pdf$", "/a/b.pdf?x", true),
            ("User-agent: *\nDisallow: /*.pdf", "/a/b.pdf?x", false),
            ("User-agent: *\nDisallow: /a*b*c", "/axxbyyc/z", false),
            ("User-agent: *\nDisallow: /a*b*c", "/axxcyyb", true),
            ("User-agent: *\nDisallow: /$", "/", false),
            ("User-agent: *\nDisallow: /$", "/x", true),
            ("User-agent: *\nDisallow: *?", "/list?page=2", false),
            (
                "User-agent: latimer\nDisallow: /x\n\nUser-agent: *\nDisallow: /",
                "/y",
                true,
            ),
            (
                "User-agent: LATIMER/9\nDisallow: /x\n\nUser-agent: *\nDisallow: /",
                "/x",
                false,
            ),
            (
                "User-agent: Latimer\n\nUser-agent: other\nDisallow: /x",
                "/x",
                false,
            ),
            ("User-agent: Latimerbot\nDisallow: /x", "/x", true),
            (
                "User-agent: Latimer\nDisallow: /x\nUser-agent: o\nDisallow: /y\nUser-agent: Latimer\nDisallow: /z",
                "/z",
                false,
            ),
            ("User-agent: a\nUser-agent: *\nDisallow: /x", "/x", false),
            (
                "User-agent: *\nCrawl-delay: 3\nDisallow: /x # why",
                "/x",
                false,
            ),
            ("user-agent : *\r\ndisallow : /x\r\n", "/x", false),
            ("Disallow: /x", "/x", true),
            ("User-agent: *\nDisallow: /caf\u{e9}", "/caf%C3%A9/", false),
            ("User-agent: *\nDisallow: /caf%c3%a9", "/caf%C3%A9/", false),
        ] {
            check(robots, us, path, allowed);
        }
    }

    #[test]
    fn what_needs_no_encoding_is_compared_decoded() {
        let robots = Robots::parse(b"User-agent: *\nDisallow: /%7Euser", "Latimer");
        assert!(!robots.allows("/~user/"));
    }

    #[test]
    fn a_byte_order_mark_hides_nothing() {
        assert!(!Robots::parse(b"\xEF\xBB\xBFUser-agent: *\nDisallow: /x", "Latimer").allows("/x"));
    }

    #[test]
    fn sitemap_lines_belong_to_nobody() {
        let robots = Robots::parse(
            b"Sitemap: /a.xml\nUser-agent: x\nSITEMAP: https://h/b.xml.gz\nDisallow: /",
            "Latimer",
        );
        assert_eq!(robots.sitemaps, ["/a.xml", "https://h/b.xml.gz"]);
        assert!(robots.allows("/"));
    }

    #[test]
    fn x_robots_tags_are_read_r_e11() {
        for (values, noindex, nofollow) in [
            (vec!["noindex"], true, false),
            (vec!["nofollow, noarchive", "NoIndex"], true, true),
            (vec!["none"], true, true),
            (vec!["otherbot: noindex, nofollow"], false, false),
            (vec!["latimer: noindex", "otherbot: nofollow"], true, false),
            (
                vec![
                    "unavailable_after: 25 Jun 2030 15:00:00 PST",
                    "max-snippet: 5, noindex",
                ],
                true,
                false,
            ),
            (
                vec!["unavailable_after: Tue, 25 Jun 2030 15:00:00 PST, noindex"],
                true,
                false,
            ),
            (vec!["googlebot: none"], true, false),
            (
                vec!["googlebot-news: noindex", "max-image-preview: none"],
                false,
                false,
            ),
            (vec![], false, false),
        ] {
            let owned: Vec<String> = values.iter().map(|&value| value.to_owned()).collect();
            assert_eq!(
                Tags::parse(&owned, "Latimer/1"),
                Tags { noindex, nofollow },
                "{values:?}"
            );
        }
    }

    #[test]
    fn headers_to_crawlers_are_repeated_as_one_r_s5() {
        for (values, expected) in [
            (vec!["noindex,nofollow"], Some("noindex,nofollow")),
            (
                vec!["googlebot: noindex", "nosnippet"],
                Some("nosnippet, googlebot: noindex"),
            ),
            (vec!["noindex, \"odd\", b\u{e4}d, a$b"], Some("noindex")),
            (vec!["", " "], None),
            (vec![], None),
        ] {
            let owned: Vec<String> = values.iter().map(|&value| value.to_owned()).collect();
            assert_eq!(header(&owned).as_deref(), expected, "{values:?}");
        }
        let long = header(&[format!("noindex, {}", "x".repeat(1_000))]);
        assert_eq!(long.as_deref(), Some("noindex"));
    }

    #[test]
    fn a_hostile_file_is_answered_in_time() {
        let hostile = format!(
            "User-agent: *\n{}",
            format!("Disallow: /{}$\n", "*a".repeat(40)).repeat(5_000)
        );
        let robots = Robots::parse(&hostile.as_bytes()[..LIMIT.min(hostile.len())], "Latimer");
        assert!(robots.allows(&format!("/{}b", "a".repeat(500))));
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_a_robots_txt(body in "(?s)(user-agent: \\*\n)?(disallow:|allow:|[^a-z]){0,9}.{0,60}", path in "/[a-z%*$]{0,20}") {
            let robots = Robots::parse(body.as_bytes(), "Latimer");
            assert!(robots.allows("/robots.txt") && (robots.allows(&path) || !robots.rules.is_empty()));
        }
    }
}
