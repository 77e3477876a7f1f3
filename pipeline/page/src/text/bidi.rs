//! Visual order of source text inside text of the other direction (R-R1).
//!
//! Browsers order a line by the Unicode Bidirectional Algorithm. Punctuation and digits have no strong direction, so a phone number in
//! an Arabic sentence is shown with its groups in reverse, and `C++` as `++C`. A run that the source and the translation share
//! has to look the same in both.

use std::ops::Range;

use unicode_bidi::{BidiClass, BidiInfo, Level};

use crate::Direction;

/// A run of the source that browsers would reorder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Disordered {
    /// Its bytes.
    pub(crate) range: Range<usize>,
    /// Only the punctuation at its end would move: a direction mark behind it is enough.
    pub(crate) only_end: bool,
}

/// Placeholder for a picture, or for an element with a direction of its own.
pub(crate) const OBJECT: char = '\u{fffc}';

/// Most characters that are trimmed from the edges of a run.
const MOST_SIGNS: usize = 16;

/// Most runs of a text that are looked up in the source, so that hostile texts cost linear time.
const MOST: usize = 256;

/// The character that begins an isolate of this direction.
pub(crate) fn isolate(direction: Direction) -> char {
    match direction {
        Direction::Ltr => '\u{2066}',
        Direction::Rtl => '\u{2067}',
    }
}

/// Ends an isolate.
pub(crate) const END_OF_ISOLATE: char = '\u{2069}';

/// The direction mark: an invisible letter of this direction.
pub(crate) fn mark(direction: Direction) -> char {
    match direction {
        Direction::Ltr => '\u{200e}',
        Direction::Rtl => '\u{200f}',
    }
}

/// Finds the runs of a text, in a paragraph of the other direction, that browsers would reorder. The result is in order.
/// Runs that the source lacks are skipped: the translator or CLDR wrote them for the language.
pub(crate) fn disordered(text: &str, source: &str, from: Direction) -> Vec<Disordered> {
    if !text.chars().any(char::is_alphanumeric) || !text.chars().any(is_sign) {
        return Vec::new();
    }
    let level = match from {
        Direction::Ltr => Level::rtl(),
        Direction::Rtl => Level::ltr(),
    };
    let line = BidiLine {
        text,
        source,
        from,
        info: BidiInfo::new(text, Some(level)),
    };
    // The text controls its order already.
    if line
        .info
        .original_classes
        .iter()
        .any(|class| is_explicit(*class))
    {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut left = MOST;
    for run in line.runs() {
        let is_alone = text[..run.start].trim().is_empty() && text[run.end..].trim().is_empty();
        // Punctuation behind a number alone, as in `5.`, belongs to the page's direction.
        let is_all = is_alone && line.has_own_letter(run.clone());
        let mut after_isolate = false;
        for range in line.parts(run, is_all, &mut left) {
            // An isolate hides its letters from the digits behind it, which would then be reordered.
            let follows = after_isolate && text[range.clone()].chars().any(is_sign);
            let Some(disordered) = line.look(range, follows) else {
                continue;
            };
            after_isolate |= !disordered.only_end;
            found.push(disordered);
        }
    }
    found
}

/// True if browsers would show a text that stands alone between letters of the other direction in another order. A list of numbers
/// reads in the direction of the text around it, unless one of the numbers would be reordered itself.
pub(crate) fn is_disordered_between(letter: char, text: &str, from: Direction) -> bool {
    let level = match from {
        Direction::Ltr => Level::rtl(),
        Direction::Rtl => Level::ltr(),
    };
    let shown = format!("{letter}{text}{letter}");
    let line = BidiLine {
        text: &shown,
        source: text,
        from,
        info: BidiInfo::new(&shown, Some(level)),
    };
    let range = letter.len_utf8()..shown.len() - letter.len_utf8();
    let range = line.trim(range.clone(), line.has_own_letter(range));
    if line.has_boundary(range.clone()) {
        return false;
    }
    if line.has_own_letter(range.clone()) {
        return line.look(range, false).is_some();
    }
    let items = line.split(range, is_list_sign);
    from == Direction::Ltr
        && items
            .into_iter()
            .any(|item| line.look(item, false).is_some())
}

/// True if a character may take its direction from what stands around it.
fn is_sign(character: char) -> bool {
    !character.is_alphanumeric()
}

fn is_explicit(class: BidiClass) -> bool {
    use BidiClass::{FSI, LRE, LRI, LRO, PDF, PDI, RLE, RLI, RLO};
    matches!(class, LRE | RLE | LRO | RLO | PDF | LRI | RLI | FSI | PDI)
}

/// A text as browsers order it.
struct BidiLine<'t> {
    text: &'t str,
    source: &'t str,
    from: Direction,
    info: BidiInfo<'t>,
}

