//! Manifests in parts: what one change writes and reads, and what a damaged part does.

use std::sync::Arc;

use super::*;

/// A site of many small files, one of them as told.
fn many(changed: usize, text: &str) -> Vec<(&'static str, String, String)> {
    let text = |number| {
        if number == changed {
            text.to_owned()
        } else {
            format!("file {number}")
        }
    };
    (0..2000)
        .map(|number| ("es", format!("{number:04}.svg"), text(number)))
        .collect()
}

async fn build_many(objects: &Objects, files: &[(&'static str, String, String)]) -> FinishedDraft {
    let files: Vec<_> = files
        .iter()
        .map(|(tree, name, body)| (*tree, name.as_str(), body.clone()))
        .collect();
    build(objects, &files, settings()).await.unwrap()
}

fn in_shards(files: &TestFiles) -> Vec<String> {
    files
        .keys()
        .filter(|name| name.contains("/shards/"))
        .cloned()
        .collect()
}

#[tokio::test]
async fn one_change_writes_and_reads_one_part() {
    let objects = Objects::memory();
    build_many(&objects, &many(0, "first")).await;
    let old = Published::newest(&objects, &site(), None)
        .await
        .unwrap()
        .unwrap();
    let before = in_store(&objects).await;
    let parts = in_shards(&before).len() - 1;
    assert!(parts > 3, "{parts} parts");

    assert_eq!(
        build_many(&objects, &many(1000, "changed")).await.written,
        2
    );
    let after = in_store(&objects).await;
    // File 0 and file 1000, the parts that have them, the manifest; the commit; the marks of the sweep and the live tree
    // were there.
    let new: Vec<&String> = after
        .keys()
        .filter(|name| !before.contains_key(*name))
        .collect();
    assert!(new.len() <= 6, "{new:?}");
    assert_eq!(in_shards(&after).len(), parts + 1);
    let new = Published::newest(&objects, &site(), Some(&old))
        .await
        .unwrap()
        .unwrap();
    let of = |published: &Published| {
        published
            .manifest(&tree("es"))
            .unwrap()
            .objects
            .parts()
            .to_vec()
    };
    let old = of(&old);
    let new = of(&new);
    let shared = new
        .iter()
        .filter(|part| old.iter().any(|old| Arc::ptr_eq(old, part)))
        .count();
    assert!(shared + 2 >= new.len(), "{shared} of {}", new.len());
    // And of what is read, the files that did not change.
    let of = |parts: &[Arc<manifest::ManifestPart>]| {
        parts
            .iter()
            .flat_map(|part| part.files.clone())
            .collect::<Vec<_>>()
    };
    let both = of(&old).into_iter().zip(of(&new));
    let same = both
        .filter(|(old, new)| Arc::ptr_eq(&old.0, &new.0) && Arc::ptr_eq(&old.1, &new.1))
        .count();
    // File 0 and file 1000 are other ones.
    assert_eq!(same, 1998);
}

#[tokio::test]
async fn a_part_that_is_lost_or_damaged_is_written_anew() {
    for bytes in [None, Some(Bytes::from_static(b"{}\n"))] {
        let objects = Objects::memory();
        let files = many(0, "first");
        build_many(&objects, &files).await;
        let whole = readable(&objects).await;
        let old = Published::newest(&objects, &site(), None)
            .await
            .unwrap()
            .unwrap();
        let part = Arc::clone(&old.manifest(&tree("es")).unwrap().objects.parts()[1]);
        let key = keys::SiteKeys(&site())
            .shard(&part.place.as_ref().unwrap().hash, None)
            .unwrap();
        match bytes {
            Some(bytes) => objects.put(&key, bytes).await.unwrap(),
            None => objects.delete(vec![key]).await.unwrap(),
        }
        let error = Published::newest(&objects, &site(), None)
            .await
            .unwrap_err();
        assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
        build_many(&objects, &files).await;
        assert_same(&readable(&objects).await, &whole);
    }
}

#[tokio::test]
async fn what_was_loaded_and_is_lost_is_noticed_by_drafts_and_sweeps() {
    for is_part in [true, false] {
        loses(is_part).await;
    }
}

/// Loses a part of the newest deployment that no other has, or the record of its tree.
async fn loses(is_part: bool) {
    let objects = Objects::memory();
    let label = tree("es");
    let build = async |name: &str, known: Option<&Published>| {
        let lock = Lock::share(&objects, &site()).await.unwrap();
        let draft = Draft::begin_under(&objects, &site(), lock, known, &Warm::default(), None)
            .await
            .unwrap();
        for (_, name, body) in many(0, name) {
            draft.put(&label, object(&name, &body)).await.unwrap();
        }
        draft.finish(settings()).await.unwrap()
    };
    build("first", None).await;
    build("second", None).await;
    let known = Published::newest(&objects, &site(), None)
        .await
        .unwrap()
        .unwrap();
    // What only the newest deployment has.
    let own = &known.manifest(&label).unwrap().objects.parts()[0];
    let hash = if is_part {
        &own.place.as_ref().unwrap().hash
    } else {
        &known.commit().trees[&label].hash
    };
    let key = keys::SiteKeys(&site()).shard(hash, None).unwrap();
    objects.delete(vec![key]).await.unwrap();
    sweep_knowing(&objects, 1, Some(&known)).await.unwrap();
    assert!(
        Published::load(&objects, &site(), 1, None).await.is_ok(),
        "the last deployment that is whole was swept"
    );
    assert_eq!(build("second", Some(&known)).await.deployment, 3);
    assert_eq!(
        Published::newest(&objects, &site(), None)
            .await
            .unwrap()
            .unwrap()
            .deployment(),
        3
    );
}
