//! Where comments, doctypes, CDATA and texts without tags end, by the states of the HTML Standard (13.2.5). What has no end goes
//! on to the end of the page.

use crate::html::bytes::find_byte;

/// The byte after the first `>` before which one of these stands.
fn after(source: &[u8], start: usize, before: &[&[u8]]) -> Option<usize> {
    let mut at = start;
    while let Some(skip) = find_byte(&source[at..], b'>') {
        at += skip + 1;
        if before
            .iter()
            .any(|before| source[start..at - 1].ends_with(before))
        {
            return Some(at);
        }
    }
    None
}

/// The byte after a comment whose `<!--` ends at a byte.
pub(super) fn of_comment(source: &[u8], start: usize) -> usize {
    match &source[start..] {
        [b'>', ..] => start + 1,
        [b'-', b'>', ..] => start + 2,
        _ => after(source, start, &[b"--", b"--!"]).unwrap_or(source.len()),
    }
}

/// The byte after the next `>`, with which doctypes end, and what is only taken for a comment.
pub(super) fn of_declaration(source: &[u8], start: usize) -> usize {
    after(source, start, &[b""]).unwrap_or(source.len())
}

/// The first and the last byte of the mark behind CDATA.
pub(super) fn of_cdata(source: &[u8], start: usize) -> (usize, usize) {
    after(source, start, &[b"]]"]).map_or((source.len(), source.len()), |end| (end - 3, end))
}

/// Whether bytes begin with a name in any case, and one goes no further there.
fn begins(text: &[u8], name: &str) -> bool {
    let is_end = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n' | 0x0c | b'\r' | b'/' | b'>');
    text.get(..name.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(name.as_bytes()))
        && text.get(name.len()).is_some_and(is_end)
}

fn is_end_tag(text: &[u8], name: &str) -> bool {
    text.strip_prefix(b"</")
        .is_some_and(|text| begins(text, name))
}

/// Whether the start tag of an element stands in a text.
pub(super) fn has_start(text: &[u8], name: &str) -> bool {
    let mut at = 0;
    while let Some(skip) = find_byte(&text[at..], b'<') {
        at += skip + 1;
        if begins(&text[at..], name) {
            return true;
        }
    }
    false
}

/// The byte at which the end tag of an element stands that holds text alone.
pub(super) fn of_text(source: &[u8], start: usize, name: &str) -> usize {
    let mut at = start;
    while let Some(skip) = find_byte(&source[at..], b'<') {
        at += skip;
        if is_end_tag(&source[at..], name) {
            return at;
        }
        at += 1;
    }
    source.len()
}

/// What of a script is being read.
enum ScriptState {
    /// A program.
    Plain,
    /// What looks like a comment, from such a byte on.
    Escaped(usize),
    /// What looks like a script in a comment; its end tag ends nothing.
    Doubled(usize),
}

/// The byte at which the end tag of a script stands.
pub(super) fn of_script(source: &[u8], start: usize) -> usize {
    const NAME: &str = "script";
    let mut state = ScriptState::Plain;
    let mut at = start;
    while let Some(&byte) = source.get(at) {
        let rest = &source[at..];
        let mut length = 1;
        match (byte, &state) {
            (b'<', ScriptState::Plain | ScriptState::Escaped(_)) if is_end_tag(rest, NAME) => {
                return at;
            }
            (b'<', ScriptState::Plain) if rest.starts_with(b"<!--") => {
                (state, length) = (ScriptState::Escaped(at + 2), 4);
            }
            (b'<', &ScriptState::Escaped(from)) if begins(&rest[1..], NAME) => {
                (state, length) = (ScriptState::Doubled(from), NAME.len() + 2);
            }
            (b'<', &ScriptState::Doubled(from)) if is_end_tag(rest, NAME) => {
                (state, length) = (ScriptState::Escaped(from), NAME.len() + 3);
            }
            (b'>', &(ScriptState::Escaped(from) | ScriptState::Doubled(from)))
                if source[from..at].ends_with(b"--") =>
            {
                state = ScriptState::Plain;
            }
            (_, ScriptState::Plain) => {
                length = find_byte(&rest[1..], b'<').map_or(rest.len(), |skip| skip + 1)
            }
            (_, ScriptState::Escaped(_) | ScriptState::Doubled(_)) => {}
        }
        at += length;
    }
    source.len()
}
