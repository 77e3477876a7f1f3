//! Texts for lists: those of an incremental build are those of a clean one, and say what an explanation says.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use pipeline::config::SiteConfig;
use pipeline::inspect::{Explained, PageSelection, SegmentIndexes, SegmentQuery, TextOrigin};
use pipeline::model::{Locale, Moment, SegmentKey};
use pipeline::page::Segment;
use pipeline::run::Stores;
use pipeline::state::{EditOutcome, EditVia, PersonRow, PersonState, State, TextRecord};
use pipeline::store::Published;
use tempfile::TempDir;

use super::cases::SETTINGS;
use super::causes::{page, write};
use super::{BUILDS, Chance, build_both, options, site};

/// A person writes, drafts or clears the words of a text in Spanish.
pub(super) fn edit(root: &Path, chance: &mut Chance) -> Option<&'static str> {
    let id = site(root).id;
    let locale = Locale::parse("es").unwrap();
    let state = State::open(&root.join("state.redb")).unwrap();
    let mut texts = Vec::new();
    let add = |_, of_page: Vec<(SegmentKey, Option<Segment>)>| texts.extend(of_page);
    assert!(state.site_texts(&id, add).unwrap());
    texts.retain(|(_, text)| text.is_some());
    if texts.is_empty() {
        return None;
    }
    let (key, text) = texts.swap_remove(chance.below(texts.len()));
    let text = text?;
    let kinds = [
        PersonState::Approved,
        PersonState::Approved,
        PersonState::Draft,
        PersonState::Untranslated,
        PersonState::Rejected,
        PersonState::Locked,
        PersonState::Withdrawn,
    ];
    let kind = chance.of(&kinds);
    let has_words = kind.has_readers_words() || kind == PersonState::Draft;
    let words = if has_words {
        format!("{} {}", chance.below(9), text.text.to_markup())
    } else {
        String::new()
    };
    let row = PersonRow {
        source: text.text.to_markup(),
        class: text.class.as_str().to_owned(),
        text: words,
        state: kind,
        by: "ana".to_owned(),
        at: Moment::of_millis(1),
        via: EditVia::Api,
        base: None,
        stands: None,
    };
    let person = state.person(&id, &locale, key).unwrap();
    let seen = person.map_or(0, |(revision, _)| revision);
    let kept = state.edit(&id, &locale, key, seen, &row).unwrap();
    assert!(matches!(kept, EditOutcome::Kept(_)));
    Some("a person edits a text")
}

/// Asserts that the states of two folders keep the same texts.
pub(super) fn are_kept_alike(root: &Path, twin: &Path, said: &str) {
    let (texts, expected) = (kept_texts(root), kept_texts(twin));
    assert!(
        texts == expected,
        "texts: {texts:#?} are not {expected:#?}, {said}"
    );
}

/// Texts of all pages as the state keeps them, with what is known beside them.
fn kept_texts(root: &Path) -> Vec<String> {
    let id = site(root).id;
    let state = State::open(&root.join("state.redb")).unwrap();
    let record = state.text_record(&id).unwrap().map(|record| TextRecord {
        revision: 0,
        ..record
    });
    let mut texts = vec![format!("{record:?}")];
    let is_read = state.site_texts(&id, |path, of_page| {
        texts.push(format!("{path} {of_page:?}"))
    });
    assert!(is_read.unwrap());
    texts
}

