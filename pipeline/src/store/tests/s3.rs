//! The same deployments in a bucket, whatever happens to requests on their way.

use std::time::Duration;

use futures::{StreamExt, TryStreamExt};
use hyper::Method;

use super::server::{BucketServer, RequestFault};
use super::*;
use crate::store::objects::Created;

/// Starts a server with one bucket and opens a store in it.
async fn bucket(folder: &Path) -> Objects {
    BucketServer::start(folder).await.objects()
}

#[tokio::test]
async fn bucket_holds_the_same_deployments_as_memory() {
    let folder = scratch();
    let objects = bucket(folder.path()).await;
    let memory = Objects::memory();
    for files in [first(), second()] {
        assert_eq!(
            build(&objects, &files, settings()).await.unwrap(),
            build(&memory, &files, settings()).await.unwrap()
        );
        assert_eq!(readable(&objects).await, as_files(&files));
    }
    assert_same(&in_store(&objects).await, &in_store(&memory).await);
    assert!(
        !build(&objects, &second(), settings())
            .await
            .unwrap()
            .created
    );
}

#[tokio::test]
async fn second_of_two_builds_is_told_by_a_bucket() {
    let folder = scratch();
    let objects = bucket(folder.path()).await;
    let slow = Draft::begin(&objects, &site()).await.unwrap();
    build(&objects, &first(), settings()).await.unwrap();
    assert!(matches!(
        slow.finish(settings()).await,
        Err(StoreError::Overtaken { deployment: 1, .. })
    ));
}

/// Something that is not chance but looks like it.
fn dice(number: usize) -> u8 {
    blake3::hash(&number.to_le_bytes()).as_bytes()[0]
}

/// About 24 of 100 requests fail, each in one of four ways.
fn often(number: usize, _: &Method) -> RequestFault {
    match dice(number) {
        0..16 => RequestFault::Reset,
        16..24 => RequestFault::Refused(503, "SlowDown"),
        24..31 => RequestFault::Refused(500, "InternalError"),
        31..47 => RequestFault::Cut,
        47..62 => RequestFault::LostAnswer,
        62.. => RequestFault::Nothing,
    }
}

