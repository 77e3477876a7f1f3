//! What time it is, for what is written down.

use std::time::SystemTime;

use crate::model::Moment;

/// This moment.
pub fn now() -> Moment {
    SystemTime::now().into()
}

/// The calendar month in UTC, such as "Nov 2026".
pub fn month() -> String {
    let now = httpdate::fmt_http_date(SystemTime::now());
    now.split(' ').skip(2).take(2).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_month_has_a_name_and_a_year() {
        let month = super::month();
        let (name, year) = month.split_once(' ').unwrap();
        assert!(name.len() == 3 && year.parse::<u32>().is_ok_and(|year| year >= 2026), "{month}");
    }
}
