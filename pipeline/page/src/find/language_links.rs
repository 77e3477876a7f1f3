//! The links of a page's own language menu (R-S17): links whose words are a language's own name, code or flag, and links that
//! stand among those of other languages.
//!
//! A name that may also be a topic ("English" on an English site, the code `it`) needs a second sign: a `hreflang` or `lang`
//! of that language, its tag in the address, or a neighbour of another language.

use std::ops::Range;

use super::attributes::has_rel;
use super::language_label::{LabelKind, LanguageLabel, read_label, tag_of};
use crate::Locale;
use crate::html::tokens::{PageTokens, StartTag, TextKind, TokenKind};

/// Distance in tokens: from a link to the end of its words, and between two links of one menu.
const FAR: usize = 48;

/// The most bytes of a link's words; a menu has short ones.
const LONGEST: usize = 96;

/// The most letters between two links of a menu, such as "or".
const MOST_BETWEEN: usize = 5;

/// Elements that may begin between a menu's button and its first entry.
const CONTAINERS: [&str; 12] = [
    "dd", "details", "div", "label", "li", "menu", "nav", "ol", "option", "select", "span", "ul",
];

/// Codes that are words or abbreviations of their own.
const AMBIGUOUS: [&str; 30] = [
    "am", "as", "be", "bi", "ca", "co", "cs", "cv", "ga", "hi", "hr", "id", "ie", "io", "is", "it",
    "km", "la", "ml", "ms", "my", "no", "or", "os", "ps", "so", "to", "ts", "uk", "vi",
];

/// The language links of a page: the byte at which the tag of each starts, and the language that it names. `None` stands for a
/// link that says so and names no language (`hreflang="x-default"`).
#[derive(Debug, Default)]
pub(crate) struct LanguageLinks(Vec<(usize, Option<Locale>)>);

/// A link that may be a language link.
struct LanguageLinkCandidate {
    index: usize,
    start: usize,
    /// True if the link has `hreflang`.
    has_hreflang: bool,
    /// Language of `hreflang`; `None` if it names none, such as `x-default`.
    hreflang: Option<Locale>,
    /// Language of `lang`, on the link or on an element in it.
    lang: Option<Locale>,
    label: Option<LanguageLabel>,
    /// The address has a tag of the language.
    address: Option<Locale>,
    /// The author marked it as a link to a version (`rel="alternate"`).
    is_alternate: bool,
}

/// The words of a link, piece by piece, and what stands beside them.
#[derive(Default)]
struct LinkWords {
    pieces: Vec<String>,
    /// True if the words are longer than a menu's.
    is_long: bool,
    lang: Option<Locale>,
}

impl LanguageLinks {
    /// Finds the language links of a page whose language is `source`.
    pub(crate) fn find(page: &[u8], tokens: &PageTokens, source: &Locale) -> Self {
        let mut found = Self::default();
        let mut run: Vec<LanguageLinkCandidate> = Vec::new();
        for (index, token) in tokens.numbered_tags(&["a", "option"]) {
            let TokenKind::Start(tag) = &token.kind else {
                continue;
            };
            let Some(address) = address_of(page, tag) else {
                continue;
            };
            let candidate =
                LanguageLinkCandidate::read(page, tokens, (index, &token.range, tag), &address);
            let is_next = match (run.last(), &candidate) {
                (Some(last), Some(next)) => are_neighbours(page, tokens, last.index..next.index),
                _ => false,
            };
            if !is_next {
                found.settle(&mut run, source);
            }
            run.extend(candidate);
        }
        found.settle(&mut run, source);
        found
    }

    /// The language link whose tag starts at a byte.
    pub(crate) fn at(&self, start: usize) -> Option<&Option<Locale>> {
        let at = self
            .0
            .binary_search_by_key(&start, |(start, _)| *start)
            .ok()?;
        self.0.get(at).map(|(_, language)| language)
    }

    /// Takes the language links of neighbouring candidates.
    fn settle(&mut self, run: &mut Vec<LanguageLinkCandidate>, source: &Locale) {
        let is_menu = is_menu(run, source);
        for candidate in run
            .drain(..)
            .filter(|candidate| is_menu || candidate.is_sure(source))
        {
            self.0.push((candidate.start, candidate.language()));
        }
    }
}

/// Tells a menu of several languages from links that only look alike.
fn is_menu(run: &[LanguageLinkCandidate], source: &Locale) -> bool {
    let languages: Vec<Locale> = run
        .iter()
        .filter_map(LanguageLinkCandidate::language)
        .collect();
    let Some(first) = languages.first() else {
        return false;
    };
    if languages.iter().all(|other| other.same_language(first)) {
        return false;
    }
    let names_source = languages
        .iter()
        .any(|language| language.same_language(source));
    run.iter().any(|candidate| candidate.is_sure(source))
        || run.iter().all(|candidate| candidate.has_hreflang)
        || (names_source && run.iter().all(LanguageLinkCandidate::has_own_name))
}

