//! The lines of a `.htaccess`, as Apache reads them, and which addresses they would take.
//!
//! Patterns are Perl's there. Those that a regular language can say are read here as bytes, as Apache does; others are not
//! judged, and whoever asks has to assume the worst.

use std::collections::BTreeSet;

use regex_automata::meta::Regex;
use regex_automata::util::syntax;

/// Sections that say when, and not of which files.
const TRANSPARENT: [&str; 6] = [
    "ifmodule",
    "ifdefine",
    "ifversion",
    "iffile",
    "ifdirective",
    "ifsection",
];
/// Who may read what.
const LOCKS: [&str; 13] = [
    "require",
    "authtype",
    "authname",
    "authuserfile",
    "authgroupfile",
    "authbasicprovider",
    "authmerging",
    "order",
    "allow",
    "deny",
    "satisfy",
    "sslrequire",
    "sslrequiressl",
];
/// How much of a line is shown.
const SHOWN: usize = 80;

/// What a line says.
#[derive(Debug)]
pub(super) struct Directive {
    /// The number of its line.
    pub(super) line: usize,
    /// The number of the last line that it goes over.
    pub(super) last: usize,
    /// Whether it stands in a section for some files or requests alone.
    pub(super) is_of_some: bool,
    name: String,
    words: Vec<String>,
}

/// Addresses that a directive matches.
#[derive(Default)]
pub(super) struct MatchedAddresses<'a> {
    /// The first of them; `None` if it matches none.
    pub(super) first: Option<&'a String>,
}

/// What a file says; with a sentence's beginning about a section that does not fit.
pub(super) fn directives(text: &str) -> Result<Vec<Directive>, String> {
    let (mut found, mut open): (Vec<Directive>, Vec<(usize, String)>) = (Vec::new(), Vec::new());
    let mut lines = text.lines().enumerate();
    while let Some((at, line)) = lines.next() {
        let mut whole = line.to_owned();
        let mut last = at;
        while whole.ends_with('\\') {
            whole.pop();
            let Some((next, more)) = lines.next() else {
                break;
            };
            whole.push_str(more);
            last = next;
        }
        let whole = whole.trim();
        if whole.contains(char::REPLACEMENT_CHARACTER) {
            return Err(format!("line {} is no UTF-8 in what is read", at + 1));
        }
        if whole.is_empty() || whole.starts_with('#') {
            continue;
        }
        if let Some(section) = whole.strip_prefix('<') {
            let name: String = section
                .trim_start_matches('/')
                .chars()
                .take_while(|c| c.is_alphanumeric())
                .collect();
            let name = name.to_lowercase();
            match section.starts_with('/') {
                true if open.last().is_some_and(|(_, opened)| *opened == name) => drop(open.pop()),
                true => {
                    return Err(format!(
                        "line {} ends a section <{name}> that is not open",
                        at + 1
                    ));
                }
                false => open.push((at + 1, name)),
            }
            continue;
        }
        let words = words(whole);
        let name = words
            .first()
            .map(|name| name.to_lowercase())
            .unwrap_or_default();
        let is_of_some = open
            .iter()
            .any(|(_, section)| !TRANSPARENT.contains(&section.as_str()));
        found.push(Directive {
            line: at + 1,
            last: last + 1,
            is_of_some,
            name,
            words,
        });
    }
    match open.last() {
        None => Ok(found),
        Some((line, section)) => Err(format!(
            "line {line} begins a section <{section}> that does not end"
        )),
    }
}

/// The words of a line; quotes hold some together.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut chars = line.chars().peekable();
    while chars.next_if(|c| c.is_whitespace()).is_some() || chars.peek().is_some() {
        let quote = chars.next_if(|c| matches!(c, '"' | '\''));
        let mut word = String::new();
        while let Some(c) = chars
            .peek()
            .copied()
            .filter(|c| quote.is_some() || !c.is_whitespace())
        {
            chars.next();
            match c {
                '\\' => word.push(
                    chars
                        .next_if(|next| *next == '\\' || Some(*next) == quote)
                        .unwrap_or(c),
                ),
                _ if Some(c) == quote => break,
                _ => word.push(c),
            }
        }
        if quote.is_some() || !word.is_empty() {
            words.push(word);
        }
    }
    words
}

