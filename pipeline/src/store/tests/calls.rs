//! Calls to the store that fail one after the other.

use super::faulty::{Faults, WriteFault};
use super::*;

/// Lets the n-th call fail, for every n, and checks: readers see the old or the new deployment, and a second try ends
/// as if nothing had failed.
async fn every_call_fails_once(fault: WriteFault, on_a_disk: bool) {
    let clean_folder = scratch();
    let open = |folder: &Path| {
        if on_a_disk {
            Objects::folder(folder).unwrap()
        } else {
            Objects::memory()
        }
    };
    let clean = open(clean_folder.path());
    build(&clean, &first(), settings()).await.unwrap();
    build(&clean, &second(), settings()).await.unwrap();
    let clean = if on_a_disk {
        on_disk(clean_folder.path())
    } else {
        in_store(&clean).await
    };
    for call in 1.. {
        let folder = scratch();
        let objects = open(folder.path());
        build(&objects, &first(), settings()).await.unwrap();
        let faults = Faults::new(fault, call);
        let failing = objects.wrapped(|store| faults.wrap(store));
        let result = build(&failing, &second(), settings()).await;
        let seen = readable(&objects).await;
        assert!(
            seen == as_files(&first()) || seen == as_files(&second()),
            "a mix after call {call}"
        );
        assert!(
            result.is_err() || seen == as_files(&second()),
            "acknowledged but not there after call {call}"
        );
        build(&objects, &second(), settings()).await.unwrap();
        let after = if on_a_disk {
            on_disk(folder.path())
        } else {
            in_store(&objects).await
        };
        assert_same(&after, &clean);
        if !faults.happened() {
            assert!(call > 20, "only {call} calls were tried");
            return;
        }
    }
}

#[tokio::test]
async fn one_failed_call_is_made_good_on_a_disk() {
    every_call_fails_once(WriteFault::Once, true).await;
}

#[tokio::test]
async fn one_failed_call_is_made_good_in_a_bucket() {
    every_call_fails_once(WriteFault::Once, false).await;
}

#[tokio::test]
async fn lost_answer_is_made_good_on_a_disk() {
    every_call_fails_once(WriteFault::LostAnswer, true).await;
}

#[tokio::test]
async fn lost_answer_is_made_good_in_a_bucket() {
    every_call_fails_once(WriteFault::LostAnswer, false).await;
}

#[tokio::test]
async fn killed_build_is_made_good_on_a_disk() {
    every_call_fails_once(WriteFault::Dead, true).await;
}

#[tokio::test]
async fn killed_build_is_made_good_in_a_bucket() {
    every_call_fails_once(WriteFault::Dead, false).await;
}

#[tokio::test]
async fn full_disk_ends_a_build_and_names_file_and_cause() {
    let folder = scratch();
    let objects = Objects::folder(folder.path()).unwrap();
    build(&objects, &first(), settings()).await.unwrap();
    for at in [1, 6, 12] {
        let faults = Faults::new(WriteFault::Full, at);
        let error = build(
            &objects.wrapped(|store| faults.wrap(store)),
            &second(),
            settings(),
        )
        .await
        .unwrap_err();
        let text = error.to_string();
        let place = folder.path().canonicalize().unwrap();
        assert!(error.is_full(), "{text}");
        assert!(
            text.contains(place.to_str().unwrap()) && text.contains("No space left on device"),
            "{text}"
        );
        assert_eq!(readable(&objects).await, as_files(&first()));
    }
    build(&objects, &second(), settings()).await.unwrap();
    assert_eq!(readable(&objects).await, as_files(&second()));
}
