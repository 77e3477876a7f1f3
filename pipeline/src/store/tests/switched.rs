//! Switches of languages, fences and merges of several builders.

use super::*;

async fn served(objects: &Objects) -> Vec<String> {
    let published = Published::newest(objects, &site(), None)
        .await
        .unwrap()
        .unwrap();
    let on = published.trees().filter(|tree| match tree {
        Tree::Locale(locale) => published.settings().is_on(locale),
        Tree::Shared => false,
    });
    on.map(ToString::to_string).collect()
}

#[tokio::test]
async fn language_that_is_switched_off_is_served_by_no_deployment() {
    let folder = scratch();
    let objects = Objects::folder(folder.path()).unwrap();
    build(&objects, &first(), settings()).await.unwrap();
    assert_eq!(served(&objects).await, ["en", "es"]);
    let known = BTreeMap::from([(locale("ar"), ServingSwitch::Off)]);
    let turned = turn_switch(&objects, &site(), &locale("es"), ServingSwitch::Off, &known)
        .await
        .unwrap();
    assert_eq!(
        (turned.get(&locale("es")), turned.get(&locale("ar"))),
        (Some(ServingSwitch::Off), Some(ServingSwitch::Off))
    );
    assert_eq!(
        turn_switch(&objects, &site(), &locale("es"), ServingSwitch::Off, &known)
            .await
            .unwrap(),
        turned
    );
    assert_eq!(served(&objects).await, ["en"]);
    project_live(&objects, &site(), None).await.unwrap();
    assert!(
        !folder.path().join("bakery/es").exists()
            && folder.path().join("bakery/en/index.html").exists()
    );

    // A builder with another state says on, and a rollback brings a deployment back that had it on.
    build(&objects, &second(), settings()).await.unwrap();
    assert_eq!(served(&objects).await, ["en"]);
    roll_back(&objects, &site(), 2).await.unwrap();
    assert_eq!(served(&objects).await, ["en"]);
    assert!(turned.newer(&objects, &site()).await.unwrap().is_none());
    turn_switch(
        &objects,
        &site(),
        &locale("es"),
        ServingSwitch::On,
        &BTreeMap::new(),
    )
    .await
    .unwrap();
    assert_eq!(
        turned
            .newer(&objects, &site())
            .await
            .unwrap()
            .unwrap()
            .get(&locale("es")),
        Some(ServingSwitch::On)
    );
    assert_eq!(served(&objects).await, ["en", "es"]);
    sweep_all(&objects, 1).await.unwrap();
    assert_eq!(
        Switches::newest(&objects, &site()).await.unwrap().number(),
        2
    );
}

/// A record that cannot be read may have switched a language off: nobody shows what it may have hidden.
#[tokio::test]
async fn damaged_record_of_switches_brings_no_language_back() {
    let objects = Objects::memory();
    let turn = async |switch| {
        turn_switch(&objects, &site(), &locale("es"), switch, &BTreeMap::new()).await
    };
    let damage = async |number| {
        let key = keys::SiteKeys(&site()).switch(number).unwrap();
        objects
            .put(&key, Bytes::from_static(b"{\"form"))
            .await
            .unwrap();
    };
    let known = |switch| BTreeMap::from([(locale("es"), switch)]);
    let mend = async |known: &BTreeMap<Locale, ServingSwitch>| {
        mend_switches(&objects, &site(), known).await
    };
    build(&objects, &first(), settings()).await.unwrap();
    turn(ServingSwitch::Off).await.unwrap();
    damage(1).await;
    // No deployment follows it, and nobody knows what it said: not even a caller who turns a switch.
    assert_eq!(served(&objects).await, ["en"]);
    for remembered in [BTreeMap::new(), known(ServingSwitch::On)] {
        assert!(matches!(
            mend(&remembered).await,
            Err(StoreError::SwitchesLost { .. })
        ));
    }
    assert!(matches!(
        turn(ServingSwitch::On).await,
        Err(StoreError::SwitchesLost { .. })
    ));
    // The builder that turned it does.
    assert!(
        mend(&known(ServingSwitch::Off))
            .await
            .unwrap()
            .unwrap()
            .ends_with("switches/1.json")
    );
    assert_eq!(
        (
            mend(&BTreeMap::new()).await.unwrap(),
            served(&objects).await
        ),
        (None, vec!["en".to_owned()])
    );
    assert_eq!(
        Switches::newest(&objects, &site()).await.unwrap().number(),
        2
    );
    // A deployment that follows the record is as good as it, whatever older records say.
    turn(ServingSwitch::On).await.unwrap();
    build(
        &objects,
        &first(),
        ServingSettings {
            switches: 3,
            ..settings()
        },
    )
    .await
    .unwrap();
    damage(3).await;
    assert_eq!(served(&objects).await, ["en", "es"]);
    assert!(mend(&known(ServingSwitch::Off)).await.unwrap().is_some());
    assert_eq!(served(&objects).await, ["en", "es"]);
    // One that was made before it is not, and a rollback to it neither.
    turn(ServingSwitch::Off).await.unwrap();
    roll_back(&objects, &site(), 2).await.unwrap();
    damage(5).await;
    assert_eq!(served(&objects).await, ["en"]);
}

