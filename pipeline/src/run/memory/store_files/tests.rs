//! Builders with a state each on one store: what one was paid for, the others have.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use super::*;
use crate::model::SegmentKey;
use crate::run::memory::new_rows::WRITTEN_TOGETHER;
use crate::state::{Spent, State};
use crate::store::{Objects, RowKind};
use crate::translate::Remembered;

struct Builder {
    stores: Stores,
    site: SiteId,
    locale: Locale,
}

impl Builder {
    fn new(objects: &Objects) -> Self {
        let stores = Stores {
            objects: objects.clone(),
            state: Arc::new(State::in_memory().unwrap()),
        };
        Self {
            stores,
            site: SiteId::parse("site").unwrap(),
            locale: Locale::parse("es").unwrap(),
        }
    }

    fn memory(&self) -> Memory<'_> {
        Memory {
            stores: &self.stores,
            site: &self.site,
            locale: &self.locale,
        }
    }

    /// Is paid for a text and writes it.
    async fn pays(&self, source: &str, text: &str) {
        let key = SegmentKey::new(&Locale::parse("en").unwrap(), "text", source);
        let text = text.to_owned();
        let engine = "e".to_owned();
        let source = source.to_owned();
        let row = Remembered {
            text,
            engine,
            source,
            refused: None,
            terms: None,
        };
        self.stores
            .state
            .remember(&self.site, &self.locale, &[(key, row)])
            .unwrap();
        self.memory().write().await.unwrap();
    }

    /// Is paid for so many texts while engines go on.
    fn is_paid_for(&self, texts: std::ops::Range<usize>, new: &NewRows) {
        let row = |number| {
            let source = format!("text {number}");
            let text = format!("words {number}");
            let engine = "e".to_owned();
            let key = SegmentKey::new(&Locale::parse("en").unwrap(), "text", &source);
            (
                key,
                Remembered {
                    text,
                    engine,
                    source,
                    refused: None,
                    terms: None,
                },
            )
        };
        let spent = Spent {
            site: None,
            locale: None,
            subject: None,
            month: "2026-11".parse().unwrap(),
            engines: BTreeMap::new(),
        };
        let rows = texts.map(row).collect();
        new.put(
            self.stores
                .state
                .remember_paid(&self.site, &self.locale, rows, &spent)
                .unwrap(),
        );
    }

    async fn writes_along(&self, new: &NewRows, engines: impl Future<Output = ()>) {
        let engines = async {
            engines.await;
            new.close();
        };
        let both = async { tokio::join!(engines, self.memory().write_along(new)) };
        tokio::time::timeout(Duration::from_secs(60), both)
            .await
            .expect("engines wait for ever");
    }

    async fn takes(&self) -> usize {
        let (taken, notices) = self.memory().take().await.unwrap();
        assert_eq!(notices, Vec::<String>::new());
        taken.new + taken.newer
    }

    fn words(&self) -> Vec<(String, String)> {
        let rows = self
            .stores
            .state
            .recall_all(&self.site, &self.locale)
            .unwrap();
        let mut words: Vec<_> = rows
            .into_iter()
            .map(|(_, row)| (row.source, row.text))
            .collect();
        words.sort();
        words
    }

    async fn files(&self) -> Vec<RowFile> {
        store::row_files(
            &self.stores.objects,
            &self.site,
            RowKind::Memory,
            &self.locale,
        )
        .await
        .unwrap()
    }
}

#[tokio::test]
async fn builders_end_with_the_same_words_whoever_was_first() {
    for first in [0, 1] {
        let objects = Objects::memory();
        let builders = [Builder::new(&objects), Builder::new(&objects)];
        for builder in [first, 1 - first] {
            builders[builder]
                .pays("bread", ["pan", "hogaza"][builder])
                .await;
        }
        builders[1].pays("rolls", "bollos").await;
        assert_eq!(
            [builders[0].takes().await, builders[1].takes().await],
            [1, 1]
        );
        let expected = [("bread", "pan"), ("rolls", "bollos")]
            .map(|(one, two)| (one.to_owned(), two.to_owned()));
        builders
            .iter()
            .for_each(|builder| assert_eq!(builder.words(), expected));
        builders[0].pays("bread", "barra").await;
        assert_eq!(builders[1].takes().await, 1);
        assert_eq!(
            builders[1].words()[0].1,
            "barra",
            "whoever knew the other words is right"
        );
        assert_eq!(builders[1].takes().await, 0);
    }
}

#[tokio::test]
async fn what_is_paid_for_reaches_the_store_while_engines_go_on() {
    let objects = Objects::memory();
    let new = NewRows::new(Duration::from_secs(1));
    let one = Builder::new(&objects);
    let two = Builder::new(&objects);
    // Of an earlier run, and one that is no reason to write by itself.
    one.is_paid_for(0..1, &NewRows::new(Duration::from_secs(1)));
    let engines = async {
        for start in (1..).step_by(WRITTEN_TOGETHER).take(3) {
            one.is_paid_for(start..start + WRITTEN_TOGETHER, &new);
            new.has_room().await;
        }
        one.is_paid_for(3 * WRITTEN_TOGETHER + 1..3 * WRITTEN_TOGETHER + 2, &new);
        new.has_room().await;
        while two.words().len() <= 3 * WRITTEN_TOGETHER {
            two.takes().await;
            tokio::task::yield_now().await;
        }
    };
    one.writes_along(&new, engines).await;
    assert_eq!(two.words().len(), 3 * WRITTEN_TOGETHER + 1);
    one.memory().write().await.unwrap();
    two.takes().await;
    assert_eq!(two.words(), one.words());
}

