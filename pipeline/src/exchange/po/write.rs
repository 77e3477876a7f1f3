//! Writes PO: the texts that the site has now, with what people wrote about them, then what has vanished.

use std::collections::{BTreeMap, BTreeSet};

use super::{Catalogue, Entry, Key, Use};
use crate::model::Locale;
use crate::page::{CodeKind, Segment};

/// Pages that are named for a text; one on every page would name thousands.
const REFERENCES: usize = 5;

/// A text of the site with all its uses joined.
struct Joined<'a> {
    segment: &'a Segment,
    origins: BTreeSet<&'a str>,
    pages: BTreeSet<&'a str>,
}

/// Writes the whole file.
pub(super) fn update(catalogue: &Catalogue, target: &Locale, uses: &[Use<'_>]) -> String {
    let mut out = String::new();
    header(catalogue, target, &mut out);
    let joined = join(uses);
    for (key, text) in &joined {
        describe(text, &mut out);
        entry(key, catalogue.entries.get(key).cloned().unwrap_or_default(), &mut out);
    }
    for foreign in &catalogue.foreign {
        out.push_str(&format!("\n{foreign}\n"));
    }
    for (key, gone) in &catalogue.entries {
        if !joined.contains_key(key) && !gone.translation.is_empty() {
            vanished(key, gone, &joined, &mut out);
        }
    }
    out
}

fn join<'a>(uses: &'a [Use<'a>]) -> BTreeMap<Key, Joined<'a>> {
    let mut joined: BTreeMap<Key, Joined<'a>> = BTreeMap::new();
    for text in uses {
        let known = joined.entry(Key::of(text.segment)).or_insert_with(|| Joined {
            segment: text.segment,
            origins: BTreeSet::new(),
            pages: BTreeSet::new(),
        });
        known.origins.insert(&text.segment.origin);
        known.pages.extend(text.pages.iter().map(String::as_str));
    }
    joined
}

fn header(catalogue: &Catalogue, target: &Locale, out: &mut String) {
    let made = Entry {
        translation: format!(
            "Language: {target}\nMIME-Version: 1.0\nContent-Type: text/plain; charset=UTF-8\n\
             Content-Transfer-Encoding: 8bit\nX-Generator: Latimer\n"
        ),
        ..Entry::default()
    };
    let entry = catalogue.header.as_ref().unwrap_or(&made);
    notes(entry, out);
    field("", "msgid", "", out);
    field("", "msgstr", &entry.translation, out);
}

/// Where a text stands and what its codes are.
fn describe(text: &Joined<'_>, out: &mut String) {
    out.push('\n');
    let origins: Vec<&str> = text.origins.iter().copied().collect();
    out.push_str(&format!("#. {}\n", origins.join(", ")));
    for (index, code) in text.segment.codes.iter().enumerate() {
        let id = index + 1;
        let shown = match code.kind {
            CodeKind::Paired => format!("<g id=\"{id}\"> = {}", code.element),
            CodeKind::Void | CodeKind::Protected => format!("<x id=\"{id}\"/> = {}", code.element),
            CodeKind::LoneStart => format!("<x id=\"{id}\"/> = start of {}", code.element),
            CodeKind::LoneEnd => format!("<x id=\"{id}\"/> = end of {}", code.element),
        };
        out.push_str(&format!("#. {shown}\n"));
    }
    if text.pages.len() > REFERENCES {
        out.push_str(&format!("#. on {} pages\n", text.pages.len()));
    }
    let pages: Vec<String> = text.pages.iter().take(REFERENCES).map(|page| page.replace(' ', "%20")).collect();
    if !pages.is_empty() {
        out.push_str(&format!("#: {}\n", pages.join(" ")));
    }
}

fn entry(key: &Key, entry: Entry, out: &mut String) {
    notes(&entry, out);
    if let Some(context) = &key.context {
        field("", "msgctxt", context, out);
    }
    field("", "msgid", &key.source, out);
    field("", "msgstr", &entry.translation, out);
}

/// What people wrote around an entry.
fn notes(entry: &Entry, out: &mut String) {
    for comment in &entry.comments {
        out.push_str(&format!("{comment}\n"));
    }
    if !entry.flags.is_empty() {
        out.push_str(&format!("#, {}\n", entry.flags.join(", ")));
    }
    for previous in &entry.previous {
        out.push_str(&format!("{previous}\n"));
    }
}

/// An entry whose text the site no longer has; one without context still translates labels of that text.
fn vanished(key: &Key, gone: &Entry, joined: &BTreeMap<Key, Joined<'_>>, out: &mut String) {
    out.push('\n');
    let used = key.context.is_none() && !gone.obsolete && joined.keys().any(|live| live.source == key.source);
    if used {
        return entry(key, gone.clone(), out);
    }
    for comment in &gone.comments {
        out.push_str(&format!("{comment}\n"));
    }
    if !gone.flags.is_empty() {
        out.push_str(&format!("#, {}\n", gone.flags.join(", ")));
    }
    for previous in &gone.previous {
        out.push_str(&format!("#~{}\n", previous.trim_start_matches('#')));
    }
    if let Some(context) = &key.context {
        field("#~ ", "msgctxt", context, out);
    }
    field("#~ ", "msgid", &key.source, out);
    field("#~ ", "msgstr", &gone.translation, out);
}

/// Writes a field; a text of several lines goes on lines of its own.
fn field(before: &str, name: &str, text: &str, out: &mut String) {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    if lines.len() <= 1 {
        out.push_str(&format!("{before}{name} \"{}\"\n", escaped(text)));
        return;
    }
    out.push_str(&format!("{before}{name} \"\"\n"));
    for line in lines {
        out.push_str(&format!("{before}\"{}\"\n", escaped(line)));
    }
}

fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\\' => escaped.push_str("\\\\"),
            '"' => escaped.push_str("\\\""),
            '\n' => escaped.push_str("\\n"),
            '\t' => escaped.push_str("\\t"),
            '\r' => escaped.push_str("\\r"),
            '\u{7}' => escaped.push_str("\\a"),
            '\u{8}' => escaped.push_str("\\b"),
            '\u{b}' => escaped.push_str("\\v"),
            '\u{c}' => escaped.push_str("\\f"),
            other => escaped.push(other),
        }
    }
    escaped
}
