//! What a process knows of the store between its builds, and live trees that are changed by difference.

use super::*;

/// A build of one page by a process that knows the store.
async fn build_knowing(objects: &Objects, warm: &Warm, text: &str) -> FinishedDraft {
    let lock = Lock::share(objects, &site()).await.unwrap();
    let known = warm.published(&site());
    let draft = Draft::begin_under(objects, &site(), lock, known.as_ref(), warm, None)
        .await
        .unwrap();
    draft
        .put(&tree("en"), object("index.html", &page(text)))
        .await
        .unwrap();
    draft
        .put(&tree("en"), object("about.html", &page("About")))
        .await
        .unwrap();
    let finished = draft.finish(settings()).await.unwrap();
    drop(draft);
    let published = Published::newest(objects, &site(), known.as_ref())
        .await
        .unwrap()
        .unwrap();
    warm.keep_published(&published);
    project_live(objects, &site(), Some(&published))
        .await
        .unwrap();
    finished
}

/// The record of the page that stays.
fn about(published: &Published) -> &ManifestEntry {
    published
        .manifest(&tree("en"))
        .unwrap()
        .objects
        .get("about.html")
        .unwrap()
}

#[tokio::test]
async fn what_is_known_of_objects_holds_until_they_are_listed_again() {
    let folder = scratch();
    let objects = Objects::folder(folder.path()).unwrap();
    let warm = Warm::on();
    build_knowing(&objects, &warm, "one").await;
    let again = build_knowing(&objects, &warm, "two").await;
    assert_eq!(
        (again.written, again.unchanged),
        (1, 1),
        "what the first build wrote is known"
    );
    // Somebody takes an object away.
    let published = warm.published(&site()).unwrap();
    let entry = about(&published);
    let key = keys::SiteKeys(&site())
        .object(&entry.hash.spelled(), None)
        .unwrap();
    objects.delete(vec![key.clone()]).await.unwrap();
    assert_eq!(
        build_knowing(&objects, &warm, "three").await.unchanged,
        1,
        "nobody looked"
    );
    assert!(!objects.exists(&key).await.unwrap());
    warm.forget_objects(&site());
    assert_eq!(
        build_knowing(&objects, &warm, "three").await.written,
        1,
        "it is written anew"
    );
    assert!(objects.exists(&key).await.unwrap());
    assert!(Warm::default().published(&site()).is_none());
}

#[tokio::test]
async fn a_live_tree_follows_changed_pages_and_gets_back_what_was_taken_out_of_it() {
    let folder = scratch();
    let objects = Objects::folder(folder.path()).unwrap();
    let live = |name: &str| {
        std::fs::read_to_string(folder.path().join("bakery/en").join(name)).unwrap_or_default()
    };
    let whole = async |text: &str| {
        build_knowing(&objects, &Warm::default(), text).await;
        assert_eq!(
            (live("index.html"), live("about.html")),
            (page(text), page("About"))
        );
    };
    whole("one").await;
    whole("two").await;
    // What is taken out is seen where a build changes it.
    std::fs::remove_file(folder.path().join("bakery/en/index.html")).unwrap();
    std::fs::remove_file(folder.path().join("bakery/en/about.html")).unwrap();
    whole("three").await;
    whole("four").await;
    build(&objects, &first(), settings()).await.unwrap();
    assert_eq!(
        (live("index.html"), live("about.html")),
        (page("Bread"), page("About"))
    );
    build(&objects, &second(), settings()).await.unwrap();
    assert_eq!(
        (live("index.html"), live("about.html")),
        (page("Bread"), String::new())
    );
}

