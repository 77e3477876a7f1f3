//! When digests go: at an hour of a time zone, once for each local date.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use jiff::civil::{Date, Weekday};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _, Zoned};

use crate::model::Moment;

/// How late a digest may go after a stop of the server; after that it waits for the next slot.
const LATEST: Duration = Duration::from_secs(20 * 60 * 60);
const WEEKDAYS: [(&str, Weekday); 7] = [
    ("monday", Weekday::Monday),
    ("tuesday", Weekday::Tuesday),
    ("wednesday", Weekday::Wednesday),
    ("thursday", Weekday::Thursday),
    ("friday", Weekday::Friday),
    ("saturday", Weekday::Saturday),
    ("sunday", Weekday::Sunday),
];

/// A time zone of the IANA database, such as `Europe/Madrid`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Zone(TimeZone);

/// A text names no time zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it is no time zone, such as Europe/Madrid")]
pub struct ZoneError;

/// A day of the week.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Day(Weekday);

/// When digests go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// Where the hour counts, unless an account says otherwise.
    pub zone: Zone,
    /// The hour, from 0 to 23.
    pub hour: u8,
    /// The day of weekly digests.
    pub day: Day,
}

/// Days by which a slot that was had may lie after another: whoever had one every day may want one a week.
const FAR: i64 = 8;

/// The time of one digest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// The local date: no account gets two digests of one date.
    pub date: String,
    /// When it begins.
    pub at: Moment,
}

impl Slot {
    /// Whether an account that had the slot of another date has had this one. A date far ahead is that of a clock that was
    /// wrong, and nobody waits for years until it is right.
    pub fn is_taken(&self, had: &str) -> bool {
        let ahead = had.parse::<Date>().ok().zip(self.date.parse::<Date>().ok());
        let is_wrong =
            ahead.is_some_and(|(had, own)| own.checked_add(FAR.days()).is_ok_and(|far| had > far));
        had >= self.date.as_str() && !is_wrong
    }
}

impl Zone {
    /// Coordinated Universal Time.
    pub const UTC: Self = Self(TimeZone::UTC);

    /// A time as people of the zone write it, to the minute.
    pub fn moment(&self, moment: Moment) -> String {
        self.at(moment).map_or_else(String::new, |time| {
            time.strftime("%Y-%m-%d %H:%M").to_string()
        })
    }

    fn at(&self, moment: Moment) -> Option<Zoned> {
        let time = Timestamp::from_millisecond(i64::try_from(moment.millis()).ok()?).ok()?;
        Some(time.to_zoned(self.0.clone()))
    }
}

impl Schedule {
    /// The slot that is on at `now`, for those who want a digest every day, or every week; nothing
    /// where the last one began too long ago.
    ///
    /// An hour that a change of the clock leaves out moves on, and one that comes twice counts the first time (RFC 5545
    /// section 3.3.5 has it so).
    pub fn slot(&self, zone: &Zone, weekly: bool, now: Moment) -> Option<Slot> {
        let today = zone.at(now)?.date();
        // One that began yesterday may be on still.
        let dates = [today, today.checked_sub(1.day()).ok()?];
        let wanted = dates
            .into_iter()
            .filter(|date| !weekly || date.weekday() == self.day.0);
        let mut slots = wanted.filter_map(|date| self.begin(zone, date));
        slots
            .find(|slot| slot.at <= now)
            .filter(|slot| now.since(slot.at) < LATEST)
    }

    fn begin(&self, zone: &Zone, date: Date) -> Option<Slot> {
        let hour = i8::try_from(self.hour).ok()?;
        let begin = date.at(hour, 0, 0, 0).to_zoned(zone.0.clone()).ok()?;
        let at = Moment::of_millis(u64::try_from(begin.timestamp().as_millisecond()).ok()?);
        Some(Slot {
            date: date.to_string(),
            at,
        })
    }
}

impl FromStr for Zone {
    type Err = ZoneError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let zone = TimeZone::get(text).map_err(|_| ZoneError)?;
        if zone.iana_name().is_some() {
            Ok(Self(zone))
        } else {
            Err(ZoneError)
        }
    }
}

impl fmt::Display for Zone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.iana_name().unwrap_or("UTC"))
    }
}

impl Day {
    /// Its names, in English, the first day of a week first.
    pub fn names() -> impl Iterator<Item = (&'static str, Self)> {
        WEEKDAYS.into_iter().map(|(name, day)| (name, Self(day)))
    }
}

impl Default for Schedule {
    fn default() -> Self {
        Self {
            zone: Zone::UTC,
            hour: 8,
            day: Day(Weekday::Monday),
        }
    }
}

#[cfg(test)]
mod tests;
