//! How a text is written for an engine that does not read all that people write, and its answer for people.
//!
//! The vocabularies of neural networks lack most signs and many letters, and what they lack becomes something else or
//! nothing: typographic quotation marks came back as hyphens, `£20` as "20 euros", `C#` as "C", `Łódź` as "Od". A
//! sentence in capitals is cut into pieces that are in no word, and comes back half translated. So quotation marks and
//! dashes are written plainly and put back; names lose the marks on their letters and get them back; what then cannot
//! be read travels as a marker word; and capitals become small letters on the way.

mod rewriting;

use std::ops::Range;

use deunicode::deunicode_char;

use self::rewriting::Rewriting;
use super::super::atoms::{marker_prefix, markers};
use super::super::{WordLink, overlap};

/// Letters of the shortest text in capitals that is more than an abbreviation or two.
const FEWEST_LETTERS: usize = 6;

/// A text as an engine can read it.
#[derive(Debug)]
pub(super) struct Spelled {
    /// The steps from the text that people wrote to the one to translate.
    steps: Vec<Rewriting>,
    signs: Vec<(Sign, Sent)>,
    names: Vec<(String, String)>,
    kept: Vec<Sent>,
    prefix: &'static str,
    is_in_capitals: bool,
}

impl Spelled {
    /// Writes a text with the characters that can be read.
    pub(super) fn new(text: &str, reads: &dyn Fn(char) -> bool) -> Self {
        let prefix = marker_prefix(text);
        let (readable, names, kept) = readable(text, &|character| reads(character) || is_plain_too(character), prefix);
        let (plain, signs) = plain(&readable.text, reads);
        let small = small(&plain.text);
        let is_in_capitals = small.is_some();
        let steps = [Some(readable), Some(plain), small].into_iter().flatten().collect();
        Self { steps, signs, names, kept, prefix: prefix.unwrap_or_default(), is_in_capitals }
    }

    /// The text to translate.
    pub(super) fn text(&self) -> &str {
        self.steps.last().map_or("", |step| &step.text)
    }

    /// Where a part of the text that people wrote stands in it.
    pub(super) fn sent(&self, range: &Range<usize>) -> Range<usize> {
        self.steps.iter().fold(range.clone(), |at, step| step.after(&at))
    }

    /// The translation as people write it, and its links to the text that they wrote.
    ///
    /// # Errors
    /// A sentence that says what the translation lost, doubled or invented.
    pub(super) fn restore(&self, answer: &str, links: Vec<WordLink>) -> Result<(String, Vec<WordLink>), String> {
        let mut steps: Vec<Rewriting> = self.is_in_capitals.then(|| capitals(answer)).into_iter().collect();
        let text = steps.last().map_or(answer, |step| &step.text);
        let mut edits = Edits::default();
        self.put_kept(text, &mut edits)?;
        self.put_names(text, &mut edits);
        self.put_signs(text, &mut edits);
        let done = Rewriting::new(text, edits.in_order());
        steps.push(done);
        let moved = |link: WordLink| {
            let source = |at: &Range<usize>| self.steps.iter().rev().fold(at.clone(), |at, step| step.before(&at));
            let target = steps.iter().fold(link.target.clone(), |at, step| step.after(&at));
            WordLink { target, sources: link.sources.iter().map(source).collect() }
        };
        let links = links.into_iter().map(moved).filter(|link| !link.target.is_empty()).collect();
        Ok((steps.pop().map_or_else(String::new, |step| step.text), links))
    }

    /// What the marker words of an answer stand for.
    fn put_kept(&self, answer: &str, edits: &mut Edits) -> Result<(), String> {
        if self.kept.is_empty() {
            return Ok(());
        }
        let mut seen = vec![false; self.kept.len()];
        for (range, number) in markers(answer, self.prefix) {
            let index = number.wrapping_sub(1);
            let kept = self.kept.get(index).ok_or_else(|| format!("it invents {:?}", &answer[range.clone()]))?;
            if std::mem::replace(&mut seen[index], true) {
                return Err(format!("it doubles {:?}", kept.written));
            }
            edits.put(kept.within(answer, range), &kept.written);
        }
        match seen.iter().position(|seen| !seen) {
            Some(index) => Err(format!("it loses {:?}", self.kept[index].written)),
            None => Ok(()),
        }
    }

