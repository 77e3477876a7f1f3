//! How a site wants values and numbers treated in a language.

/// The settings of a language for dates and numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Manner {
    /// Whether dates, times and weekdays stay as the source writes them.
    pub keeps_dates: bool,
    /// Whether a translation with other numbers is taken.
    pub takes_other_numbers: bool,
}
