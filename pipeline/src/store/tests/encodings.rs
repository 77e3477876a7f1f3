//! Which compressed variants files get, and what happens when somebody wants others.

use std::collections::BTreeSet;

use super::*;

/// The variants of the files that are large enough to have some, by their names.
async fn variants(objects: &Objects) -> BTreeMap<String, Vec<Encoding>> {
    let published = Published::newest(objects, &site(), None)
        .await
        .unwrap()
        .unwrap();
    let files = published.files().filter(|(_, _, entry)| entry.size > 1024);
    files
        .map(|(_, name, entry)| {
            (
                name.to_owned(),
                entry.encodings.iter().map(|(one, _)| one).collect(),
            )
        })
        .collect()
}

fn with(objects: &Objects, wanted: &[Encoding]) -> Objects {
    objects
        .clone()
        .with_variants(wanted.iter().copied().collect())
}

/// When each object was written.
async fn times(objects: &Objects) -> BTreeMap<String, std::time::SystemTime> {
    let listed = objects
        .list(&keys::SiteKeys(&site()).objects().unwrap())
        .await
        .unwrap();
    listed
        .into_iter()
        .map(|found| (found.key.to_string(), found.written))
        .collect()
}

/// How the files of the deployment before come into the next one.
#[derive(Clone, Copy)]
enum CarryMethod {
    Putting,
    Keeping,
}

/// A build of the same pages, put again or carried over.
async fn again(objects: &Objects, by: CarryMethod) -> FinishedDraft {
    let draft = Draft::begin(objects, &site()).await.unwrap();
    for (label, name, body) in &first() {
        match by {
            CarryMethod::Putting => {
                draft.put(&tree(label), object(name, body)).await.unwrap();
            }
            CarryMethod::Keeping => assert!(draft.keep(&tree(label), name).await.unwrap()),
        }
    }
    draft.miss(&tree("es"), PagePath::parse("/about.html").unwrap());
    let finished = draft.finish(settings()).await.unwrap();
    drop(draft);
    sweep_all(objects, 1).await.unwrap();
    finished
}

#[tokio::test]
async fn files_get_the_variants_that_are_wanted_now() {
    use Encoding::{Brotli, Gzip};
    for by in [CarryMethod::Putting, CarryMethod::Keeping] {
        let objects = Objects::memory();
        again(&objects, CarryMethod::Putting).await;
        assert!(variants(&objects).await.len() > 1);
        let mut before = in_store(&objects).await;
        for wanted in [
            vec![Gzip],
            vec![],
            vec![Brotli],
            vec![Brotli, Gzip],
            vec![Gzip],
        ] {
            let objects = with(&objects, &wanted);
            let written = times(&objects).await;
            let finished = again(&objects, by).await;
            assert_eq!(
                (finished.created, finished.written, finished.unchanged),
                (true, 0, 8),
                "{wanted:?}"
            );
            assert!(
                variants(&objects)
                    .await
                    .values()
                    .all(|there| *there == wanted),
                "{wanted:?}"
            );
            assert_eq!(readable(&objects).await, as_files(&first()));
            let stays =
                |(name, time): (&String, _)| written.get(name).is_none_or(|before| *before == time);
            assert!(
                times(&objects)
                    .await
                    .iter()
                    .map(|(name, time)| (name, *time))
                    .all(stays),
                "what is named is not written"
            );
            let finished = again(&objects, by).await;
            assert_eq!(
                (finished.created, finished.unchanged),
                (false, 8),
                "once is enough"
            );
            // Nothing is written where variants are only left out, and nothing stays of those.
            let after = in_store(&objects).await;
            let bytes = |files: &TestFiles| -> BTreeSet<String> {
                files
                    .keys()
                    .filter(|name| name.contains("/objects/"))
                    .cloned()
                    .collect()
            };
            if wanted.len() < 2 && !wanted.contains(&Brotli) {
                assert!(bytes(&after).is_subset(&bytes(&before)), "{wanted:?}");
            }
            before = after;
        }
    }
}

#[tokio::test]
async fn what_comes_back_comes_with_the_variants_of_today() {
    let objects = Objects::memory();
    let finish = async |objects: &Objects, files: &[(&str, &str, String)]| {
        let mut draft = Draft::begin(objects, &site()).await.unwrap();
        draft.recall_earlier().await.unwrap();
        for (label, name, body) in files {
            draft.put(&tree(label), object(name, body)).await.unwrap();
        }
        draft.finish(settings()).await.unwrap()
    };
    let bare = with(&objects, &[]);
    finish(&bare, &first()).await;
    finish(&bare, &second()).await;
    // The first deployment has no variants, so its files are made anew.
    finish(&objects, &first()).await;
    let there = variants(&objects).await;
    assert!(
        !there.is_empty() && there.values().all(|there| there.len() == 2),
        "{there:?}"
    );
    assert_eq!(readable(&objects).await, as_files(&first()));
}

#[tokio::test]
async fn damaged_bytes_get_no_variants() {
    let objects = with(&Objects::memory(), &[]);
    again(&objects, CarryMethod::Putting).await;
    let published = Published::newest(&objects, &site(), None)
        .await
        .unwrap()
        .unwrap();
    let (tree, name, entry) = published
        .files()
        .find(|(_, _, entry)| entry.size > 1024)
        .unwrap();
    let key = keys::SiteKeys(&site())
        .object(&entry.hash.spelled(), None)
        .unwrap();
    objects
        .put(
            &key,
            Bytes::from(vec![b'x'; usize::try_from(entry.size).unwrap()]),
        )
        .await
        .unwrap();
    let draft = Draft::begin(&with(&objects, &Encoding::ALL), &site())
        .await
        .unwrap();
    assert!(
        !draft.keep(tree, name).await.unwrap(),
        "others' bytes are no file of this one"
    );
}
