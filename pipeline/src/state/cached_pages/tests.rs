//! Rows of cached pages, and the environment that they belong to.

use super::*;
use crate::state::{MixedText, Remark};
use crate::translate::{Check, Checks};

fn page(number: u32) -> CachedPage {
    let words = CachedWords {
        person: 1,
        memory: 2,
        untouched: 3,
        to_review: 4,
        print: number,
        key: [5; 32],
    };
    let facts = CachedFacts {
        policies: vec!["script-src 'none'".to_owned()],
        forwards: true,
        left: Some("too deep".to_owned()),
        hosts: vec!["example.com".to_owned()],
        ..CachedFacts::default()
    };
    CachedPage {
        source: [6; 32],
        words: ["es", "ar"]
            .map(|tag| (Locale::parse(tag).unwrap(), words))
            .into(),
        names: [NameClue {
            name: "Heron".into(),
            places: 3,
            inside: 258,
            lower: 1,
        }]
        .into(),
        facts: (number != 2).then(|| Box::new(facts)),
    }
}

fn locales(count: u64) -> Vec<CachedLocale> {
    let locale = Locale::parse("es").unwrap();
    vec![CachedLocale {
        counts: [(Check::Ending, count)].into(),
        ..CachedLocale::of(locale)
    }]
}

fn texts(number: u8) -> [CachedText; 3] {
    [0, 1, 2].map(|at| CachedText {
        key: SegmentKey::from_bytes([number + at; 16]),
        print: u32::from(number),
    })
}

#[test]
fn a_row_that_is_cut_off_or_of_another_form_is_no_row() {
    let row = page(1).write().ok().unwrap();
    let read = |row: &[u8]| CachedPage::read(row, &mut BTreeSet::new());
    assert_eq!(read(&row), Some(page(1)));
    // Without facts a row is whole, too.
    let whole = CachedPage {
        facts: None,
        ..page(1)
    };
    let cut = (0..row.len())
        .filter_map(|end| Some((end, read(&row[..end])?)))
        .collect::<Vec<_>>();
    assert_eq!(cut, [(whole.write().ok().unwrap().len(), whole)]);
    let mut other = row;
    other[0] = FORM + 1;
    assert_eq!(read(&other), None);
    let pages = |noticed: &[CachedRemark]| {
        let mut pages = CachedPages::on(State::in_memory().unwrap().spill_file());
        assert!(pages.add(PagePath::parse("/a").unwrap(), &page(1), &texts(1), noticed));
        pages
            .spill
            .get(pages.rows[0].2, |row| Some(row.to_vec()))
            .unwrap()
    };
    let checks = |text| CachedRemark {
        text,
        locale: 1,
        remark: Remark {
            checks: Checks::from_bits(5),
            terms: 300,
            missed: 2,
        },
    };
    let row = pages(&[checks(0), checks(2), checks(2)]);
    let mut found = Vec::new();
    assert!(read_texts(&row, &mut |_, text, noticed| found
        .push((text, noticed.to_vec()))));
    let [first, second, third] = texts(1);
    let noticed = [
        (first, vec![checks(0)]),
        (second, vec![]),
        (third, vec![checks(2); 2]),
    ];
    assert_eq!(found, noticed);
    let is_whole = |row: &[u8]| read_texts(row, &mut |_, _, _| ());
    // Checks of a text that is not there.
    assert!(!is_whole(&pages(&[checks(3)])));
}

#[test]
fn pages_are_known_on_their_ground_alone() {
    let state = State::in_memory().unwrap();
    let site = SiteId::parse("site").unwrap();
    let path = |name: &str| PagePath::parse(name).unwrap();
    let mixed = || MixedText {
        path: path("/a"),
        segment: b"segment".to_vec(),
    };
    let change = |environment: &str, read: &[(&str, u8)], gone: Option<&str>, texts: u64| {
        let mut pages = CachedPages::on(state.spill_file());
        let mut add = |name, number| {
            pages.add(
                path(name),
                &page(u32::from(number)),
                &self::texts(number),
                &[],
            )
        };
        assert!(read.iter().all(|(name, number)| add(name, *number)));
        let known = || {
            state
                .cached_pages(&site, "one", |_, _| true)
                .unwrap()
                .unwrap()
                .gone
                .known
        };
        let gone = gone.map(|name| GonePages {
            paths: [name.to_owned()].into(),
            known: known(),
            ..GonePages::default()
        });
        CacheChange {
            environment: environment.to_owned(),
            read: pages.into(),
            gone,
            texts,
            names: "names".to_owned(),
            locales: locales(texts),
            mixed: MixedTexts::from([(SegmentKey::from_bytes([7; 16]), mixed())]),
            people: "es:0".to_owned(),
        }
    };
    let known = |environment: &str, stands: &dyn Fn(&PagePath) -> bool| {
        state
            .cached_pages(&site, environment, |path, _| stands(path))
            .unwrap()
    };
    state
        .keep_cached_pages(
            &site,
            Some(&change("one", &[("/a", 1), ("/b", 2)], None, 4)),
        )
        .unwrap();
    let pages = BTreeMap::from([(path("/a"), page(1)), (path("/b"), page(2))]);
    let rows = known("one", &|_| true).unwrap();
    assert_eq!(
        (rows.pages, rows.gone.paths.len(), rows.texts, rows.locales),
        (pages, 0, 4, locales(4))
    );
    assert_eq!(rows.mixed.into_values().collect::<Vec<_>>(), [mixed()]);
    assert_eq!(known("two", &|_| true), None);
    // A cached page no longer is forgotten by the change that says so, and its texts are known until then.
    let rows = known("one", &|path| path.as_str() == "/b").unwrap();
    assert_eq!(
        (rows.pages.len(), &rows.gone.paths),
        (1, &["/a".to_owned()].into())
    );
    let mut gone = Vec::new();
    let mut stands = Vec::new();
    let (was, is) = (
        |text, _: &[_]| gone.push(text),
        |_: TextPlace<'_>, text, _: &[_]| stands.push(text),
    );
    let visit = state.cached_texts(&site, &rows.gone.paths, was, is);
    assert_eq!(
        (visit.unwrap(), gone, stands),
        (Some(1), texts(1).to_vec(), texts(2).to_vec())
    );
    state
        .keep_cached_pages(&site, Some(&change("two", &[("/c", 3)], Some("/a"), 5)))
        .unwrap();
    let pages = BTreeMap::from([(path("/b"), page(2)), (path("/c"), page(3))]);
    let then = known("two", &|_| true).unwrap();
    assert_eq!(
        (then.pages, then.gone.paths.len(), then.texts),
        (pages, 0, 5)
    );
    // Nothing is known of a page without its texts.
    let visit = state.cached_texts(&site, &["/a".to_owned()].into(), |_, _| (), |_, _, _| ());
    assert_eq!(visit.unwrap(), None);
    state
        .keep_cached_pages(&site, Some(&change("three", &[("/d", 1)], None, 3)))
        .unwrap();
    assert_eq!(known("three", &|_| true).unwrap().pages.len(), 1);
    // Rows that somebody wrote since it was read are not counted, so nothing is known.
    let late = CacheChange {
        gone: Some(rows.gone),
        ..change("late", &[("/e", 4)], None, 9)
    };
    state.keep_cached_pages(&site, Some(&late)).unwrap();
    assert_eq!(
        (known("late", &|_| true), known("three", &|_| true)),
        (None, None)
    );
}
