//! From tokens to units: the walk through a page that finds its texts.
//!
//! The walk keeps a stack of open elements for what is inherited: translate mode, language, kept text. A block
//! begins and ends at the tags of every element that is not inline. An element whose content is text of its own
//! (`select`, `svg`) or is kept (`code`, `translate="no"`) opens a frame: its inside is walked like a small page,
//! and outside it is one code in the line.
//!
//! One file: one walk, whose decisions depend on each other.

mod example;
mod letters;
mod meaning;
mod program;
mod unknown;
mod values;

use std::borrow::Cow;
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

use super::attributes::is_indifferent;
use super::block::{BlockContext, LineBuffers, finish};
use super::directions::Directions;
use super::foreign;
use super::found::PageFindings;
use super::inherit::{ElementMeaning, InheritedState, TextNamespace, says_something};
use super::keeps::{Keeps, KeptPlace};
use super::language_links::LanguageLinks;
use super::letters::SingleLetters;
use super::numbers::number;
use super::part::{BlockPart, PartKind};
use super::spaced::SpacedClasses;
use super::stack::{OpenElement, Stack};
use super::structured;
use super::template;
use super::unit::UnitContext;
use crate::Locale;
use crate::html::element::{ElementFlow, ElementName};
use crate::html::limits::{DEEPEST, ExceededLimit, is_too_much};
use crate::html::rules::{LocaleFilter, within_text};
use crate::html::span::short;
use crate::html::tokens::{PageToken, PageTokens, StartTag, TextKind, TokenKind};
use crate::text::code::CodeKind;

/// Walks through a page.
pub(crate) fn find(page: &TokenizedPage<'_>, locale: &Locale, keeps_nodes: bool) -> PageFindings {
    match forbids_translation(page.source, page.tokens) {
        true => PageFindings::default(),
        false => walk(PageWalk::new(page, locale, keeps_nodes)).0,
    }
}

/// Walks through a page and takes note of the texts that it passes over, and of those that may yet have no letter.
pub(crate) fn find_with_kept(
    page: &TokenizedPage<'_>,
    locale: &Locale,
) -> (PageFindings, Vec<KeptPlace>) {
    walk(PageWalk {
        kept: Some(Vec::new()),
        ..PageWalk::new(page, locale, false)
    })
}

fn walk(mut walk: PageWalk<'_>) -> (PageFindings, Vec<KeptPlace>) {
    let tokens = walk.tokens;
    let excess = tokens.try_each(|index, token| walk.take(index, token));
    if let Err(excess) = excess {
        walk.found.excess = Some(excess);
        return (walk.found, Vec::new());
    }
    walk.close_to(0, walk.source.len());
    walk.flush();
    walk.leave_letters();
    walk.found.sort();
    (walk.found, walk.kept.unwrap_or_default())
}

/// `<meta name="google" content="notranslate">` keeps the whole page as it is (R-A5).
pub(crate) fn forbids_translation(source: &[u8], tokens: &PageTokens) -> bool {
    tokens.tags("meta").any(|tag| {
        let says = |name: &str, wanted: &str| {
            tag.value(source, name)
                .is_some_and(|value| value.trim().eq_ignore_ascii_case(wanted))
        };
        let refuses = || says("content", "notranslate") || says("value", "notranslate");
        says("name", "google") && refuses()
    })
}

/// A page that was cut into tokens, with the links of its language menus.
pub(crate) struct TokenizedPage<'a> {
    pub(crate) source: &'a [u8],
    pub(crate) tokens: &'a PageTokens,
    pub(crate) languages: &'a LanguageLinks,
}

#[derive(Default)]
struct Frame {
    parts: Vec<BlockPart>,
}