#[tokio::test]
async fn commit_with_a_lower_fence_is_passed_over() {
    let objects = Objects::memory();
    for (number, fence) in [(1, 3), (2, 7), (3, 5)] {
        build(
            &objects,
            &[("es", "index.html", page(&fence.to_string()))],
            settings(),
        )
        .await
        .unwrap();
        let mut commit = reading::read_commit(&objects, &site(), number)
            .await
            .unwrap();
        commit.fence = fence;
        let key = keys::SiteKeys(&site()).commit(number).unwrap();
        objects
            .put(&key, record::encode(&commit, "").unwrap())
            .await
            .unwrap();
    }
    let known = Published::load(&objects, &site(), 3, None).await.unwrap();
    assert_eq!(known.commit().fence, 5);
    // Only what is kept can be compared, and a build takes the fence of the newest that counts.
    assert_eq!(
        Published::newest(&objects, &site(), None)
            .await
            .unwrap()
            .unwrap()
            .deployment(),
        3
    );
    let two = Commit {
        deployment: 4,
        fence: 7,
        ..known.commit().clone()
    };
    listing::create_commit(&objects, &site(), &two)
        .await
        .unwrap();
    let late = Commit {
        deployment: 5,
        fence: 6,
        ..known.commit().clone()
    };
    listing::create_commit(&objects, &site(), &late)
        .await
        .unwrap();
    assert_eq!(
        Published::newest(&objects, &site(), None)
            .await
            .unwrap()
            .unwrap()
            .deployment(),
        4
    );
    let draft = Draft::begin(&objects, &site()).await.unwrap();
    draft
        .put(&tree("es"), object("index.html", "next"))
        .await
        .unwrap();
    assert_eq!(draft.finish(settings()).await.unwrap().deployment, 6);
    let newest = Published::newest(&objects, &site(), None)
        .await
        .unwrap()
        .unwrap();
    assert_eq!((newest.deployment(), newest.commit().fence), (6, 7));
}

#[tokio::test]
async fn loser_begins_again_on_top_of_the_winner_and_writes_nothing_twice() {
    let objects = Objects::memory();
    build(&objects, &first(), settings()).await.unwrap();
    let mut slow = Draft::begin(&objects, &site()).await.unwrap();
    slow.put(&tree("es"), object("index.html", &page("slow")))
        .await
        .unwrap();
    let fast = Draft::begin(&objects, &site()).await.unwrap();
    for (label, name, body) in second() {
        fast.put(&tree(label), object(name, &body)).await.unwrap();
    }
    fast.finish(settings()).await.unwrap();
    assert!(matches!(
        slow.finish(settings()).await,
        Err(StoreError::Overtaken { deployment: 2, .. })
    ));
    assert_eq!(readable(&objects).await, as_files(&second()));
    slow.begin_again().await.unwrap();
    slow.keep_tree(&tree("en")).await.unwrap();
    let before = in_store(&objects).await;
    slow.put(&tree("es"), object("index.html", &page("slow")))
        .await
        .unwrap();
    assert_same(&in_store(&objects).await, &before);
    assert_eq!(slow.finish(settings()).await.unwrap().deployment, 3);
    let files = readable(&objects).await;
    assert_eq!(
        files.keys().collect::<Vec<_>>(),
        ["en/index.html", "es/index.html"]
    );
    assert_eq!(files["es/index.html"], page("slow").into_bytes());
    let published = Published::newest(&objects, &site(), None)
        .await
        .unwrap()
        .unwrap();
    let (_, entry) = published.find(&tree("es"), "/").unwrap();
    assert_eq!(entry.deployment, 3, "what it wrote is numbered anew");
}

/// What a power cut left torn is put again; what is missing too.
#[tokio::test]
async fn damage_is_mended_by_the_next_build() {
    let objects = Objects::memory();
    build(&objects, &first(), settings()).await.unwrap();
    let whole = in_store(&objects).await;
    let published = Published::newest(&objects, &site(), None)
        .await
        .unwrap()
        .unwrap();
    let key = |name: &str, encoding| {
        let entry = published
            .manifest(&tree("es"))
            .unwrap()
            .objects
            .get(name)
            .unwrap()
            .clone();
        keys::SiteKeys(&site())
            .part(&tree("es"), name, &entry, encoding)
            .unwrap()
    };
    objects
        .put(
            &key("index.html", Some(Encoding::Gzip)),
            Bytes::from_static(b"torn"),
        )
        .await
        .unwrap();
    objects.delete(vec![key("about.html", None)]).await.unwrap();
    let draft = Draft::begin(&objects, &site()).await.unwrap();
    let told: Vec<String> = draft.damage().iter().map(ToString::to_string).collect();
    assert_eq!(
        told,
        [
            "/about.html in es is not there",
            "/ in es, compressed with gzip, has another size"
        ]
    );
    drop(draft);
    let finished = build(&objects, &first(), settings()).await.unwrap();
    assert_eq!(
        (finished.written, finished.unchanged, finished.created),
        (2, 6, false)
    );
    assert_same(&in_store(&objects).await, &whole);
}
