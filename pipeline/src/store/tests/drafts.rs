//! Drafts: what they write, what they keep of the deployment before, and a commit that comes too late.

use super::*;

#[tokio::test]
async fn only_what_changed_is_written() {
    let objects = Objects::memory();
    let finished = build(&objects, &first(), settings()).await.unwrap();
    assert_eq!(
        finished,
        FinishedDraft {
            deployment: 1,
            written: 8,
            removed: 0,
            unchanged: 0,
            created: true
        }
    );
    let before = in_store(&objects).await;
    let finished = build(&objects, &first(), settings()).await.unwrap();
    assert_eq!(
        finished,
        FinishedDraft {
            deployment: 1,
            written: 0,
            removed: 0,
            unchanged: 8,
            created: false
        }
    );
    assert_same(&in_store(&objects).await, &before);
    let finished = build(&objects, &second(), settings()).await.unwrap();
    assert_eq!(
        finished,
        FinishedDraft {
            deployment: 2,
            written: 3,
            removed: 4,
            unchanged: 3,
            created: true
        }
    );
    assert_eq!(readable(&objects).await, as_files(&second()));
}

#[tokio::test]
async fn equal_bytes_lie_in_one_place_whoever_wrote_them() {
    let objects = Objects::memory();
    let one = Draft::begin(&objects, &site()).await.unwrap();
    let other = Draft::begin(&objects, &site()).await.unwrap();
    for draft in [&one, &other] {
        draft
            .put(&tree("es"), object("index.html", &page("Pan")))
            .await
            .unwrap();
        draft
            .put(&tree("en"), object("copy.html", &page("Pan")))
            .await
            .unwrap();
    }
    let hash = record::hash(page("Pan").as_bytes());
    let stored: Vec<String> = in_store(&objects)
        .await
        .into_keys()
        .filter(|key| key.contains("/objects/"))
        .collect();
    assert_eq!(stored.len(), 3, "a file and its two variants: {stored:?}");
    assert!(stored.contains(&format!(
        "bakery/_deployments/objects/{}/{hash}",
        &hash[..2]
    )));
}

#[tokio::test]
async fn failed_page_keeps_its_previous_version() {
    let objects = Objects::memory();
    build(&objects, &first(), settings()).await.unwrap();
    let draft = Draft::begin(&objects, &site()).await.unwrap();
    draft
        .put(&tree("es"), object("index.html", "new"))
        .await
        .unwrap();
    assert!(draft.keep(&tree("es"), "about.html").await.unwrap());
    assert!(!draft.keep(&tree("es"), "never.html").await.unwrap());
    draft.keep_tree(&tree("en")).await.unwrap();
    assert!(matches!(
        draft.put(&tree("es"), object("index.html", "x")).await,
        Err(StoreError::Twice { .. })
    ));
    draft.finish(settings()).await.unwrap();
    let files = readable(&objects).await;
    assert_eq!(
        files.keys().collect::<Vec<_>>(),
        [
            "en/about.html",
            "en/index.html",
            "es/about.html",
            "es/index.html"
        ]
    );
    assert_eq!(files["es/about.html"], page("Acerca").into_bytes());
}

#[tokio::test]
async fn second_of_two_builds_is_told() {
    let objects = Objects::memory();
    let slow = Draft::begin(&objects, &site()).await.unwrap();
    slow.put(&tree("es"), object("index.html", "slow"))
        .await
        .unwrap();
    build(&objects, &first(), settings()).await.unwrap();
    assert!(matches!(
        slow.finish(settings()).await,
        Err(StoreError::Overtaken { deployment: 1, .. })
    ));
}
