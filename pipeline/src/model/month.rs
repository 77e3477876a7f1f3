//! Calendar months, the periods of character budgets.

use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::Moment;

/// A calendar month in UTC. It displays as `Nov 2026`; the state stores the ISO 8601 form ([`Month::iso`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Month {
    year: i16,
    /// From 1 to 12.
    number: i8,
}

/// English abbreviations, as in dates of HTTP and of e-mail.
const NAMES: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];

impl Month {
    /// Year and month of ISO 8601: `2026-11`.
    pub fn iso(self) -> String {
        format!("{:04}-{:02}", self.year, self.number)
    }
}

impl From<Moment> for Month {
    /// The month of a moment; moments after the year 9999 are in its last month.
    fn from(moment: Moment) -> Self {
        let millis = i64::try_from(moment.millis()).unwrap_or(i64::MAX);
        let date = Timestamp::from_millisecond(millis)
            .unwrap_or(Timestamp::MAX)
            .to_zoned(TimeZone::UTC);
        Self {
            year: date.year(),
            number: date.month(),
        }
    }
}

impl fmt::Display for Month {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = usize::try_from(self.number - 1).unwrap_or_default();
        write!(
            f,
            "{} {:04}",
            NAMES.get(place).unwrap_or(&NAMES[0]),
            self.year
        )
    }
}

/// Text that is no month in the form of ISO 8601.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a month such as `2026-11`")]
pub struct MonthError(String);

impl FromStr for Month {
    type Err = MonthError;

    fn from_str(text: &str) -> Result<Self, MonthError> {
        let parsed = text.split_once('-').and_then(|(year, number)| {
            let month = Self {
                year: year.parse().ok()?,
                number: number.parse().ok()?,
            };
            (month.iso() == text && (1..=12).contains(&month.number)).then_some(month)
        });
        parsed.ok_or_else(|| MonthError(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(seconds: u64, iso: &str, written: &str) {
        let month = Month::from(Moment::of_millis(seconds * 1000));
        assert_eq!(
            (month.iso().as_str(), month.to_string().as_str()),
            (iso, written)
        );
        assert_eq!(iso.parse(), Ok(month));
    }

    #[test]
    fn a_month_begins_and_ends_in_utc() {
        check(0, "1970-01", "Jan 1970");
        check(1_709_251_199, "2024-02", "Feb 2024");
        check(1_709_251_200, "2024-03", "Mar 2024");
        check(1_798_761_599, "2026-12", "Dec 2026");
        assert_eq!(Month::from(Moment::LAST).iso(), "9999-12");
    }

    #[test]
    fn months_sort_by_time() {
        let months: Vec<Month> = ["2025-01", "2024-12", "2025-10"]
            .iter()
            .map(|text| text.parse().unwrap())
            .collect();
        assert!(months[1] < months[0] && months[0] < months[2]);
    }

    #[test]
    fn other_texts_are_no_months() {
        for text in [
            "",
            "2026",
            "Nov 2026",
            "2026-13",
            "2026-00",
            "2026-1",
            "26-01",
            "2026-01-01",
            "+2026-01",
        ] {
            assert_eq!(text.parse::<Month>(), Err(MonthError(text.to_owned())));
        }
    }
}
