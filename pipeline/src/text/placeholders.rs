//! Words that no engine may change: template variables, addresses, file names, pictographs; and the marker words
//! that stand for them, and for inline codes, in a text for an engine that knows text only.
//!
//! A marker is two letters and a number, such as `XC1`: over 99.8 % of them survive the engines that we measured,
//! where `{0}` or `⟦0⟧` survive in none. The letters are chosen so that the text itself does not hold them.

use std::ops::Range;

use super::code_names::{commands, is_code_name, is_unmistakable};
use super::script::is_word_letter;
use crate::page::expressions;

/// Letter pairs for markers, the best-measured first.
const PREFIXES: [&str; 8] = ["XC", "XQ", "ZX", "QX", "XZ", "ZQ", "QZ", "XJ"];

/// Byte ranges of the words that must come back as they are, in order.
pub(crate) fn volatile(text: &str) -> Vec<Range<usize>> {
    let addresses = addresses(text);
    let mut found = variables(text);
    found.retain(|variable| !overlaps_any(&addresses, variable));
    found.extend(addresses);
    found.sort_by_key(|range| range.start);
    let is_name = |token: &Range<usize>| {
        !overlaps_any(&found, token) && is_address_or_name(&text[token.clone()])
    };
    let tokens = tokens(text);
    let commands = commands(text, &tokens);
    let names: Vec<Range<usize>> = tokens.into_iter().filter(is_name).collect();
    found.extend(commands);
    found.extend(names);
    found.extend(pictographs(text));
    found.sort_by_key(|range| (range.start, std::cmp::Reverse(range.end)));
    let mut last = 0;
    found.retain(|range| {
        let fresh = range.start >= last;
        last = if fresh { range.end } else { last };
        fresh
    });
    found
}

/// A text without these parts of it, which stand in order.
pub(crate) fn without(text: &str, parts: impl IntoIterator<Item = Range<usize>>) -> String {
    let mut rest = String::new();
    let mut at = 0;
    for part in parts {
        rest.push_str(&text[at..part.start]);
        at = part.end;
    }
    rest + &text[at..]
}

/// Whether a range has a byte in common with one of these, which stand in order and apart from each other.
fn overlaps_any(sorted: &[Range<usize>], range: &Range<usize>) -> bool {
    let next = sorted.partition_point(|known| known.end <= range.start);
    sorted
        .get(next)
        .is_some_and(|known| known.start < range.end)
}

/// Longer than addresses are, in bytes: what has a mark of one and is longer stays as it is without a closer look.
const LONGEST_ADDRESS: usize = 2048;

/// Byte ranges of web and mail addresses, wherever they begin: Japanese and Chinese put no space before them.
pub(crate) fn addresses(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let schemes = text
        .match_indices("://")
        .map(|(at, _)| start_of(text, at, |c| c.is_ascii_alphanumeric() || "+.-".contains(c)));
    let hosts = text
        .match_indices("www.")
        .map(|(at, _)| at)
        .filter(|&at| !text[..at].ends_with(|c: char| c.is_ascii_alphanumeric()));
    let mails = text.match_indices('@').map(|(at, _)| {
        start_of(text, at, |c| {
            c.is_ascii_alphanumeric() || "._%+-".contains(c)
        })
    });
    let mut starts: Vec<usize> = schemes.chain(hosts).chain(mails).collect();
    starts.sort_unstable();
    let is_inside =
        |c: char| (c.is_ascii_graphic() && !"<>\"`|\\^".contains(c)) || is_word_letter(c);
    let mut end = 0;
    for start in starts {
        if end <= start {
            end = text[start..]
                .find(|c: char| !is_inside(c))
                .map_or(text.len(), |length| start + length);
        }
        if found.last().is_some_and(|last| last.end > start) {
            continue;
        }
        let whole = &text[start..end];
        if whole.len() > LONGEST_ADDRESS {
            found.push(start..end);
            continue;
        }
        let mut kept = whole.trim_end_matches(CLOSING);
        if whole[kept.len()..].starts_with(')')
            && kept.matches('(').count() > kept.matches(')').count()
        {
            kept = &whole[..=kept.len()]; // a parenthesis that the address itself opened
        }
        if is_address(kept) || is_mail(kept) {
            found.push(start..start + kept.len());
        }
    }
    found
}

/// Where the characters before a place begin that belong to it.
fn start_of(text: &str, at: usize, belongs: fn(char) -> bool) -> usize {
    at - text[..at]
        .chars()
        .rev()
        .take_while(|&character| belongs(character))
        .map(char::len_utf8)
        .sum::<usize>()
}

