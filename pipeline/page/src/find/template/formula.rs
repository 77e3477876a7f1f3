//! Formulas that a script draws: TeX between `\( \)`, `\[ \]` and `$$`.

use super::expression::{Expression, FARTHER, beginning, position};

/// The formula with which a text begins.
pub(super) fn read(text: &[u8]) -> Option<Expression> {
    let end: &[u8] = match text {
        [b'\\', b'(', ..] => b"\\)",
        [b'\\', b'[', ..] => b"\\]",
        [b'$', b'$', ..] => b"$$",
        _ => return None,
    };
    let close = position(beginning(text, FARTHER), 2, end)?;
    let inside = text[2..close].trim_ascii();
    let is_formula = match end {
        b"$$" => is_tex(inside),
        _ => !inside.is_empty(),
    };
    if is_formula {
        Some(Expression {
            length: close + 2,
            shows: true,
        })
    } else {
        None
    }
}

/// Tells TeX from words between two prices such as `$$`: it has signs of its own, or is a single letter.
fn is_tex(inside: &[u8]) -> bool {
    let has_sign = inside.iter().any(|byte| b"\\^_={}+".contains(byte));
    let is_letter = inside.len() == 1 && inside[0].is_ascii_alphabetic();
    (has_sign || is_letter) && !inside.contains(&b'$')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_told_from_words_r_k4() {
        for (text, expected) in [
            (r"\(x^2\) is", Some(7)),
            (r"\[ \int_a^b f \] is", Some(16)),
            ("$$ E = mc^2 $$ is", Some(14)),
            ("$$x$$", Some(5)),
            ("$$ cheap $$ dear", None),
            ("$$$ - $$", None),
            ("$5 and $6", None),
            (r"\( \)", None),
            (r"\(x", None),
            (r"\server\share", None),
        ] {
            let found = read(text.as_bytes()).map(|expression| expression.length);
            assert_eq!(found, expected, "{text}");
        }
    }
}
