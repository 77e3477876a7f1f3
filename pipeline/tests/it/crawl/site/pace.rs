//! The pace of a crawl: how many fetches run at a time, how far apart they start, and readers that are slow or gone.

use std::time::Duration;

use pipeline::crawl::{CrawlError, Resource, crawl};
use tokio::sync::mpsc;

use super::*;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_slow_reader_loses_nothing() {
    let origin = big_site(3_000).await;
    let (sink, mut resources) = mpsc::channel::<Resource>(1);
    let source = origin.source();
    let options = CrawlOptions {
        concurrency: 16,
        ..options()
    };
    let crawl = tokio::spawn(async move { crawl(&source, &options, sink).await });
    let mut paths = BTreeSet::new();
    while let Some(resource) = resources.recv().await {
        for _ in 0..20 {
            tokio::task::yield_now().await;
        }
        assert!(paths.insert(resource.path));
    }
    let crawled = crawl.await.unwrap().unwrap();
    assert_eq!(
        (paths.len(), crawled.pages, crawled.failures.len()),
        (3_001, 3_001, 0)
    );
    assert_eq!(origin.asked().len(), 3_003);
}

#[tokio::test]
async fn concurrency_is_kept_to() {
    for concurrency in [1, 4] {
        let origin = Origin::start(|target, _| {
            let links: String = (0..24)
                .map(|number| format!("<a href=/{number}>"))
                .collect();
            if target == "/" {
                Answer::page(links)
            } else {
                Answer::page("x").late(Duration::from_millis(10))
            }
        })
        .await;
        collect(
            &origin.source(),
            &CrawlOptions {
                concurrency,
                ..options()
            },
        )
        .await
        .0
        .unwrap();
        assert_eq!(origin.peak(), concurrency);
    }
}

#[tokio::test]
async fn fetches_start_apart() {
    let origin = full_site(
        "<a href=/a><a href=/b><a href=/c><a href=/d><a href=/e>",
        Vec::new(),
    )
    .await;
    let delay = Duration::from_millis(30);
    collect(&origin.source(), &CrawlOptions { delay, ..options() })
        .await
        .0
        .unwrap();
    let pages: Vec<_> = origin
        .asked()
        .into_iter()
        .filter(|asked| asked.target.len() == 2)
        .map(|asked| asked.at)
        .collect();
    assert_eq!(pages.len(), 5);
    let apart = pages.windows(2).map(|pair| pair[1] - pair[0]);
    assert!(
        apart.clone().all(|gap| gap >= Duration::from_millis(20)),
        "{:?}",
        apart.collect::<Vec<_>>()
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn dropping_a_crawl_stops_it() {
    let origin = big_site(100_000).await;
    let (sink, mut resources) = mpsc::channel::<Resource>(1);
    let source = origin.source();
    let options = options();
    let task = tokio::spawn(async move { crawl(&source, &options, sink).await });
    for _ in 0..50 {
        resources.recv().await.unwrap();
    }
    task.abort();
    assert!(task.await.unwrap_err().is_cancelled());
    origin.deserted().await;
    while resources.recv().await.is_some() {}
    assert!(origin.asked().len() < 200);
}

#[tokio::test]
async fn a_crawl_without_a_reader_ends() {
    let origin = big_site(1_000).await;
    let (sink, resources) = mpsc::channel::<Resource>(1);
    drop(resources);
    let error = crawl(&origin.source(), &options(), sink).await.unwrap_err();
    assert!(matches!(error, CrawlError::Stopped), "{error}");
    assert!(origin.asked().len() < 20);
}
