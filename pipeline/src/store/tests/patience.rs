//! Waiting for a store that is away, fifty times as fast as for people.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use crate::store::patience::{GaveUp, Patience, RetryPace, StoreFault};

const SECOND: Duration = Duration::from_millis(20);
const AWAY: u32 = 60;

static TOLD: std::sync::Mutex<Vec<String>> = std::sync::Mutex::new(Vec::new());

fn patience(longest: u32) -> Patience {
    let pace = RetryPace {
        first: SECOND / 10,
        slowest: SECOND,
        notice: SECOND * 10,
        longest: SECOND * longest,
    };
    Patience::with_pace("s3://pages".to_owned(), pace)
}

fn judge(error: &&str) -> StoreFault {
    match *error {
        "gone" => StoreFault::Final,
        cause => StoreFault::Passing(cause.to_owned()),
    }
}

#[tokio::test]
async fn store_that_is_away_for_a_minute_is_asked_once_a_second_by_all_together() {
    let patience = patience(600);
    patience.telling(|line| TOLD.lock().unwrap().push(line.to_owned()));
    let begin = Instant::now();
    let tries = AtomicU32::new(0);
    let request = || async {
        tries.fetch_add(1, Ordering::Relaxed);
        if begin.elapsed() < SECOND * AWAY {
            Err("connection refused")
        } else {
            Ok(())
        }
    };
    let all = (0..16).map(|_| patience.attempt(request, judge));
    for result in futures::future::join_all(all).await {
        assert!(result.is_ok());
    }
    // Sixteen that were on their way when it went, one a second, a few sooner, and sixteen when it is back.
    let tries = tries.into_inner();
    assert!(tries <= 16 + 60 + 4 + 16, "{tries}");
    let told = TOLD.lock().unwrap();
    assert!((2..=7).contains(&told.len()), "{told:?}");
    assert!(
        told[0].starts_with(
            "the store s3://pages has not answered for 0s: connection refused; waiting"
        ),
        "{told:?}"
    );
    assert!(
        told[told.len() - 1].starts_with("the store s3://pages answers again"),
        "{told:?}"
    );
}

#[tokio::test]
async fn patience_ends() {
    let result: Result<(), _> = patience(30)
        .attempt(|| async { Err("it answered 503") }, judge)
        .await;
    let Err(GaveUp::Away { cause, .. }) = result else {
        panic!("{result:?}")
    };
    assert_eq!(cause, "it answered 503");
}

#[tokio::test]
async fn answer_that_refuses_is_not_asked_for_again() {
    let patience = patience(600);
    let tries = AtomicU32::new(0);
    let result: Result<(), _> = patience
        .attempt(
            || async {
                tries.fetch_add(1, Ordering::Relaxed);
                Err("gone")
            },
            judge,
        )
        .await;
    assert!(matches!(result, Err(GaveUp::Answer("gone"))));
    assert_eq!(tries.into_inner(), 1);
}