    /// Names that came back without the marks on their letters. What did not come back was translated.
    fn put_names(&self, answer: &str, edits: &mut Edits) {
        for (plain, written) in &self.names {
            let is_whole = |at: &usize| {
                !answer[..*at].ends_with(char::is_alphanumeric)
                    && !answer[at + plain.len()..].starts_with(char::is_alphanumeric)
            };
            let places = answer.match_indices(plain.as_str()).map(|(at, _)| at).filter(is_whole);
            let free = places.map(|at| at..at + plain.len()).find(|range| edits.is_free(range));
            free.into_iter().for_each(|range| edits.put(range, written));
        }
    }

    /// Typographic signs, where an answer has as many of a kind as the text.
    fn put_signs(&self, answer: &str, edits: &mut Edits) {
        let found = signs(answer);
        for sign in Sign::ALL {
            let sent: Vec<&Sent> =
                self.signs.iter().filter(|(other, _)| *other == sign).map(|(_, sent)| sent).collect();
            let places = found.iter().filter(|(other, _)| *other == sign).map(|(_, range)| range.clone());
            let places: Vec<Range<usize>> = places.collect();
            let sent: Vec<&Sent> = match sent.first() {
                // Each language has its own; all are written in the manner of the text, if it has but one.
                Some(first) if sign == Sign::Apostrophe && sent.iter().all(|sent| sent.written == first.written) => {
                    vec![*first; places.len()]
                }
                _ if sent.len() == places.len() => sent,
                _ => continue,
            };
            for (range, sent) in places.into_iter().zip(sent).filter(|(_, sent)| !sent.is_same) {
                edits.put(sent.within(answer, range), &sent.written);
            }
        }
    }
}

/// Replacements in an answer, apart from each other.
#[derive(Debug, Default)]
struct Edits(Vec<(Range<usize>, String)>);

impl Edits {
    fn is_free(&self, range: &Range<usize>) -> bool {
        !self.0.iter().any(|(other, _)| overlap(other, range))
    }

    /// Puts something in the place of what is free of a part.
    fn put(&mut self, mut range: Range<usize>, written: &str) {
        for (other, _) in self.0.iter().filter(|(other, _)| overlap(other, &range)).cloned().collect::<Vec<_>>() {
            match other.start <= range.start {
                true => range.start = other.end,
                false => range.end = other.start,
            }
        }
        if range.start < range.end {
            self.0.push((range, written.to_owned()));
        }
    }

    fn in_order(mut self) -> Vec<(Range<usize>, String)> {
        self.0.sort_by_key(|(range, _)| (range.start, range.end));
        self.0
    }
}

/// What an answer should have in the place of what was sent for it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Sent {
    written: String,
    /// Whether it was sent as it was written.
    is_same: bool,
    /// Whether spaces were put beside it that the text does not have.
    is_glued: (bool, bool),
}

impl Sent {
    /// The part of an answer that is to be replaced: without the spaces that were put there.
    fn within(&self, answer: &str, range: Range<usize>) -> Range<usize> {
        let start = if self.is_glued.0 { answer[..range.start].trim_end_matches(' ').len() } else { range.start };
        let after = &answer[range.end..];
        let spaces = if self.is_glued.1 { after.len() - after.trim_start_matches(' ').len() } else { 0 };
        start..range.end + spaces
    }
}

/// The kinds of signs of which there are plain and typographic ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sign {
    /// Double, or a pair of single ones, which are sent as double ones: engines take plain single ones for apostrophes.
    Quote,
    Apostrophe,
    Dash,
    /// A dash before a number, as in `10–20`.
    Range,
    Ellipsis,
}

impl Sign {
    const ALL: [Self; 5] = [Self::Quote, Self::Apostrophe, Self::Dash, Self::Range, Self::Ellipsis];

