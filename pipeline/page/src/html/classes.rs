//! Meanings of classes and names of elements, as tables: code of documentation generators, formulas, icon
//! fonts, white space that is kept.
//!
//! The classes of generators are those of real output: Sphinx with Furo, Doxygen 1.9, Javadoc 8 to 21, rustdoc, TypeDoc 0.20
//! to 0.28. A class that other sites use for something else counts only where more speaks for it.

use Meaning::{Code, CodeSpan, Formula, Fragment, Icon, Item, Ligature, Preserve, Prose, Refuse};

/// The meaning of a class or of an element's name for the element's content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// It is not translated.
    Refuse,
    /// It is code, and so are the attributes in it (R-K1).
    Code,
    /// It is code in an `<a>` or `<span>`.
    CodeSpan,
    /// It is code if lines of code stand in it.
    Fragment,
    /// It is the name of something if its title says what kind of thing that is.
    Item,
    /// It belongs to readers, inside code, too.
    Prose,
    /// Its text is the name of an icon (R-K3).
    Icon,
    /// The same, if its text looks like one.
    Ligature,
    /// It is a formula (R-K4).
    Formula,
    /// White space counts (R-W5), or collapses again.
    Preserve(bool),
}

/// The classes that mean something, sorted.
static CLASSES: [(&str, Meaning); 77] = [
    ("code-header", Code),
    ("constant", Item),
    ("derive", Item),
    ("descclassname", Code),
    ("descname", Code),
    ("enum", Item),
    ("fa", Ligature),
    ("fa-brands", Ligature),
    ("fa-regular", Ligature),
    ("fa-solid", Ligature),
    ("fab", Ligature),
    ("fal", Ligature),
    ("far", Ligature),
    ("fas", Ligature),
    ("fn", Item),
    ("fnname", Code),
    ("fragment", Fragment),
    ("google-symbols", Icon),
    ("headerlink", Prose),
    ("katex", Formula),
    ("keyword", Item),
    ("lsf", Ligature),
    ("lsf-icon", Ligature),
    ("macro", Item),
    ("memItemLeft", Code),
    ("memItemRight", Code),
    ("memTemplItemLeft", Code),
    ("memTemplItemRight", Code),
    ("memTemplParams", Code),
    ("member-name-link", Code),
    ("member-signature", Code),
    ("memberNameLink", Code),
    ("memberSignature", Code),
    ("memname", Code),
    ("memproto", Code),
    ("memtemplate", Code),
    ("memtitle", Code),
    ("methodSignature", Code),
    ("mjx-chtml", Formula),
    ("mod", Item),
    ("module-signature", Code),
    ("notranslate", Refuse),
    ("package-signature", Code),
    ("packageSignature", Code),
    ("paramdir", Code),
    ("paramkey", Code),
    ("paramname", Code),
    ("paramtype", Code),
    ("pre", CodeSpan),
    ("primitive", Item),
    ("sig-inline", Code),
    ("sig-name", Code),
    ("sig-object", Code),
    ("sig-param", Code),
    ("sig-paren", Code),
    ("sig-prename", Code),
    ("sig-return", Code),
    ("sig-return-icon", Code),
    ("sig-return-typehint", Code),
    ("static", Item),
    ("struct", Item),
    ("trait", Item),
    ("traitalias", Item),
    ("tsd-anchor-icon", Prose),
    ("tsd-index-link", Code),
    ("tsd-member-summary-name", Code),
    ("tsd-signature", Code),
    ("tsd-signature-keyword", Code),
    ("tsd-signature-symbol", Code),
    ("tsd-signature-type", Code),
    ("type", Item),
    ("type-name-label", Code),
    ("type-name-link", Code),
    ("type-signature", Code),
    ("typeNameLabel", Code),
    ("typeNameLink", Code),
    ("union", Item),
];

/// The same for classes that begin so.
const BEGINNINGS: [(&str, Meaning); 6] = [
    ("MathJax", Formula),
    ("material-icons", Icon),
    ("material-symbols-", Icon),
    ("mjx-", Formula),
    ("mwe-math-", Formula),
    ("tsd-kind-", CodeSpan),
];

