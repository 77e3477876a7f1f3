//! The tokens of a page. A page may have one every two bytes, so each is kept in sixteen, and what only some tags have
//! lies apart; a [`PageToken`] is made when somebody comes to it.
//!
//! One file: the memory layout of tokens and their only readers.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use super::bytes::as_text;
use super::element::ElementName;
use super::known::{KnownAttribute, Roles};
use super::span::{ByteSpan, short};

/// The tokens of a page, in order; no two overlap.
#[derive(Debug, Default)]
pub(crate) struct PageTokens {
    list: Vec<StoredToken>,
    own: Vec<Own>,
    attributes: Vec<TagAttribute>,
    /// They are cut where XML cuts them.
    is_xml: bool,
}

/// A token and the bytes it stands on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PageToken<'t> {
    pub(crate) range: Range<usize>,
    pub(crate) kind: TokenKind<'t>,
}

/// What a token is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind<'t> {
    Start(StartTag<'t>),
    End(ElementName),
    Text(TextKind),
    Comment,
    Doctype,
}

/// A start tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StartTag<'t> {
    pub(crate) name: ElementName,
    /// The attributes that mean something to us; most tags have none.
    pub(crate) attributes: &'t [TagAttribute],
    /// What they are good for, all together.
    roles: Roles,
    pub(crate) self_closing: bool,
    /// What a rule of the site says about the element.
    pub(crate) ruled: Option<Ruled>,
}

/// What a site's rule says about an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ruled {
    /// It stays as it is; which of the rules says so.
    Skip(u32),
    /// Its text is text.
    Translate,
}

/// An attribute; of two with one name, the first counts and the second is not listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TagAttribute {
    pub(crate) known: &'static KnownAttribute,
    /// The name, where only a rule of the site asks for it.
    pub(crate) asked: Option<Arc<str>>,
    /// The bytes of the value without its quotes; none when only the name is written.
    pub(crate) value: Option<Range<usize>>,
}

/// How text is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextKind {
    /// Character references are decoded, tags are tags.
    Data,
    /// Character references are decoded, tags are text: title and textarea (R-A12).
    Escapable,
    /// Nothing is decoded: script, style, iframe and their like.
    Raw,
    /// CDATA inside SVG or MathML: nothing is decoded.
    Cdata,
}

/// Which tokens somebody looks for.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TokenFilter {
    /// Start tags with attributes that are good for one of these.
    pub(crate) roles: Roles,
    /// Start tags of these elements of HTML.
    pub(crate) elements: &'static [&'static str],
    /// Start tags of elements that HTML does not know.
    pub(crate) unknown: bool,
    pub(crate) comments: bool,
}

/// A token as it is kept.
#[derive(Clone, Copy, Debug)]
struct StoredToken {
    span: ByteSpan,
    kind: StoredTokenKind,
    /// The number of the element of a tag, if HTML knows it.
    element: u8,
    roles: Roles,
    /// Where among those of all tags is what it has for itself, counted from 1; 0 where it has nothing.
    own: u32,
}

const _: () = assert!(
    size_of::<StoredToken>() == 16,
    "a page has a token every few bytes"
);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StoredTokenKind {
    Start,
    StartClosed,
    End,
    Text(TextKind),
    Comment,
    Doctype,
}

impl StoredToken {
    /// What is no tag.
    fn bare(range: Range<usize>, kind: StoredTokenKind) -> Self {
        Self {
            span: range.into(),
            kind,
            element: u8::MAX,
            roles: 0,
            own: 0,
        }
    }
}

/// What a tag has for itself.
#[derive(Clone, Debug, Default)]
struct Own {
    /// Its name, where HTML does not know it.
    name: Option<Arc<String>>,
    /// Which of the attributes of all tags are its own.
    attributes: ByteSpan,
    ruled: Option<Ruled>,
}

impl PageTokens {
    pub(crate) fn with_capacity(most: usize) -> Self {
        Self {
            list: Vec::with_capacity(most),
            ..Self::default()
        }
    }

    /// No tokens yet of a page that is XML.
    pub(crate) fn of_xml() -> Self {
        Self {
            is_xml: true,
            ..Self::default()
        }
    }

