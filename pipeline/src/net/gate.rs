//! Per-host back-off: a `Retry-After` pauses every request to that host.
//!
//! All fetches of a crawl pass one gate for each host. An answer with `Retry-After` closes it until the time that the
//! host named, at most `longest`. A host that gives no other answer for that long is not waited for any longer: fetches
//! fail without a request while its gate is closed, so a host that is away costs a crawl `longest` once, and not once
//! for each page.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, sleep_until};
use url::Url;

use super::fetch_error::FetchError;

/// The gates of the hosts that have asked to wait.
#[derive(Debug)]
pub(super) struct Gates {
    longest: Duration,
    hosts: Mutex<BTreeMap<String, ClosedGate>>,
}

#[derive(Clone, Copy, Debug)]
struct ClosedGate {
    status: u16,
    until: Instant,
    /// When the host asked for the first time since its last other answer; `None` when it has given one.
    since: Option<Instant>,
    /// Whether it asked again after waits that leave no time for one more.
    given_up: bool,
}

/// The way of one fetch through the gate of its host.
pub(super) struct Pass<'a> {
    gates: &'a Gates,
    host: &'a str,
    /// When this fetch was asked to wait for the first time.
    since: Option<Instant>,
    given_up: bool,
}

impl Gates {
    pub(super) fn new(longest: Duration) -> Self {
        Self {
            longest,
            hosts: Mutex::default(),
        }
    }

    pub(super) fn pass<'a>(&'a self, url: &'a Url) -> Pass<'a> {
        Pass {
            gates: self,
            host: url.host_str().unwrap_or_default(),
            since: None,
            given_up: false,
        }
    }

    fn hosts(&self) -> MutexGuard<'_, BTreeMap<String, ClosedGate>> {
        self.hosts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pass<'_> {
    /// Waits until the host may be asked; an error when that would take too long.
    pub(super) async fn wait(&self) -> Result<(), FetchError> {
        // Another answer may close it for longer meanwhile.
        while let Some(until) = self.closed_until(Instant::now())? {
            sleep_until(until).await;
        }
        Ok(())
    }

    /// Closes the gate, because the host asked to wait; says whether this fetch may be tried once more after that.
    pub(super) fn close(&mut self, status: u16, wait: Duration) -> bool {
        self.close_at(Instant::now(), status, wait)
    }

    /// Notes that the host gave an answer that asks for no wait.
    pub(super) fn answered(&self) {
        if let Some(closed) = self.gates.hosts().get_mut(self.host) {
            closed.since = None;
            closed.given_up = false;
        }
    }

    fn closed_until(&self, now: Instant) -> Result<Option<Instant>, FetchError> {
        let Some(closed) = self
            .gates
            .hosts()
            .get(self.host)
            .copied()
            .filter(|closed| now < closed.until)
        else {
            return Ok(None);
        };
        match closed.given_up || self.given_up {
            true => Err(FetchError::KeepsWaiting {
                status: closed.status,
                longest: self.gates.longest,
            }),
            false => Ok(Some(closed.until)),
        }
    }

