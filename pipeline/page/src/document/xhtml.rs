//! XHTML as tokens, cut where XML cuts it: `<title/>` has an end, CDATA is text, scripts hold references.
//!
//! The tokens are those of HTML, so that one walk reads both. An empty element is a start and an end, and an element that
//! HTML calls empty is one tag, however it is written. What HTML cannot say is a comment: processing instructions, and
//! references to what the document itself declares. What is not well formed has no tokens.

use std::ops::Range;

use quick_xml::Reader;
use quick_xml::events::Event;

use super::xml;
use crate::html::element::ElementName;
use crate::html::limits::MOST_TOKENS;
use crate::html::rules::Rules;
use crate::html::scan::ruled;
use crate::html::tags::read_tag;
use crate::html::tokens::{PageTokens, TextKind};
use crate::html::writing::is_xml;

/// Elements whose text is no text for readers, and those that begin another vocabulary where they have a prefix.
const RAW: [&str; 5] = ["iframe", "noembed", "noframes", "script", "style"];
const OTHER_VOCABULARIES: [&str; 2] = ["math", "svg"];

/// Cuts XHTML in UTF-8 into tokens; nothing where it is not well formed, or where HTML has no word for what it says.
pub(crate) fn scan(source: &[u8], rules: &Rules) -> Option<PageTokens> {
    let start = if source.starts_with(b"\xef\xbb\xbf") {
        3
    } else {
        0
    };
    let text = std::str::from_utf8(source.get(start..)?).ok()?;
    u32::try_from(source.len())
        .ok()
        .filter(|_| text.chars().all(is_xml))?;
    let mut reader = Reader::from_str(text);
    reader.config_mut().enable_all_checks(true);
    let mut cutting = XhtmlTokenizer {
        source,
        rules,
        tokens: PageTokens::of_xml(),
        open: Vec::new(),
        has_root: false,
        declares: false,
    };
    let mut at = start;
    loop {
        let event = reader.read_event().ok()?;
        let range = at..start + usize::try_from(reader.buffer_position()).ok()?;
        at = range.end;
        if event == Event::Eof {
            break;
        }
        cutting.take(&event, range)?;
        if cutting.tokens.len() > MOST_TOKENS {
            return Some(cutting.tokens);
        }
    }
    let XhtmlTokenizer {
        mut tokens,
        open,
        has_root,
        ..
    } = cutting;
    (open.is_empty() && has_root).then_some(())?;
    ruled::mark(source, rules, &mut tokens);
    Some(tokens)
}

/// Whether ready-made markup can stand inside an element of XHTML.
pub(crate) fn is_fragment(markup: &str) -> bool {
    scan(format!("<div>{markup}</div>").as_bytes(), &Rules::default()).is_some()
}

/// Tokens as they come.
struct XhtmlTokenizer<'a> {
    source: &'a [u8],
    rules: &'a Rules,
    tokens: PageTokens,
    open: Vec<OpenXhtmlElement>,
    has_root: bool,
    /// The document declares entities of its own.
    declares: bool,
}

/// An open element.
#[derive(Clone, Debug, Default)]
struct OpenXhtmlElement {
    /// It is in SVG or MathML.
    is_foreign: bool,
    /// The number of its token, where HTML calls it empty.
    empty: Option<usize>,
    /// It holds more than white space.
    is_filled: bool,
    text: XhtmlTextKind,
}

/// What the text of an element is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum XhtmlTextKind {
    /// Words, in which elements may stand.
    #[default]
    Words,
    /// Words alone.
    WordsAlone,
    /// Of programs.
    Raw,
    /// Of programs, with references in it: nobody looks into it.
    RawWithReferences,
}