#[tokio::test]
async fn a_store_that_fails_holds_no_engine_up_and_gets_everything_afterwards() {
    for (fails_after, comes_back) in [(0, false), (2, false), (2, true)] {
        let folder = tempfile::tempdir().unwrap();
        let objects = Objects::folder(folder.path()).unwrap();
        let new = NewRows::new(Duration::from_secs(1));
        let one = Builder::new(&objects);
        let two = Builder::new(&objects);
        let place = folder.path().join("site/_deployments/memory");
        let has = async |rounds: usize| {
            while two.words().len() < rounds * WRITTEN_TOGETHER {
                two.takes().await;
                tokio::task::yield_now().await;
            }
        };
        let engines = async {
            for round in 0..5 {
                if round == fails_after {
                    has(round).await;
                    let _ = fs::remove_dir_all(&place);
                    fs::create_dir_all(place.parent().unwrap()).unwrap();
                    fs::write(&place, "no folder").unwrap();
                }
                one.is_paid_for(
                    round * WRITTEN_TOGETHER..(round + 1) * WRITTEN_TOGETHER,
                    &new,
                );
                new.has_room().await;
            }
            if comes_back {
                fs::remove_file(&place).unwrap();
                has(5).await;
            }
        };
        one.writes_along(&new, engines).await;
        if !comes_back {
            one.memory().write().await.unwrap_err();
            fs::remove_file(&place).unwrap();
        }
        one.memory().write().await.unwrap();
        has(5).await;
        assert_eq!(two.words(), one.words());
    }
}

#[tokio::test]
async fn a_state_of_an_older_version_writes_all_it_has() {
    let objects = Objects::memory();
    let old = Builder::new(&objects);
    old.pays("bread", "pan").await;
    let name = old.files().await[0].name.clone();
    store::remove_row_files(&objects, &old.site, RowKind::Memory, &old.locale, &[name])
        .await
        .unwrap();
    // An older version marked nothing and knew no files.
    old.stores
        .state
        .change_memory_ledger(&old.site, &old.locale, |ledger| {
            *ledger = MemoryLedger::default()
        })
        .unwrap();
    old.takes().await;
    old.memory().write().await.unwrap();
    assert_eq!(Builder::new(&objects).takes().await, 1);
}

#[tokio::test]
async fn files_stay_few_and_nothing_is_lost_while_they_are_brought_together() {
    let folder = tempfile::tempdir().unwrap();
    let objects = Objects::folder(folder.path()).unwrap();
    let one = Builder::new(&objects);
    let two = Builder::new(&objects);
    let mut newest = SystemTime::UNIX_EPOCH;
    for number in 0..60 {
        let builder = if number % 3 == 0 { &two } else { &one };
        builder.takes().await;
        builder.pays(&format!("text {number}"), "words").await;
        // A reader of any moment has everything.
        let reader = Builder::new(&objects);
        assert_eq!(reader.takes().await, number + 1);
        newest = one
            .files()
            .await
            .iter()
            .map(|file| file.written)
            .max()
            .unwrap_or(newest);
    }
    let before = one.files().await;
    assert!(
        before.len() > 60,
        "nothing is removed within a day: {}",
        before.len()
    );
    for file in &before {
        age(
            &folder
                .path()
                .join("site/_deployments/memory/es")
                .join(&file.name),
            newest,
        );
    }
    one.takes().await;
    one.pays("the last", "words").await;
    let left = one.files().await.len();
    assert!(left <= MOST_FILES + 1, "{left}");
    for builder in [&one, &two, &Builder::new(&objects)] {
        builder.takes().await;
        assert_eq!(builder.words().len(), 61);
    }
    two.memory().write().await.unwrap();
    assert_eq!(
        one.files().await.len(),
        left,
        "nobody misses what was removed on purpose"
    );
}

/// Makes a file a day older than it is.
fn age(path: &Path, newest: SystemTime) {
    let file = File::options().write(true).open(path).unwrap();
    file.set_modified(newest - STAYS).unwrap();
}

#[test]
fn a_large_file_is_not_written_again_for_small_ones() {
    let file = |name: &str, size| RowFile {
        name: name.to_owned(),
        size,
        written: SystemTime::UNIX_EPOCH,
    };
    for (sizes, taken) in [
        (&[5, 5, 5, 5][..], 4),
        (&[5, 5, 5, 1000], 3),
        (&[5, 8, 20, 60, 1000], 4),
        (&[1, 1000, 5000], 2),
        (&[5, MOST_BYTES], 1),
        (&[MOST_BYTES + 1], 0),
    ] {
        let files: Vec<RowFile> = sizes
            .iter()
            .map(|size| file(&size.to_string(), *size))
            .collect();
        assert_eq!(small(files.iter().collect()).len(), taken, "{sizes:?}");
    }
}

#[tokio::test]
async fn large_files_are_left_alone_however_many_there_are() {
    let objects = Objects::memory();
    let one = Builder::new(&objects);
    for number in 0..MOST_FILES + 2 {
        // Nothing that could be compressed.
        let mut noise = vec![0; usize::try_from(2 * LARGE).unwrap()];
        blake3::Hasher::new()
            .update(&[u8::try_from(number).unwrap()])
            .finalize_xof()
            .fill(&mut noise);
        let noise: String = noise
            .iter()
            .map(|byte| char::from(33 + byte % 90))
            .collect();
        one.pays(&format!("long {number}"), &noise).await;
    }
    let before = one.files().await.len();
    assert_eq!(before, MOST_FILES + 2);
    for number in 1..=MOST_FILES {
        one.pays(&format!("short {number}"), "words").await;
        assert_eq!(
            one.files().await.len(),
            before + number,
            "something was written again"
        );
    }
}
