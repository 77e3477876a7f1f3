//! Letters that stand one by one in blocks, such as those of an animated heading: no words, but a drawing of some (R-W3).

use super::found::PageFindings;
use super::part::text_of;

/// The fewest letters in a row that are a drawing.
const ROW: usize = 3;

/// Limit in bytes for a letter, which may be written as a reference.
const LONGEST: usize = 16;

/// Elements in which a letter stands for itself: those of tables, lists and menus.
const APART: [&str; 10] = [
    "a", "button", "dd", "dt", "label", "li", "option", "summary", "td", "th",
];

/// The letters that stand last among the texts, if the last texts are single letters.
#[derive(Default)]
pub(crate) struct SingleLetters {
    /// The units of the row.
    row: Vec<usize>,
    /// The end of the last letter.
    end: usize,
    /// Between how many of them nothing but tags stands.
    touching: usize,
    /// The units of rows that are long enough.
    drawn: Vec<usize>,
}

impl SingleLetters {
    /// Takes note of the units from a number on.
    pub(crate) fn note(&mut self, source: &[u8], found: &PageFindings, first: usize) {
        // A line that falls apart into controls is a menu.
        if found.units.len() > first + 1 {
            return self.end_row();
        }
        for (number, unit) in found.units.iter().enumerate().skip(first) {
            let letter = match unit.parts(&found.parts) {
                [part] if part.is_text() && part.span.range().len() <= LONGEST => {
                    let text = text_of(source, part);
                    let mut signs = text.chars();
                    let is_letter =
                        signs.next().is_some_and(char::is_alphabetic) && signs.next().is_none();
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

    /// The units that are a drawing, in order, once all were seen.
    pub(crate) fn take(&mut self) -> Vec<usize> {
        self.end_row();
        std::mem::take(&mut self.drawn)
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

/// Tells whether two letters touch. `None` if more than tags and white space stands between them.
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
