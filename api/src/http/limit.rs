//! How often somebody may ask: token buckets, kept as the one moment at which each is full again (GCRA).
//!
//! Memory is bounded. Whoever does not fit shares one bucket with all others who do not, so a flood of new callers
//! slows down new callers only.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hash, RandomState};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use pipeline::config::RateLimit;

/// Most buckets of one limiter; each takes some 40 bytes.
const MOST: usize = 1 << 16;
/// The least time between two looks for buckets that are full and need not be kept.
const SWEEP: Duration = Duration::from_secs(1);
/// The bucket that is shared when there are too many.
const OVERFLOW: u64 = 0;

/// Buckets by caller.
#[derive(Debug)]
pub(crate) struct Limiter {
    hasher: RandomState,
    buckets: Mutex<Buckets>,
}

/// How fast buckets fill, when each is full again, and when full ones were last thrown away.
#[derive(Debug, Default)]
struct Buckets {
    rate: Option<RateLimit>,
    full: HashMap<u64, Instant>,
    swept: Option<Instant>,
}

/// How a bucket stands after a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RateStatus {
    /// How much it holds.
    pub(crate) limit: u32,
    /// How much is left.
    pub(crate) remaining: u32,
    /// When it is full again.
    pub(crate) reset: Duration,
    /// When one more request passes; zero where this one did.
    pub(crate) retry: Duration,
}

impl Limiter {
    pub(crate) fn new(rate: Option<RateLimit>) -> Self {
        let buckets = Mutex::new(Buckets {
            rate,
            ..Buckets::default()
        });
        Self {
            hasher: RandomState::new(),
            buckets,
        }
    }

    /// Counts by another rate from now on; what was taken stays taken.
    pub(crate) fn set(&self, rate: Option<RateLimit>) {
        self.buckets().rate = rate;
    }

    /// Takes one from the caller's bucket, or says when there is one again; `None` where nothing is limited.
    pub(crate) fn take(
        &self,
        caller: &impl Hash,
        now: Instant,
    ) -> Result<Option<RateStatus>, RateStatus> {
        let mut buckets = self.buckets();
        let Some(rate) = buckets.rate else {
            return Ok(None);
        };
        let mut key = self.key(caller);
        if !buckets.has_room(key, now) {
            key = OVERFLOW;
        }
        let bucket = buckets.full.entry(key).or_insert(now);
        let full = (*bucket).max(now) + rate.interval;
        let room = rate.interval * rate.burst;
        let missing = full.duration_since(now);
        if missing > room {
            let reset = missing - rate.interval;
            return Err(RateStatus {
                limit: rate.burst,
                remaining: 0,
                reset,
                retry: missing - room,
            });
        }
        *bucket = full;
        let remaining = (room - missing).as_nanos() / rate.interval.as_nanos().max(1);
        let remaining = u32::try_from(remaining).unwrap_or(u32::MAX);
        Ok(Some(RateStatus {
            limit: rate.burst,
            remaining,
            reset: missing,
            retry: Duration::ZERO,
        }))
    }

    /// How the caller's own bucket stands; takes nothing.
    pub(crate) fn standing(&self, caller: &impl Hash, now: Instant) -> Option<RateStatus> {
        let buckets = self.buckets();
        let rate = buckets.rate?;
        let full = buckets.full.get(&self.key(caller)).copied().unwrap_or(now);
        let reset = full.saturating_duration_since(now);
        let room = rate.interval * rate.burst;
        let remaining = room.saturating_sub(reset).as_nanos() / rate.interval.as_nanos().max(1);
        let remaining = u32::try_from(remaining).unwrap_or(u32::MAX);
        Some(RateStatus {
            limit: rate.burst,
            remaining,
            reset,
            retry: Duration::ZERO,
        })
    }

    /// Says when there is one again where the caller's own bucket is empty; takes nothing.
    pub(crate) fn look(&self, caller: &impl Hash, now: Instant) -> Result<(), RateStatus> {
        let buckets = self.buckets();
        let Some(rate) = buckets.rate else {
            return Ok(());
        };
        let Some(full) = buckets.full.get(&self.key(caller)) else {
            return Ok(());
        };
        let missing = full.saturating_duration_since(now);
        let room = rate.interval * rate.burst;
        match (missing + rate.interval).checked_sub(room) {
            Some(retry) if !retry.is_zero() => Err(RateStatus {
                limit: rate.burst,
                remaining: 0,
                reset: missing,
                retry,
            }),
            Some(_) | None => Ok(()),
        }
    }

    fn buckets(&self) -> MutexGuard<'_, Buckets> {
        self.buckets.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A bucket of this caller; never the shared one.
    fn key(&self, caller: &impl Hash) -> u64 {
        self.hasher.hash_one(caller).max(OVERFLOW + 1)
    }
}

impl Buckets {
    /// Whether this caller has a bucket or can have one. Sweeping reads every bucket, so it is done once a second.
    fn has_room(&mut self, key: u64, now: Instant) -> bool {
        if self.full.len() < MOST || self.full.contains_key(&key) {
            return true;
        }
        if self
            .swept
            .is_none_or(|swept| now.duration_since(swept) >= SWEEP)
        {
            self.full.retain(|_, full| *full > now);
            self.swept = Some(now);
        }
        self.full.len() < MOST
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limiter(burst: u32) -> Limiter {
        Limiter::new(Some(RateLimit {
            interval: Duration::from_secs(1),
            burst,
        }))
    }

    #[test]
    fn bucket_gives_what_it_holds_and_fills_again() {
        let limiter = limiter(3);
        let start = Instant::now();
        for remaining in [2, 1, 0] {
            assert_eq!(
                limiter.take(&"ana", start).unwrap().unwrap().remaining,
                remaining
            );
        }
        let refused = limiter.take(&"ana", start).unwrap_err();
        assert_eq!(
            (refused.retry, refused.reset),
            (Duration::from_secs(1), Duration::from_secs(3))
        );
        assert!(limiter.take(&"bob", start).is_ok());
        let later = start + refused.retry;
        assert!(limiter.take(&"ana", later).is_ok());
        assert!(limiter.take(&"ana", later).is_err());
        assert_eq!(
            limiter.look(&"ana", later).unwrap_err().retry,
            Duration::from_secs(1)
        );
        assert!(limiter.look(&"ana", later + Duration::from_secs(1)).is_ok());
        assert!(limiter.look(&"bob", later).is_ok() && limiter.look(&"nobody", later).is_ok());
    }

    #[test]
    fn parallel_callers_never_pass_more_than_the_quota() {
        let limiter = limiter(7);
        let now = Instant::now();
        let passed = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..20)
                .map(|_| scope.spawn(|| limiter.take(&"ana", now).is_ok()))
                .collect();
            threads
                .into_iter()
                .map(|thread| thread.join().unwrap())
                .filter(|passed| *passed)
                .count()
        });
        assert_eq!(passed, 7);
    }

    #[test]
    fn memory_is_bounded() {
        let limiter = limiter(1);
        let now = Instant::now();
        let passed = (0..200_000)
            .filter(|caller| limiter.take(caller, now).is_ok())
            .count();
        assert_eq!(passed, MOST + 1);
        assert!(limiter.buckets.lock().unwrap().full.len() <= MOST + 1);
    }

    #[test]
    fn without_a_rate_nothing_is_limited() {
        assert_eq!(Limiter::new(None).take(&1, Instant::now()), Ok(None));
    }
}
