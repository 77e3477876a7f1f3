//! A number of pages, said as a share of all or as a count.

use super::error::ConfigError;
use super::reader::ConfigField;

/// How many pages are allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Allowance {
    /// A share of the pages, in percent.
    Percent(usize),
    /// So many.
    Count(usize),
}

impl Allowance {
    /// The pages allowed of `whole`. A share of a small site is a page or two, so a share is at least `least`; who
    /// writes a count means that count.
    pub fn of(self, whole: usize, least: usize) -> usize {
        match self {
            Self::Percent(percent) => (whole.saturating_mul(percent) / 100).max(least),
            Self::Count(count) => count,
        }
    }

    pub(super) fn read(field: &ConfigField<'_>) -> Result<Self, ConfigError> {
        let wanted =
            || field.must_be("a share such as \"20%\", up to \"100%\", or a whole number of pages");
        let Ok(text) = field.text() else {
            return field
                .whole(0..=10_000_000)
                .map(Self::Count)
                .map_err(|_| wanted());
        };
        let percent = text
            .strip_suffix('%')
            .and_then(|number| number.trim().parse().ok());
        percent
            .filter(|percent| *percent <= 100)
            .map(Self::Percent)
            .ok_or_else(wanted)
    }
}
