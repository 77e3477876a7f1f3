//! Files that are not what the manifest says.

use super::*;

/// Deleting, cutting and changing files, whichever of a file and its variants it is, and files of all trees.
#[tokio::test]
async fn damage_is_found_by_size_or_by_bytes() {
    let objects = Objects::memory();
    build(&objects, &first(), settings()).await.unwrap();
    build(&objects, &second(), settings()).await.unwrap();
    let published = Published::newest(&objects, &site(), None)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(published.check_sizes(&objects).await.unwrap(), []);
    assert_eq!(published.check_bytes(&objects).await.unwrap(), []);
    let changed = |bytes: &[u8]| {
        let mut bytes = bytes.to_vec();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        Some(Bytes::from(bytes))
    };
    let cut = |bytes: &[u8]| Some(Bytes::copy_from_slice(&bytes[1..]));
    let gone = |_: &[u8]| None::<Bytes>;
    type Corruption<'a> = &'a dyn Fn(&[u8]) -> Option<Bytes>;
    for (label, name, encoding, change, by_size, by_bytes) in [
        (
            "es",
            "index.html",
            None,
            &gone as Corruption<'_>,
            Some(FileFlaw::Missing),
            FileFlaw::Missing,
        ),
        (
            "en",
            "index.html",
            Some(Encoding::Brotli),
            &gone,
            Some(FileFlaw::Missing),
            FileFlaw::Missing,
        ),
        (
            "ar",
            "index.html",
            None,
            &cut,
            Some(FileFlaw::Size),
            FileFlaw::Size,
        ),
        (
            "_assets",
            "img/loaf.svg",
            None,
            &changed,
            None,
            FileFlaw::Bytes,
        ),
        (
            "es",
            "new/index.html",
            Some(Encoding::Gzip),
            &changed,
            None,
            FileFlaw::Bytes,
        ),
        (
            "es",
            "new/index.html",
            Some(Encoding::Brotli),
            &changed,
            None,
            FileFlaw::Bytes,
        ),
    ] {
        let tree = tree(label);
        let entry = published
            .manifest(&tree)
            .unwrap()
            .objects
            .get(name)
            .unwrap()
            .clone();
        let key = keys::SiteKeys(published.site())
            .part(&tree, name, &entry, encoding)
            .unwrap();
        let good = objects.get(&key).await.unwrap().unwrap();
        match change(&good) {
            Some(bytes) => objects.put(&key, bytes).await.unwrap(),
            None => objects.delete(vec![key.clone()]).await.unwrap(),
        }
        let damage = |flaw| Damage {
            tree: tree.clone(),
            path: entry.path.to_string(),
            encoding,
            flaw,
        };
        let by_size: Vec<_> = by_size.map(damage).into_iter().collect();
        assert_eq!(
            published.check_sizes(&objects).await.unwrap(),
            by_size,
            "{key}"
        );
        assert_eq!(
            published.check_bytes(&objects).await.unwrap(),
            [damage(by_bytes)],
            "{key}"
        );
        let files: usize = published
            .trees()
            .map(|tree| published.manifest(tree).unwrap().objects.len())
            .sum();
        let mut sampled = Vec::new();
        for number in files..2 * files {
            sampled.extend(published.check_nth(&objects, number).await.unwrap());
        }
        assert_eq!(sampled, [damage(by_bytes)], "{key}");
        objects.put(&key, good).await.unwrap();
    }
}
