//! Declarations of style sheets that depend on the direction of text.

/// Threshold for a note: fewer physical declarations may be accidental.
pub(crate) const MANY: usize = 5;

/// Physical declarations (left and right), without white space.
const PHYSICAL: [&str; 12] = [
    "float:left",
    "float:right",
    "text-align:left",
    "text-align:right",
    "margin-left:",
    "margin-right:",
    "padding-left:",
    "padding-right:",
    "border-left:",
    "border-right:",
    "clear:left",
    "clear:right",
];

/// Signs that a style sheet supports both directions.
const LOGICAL: [&str; 11] = [
    "float:inline-",
    "text-align:start",
    "text-align:end",
    "margin-inline",
    "padding-inline",
    "border-inline",
    "inset-inline",
    "[dir=rtl]",
    "[dir=\"rtl\"]",
    "[dir='rtl']",
    ":dir(rtl)",
];

/// Values of `letter-spacing` that add no space.
const NO_SPACING: [&str; 6] = ["0", "normal", "inherit", "initial", "unset", "revert"];

/// Direction-dependent declarations of a style sheet; lines count from 1.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct StyleFacts {
    /// Number of physical declarations.
    pub(crate) physical: usize,
    pub(super) first_physical: Option<usize>,
    /// True if the style sheet has declarations for both directions.
    pub(crate) is_logical: bool,
    /// Something is moved out of sight to the left.
    pub(super) offscreen: Option<usize>,
    pub(super) letter_spacing: Option<usize>,
}

/// A style sheet of a site.
#[derive(Debug)]
pub(super) struct StyleSheet {
    pub(super) name: String,
    pub(super) facts: StyleFacts,
}

impl StyleFacts {
    /// Reads a style sheet, or the value of a `style` attribute.
    pub(crate) fn of(css: &str) -> Self {
        let mut facts = Self::default();
        let text = without_comments(css);
        for (line, text) in text.lines().enumerate() {
            let compact: String = text
                .chars()
                .filter(|sign| !sign.is_whitespace())
                .map(|sign| sign.to_ascii_lowercase())
                .collect();
            let here = Some(line + 1);
            let physical: usize = PHYSICAL
                .iter()
                .map(|declaration| compact.matches(declaration).count())
                .sum();
            facts.physical += physical;
            facts.first_physical = facts
                .first_physical
                .or(if physical > 0 { here } else { None });
            facts.is_logical |= LOGICAL.iter().any(|sign| compact.contains(sign));
            facts.offscreen = facts
                .offscreen
                .or(if is_offscreen(&compact) { here } else { None });
            facts.letter_spacing = facts.letter_spacing.or(if has_letter_spacing(&compact) {
                here
            } else {
                None
            });
        }
        if resets_letter_spacing(&text) {
            facts.letter_spacing = None;
        }
        facts
    }
}

/// Removes comments but keeps their line breaks, so that line numbers stay valid.
fn without_comments(css: &str) -> String {
    let mut text = String::with_capacity(css.len());
    let mut rest = css;
    while let Some((before, comment)) = rest.split_once("/*") {
        text.push_str(before);
        let (comment, after) = comment.split_once("*/").unwrap_or((comment, ""));
        text.extend(comment.chars().filter(|sign| *sign == '\n'));
        rest = after;
    }
    text + rest
}

/// True for `left: -9999px` and the like: readers of right-to-left pages can scroll there.
fn is_offscreen(compact: &str) -> bool {
    let is_far = |value: &str, sign: &str| {
        let Some(number) = value.strip_prefix(sign) else {
            return false;
        };
        let digits = number
            .find(|digit: char| !digit.is_ascii_digit())
            .unwrap_or(number.len());
        let (size, unit) = number.split_at(digits);
        let far = if unit.starts_with("px") { 900 } else { 90 };
        let is_length = ["px", "em", "rem", "vw", "%"]
            .iter()
            .any(|known| unit.starts_with(known));
        is_length
            && size
                .parse::<u64>()
                .is_ok_and(|size| size > far && !(unit.starts_with('%') && size <= 100))
    };
    values(compact, "left:").any(|value| is_far(value, "-"))
        || values(compact, "right:").any(|value| is_far(value, ""))
}

fn has_letter_spacing(compact: &str) -> bool {
    values(compact, "letter-spacing:").any(|value| {
        let value = value.split([';', '}', '!']).next().unwrap_or_default();
        let number = value
            .trim_start_matches('-')
            .trim_end_matches(|sign: char| sign.is_ascii_alphabetic() || sign == '%');
        !NO_SPACING.contains(&value) && number.parse::<f64>() != Ok(0.0)
    })
}

/// True if a rule for a language resets the letter spacing.
fn resets_letter_spacing(css: &str) -> bool {
    let rules = css.split('}').filter_map(|rule| rule.rsplit_once('{'));
    let mut of_languages =
        rules.filter(|(selector, _)| selector.contains(":lang(") || selector.contains("[lang"));
    of_languages.any(|(_, declarations)| {
        let compact: String = declarations
            .chars()
            .filter(|sign| !sign.is_whitespace())
            .collect();
        compact.contains("letter-spacing:") && !has_letter_spacing(&compact)
    })
}

/// The style sheet after each occurrence of a property.
fn values<'t>(compact: &'t str, property: &'t str) -> impl Iterator<Item = &'t str> {
    compact
        .match_indices(property)
        .map(|(at, _)| &compact[at + property.len()..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_that_depend_on_the_direction_are_found_r_r4() {
        for (css, offscreen, spacing) in [
            (".skip { left: -9999px }", Some(1), None),
            (
                "/* a\n b */\n.skip { position: absolute;\n LEFT : -999em; }",
                Some(4),
                None,
            ),
            (".skip { margin-left: -1000px }", Some(1), None),
            (".skip { right: 9999px }", Some(1), None),
            (
                ".a { left: -10px; right: 5% } .b { left: -100%; text-indent: -9999px }",
                None,
                None,
            ),
            ("/* left: -9999px */", None, None),
            ("h1 { letter-spacing: .1em }", None, Some(1)),
            (
                "h1 { letter-spacing: .1em }\n:lang(ar) {\n  letter-spacing: 0;\n}",
                None,
                None,
            ),
            (
                "h1 { letter-spacing: 0rem } h2 { letter-spacing: 0ch } h3 { letter-spacing: 0.0em; }",
                None,
                None,
            ),
            (
                "h1 { letter-spacing: 0 } h2 { letter-spacing: normal; } h3{letter-spacing:0px}",
                None,
                None,
            ),
        ] {
            let facts = StyleFacts::of(css);
            assert_eq!(
                (facts.offscreen, facts.letter_spacing),
                (offscreen, spacing),
                "{css}"
            );
        }
        let facts = StyleFacts::of("a { float: left }\nb { MARGIN-LEFT : 1px; text-align: right }");
        assert_eq!(
            (facts.physical, facts.first_physical, facts.is_logical),
            (3, Some(1), false)
        );
        assert!(StyleFacts::of("a { margin-inline-start: 1px }").is_logical);
    }
}
