//! Writes PO: the texts that the site has now in the order of the file, with what people wrote about them, then what has
//! vanished.

use std::collections::{BTreeMap, BTreeSet};

use super::catalogue::{Catalogue, Entry, FUZZY, Key};
use super::header;
use crate::model::Locale;
use crate::page::{CodeKind, Segment, TextClass};

/// Pages that are named for a text; one on every page would name thousands.
const REFERENCES: usize = 5;

/// A text of the site, for an update.
#[derive(Clone, Debug)]
pub struct Use<'a> {
    /// The text.
    pub segment: &'a Segment,
    /// Paths of the pages it stands on.
    pub pages: Vec<String>,
    /// The text before it on the first of these pages, by its index; a text follows only such as come before it in the
    /// list.
    pub follows: Option<usize>,
    /// What people wrote for the text that stood there before, where this one has no entry.
    pub inherited: Option<Inherited>,
    /// An engine's words, where nobody wrote any: the entry gets them and is fuzzy.
    pub suggested: Option<String>,
}

/// What people wrote for a text that changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inherited {
    /// The text before.
    pub source: String,
    /// What kind of text it was.
    pub class: TextClass,
    /// The words as they stay approved for the new text; without any, those of the text before are offered as fuzzy.
    pub carried: Option<String>,
}

/// A text of the site with all its uses joined.
struct Joined<'a> {
    segment: &'a Segment,
    origins: BTreeSet<&'a str>,
    pages: BTreeSet<&'a str>,
    /// The text before it on a page.
    follows: Option<Key>,
    inherited: Option<&'a Inherited>,
    suggested: Option<&'a str>,
}

