//! Tells simplified from traditional Chinese by common characters that only one of them has.

/// Common characters: simplified, and the same traditional.
const PAIRS: [(char, char); 40] = [
    ('这', '這'),
    ('们', '們'),
    ('个', '個'),
    ('来', '來'),
    ('时', '時'),
    ('会', '會'),
    ('说', '說'),
    ('国', '國'),
    ('为', '為'),
    ('对', '對'),
    ('发', '發'),
    ('过', '過'),
    ('还', '還'),
    ('见', '見'),
    ('开', '開'),
    ('门', '門'),
    ('问', '問'),
    ('间', '間'),
    ('长', '長'),
    ('书', '書'),
    ('读', '讀'),
    ('写', '寫'),
    ('请', '請'),
    ('让', '讓'),
    ('页', '頁'),
    ('听', '聽'),
    ('红', '紅'),
    ('网', '網'),
    ('买', '買'),
    ('卖', '賣'),
    ('东', '東'),
    ('车', '車'),
    ('马', '馬'),
    ('鱼', '魚'),
    ('给', '給'),
    ('经', '經'),
    ('点', '點'),
    ('当', '當'),
    ('两', '兩'),
    ('无', '無'),
];

/// The two ways to write Chinese.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Han {
    /// As in mainland China.
    Simplified,
    /// As in Taiwan and Hong Kong.
    Traditional,
}

/// The way in which a text is written; `None` if it has no such character, or as many of both.
pub(crate) fn han_in(text: &str) -> Option<Han> {
    let mut simplified = 0;
    let mut traditional = 0;
    for character in text.chars() {
        simplified += usize::from(PAIRS.iter().any(|(known, _)| *known == character));
        traditional += usize::from(PAIRS.iter().any(|(_, known)| *known == character));
    }
    match simplified.cmp(&traditional) {
        std::cmp::Ordering::Greater => Some(Han::Simplified),
        std::cmp::Ordering::Less => Some(Han::Traditional),
        std::cmp::Ordering::Equal => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn simplified_and_traditional_chinese_are_told_apart() {
        for (text, expected) in [
            ("我们早上九点开门。", Some(Han::Simplified)),
            ("我們早上九點開門。", Some(Han::Traditional)),
            ("请在写信给我们之前阅读此页面。", Some(Han::Simplified)),
            ("請在寫信給我們之前閱讀此頁面。", Some(Han::Traditional)),
            ("房子是红色的。", Some(Han::Simplified)),
            ("房子是紅色的。", Some(Han::Traditional)),
            ("中文", None),
            ("The house is red.", None),
        ] {
            assert_eq!(han_in(text), expected, "{text}");
        }
    }
}
