//! Times as the interface writes them: RFC 3339 in UTC; within, milliseconds since 1970.

use std::borrow::Cow;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use jiff::Timestamp;
use pipeline::model::Moment;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A time, in milliseconds since 1970; what callers say may lie before that.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Time(pub(crate) i64);

impl Time {
    pub(crate) fn of(time: SystemTime) -> Self {
        let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
        Self(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    }

    /// The time that is so much earlier.
    pub(crate) fn before(self, length: Duration) -> Self {
        Self(
            self.0
                .saturating_sub(i64::try_from(length.as_millis()).unwrap_or(i64::MAX)),
        )
    }

    /// A time as the state keeps what happens here.
    pub(crate) fn kept(moment: Moment) -> Self {
        Self(i64::try_from(moment.millis()).unwrap_or(i64::MAX))
    }

    /// The same for the state; nothing happened here before 1970.
    pub(crate) fn to_keep(self) -> Moment {
        Moment::of_millis(u64::try_from(self.0).unwrap_or_default())
    }
}

impl Serialize for Time {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let time = Timestamp::from_millisecond(self.0).map_err(serde::ser::Error::custom)?;
        serializer.collect_str(&format_args!("{time:.3}"))
    }
}

impl<'de> Deserialize<'de> for Time {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<'_, str>::deserialize(deserializer)?;
        text.parse::<Timestamp>()
            .map(|time| Self(time.as_millisecond()))
            .map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for Time {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Time".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "format": "date-time" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_and_written() {
        for (text, written) in [
            ("\"2026-11-21T07:00:00Z\"", "\"2026-11-21T07:00:00.000Z\""),
            (
                "\"2026-11-21t07:00:00.1234+02:00\"",
                "\"2026-11-21T05:00:00.123Z\"",
            ),
            ("\"1816-12-31T23:59:60Z\"", "\"1816-12-31T23:59:59.000Z\""),
        ] {
            let time: Time = serde_json::from_str(text).unwrap();
            assert_eq!(serde_json::to_string(&time).unwrap(), written);
        }
        assert!(serde_json::from_str::<Time>("\"yesterday\"").is_err());
    }
}
