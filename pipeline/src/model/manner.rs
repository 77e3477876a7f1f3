//! Settings of a site for dates, numbers, marks, headings and names in a language.

/// Digits of values that rules format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Digits {
    /// 0 to 9.
    #[default]
    Latin,
    /// Digits of the language's script.
    Native,
}

/// The settings of a language for dates, numbers, marks, headings and names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Manner {
    /// Keep dates, times and weekdays unchanged.
    pub keeps_dates: bool,
    /// Digits of dates, times and amounts that rules format.
    pub digits: Digits,
    /// Do not add the language's marks to engines' output.
    pub keeps_marks: bool,
    /// Keep the title case of headings.
    pub keeps_headings: bool,
    /// True to translate the site's names like other words.
    pub translates_names: bool,
    /// Accept translations with other numbers.
    pub takes_other_numbers: bool,
}