impl Catalogue {
    /// Writes the file anew for the texts that the site has now. What is in the file keeps its order, and a text that is
    /// new follows the one before it on its page, so that little moves. `project` names the site.
    pub fn update(&self, target: &Locale, project: &str, uses: &[Use<'_>]) -> String {
        update(self, target, project, uses)
    }
}

/// Writes the whole file.
fn update(catalogue: &Catalogue, target: &Locale, project: &str, uses: &[Use<'_>]) -> String {
    let mut out = String::new();
    let owned = catalogue.header.as_ref();
    owned.iter().for_each(|header| notes(header, &mut out));
    field("", "msgid", "", &mut out);
    let lines = header::complete(owned.map(|header| header.translation.as_str()), target, project);
    field("", "msgstr", &lines, &mut out);
    let joined = join(uses);
    let sources: BTreeSet<&str> = joined.keys().map(|key| key.source.as_str()).collect();
    // What is written for prose and still translates labels of that text stays in use.
    let serves = |key: &Key, entry: &Entry| {
        key.context.is_none()
            && !entry.obsolete
            && !entry.translation.is_empty()
            && sources.contains(key.source.as_str())
    };
    for block in in_order(catalogue, &joined, uses, serves) {
        out.push('\n');
        match block {
            Block::Text(key, text) => current(catalogue, key, text, &mut out),
            Block::Kept(key, kept) => entry(key, kept, &kept.extracted, &kept.references, &mut out),
            Block::Foreign(raw) => out.push_str(&format!("{raw}\n")),
        }
    }
    let is_gone = |(key, entry): &(&Key, &Entry)| !joined.contains_key(key) && !serves(key, entry) && has_words(entry);
    let gone = catalogue.entries.iter().filter(is_gone).map(|(key, entry)| (entry.line, Gone::Entry(key, entry)));
    let raw = catalogue.foreign.iter().filter(|foreign| foreign.obsolete);
    let mut tail: Vec<_> = gone.chain(raw.map(|foreign| (foreign.line, Gone::Foreign(&foreign.raw)))).collect();
    tail.sort_by_key(|(line, _)| *line);
    for (_, gone) in tail {
        out.push('\n');
        match gone {
            Gone::Entry(key, entry) => vanished(key, entry, &mut out),
            Gone::Foreign(raw) => out.push_str(&format!("{raw}\n")),
        }
    }
    out
}

/// Something in the file that is in use.
enum Block<'a> {
    /// A text of the site.
    Text(&'a Key, &'a Joined<'a>),
    /// An entry that only texts of another kind use.
    Kept(&'a Key, &'a Entry),
    Foreign(&'a str),
}

/// Something in the file that is obsolete.
enum Gone<'a> {
    Entry(&'a Key, &'a Entry),
    Foreign(&'a str),
}

/// Whether people wrote something there.
fn has_words(entry: &Entry) -> bool {
    !entry.translation.is_empty() || !entry.comments.is_empty()
}

fn join<'a>(uses: &'a [Use<'a>]) -> BTreeMap<Key, Joined<'a>> {
    let mut joined: BTreeMap<Key, Joined<'a>> = BTreeMap::new();
    for (index, text) in uses.iter().enumerate() {
        let follows = text.follows.filter(|before| *before < index).and_then(|before| uses.get(before));
        let known = joined.entry(Key::of(text.segment)).or_insert_with(|| Joined {
            segment: text.segment,
            origins: BTreeSet::new(),
            pages: BTreeSet::new(),
            follows: follows.map(|before| Key::of(before.segment)),
            inherited: text.inherited.as_ref(),
            suggested: text.suggested.as_deref(),
        });
        known.origins.insert(&text.segment.origin);
        known.pages.extend(text.pages.iter().map(String::as_str));
    }
    joined
}

/// What is in use, in the order of the file. A text that changed takes the place of the one before it; a new one follows
/// its predecessor on the page, or comes last where it has none.
fn in_order<'a>(
    catalogue: &'a Catalogue,
    joined: &'a BTreeMap<Key, Joined<'a>>,
    uses: &[Use<'_>],
    serves: impl Fn(&Key, &Entry) -> bool,
) -> Vec<Block<'a>> {
    let line = |key: &Key| catalogue.entries.get(key).filter(|entry| !entry.obsolete).map(|entry| entry.line);
    let mut placed: Vec<(usize, Block<'a>)> = Vec::new();
    let mut new = BTreeSet::new();
    for (key, text) in joined {
        let former = || line(&Key::new(text.inherited?.source.clone(), text.inherited?.class));
        match line(key).or_else(former) {
            Some(line) => placed.push((line, Block::Text(key, text))),
            None => drop(new.insert(key)),
        }
    }
    let kept = catalogue.entries.iter().filter(|(key, entry)| !joined.contains_key(key) && serves(key, entry));
    placed.extend(kept.map(|(key, entry)| (entry.line, Block::Kept(key, entry))));
    let foreign = catalogue.foreign.iter().filter(|foreign| !foreign.obsolete);
    placed.extend(foreign.map(|foreign| (foreign.line, Block::Foreign(&foreign.raw))));
    placed.sort_by_key(|(line, _)| *line);

    // The new ones, each behind its predecessor, in the order of the site.
    let mut behind: BTreeMap<Option<&Key>, Vec<&Key>> = BTreeMap::new();
    for key in uses.iter().map(|text| Key::of(text.segment)) {
        let Some(key) = new.take(&key) else { continue };
        behind.entry(joined.get(key).and_then(|text| text.follows.as_ref())).or_default().push(key);
    }
    let mut blocks = Vec::new();
    let mut place = |block: Block<'a>| {
        let mut stack = vec![block];
        while let Some(block) = stack.pop() {
            if let Block::Text(key, _) = &block {
                let next = behind.get(&Some(*key)).into_iter().flatten().rev();
                stack.extend(
                    next.filter_map(|key| joined.get_key_value(*key)).map(|(key, text)| Block::Text(key, text)),
                );
            }
            blocks.push(block);
        }
    };
    placed.into_iter().for_each(|(_, block)| place(block));
    for key in behind.get(&None).into_iter().flatten() {
        joined.get_key_value(*key).into_iter().for_each(|(key, text)| place(Block::Text(key, text)));
    }
    blocks
}

/// Writes a text of the site.
fn current(catalogue: &Catalogue, key: &Key, text: &Joined<'_>, out: &mut String) {
    let known = catalogue.entries.get(key).cloned();
    let mut written = known.or_else(|| text.inherited.map(|former| inherit(catalogue, former))).unwrap_or_default();
    if let Some(suggested) = text.suggested.filter(|_| written.translation.is_empty()) {
        suggested.clone_into(&mut written.translation);
        mark_fuzzy(&mut written);
    }
    let (mut extracted, references) = describe(text);
    let known = written.extracted.iter().enumerate().filter(|(at, line)| !is_ours(*at, line));
    let more: Vec<String> = known.map(|(_, line)| line.clone()).filter(|line| !extracted.contains(line)).collect();
    extracted.extend(more);
    entry(key, &written, &extracted, &references, out);
}

/// The entry that a changed text begins with: the one of the text before, which itself stays as obsolete.
fn inherit(catalogue: &Catalogue, former: &Inherited) -> Entry {
    let key = Key::new(former.source.clone(), former.class);
    let known = catalogue.entries.get(&key).cloned().unwrap_or_default();
    let mut entry = Entry { comments: known.comments, flags: known.flags, ..Entry::default() };
    match &former.carried {
        Some(words) => entry.translation.clone_from(words),
        None => {
            entry.translation = known.translation;
            mark_fuzzy(&mut entry);
            let mut previous = String::new();
            if let Some(context) = &key.context {
                field("#| ", "msgctxt", context, &mut previous);
            }
            field("#| ", "msgid", &key.source, &mut previous);
            entry.previous = previous.lines().map(str::to_owned).collect();
        }
    }
    entry
}

fn mark_fuzzy(entry: &mut Entry) {
    if !entry.flags.iter().any(|flag| flag == FUZZY) {
        entry.flags.insert(0, FUZZY.to_owned());
    }
}

/// Says where a text stands and what its codes are: the extracted comments and the references.
fn describe(text: &Joined<'_>) -> (Vec<String>, Vec<String>) {
    let origins: Vec<&str> = text.origins.iter().copied().collect();
    let mut extracted = vec![format!("#. {}", origins.join(", "))];
    for (index, code) in text.segment.codes.iter().enumerate() {
        let id = index + 1;
        extracted.push(match code.kind {
            CodeKind::Paired => format!("#. <g id=\"{id}\"> = {}", code.element()),
            CodeKind::Void | CodeKind::Protected => format!("#. <x id=\"{id}\"/> = {}", code.element()),
            CodeKind::LoneStart => format!("#. <x id=\"{id}\"/> = start of {}", code.element()),
            CodeKind::LoneEnd => format!("#. <x id=\"{id}\"/> = end of {}", code.element()),
        });
    }
    if text.pages.len() > REFERENCES {
        extracted.push(format!("#. on {} pages", text.pages.len()));
    }
    let pages: Vec<String> = text.pages.iter().take(REFERENCES).map(|page| page.replace(' ', "%20")).collect();
    let references = if pages.is_empty() { Vec::new() } else { vec![format!("#: {}", pages.join(" "))] };
    (extracted, references)
}

/// Whether an extracted comment is one that [`describe`] writes anew; the first names elements and their attributes.
fn is_ours(at: usize, line: &str) -> bool {
    let said = line.trim_start_matches("#.").trim();
    let is_element =
        |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_graphic()) && !has_capital(word);
    let is_attribute = |word: &str| word.bytes().all(|byte| byte.is_ascii_graphic());
    let is_origin = |origin: &str| match origin.split_once(' ') {
        Some((element, attribute)) => is_element(element) && is_attribute(attribute),
        None => is_element(origin),
    };
    let is_count = |said: &str| {
        let count = said.strip_prefix("on ").and_then(|said| said.strip_suffix(" pages"));
        count.is_some_and(|count| count.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let is_code = (said.starts_with("<g id=\"") || said.starts_with("<x id=\"")) && said.contains("> = ");
    (at == 0 && said.split(", ").all(is_origin)) || is_code || is_count(said)
}

fn has_capital(word: &str) -> bool {
    word.bytes().any(|byte| byte.is_ascii_uppercase())
}

/// Writes an entry that is in use.
fn entry(key: &Key, entry: &Entry, extracted: &[String], references: &[String], out: &mut String) {
    entry.comments.iter().chain(extracted).chain(references).for_each(|line| out.push_str(&format!("{line}\n")));
    flags(entry, out);
    entry.previous.iter().for_each(|line| out.push_str(&format!("{line}\n")));
    fields("", key, entry, out);
}

/// What people wrote around the header.
fn notes(entry: &Entry, out: &mut String) {
    let lines = entry.comments.iter().chain(&entry.extracted).chain(&entry.references);
    lines.for_each(|line| out.push_str(&format!("{line}\n")));
    flags(entry, out);
    entry.previous.iter().for_each(|line| out.push_str(&format!("{line}\n")));
}

fn flags(entry: &Entry, out: &mut String) {
    if !entry.flags.is_empty() {
        out.push_str(&format!("#, {}\n", entry.flags.join(", ")));
    }
}

/// Writes an entry whose text the site no longer has.
fn vanished(key: &Key, gone: &Entry, out: &mut String) {
    let lines = gone.comments.iter().chain(&gone.extracted).chain(&gone.references);
    lines.for_each(|line| out.push_str(&format!("{line}\n")));
    flags(gone, out);
    gone.previous.iter().for_each(|line| out.push_str(&format!("#~{}\n", line.trim_start_matches('#'))));
    fields("#~ ", key, gone, out);
}

fn fields(before: &str, key: &Key, entry: &Entry, out: &mut String) {
    if let Some(context) = &key.context {
        field(before, "msgctxt", context, out);
    }
    field(before, "msgid", &key.source, out);
    field(before, "msgstr", &entry.translation, out);
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
