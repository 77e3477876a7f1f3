//! Typographic marks that engines omit: `¿` and `¡` in Spanish, spaces before signs in French, quotation marks. Amounts take the
//! separators of the language.
//!
//! They apply to engines' output only, and leave text that came back unchanged. Spaces
//! are those of the Imprimerie nationale, and in Canada those of the Office québécois de la langue française; quotation marks are
//! those of CLDR in languages that seldom use the English ones.

use crate::model::{LanguagePair, Locale, Manner};
use crate::page::{CodedText, TextPiece, turned_arrow, turned_arrows};
use crate::text::{numbering, sentences, volatile, with_amounts};

/// A thin space that does not break, as French sets it before `;`, `!` and `?`.
const NARROW: char = '\u{202f}';
/// A space that does not break, as French sets it before `:` and inside of guillemets.
const FIXED: char = '\u{a0}';

/// Names that end with a mark of exclamation, which ends no sentence.
const NAMES: [&str; 4] = ["Yahoo!", "Joomla!", "Kahoot!", "Jeopardy!"];

/// Sets the marks and separators of a language in an engine's answer.
pub(super) fn with_habits(
    source: &CodedText,
    answer: CodedText,
    pair: LanguagePair<&Locale>,
    manner: Manner,
) -> CodedText {
    // An engine that only changes capitals did not translate.
    let is_same = answer.text().to_lowercase() == source.text().to_lowercase();
    if is_same || pair.from.same_language(pair.to) {
        return answer;
    }
    let answer =
        if manner.keeps_dates || !source.text().contains(|sign: char| sign.is_ascii_digit()) {
            answer
        } else {
            answer.map(|text| with_amounts(text, source.text(), pair))
        };
    if manner.keeps_marks {
        answer
    } else {
        with_marks(source, answer, pair)
    }
}

/// Sets the marks of a language.
fn with_marks(source: &CodedText, answer: CodedText, pair: LanguagePair<&Locale>) -> CodedText {
    let answer = match pair.to.language() {
        "es" => with_opening_marks(source.text(), &answer, pair.to),
        "fr" => {
            let is_canadian = pair.to.as_str().ends_with("-CA");
            answer.map(|text| with_spaces(text, is_canadian))
        }
        _ => answer,
    };
    let answer = if pair.to.direction() == pair.from.direction() {
        answer
    } else {
        with_arrows(source, answer)
    };
    with_quotes(answer, pair.to)
}

/// Mirrors arrows at the edges of an answer and alone in an element, if they equal those of the source (R-R4).
fn with_arrows(source: &CodedText, answer: CodedText) -> CodedText {
    let own = |edge: Option<(usize, char)>, of_source: Option<(usize, char)>| {
        let (at, arrow) = edge?;
        if of_source?.1 == arrow {
            turned_arrow(arrow).map(|turned| (at, turned))
        } else {
            None
        }
    };
    let edges = [
        own(first_sign(answer.text()), first_sign(source.text())),
        own(last_sign(answer.text()), last_sign(source.text())),
    ];
    let alone = |piece: TextPiece<'_>| matches!(piece, TextPiece::Text(text) if turned_arrows(text).is_some());
    let mut turned = CodedText::default();
    let mut at = 0;
    for piece in answer.pieces() {
        let TextPiece::Text(text) = piece else {
            turned.push(piece);
            continue;
        };
        let is_own = alone(piece) && source.pieces().any(|other| other == piece);
        let turn = |(byte, sign): (usize, char)| {
            let edge = edges
                .iter()
                .flatten()
                .find(|(edge, _)| *edge == at + byte)
                .map(|(_, turned)| *turned);
            edge.or(turned_arrow(sign).filter(|_| is_own))
                .unwrap_or(sign)
        };
        turned.push_text(&text.char_indices().map(turn).collect::<String>());
        at += text.len();
    }
    turned
}

/// First character of a text that is not white space, with its byte offset.
fn first_sign(text: &str) -> Option<(usize, char)> {
    text.char_indices().find(|(_, sign)| !sign.is_whitespace())
}

fn last_sign(text: &str) -> Option<(usize, char)> {
    text.char_indices()
        .rev()
        .find(|(_, sign)| !sign.is_whitespace() && !matches!(sign, '\u{fe0e}' | '\u{fe0f}'))
}

