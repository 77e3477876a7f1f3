//! Writes PO: the texts that the site has now in the order of the file, with what people wrote about them, then what has
//! vanished.
//!
//! One file: the order of entries in one file.

use std::collections::{BTreeSet, HashMap};

use super::catalogue::{Catalogue, FUZZY, PoEntry, PoKey};
use super::header;
use crate::model::Locale;
use crate::page::{CodeKind, Segment, TextClass};

/// Pages that are named for a text; one on every page would name thousands.
const REFERENCES: usize = 5;

/// A text of the site, for an update.
#[derive(Clone, Debug)]
pub struct Use<'a> {
    /// The text.
    pub segment: Segment,
    /// Paths of the pages it stands on.
    pub pages: Vec<&'a str>,
    /// The text before it on the first of these pages, by its index; a text follows only such as come before it in the
    /// list.
    pub follows: Option<usize>,
    /// What people wrote for the text that stood there before, where this one has no entry.
    pub inherited: Option<InheritedTranslation>,
    /// An engine's words, where nobody wrote any: the entry gets them and is fuzzy.
    pub suggested: Option<String>,
}

/// Fields of a [`Use`] that an update needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// Fields that determine the position of its entry. Pages and suggestion may be empty.
    Position,
    /// All fields.
    All,
}

/// What people wrote for a text that changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InheritedTranslation {
    /// The text before.
    pub source: String,
    /// What kind of text it was.
    pub class: TextClass,
    /// The words as they stay approved for the new text; without any, those of the text before are offered as fuzzy.
    pub carried: Option<String>,
}

/// An entry of the texts of the site.
#[derive(Debug)]
struct PoGroup {
    /// The first text of the entry, by its index.
    first: u32,
    /// The entry of the text before that one, on a page.
    follows: Option<u32>,
}

/// The texts of the site by their entries, in the order of the site. There may be more texts than memory should hold, so one
/// is read when it is needed.
struct Groups<'u, 'a> {
    read: &'u dyn Fn(usize, Detail) -> Option<Use<'a>>,
    all: Vec<PoGroup>,
    /// Entries with several texts: the entry and each text but the first.
    others: BTreeSet<(u32, u32)>,
    /// Entries that are in the file already or replace one there: line, key and group of each.
    placed: Vec<(usize, PoKey, u32)>,
    /// Keys of the file that texts of the site have.
    known: BTreeSet<&'u PoKey>,
    /// Source texts of the file that texts of the site have, of whichever class.
    sources: BTreeSet<&'u str>,
}

impl Catalogue {
    /// Writes the file anew for the texts that the site has now: so many, each of which `read` gives by its index. What is in
    /// the file keeps its order, and a text that is new follows the one before it on its page, so that little moves. `project`
    /// names the site.
    pub fn update<'a>(
        &self,
        target: &Locale,
        project: &str,
        (count, read): (usize, &dyn Fn(usize, Detail) -> Option<Use<'a>>),
    ) -> String {
        update(self, target, project, &Groups::of(self, count, read))
    }

    /// Line of an entry that is not obsolete.
    fn line_in_use(&self, key: &PoKey) -> Option<usize> {
        self.entries
            .get(key)
            .filter(|entry| !entry.obsolete)
            .map(|entry| entry.line)
    }
}

