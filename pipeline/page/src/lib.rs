//! The pure core: a page is its own source, unchanged, plus a sorted list of places where something else may stand.
//!
//! [`Page::parse`] finds the places of HTML, [`Page::parse_as`] those of any [`Format`], [`Page::render`] copies the
//! source and fills them. What is not a place cannot change, so a page may stay untranslated but is never damaged.
//! Nothing here touches a file, a socket, a clock or a global.

mod attributes;
mod block;
mod document;
mod edits;
mod element;
mod encoding;
mod facts;
mod found_links;
mod head;
mod inherit;
mod inner;
mod json;
mod kept;
mod key;
mod legacy;
mod limits;
mod links;
mod locale;
mod makers;
mod prescan;
mod render;
mod rules;
mod scan;
mod segment;
mod space;
mod span;
mod stack;
mod state;
mod structured;
mod switchers;
mod tags;
mod text;
mod tokens;
mod unit;
mod value;

pub use document::Format;
pub use facts::{Alternate, LinkFact, PageFacts, Said, read_facts};
pub use found_links::{FoundLink, PageLinks, find_links};
pub use head::Head;
pub use kept::Kept;
pub use key::SegmentKey;
pub use limits::{DEEPEST, Excess, MOST_TOKENS, STEPS_A_BYTE};
pub use links::css_addresses;
pub use locale::{Direction, Locale, LocaleError};
pub use makers::Rendering;
pub use rules::{LocaleFilter, RuleError, Rules};
pub use switchers::MARKER;

pub use text::{Code, CodeKind, CodedText, Piece, TextError, check};

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use block::{Part, PartKind};
use document::{Document, Speech};
use edits::Edits;
use head::HeadPlaces;
use inner::Inner;
use legacy::LegacyPlaces;
use links::LinkPlace;
use render::Filling;
use switchers::SwitcherPlaces;
use unit::Unit;
use value::Writing;

/// The largest page that is looked into, in bytes; a larger one has no places and stays as it is. Looking into a page
/// takes some ten times its size in memory.
pub const LARGEST: usize = 64 << 20;

/// A parsed page: its source and the places where something else may stand.
#[derive(Debug)]
pub struct Page {
    /// The page in UTF-8.
    source: Vec<u8>,
    /// The bytes as they came, where they were not UTF-8.
    original: Option<Vec<u8>>,
    encoding: &'static encoding_rs::Encoding,
    broken: usize,
    /// Why nothing in the page is changed.
    excess: Option<Excess>,
    /// How many steps it took to find the places.
    steps: u64,
    rendering: Rendering,
    locale: Locale,
    format: Format,
    units: Vec<Unit>,
    /// What the units in lines are made of.
    parts: Vec<Part>,
    langs: Vec<LangPlace>,
    /// Elements that are not there for every locale, from the first to the last byte of each.
    filtered: Vec<(Range<usize>, Arc<LocaleFilter>)>,
    /// Where elements that hold code say that they read from left to right (R-B6).
    code: Vec<usize>,
    /// What a document that is no HTML says of itself.
    speech: Vec<Speech>,
    /// The encoding that the XML declaration of such a document names.
    declared: Option<Range<usize>>,
    /// Pages inside values, such as `srcdoc` attributes (R-A2); their segments follow the page's own.
    inner: Vec<Inner>,
    base: Option<String>,
    links: Vec<LinkPlace>,
    /// What says the language of a link's target, by index of the link.
    link_langs: BTreeMap<usize, LangPlace>,
    /// What only HTML has that stands for itself, and not in a value.
    whole: Option<Box<Whole>>,
}

/// The places of a page that stands for itself.
#[derive(Debug)]
struct Whole {
    head: HeadPlaces,
    switchers: SwitcherPlaces,
    legacy: LegacyPlaces,
}

/// What to change in a page beside its texts.
#[derive(Clone, Copy, Default)]
pub struct Changes<'a> {
    /// Language and direction: the locale of the rendered page, where it differs from the source's.
    pub speak: Option<&'a Locale>,
    /// What the head shall say; only HTML has one.
    pub head: Option<&'a Head<'a>>,
    /// Gives the new address of a link, or nothing to leave it.
    pub link: Option<&'a LinkMap<'a>>,
}

/// Gives the new address of a link, or nothing to leave it as it is written.
pub type LinkMap<'a> = dyn Fn(&Link<'_>) -> Option<String> + 'a;

/// A link of a page that is being rendered.
#[derive(Clone, Copy, Debug)]
pub struct Link<'a> {
    /// The address as written, character references decoded; its query in the spelling of the page's encoding.
    pub address: &'a str,
    /// The element's name in lower case.
    pub element: &'a str,
    /// The element's `rel` tokens in lower case.
    pub rel: &'a [String],
    /// The language that it says it leads to, where it is a link to this page in another language.
    pub hreflang: Option<&'a str>,
    /// Whether programs read it away from the page, so that an address written in full has to stay so.
    pub in_full: bool,
}

