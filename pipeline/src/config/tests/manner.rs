//! Settings for the form of values.

use super::*;
use crate::model::Digits;

/// The digits of the first and of the second language.
fn digits(more: &str) -> (Digits, Digits) {
    let site = site(more);
    (
        site.manner_in(&site.locales[0]).digits,
        site.manner_in(&site.locales[1]).digits,
    )
}

#[test]
fn digits_are_a_setting_of_the_site_and_of_a_language_r_v3() {
    assert_eq!(digits(""), (Digits::Latin, Digits::Latin));
    assert_eq!(
        digits("[site.text]\ndigits = \"native\"\n"),
        (Digits::Native, Digits::Native)
    );
    assert_eq!(
        digits("[site.locale.es]\ndigits = \"native\"\n"),
        (Digits::Native, Digits::Latin)
    );
    let both = "[site.text]\ndigits = \"native\"\n[site.locale.es]\ndigits = \"latin\"\n";
    assert_eq!(digits(both), (Digits::Latin, Digits::Native));
    check(
        "[site.text]\ndigits = \"arabic\"\n",
        2,
        10,
        "`digits` must be \"latin\" or \"native\"",
    );
}
