//! Inline codes as HTML, for services that keep markup only when it is HTML.
//!
//! A pair is `<span id="1">…</span>`, a single code `<span id="2" translate="no">XC2</span>`: services drop elements
//! that hold nothing, so a word stands in it, and what comes back in its place is thrown away. No name or attribute of
//! an element of the page is ever in it. What comes back is rewritten into the notation of [`CodedText`] and read by
//! its reader, which decodes character references once.

use std::fmt::Write as _;

use crate::page::{CodedText, TextError, TextPiece};

/// Writes a text as HTML.
pub(super) fn to_html(text: &CodedText) -> String {
    let mut html = String::new();
    for piece in text.pieces() {
        let _ = match piece {
            TextPiece::Text(text) => write!(html, "{}", CodedText::plain(text).to_markup()),
            TextPiece::Open(id) => write!(html, "<span id=\"{id}\">"),
            TextPiece::Close(_) => write!(html, "</span>"),
            TextPiece::Single(id) => {
                write!(html, "<span id=\"{id}\" translate=\"no\">XC{id}</span>")
            }
        };
    }
    html
}

/// Reads the HTML that came back for a text.
///
/// # Errors
/// A [`TextError`] for any element but these, and for ones that are not well nested.
pub(super) fn from_html(html: &str, source: &CodedText) -> Result<CodedText, TextError> {
    let mut markup = String::new();
    let mut open = 0_u32;
    let mut rest = html;
    while let Some((before, tag, after)) = next_tag(rest) {
        markup.push_str(before);
        rest = after;
        match tag {
            SpanTag::Open(id) if source.pieces().any(|piece| piece == TextPiece::Single(id)) => {
                let _ = write!(markup, "<x id=\"{id}\"/>");
                rest = past_end(after).ok_or(TextError::Nesting(id))?;
            }
            SpanTag::Open(id) => {
                open += 1;
                let _ = write!(markup, "<g id=\"{id}\">");
            }
            SpanTag::Close => {
                open = open
                    .checked_sub(1)
                    .ok_or_else(|| TextError::Markup("</span>".into()))?;
                markup.push_str("</g>");
            }
            SpanTag::Other(text) => return Err(TextError::Markup(text.chars().take(40).collect())),
        }
    }
    markup.push_str(rest);
    CodedText::from_markup(&markup)
}

/// Removes spaces that services add inside pairs, and before commas and full stops.
pub(super) fn without_added_spaces(answer: CodedText, source: &CodedText) -> CodedText {
    let own = source_spaces(source);
    let mut pieces: Vec<(TextPiece<'_>, String)> = Vec::new();
    for piece in answer.pieces() {
        let text = if let TextPiece::Text(text) = piece {
            text.to_owned()
        } else {
            String::new()
        };
        pieces.push((piece, text));
    }
    for at in 0..pieces.len() {
        match pieces[at].0 {
            TextPiece::Open(id) if !own.contains(&TextPiece::Open(id)) => {
                move_space(&mut pieces, at, SpaceSide::Before)
            }
            TextPiece::Close(id) if !own.contains(&TextPiece::Close(id)) => {
                move_space(&mut pieces, at, SpaceSide::Behind)
            }
            TextPiece::Open(_)
            | TextPiece::Close(_)
            | TextPiece::Single(_)
            | TextPiece::Text(_) => {}
        }
    }
    let mut clean = CodedText::default();
    for (piece, text) in &pieces {
        match piece {
            TextPiece::Text(_) => {
                let mut text = text.clone();
                for sign in [',', '.'] {
                    if !source.text().contains(&format!(" {sign}")) {
                        text = without_space_before(sign, &text);
                    }
                }
                if !source.text().contains("  ") {
                    while text.contains("  ") {
                        text = text.replace("  ", " ");
                    }
                }
                clean.push_text(&text);
            }
            code => clean.push(*code),
        }
    }
    clean
}

/// Removes the space before a sign at the end of a word; names such as `.NET` keep theirs.
fn without_space_before(sign: char, text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    for (at, character) in text.char_indices() {
        let rest = text[at..]
            .strip_prefix(' ')
            .and_then(|rest| rest.strip_prefix(sign));
        let next = rest.and_then(|rest| rest.chars().next());
        let continues = next
            .is_some_and(|next| next.is_alphanumeric() || next == sign || "-_/$".contains(next));
        let is_added = rest.is_some() && !continues;
        if !is_added {
            clean.push(character);
        }
    }
    clean
}

/// The side of a tag on which a space belongs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SpaceSide {
    Before,
    Behind,
}