/// Asserts that lists have the texts of a page as they are explained.
pub(super) async fn are_as_explained(
    (site, stores): (&Arc<SiteConfig>, &Stores),
    explained: &Explained,
    said: &str,
) {
    let Explained::Page(page) = explained else {
        return;
    };
    let published = Published::newest(&stores.objects, &site.id, None)
        .await
        .unwrap();
    let published = published.expect("a deployment");
    let indexes = SegmentIndexes::default();
    let all = indexes
        .make(site, stores, &options(false), &published, &site.locales)
        .await
        .unwrap();
    let current = indexes
        .current(site, stores, &published, &site.locales)
        .await;
    assert!(
        current.unwrap().is_some(),
        "an index is current when it was made, {said}"
    );
    for segments in &all {
        let Some(language) = page
            .locales
            .iter()
            .find(|page| page.locale == *segments.locale())
        else {
            continue;
        };
        // Lists keep the texts of a page whose bytes are lost, as readers do.
        if language.texts.is_empty() {
            continue;
        }
        let query = SegmentQuery {
            pages: Some(PageSelection::parse(page.page.as_str()).unwrap()),
            limit: usize::MAX,
            ..SegmentQuery::default()
        };
        let found = segments.find(&query);
        // A page whose script compares nodes refuses words that other pages take.
        let refused = language.texts.iter().filter(|text| {
            let mut reasons = text.refused.iter();
            reasons.any(|reason| reason.contains("must stay one piece"))
        });
        let refused: BTreeSet<&str> = refused.map(|text| text.source.as_str()).collect();
        // Text, words, and whether a person's wait, as far as a list has them.
        let mut listed = BTreeSet::new();
        for segment in &found.items {
            if refused.contains(segment.source) {
                continue;
            }
            let words = segment.translation.unwrap_or_default().to_owned();
            listed.insert((
                segment.source.to_owned(),
                words,
                segment.state.is_to_review(),
            ));
        }
        let mut shown = BTreeSet::new();
        for text in &language.texts {
            if text.origin != TextOrigin::LeftOut && !refused.contains(text.source.as_str()) {
                let words = text.target.clone().unwrap_or_default();
                shown.insert((text.source.clone(), words, text.to_review));
            }
        }
        assert_eq!(
            listed, shown,
            "{} in {}, {said}",
            page.page, language.locale
        );
    }
}

/// After an edit, the pages with its text are read, and the home page, which is always read.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_edit_has_the_pages_of_its_text_read() {
    let _others = BUILDS.read().await;
    let folder = TempDir::new().unwrap();
    let root = folder.path();
    write(root, "latimer.toml", SETTINGS);
    for name in ["index", "a", "b", "c"] {
        let own = format!("<h1>Bread of {name}</h1><p>Rolls</p>");
        write(root, &format!("source/{name}.html"), &page(name, &own));
    }
    build_both(root, "the first build").await;
    let put = |text: &str, words: &str| {
        let state = State::open(&root.join("state.redb")).unwrap();
        let id = site(root).id;
        let locale = Locale::parse("es").unwrap();
        let key = SegmentKey::new(&Locale::parse("en").unwrap(), "prose", text);
        let row = PersonRow {
            source: text.to_owned(),
            class: "prose".to_owned(),
            text: words.to_owned(),
            state: PersonState::Approved,
            by: "ana".to_owned(),
            at: Moment::of_millis(1),
            via: EditVia::Screen,
            base: None,
            stands: None,
        };
        let person = state.person(&id, &locale, key).unwrap();
        let seen = person.map_or(0, |(revision, _)| revision);
        state.edit(&id, &locale, key, seen, &row).unwrap();
    };
    let shown = |name: &str| {
        std::fs::read_to_string(root.join(format!("store/site/es/{name}.html"))).unwrap()
    };
    put("Bread of b", "Pan de b");
    let [work, _] = build_both(root, "one page has the text").await;
    assert_eq!((work.read, work.rendered), (2, 1), "{work:?}");
    assert!(shown("b").contains("Pan de b"));
    put("Rolls", "Bollos");
    let [work, _] = build_both(root, "all pages have the text").await;
    assert_eq!((work.read, work.rendered), (4, 4), "{work:?}");
    assert!(shown("c").contains("Bollos"));
    let [work, _] = build_both(root, "nothing").await;
    assert_eq!(work.read, 0, "{work:?}");
}
