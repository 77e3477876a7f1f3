//! How a site wants values and numbers treated in a language.

/// The settings of a language for dates, numbers and marks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Manner {
    /// Whether dates, times and weekdays stay as the source writes them.
    pub keeps_dates: bool,
    /// Whether engines' words stay without the marks that the language sets.
    pub keeps_marks: bool,
    /// Whether a translation with other numbers is taken.
    pub takes_other_numbers: bool,
}
