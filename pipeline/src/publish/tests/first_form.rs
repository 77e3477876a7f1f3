//! Deployments of the first form: read, brought back, and carried over by the next build.

use super::*;

/// Writes a deployment as the first form has it: files under the number, variants known by their length alone.
async fn write_first_form(objects: &Objects, files: &[(&str, &str, String)]) {
    let mut trees: BTreeMap<Tree, BTreeMap<String, serde_json::Value>> = BTreeMap::new();
    for (label, name, body) in files {
        let prepared = variants::prepare(body.as_bytes(), &object(name, body).content_type, &[], &Encoding::ALL.into());
        let key = |encoding| keys::Keys(&site()).first_object(1, &tree(label), name, encoding).unwrap();
        objects.put(&key(None), body.clone().into()).await.unwrap();
        let mut encodings = serde_json::Map::new();
        for (encoding, bytes) in prepared.variants {
            let label = if encoding == Encoding::Gzip { "gzip" } else { "brotli" };
            encodings.insert(label.to_owned(), bytes.len().into());
            objects.put(&key(Some(encoding)), bytes).await.unwrap();
        }
        let Object { path, content_type, .. } = object(name, body);
        let entry = serde_json::json!({ "deployment": 1, "hash": prepared.hash, "size": body.len(),
            "content_type": content_type, "encodings": encodings, "path": path });
        trees.entry(tree(label)).or_default().insert((*name).to_owned(), entry);
    }
    let mut shards = serde_json::Map::new();
    for (tree, files) in trees {
        let bytes = Bytes::from(serde_json::json!({ "objects": files }).to_string());
        let shard = serde_json::json!({ "deployment": 1, "hash": record::hash(&bytes), "objects": files.len() });
        objects.put(&keys::Keys(&site()).first_manifest(1, &tree).unwrap(), bytes).await.unwrap();
        shards.insert(tree.label().to_owned(), shard);
    }
    let commit = serde_json::json!({ "format": 1, "deployment": 1, "settings": settings(), "trees": shards });
    objects.put(&Key::from("bakery/_deployments/1.json"), commit.to_string().into()).await.unwrap();
}

async fn first_form_is_read_carried_over_and_brought_back(objects: Objects) {
    write_first_form(&objects, &first()).await;
    assert_eq!(readable(&objects).await, as_files(&first()));
    let old = Published::newest(&objects, &site(), None).await.unwrap().unwrap();
    assert_eq!(old.check_sizes(&objects).await.unwrap(), []);
    assert_eq!(old.check_bytes(&objects).await.unwrap(), []);
    let created = old.find(&tree("es"), "/").map(|(_, entry)| old.modified(entry));

    // The same files, now under their hashes: a new deployment with the old times.
    let build = async |files: &[(&str, &str, String)]| {
        let draft = Draft::begin(&objects, &site()).await.unwrap();
        for (label, name, body) in files {
            draft.put(&tree(label), object(name, body)).await.unwrap();
        }
        draft.finish(settings()).await.unwrap()
    };
    let finished = build(&first()).await;
    assert_eq!(finished, Finished { deployment: 2, written: 0, removed: 0, unchanged: 8, created: true });
    let new = Published::newest(&objects, &site(), None).await.unwrap().unwrap();
    assert_eq!(new.find(&tree("es"), "/").map(|(_, entry)| new.modified(entry)), created);
    assert_eq!(new.check_bytes(&objects).await.unwrap(), []);
    assert!(!build(&first()).await.created);

    // Brought back while it is kept, and carried over again, whole trees as well as pages put.
    build(&second()).await;
    assert_eq!(roll_back(&objects, &site(), 1).await.unwrap(), 4);
    sweep_all(&objects, 2).await.unwrap();
    assert_eq!(readable(&objects).await, as_files(&first()));
    let draft = Draft::begin(&objects, &site()).await.unwrap();
    for label in ["en", "es", "ar", "_assets"] {
        draft.keep_tree(&tree(label)).await.unwrap();
    }
    draft.finish(settings()).await.unwrap();
    drop(draft);
    sweep_all(&objects, 1).await.unwrap();
    assert_eq!(readable(&objects).await, as_files(&first()));
    assert!(in_store(&objects).await.keys().all(|key| !key.starts_with("bakery/_deployments/1/")));
}

#[tokio::test]
async fn first_form_is_carried_over_on_a_disk() {
    let folder = scratch();
    first_form_is_read_carried_over_and_brought_back(Objects::folder(folder.path()).unwrap()).await;
}

#[tokio::test]
async fn first_form_is_carried_over_in_a_bucket() {
    first_form_is_read_carried_over_and_brought_back(Objects::memory()).await;
}