impl BidiLine<'_> {
    fn class(&self, at: usize) -> BidiClass {
        self.info
            .original_classes
            .get(at)
            .copied()
            .unwrap_or(BidiClass::ON)
    }

    fn is_rtl(&self, at: usize) -> bool {
        self.info.levels.get(at).is_some_and(Level::is_rtl)
    }

    /// True if a character is a letter of the source's direction.
    fn is_own_letter(&self, at: usize) -> bool {
        match self.from {
            Direction::Ltr => self.class(at) == BidiClass::L,
            Direction::Rtl => matches!(self.class(at), BidiClass::R | BidiClass::AL),
        }
    }

    fn has_own_letter(&self, range: Range<usize>) -> bool {
        range.into_iter().any(|at| self.is_own_letter(at))
    }

    /// True if a character belongs to the language of the text, and to no run of the source.
    fn is_boundary(&self, at: usize, character: char) -> bool {
        use BidiClass::{AL, AN, B, L, R, S};
        // Arabic punctuation has no direction in the algorithm, but a language.
        let is_arabic = matches!(character, '\u{600}'..='\u{6ff}');
        match (self.class(at), self.from) {
            _ if character == OBJECT => true,
            (B | S, _) | (R | AL | AN, Direction::Ltr) | (L, Direction::Rtl) => true,
            (_, Direction::Ltr) => is_arabic,
            (_, Direction::Rtl) => false,
        }
    }

    fn has_boundary(&self, range: Range<usize>) -> bool {
        let mut signs = self.text[range.clone()].char_indices();
        signs.any(|(at, sign)| {
            self.is_boundary(range.start + at, sign) || is_explicit(self.class(range.start + at))
        })
    }

    /// The longest stretches without letters of the other direction.
    fn runs(&self) -> Vec<Range<usize>> {
        let mut runs = Vec::new();
        let mut start = 0;
        for (at, character) in self.text.char_indices() {
            if self.is_boundary(at, character) {
                runs.push(start..at);
                start = at + character.len_utf8();
            }
        }
        runs.push(start..self.text.len());
        runs
    }

    /// The parts of a run that the source has: all of it, or else the items between commas or dashes. A list of numbers reads in the
    /// direction of the text around it, so each number is a part.
    fn parts(&self, run: Range<usize>, is_all: bool, left: &mut usize) -> Vec<Range<usize>> {
        let whole = self.apart(self.trim(run, is_all));
        let has_letter = self.has_own_letter(whole.clone());
        if (self.from == Direction::Rtl && !has_letter)
            || !self.text[whole.clone()].chars().any(is_sign)
        {
            return Vec::new();
        }
        if let Some(halves) = self.around_half_bracket(whole.clone()) {
            return halves
                .into_iter()
                .filter(|half| self.stays(half, left))
                .collect();
        }
        let items = self.split(whole.clone(), is_list_sign);
        if (has_letter || items.len() == 1) && self.stays(&whole, left) {
            return vec![whole];
        }
        let mut parts = Vec::new();
        for item in items {
            if self.stays(&item, left) {
                parts.push(item);
                continue;
            }
            let ends = self.split(item, is_dash);
            parts.extend(ends.into_iter().filter(|end| self.stays(end, left)));
        }
        parts
    }

    /// A run without the punctuation that joins it to a letter of the other direction, as in `X.3.1`.
    fn apart(&self, range: Range<usize>) -> Range<usize> {
        if !self.text[..range.start].ends_with(char::is_alphabetic) {
            return range;
        }
        let part = &self.text[range.clone()];
        range.end - part.trim_start_matches(is_sign).len()..range.end
    }

    /// The parts before and behind a bracket whose other half stands outside: an isolate must not hold half a pair.
    fn around_half_bracket(&self, range: Range<usize>) -> Option<[Range<usize>; 2]> {
        let part = &self.text[range.clone()];
        let at = part.char_indices().find_map(|(at, sign)| {
            let is_half = match (
                bracket(sign),
                ['(', '[', '{']
                    .into_iter()
                    .find(|open| bracket(*open) == Some(sign)),
            ) {
                (Some(close), _) => closes(&part[at..], sign, close).is_none(),
                (None, Some(open)) => {
                    part[..at].matches(open).count() <= part[..at].matches(sign).count()
                }
                (None, None) => false,
            };
            if is_half { Some(at) } else { None }
        })?;
        let before = range.start..range.start + at;
        let behind = range.start + at + 1..range.end;
        Some([self.trim(before, false), self.trim(behind, false)])
    }

    fn stays(&self, range: &Range<usize>, left: &mut usize) -> bool {
        if range.is_empty() || *left == 0 {
            return false;
        }
        *left -= 1;
        self.source.contains(&self.text[range.clone()])
    }

    /// Cuts a range at each such character that white space follows.
    fn split(&self, range: Range<usize>, is_cut: fn(char) -> bool) -> Vec<Range<usize>> {
        let mut items = Vec::new();
        let mut start = range.start;
        let part = &self.text[range.clone()];
        for (at, character) in part.char_indices() {
            let (at, after) = (range.start + at, range.start + at + character.len_utf8());
            let is_apart = self.text[after..range.end].starts_with(char::is_whitespace);
            let is_end = is_cut(character) && is_apart;
            if is_end && !(character == '.' && ends_abbreviation(&self.text[start..after])) {
                items.push(self.trim(start..at, false));
                start = after;
            }
        }
        items.push(self.trim(start..range.end, start == range.start));
        items
    }

    /// Removes the punctuation of the sentence around a run: white space and punctuation at its edges, brackets around it.
    fn trim(&self, mut range: Range<usize>, keeps_signs: bool) -> Range<usize> {
        for _ in 0..MOST_SIGNS {
            let part = &self.text[range.clone()];
            let inner = part.trim();
            let start = range.start + (part.len() - part.trim_start().len());
            range = start..start + inner.len();
            if keeps_signs {
                return range;
            }
            let first = first_kept(inner);
            let last = last_kept(&inner[first..]);
            if first == 0 && last == inner.len() {
                return range;
            }
            range = start + first..start + first + last;
        }
        range
    }

    /// True if browsers would show a range in another order than the source does; `follows` if it comes behind an isolate.
    fn look(&self, range: Range<usize>, follows: bool) -> Option<Disordered> {
        let part = &self.text[range.clone()];
        // A single sign has no order to keep, and browsers do not mirror an isolated `<`, which reverses the
        // comparison.
        part.chars().nth(1)?;
        let level = match self.from {
            Direction::Ltr => Level::ltr(),
            Direction::Rtl => Level::rtl(),
        };
        let own = BidiInfo::new(part, Some(level)).levels;
        let is_turned = |at: usize| {
            own.get(at)
                .is_some_and(|own| own.is_rtl() != self.is_rtl(range.start + at))
        };
        let turned = part
            .char_indices()
            .map(|(at, _)| at)
            .find(|at| is_turned(*at));
        let Some(first) = turned else {
            let needs_letters = follows && !self.has_own_letter(range.clone());
            return needs_letters.then_some(Disordered {
                range,
                only_end: false,
            });
        };
        let is_end = part[first..]
            .char_indices()
            .all(|(at, sign)| is_sign(sign) && is_turned(first + at));
        let only_end = is_end && self.has_own_letter(range.start..range.start + first);
        Some(Disordered { range, only_end })
    }
}