impl LanguageLinkCandidate {
    /// True if its words are a language's own name or code.
    fn has_own_name(&self) -> bool {
        self.label.as_ref().is_some_and(|label| {
            matches!(
                label.kind,
                LabelKind::Own | LabelKind::Code | LabelKind::Country
            )
        })
    }

    /// Reads a link or an `<option>`; `None` if it says nothing of any language.
    fn read(
        page: &[u8],
        tokens: &PageTokens,
        (index, range, tag): (usize, &Range<usize>, &StartTag<'_>),
        address: &str,
    ) -> Option<Self> {
        let value = |name: &str| tag.value(page, name);
        let written = value("hreflang");
        let has_hreflang = written.is_some();
        let hreflang = written.and_then(|written| tag_of(&written));
        let words = LinkWords::read(page, tokens, index, tag);
        let lang = value("lang")
            .or_else(|| value("xml:lang"))
            .and_then(|written| tag_of(&written))
            .or(words.lang.clone());
        let hint = hreflang.clone().or_else(|| lang.clone());
        let in_address = languages_of(address);
        let hints: Vec<&Locale> = hint.iter().chain(&in_address).collect();
        let label = if words.is_long {
            None
        } else {
            words.label(page, tag, &hints)
        };
        if label.is_none() && !has_hreflang {
            return None;
        }
        let named = label.as_ref().map(|label| &label.locale).or(hint.as_ref());
        let address = named.and_then(|named| {
            in_address
                .iter()
                .find(|other| other.same_language(named))
                .cloned()
        });
        let is_alternate = &*tag.name == "a" && has_hreflang && has_rel(page, tag, "alternate");
        Some(Self {
            index,
            start: range.start,
            has_hreflang,
            hreflang,
            lang,
            label,
            address,
            is_alternate,
        })
    }

    /// Stands for a language without any neighbour.
    fn is_sure(&self, source: &Locale) -> bool {
        if self.is_alternate {
            return true;
        }
        let Some(label) = &self.label else {
            return false;
        };
        for named in self.hreflang.iter().chain(&self.lang) {
            if named.same_language(&label.locale) {
                return true;
            }
        }
        match label.kind {
            LabelKind::Own => self.address.is_some() || !source.same_language(&label.locale),
            LabelKind::Code => {
                self.address.is_some() && !AMBIGUOUS.contains(&label.locale.language())
            }
            // English is spoken in most small countries: `<a href="https://en.wikipedia.org/wiki/…">AI</a>` is not that of Anguilla.
            LabelKind::Country if label.locale.language() == "en" => {
                self.address.as_ref() == Some(&label.locale)
            }
            LabelKind::Country | LabelKind::English | LabelKind::Flag => self.address.is_some(),
        }
    }

    /// The language that it names, with its region if anything says one.
    fn language(&self) -> Option<Locale> {
        let hreflang = self.hreflang.clone();
        let Some(label) = &self.label else {
            return hreflang;
        };
        let all = [
            hreflang,
            self.lang.clone(),
            Some(label.locale.clone()),
            self.address.clone(),
        ];
        let all: Vec<Locale> = all
            .into_iter()
            .flatten()
            .filter(|one| one.same_language(&label.locale))
            .collect();
        all.iter()
            .find(|locale| locale.as_str().contains('-'))
            .or(all.first())
            .cloned()
    }
}

impl LinkWords {
    /// The words of the element that begins with a token, with those of its pictures.
    fn read(page: &[u8], tokens: &PageTokens, index: usize, outer: &StartTag<'_>) -> Self {
        let mut words = Self::default();
        let mut length = 0;
        let mut graphics = 0_usize;
        for token in tokens.from(index + 1).take(FAR) {
            match &token.kind {
                TokenKind::End(name) if *name == outer.name || &**name == "select" => break,
                TokenKind::Start(tag) if tag.name == outer.name => break,
                TokenKind::Start(tag) if &*tag.name == "svg" && !tag.self_closing => graphics += 1,
                TokenKind::End(name) if &**name == "svg" => graphics = graphics.saturating_sub(1),
                TokenKind::Start(tag) if graphics == 0 => {
                    if words.lang.is_none() {
                        words.lang = tag.value(page, "lang").and_then(|lang| tag_of(&lang));
                    }
                    if &*tag.name == "img" {
                        words
                            .pieces
                            .extend(tag.value(page, "alt").map(|alt| alt.into_owned()));
                    }
                }
                TokenKind::Text(TextKind::Data) if graphics == 0 => {
                    length += token.range.len().min(LONGEST + 1);
                    let raw = page
                        .get(token.range.clone())
                        .filter(|raw| raw.len() <= LONGEST)
                        .unwrap_or_default();
                    words
                        .pieces
                        .push(htmlize::unescape(String::from_utf8_lossy(raw)).into_owned());
                }
                TokenKind::Start(_)
                | TokenKind::End(_)
                | TokenKind::Text(_)
                | TokenKind::Comment
                | TokenKind::Doctype => {}
            }
        }
        words.pieces.retain(|piece| !piece.trim().is_empty());
        words.is_long = length > LONGEST;
        words
    }

