//! Renders a page: one ordered copy of the source, with something else at some places.
//!
//! Every change is an edit: a byte range and what stands there instead. Edits are made from translations, links
//! and the head; no edit, no change.
//!
//! One file: one copy with its edits.

use std::borrow::Cow;

use url::Url;

use super::document::{PageFormat, xhtml};
use super::edits::SourceEdits;
use super::fill::{TextReplacement, fill_unread, normalize};
use super::page::{ByLocale, InnerPage, Page, Whole};
use super::turn::keeps_space;
use crate::find::found::LangPlace;
use crate::find::inline_links::{MODULE, PATTERN, POSSIBLE};
use crate::find::link_place::{LinkPlace, write_link};
use crate::find::option::OptionValue;
use crate::find::sealed::integrity_of;
use crate::find::structured_links::IDENTIFIER;
use crate::head::places::PageHead;
use crate::html::writing::{ValueWriting, write_attribute};
use crate::html::{encoding, prescan};
use crate::live::{LiveHeadWriter, LivePairs};
use crate::text::check::check;
use crate::text::coded::{CodedText, TextError};
use crate::{Direction, Locale};

/// What to change in a page beside its texts.
#[derive(Clone, Copy, Default)]
pub struct PageChanges<'a> {
    /// Language and direction: the locale of the rendered page, where it differs from the source's.
    pub speak: Option<&'a Locale>,
    /// What the head shall say; only HTML has one.
    pub head: Option<&'a PageHead<'a>>,
    /// Marks the untranslated texts, by place: their blocks get the language of the source.
    pub untranslated: Option<&'a dyn Fn(usize) -> bool>,
    /// Gives the new address of a link, or nothing to leave it.
    pub link: Option<&'a LinkMap<'a>>,
    /// Gives the bytes of the file that takes the place of the one that an element loads.
    pub file: Option<&'a FileMap<'a>>,
    /// Gives the address of a style sheet that is to be loaded behind another one.
    pub sheet_behind: Option<&'a LinkMap<'a>>,
    /// Tells links to pages in the language that the rendered page speaks.
    pub is_version: Option<&'a dyn Fn(&PageLink<'_>) -> bool>,
    /// Makes what the head gets for the live script.
    pub live: Option<&'a LiveHeadWriter<'a>>,
    /// The page is a fragment of others: it gets no `html` element, and says no encoding.
    pub is_fragment: bool,
    /// The policies that come with the page, beside its own: what they name by a hash stays as it is.
    pub policies: &'a [&'a str],
}

/// Gives the new address of a link, or nothing to leave it as it is written.
pub type LinkMap<'a> = dyn Fn(&PageLink<'_>) -> Option<String> + 'a;

/// Gives the bytes of the file that takes the place of the one that a link names; nothing if that file stays.
pub type FileMap<'a> = dyn Fn(&PageLink<'_>) -> Option<Cow<'a, [u8]>> + 'a;

/// A link of a page that is being rendered.
#[derive(Clone, Copy, Debug)]
pub struct PageLink<'a> {
    /// The address as written, character references decoded; its query in the spelling of the page's encoding.
    pub address: &'a str,
    /// The element's name in lower case.
    pub element: &'a str,
    /// The element's `rel` tokens in lower case.
    pub rel: &'a [String],
    /// The language that it names, if it is an entry of the site's own language menu.
    pub language: Option<&'a Locale>,
    /// Whether programs read it away from the page, so that an address written in full has to stay so.
    pub in_full: bool,
    /// The meaning of the address for its reader.
    pub kind: LinkKind,
}