struct PageWalk<'a> {
    source: &'a [u8],
    tokens: &'a PageTokens,
    languages: &'a LanguageLinks,
    locale: &'a Locale,
    stack: Stack,
    /// What holds where the page begins.
    outermost: Rc<InheritedState>,
    /// What the last element of a kind handed down, and in which place.
    last_made: Option<(ElementName, Rc<InheritedState>, Rc<InheritedState>)>,
    frames: Vec<Frame>,
    found: PageFindings,
    /// What lines are taken apart in.
    room: LineBuffers,
    keeps_nodes: bool,
    /// Where texts with a letter or digit stand.
    shown: Vec<u32>,
    /// Whether the open form is sent to somebody who does not look at what its buttons say.
    form: Option<bool>,
    /// Open blocks that say their direction.
    directions: Directions,
    /// How many values were looked at that may be prompts.
    prompts: usize,
    /// A program is open that ends behind the next `?>`.
    in_program: bool,
    letters: SingleLetters,
    /// Classes that keep white space.
    spaced: SpacedClasses,
    kept: Option<Vec<KeptPlace>>, // where somebody asks for what is passed over
}

impl<'a> PageWalk<'a> {
    fn new(page: &TokenizedPage<'a>, locale: &'a Locale, keeps_nodes: bool) -> Self {
        let &TokenizedPage {
            source,
            tokens,
            languages,
        } = page;
        let frames = vec![Frame::default()];
        let (stack, outermost, last_made, room, shown, form, directions, prompts) =
            Default::default();
        let (in_program, letters, spaced, kept) = Default::default();
        let found = PageFindings::with_capacity(tokens.len());
        Self {
            source,
            tokens,
            languages,
            locale,
            stack,
            outermost,
            last_made,
            frames,
            found,
            room,
            keeps_nodes,
            shown,
            form,
            directions,
            prompts,
            in_program,
            letters,
            spaced,
            kept,
        }
    }

    #[inline]
    fn take(&mut self, index: usize, token: &PageToken<'_>) -> Result<(), ExceededLimit> {
        match &token.kind {
            TokenKind::Start(tag) => self.start(index, token, tag),
            TokenKind::End(name) => self.end(token, name),
            TokenKind::Text(kind) => {
                self.found
                    .numbers
                    .extend(number(self.source, self.tokens, index, self.state()));
                self.text(&token.range, *kind);
            }
            TokenKind::Comment => self.comment(&token.range),
            TokenKind::Doctype => self.flush(),
        }
        self.found.steps += 1;
        self.excess(matches!(token.kind, TokenKind::Start(_)))
            .map_or(Ok(()), Err)
    }

    /// Takes note of a text that is no segment.
    fn keep(&mut self, range: &Range<usize>, kind: TextKind, keeps: Option<Keeps>) {
        if let (Some(kept), Some(keeps)) = (&mut self.kept, keeps) {
            let element = self
                .stack
                .last()
                .map_or(Cow::Borrowed("body"), |open| open.name.to_cow());
            kept.push(KeptPlace {
                range: range.clone(),
                kind,
                element,
                keeps,
            });
        }
    }

    /// Why this page goes too far; only where an element begins, it may have become too deep.
    fn excess(&self, begins: bool) -> Option<ExceededLimit> {
        if begins {
            let filter = self
                .stack
                .last()
                .and_then(|open| open.state.filter.as_ref());
            if self.stack.len() > DEEPEST || filter.is_some_and(|filter| filter.is_too_deep()) {
                return Some(ExceededLimit::Depth);
            }
        }
        is_too_much(self.found.steps, self.source.len()).then_some(ExceededLimit::Steps)
    }

    fn state(&self) -> &Rc<InheritedState> {
        self.stack
            .last()
            .map_or(&self.outermost, |open| &open.state)
    }

    /// What an element hands down. Where its tag says nothing of it, that is what the last of its name handed down in the
    /// same place: code comes in rows.
    fn within(
        &mut self,
        outer: &Rc<InheritedState>,
        tag: &StartTag<'_>,
        says: bool,
        meant: &ElementMeaning,
    ) -> Rc<InheritedState> {
        let is_common = !says && tag.ruled.is_none() && outer.world == TextNamespace::Html;
        if let Some((name, around, state)) = &self.last_made
            && is_common
            && *name == tag.name
            && Rc::ptr_eq(around, outer)
        {
            return state.clone();
        }
        let state = Rc::new(outer.within(self.source, tag, meant, self.locale));
        if is_common {
            self.last_made = Some((tag.name.clone(), outer.clone(), state.clone()));
        }
        state
    }