/// Writes the whole file.
fn update(catalogue: &Catalogue, target: &Locale, project: &str, texts: &Groups<'_, '_>) -> String {
    let mut out = String::new();
    let owned = catalogue.header.as_ref();
    owned.iter().for_each(|header| notes(header, &mut out));
    field("", "msgid", "", &mut out);
    let lines = header::complete(
        owned.map(|header| header.translation.as_str()),
        target,
        project,
    );
    field("", "msgstr", &lines, &mut out);
    // What is written for prose and still translates labels of that text stays in use.
    let serves = |key: &PoKey, entry: &PoEntry| {
        key.context.is_none()
            && !entry.obsolete
            && !entry.translation.is_empty()
            && texts.sources.contains(key.source.as_str())
    };
    for block in in_order(catalogue, texts, serves) {
        out.push('\n');
        match block {
            PoBlock::Text(group) => {
                texts
                    .joined(group)
                    .into_iter()
                    .for_each(|text| current(catalogue, &text, &mut out));
            }
            PoBlock::Kept(key, kept) => {
                entry(key, kept, &kept.extracted, &kept.references, &mut out)
            }
            PoBlock::Foreign(raw) => out.push_str(&format!("{raw}\n")),
        }
    }
    let is_gone = |(key, entry): &(&PoKey, &PoEntry)| {
        !texts.known.contains(key) && !serves(key, entry) && has_words(entry)
    };
    let gone = catalogue
        .entries
        .iter()
        .filter(is_gone)
        .map(|(key, entry)| (entry.line, Gone::Entry(key, entry)));
    let raw = catalogue.foreign.iter().filter(|foreign| foreign.obsolete);
    let mut tail: Vec<_> = gone
        .chain(raw.map(|foreign| (foreign.line, Gone::Foreign(&foreign.raw))))
        .collect();
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
enum PoBlock<'a> {
    /// A group of texts of the site.
    Text(u32),
    /// An entry that only texts of another kind use.
    Kept(&'a PoKey, &'a PoEntry),
    Foreign(&'a str),
}

/// Something in the file that is obsolete.
enum Gone<'a> {
    Entry(&'a PoKey, &'a PoEntry),
    Foreign(&'a str),
}

/// Whether people wrote something there.
fn has_words(entry: &PoEntry) -> bool {
    !entry.translation.is_empty() || !entry.comments.is_empty()
}

impl<'u, 'a> Groups<'u, 'a> {
    fn of(
        catalogue: &'u Catalogue,
        count: usize,
        read: &'u dyn Fn(usize, Detail) -> Option<Use<'a>>,
    ) -> Self {
        let mut groups = Self {
            read,
            all: Vec::new(),
            others: BTreeSet::new(),
            placed: Vec::new(),
            known: BTreeSet::new(),
            sources: BTreeSet::new(),
        };
        let sources: BTreeSet<&str> = catalogue
            .entries
            .keys()
            .map(|key| key.source.as_str())
            .collect();
        let mut by_key: HashMap<[u8; 16], u32> = HashMap::new();
        let mut of_texts: Vec<Option<u32>> = Vec::with_capacity(count);
        for (index, first) in (0..count).zip(0..) {
            let Some(text) = read(index, Detail::Position) else {
                of_texts.push(None);
                continue;
            };
            let key = PoKey::of(&text.segment);
            let hash = hash_of(&key);
            if let Some(group) = by_key.get(&hash) {
                of_texts.push(Some(*group));
                groups.others.insert((*group, first));
                continue;
            }
            let Ok(group) = u32::try_from(groups.all.len()) else {
                break;
            };
            by_key.insert(hash, group);
            groups.known.extend(
                catalogue
                    .entries
                    .get_key_value(&key)
                    .map(|(known, _)| known),
            );
            groups.sources.extend(sources.get(key.source.as_str()));
            let mut line = catalogue.line_in_use(&key);
            if let (None, Some(former)) = (line, &text.inherited) {
                line = catalogue.line_in_use(&PoKey::new(former.source.clone(), former.class));
            }
            groups.placed.extend(line.map(|line| (line, key, group)));
            let follows = text.follows.and_then(|before| *of_texts.get(before)?);
            groups.all.push(PoGroup { first, follows });
            of_texts.push(Some(group));
        }
        groups.placed.sort();
        groups
    }

    /// The texts of a group as one.
    fn joined(&self, group: u32) -> Option<Joined<'a>> {
        let first = self.all.get(group as usize)?.first;
        let others = self
            .others
            .range((group, 0)..=(group, u32::MAX))
            .map(|(_, other)| *other);
        let mut uses = std::iter::once(first)
            .chain(others)
            .filter_map(|index| (self.read)(index as usize, Detail::All));
        let Use {
            segment,
            pages,
            inherited,
            suggested,
            ..
        } = uses.next()?;
        let origins = BTreeSet::from([segment.origin.to_string()]);
        let mut joined = Joined {
            segment,
            origins,
            pages: pages.into_iter().collect(),
            inherited,
            suggested,
        };
        for Use { segment, pages, .. } in uses {
            joined.origins.insert(segment.origin.to_string());
            joined.pages.extend(pages);
        }
        Some(joined)
    }
}

/// A hash in place of a key, to save memory.
fn hash_of(PoKey { source, context }: &PoKey) -> [u8; 16] {
    let mut hash = blake3::Hasher::new();
    hash.update(context.as_deref().unwrap_or_default().as_bytes());
    hash.update(&[u8::from(context.is_some()), 0]);
    hash.update(source.as_bytes());
    let mut short = [0; 16];
    hash.finalize_xof().fill(&mut short);
    short
}