/// A rendered page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rendered {
    /// The page's bytes: the source's own where nothing changed, otherwise UTF-8.
    pub html: Vec<u8>,
    /// Translations that were refused; the source text stands in their place.
    pub refused: Vec<(usize, TextError)>,
}

impl Page {
    /// Finds the places of a page; `charset` is what the HTTP header declared, `locale` the page's language.
    pub fn parse(html: &[u8], charset: Option<&str>, locale: &Locale) -> Self {
        Self::parse_with(html, charset, locale, &Rules::default())
    }

    /// Finds the places of a page whose site has rules of its own.
    pub fn parse_with(html: &[u8], charset: Option<&str>, locale: &Locale, rules: &Rules) -> Self {
        Self::parse_as(Format::Html, html, charset, locale, rules)
    }

    /// Finds the places of a page in any format; one that is damaged, other than in HTML, has none.
    pub fn parse_as(format: Format, bytes: &[u8], charset: Option<&str>, locale: &Locale, rules: &Rules) -> Self {
        let decoded = encoding::decode(bytes, charset);
        match format {
            _ if decoded.html.len() > LARGEST => Self::left(decoded, locale, Excess::Bytes),
            Format::Html => Self::read(decoded, locale, rules, INNER_DEPTH),
            Format::Feed | Format::JsonFeed | Format::Manifest => Self::document(format, decoded, locale, rules),
        }
    }

    fn document(format: Format, decoded: encoding::Decoded, locale: &Locale, rules: &Rules) -> Self {
        let document = Document::find(&decoded.html, format, locale);
        Self {
            format,
            speech: document.speech,
            declared: document.encoding,
            base: document.base,
            links: document.links,
            link_langs: document.link_langs,
            ..Self::assemble(decoded, document.texts, locale, rules, INNER_DEPTH)
        }
    }

    fn read(decoded: encoding::Decoded, locale: &Locale, rules: &Rules, depth: usize) -> Self {
        let tokens = scan::scan(&decoded.html, rules);
        if tokens.len() > MOST_TOKENS {
            return Self::left(decoded, locale, Excess::Tokens);
        }
        let rendering = makers::rendering(&decoded.html, &tokens);
        let mut found = segment::find(&decoded.html, &tokens, locale, rendering != Rendering::Static);
        if let Some(excess) = found.excess {
            return Self::left(decoded, locale, excess);
        }
        if rules.state && rendering != Rendering::Static {
            state::find(&decoded.html, &tokens, &mut found);
        }
        let base = links::base(&decoded.html, &tokens);
        let links = links::find(&decoded.html, &tokens, decoded.encoding);
        if depth < INNER_DEPTH {
            // A page inside a value has no head and no switcher that anybody changes.
            return Self { rendering, base, links, ..Self::assemble(decoded, found, locale, rules, depth) };
        }
        Self {
            rendering,
            base,
            links,
            whole: Some(Box::new(Whole {
                head: head::find(&decoded.html, &tokens),
                switchers: switchers::find(&decoded.html, &tokens, rules.switcher.as_deref()),
                legacy: legacy::find(&decoded.html, &tokens, decoded.encoding),
            })),
            ..Self::assemble(decoded, found, locale, rules, depth)
        }
    }

    /// A page of its texts alone.
    fn assemble(
        decoded: encoding::Decoded,
        found: segment::Found,
        locale: &Locale,
        rules: &Rules,
        depth: usize,
    ) -> Self {
        let mut first = found.units.len();
        let inner = |place: segment::InnerPlace| {
            let html = place.html.into_bytes();
            let decoded = encoding::Decoded { html, original: None, encoding: encoding_rs::UTF_8, broken: 0 };
            let page = Self::read(decoded, locale, rules, depth - 1);
            let inner = Inner { value: place.value, writing: place.writing, base: place.base, first, page };
            first += inner.page.segment_count();
            inner
        };
        Self {
            inner: found.inner.into_iter().filter(|_| depth > 0).map(inner).collect(),
            units: found.units,
            parts: found.parts,
            langs: found.langs,
            filtered: found.filtered,
            code: found.code,
            encoding: decoded.encoding,
            broken: decoded.broken,
            excess: None,
            steps: found.steps,
            rendering: Rendering::default(),
            source: decoded.html,
            original: decoded.original,
            locale: locale.clone(),
            format: Format::Html,
            speech: Vec::new(),
            declared: None,
            base: None,
            links: Vec::new(),
            link_langs: BTreeMap::new(),
            whole: None,
        }
    }