    fn plain(self) -> &'static str {
        match self {
            Self::Quote => "\"",
            Self::Apostrophe => "'",
            Self::Dash | Self::Range => "-",
            Self::Ellipsis => "...",
        }
    }
}

/// The signs of a text, plain and typographic, in order.
fn signs(text: &str) -> Vec<(Sign, Range<usize>)> {
    let mut found: Vec<(Sign, Range<usize>)> = Vec::new();
    let mut opened: Option<(usize, char)> = None;
    for (at, character) in text.char_indices() {
        let after_it = at + character.len_utf8();
        let (before, after) = (text[..at].chars().next_back(), text[after_it..].chars().next());
        let is = |side: Option<char>, is: fn(char) -> bool| side.is_some_and(is);
        let is_apart = |side: Option<char>| side.is_none_or(char::is_whitespace);
        let is_inside = is(before, char::is_alphanumeric) && is(after, char::is_alphabetic);
        let sign = match character {
            '"' | '“' | '”' | '„' | '‟' | '«' | '»' | '‹' | '›' => Sign::Quote,
            '’' | '‘' if !is_inside && opened.is_some_and(|(_, first)| first == '‚' || character == '’') => {
                if let Some((index, _)) = opened.take() {
                    found[index].0 = Sign::Quote;
                }
                Sign::Quote
            }
            '‘' | '‛' | '‚' if !is_inside => {
                opened = Some((found.len(), character));
                Sign::Apostrophe
            }
            '\'' | '’' | '‘' | '‛' | '‚' => Sign::Apostrophe,
            '-' | '–' | '—' | '―' if is(after, |next| next.is_ascii_digit()) => Sign::Range,
            '-' if is_apart(before) && is_apart(after) => Sign::Dash,
            '–' | '—' | '―' => Sign::Dash,
            '…' => Sign::Ellipsis,
            '.' if text[at..].starts_with("...") && found.last().is_none_or(|(_, last)| last.end <= at) => {
                found.push((Sign::Ellipsis, at..at + 3));
                continue;
            }
            _ => continue,
        };
        found.push((sign, at..after_it));
    }
    found
}

/// What is sent instead of spaces and hyphens that are hard to tell from plain ones, and of what nobody sees.
fn instead_of(character: char) -> Option<&'static str> {
    match character {
        '\u{2010}' | '\u{2011}' => Some("-"),
        '\u{ad}' | '\u{200b}' | '\u{2060}' | '\u{feff}' => Some(""),
        space if space.is_whitespace() && !space.is_ascii() => Some(" "),
        _ => None,
    }
}

/// Whether there is a plain form of a character that is not a letter.
fn is_plain_too(character: char) -> bool {
    instead_of(character).is_some() || "“”„‟«»‘’‚‛‹›–—―…".contains(character)
}

/// Writes signs plainly, and takes out what nobody sees.
fn plain(text: &str, reads: &dyn Fn(char) -> bool) -> (Rewriting, Vec<(Sign, Sent)>) {
    let hidden = text.char_indices().filter(|(_, character)| !reads(*character));
    let mut edits: Vec<(Range<usize>, String)> = hidden
        .filter_map(|(at, character)| Some((at..at + character.len_utf8(), instead_of(character)?.to_owned())))
        .collect();
    let mut sent = Vec::new();
    for (sign, mut range) in signs(text) {
        let (before, after) = (&text[..range.start], &text[range.end..]);
        // The space inside of guillemets belongs to them.
        match &text[range.clone()] {
            "«" | "‹" if after.trim_start().starts_with(char::is_alphanumeric) => {
                range.end += after.len() - after.trim_start().len();
            }
            "»" | "›" if before.trim_end().ends_with(char::is_alphanumeric) => {
                range.start = before.trim_end().len();
            }
            _ => {}
        }
        let written = &text[range.clone()];
        let is_same = written.chars().all(reads);
        let is_joined = |side: Option<char>| sign == Sign::Dash && !is_same && side.is_some_and(|c| !c.is_whitespace());
        let is_glued = (is_joined(before.chars().next_back()), is_joined(after.chars().next()));
        if !is_same {
            let space = |is_glued: bool| if is_glued { " " } else { "" };
            let replacement = [space(is_glued.0), sign.plain(), space(is_glued.1)].concat();
            edits.retain(|(other, _)| !overlap(other, &range));
            edits.push((range.clone(), replacement));
        }
        sent.push((sign, Sent { written: written.to_owned(), is_same, is_glued }));
    }
    edits.sort_by_key(|(range, _)| (range.start, range.end));
    (Rewriting::new(text, edits), sent)
}

