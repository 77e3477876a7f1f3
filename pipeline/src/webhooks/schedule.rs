//! When a message is tried again.

use std::time::Duration;

const MINUTE: u64 = 60;
const HOUR: u64 = 60 * MINUTE;

/// The pauses after each try but the last, in seconds: 75.6 hours in all.
const PAUSES: [u64; 9] = [
    5,
    5 * MINUTE,
    30 * MINUTE,
    2 * HOUR,
    5 * HOUR,
    10 * HOUR,
    14 * HOUR,
    20 * HOUR,
    24 * HOUR,
];
/// The longest time that an answer may ask us to wait.
const LONGEST: Duration = Duration::from_secs(24 * HOUR);

/// How often a message is tried before it has failed.
pub const MOST_TRIES: u32 = 10;

/// How long to wait after a message was tried so many times, and its answer asked for a pause; nothing where it is not
/// tried any more.
///
/// The pause is up to a tenth longer or shorter, so that messages of one moment do not come back together. By how much, the
/// message's name says, so it is the same after a restart.
pub fn pause(tries: u32, name: &str, asked: Option<Duration>) -> Option<Duration> {
    let step = *PAUSES.get(usize::try_from(tries.checked_sub(1)?).ok()?)?;
    let hash = blake3::hash(format!("{name} {tries}").as_bytes());
    let share = u64::from(u16::from_le_bytes([hash.as_bytes()[0], hash.as_bytes()[1]]));
    // From nine tenths to eleven tenths.
    let pause = Duration::from_millis(step * 900 + step * 200 * share / u64::from(u16::MAX));
    Some(pause.max(asked.unwrap_or_default().min(LONGEST)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_and_differ_and_end() {
        for (tries, step) in (1..).zip(PAUSES) {
            let seconds = |name: &str| pause(tries, name, None).unwrap().as_secs_f64();
            #[expect(clippy::cast_precision_loss, reason = "a few hours")]
            let step = step as f64;
            let all: Vec<f64> = (0..200)
                .map(|number| seconds(&format!("msg_{number}")))
                .collect();
            assert!(
                all.iter()
                    .all(|pause| (step * 0.9..=step * 1.1).contains(pause)),
                "{tries}: {all:?}"
            );
            assert!(
                all.iter().any(|pause| *pause < step * 0.95)
                    && all.iter().any(|pause| *pause > step * 1.05)
            );
            assert!(
                (seconds("msg_1") - seconds("msg_1")).abs() < f64::EPSILON,
                "the same after a restart"
            );
        }
        assert_eq!(
            (pause(0, "msg", None), pause(MOST_TRIES, "msg", None)),
            (None, None)
        );
    }

    #[test]
    fn an_answer_may_ask_for_more_but_not_for_ever() {
        let asked = |seconds| {
            pause(1, "msg", Some(Duration::from_secs(seconds)))
                .unwrap()
                .as_secs()
        };
        assert!((4..=6).contains(&asked(1)));
        assert_eq!((asked(600), asked(1 << 40)), (600, 24 * HOUR));
    }
}
