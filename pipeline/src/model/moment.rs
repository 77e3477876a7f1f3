//! Moments, as the state keeps them.

use std::ops::{Add, AddAssign, Sub};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

/// A moment: milliseconds since 1970 in UTC, which is also its stored form. Nothing that is kept happened before that, and
/// what is reckoned stays between the first moment and the last.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Moment(u64);

impl Moment {
    /// The last one that can be written.
    pub const LAST: Self = Self(u64::MAX);

    /// So many milliseconds after 1970 began.
    pub const fn of_millis(millis: u64) -> Self {
        Self(millis)
    }

    /// The milliseconds since 1970.
    pub const fn millis(self) -> u64 {
        self.0
    }

    /// The whole seconds since 1970.
    pub const fn seconds(self) -> u64 {
        self.0 / 1000
    }

    /// How long ago another moment was; nothing where that is yet to come.
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(self.0.saturating_sub(earlier.0))
    }
}

impl Add<Duration> for Moment {
    type Output = Self;

    fn add(self, pause: Duration) -> Self {
        Self(self.0.saturating_add(millis(pause)))
    }
}

impl AddAssign<Duration> for Moment {
    fn add_assign(&mut self, pause: Duration) {
        *self = *self + pause;
    }
}

impl Sub<Duration> for Moment {
    type Output = Self;

    fn sub(self, pause: Duration) -> Self {
        Self(self.0.saturating_sub(millis(pause)))
    }
}

impl From<SystemTime> for Moment {
    fn from(time: SystemTime) -> Self {
        Self(millis(time.duration_since(UNIX_EPOCH).unwrap_or_default()))
    }
}

impl From<Moment> for SystemTime {
    fn from(moment: Moment) -> Self {
        UNIX_EPOCH
            .checked_add(Duration::from_millis(moment.0))
            .unwrap_or(UNIX_EPOCH)
    }
}

fn millis(pause: Duration) -> u64 {
    u64::try_from(pause.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_kept_as_its_milliseconds() {
        let moment = Moment::from(UNIX_EPOCH + Duration::from_micros(1_500_700));
        assert_eq!(serde_json::to_string(&moment).unwrap(), "1500");
        assert_eq!(serde_json::from_str::<Moment>("1500").unwrap(), moment);
        assert_eq!(
            SystemTime::from(moment),
            UNIX_EPOCH + Duration::from_millis(1500)
        );
        assert_eq!(moment.seconds(), 1);
    }

    #[test]
    fn moments_neither_overflow_nor_go_below_1970() {
        let first = Moment::default();
        let second = Duration::from_secs(1);
        assert_eq!(
            (Moment::LAST + second, first - second),
            (Moment::LAST, first)
        );
        assert_eq!(
            (first.since(Moment::LAST), Moment::LAST.since(Moment::LAST)),
            (Duration::ZERO, Duration::ZERO)
        );
        assert_eq!(
            Moment::of_millis(30).since(Moment::of_millis(10)),
            Duration::from_millis(20)
        );
        assert_eq!(Moment::from(UNIX_EPOCH - second), first);
    }
}
