//! One timer for all heads of a connection.
//!
//! hyper takes a new timer for each request and drops it when the head is there. With the runtime's own that is one more
//! entry in a list that all connections share, and one less, for each request. This timer stays in the list: when it
//! rings for a head that came long ago, it is set for the one that is waited for now.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use hyper::rt::{Sleep, Timer};
use tokio::time;

/// The timer of a connection.
#[derive(Debug)]
pub(super) struct HeadTimer(Arc<Mutex<Alarm>>);

type Alarm = Pin<Box<time::Sleep>>;

/// The wait for one head. A connection has one at a time.
struct Wait {
    until: time::Instant,
    alarm: Arc<Mutex<Alarm>>,
}

impl HeadTimer {
    /// A timer that nobody waits for; it is set, for the first time, when it is first asked.
    pub(super) fn new() -> Self {
        Self(Arc::new(Mutex::new(Box::pin(time::sleep(Duration::MAX)))))
    }
}

impl Timer for HeadTimer {
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Sleep>> {
        self.sleep_until(self.now() + duration)
    }

    fn sleep_until(&self, deadline: Instant) -> Pin<Box<dyn Sleep>> {
        Box::pin(Wait {
            until: deadline.into(),
            alarm: Arc::clone(&self.0),
        })
    }

    fn now(&self) -> Instant {
        time::Instant::now().into()
    }
}

impl Sleep for Wait {}

impl Future for Wait {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let mut alarm = self.alarm.lock().unwrap_or_else(PoisonError::into_inner);
        if alarm.deadline() > self.until {
            alarm.as_mut().reset(self.until);
        }
        loop {
            ready!(alarm.as_mut().poll(context));
            if alarm.deadline() >= self.until {
                return Poll::Ready(());
            }
            alarm.as_mut().reset(self.until);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn each_wait_has_its_own_end() {
        let timer = HeadTimer::new();
        let started = time::Instant::now();
        for (seconds, is_given_up, end) in [
            (15, true, 1),
            (15, false, 16),
            (5, false, 21),
            (15, true, 22),
            (2, false, 24),
        ] {
            let wait = timer.sleep(Duration::from_secs(seconds));
            let waited =
                time::timeout(Duration::from_secs(if is_given_up { 1 } else { 60 }), wait).await;
            assert_eq!(
                (waited.is_err(), started.elapsed().as_secs()),
                (is_given_up, end)
            );
        }
        // What rang while nobody waited is no end of a later wait.
        assert!(
            time::timeout(Duration::from_secs(1), timer.sleep(Duration::from_secs(5)))
                .await
                .is_err()
        );
        time::sleep(Duration::from_secs(20)).await;
        timer.sleep(Duration::from_secs(3)).await;
        assert_eq!(started.elapsed().as_secs(), 24 + 1 + 20 + 3);
    }
}