/// Byte ranges of template variables and expressions: `%s`, `%1$d`, `%(name)s`, `{0}`, `{name}`, `{{x}}`, `${x}`, `%{name}`,
/// and all that the page core knows, such as `<% x %>` in the value of an attribute.
pub(crate) fn variables(text: &str) -> Vec<Range<usize>> {
    let mut found = expressions(text);
    let known = found.len();
    let mut at = 0;
    while let Some(next) = text[at..].find(['%', '{', '$']) {
        let start = at + next;
        if let Some(expression) = found[..known]
            .iter()
            .find(|expression| expression.contains(&start))
        {
            at = expression.end;
            continue;
        }
        let tail = &text[start..];
        let length = match tail.as_bytes() {
            [b'{', ..] => braces(tail),
            [b'$', b'{', ..] | [b'%', b'{', ..] => braces(&tail[1..]).map(|length| length + 1),
            [b'%', ..] => conversion(tail),
            _ => None,
        };
        found.extend(length.map(|length| start..start + length));
        at = start + length.unwrap_or(1);
    }
    found.sort_by_key(|range| range.start);
    found
}

/// How far the end of a template variable is looked for, in bytes.
const FAR: usize = 160;

/// The beginning of a text, up to so many bytes.
fn beginning(text: &str) -> &str {
    &text[..text.floor_char_boundary(FAR)]
}

/// Length of `{…}` or `{{…}}` when what is inside is short and no prose.
fn braces(tail: &str) -> Option<usize> {
    let tail = beginning(tail);
    let depth = tail.bytes().take_while(|&byte| byte == b'{').count();
    let close = "}".repeat(depth);
    let end = depth + tail[depth..].find(&close)?;
    let inside = tail[depth..end].trim();
    let plain = depth > 1 || !inside.contains(char::is_whitespace);
    (inside.len() <= 80 && plain && !inside.contains(['{', '}'])).then_some(end + depth)
}

/// Length of a printf conversion that no letter follows.
fn conversion(tail: &str) -> Option<usize> {
    let mut rest = &tail[1..];
    if let Some(named) = rest.strip_prefix('(') {
        rest = &named[beginning(named).find(')')? + 1..];
    }
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let width = digits(rest);
    rest = match rest[width..].strip_prefix('$') {
        Some(positional) => positional,
        None => &rest[width..],
    };
    if let Some(precision) = rest.strip_prefix('.') {
        rest = &precision[digits(precision)..];
    }
    rest = rest.trim_start_matches(['l', 'h']);
    let kind = rest
        .chars()
        .next()
        .filter(|kind| "sdiufxXoeEgGc@".contains(*kind))?;
    rest = &rest[kind.len_utf8()..];
    (!rest.starts_with(char::is_alphanumeric)).then_some(tail.len() - rest.len())
}

/// What stands after a word and does not belong to it.
const CLOSING: [char; 17] = [
    ')', ']', '}', '>', '"', '\'', '”', '’', '»', '“', '.', ',', ';', ':', '!', '?', '…',
];

/// White-space-separated words without the punctuation and brackets around them.
fn tokens(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    for word in text.split(|character: char| character.is_whitespace()) {
        let opening = |c: char| "([{<\"'“‘«„¿¡".contains(c);
        let inner = word.trim_start_matches(opening);
        let start = at + word.len() - inner.len();
        let mut kept = inner.trim_end_matches(CLOSING);
        if inner[kept.len()..].starts_with(')')
            && kept.matches('(').count() > kept.matches(')').count()
        {
            kept = &inner[..=kept.len()]; // a parenthesis that the address itself opened
        }
        found.extend(Some(start..start + kept.len()).filter(|range| !range.is_empty()));
        at += word.len()
            + text[at + word.len()..]
                .chars()
                .next()
                .map_or(0, char::len_utf8);
    }
    found
}

fn is_address_or_name(token: &str) -> bool {
    let handle = token
        .strip_prefix(['@', '#'])
        .is_some_and(|name| name.starts_with(|c: char| c.is_ascii_alphabetic()));
    handle
        || (token.is_ascii() && is_address(token))
        || is_path(token)
        || is_dotted_name(token)
        || is_code_name(token)
}

