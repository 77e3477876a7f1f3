//! Shortcodes of WordPress and others, such as `[gallery ids="1,2"]` and `[row]…[/row]`. A word in brackets, such as
//! `[sic]`, is none.

use super::expression::{Expression, FAR, beginning, position};

/// The shortcode that begins at a byte of a text.
pub(super) fn read(whole: &[u8], at: usize) -> Option<Expression> {
    let text = beginning(&whole[at..], FAR);
    let closes = text.get(1) == Some(&b'/');
    let start = if closes { 2 } else { 1 };
    let name = name(text.get(start..)?)?;
    let after = start + name.len();
    let rest = &text[after..];
    match rest {
        [b']', ..] if closes => Some(Expression {
            length: after + 1,
            shows: false,
        }),
        [b']', ..] => {
            let is_code =
                name.iter().any(|byte| matches!(byte, b'_' | b'-')) || is_closed(whole, at, name);
            if is_code {
                Some(Expression {
                    length: after + 1,
                    shows: false,
                })
            } else {
                None
            }
        }
        [space, ..]
            if space.is_ascii_whitespace()
                && !closes
                && begins_attribute(rest.trim_ascii_start()) =>
        {
            let length = after + end_of_attributes(rest)? + 1;
            Some(Expression {
                length,
                shows: !is_closed(whole, at, name),
            })
        }
        _ => None,
    }
}

/// The name with which a text begins.
fn name(text: &[u8]) -> Option<&[u8]> {
    let length = text
        .iter()
        .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
        .count();
    let name = &text[..length];
    name.first().filter(|first| first.is_ascii_alphabetic())?;
    Some(name)
}

fn begins_attribute(text: &[u8]) -> bool {
    name(text).is_some_and(|name| text.get(name.len()) == Some(&b'='))
}

/// The bracket that closes behind attributes; one in quotes does not.
fn end_of_attributes(text: &[u8]) -> Option<usize> {
    let mut quote = None;
    for (at, byte) in text.iter().enumerate() {
        match (byte, quote) {
            (b'"' | b'\'', None) => quote = Some(*byte),
            (byte, Some(open)) if *byte == open => quote = None,
            (b']', None) => return Some(at),
            _ => {}
        }
    }
    None
}

/// Looks for `[/name]` behind a place.
fn is_closed(whole: &[u8], at: usize, name: &[u8]) -> bool {
    let end = [b"[/", name, b"]"].concat();
    position(beginning(&whole[at..], FAR * 20), 1, &end).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shortcodes_are_told_from_words_in_brackets_r_k5() {
        for (text, expected) in [
            ("[gallery ids=\"1,2\" columns=\"3\"] more", Some((31, true))),
            ("[button url='/x']Go[/button]", Some((17, false))),
            ("[row]Go[/row]", Some((5, false))),
            ("[vc_row]", Some((8, false))),
            ("[contact-form]", Some((14, false))),
            ("[/row]", Some((6, false))),
            ("[map x=\"a]b\"]", Some((13, true))),
            ("[audio src=a.mp3 /]", Some((19, true))),
            ("[edit]", None),
            ("[sic] and [/other]", None),
            ("[see also = this]", None),
            ("[1]", None),
            ("[name of a thing]", None),
            ("[gallery ids=\"1", None),
        ] {
            let found =
                read(text.as_bytes(), 0).map(|expression| (expression.length, expression.shows));
            assert_eq!(found, expected, "{text}");
        }
    }
}