    /// Whether every element that is open has an end of its own, as in XML.
    pub(crate) fn is_xml(&self) -> bool {
        self.is_xml
    }

    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    pub(crate) fn get(&self, index: usize) -> Option<PageToken<'_>> {
        self.list.get(index).map(|kept| self.token(kept))
    }

    pub(crate) fn last(&self) -> Option<PageToken<'_>> {
        self.list.last().map(|kept| self.token(kept))
    }

    /// Takes each token that is wanted where it is made, without a copy of it: few mean anything to most who look for
    /// something. The first one is taken, too, and the one behind any for which `take` says so.
    #[inline]
    pub(crate) fn each_wanted(
        &self,
        wanted: TokenFilter,
        mut take: impl FnMut(&PageToken<'_>) -> bool,
    ) {
        let mut elements = [false; 256];
        elements[usize::from(u8::MAX)] = wanted.unknown;
        for name in wanted
            .elements
            .iter()
            .filter_map(|name| ElementName::find(name.as_bytes()))
        {
            name.number()
                .into_iter()
                .for_each(|number| elements[usize::from(number)] = true);
        }
        let is_wanted = |kept: &StoredToken| match kept.kind {
            StoredTokenKind::Start | StoredTokenKind::StartClosed => {
                (kept.roles & wanted.roles != 0) | elements[usize::from(kept.element)]
            }
            StoredTokenKind::Comment => wanted.comments,
            StoredTokenKind::End | StoredTokenKind::Text(_) | StoredTokenKind::Doctype => false,
        };
        let mut wants_next = true;
        for kept in &self.list {
            if wants_next || is_wanted(kept) {
                wants_next = take(&self.token(kept));
            }
        }
    }

    /// Each token with its number, until one is refused.
    #[inline]
    pub(crate) fn try_each<E>(
        &self,
        mut take: impl FnMut(usize, &PageToken<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        self.list
            .iter()
            .enumerate()
            .try_for_each(|(index, kept)| take(index, &self.token(kept)))
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = PageToken<'_>> {
        self.list.iter().map(|kept| self.token(kept))
    }

    /// The start tags of an element of HTML.
    pub(crate) fn tags(&self, name: &'static str) -> impl Iterator<Item = StartTag<'_>> {
        let element = ElementName::find(name.as_bytes()).and_then(|name| name.number());
        let is_it = move |kept: &&StoredToken| {
            Some(kept.element) == element && kept.kind != StoredTokenKind::End
        };
        self.list.iter().filter(is_it).map(|kept| self.tag(kept))
    }

    /// The start tags of some elements of HTML, each with its number among all tokens.
    pub(crate) fn numbered_tags(
        &self,
        names: &[&str],
    ) -> impl Iterator<Item = (usize, PageToken<'_>)> {
        let mut wanted = [false; 256];
        for number in names
            .iter()
            .filter_map(|name| ElementName::find(name.as_bytes())?.number())
        {
            wanted[usize::from(number)] = true;
        }
        let is_start = |kept: &StoredToken| {
            matches!(
                kept.kind,
                StoredTokenKind::Start | StoredTokenKind::StartClosed
            )
        };
        let tags = self.list.iter().enumerate();
        let tags =
            tags.filter(move |(_, kept)| wanted[usize::from(kept.element)] && is_start(kept));
        tags.map(|(index, kept)| (index, self.token(kept)))
    }

    /// The tokens from the one with that index on.
    pub(crate) fn from(&self, index: usize) -> impl Iterator<Item = PageToken<'_>> {
        self.list
            .get(index..)
            .unwrap_or_default()
            .iter()
            .map(|kept| self.token(kept))
    }

    /// The tags of elements that say something of the whole page, from the token with that index on.
    pub(crate) fn of_page(&self, index: usize) -> impl Iterator<Item = PageToken<'_>> {
        let is_tag = |kept: &&StoredToken| {
            matches!(
                kept.kind,
                StoredTokenKind::Start | StoredTokenKind::StartClosed | StoredTokenKind::End
            )
        };
        let is_of_page = |kept: &&StoredToken| {
            ElementName::known(kept.element).is_some_and(|name| name.is_of_page())
        };
        let tokens = self.list.get(index..).unwrap_or_default().iter();
        tokens
            .filter(move |kept| is_tag(kept) && is_of_page(kept))
            .map(|kept| self.token(kept))
    }

    /// Whether any attribute of the page is such a one.
    pub(crate) fn any_attribute(&self, is_it: impl FnMut(&TagAttribute) -> bool) -> bool {
        self.attributes.iter().any(is_it)
    }

    /// How many attributes of the page are good for one of these.
    pub(crate) fn count_attributes(&self, roles: Roles) -> usize {
        self.attributes
            .iter()
            .filter(|attribute| attribute.known.roles & roles != 0)
            .count()
    }

    #[inline(always)]
    fn token(&self, kept: &StoredToken) -> PageToken<'_> {
        let kind = match kept.kind {
            StoredTokenKind::Start | StoredTokenKind::StartClosed => {
                TokenKind::Start(self.tag(kept))
            }
            StoredTokenKind::End => TokenKind::End(self.name(kept)),
            StoredTokenKind::Text(kind) => TokenKind::Text(kind),
            StoredTokenKind::Comment => TokenKind::Comment,
            StoredTokenKind::Doctype => TokenKind::Doctype,
        };
        PageToken {
            range: kept.span.range(),
            kind,
        }
    }

    #[inline(always)]
    fn tag(&self, kept: &StoredToken) -> StartTag<'_> {
        let own = self.own(kept);
        StartTag {
            name: self.name(kept),
            attributes: own.map_or(&[], |own| &self.attributes[own.attributes.range()]),
            roles: kept.roles,
            self_closing: kept.kind == StoredTokenKind::StartClosed,
            ruled: own.and_then(|own| own.ruled),
        }
    }

    #[inline(always)]
    fn own(&self, kept: &StoredToken) -> Option<&Own> {
        (kept.own as usize)
            .checked_sub(1)
            .and_then(|at| self.own.get(at))
    }

    #[inline(always)]
    fn name(&self, kept: &StoredToken) -> ElementName {
        let own = || {
            self.own(kept)
                .and_then(|own| own.name.clone())
                .unwrap_or_default()
        };
        ElementName::known(kept.element).unwrap_or_else(|| ElementName::Other(own()))
    }

    /// Adds a text; one that arrives in several chunks becomes one token again.
    pub(crate) fn text(&mut self, range: Range<usize>, kind: TextKind) {
        match self.list.last_mut() {
            Some(last)
                if last.kind == StoredTokenKind::Text(kind) && last.span.end() == range.start =>
            {
                last.span = (last.span.start()..range.end).into();
            }
            _ => self.push(range, StoredTokenKind::Text(kind)),
        }
    }

    pub(crate) fn comment(&mut self, range: Range<usize>) {
        self.push(range, StoredTokenKind::Comment);
    }

    pub(crate) fn doctype(&mut self, range: Range<usize>) {
        self.push(range, StoredTokenKind::Doctype);
    }

    /// Gives the element whose tag came last an end right behind it.
    pub(crate) fn close_empty(&mut self) {
        let Some(last) = self
            .list
            .last_mut()
            .filter(|last| last.kind == StoredTokenKind::StartClosed)
        else {
            return;
        };
        last.kind = StoredTokenKind::Start;
        let own = self
            .own
            .get((last.own as usize).wrapping_sub(1))
            .and_then(|own| own.name.clone());
        let end = StoredToken {
            span: (last.span.end()..last.span.end()).into(),
            kind: StoredTokenKind::End,
            roles: 0,
            own: 0,
            ..*last
        };
        let own = own.map(|name| Own {
            name: Some(name),
            ..Own::default()
        });
        self.own.extend(own.clone());
        self.list.push(StoredToken {
            own: own.map_or(0, |_| short(self.own.len())),
            ..end
        });
    }

    /// Makes an element one tag that ends at a byte; what stood in it goes.
    pub(crate) fn merge(&mut self, index: usize, end: usize) {
        self.list.truncate(index + 1);
        if let Some(last) = self.list.last_mut() {
            (last.span, last.kind) = (
                (last.span.start()..end).into(),
                StoredTokenKind::StartClosed,
            );
        }
    }

    /// Makes the texts of a program that came last comments.
    pub(crate) fn comment_out(&mut self) {
        let texts = self
            .list
            .iter_mut()
            .rev()
            .take_while(|kept| kept.kind == StoredTokenKind::Text(TextKind::Raw));
        texts.for_each(|kept| kept.kind = StoredTokenKind::Comment);
    }

    /// Makes what begins in a stretch of the page comments, but for the texts of a style sheet, in which addresses stand.
    pub(crate) fn close(&mut self, range: &Range<usize>, is_style: bool) {
        let first = self
            .list
            .partition_point(|kept| kept.span.start() < range.start);
        for kept in self.list[first..]
            .iter_mut()
            .take_while(|kept| kept.span.start() < range.end)
        {
            let kind = match kept.kind {
                StoredTokenKind::Text(TextKind::Cdata) if is_style => kept.kind,
                StoredTokenKind::Text(_) if is_style => StoredTokenKind::Text(TextKind::Raw),
                _ => StoredTokenKind::Comment,
            };
            *kept = StoredToken::bare(kept.span.range(), kind);
        }
    }

    fn push(&mut self, range: Range<usize>, kind: StoredTokenKind) {
        self.list.push(StoredToken::bare(range, kind));
    }

    /// Begins a tag: what it has for itself is added to it until it is ended.
    pub(crate) fn begin(&mut self) -> NewTag<'_> {
        NewTag {
            first: self.attributes.len(),
            roles: 0,
            tokens: self,
        }
    }

    /// The name that is written so, and a tag that has no more than it for itself. Names that HTML does not know mostly
    /// come again.
    fn find(&self, written: &[u8]) -> (ElementName, u32) {
        const FAR: usize = 8;
        if let Some(known) = ElementName::find(written) {
            return (known, 0);
        }
        for (at, own) in self.own.iter().enumerate().rev().take(FAR) {
            let Some(name) = own
                .name
                .as_ref()
                .filter(|name| name.as_bytes().eq_ignore_ascii_case(written))
            else {
                continue;
            };
            let is_bare = own.attributes.len() == 0 && own.ruled.is_none();
            return (
                ElementName::Other(name.clone()),
                if is_bare { short(at + 1) } else { 0 },
            );
        }
        (ElementName::of(written), 0)
    }

    /// Writes down what a rule of the site says of the element that starts at a byte; of several the first counts.
    pub(crate) fn rule(&mut self, start: usize, ruled: Ruled) {
        let at = self
            .list
            .partition_point(|token| token.span.start() < start);
        let Some(kept) = self
            .list
            .get(at)
            .copied()
            .filter(|kept| kept.span.start() == start)
        else {
            return;
        };
        let own = self.own(&kept).cloned().unwrap_or_default();
        if matches!(
            kept.kind,
            StoredTokenKind::Start | StoredTokenKind::StartClosed
        ) && own.ruled.is_none()
        {
            self.own.push(Own {
                ruled: Some(ruled),
                ..own
            });
            self.list[at].own = short(self.own.len());
        }
    }

    /// Reads what stands in `<noscript>` with `scan`: it is HTML to whoever sees it (R-A13), and cannot hold another one.
    pub(crate) fn open_noscripts(self, scan: impl Fn(Range<usize>) -> Self) -> Self {
        let begins = |kept: &StoredToken| {
            kept.kind != StoredTokenKind::End
                && ElementName::known(kept.element).is_some_and(|name| &*name == "noscript")
        };
        if !self.list.iter().any(begins) {
            return self;
        }
        let mut tokens = Self {
            list: Vec::with_capacity(self.list.len() + 16),
            ..self
        };
        for kept in self.list {
            match kept.kind == StoredTokenKind::Text(TextKind::Raw)
                && tokens.list.last().is_some_and(begins)
            {
                true => tokens.append(scan(kept.span.range()), kept.span.start()),
                false => tokens.list.push(kept),
            }
        }
        tokens
    }

    /// Adds the tokens of a stretch of the page that starts at a byte.
    fn append(&mut self, inner: Self, start: usize) {
        let first = self.attributes.len();
        let first_own = short(self.own.len());
        let shift = |range: &Range<usize>, by: usize| range.start + by..range.end + by;
        self.list.extend(inner.list.iter().map(|kept| StoredToken {
            span: shift(&kept.span.range(), start).into(),
            own: if kept.own == 0 {
                0
            } else {
                kept.own + first_own
            },
            ..*kept
        }));
        let moved = |own: Own| Own {
            attributes: shift(&own.attributes.range(), first).into(),
            ..own
        };
        self.own.extend(inner.own.into_iter().map(moved));
        let moved = |attribute: TagAttribute| TagAttribute {
            value: attribute.value.map(|value| shift(&value, start)),
            ..attribute
        };
        self.attributes
            .extend(inner.attributes.into_iter().map(moved));
    }
}