/// Writes what cannot be read in letters that can, or as a marker word.
fn readable(
    text: &str,
    reads: &dyn Fn(char) -> bool,
    prefix: Option<&str>,
) -> (Rewriting, Vec<(String, String)>, Vec<Sent>) {
    let (mut edits, mut kept) = (Vec::new(), Vec::new());
    let mut names: Vec<(String, String)> = Vec::new();
    let mut end = 0;
    for (at, character) in text.char_indices() {
        if at < end || character.is_whitespace() || reads(character) {
            continue;
        }
        let range = unreadable(text, end, at, reads);
        end = range.end;
        let written = text[range.clone()].to_owned();
        // Of two words that would look the same, it could not be told which is which.
        let is_taken = |plain: &String| {
            text.contains(plain.as_str()) || names.iter().any(|(other, name)| other == plain && *name != written)
        };
        if let Some(plain) = without_marks(&written, reads).filter(|plain| !is_taken(plain)) {
            names.push((plain.clone(), written));
            edits.push((range, plain));
        } else if let Some(prefix) = prefix {
            let is_glued = (
                text[..range.start].ends_with(|c: char| c.is_alphanumeric() || c == '\''),
                text[range.end..].starts_with(char::is_alphanumeric),
            );
            let space = |is_glued: bool| if is_glued { " " } else { "" };
            edits.push((range, format!("{}{prefix}{}{}", space(is_glued.0), kept.len() + 1, space(is_glued.1))));
            kept.push(Sent { written, is_same: false, is_glued });
        }
    }
    (Rewriting::new(text, edits), names, kept)
}

/// The part of a text, from a place on, that cannot be sent because of the character at another: a word; of a sign, all
/// signs beside it, and the numbers and the single letters that it belongs to.
fn unreadable(text: &str, from: usize, at: usize, reads: &dyn Fn(char) -> bool) -> Range<usize> {
    let is_digit = |character: char| character.is_ascii_digit();
    let is_part = |(at, character): &(usize, char)| {
        let is_in_number = || text[..*at].ends_with(is_digit) && text[at + 1..].starts_with(is_digit);
        character.is_alphanumeric() || is_mark(*character) || (matches!(character, '.' | ',') && is_in_number())
    };
    let start_of_part = |end: usize| {
        let part = text[..end].char_indices().rev().take_while(|(at, _)| *at >= from).take_while(is_part);
        part.last().map_or(end, |(start, _)| start)
    };
    let end_of_part = |start: usize| {
        let mut rest = text[start..].char_indices().map(|(at, character)| (start + at, character));
        rest.find(|place| !is_part(place)).map_or(text.len(), |(end, _)| end)
    };
    if text[at..].starts_with(|character: char| character.is_alphanumeric() || is_mark(character)) {
        return start_of_part(at)..end_of_part(at);
    }
    let belongs = |part: &str| part.chars().count() <= 2 || part.contains(is_digit);
    let is_sign = |character: char| !character.is_whitespace() && !character.is_alphanumeric() && !reads(character);
    let start = Some(start_of_part(at)).filter(|&start| belongs(&text[start..at])).unwrap_or(at);
    let mut end = at;
    while text[end..].starts_with(is_sign) {
        end = text[end..].find(|character| !is_sign(character)).map_or(text.len(), |length| end + length);
        end = Some(end_of_part(end)).filter(|&next| belongs(&text[end..next])).unwrap_or(end);
    }
    start..end
}

