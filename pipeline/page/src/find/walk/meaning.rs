//! Classes, styles and names of elements that say how their content is to be taken, decided beyond the table.

use super::PageWalk;
use crate::find::inherit::ElementMeaning;
use crate::html::classes::{Meaning, of_class, of_element, of_white_space};
use crate::html::element::ElementName;
use crate::html::known::RULE;
use crate::html::tokens::{StartTag, TagAttribute, TextKind, TokenKind};

impl PageWalk<'_> {
    /// Recognizes an element whose class, style or name may mean something.
    pub(super) fn may_mean(&self, tag: &StartTag<'_>) -> bool {
        let means = |attribute: &TagAttribute| {
            let Some(value) = attribute
                .value
                .clone()
                .and_then(|range| self.source.get(range))
            else {
                return false;
            };
            match attribute.known.name {
                "class" => {
                    let mut classes = value.split(u8::is_ascii_whitespace);
                    // A class that is written with references is read below.
                    value.contains(&b'&')
                        || classes.any(|class| of_class(class).is_some() || self.spaced.has(class))
                }
                "style" => value
                    .windows(11)
                    .any(|word| word.eq_ignore_ascii_case(b"white-space")),
                _ => false,
            }
        };
        let by_name =
            || matches!(&tag.name, ElementName::Other(name) if of_element(name).is_some());
        (tag.may(RULE) && tag.attributes.iter().any(means)) || by_name()
    }

    /// The meaning of an element's class, style and name.
    pub(super) fn meant(&self, index: usize, tag: &StartTag<'_>) -> ElementMeaning {
        let mut meant = ElementMeaning::default();
        if let ElementName::Other(name) = &tag.name
            && let Some(meaning) = of_element(name)
        {
            meant.add(meaning);
        }
        let classes = tag.value(self.source, "class").unwrap_or_default();
        for class in classes.split_ascii_whitespace() {
            let meaning = of_class(class.as_bytes())
                .and_then(|meaning| self.decided(meaning, class, (index, tag)));
            if let Some(meaning) = meaning {
                meant.add(meaning);
            }
            if self.spaced.has(class.as_bytes()) {
                meant.add(Meaning::Preserve(true));
            }
        }
        let style = tag.value(self.source, "style").unwrap_or_default();
        for declaration in style.split(';') {
            if let Some((name, value)) = declaration.split_once(':')
                && name.trim().eq_ignore_ascii_case("white-space")
                && let Some(meaning) = of_white_space(value)
            {
                meant.add(meaning);
            }
        }
        meant
    }

    /// The meaning of a class here, if it needs more evidence than its name.
    fn decided(
        &self,
        meaning: Meaning,
        class: &str,
        (index, tag): (usize, &StartTag<'_>),
    ) -> Option<Meaning> {
        let is_inline = matches!(&*tag.name, "a" | "span");
        let (holds, meaning) = match meaning {
            Meaning::CodeSpan => (is_inline, Meaning::Code),
            Meaning::Item => (
                is_inline && is_item(&tag.value(self.source, "title").unwrap_or_default(), class),
                Meaning::Code,
            ),
            Meaning::Fragment => (self.holds_lines(index), Meaning::Code),
            Meaning::Ligature => (
                matches!(&*tag.name, "i" | "span") && self.holds_ligature(index),
                Meaning::Icon,
            ),
            certain => (true, certain),
        };
        if holds { Some(meaning) } else { None }
    }

    /// Recognizes Doxygen's `<div class="fragment"><div class="line">`; slides have fragments, too.
    fn holds_lines(&self, index: usize) -> bool {
        let is_line = |tag: &StartTag<'_>| {
            &*tag.name == "div"
                && tag
                    .value(self.source, "class")
                    .is_some_and(|it| it == "line")
        };
        for token in self.tokens.from(index + 1).take(2) {
            match &token.kind {
                TokenKind::Text(_) => {}
                TokenKind::Start(tag) => return is_line(tag),
                TokenKind::End(_) | TokenKind::Comment | TokenKind::Doctype => return false,
            }
        }
        false
    }

    /// Recognizes the name of an icon, such as `shopping_cart`.
    fn holds_ligature(&self, index: usize) -> bool {
        let Some(token) = self
            .tokens
            .get(index + 1)
            .filter(|token| token.kind == TokenKind::Text(TextKind::Data))
        else {
            return false;
        };
        let text = self.source[token.range.clone()].trim_ascii();
        let in_name = |byte: &u8| {
            byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'_' | b'-')
        };
        !text.is_empty() && text.iter().all(in_name)
    }
}

/// Recognizes the titles of rustdoc's links: `struct std::vec::Vec` and, before 1.71, `std::vec::Vec struct`.
fn is_item(title: &str, class: &str) -> bool {
    let mut words = title.split_whitespace();
    match (words.next(), words.next(), words.next()) {
        (Some(first), Some(last), None) => first == class || last == class,
        _ => false,
    }
}