/// What is in use, in the order of the file. A text that changed takes the place of the one before it; a new one follows
/// its predecessor on the page, or comes last where it has none.
fn in_order<'a>(
    catalogue: &'a Catalogue,
    texts: &Groups<'_, '_>,
    serves: impl Fn(&PoKey, &PoEntry) -> bool,
) -> Vec<PoBlock<'a>> {
    let mut placed: Vec<(usize, PoBlock<'a>)> = texts
        .placed
        .iter()
        .map(|(line, _, group)| (*line, PoBlock::Text(*group)))
        .collect();
    let kept = catalogue
        .entries
        .iter()
        .filter(|(key, entry)| !texts.known.contains(key) && serves(key, entry));
    placed.extend(kept.map(|(key, entry)| (entry.line, PoBlock::Kept(key, entry))));
    let foreign = catalogue.foreign.iter().filter(|foreign| !foreign.obsolete);
    placed.extend(foreign.map(|foreign| (foreign.line, PoBlock::Foreign(&foreign.raw))));
    placed.sort_by_key(|(line, _)| *line);

    // The new ones, each behind its predecessor, in the order of the site.
    let in_file: BTreeSet<u32> = texts.placed.iter().map(|(_, _, group)| *group).collect();
    let new = (0..)
        .zip(&texts.all)
        .filter(|(group, _)| !in_file.contains(group));
    let mut new: Vec<(Option<u32>, u32)> = new.map(|(group, text)| (text.follows, group)).collect();
    new.sort_unstable();
    let mut blocks = Vec::new();
    let mut place = |block: PoBlock<'a>| {
        let mut stack = vec![block];
        while let Some(block) = stack.pop() {
            if let PoBlock::Text(group) = &block {
                let next: Vec<u32> = followers(&new, Some(*group)).collect();
                stack.extend(next.into_iter().rev().map(PoBlock::Text));
            }
            blocks.push(block);
        }
    };
    placed.into_iter().for_each(|(_, block)| place(block));
    followers(&new, None).for_each(|group| place(PoBlock::Text(group)));
    blocks
}

/// Groups that follow `before`, in a sorted list of groups with the one that each follows.
fn followers(groups: &[(Option<u32>, u32)], before: Option<u32>) -> impl Iterator<Item = u32> {
    let start = groups.partition_point(|(follows, _)| *follows < before);
    let rest = groups.get(start..).unwrap_or_default().iter();
    rest.take_while(move |(follows, _)| *follows == before)
        .map(|(_, group)| *group)
}

/// A text of the site with all its uses joined.
struct Joined<'a> {
    segment: Segment,
    origins: BTreeSet<String>,
    pages: BTreeSet<&'a str>,
    inherited: Option<InheritedTranslation>,
    suggested: Option<String>,
}

/// Writes a text of the site.
fn current(catalogue: &Catalogue, text: &Joined<'_>, out: &mut String) {
    let key = &PoKey::of(&text.segment);
    let mut written = match (catalogue.entries.get(key), &text.inherited) {
        (Some(known), _) => known.clone(),
        (None, Some(former)) => inherit(catalogue, former),
        (None, None) => PoEntry::default(),
    };
    if let Some(suggested) = text
        .suggested
        .as_ref()
        .filter(|_| written.translation.is_empty())
    {
        suggested.clone_into(&mut written.translation);
        mark_fuzzy(&mut written);
    }
    let (mut extracted, references) = describe(text);
    let known = written
        .extracted
        .iter()
        .enumerate()
        .filter(|(at, line)| !is_ours(*at, line));
    let more: Vec<String> = known
        .map(|(_, line)| line.clone())
        .filter(|line| !extracted.contains(line))
        .collect();
    extracted.extend(more);
    entry(key, &written, &extracted, &references, out);
}

