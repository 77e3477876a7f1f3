//! The state in memory and on a disk.

use super::*;

fn site(id: &str) -> SiteId {
    SiteId::parse(id).unwrap()
}

fn locale(tag: &str) -> Locale {
    Locale::parse(tag).unwrap()
}

fn segment(text: &str) -> (SegmentKey, Remembered) {
    let remembered =
        Remembered { text: text.to_uppercase(), engine: "test 1".to_owned(), source: text.to_owned(), refused: None };
    (SegmentKey::new(&locale("en"), "text", text), remembered)
}

fn source(name: &str) -> SourceRecord {
    SourceRecord {
        hash: "00".to_owned(),
        content_type: "text/html".to_owned(),
        charset: Some("utf-8".to_owned()),
        kind: SourceKind::Page,
        noindex: false,
        etag: Some("\"1\"".to_owned()),
        last_modified: None,
        name: name.to_owned(),
    }
}

#[test]
fn translations_are_kept_per_site_and_locale() {
    let state = State::in_memory().unwrap();
    let (bread, rolls) = (segment("bread"), segment("rolls"));
    let es = locale("es");
    state.remember(&site("a"), &es, &[bread.clone(), rolls.clone()]).unwrap();
    state.remember(&site("a"), &locale("es-MX"), std::slice::from_ref(&rolls)).unwrap();
    state.remember(&site("a-b"), &es, std::slice::from_ref(&bread)).unwrap();
    let found = state.recall(&site("a"), &es, &[bread.0, segment("cake").0]).unwrap();
    assert_eq!(found, HashMap::from([bread.clone()]));
    let mut sorted = vec![bread.clone(), rolls];
    sorted.sort_by_key(|(key, _)| *key);
    assert_eq!(state.recall_all(&site("a"), &es).unwrap(), sorted);
    assert_eq!(state.recall_all(&site("a-b"), &es).unwrap(), [bread]);
    assert_eq!(state.recall_all(&site("b"), &es).unwrap(), []);
}

#[test]
fn later_translation_replaces_an_earlier_one() {
    let state = State::in_memory().unwrap();
    let (key, remembered) = segment("bread");
    let better = Remembered { text: "pan".to_owned(), ..remembered.clone() };
    for remembered in [remembered, better.clone()] {
        state.remember(&site("a"), &locale("es"), &[(key, remembered)]).unwrap();
    }
    assert_eq!(state.recall_all(&site("a"), &locale("es")).unwrap(), [(key, better)]);
}

#[test]
fn sources_are_replaced_as_a_whole() {
    let state = State::in_memory().unwrap();
    let sources = |paths: &[&str]| -> BTreeMap<PagePath, SourceRecord> {
        paths.iter().map(|path| (PagePath::parse(path).unwrap(), source(path))).collect()
    };
    state.record_sources(&site("a"), &sources(&["/", "/old"])).unwrap();
    state.record_sources(&site("a-b"), &sources(&["/other"])).unwrap();
    state.record_sources(&site("a"), &sources(&["/", "/new?page=2"])).unwrap();
    assert_eq!(state.sources(&site("a")).unwrap(), sources(&["/", "/new?page=2"]));
    assert_eq!(state.sources(&site("a-b")).unwrap(), sources(&["/other"]));
}

#[test]
fn last_run_is_kept() {
    let state = State::in_memory().unwrap();
    assert_eq!(state.last_run(&site("a")).unwrap(), None);
    for pages in [1, 2] {
        state.record_run(&site("a"), &serde_json::json!({ "pages": pages })).unwrap();
    }
    assert_eq!(state.last_run(&site("a")).unwrap(), Some(serde_json::json!({ "pages": 2 })));
}

#[test]
fn summaries_are_kept_per_locale() {
    let state = State::in_memory().unwrap();
    let put = |site_id, tag, frequency, summary, now| {
        state.put_summary(&site(site_id), &locale(tag), frequency, summary, now).unwrap()
    };
    let sent = SentSummary { pages_updated: Some(3), ..SentSummary::default() };
    put("a", "es", Some(Frequency::Daily), None, 1);
    put("a-b", "es", None, Some(sent.clone()), 1);
    put("a", "ar", None, Some(sent.clone()), 2);
    let record = put("a", "es", None, Some(sent.clone()), 3);
    assert_eq!((record.frequency, record.created, record.updated), (Frequency::Daily, 1, 1));
    let replaced = put("a", "es", Some(Frequency::Off), Some(SentSummary::default()), 4).summary.unwrap();
    assert_eq!(replaced, SentSummary { created: 3, updated: 4, ..SentSummary::default() });
    let found = state.summaries(&site("a")).unwrap();
    assert_eq!(found.iter().map(|(locale, _)| locale.as_str()).collect::<Vec<_>>(), ["ar", "es"]);
    assert_eq!(found[0].1.summary, Some(SentSummary { created: 2, updated: 2, ..sent }));
}

#[test]
fn account_has_one_subscription() {
    let state = State::in_memory().unwrap();
    state.subscribe("ana", "ana@example.com", Frequency::Daily, 1).unwrap();
    state.subscribe("bob", "bob@example.com", Frequency::Daily, 2).unwrap();
    let replaced = state.subscribe("ana", "a@example.com", Frequency::Off, 3).unwrap();
    let expected =
        Subscription { email: "a@example.com".to_owned(), frequency: Frequency::Off, created: 1, updated: 3 };
    assert_eq!(replaced, expected);
}

#[test]
fn second_opener_is_told_who_has_the_state() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("deep/state.redb");
    let state = State::open(&path).unwrap();
    state.record_run(&site("a"), &serde_json::json!(1)).unwrap();
    let message = State::open(&path).unwrap_err().to_string();
    assert!(message.contains(&format!("in use by process {}", std::process::id())), "{message}");
    drop(state);
    let mut state = State::open(&path).unwrap();
    assert_eq!(state.last_run(&site("a")).unwrap(), Some(serde_json::json!(1)));
    assert!(state.check().unwrap());
    drop(state);
    assert_eq!(std::fs::read_dir(path.parent().unwrap()).unwrap().count(), 1, "the note is gone");
}

#[test]
fn what_is_no_state_of_ours_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let newer = folder.path().join("newer.redb");
    let state = State::open(&newer).unwrap();
    state
        .write("make newer", |transaction| {
            transaction.open_table(META)?.insert("form", FORM + 1)?;
            Ok(())
        })
        .unwrap();
    drop(state);
    assert!(matches!(State::open(&newer), Err(StoreError::Newer { .. })));
    let foreign = folder.path().join("foreign.redb");
    std::fs::write(&foreign, "not a database ".repeat(1000)).unwrap();
    assert!(matches!(State::open(&foreign), Err(StoreError::Database { .. })));
    assert!(std::fs::read_to_string(&foreign).unwrap().starts_with("not a database"));
}

#[test]
fn row_that_makes_no_sense_is_an_error() {
    let state = State::in_memory().unwrap();
    state
        .write("break", |transaction| {
            transaction.open_table(RUNS)?.insert("a", b"{".as_slice())?;
            Ok(())
        })
        .unwrap();
    assert!(matches!(state.last_run(&site("a")), Err(StoreError::Row { .. })));
}