fn is_list_sign(character: char) -> bool {
    matches!(
        character,
        ',' | ';' | ':' | '|' | '·' | '•' | '.' | '!' | '?'
    )
}

fn is_dash(character: char) -> bool {
    matches!(character, '-' | '–' | '—' | '/')
}

fn is_quote(character: char) -> bool {
    matches!(
        character,
        '"' | '\'' | '“' | '”' | '„' | '‘' | '’' | '«' | '»' | '‹' | '›'
    )
}

/// True if a text ends with an abbreviation such as `p.m.`, whose full stop is its own.
fn ends_abbreviation(text: &str) -> bool {
    let word = text.rsplit(char::is_whitespace).next().unwrap_or_default();
    let mut letters = word.strip_suffix('.').unwrap_or_default().split('.');
    let is_letter = |part: &str| part.chars().count() == 1 && part.chars().all(char::is_alphabetic);
    word.matches('.').count() > 1 && letters.all(is_letter)
}

/// Start of a run without the punctuation of the sentence before it.
fn first_kept(run: &str) -> usize {
    let Some(first) = run.chars().next() else {
        return 0;
    };
    let after = &run[first.len_utf8()..];
    let is_of_sentence =
        matches!(first, ',' | ';' | ':' | '!' | '?' | '|' | '·' | '•') || is_quote(first);
    let is_bullet = (is_dash(first) || first == '*')
        && (after.is_empty() || after.starts_with(char::is_whitespace));
    let is_bracket = bracket(first).is_some_and(|close| match closes(run, first, close) {
        Some(at) => at + close.len_utf8() == run.len(),
        None => true,
    });
    let is_closing = matches!(first, ')' | ']' | '}');
    // A sign with a space behind it keeps its side in both directions: `© 2003`.
    let is_apart = matches!(first, '©' | '®' | '§' | '№') && after.starts_with(char::is_whitespace);
    if is_apart || is_of_sentence || is_bullet || is_bracket || is_closing {
        first.len_utf8()
    } else {
        0
    }
}