/// Sets `¿` and `¡` where a sentence of Spanish begins.
fn with_opening_marks(source: &str, answer: &CodedText, to: &Locale) -> CodedText {
    let text = answer.text();
    let marks: Vec<(usize, char)> = sentences(text)
        .into_iter()
        .filter_map(|range| {
            opening_mark(source, &text[range.clone()], to)
                .map(|(at, mark)| (range.start + at, mark))
        })
        .collect();
    if marks.is_empty() {
        answer.clone()
    } else {
        with_inserted(answer, &marks)
    }
}

/// The missing mark and its byte.
fn opening_mark(source: &str, sentence: &str, to: &Locale) -> Option<(usize, char)> {
    let core = sentence.trim_end_matches(|sign: char| sign.is_whitespace() || is_closing(sign));
    let mark = match core.chars().next_back()? {
        '?' if !core.contains('¿') => '¿',
        '!' if !core.contains(['¡', '¿']) => '¡',
        _ => return None,
    };
    let is_name = NAMES.iter().any(|name| core.ends_with(name));
    let number = label(sentence, to);
    let start = number
        + sentence[number..].find(|sign: char| !(sign.is_whitespace() || is_opening(sign)))?;
    let begins_with_word = sentence[start..].starts_with(char::is_alphanumeric);
    let has_word = core.contains(char::is_alphabetic) && source != sentence;
    if !begins_with_word || !has_word || is_name {
        return None;
    }
    Some((start, mark))
}

/// Length in bytes of what stands before a sentence: the number of a section, or a label of one letter such as `Q: `.
fn label(sentence: &str, to: &Locale) -> usize {
    let mut signs = sentence.chars();
    match (signs.next(), signs.next(), signs.next()) {
        (Some(letter), Some(':'), Some(' ')) if letter.is_uppercase() => letter.len_utf8() + 2,
        _ => numbering(sentence, to).unwrap_or_default(),
    }
}

fn is_closing(sign: char) -> bool {
    matches!(sign, '"' | '\'' | '”' | '’' | '»' | ')' | ']' | '…')
}

fn is_opening(sign: char) -> bool {
    matches!(
        sign,
        '"' | '\'' | '“' | '‘' | '«' | '(' | '[' | '-' | '–' | '—' | '•' | '…'
    )
}

/// A text with signs at these bytes of its letters, inside of the codes that stand around the letter behind.
fn with_inserted(text: &CodedText, signs: &[(usize, char)]) -> CodedText {
    let mut signs = signs.iter().copied().peekable();
    let mut changed = CodedText::default();
    let mut at = 0;
    for piece in text.pieces() {
        let TextPiece::Text(words) = piece else {
            changed.push(piece);
            continue;
        };
        let mut done = 0;
        while let Some((place, sign)) = signs.next_if(|(place, _)| *place < at + words.len()) {
            changed.push_text(&words[done..place - at]);
            changed.push_text(sign.encode_utf8(&mut [0; 4]));
            done = place - at;
        }
        changed.push_text(&words[done..]);
        at += words.len();
    }
    changed
}

/// Sets the spaces of French before high signs and inside of guillemets.
fn with_spaces(text: &str, is_canadian: bool) -> String {
    let fixed = volatile(text);
    let mut spaced = String::with_capacity(text.len() + 8);
    for (at, sign) in text.char_indices() {
        let after = &text[at + sign.len_utf8()..];
        let wanted = match sign {
            ':' | '»' => Some(FIXED),
            ';' | '!' | '?' if !is_canadian => Some(NARROW),
            _ => None,
        };
        let is_fixed = fixed.iter().any(|range| range.contains(&at));
        if let Some(space) = wanted.filter(|_| !is_fixed && ends_word(after)) {
            let before = spaced.trim_end_matches([' ', FIXED, NARROW]);
            let word = before
                .rsplit(|sign: char| sign.is_whitespace())
                .next()
                .unwrap_or_default();
            let had_space = before.len() < spaced.len();
            let is_name = NAMES
                .iter()
                .any(|name| name.strip_suffix(sign) == Some(word));
            // `&gt;` is a text about HTML.
            let is_entity = sign == ';' && word.contains('&');
            let takes_space = !is_entity
                && before.ends_with(|last: char| {
                    last.is_alphanumeric() || matches!(last, ')' | ']' | '»' | '"' | '%' | '€')
                });
            // `10:30` and `3:2` are no sentences, and `Yahoo!` is a name.
            let is_free = had_space || !before.ends_with(|last: char| last.is_ascii_digit());
            if takes_space && is_free && !is_name {
                spaced.truncate(before.len());
                spaced.push(space);
            }
        }
        spaced.push(sign);
        if sign == '«' && after.starts_with(|next: char| next.is_alphanumeric()) {
            spaced.push(FIXED);
        }
    }
    spaced.replace("« ", "«\u{a0}")
}

