//! Letters that stand one by one in blocks, such as those of an animated heading: no words, but a drawing of some (R-W3).

use super::Walk;
use crate::find::found::Found;
use crate::find::keeps::{Keeps, KeptPlace};
use crate::find::part::text_of;
use crate::find::unit::Place;

/// How many letters in a row are a drawing.
const ROW: usize = 3;

/// Elements in which a letter stands for itself: those of tables, lists and menus.
const APART: [&str; 10] = ["a", "button", "dd", "dt", "label", "li", "option", "summary", "td", "th"];

/// The letters that stand last among the texts, if the last texts are single letters.
#[derive(Default)]
pub(super) struct Letters {
    /// The units of the row.
    row: Vec<usize>,
    /// Where the last letter ends.
    end: usize,
    /// Between how many of them nothing but tags stands.
    touching: usize,
    /// The units of rows that are long enough.
    drawn: Vec<usize>,
}

impl Letters {
    /// Takes note of the units from a number on.
    pub(super) fn note(&mut self, source: &[u8], found: &Found, first: usize) {
        // A line that falls apart into controls is a menu.
        if found.units.len() > first + 1 {
            return self.end_row();
        }
        for (number, unit) in found.units.iter().enumerate().skip(first) {
            let letter = match unit.parts(&found.parts) {
                [part] if part.is_text() => {
                    let text = text_of(source, part);
                    let mut signs = text.chars();
                    let is_letter = signs.next().is_some_and(char::is_alphabetic) && signs.next().is_none();
                    if is_letter { Some(part.span) } else { None }
                }
                _ => None,
            };
            let Some(letter) = letter.filter(|_| !unit.stands_in(&APART)) else {
                self.end_row();
                continue;
            };
            match between(source.get(self.end..letter.start()).unwrap_or_default()) {
                _ if self.row.is_empty() => {}
                Some(touch) => self.touching += usize::from(touch),
                None => self.end_row(),
            }
            self.row.push(number);
            self.end = letter.end();
        }
    }

    fn end_row(&mut self) {
        // Most of them touch; what stands between the others is the space between two words.
        if self.row.len() >= ROW && self.touching * 2 >= self.row.len() - 1 {
            self.drawn.append(&mut self.row);
        }
        self.row.clear();
        self.touching = 0;
    }
}

/// Whether two letters touch, with tags and white space alone between them. `None` if anything else stands there.
fn between(source: &[u8]) -> Option<bool> {
    let mut touch = true;
    let mut in_tag = false;
    for byte in source {
        match byte {
            b'<' => in_tag = true,
            b'>' if in_tag => in_tag = false,
            _ if in_tag => {}
            byte if byte.is_ascii_whitespace() => touch = false,
            _ => return None,
        }
    }
    Some(touch)
}

impl Walk<'_> {
    /// Leaves out what is a drawing of letters.
    pub(super) fn leave_letters(&mut self) {
        self.letters.end_row();
        let drawn = std::mem::take(&mut self.letters.drawn);
        if drawn.is_empty() {
            return;
        }
        self.found.has_letters = true;
        let mut number = 0;
        let (kept, parts) = (&mut self.kept, &self.found.parts);
        self.found.units.retain(|unit| {
            let is_drawn = drawn.binary_search(&number).is_ok();
            number += 1;
            if let (true, Some(kept), Place::Line(_)) = (is_drawn, kept.as_mut(), unit.place) {
                mark(kept, unit.start(parts));
            }
            !is_drawn
        });
    }
}

/// Says of a text that was passed over that it is such a letter.
fn mark(kept: &mut [KeptPlace], start: usize) {
    let is_there = |place: &&mut KeptPlace| place.range.contains(&start) && place.keeps == Keeps::Letterless;
    if let Some(place) = kept.iter_mut().find(is_there) {
        place.keeps = Keeps::Letters;
    }
}