    /// The first `<base href>`, against which the page's links count (R-E3).
    pub fn base(&self) -> Option<&str> {
        self.base.as_deref()
    }

    /// The name of the encoding in which browsers read the page.
    pub fn encoding(&self) -> &'static str {
        self.encoding.name()
    }

    /// In how many places the page's bytes make no sense in its encoding (R-D8).
    pub fn broken_places(&self) -> usize {
        self.broken
    }

    /// How the page's words come before its readers.
    pub fn rendering(&self) -> Rendering {
        self.rendering
    }

    fn is_utf_8(&self) -> bool {
        self.encoding == encoding_rs::UTF_8
    }

    /// The address to which the page sends its readers by itself (`<meta http-equiv=refresh>`).
    pub fn refresh(&self) -> Option<&str> {
        let is_refresh =
            |link: &&LinkPlace| &*link.element == "meta" && matches!(link.writing, links::Writing::Part(_));
        self.links.iter().find(is_refresh).map(|link| link.address.as_str())
    }

    /// Copies the page with translations and changes at their places.
    ///
    /// `translation` gives the text of the segment with that index. What [`check`] refuses is left in the source
    /// language and listed. Without any effective change the result is the source, byte for byte.
    pub fn render<'t>(&self, translation: impl Fn(usize) -> Option<&'t CodedText>, changes: &Changes<'_>) -> Rendered {
        if self.excess.is_some() {
            let html = self.original.clone().unwrap_or_default();
            return Rendered { html, refused: Vec::new() };
        }
        let speaks = self.is_html() && (changes.head.is_some() || self.target(changes).is_some());
        let mut converts = speaks && !self.is_utf_8();
        let (mut edits, mut refused) = self.edits(&translation, changes, speaks, converts);
        if !self.is_utf_8() && !converts && !edits.is_empty() {
            // Any change makes the page UTF-8, and that brings changes of its own.
            converts = true;
            (edits, refused) = self.edits(&translation, changes, speaks, converts);
        }
        refused.sort_by_key(|(index, _)| *index);
        Rendered { html: self.write(&edits, converts), refused }
    }

    fn is_html(&self) -> bool {
        self.format == Format::Html
    }

    /// The locale that the page is to speak, where it is another.
    fn target<'c>(&self, changes: &Changes<'c>) -> Option<&'c Locale> {
        changes.speak.filter(|target| **target != self.locale)
    }

    fn edits<'t>(
        &self,
        translation: &dyn Fn(usize) -> Option<&'t CodedText>,
        changes: &Changes<'_>,
        speaks: bool,
        converts: bool,
    ) -> (Edits, Vec<(usize, TextError)>) {
        let mut edits = Edits::of(&self.source);
        let mut refused = Vec::new();
        self.say(changes, speaks, converts, &mut edits);
        self.render_inner(translation, changes, &mut edits, &mut refused);
        // From the back, so that what lies inside a line is done before the line around it.
        for (index, unit) in self.units.iter().enumerate().rev() {
            let Some(target) = translation(index) else { continue };
            let segment = unit.segment(&self.source, &self.parts);
            let parts = unit.parts(&self.parts);
            let preserve = parts.iter().any(|part| matches!(part.kind, PartKind::Text { preserve: true, .. }));
            let target = render::normalize(target, preserve);
            if *target == segment.text {
                continue;
            }
            let filling = Filling { source: &self.source, unit, parts, text: &segment.text, target: &target };
            match check(&segment, &target) {
                Ok(()) if filling.is_pinned() => refused.push((index, TextError::Order(1))),
                Ok(()) if filling.fill(&mut edits) => {}
                Ok(()) => refused.push((index, TextError::Heavy)),
                Err(error) => refused.push((index, error)),
            }
        }
        if let Some(declared) = self.declared.clone().filter(|_| !edits.is_empty())
            && !self.source[declared.clone()].eq_ignore_ascii_case(b"utf-8")
        {
            edits.replace(declared, "UTF-8");
        }
        (edits, refused)
    }

    /// Writes everything but the texts: links, language, direction, encoding, head.
    fn say(&self, changes: &Changes<'_>, speaks: bool, converts: bool, edits: &mut Edits) {
        let target = self.target(changes);
        self.change_links(changes.link, target, converts, edits);
        if let Some(target) = target {
            if let Some(whole) = &self.whole {
                whole.head.speak(target, edits);
            }
            for (range, writing) in &self.langs {
                edits.replace(range.clone(), &writing.write(target.as_str()));
            }
            self.speech.iter().for_each(|speech| speech.speak(target, edits));
            if target.direction() == Direction::Rtl && self.locale.direction() == Direction::Ltr {
                self.code.iter().for_each(|&at| edits.insert(at, " dir=\"ltr\""));
            }
            let left_out = self.filtered.iter().filter(|(_, filter)| !filter.admits(target));
            left_out.for_each(|(range, _)| edits.remove(range.clone()));
        }
        let Some(Whole { head, switchers, legacy }) = self.whole.as_deref() else { return };
        // A page that was UTF-8 by luck or by header needs to say so once its words may be in any script (R-D4);
        // it says so before anything else, because browsers look no further than 1024 bytes.
        if converts || (speaks && !self.source.starts_with(encoding::BOM)) {
            head.declare_utf_8(edits);
        }
        if converts {
            legacy.keep(edits);
        }
        head.share(&self.locale, target, changes.head.map_or(&[], |head| head.alternates), edits);
        if let Some(says) = changes.head {
            head.describe(says, edits);
            switchers.fill(says.marked, says.waiting, edits);
        }
    }

    /// Renders the pages inside values; they have no head of their own to change.
    fn render_inner<'t>(
        &self,
        translation: &dyn Fn(usize) -> Option<&'t CodedText>,
        changes: &Changes<'_>,
        edits: &mut Edits,
        refused: &mut Vec<(usize, TextError)>,
    ) {
        for inner in self.inner.iter().filter(|inner| inner.page.excess.is_none()) {
            let link = changes.link.map(|map| move |link: &Link<'_>| inner.change_link(map, link));
            let changes = Changes { link: link.as_ref().map(|link| link as _), ..Changes::default() };
            let first = inner.first;
            let rendered = inner.page.render(|index| translation(first + index), &changes);
            if rendered.html != inner.page.source {
                let html = String::from_utf8_lossy(&rendered.html);
                edits.replace(inner.value.clone(), &inner.writing.write(&html));
            }
            refused.extend(rendered.refused.into_iter().map(|(index, error)| (first + index, error)));
        }
    }

    fn change_links(&self, map: Option<&LinkMap<'_>>, target: Option<&Locale>, converts: bool, edits: &mut Edits) {
        for (index, place) in self.links.iter().enumerate() {
            let in_full = matches!(place.writing, links::Writing::Value(_));
            let hreflang = place.hreflang.as_deref();
            let link = Link { address: &place.address, element: &place.element, rel: &place.rel, hreflang, in_full };
            let changed = map.and_then(|map| map(&link)).filter(|address| *address != place.address);
            let lang = self.link_langs.get(&index).filter(|_| changed.is_some());
            if let (Some((range, writing)), Some(target)) = (lang, target) {
                edits.replace(range.clone(), &writing.write(target.as_str()));
            }
            let address = changed.or_else(|| (converts && place.respelled).then(|| place.address.clone()));
            if let Some(written) = address.and_then(|address| render::write_link(place, &address)) {
                edits.replace(place.range.clone(), &written);
            }
        }
    }

    fn write(&self, edits: &Edits, converts: bool) -> Vec<u8> {
        if edits.is_empty() && !converts {
            return self.original.clone().unwrap_or_else(|| self.source.clone());
        }
        let mut html = edits.apply(&self.source);
        // Where the declaration comes too late for browsers, a BOM says it (R-D4).
        if converts && self.is_html() && prescan::declared(&html) != Some(encoding_rs::UTF_8) {
            html.splice(..0, encoding::BOM.iter().copied());
        }
        html
    }
}

