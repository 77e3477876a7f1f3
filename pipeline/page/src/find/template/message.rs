//! Messages of ICU, such as `{count, plural, one {# house} other {# houses}}`. Their words stay with the syntax: languages
//! have other plurals, and a message with a word too many is no message.

use super::expression::{Expression, FARTHER, beginning};

/// The kinds of messages that hold words.
const KINDS: [&[u8]; 3] = [b"plural", b"selectordinal", b"select"];

/// The message with which a text begins.
pub(super) fn read(text: &[u8]) -> Option<Expression> {
    let text = beginning(text, FARTHER);
    let inside = text.strip_prefix(b"{")?.trim_ascii_start();
    let name = inside
        .iter()
        .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_')
        .count();
    let rest = inside
        .get(name..)?
        .trim_ascii_start()
        .strip_prefix(b",")?
        .trim_ascii_start();
    let kind = KINDS.iter().find_map(|kind| rest.strip_prefix(*kind))?;
    if name == 0 || !kind.trim_ascii_start().starts_with(b",") {
        return None;
    }
    let mut depth = 0_usize;
    for (at, byte) in text.iter().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(Expression {
                length: at + 1,
                shows: true,
            });
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_read_whole_r_k5() {
        for (text, expected) in [
            (
                "{count, plural, one {# house} other {# houses}} here",
                Some(47),
            ),
            ("{n,plural,=0{none}other{# of {total}}}", Some(38)),
            ("{who, select, female {she} other {they}}", Some(40)),
            ("{place, selectordinal, one {#st} other {#th}}", Some(45)),
            ("{count, plural, one {# house}", None),
            ("{count, number}", None),
            ("{one, two, three}", None),
            ("{, plural, x}", None),
        ] {
            assert_eq!(
                read(text.as_bytes()).map(|expression| expression.length),
                expected,
                "{text}"
            );
        }
    }
}