/// A word in letters that can be read, which are those of it without what stands above, below or through them.
fn without_marks(word: &str, reads: &dyn Fn(char) -> bool) -> Option<String> {
    let plain = |letter: char| match letter {
        ascii if ascii.is_ascii() && reads(ascii) => Some(ascii.to_string()),
        mark if is_mark(mark) => Some(String::new()),
        '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' if letter.is_alphabetic() => {
            deunicode_char(letter).map(str::to_owned).filter(|plain| plain.chars().all(reads))
        }
        _ => None,
    };
    word.chars().all(|letter| letter.is_alphabetic() || is_mark(letter)).then(|| word.chars().map(plain).collect())?
}

/// Accents and the like that follow their letter.
fn is_mark(character: char) -> bool {
    matches!(character, '\u{300}'..='\u{36f}')
}

/// A text of nothing but capitals in small letters, but for the first. Words with digits stay.
fn small(text: &str) -> Option<Rewriting> {
    let mut edits: Vec<(Range<usize>, String)> = Vec::new();
    let mut letters = 0;
    for word in words(text) {
        let written = &text[word.clone()];
        if !written.chars().all(char::is_uppercase) {
            return None;
        }
        let first = if edits.is_empty() { written.chars().next().map_or(0, char::len_utf8) } else { 0 };
        let count = written.chars().count();
        if count > 1 {
            letters += count;
            edits.push((word.clone(), written[..first].to_owned() + &written[first..].to_lowercase()));
        }
    }
    (edits.len() > 1 && letters >= FEWEST_LETTERS).then(|| Rewriting::new(text, edits))
}

/// A text in capitals.
fn capitals(text: &str) -> Rewriting {
    Rewriting::new(text, words(text).into_iter().map(|word| (word.clone(), text[word].to_uppercase())))
}

