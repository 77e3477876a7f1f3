//! Room on a disk: a folder does not hold one deployment more than are kept while the next is written.

use super::*;

const PAGES: usize = 60;

async fn numbers(objects: &Objects) -> Vec<u64> {
    deployments(objects, &site())
        .await
        .unwrap()
        .iter()
        .map(|line| line.commit.deployment)
        .collect()
}

/// Begins a deployment and puts pages of which the first `changed` are of this edition and the others of edition 1.
async fn begin(objects: &Objects, edition: u32, changed: usize) -> Draft {
    let draft = Draft::begin(objects, &site()).await.unwrap().keeping(2);
    for number in 0..PAGES {
        let edition = if number < changed { edition } else { 1 };
        let text = page(&format!("page {number} of edition {edition}"));
        draft
            .put(&tree("es"), object(&format!("{number}.html"), &text))
            .await
            .unwrap();
    }
    draft
}

async fn two(objects: &Objects) {
    for edition in 0..2 {
        begin(objects, edition, PAGES)
            .await
            .finish(settings())
            .await
            .unwrap();
    }
}

fn size(folder: &Path) -> usize {
    on_disk(folder)
        .iter()
        .filter(|(name, _)| name.contains("/objects/"))
        .map(|(_, bytes)| bytes.len())
        .sum()
}

#[tokio::test]
async fn what_is_pushed_out_goes_before_the_rest_is_written() {
    let folder = scratch();
    let objects = Objects::folder(folder.path()).unwrap();
    begin(&objects, 0, PAGES)
        .await
        .finish(settings())
        .await
        .unwrap();
    let generation = size(folder.path());
    begin(&objects, 1, PAGES)
        .await
        .finish(settings())
        .await
        .unwrap();
    assert_eq!(numbers(&objects).await, [2, 1]);
    let draft = begin(&objects, 2, PAGES).await;
    assert_eq!(numbers(&objects).await, [2], "the oldest is gone");
    assert!(size(folder.path()) * 10 <= generation * 22);
    // Others share the site again, and nobody sweeps while this one writes.
    assert!(Lock::only(&objects, &site()).await.unwrap().is_none());
    drop(Lock::share(&objects, &site()).await.unwrap());
    draft.finish(settings()).await.unwrap();
    drop(draft);
    sweep(&objects, &site(), 2, None).await.unwrap();
    assert_eq!(numbers(&objects).await, [3, 2]);
    let third: TestFiles = (0..PAGES)
        .map(|n| {
            (
                format!("es/{n}.html"),
                page(&format!("page {n} of edition 2")).into_bytes(),
            )
        })
        .collect();
    assert_eq!(readable(&objects).await, third);
    assert!(Published::load(&objects, &site(), 2, None).await.is_ok());
    assert!(
        size(folder.path()) * 100 <= generation * 201,
        "nothing else is left"
    );
}

#[tokio::test]
async fn small_changes_and_company_leave_everything_to_the_sweep() {
    let folder = scratch();
    let objects = Objects::folder(folder.path()).unwrap();
    two(&objects).await;
    let draft = begin(&objects, 2, 1).await;
    assert_eq!(numbers(&objects).await, [2, 1]);
    drop(draft);
    let other = Lock::share(&objects, &site()).await.unwrap();
    let draft = begin(&objects, 2, PAGES).await;
    assert_eq!(numbers(&objects).await, [2, 1]);
    drop(other);
    draft.finish(settings()).await.unwrap();
    drop(draft);
    sweep(&objects, &site(), 2, None).await.unwrap();
    assert_eq!(numbers(&objects).await, [3, 2]);
}

/// Bytes that come back from the deployment that goes are those of the new one.
#[tokio::test]
async fn what_was_written_again_stays() {
    let folder = scratch();
    let objects = Objects::folder(folder.path()).unwrap();
    two(&objects).await;
    let draft = begin(&objects, 0, PAGES).await;
    assert_eq!(numbers(&objects).await, [2]);
    draft.finish(settings()).await.unwrap();
    assert_eq!(
        readable(&objects).await["es/0.html"],
        page("page 0 of edition 0").into_bytes()
    );
    assert_eq!(readable(&objects).await.len(), PAGES);
}
