//! Settings of a site for dates, numbers and marks in a language.

/// The settings of a language for dates, numbers and marks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Manner {
    /// Keep dates, times and weekdays unchanged.
    pub keeps_dates: bool,
    /// Do not add the language's marks to engines' output.
    pub keeps_marks: bool,
    /// Accept translations with other numbers.
    pub takes_other_numbers: bool,
}
