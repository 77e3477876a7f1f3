//! Expressions of templates among words, such as `{{ name }}` and `{% if %}`: whatever fills them in finds them as they are.

use std::ops::Range;

use crate::html::bytes::find_byte;

/// How far the end of an expression is looked for, in bytes.
const FAR: usize = 200;

/// How the expressions begin that show nothing, but say what happens to those that do.
const CONTROLS: [&[u8]; 7] = [b"{{#", b"{{/", b"{{^", b"{{!", b"{{>", b"{{else", b"{{end"];

/// Finds the expressions in a text, each with whether it shows something.
pub(super) fn find(source: &[u8], text: &Range<usize>) -> Vec<(Range<usize>, bool)> {
    let mut found = Vec::new();
    let (mut at, mut close) = (text.start, text.start);
    let next = |at: usize, wanted: u8| find_byte(&source[at..text.end], wanted).map(|skip| at + skip);
    while let Some(open) = next(at, b'{') {
        at = open;
        if close <= at {
            let Some(next) = next(at, b'}') else { break };
            close = next;
        }
        let end = text.end.min(at + FAR);
        let length = if close < end { length(&source[at..end]) } else { None };
        if let Some(length) = length {
            let expression = &source[at..at + length];
            let compact: Vec<u8> =
                expression.iter().copied().filter(|byte| !matches!(byte, b' ' | b'-' | b'~')).collect();
            let shows = expression[1] == b'{' && !CONTROLS.iter().any(|control| compact.starts_with(control));
            found.push((at..at + length, shows));
        }
        at += length.unwrap_or(1);
    }
    found
}

/// The length of the expression with which a text begins, if it does.
fn length(text: &[u8]) -> Option<usize> {
    let end: &[u8] = match text {
        [b'{', b'{', b'{', ..] => b"}}}",
        [b'{', b'{', ..] => b"}}",
        [b'{', b'%', ..] => b"%}",
        _ => return None,
    };
    let inside = text.windows(end.len()).skip(end.len()).position(|window| window == end)?;
    Some(inside + 2 * end.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_found() {
        for (text, expected) in [
            ("Hi {{ name }}, {{{ raw }}}", vec![("{{ name }}", true), ("{{{ raw }}}", true)]),
            ("{% if a < b %}x{%- endif -%}", vec![("{% if a < b %}", false), ("{%- endif -%}", false)]),
            (
                "{{#each x}}{{.}}{{/each}}{{- else }}",
                vec![("{{#each x}}", false), ("{{.}}", true), ("{{/each}}", false), ("{{- else }}", false)],
            ),
            ("a {b} {c {{ d } {% e", vec![]),
            ("{{}}{{ }", vec![("{{}}", true)]),
        ] {
            let found = find(text.as_bytes(), &(0..text.len()));
            let found: Vec<(&str, bool)> = found.into_iter().map(|(range, shows)| (&text[range], shows)).collect();
            assert_eq!(found, expected, "{text}");
        }
    }
}