    /// The language that they name. A code or a picture is often explained: `<a title="Español">Es</a>`.
    fn label(&self, page: &[u8], tag: &StartTag<'_>, hints: &[&Locale]) -> Option<LanguageLabel> {
        let label = read_label(&self.pieces, hints);
        if label
            .as_ref()
            .is_some_and(|label| label.kind == LabelKind::Own)
            || (label.is_none() && !self.pieces.is_empty())
        {
            return label;
        }
        for name in ["title", "aria-label"] {
            let explained = tag
                .value(page, name)
                .and_then(|words| read_label(&[words.into_owned()], hints));
            let Some(explained) = explained else { continue };
            if label
                .as_ref()
                .is_none_or(|label| label.locale.same_language(&explained.locale))
            {
                return Some(explained);
            }
        }
        label
    }
}

/// The address of a link; that of an `<option>` may be any value.
fn address_of(page: &[u8], tag: &StartTag<'_>) -> Option<String> {
    let name = if &*tag.name == "option" {
        "value"
    } else {
        "href"
    };
    tag.value(page, name)
        .map(|address| address.trim().to_owned())
}

/// The languages whose tags an address has: in its host, its path, a file's name or a query. The whole name of a file is none: manuals
/// of programs have an `os.html`.
fn languages_of(address: &str) -> Vec<Locale> {
    let address = address.split('#').next().unwrap_or_default();
    let (path, query) = address.split_once('?').unwrap_or((address, ""));
    let path = path.split_once("://").map_or(path, |(_, rest)| rest);
    let mut languages = Vec::new();
    for segment in path.split('/').take(8) {
        languages.extend(tag_of(segment));
        let stem = segment.rsplit_once('.').map_or(segment, |(stem, _)| stem);
        languages.extend(
            segment
                .split('.')
                .filter(|part| ![segment, stem].contains(part))
                .take(4)
                .filter_map(tag_of),
        );
        languages.extend(
            stem.rsplit_once(['-', '_'])
                .and_then(|(_, tail)| tag_of(tail)),
        );
    }
    for pair in query.split('&').take(8) {
        languages.extend(pair.split_once('=').and_then(|(_, value)| tag_of(value)));
    }
    languages
}

/// Tells whether two links stand side by side in one list, or as a menu's button and its first entry.
fn are_neighbours(page: &[u8], tokens: &PageTokens, between: Range<usize>) -> bool {
    if between.len() > FAR {
        return false;
    }
    let mut open = Vec::new();
    let mut ended = Vec::new();
    let mut letters = 0;
    for token in tokens.from(between.start).take(between.len()) {
        match &token.kind {
            TokenKind::Start(tag) if !tag.name.is_void() && !tag.self_closing => {
                open.push(tag.name.clone())
            }
            TokenKind::End(name) => match open.iter().rposition(|other| other == name) {
                Some(at) => open.truncate(at),
                None => ended.push(name.clone()),
            },
            // The first element is the link with its own words.
            TokenKind::Text(TextKind::Data)
                if !open.iter().any(|name| matches!(&**name, "a" | "option")) =>
            {
                let text =
                    String::from_utf8_lossy(page.get(token.range.clone()).unwrap_or_default());
                letters += text.chars().filter(|letter| letter.is_alphabetic()).count();
            }
            TokenKind::Start(_) | TokenKind::Text(_) | TokenKind::Comment | TokenKind::Doctype => {}
        }
    }
    // An end tag may be left out.
    open.retain(|name| !matches!(&**name, "a" | "option"));
    let is_sibling = ended.iter().eq(open.iter().rev());
    // A button may have a wrapper of its own beside the list.
    let is_button = ended.len() <= 1
        && ended
            .iter()
            .chain(&open)
            .all(|name| CONTAINERS.contains(&&**name));
    letters <= MOST_BETWEEN && (is_sibling || is_button)
}