impl Directive {
    /// Its first word, in small letters.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn is(&self, name: &str) -> bool {
        self.name == name
    }

    pub(super) fn word(&self, at: usize) -> Option<&str> {
        self.words.get(at).map(String::as_str)
    }

    /// Whether it says who may read.
    pub(super) fn is_lock(&self) -> bool {
        LOCKS.contains(&self.name())
    }

    /// The header that it is about, in small letters.
    pub(super) fn header(&self) -> Option<String> {
        if self.name.starts_with("expires") {
            return Some("cache-control".to_owned());
        }
        if !self.is("header") {
            return None;
        }
        let is_when = self
            .word(1)
            .is_some_and(|word| matches!(&*word.to_lowercase(), "always" | "onsuccess"));
        self.word(2 + usize::from(is_when))
            .map(|name| name.trim_end_matches(':').to_lowercase())
    }

    /// Why it cannot stay, with what to do.
    pub(super) fn refused(&self, file: &str, why: &str, way: &str) -> String {
        let said: String = self.words.join(" ").chars().take(SHOWN).collect();
        let line = self.line;
        format!(
            "line {line} of the site's {file} ({said}) {why}; {way}, or leave the file out with `exclude`"
        )
    }

    /// Whether a rewrite rule has one of these flags.
    pub(super) fn has_flag(&self, names: &[&str]) -> bool {
        let flags = self
            .word(3)
            .unwrap_or_default()
            .trim_start_matches('[')
            .trim_end_matches(']')
            .to_lowercase();
        flags
            .split(',')
            .any(|flag| names.contains(&flag.trim().split('=').next().unwrap_or_default()))
    }

    /// Whether a rewrite rule changes or ends anything, and does not only set a variable.
    pub(super) fn ends(&self) -> bool {
        let ends = [
            "f",
            "forbidden",
            "g",
            "gone",
            "r",
            "redirect",
            "l",
            "last",
            "end",
            "n",
            "next",
            "p",
            "proxy",
            "s",
            "skip",
        ];
        self.word(2) != Some("-") || self.has_flag(&ends)
    }

    /// Whether a rewrite rule only leads to another host or to HTTPS: all that it asks for is which those are.
    pub(super) fn leads_to_another_host(&self, conditions: &[&Self]) -> bool {
        let asked = [
            "%{https}",
            "%{http_host}",
            "%{server_name}",
            "%{server_port}",
            "%{request_scheme}",
            "%{http:x-forwarded-proto}",
        ];
        let is_of_host = |condition: &&Self| {
            condition
                .word(1)
                .is_some_and(|test| asked.contains(&&*test.to_lowercase()))
        };
        let is_full = self
            .word(2)
            .is_some_and(|to| to.starts_with("http://") || to.starts_with("https://"));
        is_full && !conditions.is_empty() && conditions.iter().all(is_of_host)
    }

    /// The addresses that a rewrite rule would take; `None` if its pattern cannot be read.
    pub(super) fn rewritten<'a>(
        &self,
        addresses: &'a BTreeSet<String>,
    ) -> Option<MatchedAddresses<'a>> {
        let pattern = self.word(1)?;
        let (pattern, wanted) = pattern
            .strip_prefix('!')
            .map_or((pattern, true), |pattern| (pattern, false));
        let pattern = compiled(pattern, self.has_flag(&["nc", "nocase"]))?;
        let is_taken =
            |address: &&String| pattern.is_match(address.trim_start_matches('/')) == wanted;
        Some(MatchedAddresses {
            first: addresses.iter().find(is_taken),
        })
    }

    /// The first address that a `Redirect` would take.
    pub(super) fn redirected<'a>(&self, addresses: &'a BTreeSet<String>) -> Option<&'a String> {
        let path = self
            .words
            .iter()
            .skip(1)
            .find(|word| word.starts_with('/'))?;
        let folder = format!("{}/", path.trim_end_matches('/'));
        addresses
            .iter()
            .find(|address| *address == path || address.starts_with(&folder))
    }

    /// The addresses that a `RedirectMatch` would take; `None` if its pattern cannot be read.
    pub(super) fn redirect_matched<'a>(
        &self,
        addresses: &'a BTreeSet<String>,
    ) -> Option<MatchedAddresses<'a>> {
        let is_status = |word: &str| {
            word.bytes().all(|byte| byte.is_ascii_digit())
                || matches!(word, "permanent" | "temp" | "seeother" | "gone")
        };
        let at = 1 + usize::from(self.word(1).is_some_and(is_status));
        let pattern = compiled(self.word(at)?, false)?;
        Some(MatchedAddresses {
            first: addresses
                .iter()
                .find(|address| pattern.is_match(address.as_str())),
        })
    }

    /// Whether options forbid what rewrite rules need.
    pub(super) fn forbids_rewriting(&self) -> bool {
        let words: Vec<String> = self
            .words
            .iter()
            .skip(1)
            .map(|word| word.to_lowercase())
            .collect();
        let is_link =
            |word: &str| matches!(word, "followsymlinks" | "symlinksifownermatch" | "all");
        let is_relative = words.iter().any(|word| word.starts_with(['+', '-']));
        match is_relative {
            true => words
                .iter()
                .any(|word| word.strip_prefix('-').is_some_and(is_link)),
            false => !words.iter().any(|word| is_link(word)),
        }
    }
}