/// The meaning of an address for its reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkKind {
    /// An address of a page or a file.
    Plain,
    /// An identifier, which is the same in every language.
    Identifier,
    /// A module, or a folder of modules: never a page.
    Module,
    /// A string that is an address only if the site has what it names.
    Possible,
    /// A pattern of addresses (URLPattern).
    Pattern,
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
    /// Copies the page with translations and changes at their places.
    ///
    /// `translation` gives the text of the segment with that index. What [`check`] refuses is left in the source
    /// language and listed. Without any effective change the result is the source, byte for byte.
    pub fn render<'t>(
        &self,
        translation: impl Fn(usize) -> Option<&'t CodedText>,
        changes: &PageChanges<'_>,
    ) -> Rendered {
        if self.excess.is_some() {
            let html = self.original.as_deref().unwrap_or_default().to_vec();
            return Rendered {
                html,
                refused: Vec::new(),
            };
        }
        let speaks = self.is_html()
            && !changes.is_fragment
            && (changes.head.is_some() || self.target(changes).is_some());
        let mut converts = speaks && !self.is_utf_8();
        let (mut edits, mut refused) = self.edits(&translation, changes, speaks, converts);
        if !self.is_utf_8() && !converts && !edits.is_empty() {
            // Any change makes the page UTF-8, and that brings changes of its own.
            converts = true;
            (edits, refused) = self.edits(&translation, changes, speaks, converts);
        }
        refused.sort_by_key(|(index, _)| *index);
        Rendered {
            html: self.write(&mut edits, converts),
            refused,
        }
    }

    /// The locale that the page is to speak, where it is another.
    pub(super) fn target<'c>(&self, changes: &PageChanges<'c>) -> Option<&'c Locale> {
        changes.speak.filter(|target| **target != self.locale)
    }

    fn edits<'t>(
        &self,
        translation: &dyn Fn(usize) -> Option<&'t CodedText>,
        changes: &PageChanges<'_>,
        speaks: bool,
        converts: bool,
    ) -> (SourceEdits, Vec<(usize, TextError)>) {
        let mut edits = SourceEdits::of(&self.source).in_xml(self.format == PageFormat::Xhtml);
        let mut refused = Vec::new();
        let mut live = changes.live.map(|_| LivePairs::default());
        self.say(changes, speaks, converts, &mut edits);
        let turn = self.turn(translation, self.target(changes));
        if let (Some(turn), Some(places)) = (&turn, &self.by_locale) {
            turn.follow(&places.directions, &mut edits);
            self.order_numbers(turn, &places.numbers, &mut edits);
        }
        let marked = self.mark_untranslated(translation, changes, &mut edits);
        self.render_inner(translation, changes, &mut edits, &mut refused);
        // From the back, so that what lies inside a line is done before the line around it.
        for (index, unit) in self.units.iter().enumerate().rev() {
            if marked.contains(&index) {
                continue;
            }
            let ordered = turn
                .as_ref()
                .and_then(|_| self.ordered(unit, translation(index), &mut edits));
            let Some(target) = ordered.as_ref().or_else(|| translation(index)) else {
                continue;
            };
            let parts = unit.parts(&self.parts);
            let target = normalize(target, keeps_space(parts));
            if fill_unread((&self.source, unit, parts), &target, &mut edits, &mut live) {
                continue;
            }
            let segment = unit.segment(&self.source, &self.parts);
            if *target == segment.text {
                continue;
            }
            let option = unit
                .in_option
                .then(|| OptionValue::around(&self.options, unit.start(&self.parts)))
                .flatten();
            let filling = TextReplacement {
                source: &self.source,
                unit,
                option,
                parts,
                text: &segment.text,
                target: &target,
            };
            match check(&segment, &target) {
                Ok(()) if filling.is_pinned() => refused.push((index, TextError::Order(1))),
                Ok(()) if filling.fill(&mut edits, &mut live) => {}
                Ok(()) => refused.push((index, TextError::Heavy)),
                Err(error) => refused.push((index, error)),
            }
        }
        if let (Some(whole), Some(make), Some(live)) = (&self.whole, changes.live, live) {
            whole.head.enliven(
                &make(&live.finish(&self.source, &self.units, &self.parts)),
                &mut edits,
            );
        }
        for range in self.sealed(changes.policies) {
            edits.leave(range);
        }
        let declared = self
            .declarations
            .as_ref()
            .and_then(|declarations| declarations.encoding.clone());
        if let Some(declared) = declared.filter(|_| !edits.is_empty())
            && !self.source[declared.clone()].eq_ignore_ascii_case(b"utf-8")
        {
            edits.replace(declared, "UTF-8");
        }
        (edits, refused)
    }

    /// Writes everything but the texts: links, language, direction, encoding, head.
    fn say(
        &self,
        changes: &PageChanges<'_>,
        speaks: bool,
        converts: bool,
        edits: &mut SourceEdits,
    ) {
        self.change_links(changes, converts, edits);
        let target = self.target(changes);
        if let Some(target) = target {
            if let Some(whole) = self.whole.as_ref().filter(|_| !changes.is_fragment) {
                whole.head.speak(target, edits);
            }
            let speech = self
                .declarations
                .iter()
                .flat_map(|declarations| &declarations.speech);
            speech.for_each(|speech| speech.speak(target, edits));
            if let Some(places) = &self.by_locale {
                places.speak(&self.locale, target, edits);
            }
        }
        let Some(Whole {
            head,
            switchers,
            legacy,
            ..
        }) = self.whole.as_deref()
        else {
            return;
        };
        // A page that was UTF-8 by luck or by header needs to say so once its words may be in any script (R-D4);
        // it says so before anything else, because browsers look no further than 1024 bytes.
        if !changes.is_fragment && (converts || (speaks && !self.source.starts_with(encoding::BOM)))
        {
            head.declare_utf_8(edits);
        }
        if converts {
            legacy.keep(edits);
        }
        if changes.is_fragment {
            return;
        }
        head.open_graph.share(
            &self.locale,
            target,
            changes.head.map_or(&[], |head| head.alternates),
            edits,
        );
        if let Some(says) = changes.head {
            let says = self.fit(says);
            head.describe(&says, edits);
            switchers.fill(says.marked, says.waiting, edits);
        }
    }

    /// What of ready-made markup can stand in the page: XHTML takes only what is well formed.
    fn fit<'h>(&self, head: &'h PageHead<'h>) -> Cow<'h, PageHead<'h>> {
        if self.takes(head) {
            return Cow::Borrowed(head);
        }
        let fit = |markup: &'h str| {
            if xhtml::is_fragment(markup) {
                markup
            } else {
                ""
            }
        };
        let marked = head.marked.iter().all(|markup| xhtml::is_fragment(markup));
        Cow::Owned(PageHead {
            extra: fit(head.extra),
            body_start: fit(head.body_start),
            body_end: fit(head.body_end),
            marked: if marked { head.marked } else { &[] },
            waiting: fit(head.waiting),
            ..head.clone()
        })
    }

    /// Whether all ready-made markup of a head can stand in the page; what cannot is left out when it is rendered.
    pub fn takes(&self, head: &PageHead<'_>) -> bool {
        let ready = [head.extra, head.body_start, head.body_end, head.waiting];
        let mut all = ready
            .into_iter()
            .chain(head.marked.iter().map(String::as_str));
        self.format != PageFormat::Xhtml || all.all(xhtml::is_fragment)
    }

    /// Renders the pages inside values; they have no head of their own to change.
    fn render_inner<'t>(
        &self,
        translation: &dyn Fn(usize) -> Option<&'t CodedText>,
        changes: &PageChanges<'_>,
        edits: &mut SourceEdits,
        refused: &mut Vec<(usize, TextError)>,
    ) {
        for inner in self
            .inner
            .iter()
            .filter(|inner| inner.page.excess.is_none())
        {
            let link = changes
                .link
                .map(|map| move |link: &PageLink<'_>| inner.change_link(map, link));
            let changes = PageChanges {
                link: link.as_ref().map(|link| link as _),
                ..PageChanges::default()
            };
            let first = inner.first;
            let rendered = inner
                .page
                .render(|index| translation(first + index), &changes);
            if *rendered.html != *inner.page.source {
                let html = String::from_utf8_lossy(&rendered.html);
                edits.replace(inner.value.range(), &inner.writing.write(&html));
            }
            refused.extend(
                rendered
                    .refused
                    .into_iter()
                    .map(|(index, error)| (first + index, error)),
            );
        }
    }

    fn change_links(&self, changes: &PageChanges<'_>, converts: bool, edits: &mut SourceEdits) {
        let &PageChanges {
            link: map,
            is_version,
            ..
        } = changes;
        let target = self.target(changes);
        if map.is_none() && !converts {
            return;
        }
        for (index, place) in self.links.iter().enumerate() {
            let address = place.address(&self.source);
            let link = PageLink {
                address,
                element: &place.element,
                rel: &place.rel,
                language: place.language.as_ref(),
                in_full: place.is_statement(),
                kind: kind_of(place),
            };
            self.load_other(changes, place, &link, edits);
            let mut changed = map.and_then(|map| map(&link));
            if link.in_full {
                changed = changed.map(|changed| with_variables(address, changed));
            }
            let changed = changed.filter(|changed| changed != address);
            if let (Some(hreflang), Some(target), Some(is_version)) =
                (&place.hreflang, target, is_version)
            {
                self.follow(hreflang, target, || is_version(&link), edits);
            }
            let lang = self
                .declarations
                .as_ref()
                .and_then(|declarations| declarations.link_langs.get(&index));
            let lang = lang.filter(|_| changed.is_some());
            if let (Some((range, writing)), Some(target)) = (lang, target) {
                edits.replace(range.clone(), &writing.write(target.as_str()));
            }
            let changed = changed
                .map(Cow::Owned)
                .or((converts && place.respelled).then_some(Cow::Borrowed(address)));
            if let Some(written) = changed.and_then(|address| write_link(place, &address)) {
                edits.replace(place.range.clone(), &written);
            }
        }
    }

    /// Writes what depends on the file that a link or script loads: its `integrity`, and a style sheet behind it (R-S26).
    fn load_other(
        &self,
        changes: &PageChanges<'_>,
        place: &LinkPlace,
        link: &PageLink<'_>,
        edits: &mut SourceEdits,
    ) {
        let is_loading = matches!(link.element, "link" | "script")
            && (changes.file.is_some() || changes.sheet_behind.is_some());
        let Some(whole) = self.whole.as_ref().filter(|_| is_loading) else {
            return;
        };
        let found = whole
            .loaded
            .binary_search_by_key(&place.range.start, |loaded| loaded.address.start);
        let Some(loaded) = found.ok().and_then(|index| whole.loaded.get(index)) else {
            return;
        };
        if let (Some((range, writing)), Some(file)) = (&loaded.integrity, changes.file)
            && let Some(bytes) = file(link)
            && let Some(integrity) = integrity_of(
                &String::from_utf8_lossy(&self.source[range.clone()]),
                &bytes,
            )
        {
            edits.replace(range.clone(), &writing.write(&integrity));
        }
        if let (Some(end), Some(behind)) = (loaded.sheet_end, changes.sheet_behind)
            && let Some(address) = behind(link)
        {
            let address = write_attribute(&address, Some(b'"'));
            edits.insert(
                end,
                &format!("<link rel=\"stylesheet\" href=\"{address}\" />"),
            );
        }
    }

    /// Has the `hreflang` of a link follow it into the language of the page (R-S17).
    fn follow(
        &self,
        hreflang: &LangPlace,
        target: &Locale,
        is_version: impl Fn() -> bool,
        edits: &mut SourceEdits,
    ) {
        let (range, writing) = hreflang;
        let written = writing
            .read(&self.source[range.clone()])
            .unwrap_or_default();
        let is_own = Locale::parse(written.trim())
            .is_ok_and(|language| language.same_language(&self.locale));
        if is_own && is_version() {
            edits.replace(range.clone(), &writing.write(target.as_str()));
        }
    }

    fn write(&self, edits: &mut SourceEdits, converts: bool) -> Vec<u8> {
        if edits.is_empty() && !converts {
            return self.original.as_ref().unwrap_or(&self.source).to_vec();
        }
        let mut html = edits.apply(&self.source);
        // Where the declaration comes too late for browsers, a BOM says it (R-D4).
        if converts
            && self.format == PageFormat::Html
            && prescan::declared(&html) != Some(encoding_rs::UTF_8)
        {
            html.splice(..0, encoding::BOM.iter().copied());
        }
        html
    }
}