/// The runs of letters in words without digits.
fn words(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for token in text.split_whitespace().filter(|token| !token.contains(|c: char| c.is_ascii_digit())) {
        let start = token.as_ptr() as usize - text.as_ptr() as usize;
        for run in token.split(|c: char| !c.is_alphabetic()).filter(|run| !run.is_empty()) {
            let at = start + (run.as_ptr() as usize - token.as_ptr() as usize);
            found.push(at..at + run.len());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What a network from English to Portuguese reads.
    fn reads(character: char) -> bool {
        (character.is_ascii() && !"#<@\\^`{}~".contains(character)) || "áàâãéêíóôõúç".contains(character)
    }

    fn spelled(text: &str) -> Spelled {
        Spelled::new(text, &reads)
    }

    #[test]
    fn texts_are_sent_as_the_network_reads_them_and_come_back_as_people_write() {
        for (text, sent, answer, expected) in [
            (
                "Press “Save” – now…",
                "Press \"Save\" - now...",
                "Prima \"Salvar\" - agora...",
                "Prima “Salvar” – agora…",
            ),
            ("It’s his", "It's his", "d'água", "d’água"),
            ("users’ ‘x’ isn’t", "users' \"x\" isn't", "\"x\" d'os", "‘x’ d’os"),
            ("a ‘b’ c", "a \"b\" c", "\"b\" a c", "‘b’ a c"),
            ("« Oui »", "\"Oui\"", "\"Yes\"", "« Yes »"),
            ("word—word", "word - word", "palavra - palavra", "palavra—palavra"),
            ("pages 10–20 of x", "pages 10-20 of x", "x 10-20", "x 10–20"),
            ("say \"yes\" to “no”", "say \"yes\" to \"no\"", "\"sim\" \"não\"", "\"sim\" “não”"),
            // Not as many: they stay plain.
            ("“a” and “b”", "\"a\" and \"b\"", "\"a e b\"", "\"a e b\""),
            ("Müller lives in Łódź", "Muller lives in Lodz", "Muller vive em Lodz", "Müller vive em Łódź"),
            ("in Zürich", "in Zurich", "em Zurique", "em Zurique"),
            ("so naïve", "so naive", "tão ingênuo", "tão ingênuo"),
            ("café Žižek's", "café Zizek's", "Zizek do café", "Žižek do café"),
            ("It costs £20.", "It costs XC1.", "Custa XC1.", "Custa £20."),
            (
                "C# and F#, not #1 or x^2",
                "XC1 and XC2, not XC3 or XC4",
                "XC1 e XC2, não XC3 ou XC4",
                "C# e F#, não #1 ou x^2",
            ),
            ("a trademark™ of us", "a trademark XC1 of us", "uma marca XC1 nossa", "uma marca™ nossa"),
            ("±1,234.56£ off", "XC1 off", "desconto de XC1", "desconto de ±1,234.56£"),
            ("see 東京 and XC1", "see XQ1 and XC1", "XQ1 e XC1", "東京 e XC1"),
            ("soft\u{ad}ly non\u{2011}stop a\u{a0}b", "softly non-stop a b", "x", "x"),
            ("ALL RIGHTS RESERVED", "All rights reserved", "Todos os direitos", "TODOS OS DIREITOS"),
            ("HOW TO ADD A £20 “MP3”", "How to add A XC1 \"MP3\"", "Como \"MP3\" de XC1", "COMO “MP3” DE £20"),
            ("NASA", "NASA", "NASA", "NASA"),
            ("USB HD", "USB HD", "HD USB", "HD USB"),
            ("A Test OF CAPITALS", "A Test OF CAPITALS", "x", "x"),
        ] {
            let spelled = spelled(text);
            assert_eq!(spelled.text(), sent, "{text}");
            assert_eq!(spelled.restore(answer, Vec::new()).unwrap().0, expected, "{text}");
        }
    }

    #[test]
    fn a_lost_or_doubled_word_is_an_error() {
        let spelled = spelled("It costs £20 or €20.");
        assert_eq!(spelled.text(), "It costs XC1 or XC2.");
        for (answer, problem) in [
            ("Custa XC1.", "it loses \"€20\""),
            ("XC1 XC2 XC2", "it doubles \"€20\""),
            ("XC1 XC2 XC3", "it invents \"XC3\""),
            ("XC1 XC2 XC", "it invents \"XC\""),
        ] {
            assert_eq!(spelled.restore(answer, Vec::new()).unwrap_err(), problem, "{answer}");
        }
    }

    #[test]
    fn links_lead_from_what_people_read_to_what_they_wrote() {
        let text = "OPEN “ŁÓDŹ” FOR £20";
        let spelled = spelled(text);
        assert_eq!(spelled.text(), "Open \"lodz\" for XC1");
        let answer = "XC1: abra \"Lodz\"";
        let link = |target: &str, source: &str| {
            let at = |text: &str, part: &str| text.find(part).map(|at| at..at + part.len()).unwrap();
            WordLink { target: at(answer, target), sources: std::iter::once(at(spelled.text(), source)).collect() }
        };
        let links = vec![link("XC1", "XC1"), link("Lodz", "lodz"), link("abra", "Open")];
        let (restored, links) = spelled.restore(answer, links).unwrap();
        assert_eq!(restored, "£20: ABRA “ŁÓDŹ”");
        let found: Vec<_> =
            links.iter().map(|link| (&restored[link.target.clone()], &text[link.sources[0].clone()])).collect();
        assert_eq!(found, [("£20", "£20"), ("ŁÓDŹ", "ŁÓDŹ"), ("ABRA", "OPEN")]);
    }

    proptest! {
        /// Whoever changes nothing gets everything back.
        #[test]
        fn what_comes_back_unchanged_is_the_text(text in "([a-zA-Z0-9£©#ł“”«»—…’ÖŻ東^<,;()]{1,6} ){1,6}[A-Z]{0,3}") {
            let spelled = spelled(&text);
            prop_assert!(spelled.text().chars().all(reads), "{:?}", spelled.text());
            let (restored, _) = spelled.restore(spelled.text(), Vec::new()).unwrap();
            prop_assert_eq!(restored, text);
        }
    }
}
