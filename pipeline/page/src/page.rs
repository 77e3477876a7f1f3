//! A page: its source, unchanged, and the places where something else may stand.
//!
//! How the places are found is in `parse.rs`, how they are filled in `render.rs`.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use super::document::{LocaleStatement, PageFormat};
use crate::Locale;
use crate::find::found::{DirectionPlace, LangPlace, NumberPlace};
use crate::find::inline_links::{MODULE, PATTERN};
use crate::find::link_place::{self, LinkPlace};
use crate::find::loaded::LoadedPlace;
use crate::find::names::PageName;
use crate::find::option::OptionValue;
use crate::find::part::BlockPart;
use crate::find::sealed::Hashes;
use crate::find::structured_links::{IDENTIFIER, PAGE};
use crate::find::unit::TextUnit;
use crate::head::legacy::LegacyPlaces;
use crate::head::places::HeadPlaces;
use crate::head::switchers::SwitcherPlaces;
use crate::html::hydration::{Framework, Rendering};
use crate::html::limits::ExceededLimit;
use crate::html::rules::LocaleFilter;
use crate::html::span::ByteSpan;
use crate::html::writing::ValueWriting;
use crate::text::segment::Segment;

/// A parsed page: its source and the places where something else may stand.
///
/// A page may hold thousands of small pages in its values, so each takes little room: boxed slices, which are as large as
/// what they hold, and boxes for what few pages have.
#[derive(Debug)]
pub struct Page {
    /// The page in UTF-8.
    pub(super) source: Box<[u8]>,
    /// The bytes as they came, where they were not UTF-8.
    pub(super) original: Option<Box<[u8]>>,
    pub(super) encoding: &'static encoding_rs::Encoding,
    pub(super) broken: usize,
    /// Why nothing in the page is changed.
    pub(super) excess: Option<ExceededLimit>,
    /// How many steps it took to find the places.
    pub(super) steps: u64,
    pub(super) rendering: Rendering,
    pub(super) framework: Option<Framework>,
    pub(super) locale: Locale,
    pub(super) format: PageFormat,
    pub(super) units: Box<[TextUnit]>,
    /// What the units in lines are made of.
    pub(super) parts: Box<[BlockPart]>,
    /// What options without `value` send, in order.
    pub(super) options: Box<[OptionValue]>,
    /// What depends on the locale in which it is rendered.
    pub(super) by_locale: Option<Box<ByLocale>>,
    /// Pages inside values, such as `srcdoc` attributes (R-A2); their segments follow the page's own.
    pub(super) inner: Box<[InnerPage]>,
    pub(super) base: Option<Box<str>>,
    pub(super) links: Box<[LinkPlace]>,
    /// What only a document has that is no HTML.
    pub(super) declarations: Option<Box<Declarations>>,
    /// What only HTML has that stands for itself, and not in a value.
    pub(super) whole: Option<Box<Whole>>,
}

const _: () = assert!(
    size_of::<InnerPage>() <= 240,
    "a page may hold another in every value"
);

/// Places of elements and attributes that depend on the locale in which a page is rendered.
#[derive(Debug)]
pub(super) struct ByLocale {
    /// Inner `lang` attributes that name the page's own language.
    pub(super) langs: Vec<LangPlace>,
    /// Elements that are not there for every locale, from the first to the last byte of each.
    pub(super) filtered: Vec<(Range<usize>, Arc<LocaleFilter>)>,
    /// Where elements that hold code say that they read from left to right (R-B6).
    pub(super) code: Vec<usize>,
    /// Blocks that say the direction of the page's script (R-R2).
    pub(super) directions: Vec<DirectionPlace>,
    /// Untranslated texts whose order depends on the text around them (R-R1).
    pub(super) numbers: Vec<NumberPlace>,
}

/// What a document that is no HTML says of itself.
#[derive(Debug)]
pub(super) struct Declarations {
    pub(super) speech: Vec<LocaleStatement>,
    /// The encoding that its XML declaration names.
    pub(super) encoding: Option<Range<usize>>,
    /// What says the language of a link's target, by index of the link.
    pub(super) link_langs: BTreeMap<usize, LangPlace>,
}

/// The places of a page that stands for itself.
#[derive(Debug)]
pub(super) struct Whole {
    pub(super) head: HeadPlaces,
    pub(super) switchers: SwitcherPlaces,
    pub(super) legacy: LegacyPlaces,
    /// Letters that stand one by one in blocks are no texts (R-W3).
    pub(super) has_letters: bool,
    /// It asks not to be translated at all (R-A5).
    pub(super) refuses: bool,
    /// The texts of its inline style sheets and scripts.
    pub(super) inline_texts: Box<[ByteSpan]>,
    /// Style sheets, and what it loads with `integrity`.
    pub(super) loaded: Box<[LoadedPlace]>,
    /// Proper names that the page states outside its sentences (R-N2).
    pub(super) names: Box<[PageName]>,
}