/// Byte ranges of code names that every translation must have, in order; fewer than engines get as placeholders. Other
/// scripts transliterate names such as `YouTube`.
pub(super) fn identifiers(text: &str, is_latin: bool) -> Vec<Range<usize>> {
    let tokens = tokens(text);
    let mut found = commands(text, &tokens);
    let has_dashes = text
        .match_indices("--")
        .any(|(at, dashes)| !is_option(&text[at..], dashes));
    found.extend(tokens.into_iter().filter(|token| {
        let token = &text[token.clone()];
        is_unmistakable_path(token, has_dashes)
            || is_unmistakable(token, is_latin)
            || (token.contains('/') && is_file_name(token) && !is_address(token))
    }));
    found.sort_by_key(|range| range.start);
    found
}

/// Recognizes paths that resemble neither a unit such as `/month` nor a word after a dash such as `--and`.
fn is_unmistakable_path(token: &str, has_dashes: bool) -> bool {
    let is_whole = match token.strip_prefix('/') {
        Some(rest) => rest.contains(['/', '.', '_']),
        None => !(has_dashes && is_option(token, "--")),
    };
    is_whole && is_path(token)
}

/// True if a text begins with an option such as `--flag`.
fn is_option(text: &str, dashes: &str) -> bool {
    text.strip_prefix(dashes)
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphanumeric()))
}

/// Recognizes `docs/index.html`; not `a.m./p.m`.
fn is_file_name(token: &str) -> bool {
    let mut names = token.split('/').filter_map(|name| name.rsplit_once('.'));
    is_dotted_name(token) && names.any(|(stem, extension)| stem.len() > 1 && extension.len() > 1)
}

fn is_address(token: &str) -> bool {
    let lower = token.to_ascii_lowercase();
    token.contains("://")
        || lower.starts_with("www.")
        || lower.starts_with("mailto:")
        || lower.starts_with("tel:")
}

fn is_mail(token: &str) -> bool {
    token.split_once('@').is_some_and(|(name, host)| {
        !name.is_empty() && host.contains('.') && !host.contains('@') && token.is_ascii()
    })
}

fn is_path(token: &str) -> bool {
    let rooted = ["/", "./", "../", "~/", "~/.", "--"]
        .into_iter()
        .any(|start| {
            token
                .strip_prefix(start)
                .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphanumeric()))
        });
    let option = matches!(token.as_bytes(), [b'-', letter] if letter.is_ascii_alphabetic());
    let joined =
        token.trim_matches('_').contains(['_', '\\']) && token.contains(char::is_alphanumeric);
    token.is_ascii() && (rooted || joined || option)
}

/// `index.html`, `latimer-0.1.0.tar.gz`, `example.com`, `v1.2.3`; not `e.g`, `3.5` or a missing space after a stop.
fn is_dotted_name(token: &str) -> bool {
    let Some((stem, last)) = token.rsplit_once('.') else {
        return false;
    };
    if !token.is_ascii() || !token.contains(|c: char| c.is_ascii_alphabetic()) || stem.is_empty() {
        return false;
    }
    let version =
        token.starts_with(['v', 'V']) && token[1..].chars().all(|c| c.is_ascii_digit() || c == '.');
    let digits = stem.chars().any(|c| c.is_ascii_digit());
    let extension = (1..=8).contains(&last.len())
        && last
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '/' || c == '-');
    let long = token.split('.').any(|part| part.len() > 1);
    version || (extension && long && (last.contains(|c: char| c.is_ascii_lowercase()) || digits))
}

/// Runs of pictographs and arrows, which are missing in every vocabulary and vanish.
fn pictographs(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for (at, character) in text.char_indices() {
        let code = u32::from(character);
        let end = at + character.len_utf8();
        let joins = matches!(code, 0x200D | 0x20E3 | 0xFE0E | 0xFE0F);
        let pictograph = matches!(code, 0x2190..=0x2BFF | 0x1F000..=0x1FAFF);
        match found.last_mut() {
            Some(last) if (pictograph || joins) && last.end == at => last.end = end,
            Some(_) | None if pictograph => found.push(at..end),
            Some(_) | None => {}
        }
    }
    found
}

/// The letters of the markers for this text, or `None` when it holds every pair we know.
pub(crate) fn marker_prefix(text: &str) -> Option<&'static str> {
    let upper = text.to_uppercase();
    PREFIXES.into_iter().find(|prefix| !upper.contains(prefix))
}