/// The tags with a space inside of their pair.
fn source_spaces(source: &CodedText) -> Vec<TextPiece<'_>> {
    let pieces: Vec<TextPiece<'_>> = source.pieces().collect();
    let mut spaced = Vec::new();
    for pair in pieces.windows(2) {
        match pair {
            [open @ TextPiece::Open(_), TextPiece::Text(text)]
                if text.starts_with(char::is_whitespace) =>
            {
                spaced.push(*open)
            }
            [TextPiece::Text(text), close @ TextPiece::Close(_)]
                if text.ends_with(char::is_whitespace) =>
            {
                spaced.push(*close)
            }
            _ => {}
        }
    }
    spaced
}

/// Moves the space inside of a pair to the other side of its tag, unless words have one there.
fn move_space(pieces: &mut [(TextPiece<'_>, String)], tag: usize, side: SpaceSide) {
    let (inside, outside) = match side {
        SpaceSide::Before => (Some(tag + 1), tag.checked_sub(1)),
        SpaceSide::Behind => (tag.checked_sub(1), Some(tag + 1)),
    };
    let Some((TextPiece::Text(_), text)) = inside.and_then(|at| pieces.get_mut(at)) else {
        return;
    };
    let trimmed = if side == SpaceSide::Before {
        text.trim_start()
    } else {
        text.trim_end()
    };
    if trimmed.len() == text.len() || trimmed.is_empty() {
        return;
    }
    *text = trimmed.to_owned();
    let Some((TextPiece::Text(_), text)) = outside.and_then(|at| pieces.get_mut(at)) else {
        return;
    };
    match side {
        SpaceSide::Before if text.ends_with(char::is_alphanumeric) => text.push(' '),
        SpaceSide::Behind if text.starts_with(char::is_alphanumeric) => text.insert(0, ' '),
        SpaceSide::Before | SpaceSide::Behind => {}
    }
}

enum SpanTag<'a> {
    Open(u32),
    Close,
    Other(&'a str),
}

/// The next tag, with the text before and after it. A `<` that begins no tag is text.
fn next_tag(html: &str) -> Option<(&str, SpanTag<'_>, &str)> {
    let mut from = 0;
    loop {
        let at = from + html[from..].find('<')?;
        let tail = &html[at..];
        if !tail[1..].starts_with(|next: char| next.is_ascii_alphabetic() || "/!?".contains(next)) {
            from = at + 1;
            continue;
        }
        let Some(length) = tail.find('>') else {
            return Some((&html[..at], SpanTag::Other(tail), ""));
        };
        let (tag, after) = tail.split_at(length + 1);
        return Some((&html[..at], read(tag), after));
    }
}

fn read(tag: &str) -> SpanTag<'_> {
    let inner = tag.trim_start_matches('<').trim_end_matches('>');
    if inner
        .strip_prefix('/')
        .is_some_and(|name| name.trim().eq_ignore_ascii_case("span"))
    {
        return SpanTag::Close;
    }
    let Some((name, attributes)) = inner.split_once(char::is_whitespace) else {
        return SpanTag::Other(tag);
    };
    if !name.eq_ignore_ascii_case("span") {
        return SpanTag::Other(tag);
    }
    identity(attributes).map_or(SpanTag::Other(tag), SpanTag::Open)
}

/// The number in the attribute `id`; the only other attribute that we sent, `translate`, is passed over.
fn identity(attributes: &str) -> Option<u32> {
    attributes.split_whitespace().find_map(|attribute| {
        let value = attribute
            .strip_prefix("id=")
            .or_else(|| attribute.strip_prefix("ID="))?;
        value.trim_matches(['"', '\'']).parse().ok()
    })
}

/// What follows the end tag of a single code; nothing but text may stand in one.
fn past_end(html: &str) -> Option<&str> {
    match next_tag(html)? {
        (_, SpanTag::Close, after) => Some(after),
        (_, SpanTag::Open(_) | SpanTag::Other(_), _) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spaces_that_services_add_are_taken_away_r_l23() {
        let read = |markup: &str| CodedText::from_markup(markup).unwrap();
        for (source, answer, expected) in [
            (
                "The <g id=\"1\">red</g>, house",
                "La <g id=\"1\"> roja </g> , casa",
                "La <g id=\"1\">roja</g>, casa",
            ),
            (
                "a <g id=\"1\">b</g> c",
                "x <g id=\"1\"> y </g> z",
                "x <g id=\"1\">y</g> z",
            ),
            (
                "a <g id=\"1\">b</g> c",
                "x<g id=\"1\"> y </g>z",
                "x <g id=\"1\">y</g> z",
            ),
            (
                "a<g id=\"1\"> b</g>",
                "x<g id=\"1\"> y</g>",
                "x<g id=\"1\"> y</g>",
            ),
            (
                "<g id=\"1\">b</g>.",
                "<g id=\"1\"> y </g> .",
                "<g id=\"1\">y</g>.",
            ),
            ("1 , 2", "1 , 2", "1 , 2"),
            ("Red, blue", "Rojo , azul", "Rojo, azul"),
            (
                "The framework",
                "La framework .NET o .gitignore .",
                "La framework .NET o .gitignore.",
            ),
            ("It costs .5", "Cuesta ,5 o ...", "Cuesta ,5 o ..."),
        ] {
            let clean = without_added_spaces(read(answer), &read(source));
            assert_eq!(clean.to_markup(), expected, "{answer}");
        }
    }

    #[test]
    fn codes_travel_as_spans_and_entities_are_decoded_once() {
        let source =
            CodedText::from_markup("A <g id=\"1\">b &amp; c</g> <x id=\"2\"/> &lt;i>").unwrap();
        let html = "A <span id=\"1\">b &amp; c</span> <span id=\"2\" translate=\"no\">XC2</span> &lt;i&gt;";
        assert_eq!(to_html(&source), html);
        for (answer, expected) in [
            (html, "A <g id=\"1\">b &amp; c</g> <x id=\"2\"/> &lt;i&gt;"),
            (
                "<span id='2' translate='no'>XC 2</span><SPAN ID=1>l&#39;&eacute;t&eacute;</SPAN>",
                "<x id=\"2\"/><g id=\"1\">l'été</g>",
            ),
            (
                "&amp;lt;b&amp;gt; &amp;amp; 1 < 2",
                "&amp;lt;b&amp;gt; &amp;amp; 1 &lt; 2",
            ),
            ("<span translate=\"no\" id=\"2\"></span>", "<x id=\"2\"/>"),
        ] {
            assert_eq!(
                from_html(answer, &source).map(|text| text.to_markup()),
                Ok(expected.into()),
                "{answer}"
            );
        }
        for broken in [
            "<script>x</script>",
            "a</span>",
            "<span id=\"1\">a",
            "<span>a</span>",
            "<span id=\"2\">a <b>c</b></span>",
            "<span id=\"2\">a",
            "<span id=\"1\"",
            "<!-- x -->",
        ] {
            assert!(from_html(broken, &source).is_err(), "{broken}");
        }
    }
}
