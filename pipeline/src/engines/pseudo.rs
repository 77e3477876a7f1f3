//! Decorates every text so that a site can be tried in a language that nobody has to translate: what is still plain
//! was never found, what is cut off has no room for German, what runs the wrong way ignores direction.
//!
//! Left-to-right targets get accents on every letter, about a third more length and brackets (`⟦Ħéļļö öñé⟧`);
//! right-to-left ones get Arabic letters. Codes and template variables are kept, every other letter changes. Never a
//! translation; the same text always gives the same result.

use async_trait::async_trait;

use super::identity::in_process;
use super::{AskError, Caps, Engine, EngineAnswer, EngineError, EngineRequest};
use crate::model::{Direction, LanguagePair, Locale};
use crate::page::{CodedText, TextPiece};
use crate::text::variables;

/// The engine that decorates.
pub(super) struct Pseudo {
    caps: Caps,
}

/// Accented forms of a to z and A to Z.
const LOWER: [char; 26] = [
    'á', 'ƀ', 'ç', 'ð', 'é', 'ƒ', 'ğ', 'ĥ', 'î', 'ĵ', 'ķ', 'ļ', 'ɱ', 'ñ', 'ö', 'þ', 'ʠ', 'ŕ', 'š',
    'ţ', 'û', 'ṽ', 'ŵ', 'ẋ', 'ý', 'ž',
];
const UPPER: [char; 26] = [
    'Å', 'Ɓ', 'Ç', 'Ð', 'É', 'Ƒ', 'Ğ', 'Ĥ', 'Î', 'Ĵ', 'Ķ', 'Ļ', 'Ṁ', 'Ñ', 'Ö', 'Þ', 'Ǫ', 'Ŕ', 'Š',
    'Ţ', 'Û', 'Ṽ', 'Ŵ', 'Ẋ', 'Ý', 'Ž',
];
/// Arabic letters for a to z, upper case the same.
const ARABIC: [char; 26] = [
    'ا', 'ب', 'چ', 'د', 'ع', 'ف', 'گ', 'ه', 'ي', 'ج', 'ك', 'ل', 'م', 'ن', 'و', 'پ', 'ق', 'ر', 'س',
    'ت', 'ؤ', 'ڤ', 'ث', 'خ', 'ى', 'ز',
];
/// Words that make a text longer: real words wrap as real words do.
const FILLER: [&str; 6] = ["one", "two", "three", "four", "five", "six"];

impl Pseudo {
    pub(super) fn new() -> Self {
        Self { caps: in_process() }
    }
}

#[async_trait]
impl Engine for Pseudo {
    fn caps(&self) -> &Caps {
        &self.caps
    }

    fn fingerprint(&self, _pair: LanguagePair<&Locale>) -> String {
        "pseudo 1".into()
    }

    fn translates(&self) -> bool {
        false
    }

    async fn translate(
        &self,
        request: EngineRequest<'_>,
    ) -> Result<Vec<Result<EngineAnswer, AskError>>, EngineError> {
        let direction = request.pair.to.direction();
        let decorate = |text: &CodedText| EngineAnswer {
            text: decorate(text, direction),
            links: None,
        };
        Ok(request
            .asks
            .iter()
            .map(|ask| Ok(decorate(&ask.text)))
            .collect())
    }
}

fn decorate(text: &CodedText, direction: Direction) -> CodedText {
    let mut decorated = CodedText::plain("⟦");
    for piece in text.pieces() {
        match piece {
            TextPiece::Text(plain) => decorated.push_text(&change(plain, direction)),
            code @ (TextPiece::Open(_) | TextPiece::Close(_) | TextPiece::Single(_)) => {
                decorated.push(code)
            }
        }
    }
    let letters = text
        .text()
        .chars()
        .filter(|character| character.is_alphabetic())
        .count();
    decorated.push_text(&filler(letters, direction));
    decorated.push_text("⟧");
    decorated
}

/// Words of about 35 % of the length, the brackets counted.
fn filler(letters: usize, direction: Direction) -> String {
    let wanted = (letters * 35 / 100).saturating_sub(2);
    let mut words = String::new();
    let mut length = 0;
    for word in FILLER.iter().cycle() {
        if length >= wanted {
            break;
        }
        let word = change(word, direction);
        length += word.chars().count() + 1;
        words.extend([" ", &word]);
    }
    words
}

fn change(text: &str, direction: Direction) -> String {
    let mut changed = String::with_capacity(text.len() * 2);
    let mut at = 0;
    for range in variables(text) {
        text[at..range.start]
            .chars()
            .for_each(|character| change_letter(character, direction, &mut changed));
        changed.push_str(&text[range.clone()]);
        at = range.end;
    }
    text[at..]
        .chars()
        .for_each(|character| change_letter(character, direction, &mut changed));
    changed
}

/// Changes one letter; those of other scripts get a mark above or below them.
fn change_letter(character: char, direction: Direction, out: &mut String) {
    let place =
        |first: char| usize::try_from(u32::from(character) - u32::from(first)).unwrap_or_default();
    match (character, direction) {
        ('a'..='z', Direction::Ltr) => out.push(LOWER[place('a')]),
        ('A'..='Z', Direction::Ltr) => out.push(UPPER[place('A')]),
        ('a'..='z', Direction::Rtl) => out.push(ARABIC[place('a')]),
        ('A'..='Z', Direction::Rtl) => out.push(ARABIC[place('A')]),
        (letter, _) if letter.is_alphabetic() => out.extend([letter, '\u{323}']),
        (other, _) => out.push(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(markup: &str, target: &str, expected: &str) {
        let text = CodedText::from_markup(markup).unwrap();
        let direction = Locale::parse(target).unwrap().direction();
        assert_eq!(
            decorate(&text, direction).to_markup(),
            expected,
            "{markup} to {target}"
        );
    }

    #[test]
    fn texts_are_decorated_and_codes_and_variables_kept_f14() {
        check("Hello", "en-XA", "⟦Ĥéļļö⟧");
        check(
            "Hello, kind <g id=\"1\">world</g>!",
            "en-XA",
            "⟦Ĥéļļö, ķîñð <g id=\"1\">ŵöŕļð</g>! öñé⟧",
        );
        check(
            "<x id=\"1\"/>%s in {name}",
            "de",
            "⟦<x id=\"1\"/>%s îñ {name}⟧",
        );
        check("Hello 42", "ar-XB", "⟦هعللو 42⟧");
        check(
            "Привет, 世界",
            "yi",
            "⟦П\u{323}р\u{323}и\u{323}в\u{323}е\u{323}т\u{323}, 世\u{323}界\u{323}⟧",
        );
        check("a &lt; b", "en-XA", "⟦á &lt; ƀ⟧");
    }

    #[test]
    fn no_letter_stays_and_the_text_grows_by_a_third() {
        let text = "The quick brown fox jumps over the lazy dog, and the SPHINX of black quartz judges his vow.";
        for direction in [Direction::Ltr, Direction::Rtl] {
            let result = decorate(&CodedText::plain(text), direction).into_text();
            assert!(
                !result.contains(|character: char| character.is_ascii_alphabetic()),
                "{result}"
            );
            let grown = result.chars().count() * 100 / text.chars().count();
            assert!((120..=140).contains(&grown), "{grown} %");
        }
    }
}