/// Finds the markers of an answer: byte range and number of each. What is only the remains of one, such as `aXC1` or
/// `XC`, has the number 0; the letters inside a word, as in "exceto", are none.
pub(crate) fn markers(text: &str, prefix: &str) -> Vec<(Range<usize>, usize)> {
    let upper = text.to_ascii_uppercase(); // same byte positions
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(next) = upper[at..].find(prefix) {
        let start = at + next;
        let digits = start + prefix.len();
        let end = digits
            + upper[digits..]
                .bytes()
                .take_while(u8::is_ascii_digit)
                .count();
        let free = !text[..start].ends_with(char::is_alphanumeric)
            && !text[end..].starts_with(char::is_alphanumeric);
        if end > digits {
            found.push((
                start..end,
                upper[digits..end]
                    .parse()
                    .ok()
                    .filter(|_| free)
                    .unwrap_or(0),
            ));
        } else if free && text[start..end] == *prefix {
            found.push((start..end, 0));
        }
        at = end;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let found: Vec<&str> = volatile(text)
            .into_iter()
            .map(|range| &text[range])
            .collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn what_must_not_change_is_found_f14() {
        for (text, expected) in [
            (
                "Hello %1$s, %3$s of {{ count }} in {name} ${x} %(n)d",
                vec!["%1$s", "%3$s", "{{ count }}", "{name}", "${x}", "%(n)d"],
            ),
            (
                "詳細はhttps://example.com/をご覧ください。a@b.example へ",
                vec!["https://example.com/", "a@b.example"],
            ),
            (
                "https://bücher.example/ü und URL:https://x.example",
                vec!["https://bücher.example/ü", "https://x.example"],
            ),
            (
                "to https://a.example/{id}/b?c=%s.",
                vec!["https://a.example/{id}/b?c=%s"],
            ),
            (
                "Name of <%= who %>, [map x=\"1\"] {n, plural, other {# of {name}}} ${x}",
                vec![
                    "<%= who %>",
                    "[map x=\"1\"]",
                    "{n, plural, other {# of {name}}}",
                    "${x}",
                ],
            ),
            (
                "100% sure, 50 % done, 5%discount, {not a variable here}",
                vec![],
            ),
            (
                "Write to info@example.com. See https://a.example/b_(c)?d=1!",
                vec!["info@example.com", "https://a.example/b_(c)?d=1"],
            ),
            (
                "Open index.html or latimer-0.1.0.tar.gz (v1.2.3) on example.com",
                vec![
                    "index.html",
                    "latimer-0.1.0.tar.gz",
                    "v1.2.3",
                    "example.com",
                ],
            ),
            (
                "e.g. at 3.5 or 1,234.56 in the U.S. on its own.Then",
                vec![],
            ),
            ("Thanks to @ana, #rust and C#", vec!["@ana", "#rust"]),
            (
                "in /usr/share, snake_case, --flag, and/or",
                vec!["/usr/share", "snake_case", "--flag"],
            ),
            (
                "Run pip install packaging, then cargo build or make install; call Vec::new() of java.util.List",
                vec!["pip install", "cargo build", "Vec::new()", "java.util.List"],
            ),
            (
                "The __init__ of _private in ~/.bashrc, with -v",
                vec!["__init__", "_private", "~/.bashrc", "-v"],
            ),
            ("An _emphasis_ of words - and __ or -5", vec![]),
            ("A git of words, an apt word and GitHub", vec!["GitHub"]),
            ("Deploy 🚀🚀 now → go ✔️", vec!["🚀🚀", "→", "✔️"]),
        ] {
            check(text, &expected);
        }
    }

    #[test]
    fn only_unmistakable_names_block_r_k1() {
        for (text, expected) in [
            ("From $5 /month or 3 /user", vec![]),
            ("Bread --and wine-- is fresh --really--", vec![]),
            ("At 5 a.m./p.m. or e.g./i.e. km/h", vec![]),
            (
                "In /etc/hosts and ./run or ~/x with --flag and -v",
                vec!["/etc/hosts", "./run", "~/x", "--flag", "-v"],
            ),
            (
                "Open docs/index.html of my_file",
                vec!["docs/index.html", "my_file"],
            ),
        ] {
            let found: Vec<&str> = identifiers(text, true)
                .into_iter()
                .map(|range| &text[range])
                .collect();
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn markers_never_collide_with_the_text() {
        assert_eq!(marker_prefix("plain"), Some("XC"));
        assert_eq!(marker_prefix("set xc1 and XQ"), Some("ZX"));
        assert_eq!(marker_prefix(&PREFIXES.concat()), None);
        assert_eq!(markers("a XC1, Xc12.", "XC"), [(2..5, 1), (7..11, 12)]);
        assert_eq!(
            markers("exceto aXC1 XC2s XC", "XC"),
            [(8..11, 0), (12..15, 0), (17..19, 0)]
        );
    }
}
