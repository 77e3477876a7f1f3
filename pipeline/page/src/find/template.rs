//! Expressions among words, such as `{{ name }}`, `<% if %>`, `[gallery ids="1"]` and `\(x^2\)`: whatever fills them in or draws
//! them finds them as they are (R-K4, R-K5).

mod expression;
mod formula;
mod message;
mod shortcode;

use std::ops::Range;

use self::expression::{Expression, FAR, FARTHER, beginning, position};
use crate::html::bytes::{find_byte, has_byte};

/// How the expressions begin that show nothing, but say what happens to those that do.
const CONTROLS: [&[u8]; 7] = [b"{{#", b"{{/", b"{{^", b"{{!", b"{{>", b"{{else", b"{{end"];

/// Beginnings of program tags that print a value.
const SHOWING: [&[u8]; 5] = [b"<%=", b"<%-", b"<?=", b"<?php echo", b"<?php print"];

/// Byte ranges of the expressions in a text, in order.
pub fn expressions(text: &str) -> Vec<Range<usize>> {
    find(text.as_bytes(), &(0..text.len()))
        .into_iter()
        .map(|(range, _)| range)
        .collect()
}

/// Finds the expressions in a text, each with whether it shows something.
pub(super) fn find(source: &[u8], text: &Range<usize>) -> Vec<(Range<usize>, bool)> {
    let mut found = Vec::new();
    let is_mark = |byte: u8| {
        (byte == b'{') | (byte == b'<') | (byte == b'[') | (byte == b'\\') | (byte == b'$')
    };
    let whole = &source[text.clone()];
    if !has_byte(whole, is_mark) {
        return found;
    }
    let mut at = 0;
    let mut close = 0;
    while let Some(next) = whole[at..].iter().position(|byte| is_mark(*byte)) {
        at += next;
        let rest = &whole[at..];
        let expression = match rest[0] {
            b'{' => {
                if close <= at {
                    close = find_byte(rest, b'}').map_or(usize::MAX, |skip| at + skip);
                }
                braces(rest, close - at)
            }
            b'<' => program(rest),
            b'[' => shortcode::read(whole, at),
            b'\\' | b'$' => formula::read(rest),
            _ => None,
        };
        if let Some(Expression { length, shows }) = expression {
            found.push((text.start + at..text.start + at + length, shows));
        }
        at += expression.map_or(1, |expression| expression.length);
    }
    found
}

/// `{{ … }}`, `{% … %}` and messages for plurals; the next `}` is so many bytes away.
fn braces(text: &[u8], close: usize) -> Option<Expression> {
    if close >= FAR {
        return None;
    }
    let end: &[u8] = match text {
        [b'{', b'{', b'{', ..] => b"}}}",
        [b'{', b'{', ..] => b"}}",
        [b'{', b'%', ..] => b"%}",
        _ => return message::read(text),
    };
    let length = position(beginning(text, FAR), end.len(), end)? + end.len();
    let expression = &text[..length];
    let compact: Vec<u8> = expression
        .iter()
        .copied()
        .filter(|byte| !matches!(byte, b' ' | b'-' | b'~'))
        .collect();
    let shows =
        expression[1] == b'{' && !CONTROLS.iter().any(|control| compact.starts_with(control));
    Some(Expression { length, shows })
}

/// `<% … %>` and `<?php … ?>`.
fn program(text: &[u8]) -> Option<Expression> {
    let end: &[u8] = match text {
        [b'<', b'%', ..] => b"%>",
        [b'<', b'?', ..] => b"?>",
        _ => return None,
    };
    let length = position(beginning(text, FARTHER), end.len(), end)? + end.len();
    Some(Expression {
        length,
        shows: SHOWING.iter().any(|start| text.starts_with(start)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[(&str, bool)]) {
        let found = find(text.as_bytes(), &(0..text.len()));
        let found: Vec<(&str, bool)> = found
            .into_iter()
            .map(|(range, shows)| (&text[range], shows))
            .collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn expressions_are_found() {
        for (text, expected) in [
            (
                "Hi {{ name }}, {{{ raw }}}",
                vec![("{{ name }}", true), ("{{{ raw }}}", true)],
            ),
            (
                "{% if a < b %}x{%- endif -%}",
                vec![("{% if a < b %}", false), ("{%- endif -%}", false)],
            ),
            (
                "{{#each x}}{{.}}{{/each}}{{- else }}",
                vec![
                    ("{{#each x}}", false),
                    ("{{.}}", true),
                    ("{{/each}}", false),
                    ("{{- else }}", false),
                ],
            ),
            ("a {b} {c {{ d } {% e", vec![]),
            ("{{}}{{ }", vec![("{{}}", true)]),
        ] {
            check(text, &expected);
        }
    }

    #[test]
    fn programs_are_found_r_k5() {
        for (text, expected) in [
            (
                "Hi <%= user.name %>, <%- raw -%>",
                vec![("<%= user.name %>", true), ("<%- raw -%>", true)],
            ),
            (
                "<% if (a > b) { %>x<% } %>",
                vec![("<% if (a > b) { %>", false), ("<% } %>", false)],
            ),
            (
                "<?php echo $a->b; ?> and <?= $c ?>",
                vec![("<?php echo $a->b; ?>", true), ("<?= $c ?>", true)],
            ),
            ("<?php endif; ?>", vec![("<?php endif; ?>", false)]),
            (
                "10 <% of it, a <b and 5 %> more",
                vec![("<% of it, a <b and 5 %>", false)],
            ),
            ("a < b, 10 <%", vec![]),
        ] {
            check(text, &expected);
        }
    }
}