fn kind_of(place: &LinkPlace) -> LinkKind {
    match place.attribute {
        IDENTIFIER => LinkKind::Identifier,
        MODULE => LinkKind::Module,
        POSSIBLE => LinkKind::Possible,
        PATTERN => LinkKind::Pattern,
        _ => LinkKind::Plain,
    }
}

/// A new address with the variables of the address template that it was made of, such as `{query}`: parsers escape their braces.
fn with_variables(template: &str, changed: String) -> String {
    if !template.contains('{') || template.contains("%7B") {
        return changed;
    }
    changed.replace("%7B", "{").replace("%7D", "}")
}

impl ByLocale {
    fn speak(&self, source: &Locale, target: &Locale, edits: &mut SourceEdits) {
        for (range, writing) in &self.langs {
            edits.replace(range.clone(), &writing.write(target.as_str()));
        }
        if target.direction() == Direction::Rtl && source.direction() == Direction::Ltr {
            self.code
                .iter()
                .for_each(|&at| edits.insert(at, " dir=\"ltr\""));
        }
        let left_out = self
            .filtered
            .iter()
            .filter(|(_, filter)| !filter.admits(target));
        left_out.for_each(|(range, _)| edits.remove(range.clone()));
    }
}

impl InnerPage {
    /// Gives the new address of one of its links.
    fn change_link(&self, map: &LinkMap<'_>, link: &PageLink<'_>) -> Option<String> {
        let in_full = link.in_full || !matches!(self.writing, ValueWriting::Attribute(_));
        let Some(base) = &self.base else {
            return map(&PageLink { in_full, ..*link });
        };
        let address = match Url::parse(base) {
            Ok(base) => base.join(link.address),
            Err(_) => Url::parse(link.address),
        };
        map(&PageLink {
            address: address.ok()?.as_str(),
            in_full,
            ..*link
        })
    }
}