/// A tag that is being read.
pub(crate) struct NewTag<'t> {
    tokens: &'t mut PageTokens,
    /// Where its attributes begin among those of all tags.
    first: usize,
    roles: Roles,
}

impl NewTag<'_> {
    /// Adds an attribute, unless it has one of that name already.
    pub(crate) fn attribute(&mut self, attribute: TagAttribute) {
        let own = &self.tokens.attributes[self.first..];
        if own
            .iter()
            .all(|earlier| earlier.known != attribute.known || earlier.asked != attribute.asked)
        {
            self.roles |= attribute.known.roles;
            self.tokens.attributes.push(attribute);
        }
    }

    /// Forgets the tag: it has no end.
    pub(crate) fn forget(self) {
        self.tokens.attributes.truncate(self.first);
    }

    /// Adds an end tag; gives its element, if HTML knows it.
    pub(crate) fn end(self, range: Range<usize>, name: &[u8]) -> Option<ElementName> {
        self.add(range, StoredTokenKind::End, name)
    }

    /// Adds a start tag; gives its element, if HTML knows it.
    pub(crate) fn start(
        self,
        range: Range<usize>,
        name: &[u8],
        self_closing: bool,
    ) -> Option<ElementName> {
        self.add(
            range,
            if self_closing {
                StoredTokenKind::StartClosed
            } else {
                StoredTokenKind::Start
            },
            name,
        )
    }

    fn add(self, range: Range<usize>, kind: StoredTokenKind, name: &[u8]) -> Option<ElementName> {
        let Self {
            tokens,
            first,
            roles,
        } = self;
        let (name, mut own) = tokens.find(name);
        let element = name.number().unwrap_or(u8::MAX);
        let name = name.other();
        let attributes = first..tokens.attributes.len();
        if !attributes.is_empty() || (name.is_some() && own == 0) {
            tokens.own.push(Own {
                name,
                attributes: attributes.into(),
                ruled: None,
            });
            own = short(tokens.own.len());
        }
        tokens.list.push(StoredToken {
            span: range.into(),
            kind,
            element,
            roles,
            own,
        });
        ElementName::known(element)
    }
}

