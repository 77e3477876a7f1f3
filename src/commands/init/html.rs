//! A glance at a page's head, enough for a proposal: not a parser, and nothing that is published depends on it.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// How much of a page is looked at.
const HEAD_BYTES: u64 = 64 * 1024;

/// Reads the beginning of a page.
pub(super) fn read_head(path: &Path) -> io::Result<String> {
    let mut bytes = Vec::new();
    File::open(path)?.take(HEAD_BYTES).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The start tags of an element, in order; the attributes of each by [`attribute`].
pub(super) fn tags<'a>(html: &'a str, name: &str) -> Vec<&'a str> {
    let tag = |at: usize| {
        let rest = html.get(at + 1..)?;
        let found = rest.get(..name.len())?.eq_ignore_ascii_case(name);
        let ends = rest
            .get(name.len()..)?
            .starts_with(|next: char| next.is_ascii_whitespace() || next == '>');
        (found && ends).then(|| &rest[name.len()..rest.find('>').unwrap_or(rest.len())])
    };
    html.match_indices('<')
        .filter_map(|(at, _)| tag(at))
        .collect()
}

/// The value of an attribute of a tag that [`tags`] gave.
pub(super) fn attribute<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    let lower = tag.to_ascii_lowercase();
    let value = lower.match_indices(name).find_map(|(at, _)| {
        let begins = lower[..at].ends_with(|before: char| before.is_ascii_whitespace());
        let value = tag[at + name.len()..]
            .trim_start()
            .strip_prefix('=')?
            .trim_start();
        begins.then_some(value)
    })?;
    match value.strip_prefix(['"', '\'']) {
        Some(quoted) => quoted.split(value.chars().next()?).next(),
        None => value
            .split_ascii_whitespace()
            .next()
            .map(|bare| bare.trim_end_matches('/')),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_are_found_however_they_are_written() {
        for (html, element, name, expected) in [
            ("<html lang=\"en-GB\">", "html", "lang", Some("en-GB")),
            (
                "<!doctype html><HTML class=x LANG = 'de' >",
                "html",
                "lang",
                Some("de"),
            ),
            ("<html lang=fr>", "html", "lang", Some("fr")),
            ("<html xml:lang=\"de\">", "html", "lang", None),
            (
                "<meta name=generator content=\"Hugo 0.1\" />",
                "meta",
                "content",
                Some("Hugo 0.1"),
            ),
            ("<metadata lang=a>", "meta", "lang", None),
            ("<html", "html", "lang", None),
            ("<html lang", "html", "lang", None),
        ] {
            let found = tags(html, element)
                .first()
                .and_then(|tag| attribute(tag, name));
            assert_eq!(found, expected, "{html}");
        }
    }
}
