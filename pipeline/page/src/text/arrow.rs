//! Arrows that mean forward and back, mirrored with the direction of a page (R-R4). Browsers mirror `‹`, `›`, `«` and
//! `»` themselves.

/// Left arrows with the right arrow of each.
const PAIRS: [(char, char); 6] = [
    ('←', '→'),
    ('⇐', '⇒'),
    ('⟵', '⟶'),
    ('⟸', '⟹'),
    ('⬅', '➡'),
    ('🡐', '🡒'),
];

/// The arrow in the other direction.
pub fn turned_arrow(sign: char) -> Option<char> {
    PAIRS.iter().find_map(|&(left, right)| match sign {
        _ if sign == left => Some(right),
        _ if sign == right => Some(left),
        _ => None,
    })
}

/// Mirrors each arrow of a text that consists of arrows.
pub fn turned_arrows(text: &str) -> Option<String> {
    let is_filler = |sign: char| sign.is_whitespace() || sign == '\u{fe0f}' || sign == '\u{fe0e}';
    let has_arrow = text.contains(|sign| turned_arrow(sign).is_some());
    let turned = text
        .chars()
        .map(|sign| turned_arrow(sign).or(Some(sign).filter(|sign| is_filler(*sign))));
    if has_arrow { turned.collect() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrows_alone_turn_r_r4() {
        for (text, expected) in [
            ("→", Some("←")),
            (" ⇐ ", Some(" ⇒ ")),
            ("➡\u{fe0f}", Some("⬅\u{fe0f}")),
            ("»", None),
            ("▶", None),
            ("A →", None),
            ("", None),
        ] {
            assert_eq!(turned_arrows(text).as_deref(), expected, "{text}");
        }
    }
}
