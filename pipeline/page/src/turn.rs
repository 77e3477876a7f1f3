//! Versions in a language that is written in the other direction than the source.
//!
//! A page without a translated text gets none of these changes, so that the identity law holds.

mod order;

use super::edits::SourceEdits;
use super::fill::normalize;
use super::find::found::DirectionPlace;
use super::find::part::{BlockPart, PartKind};
use super::find::unit::{TextUnit, UnitPlace};
use super::html::writing::write_attribute;
use super::page::Page;
use crate::Locale;
use crate::text::coded::CodedText;

/// A page that is rendered in the other direction.
pub(super) struct Turn {
    /// The language that the page is to speak.
    pub(super) target: Locale,
    /// The first bytes of the lines of text that are translated, in order.
    translated: Vec<usize>,
}

impl Page {
    /// `None` if the page keeps its direction, or if none of its texts is translated.
    pub(super) fn turn<'t>(
        &self,
        translation: &dyn Fn(usize) -> Option<&'t CodedText>,
        target: Option<&Locale>,
    ) -> Option<Turn> {
        let target = target?;
        if target.direction() == self.locale.direction() || !self.is_html() {
            return None;
        }
        let mut is_any = false;
        let mut translated = Vec::new();
        for (index, unit) in self.units.iter().enumerate() {
            if translation(index).is_some_and(|words| self.is_another(unit, words)) {
                is_any = true;
                if matches!(unit.place, UnitPlace::Line(_)) {
                    translated.push(unit.start(&self.parts));
                }
            }
        }
        if is_any {
            Some(Turn {
                target: target.clone(),
                translated,
            })
        } else {
            None
        }
    }

    /// True if a text is another than that of the page.
    pub(super) fn is_another(&self, unit: &TextUnit, target: &CodedText) -> bool {
        let target = normalize(target, keeps_space(unit.parts(&self.parts)));
        *target != unit.segment(&self.source, &self.parts).text
    }
}

/// True if white space counts in a line.
pub(super) fn keeps_space(parts: &[BlockPart]) -> bool {
    parts
        .iter()
        .any(|part| matches!(part.kind, PartKind::Text { preserve: true, .. }))
}

impl Turn {
    /// Turns the `dir` of blocks that hold translated text (R-R2).
    pub(super) fn follow(&self, places: &[DirectionPlace], edits: &mut SourceEdits) {
        let direction = self.target.direction().as_str();
        for place in places {
            let next = self
                .translated
                .partition_point(|&at| at < place.element.start());
            if self
                .translated
                .get(next)
                .is_some_and(|&at| at < place.element.end())
            {
                edits.replace(
                    place.value.range(),
                    &write_attribute(direction, place.quote),
                );
            }
        }
    }
}