impl StartTag<'_> {
    /// The first attribute of that name.
    pub(crate) fn attribute(&self, name: &str) -> Option<&TagAttribute> {
        self.attributes
            .iter()
            .find(|attribute| attribute.name() == name)
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.attribute(name).is_some()
    }

    /// The decoded value of an attribute; empty when only the name is written.
    pub(crate) fn value<'s>(&self, source: &'s [u8], name: &str) -> Option<Cow<'s, str>> {
        self.attribute(name)
            .map(|attribute| attribute.value(source))
    }

    /// Whether an attribute is there that is good for one of these.
    pub(crate) fn may(&self, roles: Roles) -> bool {
        self.roles & roles != 0
    }
}

impl TagAttribute {
    /// The name in lower case.
    pub(crate) fn name(&self) -> &str {
        self.asked.as_deref().unwrap_or(self.known.name)
    }

    /// The value with character references decoded.
    pub(crate) fn value<'s>(&self, source: &'s [u8]) -> Cow<'s, str> {
        let Some(range) = self.value.clone() else {
            return Cow::Borrowed("");
        };
        htmlize::unescape_attribute(as_text(&source[range]))
    }

    /// The quote around the value, where there is one.
    pub(crate) fn quote(&self, source: &[u8]) -> Option<u8> {
        let start = self.value.as_ref()?.start;
        start
            .checked_sub(1)
            .and_then(|before| source.get(before))
            .copied()
            .filter(|byte| matches!(byte, b'"' | b'\''))
    }
}