/// The meaning of a class.
pub(crate) fn of_class(class: &[u8]) -> Option<Meaning> {
    let first = *class.first()?;
    let letter = usize::from(first.wrapping_sub(b'a'));
    if let (Some(start), Some(end)) = (FIRST.get(letter), FIRST.get(letter + 1)) {
        let group = &CLASSES[usize::from(*start)..usize::from(*end)];
        if let Some((_, meaning)) = group.iter().find(|(name, _)| name.as_bytes() == class) {
            return Some(*meaning);
        }
    }
    if matches!(first, b'M' | b'm' | b't') {
        let begins = |(start, _): &&(&str, Meaning)| class.starts_with(start.as_bytes());
        if let Some((_, meaning)) = BEGINNINGS.iter().find(begins) {
            return Some(*meaning);
        }
    }
    if class.len() < SHORTEST_UTILITY {
        None
    } else {
        of_utility(class)
    }
}

/// The first class in [`CLASSES`] for each letter.
static FIRST: [u8; 27] = first_of_each_letter();

#[expect(
    clippy::cast_possible_truncation,
    reason = "there are fewer than 256 classes"
)]
const fn first_of_each_letter() -> [u8; 27] {
    let mut first = [0; 27];
    let mut letter = 0;
    let mut at = 0;
    while letter < 27 {
        while at < CLASSES.len() && CLASSES[at].0.as_bytes()[0] < b'a' + letter as u8 {
            at += 1;
        }
        first[letter] = at as u8;
        letter += 1;
    }
    first
}

/// The bytes of the shortest class of [`of_utility`].
const SHORTEST_UTILITY: usize = "whitespace-pre".len();

/// Tailwind's classes for white space, with or without a condition such as `md:`.
fn of_utility(class: &[u8]) -> Option<Meaning> {
    let bare = class.rsplit(|byte| *byte == b':').next()?;
    match bare.strip_prefix(b"whitespace-")? {
        b"normal" | b"nowrap" => Some(Preserve(false)),
        b"break-spaces" => Some(Preserve(true)),
        space if space.starts_with(b"pre") => Some(Preserve(true)),
        _ => None,
    }
}

/// The meaning of an element's name that HTML does not know.
pub(crate) fn of_element(name: &str) -> Option<Meaning> {
    match name {
        "mat-icon" | "md-icon" | "mwc-icon" | "v-icon" => Some(Icon),
        _ if name.starts_with("mjx-") => Some(Formula),
        _ => None,
    }
}

/// The meaning of a value of the property `white-space`.
pub(crate) fn of_white_space(value: &str) -> Option<Meaning> {
    let value = value.trim_start().to_ascii_lowercase();
    if value.starts_with("pre") || value.starts_with("break-spaces") {
        return Some(Preserve(true));
    }
    let collapses = ["normal", "nowrap", "initial", "collapse"]
        .iter()
        .any(|word| value.starts_with(word));
    if collapses {
        Some(Preserve(false))
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted() {
        assert!(CLASSES.is_sorted_by_key(|(name, _)| *name));
        assert!(
            CLASSES
                .iter()
                .all(|(name, meaning)| of_class(name.as_bytes()) == Some(*meaning))
        );
    }

    #[test]
    fn beginnings_and_utilities_are_known_and_their_neighbours_are_not() {
        for (class, expected) in [
            ("material-icons-outlined", Some(Icon)),
            ("material-symbols-rounded", Some(Icon)),
            ("material", None),
            ("mwe-math-element", Some(Formula)),
            ("whitespace-pre-line", Some(Preserve(true))),
            ("md:whitespace-pre", Some(Preserve(true))),
            ("whitespace-nowrap", Some(Preserve(false))),
            ("whitespace", None),
            ("sig", None),
            ("tsd-panel", None),
            ("", None),
        ] {
            assert_eq!(of_class(class.as_bytes()), expected, "{class}");
        }
    }
}