/// A page inside a value.
#[derive(Debug)]
pub(super) struct InnerPage {
    pub(super) value: ByteSpan,
    pub(super) writing: ValueWriting,
    /// The address against which its links count, where that is not the outer page's.
    pub(super) base: Option<Arc<str>>,
    /// How many segments of the page around it come before its own.
    pub(super) first: usize,
    pub(super) page: Page,
}

impl Page {
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

    /// What draws the page in the browser, where something does.
    pub fn framework(&self) -> Option<Framework> {
        self.framework
    }

    /// Whether the page asks not to be translated (`<meta name="google" content="notranslate">`, R-A5).
    pub fn refuses_translation(&self) -> bool {
        self.whole.as_ref().is_some_and(|whole| whole.refuses)
    }

    /// True if the page has letters in elements of their own, which stay in the source language.
    pub fn has_letters_apart(&self) -> bool {
        self.whole.as_ref().is_some_and(|whole| whole.has_letters)
    }

    /// Proper names in the head, logo, structured data and commands of the page (R-N2).
    pub fn names(&self) -> &[PageName] {
        self.whole.as_ref().map_or(&[], |whole| &whole.names)
    }

    /// The language that `<html lang>` claims, as it is written.
    pub fn claimed_language(&self) -> Option<Cow<'_, str>> {
        let place = self.whole.as_ref()?.head.lang()?;
        Some(String::from_utf8_lossy(self.source.get(place)?))
    }

    /// Recognizes AMP, which may load no style sheets and scripts but its own (amp.dev).
    pub fn is_amp(&self) -> bool {
        self.whole
            .as_ref()
            .is_some_and(|whole| whole.head.is_amp(&self.source))
    }

    /// The policies that its head has for what it loads (`Content-Security-Policy`).
    pub fn policies(&self) -> &[String] {
        self.whole
            .as_ref()
            .map_or(&[], |whole| &whole.head.policies)
    }

    /// The elements and attributes that have to stay as they are, because a policy names them by their hash: one of the page itself
    /// or one of these (R-S23).
    pub(super) fn sealed(&self, policies: &[&str]) -> Vec<Range<usize>> {
        let Some(whole) = &self.whole else {
            return Vec::new();
        };
        let own = self.policies().iter().map(String::as_str);
        let hashes = Hashes::of(own.chain(policies.iter().copied()));
        hashes
            .map(|hashes| hashes.covered(&self.source, &whole.inline_texts, &self.links))
            .unwrap_or_default()
    }

    /// Addresses of files that count from the page and that rendering leaves as they are written, because of these policies or because
    /// they cannot be written anew.
    pub fn fixed_addresses(&self, policies: &[&str]) -> Vec<String> {
        let sealed = self.sealed(policies);
        let mut fixed = Vec::new();
        for place in self
            .links
            .iter()
            .filter(|place| !matches!(place.attribute, IDENTIFIER | PAGE | PATTERN))
        {
            let address = place.address(&self.source);
            let is_folder = address.ends_with('/') && place.attribute != MODULE;
            let counts_from_page =
                !address.is_empty() && !address.starts_with(['/', '#']) && !address.contains(':');
            let is_fixed = place.writing == link_place::AddressWriting::Fixed
                || sealed
                    .iter()
                    .any(|range| range.start <= place.range.start && place.range.end <= range.end);
            if counts_from_page && !is_folder && is_fixed {
                fixed.push(address.to_owned());
            }
        }
        fixed
    }

    /// Whether the page may have an import map of its own.
    pub fn may_map_imports(&self) -> bool {
        const NAME: &[u8] = b"importmap";
        let is_value = |at: usize| {
            let before = self.source[..at]
                .iter()
                .rev()
                .find(|byte| !byte.is_ascii_whitespace());
            before.is_some_and(|byte| b"\"'=".contains(byte))
        };
        let mut parts = self.source.windows(NAME.len()).enumerate();
        parts.any(|(at, part)| part.eq_ignore_ascii_case(NAME) && is_value(at))
    }

    pub(super) fn is_utf_8(&self) -> bool {
        self.encoding == encoding_rs::UTF_8
    }

    /// The addresses of its style sheets, as written.
    pub fn style_sheets(&self) -> impl Iterator<Item = &str> {
        let is_sheet = |place: &&LinkPlace| {
            &*place.element == "link" && place.rel.iter().any(|rel| rel == "stylesheet")
        };
        self.links
            .iter()
            .filter(is_sheet)
            .map(|place| place.address(&self.source))
    }

    /// The address that the page names as its own (`<link rel=canonical>`), as written.
    pub fn canonical(&self) -> Option<&str> {
        let is_canonical = |link: &&LinkPlace| {
            &*link.element == "link" && link.rel.iter().any(|rel| rel == "canonical")
        };
        self.links
            .iter()
            .find(is_canonical)
            .map(|link| link.address(&self.source))
    }

    /// The addresses that the head names as the page's own (`<link rel=canonical>`), as written.
    pub fn canonical_claims(&self) -> &[String] {
        self.whole
            .as_ref()
            .map_or(&[], |whole| &whole.head.canonical_claims)
    }

    /// Tag and address of the versions that the head names (`<link rel=alternate hreflang>`), as written.
    pub fn alternate_claims(&self) -> &[(String, String)] {
        self.whole
            .as_ref()
            .map_or(&[], |whole| &whole.head.alternate_claims)
    }

    /// Addresses of links that open a page (`<a>`, `<area>`), as written. Attributes by which scripts fetch fragments (htmx, Turbo
    /// frames, `data-include`) are not among them.
    pub fn opens(&self) -> impl Iterator<Item = &str> {
        let links = self
            .links
            .iter()
            .filter(|link| matches!(&*link.element, "a" | "area") && link.attribute == "href");
        links.map(|link| link.address(&self.source))
    }

    /// Where its links lead that readers follow, as written.
    pub fn leads_to(&self) -> impl Iterator<Item = &str> {
        let followed = self
            .links
            .iter()
            .filter(|link| matches!(&*link.element, "a" | "area" | "form"));
        followed.map(|link| link.address(&self.source))
    }

    /// The address to which the page sends its readers by itself and at once (`<meta http-equiv=refresh>`).
    pub fn refresh(&self) -> Option<&str> {
        let is_refresh = |link: &&LinkPlace| {
            &*link.element == "meta" && matches!(link.writing, link_place::AddressWriting::Part(_))
        };
        let link = self.links.iter().find(is_refresh)?;
        // A page that waits is read before it is left.
        let is_at_once = delay_before(self.source.get(..link.range.start)?) == 0;
        if is_at_once {
            Some(link.address(&self.source))
        } else {
            None
        }
    }

    pub(super) fn is_html(&self) -> bool {
        matches!(self.format, PageFormat::Html | PageFormat::Xhtml)
    }

    /// Why nothing in the page is changed, where it is too much to look into.
    pub fn excess(&self) -> Option<ExceededLimit> {
        self.excess
    }

    /// How much work it was to find the places: the same number on every machine.
    pub fn steps(&self) -> u64 {
        self.steps
            + self
                .inner
                .iter()
                .map(|inner| inner.page.steps())
                .sum::<u64>()
    }

    /// What the marks of the switchers say that the page has already, in their order.
    pub fn marked_switchers(&self) -> impl Iterator<Item = &str> {
        let marked = self.whole.iter().flat_map(|whole| &whole.switchers.marked);
        marked.map(|(_, mark)| mark.as_str())
    }

    /// Whether an element of the page waits for a switcher.
    pub fn awaits_switcher(&self) -> bool {
        self.whole
            .as_ref()
            .is_some_and(|whole| whole.switchers.waiting.is_some())
    }

    /// True if the page has a place for a language switcher: one marked in its HTML, or the element that the rules name.
    pub fn has_place_for_switcher(&self) -> bool {
        self.awaits_switcher() || self.marked_switchers().next().is_some()
    }

    /// The segments, in the order in which they stand; those of pages inside values follow. Each is read from the page
    /// when its turn comes.
    pub fn segments(&self) -> impl Iterator<Item = Segment> {
        (0..self.segment_count()).filter_map(|index| self.segment(index))
    }

    /// The segment with that index.
    pub fn segment(&self, index: usize) -> Option<Segment> {
        if let Some(unit) = self.units.get(index) {
            return Some(unit.segment(&self.source, &self.parts));
        }
        let after = self.inner.partition_point(|inner| inner.first <= index);
        let inner = self.inner.get(after.checked_sub(1)?)?;
        inner.page.segment(index - inner.first)
    }

    /// How many segments there are.
    pub fn segment_count(&self) -> usize {
        self.inner.last().map_or(self.units.len(), |last| {
            last.first + last.page.segment_count()
        })
    }
}

/// The whole seconds that a refresh waits, whose address begins where `before` ends.
fn delay_before(before: &[u8]) -> u64 {
    const NAME: &[u8] = b"content";
    let Some(at) = before
        .windows(NAME.len())
        .rposition(|name| name.eq_ignore_ascii_case(NAME))
    else {
        return 0;
    };
    let value = before
        .get(at + NAME.len()..)
        .unwrap_or_default()
        .trim_ascii_start();
    let value = value.strip_prefix(b"=").unwrap_or(value).trim_ascii_start();
    let value = value
        .strip_prefix(b"\"")
        .or_else(|| value.strip_prefix(b"'"))
        .unwrap_or(value)
        .trim_ascii_start();
    let digits = value.iter().take_while(|byte| byte.is_ascii_digit());
    digits.fold(0, |seconds, digit| {
        u64::saturating_add(u64::saturating_mul(seconds, 10), u64::from(digit - b'0'))
    })
}
