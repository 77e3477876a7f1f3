//! `lang` and `dir` for untranslated blocks among translated ones, for screen readers and text direction (R-R3; WCAG
//! 2.2, 3.1.2 Language of Parts).
//!
//! A page without translated text is left alone, so that the identity law holds.

use std::collections::BTreeSet;
use std::ops::Range;

use super::edits::SourceEdits;
use super::find::unit::{TextUnit, UnitPlace};
use super::html::space::trim;
use super::html::tags;
use super::html::writing::write_attribute;
use super::page::Page;
use super::render::PageChanges;
use crate::text::coded::CodedText;

/// Element whose content is one text.
struct Holder {
    tag: Range<usize>,
    /// The end of the name in the tag.
    at: usize,
    has_language: bool,
    has_direction: bool,
}

impl Page {
    /// Adds the language of the source to elements that hold nothing but one untranslated text; returns these texts.
    pub(super) fn mark_untranslated<'t>(
        &self,
        translation: &dyn Fn(usize) -> Option<&'t CodedText>,
        changes: &PageChanges<'_>,
        edits: &mut SourceEdits,
    ) -> BTreeSet<usize> {
        let (Some(target), Some(is_untranslated)) = (self.target(changes), changes.untranslated)
        else {
            return BTreeSet::new();
        };
        let open: Vec<usize> = (0..self.units.len())
            .filter(|index| is_untranslated(*index))
            .collect();
        if open.is_empty() || !self.is_html() || !self.has_translated(translation) {
            return BTreeSet::new();
        }
        let lang = format!(
            " lang=\"{}\"",
            write_attribute(self.locale.as_str(), Some(b'"'))
        );
        let dir = match target.direction() == self.locale.direction() {
            true => String::new(),
            false => format!(" dir=\"{}\"", self.locale.direction().as_str()),
        };
        let mut marked = BTreeSet::new();
        for index in open {
            let Some(holder) = self.units.get(index).and_then(|unit| self.holder_of(unit)) else {
                continue;
            };
            if holder.has_language {
                self.keep_language(&holder.tag, edits);
            }
            let lang = if holder.has_language { "" } else { &lang };
            let dir = if holder.has_direction { "" } else { &dir };
            edits.insert(holder.at, &format!("{lang}{dir}"));
            marked.insert(index);
        }
        marked
    }

    /// True if at least one text of the page changes.
    fn has_translated<'t>(&self, translation: &dyn Fn(usize) -> Option<&'t CodedText>) -> bool {
        let mut units = self.units.iter().enumerate();
        units.any(|(index, unit)| {
            translation(index).is_some_and(|words| self.is_another(unit, words))
        })
    }

    /// Keeps the `lang` of a tag, which would otherwise change with the page.
    fn keep_language(&self, tag: &Range<usize>, edits: &mut SourceEdits) {
        let langs = self.by_locale.iter().flat_map(|places| &places.langs);
        for (value, _) in langs.filter(|(value, _)| tag.contains(&value.start)) {
            edits.leave(value.clone());
        }
    }

    /// The element of a text; `None` if the element has other content, or if the text is a name.
    fn holder_of(&self, unit: &TextUnit) -> Option<Holder> {
        let UnitPlace::Line(_) = unit.place else {
            return None;
        };
        // Frameworks compare attributes with their own when they hydrate.
        if unit.keeps_nodes || unit.in_option {
            return None;
        }
        let parts = unit.parts(&self.parts);
        let text = parts.first()?.span.start()..parts.last()?.span.end();
        let start = trim(&self.source, 0..text.start).end;
        let end = trim(&self.source, text.end..self.source.len()).start;
        let tag = tags::start_tag_before(&self.source, start)?;
        let name = tags::name_at(&self.source, tag.start)?;
        let is_closed = self.source.get(end..)?.starts_with(b"</")
            && tags::name_at(&self.source, end)
                .is_some_and(|closing| closing.eq_ignore_ascii_case(name));
        let at = tag.start + 1 + name.len();
        let mut has_language = false;
        let mut has_direction = false;
        for (attribute, _) in tags::attributes(&self.source, tag.clone()) {
            has_language |= attribute.eq_ignore_ascii_case(b"lang")
                || attribute.eq_ignore_ascii_case(b"xml:lang");
            has_direction |= attribute.eq_ignore_ascii_case(b"dir");
        }
        let is_said = is_closed && is_speech(unit.segment(&self.source, &self.parts).text.text());
        if is_said {
            Some(Holder {
                tag,
                at,
                has_language,
                has_direction,
            })
        } else {
            None
        }
    }
}

/// True for text that a reader pronounces in its language: two words of which one is no name, or letters without case.
fn is_speech(text: &str) -> bool {
    let words = text
        .split_whitespace()
        .filter(|word| word.contains(char::is_alphabetic));
    let mut count = 0;
    let mut plain = 0;
    for word in words {
        let letters = word.trim_matches(|character: char| !character.is_alphanumeric());
        count += 1;
        plain += usize::from(
            letters
                .chars()
                .all(|letter| letter.is_alphabetic() && !letter.is_uppercase()),
        );
    }
    let has_case = text.contains(|letter: char| letter.is_lowercase() || letter.is_uppercase());
    plain > 0 && (count > 1 || !has_case)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_codes_are_no_speech_r_r3() {
        for (text, expected) in [
            ("Read more", true),
            ("It opens at 10am.", true),
            ("読む", true),
            ("GitHub", false),
            ("menu", false),
            ("New York", false),
            ("Python 3.11", false),
            ("std::fs get_file()", false),
            ("42 %", false),
        ] {
            assert_eq!(is_speech(text), expected, "{text}");
        }
    }
}