impl XhtmlTokenizer<'_> {
    fn take(&mut self, event: &Event<'_>, range: Range<usize>) -> Option<()> {
        match event {
            Event::Start(tag) => self.start(tag.name().as_ref(), range, false),
            Event::Empty(tag) => self.start(tag.name().as_ref(), range, true),
            Event::End(_) => self.end(range),
            Event::Text(text) => {
                // It would end a CDATA section that nobody began.
                (!text.windows(3).any(|three| three == b"]]>")).then_some(())?;
                self.text(range, false)
            }
            Event::CData(_) => self.text(
                range.start + b"<![CDATA[".len()..range.end.checked_sub(b"]]>".len())?,
                true,
            ),
            Event::GeneralRef(_) => self.reference(range),
            Event::Comment(_) | Event::PI(_) | Event::Decl(_) => {
                self.fill();
                self.tokens.comment(range);
                Some(())
            }
            Event::DocType(_) => {
                (!self.has_root).then_some(())?;
                self.declares = self.source[range.clone()]
                    .windows(8)
                    .any(|word| word == b"<!ENTITY");
                self.tokens.doctype(range);
                Some(())
            }
            Event::Eof => Some(()),
        }
    }

    /// Takes note that the innermost element holds something.
    fn fill(&mut self) {
        if let Some(open) = self.open.last_mut() {
            open.is_filled = true;
        }
    }

    fn start(&mut self, name: &[u8], range: Range<usize>, is_empty: bool) -> Option<()> {
        // There is one root; its name, like all others, is one that HTML can read.
        (xml::is_name(name) && name.first()?.is_ascii_alphabetic()).then_some(())?;
        (!self.open.is_empty() || !self.has_root).then_some(())?;
        self.has_root = true;
        let end = range.end.checked_sub(if is_empty { 2 } else { 1 })?;
        let attributes = xml::attributes(self.source, range.start + 1 + name.len()..end)?;
        let mut values = attributes
            .iter()
            .map(|attribute| &self.source[attribute.value.clone()]);
        values
            .all(|value| reads_as_html(value, self.declares))
            .then_some(())?;
        self.fill();
        let outer = self.open.last().cloned().unwrap_or_default();
        read_tag(self.source, range.clone(), self.rules, &mut self.tokens)?;
        let is_void = ElementName::find(name).is_some_and(|name| name.is_void());
        let token = self.tokens.len().checked_sub(1)?;
        if is_empty {
            if !is_void {
                self.tokens.close_empty();
            }
            return Some(());
        }
        let name = name.to_ascii_lowercase();
        let name = std::str::from_utf8(&name).ok()?;
        let (prefix, local) = name.split_once(':').unwrap_or(("", name));
        let is_other = !prefix.is_empty() && OTHER_VOCABULARIES.contains(&local);
        self.open.push(OpenXhtmlElement {
            is_foreign: match local {
                "foreignobject" | "annotation-xml" => false,
                _ => outer.is_foreign || OTHER_VOCABULARIES.contains(&local),
            },
            empty: is_void.then_some(token),
            is_filled: false,
            text: match outer.text {
                XhtmlTextKind::Words | XhtmlTextKind::WordsAlone
                    if is_other || RAW.contains(&local) =>
                {
                    XhtmlTextKind::Raw
                }
                XhtmlTextKind::Words if matches!(name, "title" | "textarea") => {
                    XhtmlTextKind::WordsAlone
                }
                XhtmlTextKind::RawWithReferences => XhtmlTextKind::Raw,
                other => other,
            },
        });
        Some(())
    }

    fn end(&mut self, range: Range<usize>) -> Option<()> {
        let open = self.open.pop()?;
        match open.empty {
            Some(token) if !open.is_filled => self.tokens.merge(token, range.end),
            // For HTML, what it holds would stand behind it.
            Some(_) if !open.is_foreign => return None,
            Some(_) | None => drop(read_tag(self.source, range, self.rules, &mut self.tokens)),
        }
        Some(())
    }

    /// Takes text; outside the root there is only white space.
    fn text(&mut self, range: Range<usize>, is_cdata: bool) -> Option<()> {
        let is_blank = !is_cdata && self.source[range.clone()].trim_ascii().is_empty();
        let Some(open) = self.open.last_mut() else {
            return is_blank.then_some(());
        };
        open.is_filled |= !is_blank;
        match open.text {
            _ if range.is_empty() => {}
            XhtmlTextKind::Raw => self.tokens.text(range, TextKind::Raw),
            XhtmlTextKind::RawWithReferences => self.tokens.comment(range),
            XhtmlTextKind::Words | XhtmlTextKind::WordsAlone if is_cdata => {
                self.tokens.text(range, TextKind::Cdata)
            }
            XhtmlTextKind::Words => self.tokens.text(range, TextKind::Data),
            XhtmlTextKind::WordsAlone => self.tokens.text(range, TextKind::Escapable),
        }
        Some(())
    }

    fn reference(&mut self, range: Range<usize>) -> Option<()> {
        let is_known = is_in_html(&self.source[range.clone()], self.declares)?;
        let open = self.open.last_mut()?;
        open.is_filled = true;
        match open.text {
            XhtmlTextKind::Words | XhtmlTextKind::WordsAlone if !is_known => {
                self.tokens.comment(range)
            }
            XhtmlTextKind::Words | XhtmlTextKind::WordsAlone => return self.text(range, false),
            XhtmlTextKind::Raw => {
                open.text = XhtmlTextKind::RawWithReferences;
                self.tokens.comment_out();
                self.tokens.comment(range);
            }
            XhtmlTextKind::RawWithReferences => self.tokens.comment(range),
        }
        Some(())
    }
}

/// Whether all references in an attribute say the same in HTML.
fn reads_as_html(value: &[u8], declares: bool) -> bool {
    let mut rest = value;
    while let Some(at) = rest.iter().position(|&byte| byte == b'&') {
        let Some(length) = rest[at..].iter().position(|&byte| byte == b';') else {
            return false;
        };
        if is_in_html(&rest[at..=at + length], declares) != Some(true) {
            return false;
        }
        rest = &rest[at + length + 1..];
    }
    true
}

/// Whether a reference says the same in HTML; nothing for what is none. A document that `declares` entities may mean
/// anything by their names.
fn is_in_html(reference: &[u8], declares: bool) -> Option<bool> {
    let reference = std::str::from_utf8(reference).ok()?;
    let name = reference.strip_prefix('&')?.strip_suffix(';')?;
    if let Some(number) = name.strip_prefix('#') {
        let digits = number.strip_prefix('x');
        let code = digits
            .map_or_else(|| number.parse(), |digits| u32::from_str_radix(digits, 16))
            .ok()?;
        let character = char::from_u32(code).filter(|&character| is_xml(character))?;
        // HTML takes these for what they are in Windows.
        return Some(!matches!(character, '\u{80}'..='\u{9f}'));
    }
    let is_own = declares && !matches!(name, "amp" | "lt" | "gt" | "quot" | "apos");
    xml::is_name(name.as_bytes()).then(|| !is_own && htmlize::unescape(reference) != reference)
}

#[cfg(test)]
mod tests;
