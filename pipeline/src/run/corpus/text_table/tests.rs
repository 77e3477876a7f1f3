//! Tests of `text_table.rs`.

use super::*;
use crate::model::Locale;
use crate::page::Page;
use crate::state::State;

/// Limits that a handful of texts exceed.
fn few() -> BuildLimits {
    BuildLimits {
        texts_in_memory: 6,
        ..BuildLimits::default()
    }
}

/// The segments of a page.
fn segments(html: &str) -> Vec<Segment> {
    Page::parse(html.as_bytes(), None, &Locale::parse("en").unwrap())
        .segments()
        .collect()
}

#[test]
fn texts_come_back_from_the_disk_as_they_were_taken() {
    let folder = tempfile::tempdir().unwrap();
    let en = Locale::parse("en").unwrap();
    let state = State::open(&folder.path().join("state.redb")).unwrap();
    let mut table = TextTable::beside(&state, few());
    let mut taken = Vec::new();
    for number in 0..200 {
        let path = PagePath::parse(&format!("/{number}")).unwrap();
        let long = format!("word {number} ").repeat(900);
        for segment in segments(&format!(
            "<p>{long} <a href=x>a <b>link</b></a><br></p><img alt='{number}'>"
        )) {
            assert_eq!(
                table.push(segment.key(&en), segment.clone(), &path) as usize,
                taken.len()
            );
            taken.push((path.clone(), segment));
        }
    }
    assert_eq!(table.len(), taken.len());
    for (text, (path, segment)) in table.iter().zip(&taken) {
        assert_eq!(
            (&text.path, &text.segment, text.key),
            (path, segment, segment.key(&en))
        );
    }
    assert!(table.check().is_ok());
}

#[test]
fn what_holds_for_one_place_of_a_text_does_not_harm_the_others() {
    let [plain] = segments("<p>One</p>").try_into().unwrap();
    let [filtered] = segments("<p its-locale-filter-list=de>One</p>")
        .try_into()
        .unwrap();
    let kept = Segment {
        keeps_nodes: true,
        ..plain.clone()
    };
    let path = PagePath::parse("/").unwrap();
    let key = plain.key(&Locale::parse("en").unwrap());
    let of = |first: &Segment, second: &Segment| {
        let mut table = TextTable::beside(&State::in_memory().unwrap(), few());
        let index = table.push(key, first.clone(), &path);
        table.stands_again(index, second);
        (table.get(0).unwrap().segment, table.print(0).is_some())
    };
    assert_eq!(of(&filtered, &filtered), (filtered.clone(), true));
    assert_eq!(of(&filtered, &plain), (plain.clone(), false));
    assert_eq!(of(&plain, &filtered), (plain.clone(), false));
    assert_eq!(of(&plain, &kept), (kept.clone(), true));
    assert_eq!(of(&plain, &plain), (plain.clone(), true));
}

#[test]
fn texts_whose_keys_begin_alike_are_told_apart() {
    let [segment] = segments("<p>One</p>").try_into().unwrap();
    let path = PagePath::parse("/").unwrap();
    let key = |last: u8| {
        SegmentKey::from_bytes(std::array::from_fn(|at| if at == 15 { last } else { 7 }))
    };
    let mut table = TextTable::beside(&State::in_memory().unwrap(), few());
    let mut known = KnownTexts::default();
    for last in 0..3 {
        assert_eq!(known.find(key(last), &table), None);
        let index = table.push(key(last), segment.clone(), &path);
        known.note(key(last), index);
    }
    assert_eq!(
        [0, 1, 2, 3].map(|last| known.find(key(last), &table)),
        [Some(0), Some(1), Some(2), None]
    );
}

#[test]
fn a_row_comes_back_as_it_was() {
    let key = SegmentKey::from_bytes([9; 16]);
    let at = 1 << 40;
    let row = TextRow {
        key,
        at,
        length: 1,
        words: 2,
        print: u32::MAX,
        keeps_nodes: false,
        is_mixed: true,
        has_halves: true,
        varies: false,
        rank: OutlineRank::TITLE,
    };
    let other = TextRow {
        keeps_nodes: true,
        is_mixed: false,
        varies: true,
        rank: OutlineRank::default(),
        ..row
    };
    assert_eq!(
        [row, other].map(|row| TextRow::unpack(&row.pack())),
        [Some(row), Some(other)]
    );
}
