//! Edits that hardly show.

use std::fs;
use std::time::Duration;

use pipeline::run::{BuildOptions, SETTLING};
use tempfile::TempDir;

use super::model::{Model, rewrite};
use super::{BUILDS, Chance, all_files, build, build_with, options};

/// How many there are.
const EDITS: usize = 200;

/// Edits of one byte right after a build, of the same length and with the time of the last change put back: each is seen, also
/// where a file system's clock did not go on in between.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn edits_that_hardly_show_are_seen() {
    let _others = BUILDS.read().await;
    let root = TempDir::new().unwrap();
    let mut chance = Chance(1);
    let mut model = Model::default();
    model.settings.insert("engine", "[\"pseudo\"]");
    model.put_page("index.html", &mut chance);
    model.write(root.path(), &mut chance);
    let file = root.path().join("source/index.html");
    let page = |digit: usize| {
        format!(
            "<!doctype html><html lang=en><title>Home</title><p>Order {digit} loaves</p></html>"
        )
    };
    let published = || {
        let tree = all_files(&root.path().join("store"));
        let own = tree.into_iter().find(|path| {
            path.ends_with("en-XA/index.html") && !path.to_string_lossy().contains('_')
        });
        fs::read_to_string(own.unwrap()).unwrap()
    };
    fs::write(&file, page(0)).unwrap();
    build(root.path(), false).await.0.unwrap();
    for round in 1..=EDITS {
        rewrite(&file, &page(round % 10));
        let settling = if round % 2 == 0 {
            Duration::ZERO
        } else {
            SETTLING
        };
        build_with(
            root.path(),
            &BuildOptions {
                settling,
                ..options(false)
            },
            |_, _| (),
        )
        .await
        .0
        .unwrap();
        assert!(
            published().contains(&(round % 10).to_string()),
            "round {round}: {}",
            published()
        );
    }
}