    fn close_at(&mut self, now: Instant, status: u16, wait: Duration) -> bool {
        let longest = self.gates.longest;
        let until = now + wait.min(longest);
        self.given_up |= self.since.is_some_and(|since| until - since > longest);
        self.since.get_or_insert(now);
        let mut hosts = self.gates.hosts();
        let closed = hosts.entry(self.host.to_owned()).or_insert(ClosedGate {
            status,
            until,
            since: Some(now),
            given_up: false,
        });
        // What comes while it is closed was asked for before, so it makes the wait longer and is no second one.
        let is_again = now >= closed.until;
        closed.status = status;
        closed.until = closed.until.max(until);
        closed.given_up |= is_again
            && closed
                .since
                .is_some_and(|since| closed.until - since > longest);
        closed.since.get_or_insert(now);
        wait <= longest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONGEST: Duration = Duration::from_secs(100);

    /// What happens to the gate of a host, at a second.
    #[derive(Clone, Copy)]
    enum GateEvent {
        /// A fetch is told to wait for so many seconds; whether it may be tried once more.
        Told(u64, bool),
        /// Another answer comes.
        Answered,
        /// Another fetch comes: it waits until this second.
        Waits(u64),
        /// Another fetch comes and goes ahead.
        Passes,
        /// Another fetch comes and fails.
        Fails,
    }

    fn check(events: &[(u64, GateEvent)]) {
        let gates = Gates::new(LONGEST);
        let [url, other] =
            ["http://h.example/a", "http://o.example/"].map(|url| Url::parse(url).unwrap());
        let begin = Instant::now();
        let at = |second| begin + Duration::from_secs(second);
        for &(second, event) in events {
            let mut pass = gates.pass(&url);
            let wanted = match event {
                GateEvent::Told(wait, again) => {
                    assert_eq!(
                        pass.close_at(at(second), 503, Duration::from_secs(wait)),
                        again,
                        "{second}"
                    );
                    continue;
                }
                GateEvent::Answered => {
                    pass.answered();
                    continue;
                }
                GateEvent::Waits(until) => Ok(Some(at(until))),
                GateEvent::Passes => Ok(None),
                GateEvent::Fails => Err(FetchError::KeepsWaiting {
                    status: 503,
                    longest: LONGEST,
                }),
            };
            assert_eq!(pass.closed_until(at(second)), wanted, "{second}");
            assert_eq!(
                gates.pass(&other).closed_until(at(second)),
                Ok(None),
                "another host is not concerned"
            );
        }
    }

    #[test]
    fn what_one_fetch_is_told_all_fetches_of_the_host_obey() {
        use GateEvent::{Answered, Passes, Told, Waits};
        check(&[
            (0, Passes),
            (0, Told(7, true)),
            (1, Waits(7)),
            (5, Told(6, true)),
            (6, Waits(11)),
            (11, Passes),
        ]);
        // The shorter wait shortens nothing, and an answer that was on its way opens nothing.
        check(&[
            (0, Told(60, true)),
            (1, Told(2, true)),
            (2, Answered),
            (3, Waits(60)),
            (60, Passes),
        ]);
    }

    #[test]
    fn a_long_wait_that_is_told_during_a_short_one_is_waited_for() {
        use GateEvent::{Fails, Passes, Told, Waits};
        let longer = [
            (0, Told(7, true)),
            (3, Told(100, true)),
            (4, Waits(103)),
            (5, Told(60, true)),
            (6, Waits(103)),
        ];
        check(&[&longer[..], &[(103, Passes)]].concat());
        // After it, nothing is left for a second one.
        check(&[&longer[..], &[(103, Told(7, true)), (104, Fails)]].concat());
    }

    #[test]
    fn a_host_that_only_asks_to_wait_is_given_up() {
        use GateEvent::{Answered, Fails, Passes, Told, Waits};
        let away = [
            (0, Told(50, true)),
            (50, Told(50, true)),
            (60, Waits(100)),
            (100, Told(50, true)),
            (101, Fails),
        ];
        check(&away);
        check(
            &[
                &away[..],
                &[(150, Passes), (150, Told(50, true)), (151, Fails)],
            ]
            .concat(),
        );
        check(
            &[
                &away[..],
                &[
                    (150, Passes),
                    (151, Answered),
                    (152, Told(50, true)),
                    (153, Waits(202)),
                ],
            ]
            .concat(),
        );
    }

    #[test]
    fn a_wait_that_is_too_long_is_cut_and_its_fetch_fails() {
        use GateEvent::{Passes, Told, Waits};
        check(&[(0, Told(86_400, false)), (1, Waits(100)), (100, Passes)]);
    }

    #[test]
    fn a_page_that_only_asks_to_wait_fails_although_the_host_answers() {
        let gates = Gates::new(LONGEST);
        let url = Url::parse("http://h.example/a").unwrap();
        let mut pass = gates.pass(&url);
        let begin = Instant::now();
        for second in [0, 40, 80] {
            let now = begin + Duration::from_secs(second);
            pass.close_at(now, 429, Duration::from_secs(40));
            pass.answered();
            assert_eq!(pass.closed_until(now).is_ok(), second < 80, "{second}");
        }
    }
}