#[tokio::test]
async fn a_live_tree_shows_the_file_of_a_locale_and_not_the_one_that_all_share() {
    let host = ServingSettings {
        url: Some("https://{lang}.example.com/".to_owned()),
        ..settings()
    };
    for (settings, shared, live) in [
        (host, "feed.xml", "es/feed.xml"),
        (settings(), "es/feed.xml", "es/feed.xml"),
    ] {
        let folder = scratch();
        let objects = Objects::folder(folder.path()).unwrap();
        for (source, own) in [
            ("one", "uno"),
            ("two", "uno"),
            ("three", "tres"),
            ("three", "cuatro"),
        ] {
            let files = [
                ("_assets", shared, source.to_owned()),
                ("es", "feed.xml", own.to_owned()),
            ];
            build(&objects, &files, settings.clone()).await.unwrap();
            let shown = std::fs::read_to_string(folder.path().join("bakery").join(live)).unwrap();
            assert_eq!(shown, own, "the source has {source}");
        }
    }
}

#[tokio::test]
async fn what_was_mended_is_not_damaged_any_more() {
    let folder = scratch();
    let objects = Objects::folder(folder.path()).unwrap();
    let warm = Warm::on();
    build_knowing(&objects, &warm, "one").await;
    let published = warm.published(&site()).unwrap();
    let entry = about(&published);
    let found = crate::store::damage::damage(&tree("en"), entry, None, FileFlaw::Bytes);
    note_damage(&objects, &published, &[found]).await.unwrap();
    assert_eq!(
        build_knowing(&objects, &warm, "one").await.written,
        1,
        "it is written anew"
    );
    assert_eq!(
        build_knowing(&objects, &warm, "one").await.written,
        0,
        "once"
    );
}

#[tokio::test]
async fn what_another_builder_published_after_objects_were_listed_is_not_damaged() {
    let folder = scratch();
    let objects = Objects::folder(folder.path()).unwrap();
    for known in [None, Some("one")] {
        if let Some(text) = known {
            build_knowing(&objects, &Warm::default(), text).await;
        }
        let before = Published::newest(&objects, &site(), None).await.unwrap();
        let lock = Lock::share(&objects, &site()).await.unwrap();
        let ahead = Ahead::begin(&objects, &site(), &lock, &Warm::default()).unwrap();
        ahead.wait().await;
        let theirs = build_knowing(
            &objects,
            &Warm::default(),
            &format!("theirs, after {known:?}"),
        )
        .await;
        let draft = Draft::begin_under(
            &objects,
            &site(),
            lock,
            before.as_ref(),
            &Warm::default(),
            Some(ahead),
        )
        .await
        .unwrap();
        assert_eq!(
            draft.previous().map(Published::deployment),
            Some(theirs.deployment)
        );
        assert_eq!(draft.damage(), [], "after {known:?}");
        assert!(
            draft.keep(&tree("en"), "about.html").await.unwrap(),
            "after {known:?}"
        );
    }
}

#[tokio::test]
async fn an_object_that_a_list_made_ahead_lacks_is_looked_for_again() {
    let folder = scratch();
    let objects = Objects::folder(folder.path()).unwrap();
    build_knowing(&objects, &Warm::default(), "one").await;
    let published = Published::newest(&objects, &site(), None)
        .await
        .unwrap()
        .unwrap();
    let key = keys::SiteKeys(&site())
        .object(&about(&published).hash.spelled(), None)
        .unwrap();
    let bytes = objects.get(&key).await.unwrap().unwrap();
    for comes_back in [true, false] {
        objects.delete(vec![key.clone()]).await.unwrap();
        let lock = Lock::share(&objects, &site()).await.unwrap();
        let ahead = Ahead::begin(&objects, &site(), &lock, &Warm::default()).unwrap();
        ahead.wait().await;
        if comes_back {
            objects.put(&key, bytes.clone()).await.unwrap();
        }
        let draft = Draft::begin_under(
            &objects,
            &site(),
            lock,
            Some(&published),
            &Warm::default(),
            Some(ahead),
        )
        .await
        .unwrap();
        assert_eq!(draft.damage().len(), usize::from(!comes_back));
        assert_eq!(
            draft.keep(&tree("en"), "about.html").await.unwrap(),
            comes_back
        );
        assert!(draft.keep(&tree("en"), "index.html").await.unwrap());
    }
}