/// End of a run without the punctuation of the sentence behind it.
fn last_kept(run: &str) -> usize {
    let Some(last) = run.chars().next_back() else {
        return 0;
    };
    let before = &run[..run.len() - last.len_utf8()];
    let is_of_sentence =
        matches!(last, ',' | ';' | ':' | '!' | '?' | '|' | '·' | '•' | '…') || is_quote(last);
    let is_full_stop = last == '.' && !ends_abbreviation(run);
    let is_bullet = is_dash(last) && before.ends_with(char::is_whitespace);
    let is_bracket = ['(', '[', '{'].into_iter().any(|open| {
        let is_open = before.matches(open).count() > before.matches(last).count();
        bracket(open) == Some(last) && !is_open
    });
    let is_opening = bracket(last).is_some();
    if is_of_sentence || is_full_stop || is_bullet || is_bracket || is_opening {
        before.len()
    } else {
        run.len()
    }
}

fn bracket(open: char) -> Option<char> {
    match open {
        '(' => Some(')'),
        '[' => Some(']'),
        '{' => Some('}'),
        _ => None,
    }
}

/// Position of the bracket that closes the first character of a run.
fn closes(run: &str, open: char, close: char) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, character) in run.char_indices() {
        if character == open {
            depth += 1;
        } else if character == close {
            depth = depth.saturating_sub(1);
            if depth == 0 {
                return Some(at);
            }
        }
    }
    None
}