/// The entry that a changed text begins with: the one of the text before, which itself stays as obsolete.
fn inherit(catalogue: &Catalogue, former: &InheritedTranslation) -> PoEntry {
    let key = PoKey::new(former.source.clone(), former.class);
    let known = catalogue.entries.get(&key).cloned().unwrap_or_default();
    let mut entry = PoEntry {
        comments: known.comments,
        flags: known.flags,
        ..PoEntry::default()
    };
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

fn mark_fuzzy(entry: &mut PoEntry) {
    if !entry.flags.iter().any(|flag| flag == FUZZY) {
        entry.flags.insert(0, FUZZY.to_owned());
    }
}

/// Says where a text stands and what its codes are: the extracted comments and the references.
fn describe(text: &Joined<'_>) -> (Vec<String>, Vec<String>) {
    let origins: Vec<&str> = text.origins.iter().map(String::as_str).collect();
    let mut extracted = vec![format!("#. {}", origins.join(", "))];
    for (index, code) in text.segment.codes.iter().enumerate() {
        let id = index + 1;
        extracted.push(match code.kind {
            CodeKind::Paired => format!("#. <g id=\"{id}\"> = {}", code.element()),
            CodeKind::Void | CodeKind::Protected => {
                format!("#. <x id=\"{id}\"/> = {}", code.element())
            }
            CodeKind::LoneStart => format!("#. <x id=\"{id}\"/> = start of {}", code.element()),
            CodeKind::LoneEnd => format!("#. <x id=\"{id}\"/> = end of {}", code.element()),
        });
    }
    if text.pages.len() > REFERENCES {
        extracted.push(format!("#. on {} pages", text.pages.len()));
    }
    let pages: Vec<String> = text
        .pages
        .iter()
        .take(REFERENCES)
        .map(|page| page.replace(' ', "%20"))
        .collect();
    let references = if pages.is_empty() {
        Vec::new()
    } else {
        vec![format!("#: {}", pages.join(" "))]
    };
    (extracted, references)
}

/// Whether an extracted comment is one that [`describe`] writes anew; the first names elements and their attributes.
fn is_ours(at: usize, line: &str) -> bool {
    let said = line.trim_start_matches("#.").trim();
    let is_element = |word: &str| {
        !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_graphic()) && !has_capital(word)
    };
    let is_attribute = |word: &str| word.bytes().all(|byte| byte.is_ascii_graphic());
    let is_origin = |origin: &str| match origin.split_once(' ') {
        Some((element, attribute)) => is_element(element) && is_attribute(attribute),
        None => is_element(origin),
    };
    let is_count = |said: &str| {
        let count = said
            .strip_prefix("on ")
            .and_then(|said| said.strip_suffix(" pages"));
        count.is_some_and(|count| count.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let is_code =
        (said.starts_with("<g id=\"") || said.starts_with("<x id=\"")) && said.contains("> = ");
    (at == 0 && said.split(", ").all(is_origin)) || is_code || is_count(said)
}

fn has_capital(word: &str) -> bool {
    word.bytes().any(|byte| byte.is_ascii_uppercase())
}

/// Writes an entry that is in use.
fn entry(
    key: &PoKey,
    entry: &PoEntry,
    extracted: &[String],
    references: &[String],
    out: &mut String,
) {
    entry
        .comments
        .iter()
        .chain(extracted)
        .chain(references)
        .for_each(|line| out.push_str(&format!("{line}\n")));
    flags(entry, out);
    entry
        .previous
        .iter()
        .for_each(|line| out.push_str(&format!("{line}\n")));
    fields("", key, entry, out);
}

/// What people wrote around the header.
fn notes(entry: &PoEntry, out: &mut String) {
    let lines = entry
        .comments
        .iter()
        .chain(&entry.extracted)
        .chain(&entry.references);
    lines.for_each(|line| out.push_str(&format!("{line}\n")));
    flags(entry, out);
    entry
        .previous
        .iter()
        .for_each(|line| out.push_str(&format!("{line}\n")));
}

fn flags(entry: &PoEntry, out: &mut String) {
    if !entry.flags.is_empty() {
        out.push_str(&format!("#, {}\n", entry.flags.join(", ")));
    }
}

/// Writes an entry whose text the site no longer has.
fn vanished(key: &PoKey, gone: &PoEntry, out: &mut String) {
    let lines = gone
        .comments
        .iter()
        .chain(&gone.extracted)
        .chain(&gone.references);
    lines.for_each(|line| out.push_str(&format!("{line}\n")));
    flags(gone, out);
    gone.previous
        .iter()
        .for_each(|line| out.push_str(&format!("#~{}\n", line.trim_start_matches('#'))));
    fields("#~ ", key, gone, out);
}

fn fields(before: &str, key: &PoKey, entry: &PoEntry, out: &mut String) {
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
