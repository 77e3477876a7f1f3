//! Files that were there before, as when a language is switched off and on again.

use super::*;

#[tokio::test]
async fn files_that_come_back_are_not_written_again_and_are_as_new_as_their_return() {
    let objects = Objects::memory();
    let build = async |files: &[(&str, &str)]| {
        let mut draft = Draft::begin(&objects, &site()).await.unwrap();
        draft.recall_earlier().await.unwrap();
        for (name, body) in files {
            draft.put(&tree("es"), object(name, body)).await.unwrap();
        }
        draft.finish(settings()).await.unwrap()
    };
    let long = "words of a page ".repeat(200);
    for (files, written) in [
        (vec![("index.html", "home"), ("about.html", &long)], 2),
        (vec![("index.html", "home")], 0),
        (vec![("index.html", "new")], 1),
        (vec![("index.html", "home"), ("about.html", &long)], 0),
    ] {
        assert_eq!(build(&files).await.written, written);
        let expected = files
            .iter()
            .map(|(name, body)| (format!("es/{name}"), body.as_bytes().to_vec()));
        assert_eq!(readable(&objects).await, expected.collect::<TestFiles>());
        sweep_all(&objects, 4).await.unwrap();
    }
    let published = Published::newest(&objects, &site(), None)
        .await
        .unwrap()
        .unwrap();
    let created: Vec<_> = deployments(&objects, &site())
        .await
        .unwrap()
        .iter()
        .map(|line| line.created)
        .collect();
    for path in ["/", "/about.html"] {
        let (_, entry) = published.find(&tree("es"), path).unwrap();
        assert_eq!(
            (entry.deployment, published.modified(entry)),
            (1, created.iter().max().copied()),
            "{path}"
        );
    }
    assert!(
        published
            .find(&tree("es"), "/about.html")
            .unwrap()
            .1
            .encodings
            .iter()
            .count()
            == 2
    );
}