fn pages(count: usize) -> Vec<(&'static str, String, String)> {
    (0..count)
        .map(|number| {
            (
                "es",
                format!("p{number}.html"),
                page(&format!("Pan {number}")),
            )
        })
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn deployment_is_right_though_a_quarter_of_all_requests_fail() {
    let folder = scratch();
    let server = BucketServer::start(folder.path()).await;
    let pages = pages(150);
    let files: Vec<_> = pages
        .iter()
        .map(|(tree, name, body)| (*tree, name.as_str(), body.clone()))
        .collect();
    server.fail(often);
    let objects = server.objects();
    let finished = build(&objects, &files, settings()).await.unwrap();
    assert!(finished.created);
    assert_eq!(finished.written, 150);
    let puts = server.count(&Method::PUT);
    server.fail(|_, _| RequestFault::Nothing);
    assert_eq!(readable(&objects).await, as_files(&files));
    let stored = in_store(&objects).await.len();
    assert!(puts <= 2 * stored, "{puts} PUT for {stored} objects");
}

/// What becomes of a key when creating it meets faults, one after the other.
#[tokio::test]
async fn created_is_told_by_the_bytes_that_lie_there() {
    let conflict = RequestFault::Refused(409, "ConditionalRequestConflict");
    let cases: [(&[RequestFault], Option<&str>, Created); 6] = [
        (&[], None, Created::New),
        (&[], Some("theirs"), Created::Other(Bytes::from("theirs"))),
        (&[], Some("ours"), Created::Same),
        (&[conflict, conflict], None, Created::New),
        (&[RequestFault::LostAnswer], None, Created::Same),
        (
            &[conflict, RequestFault::Cut, RequestFault::Reset],
            Some("theirs"),
            Created::Other(Bytes::from("theirs")),
        ),
    ];
    let folder = scratch();
    let server = BucketServer::start(folder.path()).await;
    let objects = server.objects();
    for (at, (faults, before, expected)) in cases.into_iter().enumerate() {
        let key = Key::from(format!("{at}.json"));
        server.fail(|_, _| RequestFault::Nothing);
        if let Some(before) = before {
            objects.put(&key, Bytes::from(before)).await.unwrap();
        }
        let faults = faults.to_vec();
        server.fail(move |number, _| faults.get(number).copied().unwrap_or(RequestFault::Nothing));
        assert_eq!(
            objects.create(&key, Bytes::from("ours")).await.unwrap(),
            expected,
            "case {at}"
        );
    }
}

#[tokio::test]
async fn reading_goes_on_where_it_was_cut_off() {
    let folder = scratch();
    let server = BucketServer::start(folder.path()).await;
    let objects = server.objects();
    let key = Key::from("large");
    let bytes: Vec<u8> = (0..200_000_usize).map(dice).collect();
    objects.put(&key, Bytes::from(bytes.clone())).await.unwrap();
    server.fail(|number, _| {
        if number < 4 {
            RequestFault::Cut
        } else {
            RequestFault::Nothing
        }
    });
    let stream = objects.stream(&key, None).await.unwrap().unwrap();
    let read = stream.try_fold(Vec::new(), |mut all, piece| async move {
        all.extend_from_slice(&piece);
        Ok(all)
    });
    assert_eq!(read.await.unwrap(), bytes);
    assert_eq!(server.count(&Method::GET), 5);
}

#[tokio::test]
async fn long_list_goes_on_behind_what_was_listed() {
    let folder = scratch();
    let server = BucketServer::start(folder.path()).await;
    let objects = server.objects();
    let place = folder.path().join("pages/some/prefix/long");
    std::fs::create_dir_all(&place).unwrap();
    (0..1100).for_each(|number| std::fs::write(place.join(number.to_string()), "x").unwrap());
    server.fail(|number, _| match number {
        1 => RequestFault::Cut,
        2 => RequestFault::Reset,
        _ => RequestFault::Nothing,
    });
    assert_eq!(objects.list(&Key::from("long")).await.unwrap().len(), 1100);
    // A page of a thousand, the rest twice for nothing, and the rest.
    assert_eq!(server.count(&Method::GET), 4);
}

/// What an operator reads when a store will never answer otherwise, and how many requests were made.
#[tokio::test]
async fn wrong_settings_fail_at_once_and_name_the_setting() {
    let folder = scratch();
    let server = BucketServer::start(folder.path()).await;
    let refused = |status, code| move |_: usize, _: &Method| RequestFault::Refused(status, code);
    for (status, code, text) in [
        (401, "", "check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"),
        (403, "AccessDenied", "these credentials may not do that"),
        (403, "InvalidAccessKeyId", "check AWS_ACCESS_KEY_ID"),
        (403, "SignatureDoesNotMatch", "check AWS_SECRET_ACCESS_KEY"),
        (
            403,
            "RequestTimeTooSkewed",
            "the clock of this machine is wrong",
        ),
        (400, "ExpiredToken", "set a new AWS_SESSION_TOKEN"),
        (404, "NoSuchBucket", "check `objects` in [store]"),
        (301, "PermanentRedirect", "set AWS_REGION"),
        (
            400,
            "InvalidArgument",
            "it answered 400 (InvalidArgument): a fault of the test",
        ),
    ] {
        server.fail(refused(status, code));
        let error = Published::newest(&server.objects(), &site(), None)
            .await
            .unwrap_err()
            .to_string();
        assert!(
            error.contains(text) && error.contains("s3://pages/some/prefix"),
            "{status} {code}: {error}"
        );
        assert!(!error.contains('<'), "{error}");
        assert_eq!(server.count(&Method::GET), 1, "{status} {code}");
    }
}

#[tokio::test]
async fn wrong_endpoint_is_named_at_once() {
    let folder = scratch();
    let server = BucketServer::start(folder.path()).await;
    for (endpoint, allow_http, text) in [
        (
            "http://no-such-host.invalid:1",
            "true",
            "check AWS_ENDPOINT_URL",
        ),
        ("http://127.0.0.1:1", "false", "set AWS_ALLOW_HTTP=true"),
    ] {
        let mut options = server.options();
        options.insert("aws_endpoint".to_owned(), endpoint.to_owned());
        options.insert("aws_allow_http".to_owned(), allow_http.to_owned());
        let objects = Objects::open("s3://pages", &options).unwrap();
        let error = Published::newest(&objects, &site(), None)
            .await
            .unwrap_err()
            .to_string();
        assert!(error.contains(text), "{error}");
    }
}

#[tokio::test]
async fn store_that_stays_away_is_said_after_the_patience() {
    let folder = scratch();
    let server = BucketServer::start(folder.path()).await;
    server.fail(|_, _| RequestFault::Reset);
    let objects = server.objects().with_patience(Duration::from_secs(1));
    let error = Published::newest(&objects, &site(), None)
        .await
        .unwrap_err();
    assert!(matches!(error, StoreError::Away { .. }), "{error}");
    assert!(
        error
            .to_string()
            .starts_with("the store s3://pages/some/prefix has not answered for 1s: "),
        "{error}"
    );
}

mod nightly {
    use super::*;

    /// Says as well how much longer it takes:
    ///
    /// ```text
    /// cargo test --release --workspace --lib -- --ignored --nocapture thousand_pages
    /// ```
    #[tokio::test(flavor = "multi_thread")]
    #[ignore = "needs a minute: tests/run --nightly"]
    async fn thousand_pages_cost_two_requests_each_though_a_quarter_of_all_fail() {
        let pages = pages(1000);
        let files: Vec<_> = pages
            .iter()
            .map(|(tree, name, body)| (*tree, name.as_str(), body.clone()))
            .collect();
        let measure = async |fault: fn(usize, &Method) -> RequestFault| {
            let folder = scratch();
            let server = BucketServer::start(folder.path()).await;
            server.fail(fault);
            let objects = server.objects();
            let begun = std::time::Instant::now();
            let draft = Draft::begin(&objects, &site()).await.unwrap();
            let puts = files.iter().map(|(label, name, body)| {
                let draft = &draft;
                let tree = tree(label);
                let object = object(name, body);
                async move { draft.put(&tree, object).await.unwrap() }
            });
            // As many at a time as a build renders.
            futures::stream::iter(puts)
                .buffer_unordered(8)
                .for_each(async |_| ())
                .await;
            assert!(draft.finish(settings()).await.unwrap().created);
            let took = begun.elapsed();
            let puts = server.count(&Method::PUT);
            server.fail(|_, _| RequestFault::Nothing);
            assert_eq!(readable(&objects).await, as_files(&files));
            (took, puts, in_store(&objects).await.len())
        };
        let (quiet, _, _) = measure(|_, _| RequestFault::Nothing).await;
        let (faulty, puts, stored) = measure(often).await;
        let ratio = faulty.as_secs_f64() / quiet.as_secs_f64();
        eprintln!("{faulty:?} instead of {quiet:?} ({ratio:.2}x), {puts} PUT for {stored} objects");
        assert!(puts <= 2 * stored, "{puts} PUT for {stored} objects");
    }
}