/// A pattern over bytes, as Apache compares it.
fn compiled(pattern: &str, is_any_case: bool) -> Option<Regex> {
    let syntax = syntax::Config::new()
        .unicode(false)
        .utf8(false)
        .case_insensitive(is_any_case);
    Regex::builder().syntax(syntax).build(pattern).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(line: &str, address: &str) -> Option<bool> {
        let found = directives(line).unwrap();
        let line = &found[0];
        let all = BTreeSet::from([address.to_owned()]);
        match line.name() {
            "rewriterule" => line.rewritten(&all).map(|taken| taken.first.is_some()),
            "redirectmatch" => line
                .redirect_matched(&all)
                .map(|taken| taken.first.is_some()),
            _ => Some(line.redirected(&all).is_some()),
        }
    }

    #[test]
    fn lines_take_the_addresses_that_apache_would_give_them() {
        for (line, address, expected) in [
            ("RewriteRule ^old$ /new [R=301,L]", "/old", Some(true)),
            ("RewriteRule ^old$ /new [R=301,L]", "/es/old", Some(false)),
            ("rewriterule . /index.php [L]", "/es/a", Some(true)),
            ("RewriteRule ^ES/ / [NC]", "/es/a", Some(true)),
            ("RewriteRule !^es/ /x", "/es/a", Some(false)),
            ("RewriteRule \"^es/a b$\" /x", "/es/a b", Some(true)),
            ("RewriteRule ^(\\d+)\\.html$ /x", "/12.html", Some(true)),
            ("RewriteRule ^(?!es/) /x", "/es/a", None),
            ("Redirect 301 /es /en", "/es/a", Some(true)),
            ("Redirect /es/ /en", "/es", Some(false)),
            ("RedirectPermanent /e /en", "/es/a", Some(false)),
            ("Redirect gone /es/a", "/es/a", Some(true)),
            ("RedirectMatch 301 ^/e(.*) /x$1", "/es/a", Some(true)),
            ("RedirectMatch ^/news/ /x", "/es/a", Some(false)),
        ] {
            assert_eq!(taken(line, address), expected, "{line}");
        }
    }

    #[test]
    fn sections_and_lines_that_go_on_are_read_as_apache_reads_them() {
        let text = "# one \\\nstill a comment\n<IfModule mod_headers.c>\n Header always set \\\n  X-A \"b c\"\n</IfModule>\n\
                    <Files \"a.html\">\nRequire all denied\n</files>\nExpiresActive On\n";
        let found = directives(text).unwrap();
        let told: Vec<_> = found
            .iter()
            .map(|line| (line.line, line.last, line.is_of_some, line.words.len()))
            .collect();
        assert_eq!(
            told,
            [(4, 5, false, 5), (8, 8, true, 4 - 1), (10, 10, false, 2)]
        );
        assert_eq!(found[0].header().as_deref(), Some("x-a"));
        assert_eq!(found[2].header().as_deref(), Some("cache-control"));
        for (text, said) in [
            (
                "<Files a>\n",
                "line 1 begins a section <files> that does not end",
            ),
            (
                "a\n</IfModule>\n",
                "line 2 ends a section <ifmodule> that is not open",
            ),
        ] {
            assert_eq!(directives(text).unwrap_err(), said);
        }
    }

    #[test]
    fn options_without_links_forbid_rewriting() {
        for (line, expected) in [
            ("Options -Indexes", false),
            ("Options +FollowSymLinks -Indexes", false),
            ("Options -FollowSymLinks", true),
            ("Options None", true),
            ("Options Indexes FollowSymLinks", false),
            ("Options All", false),
        ] {
            assert_eq!(
                directives(line).unwrap()[0].forbids_rewriting(),
                expected,
                "{line}"
            );
        }
    }
}