/// True if the sign ends its word.
fn ends_word(after: &str) -> bool {
    !after.starts_with(|next: char| {
        next.is_alphanumeric() || matches!(next, ':' | '/' | '=' | '-' | '!' | '?' | ')')
    })
}

/// The quotation marks of languages that have others than English, from CLDR.
fn quotes(to: &Locale) -> Option<(&'static str, &'static str)> {
    Some(match to.language() {
        "de" | "cs" | "sk" | "bg" | "sl" | "et" | "lt" | "is" | "ka" | "mk" => ("„", "“"),
        "pl" | "hu" | "ro" | "hr" => ("„", "”"),
        "sv" | "fi" => ("”", "”"),
        "fr" => ("«\u{a0}", "\u{a0}»"),
        "ru" | "uk" | "el" | "no" | "nb" | "nn" | "be" => ("«", "»"),
        "ja" => ("「", "」"),
        _ => return None,
    })
}

/// Sets the quotation marks of a language where an engine left those of English.
fn with_quotes(answer: CodedText, to: &Locale) -> CodedText {
    let Some((open, close)) = quotes(to) else {
        return answer;
    };
    let text = answer.text();
    let opened = text.matches('“').count();
    if opened == 0 || opened != text.matches('”').count() || text.contains('„') {
        return answer;
    }
    answer.map(|text| {
        text.replace('”', "\u{0}")
            .replace('“', open)
            .replace('\u{0}', close)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn habits(source: &str, answer: &str, to: &str) -> String {
        let languages = LanguagePair::of_tags("en", to);
        let read = |text: &str| CodedText::from_markup(text).unwrap();
        with_habits(
            &read(source),
            read(answer),
            languages.as_ref(),
            Manner::default(),
        )
        .to_markup()
    }

    #[test]
    fn spanish_questions_and_exclamations_are_opened_r_h1() {
        for (source, answer, expected) in [
            ("How are you?", "Cómo estás?", "¿Cómo estás?"),
            (
                "Welcome! How are you?",
                "Bienvenido! Cómo estás?",
                "¡Bienvenido! ¿Cómo estás?",
            ),
            ("“Really?”", "“De verdad?”", "“¿De verdad?”"),
            (
                "Is it <g id=\"1\">red</g>?",
                "<g id=\"1\">Es roja</g>?",
                "<g id=\"1\">¿Es roja</g>?",
            ),
            (
                "Go. <g id=\"1\">Really?</g>",
                "Ve. <g id=\"1\">De verdad?</g>",
                "Ve. <g id=\"1\">¿De verdad?</g>",
            ),
            (
                "Do you like Barcelona?",
                "Te gusta Barcelona?",
                "¿Te gusta Barcelona?",
            ),
            ("Let's go to Madrid!", "Vamos a Madrid!", "¡Vamos a Madrid!"),
            ("Hungry?", "¿Tienes hambre?", "¿Tienes hambre?"),
            (
                "1.1. What is Debian?",
                "1.1. Qué es Debian?",
                "1.1. ¿Qué es Debian?",
            ),
            ("Q: Is there bread?", "Q: Hay pan?", "Q: ¿Hay pan?"),
            ("But why?", "Pero ¿por qué?", "Pero ¿por qué?"),
            ("We use Joomla!", "Usamos Joomla!", "Usamos Joomla!"),
            ("Why?", "Why?", "Why?"),
            ("?", "??", "??"),
            ("See a.html?x=1", "Véase a.html?x=1", "Véase a.html?x=1"),
        ] {
            assert_eq!(habits(source, answer, "es-MX"), expected, "{source}");
        }
        assert_eq!(habits("How are you?", "Como está?", "pt"), "Como está?");
    }

    #[test]
    fn amounts_take_the_separators_of_the_language_across_codes_r_v3() {
        let coded = "<g id=\"1\">Alza</g> del <g id=\"2\">12.5%</g>!";
        let expected = "<g id=\"1\">¡Alza</g> del <g id=\"2\">12,5\u{a0}%</g>!";
        assert_eq!(
            habits("Up by <g id=\"2\">12.5%</g>!", coded, "es"),
            expected
        );
        let keep = Manner {
            keeps_dates: true,
            keeps_marks: true,
            ..Manner::default()
        };
        let languages = LanguagePair::of_tags("en", "es");
        let read = |text: &str| CodedText::from_markup(text).unwrap();
        let kept = with_habits(
            &read("Up by 12.5%!"),
            read("Alza del 12.5%!"),
            languages.as_ref(),
            keep,
        );
        assert_eq!(kept.text(), "Alza del 12.5%!");
    }

    #[test]
    fn french_sets_spaces_before_high_signs_r_h1() {
        for (source, answer, to, expected) in [
            ("What?", "Quoi ?", "fr", "Quoi\u{202f}?"),
            ("What?", "Quoi?", "fr", "Quoi\u{202f}?"),
            ("Wait!", "Attends!", "fr", "Attends\u{202f}!"),
            ("Note: it", "Note: il", "fr", "Note\u{a0}: il"),
            ("at 10:30", "à 10:30", "fr", "à 10:30"),
            ("at 10:", "à 10:", "fr", "à 10:"),
            (
                "We use Yahoo! now",
                "Nous utilisons Yahoo! ici",
                "fr",
                "Nous utilisons Yahoo! ici",
            ),
            (
                "See https://a.example/?b",
                "Voir https://a.example/?b",
                "fr",
                "Voir https://a.example/?b",
            ),
            ("std::io", "le std::io", "fr", "le std::io"),
            (
                "write &amp;gt; here",
                "écrivez &amp;gt; ici",
                "fr",
                "écrivez &amp;gt; ici",
            ),
            ("What?", "Quoi?", "fr-CA", "Quoi?"),
            ("Note: it", "Note: il", "fr-CA", "Note\u{a0}: il"),
            (
                "say “go”",
                "dites “allez”",
                "fr",
                "dites «\u{a0}allez\u{a0}»",
            ),
            (
                "say “go”",
                "dites « allez »",
                "fr",
                "dites «\u{a0}allez\u{a0}»",
            ),
        ] {
            assert_eq!(habits(source, answer, to), expected, "{answer}");
        }
    }

    #[test]
    fn arrows_at_edges_and_alone_turn_with_the_direction_r_r4() {
        for (source, answer, to, expected) in [
            ("Next →", "التالي →", "ar", "التالي ←"),
            ("← Back", "← חזרה", "he", "→ חזרה"),
            (
                "Next <g id=\"1\">→</g>",
                "التالي <g id=\"1\">→</g>",
                "ar",
                "التالي <g id=\"1\">←</g>",
            ),
            (
                "Go <g id=\"1\">→</g> on",
                "تابع <g id=\"1\">→</g> هنا",
                "ar",
                "تابع <g id=\"1\">←</g> هنا",
            ),
            // The engine turned it, the arrow stands between words, or the direction is the same.
            ("Next →", "التالي ←", "ar", "التالي ←"),
            ("From A → B go", "من A → B اذهب", "ar", "من A → B اذهب"),
            ("Next →", "Siguiente →", "es", "Siguiente →"),
            ("Next »", "التالي »", "ar", "التالي »"),
        ] {
            assert_eq!(habits(source, answer, to), expected, "{answer}");
        }
    }

    #[test]
    fn quotation_marks_are_those_of_the_language_r_h1() {
        for (answer, to, expected) in [
            ("sag “los”", "de", "sag „los“"),
            ("скажи “да”", "ru", "скажи «да»"),
            ("行け“今”", "ja", "行け「今」"),
            ("di “ya”", "es", "di “ya”"),
            ("5“ lang", "de", "5“ lang"),
            ("sag \"los\"", "de", "sag \"los\""),
        ] {
            assert_eq!(habits("say “x”", answer, to), expected, "{answer}");
        }
    }
}
