//! Fetched pages in the store.

use super::*;

#[tokio::test]
async fn sources_come_back() {
    let objects = Objects::memory();
    put_source(&objects, &site(), "a/b.html", Bytes::from_static(b"x"))
        .await
        .unwrap();
    assert_eq!(
        source(&objects, &site(), "a/b.html")
            .await
            .unwrap()
            .unwrap(),
        "x"
    );
    let listed = sources(&objects, &site()).await.unwrap();
    assert_eq!(
        listed
            .iter()
            .map(|source| (&*source.name, source.size))
            .collect::<Vec<_>>(),
        [("a/b.html", 1)]
    );
    remove_source(&objects, &site(), "a/b.html").await.unwrap();
    assert_eq!(source(&objects, &site(), "a/b.html").await.unwrap(), None);
    assert!(
        put_source(&objects, &site(), "../../x", Bytes::new())
            .await
            .is_err()
    );
}