/// How deep pages inside values are followed.
const INNER_DEPTH: usize = 2;

/// An inner `lang` that names the page's own language: its value and how it is written.
type LangPlace = (Range<usize>, Writing);

/// What kind of text a segment is; equal texts of different classes are translated apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TextClass {
    /// Running text: blocks, titles and descriptions.
    Prose,
    /// The label of a thing: `alt`, `title`, `placeholder`, `aria-label`, button values.
    Label,
}

impl TextClass {
    /// The name under which keys and files know the class.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Prose => "prose",
            Self::Label => "label",
        }
    }
}

/// A piece of text that is translated as one, with its inline codes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// The text, entities decoded and white space collapsed, without outer markup.
    pub text: CodedText,
    /// What the codes of the text stand for; code `n` is at index `n - 1`.
    pub codes: Vec<Code>,
    /// What kind of text this is.
    pub class: TextClass,
    /// The element or attribute it stands in, such as `h1` or `img alt`: context for people and engines.
    pub origin: Cow<'static, str>,
    /// The locales that it is there for, where not all.
    pub filter: Option<Arc<LocaleFilter>>,
    /// Whether its codes stay where they are and text stays wherever there is some: a script compares the page's
    /// nodes with its own, one by one (R-I1, R-I2).
    pub keeps_nodes: bool,
}

impl Segment {
    /// The key under which a translation of this segment is kept.
    pub fn key(&self, source: &Locale) -> SegmentKey {
        SegmentKey::new(source, self.class.as_str(), &self.text.to_markup())
    }
}