    fn part(&mut self, part: BlockPart) {
        if let Some(frame) = self.frames.last_mut() {
            frame.parts.push(part);
        }
    }

    fn code(&mut self, range: Range<usize>, kind: CodeKind, name: &ElementName) {
        self.part(BlockPart::code(range, kind, name));
    }

    #[expect(
        clippy::too_many_lines,
        reason = "the decisions about a start tag, which depend on each other"
    )]
    fn start(&mut self, index: usize, token: &PageToken<'_>, tag: &StartTag<'_>) {
        if let Some(depth) = self
            .stack
            .ended_by(&tag.name)
            .filter(|_| !self.tokens.is_xml())
        {
            self.close_to(depth, token.range.start);
        }
        if self.state().world != TextNamespace::Html
            && !self.tokens.is_xml()
            && foreign::is_ended_by(self.source, token, tag)
        {
            self.leave_foreign(token.range.start);
        }
        if &*tag.name == "form" {
            self.form
                .get_or_insert_with(|| is_indifferent(self.source, tag));
        }
        let outer = self.state().clone();
        let is_language_link = self.languages.at(token.range.start).is_some();
        let means = self.may_mean(tag);
        let says = is_language_link || means || says_something(tag);
        let meant = if means {
            self.meant(index, tag)
        } else {
            ElementMeaning::default()
        };
        let mut state = match outer.is_kept_by(tag, says) {
            true => outer.clone(),
            false => self.within(&outer, tag, says, &meant),
        };
        if is_language_link {
            state = Rc::new(state.in_language_link());
        }
        if says && (tag.has("lang") || tag.has("xml:lang")) && self.is_example(index, tag, &outer) {
            state = Rc::new(state.in_example());
        }
        let flow = self.flow(index, tag, says, &outer, &state);
        self.found.steps += tag.attributes.len() as u64;
        if flow == ElementFlow::Block {
            self.flush();
            self.in_program = false;
        }
        if says {
            self.lang(tag, &state);
        }
        self.attributes(tag, &state);
        if structured::is_json_ld(self.source, tag) && state.translate && !state.foreign {
            let content = self
                .tokens
                .get(index + 1)
                .filter(|next| next.kind == TokenKind::Text(TextKind::Raw));
            let writing = structured::writing(self.tokens);
            content.into_iter().for_each(|text| {
                structured::find(
                    self.source,
                    &text.range,
                    writing,
                    self.locale,
                    &mut self.found,
                )
            });
        }
        let childless = match outer.world {
            TextNamespace::Html => {
                tag.name.is_void() || (tag.self_closing && is_foreign(&tag.name))
            }
            TextNamespace::Svg(_) | TextNamespace::Math(_) => tag.self_closing,
        };
        let filter = state
            .filter
            .clone()
            .filter(|_| state.filter != outer.filter);
        if let Some(filter) = filter.clone().filter(|_| childless) {
            self.found.filtered.push((token.range.clone(), filter));
        }
        if state.code && !outer.code && !tag.has("dir") {
            self.found.code.push(token.range.start + 1 + tag.name.len());
        }
        if childless {
            if flow != ElementFlow::Block {
                self.code(token.range.clone(), CodeKind::Void, &tag.name);
            }
            return;
        }
        if flow == ElementFlow::Inline {
            self.code(token.range.clone(), CodeKind::Paired, &tag.name);
        }
        let frame = (flow == ElementFlow::Nested).then_some(token.range.start);
        if frame.is_some() {
            self.frames.push(Frame::default());
        }
        self.directions.enter(
            self.source,
            tag,
            token.range.start,
            self.stack.len(),
            self.locale,
        );
        let option = self.option(index, token, tag);
        let filtered = filter.map(|filter| (token.range.start, filter));
        self.stack.push(OpenElement {
            name: tag.name.clone(),
            state,
            flow,
            frame,
            option,
            filtered,
        });
    }

    fn flow(
        &self,
        index: usize,
        tag: &StartTag<'_>,
        says: bool,
        outer: &InheritedState,
        state: &InheritedState,
    ) -> ElementFlow {
        let flow = match outer.world {
            TextNamespace::Html => tag.name.flow(),
            TextNamespace::Math(_) => return ElementFlow::Block,
            TextNamespace::Svg(_) => {
                // A tspan with a place of its own is a line of its own (R-A14).
                let inline = matches!(&*tag.name, "tspan" | "textpath" | "a") && !tag.has("x");
                return if inline {
                    ElementFlow::Inline
                } else {
                    ElementFlow::Block
                };
            }
        };
        let said = if says {
            within_text(self.source, tag)
        } else {
            None
        };
        let flow = match said.unwrap_or(flow) {
            ElementFlow::Unknown if self.is_in_sentence(index, &tag.name) => ElementFlow::Inline,
            ElementFlow::Unknown => ElementFlow::Block,
            known => known,
        };
        // What is not translated is one code in its line, unless it is already inside such a code.
        let is_apart = outer.takes_text() != state.takes_text() || outer.filter != state.filter;
        match flow {
            ElementFlow::Inline if is_apart && !tag.name.is_void() => ElementFlow::Nested,
            other => other,
        }
    }

    fn text(&mut self, range: &Range<usize>, kind: TextKind) {
        // The name of an icon is a picture for readers.
        if shows_something(&self.source[range.clone()]) && self.state().keeps() != Some(Keeps::Icon)
        {
            self.shown
                .push(u32::try_from(range.start).unwrap_or(u32::MAX));
        }
        let state = self
            .stack
            .last()
            .map_or(&self.outermost, |open| &open.state);
        let preserve = state.preserve;
        self.directions.count(range.len(), state);
        if kind == TextKind::Raw || !state.takes_text() {
            if kind == TextKind::Raw && self.stack.last().is_some_and(|open| &*open.name == "style")
            {
                self.spaced.read(&self.source[range.clone()]);
            }
            let keeps = if kind == TextKind::Raw {
                Some(Keeps::Program)
            } else {
                self.state().keeps()
            };
            return self.keep(range, kind, keeps);
        }
        self.keep(range, kind, Some(Keeps::Letterless));
        let is_mark = range.start == 0 && self.source.starts_with(b"\xef\xbb\xbf");
        let range = if is_mark {
            3..range.end.max(3)
        } else {
            range.clone()
        };
        let mut at = range.start;
        // Where a framework compares nodes, all templates are filled in already, and a node stays in one piece.
        if matches!(kind, TextKind::Data | TextKind::Escapable) && !self.keeps_nodes {
            at = self.program(&range, kind);
            for (template, shows) in template::find(self.source, &(at..range.end)) {
                if at < template.start {
                    self.part(BlockPart::text(at..template.start, kind, preserve));
                }
                at = template.end;
                self.keep(&template, kind, Some(Keeps::Template));
                // What shows something belongs to the words around it, like a picture among them.
                self.shown.extend(shows.then(|| short(template.start)));
                self.part(BlockPart::template(
                    template,
                    if shows {
                        CodeKind::Protected
                    } else {
                        CodeKind::Void
                    },
                ));
            }
        }
        if at < range.end || at == range.start {
            self.part(BlockPart::text(at..range.end, kind, preserve));
        }
    }

    /// Ends the graphic or formula around a place, where HTML cannot stand in it.
    fn leave_foreign(&mut self, at: usize) {
        while self
            .stack
            .last()
            .is_some_and(|open| foreign::goes_on_in(&open.name, open.state.world))
        {
            self.close_to(self.stack.len() - 1, at);
        }
    }

    fn end(&mut self, token: &PageToken<'_>, name: &ElementName) {
        if matches!(&**name, "p" | "br")
            && self.state().world != TextNamespace::Html
            && !self.tokens.is_xml()
        {
            self.leave_foreign(token.range.start);
        }
        if &**name == "form" {
            self.form = None;
        }
        let inline = name.flow() == ElementFlow::Inline;
        let Some(depth) = self.stack.closed_by(name, inline) else {
            match name.flow() {
                ElementFlow::Inline if &**name != "br" => {
                    self.code(token.range.clone(), CodeKind::LoneEnd, name)
                }
                ElementFlow::Inline | ElementFlow::Nested | ElementFlow::Block => self.flush(),
                ElementFlow::Unknown => self.code(token.range.clone(), CodeKind::LoneEnd, name),
            }
            return;
        };
        self.close_to(depth + 1, token.range.start);
        let Some(open) = self.pop(token.range.end) else {
            return;
        };
        match (open.flow, open.frame) {
            (_, Some(start)) => self.close_frame(&open, start..token.range.end),
            (ElementFlow::Inline, None) => self.code(token.range.clone(), CodeKind::LoneEnd, name),
            (ElementFlow::Block | ElementFlow::Nested | ElementFlow::Unknown, None) => {
                self.flush_as(&open);
            }
        }
    }

    /// Ends all elements from `depth` on, because of what stands at `at`.
    fn close_to(&mut self, depth: usize, at: usize) {
        while self.stack.len() > depth {
            let Some(open) = self.pop(at) else { return };
            match (open.flow, open.frame) {
                // For a browser it goes on behind whatever ended it, so words may not move over it: a line ends here.
                (_, Some(_)) => {
                    self.leave_frame(&open);
                    self.flush();
                }
                (ElementFlow::Block, None) => self.flush_as(&open),
                (ElementFlow::Inline | ElementFlow::Nested | ElementFlow::Unknown, None) => {}
            }
        }
    }

    /// Takes the innermost element off the stack, which ends at `end`.
    fn pop(&mut self, end: usize) -> Option<OpenElement> {
        let mut open = self.stack.pop()?;
        self.found
            .directions
            .extend(self.directions.leave(self.stack.len(), end));
        let filtered = open
            .filtered
            .take()
            .map(|(start, filter)| (start..end, filter));
        self.found.filtered.extend(filtered);
        // Behind an `<option>` in another one, the outer goes on.
        let outer = self
            .stack
            .last()
            .and_then(|outer| outer.option)
            .filter(|outer| open.option != Some(*outer));
        let resumed =
            outer.and_then(|outer| Some(self.found.options.get(outer as usize)?.resumed(end)));
        self.found.options.extend(resumed);
        Some(open)
    }

    fn leave_frame(&mut self, open: &OpenElement) {
        self.flush_as(open);
        if self.frames.len() > 1 {
            self.frames.pop();
        }
    }

    fn close_frame(&mut self, open: &OpenElement, range: Range<usize>) {
        self.leave_frame(open);
        self.code(range, CodeKind::Protected, &open.name);
    }

    fn flush_as(&mut self, open: &OpenElement) {
        self.flush_in(
            open.name.clone(),
            open.option.is_some(),
            open.state.filter.clone(),
        );
    }

    fn flush(&mut self) {
        if self
            .frames
            .last()
            .is_none_or(|frame| frame.parts.is_empty())
        {
            return;
        }
        let block = self.stack.apart();
        let name = block.map_or_else(|| ElementName::of(b"body"), |open| open.name.clone());
        let filter = self.stack.last().and_then(|open| open.state.filter.clone());
        self.flush_in(
            name,
            block.is_some_and(|open| open.option.is_some()),
            filter,
        );
    }

    /// Ends the block that is being collected.
    fn flush_in(
        &mut self,
        origin: ElementName,
        in_option: bool,
        filter: Option<Arc<LocaleFilter>>,
    ) {
        let Some(parts) = self.frames.last_mut().map(|frame| &mut frame.parts) else {
            return;
        };
        if parts
            .iter()
            .any(|part| matches!(part.kind, PartKind::Text { .. }))
        {
            let around = UnitContext {
                origin,
                in_option,
                filter,
                keeps_nodes: self.keeps_nodes,
            };
            let block = BlockContext {
                source: self.source,
                shown: &self.shown,
                around,
            };
            let first = self.found.units.len();
            finish(&block, parts, &mut self.room, &mut self.found);
            self.letters.note(self.source, &self.found, first);
        }
        parts.clear();
    }
}

/// Whether text has a letter or digit.
fn shows_something(text: &[u8]) -> bool {
    text.iter().any(u8::is_ascii_alphanumeric)
        || (!text.is_ascii()
            && String::from_utf8_lossy(text)
                .chars()
                .any(char::is_alphanumeric))
}

fn is_foreign(name: &str) -> bool {
    matches!(name, "svg" | "math")
}
