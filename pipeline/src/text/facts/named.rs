//! Facts with names: dates, weekdays, currencies and units.

use super::super::lexicon::{Lexicon, WordKind};
use super::super::quantities::quantities;
use super::super::script::is_word_letter;
use super::ComparedTexts;
use super::side::{TextSide, takes_prefixes};

/// Signs of currencies with the codes that they may stand for.
const CURRENCIES: [(&str, &[&str]); 12] = [
    ("$", &["USD", "CAD", "AUD", "MXN"]),
    ("€", &["EUR"]),
    ("£", &["GBP"]),
    ("¥", &["JPY", "CNY"]),
    ("₹", &["INR"]),
    ("₩", &["KRW"]),
    ("₽", &["RUB"]),
    ("USD", &["USD"]),
    ("EUR", &["EUR"]),
    ("GBP", &["GBP"]),
    ("JPY", &["JPY"]),
    ("CHF", &["CHF"]),
];

impl ComparedTexts<'_> {
    /// Finds the day, the month and the year of a date; the month by its name or number.
    pub(super) fn takes_date(&mut self, words: &str) -> bool {
        let month = self
            .source
            .lexicon
            .and_then(|lexicon| lexicon.month_in(&words.to_lowercase()));
        let month = month.map(|(month, _)| month);
        let numbers = quantities(words, None);
        let has_numbers = numbers.iter().all(|number| {
            let is_month = month.is_none() && number.small().any(|number| (1..=12).contains(&number));
            self.target.take_quantity(number)
                || self.target.has_number_word(number)
                // A date in digits names its month in the translation.
                || (is_month && number.small().any(|number| names_month(&self.target, &number.to_string())))
        });
        let Some(month) = month else {
            return has_numbers;
        };
        has_numbers && (names_month(&self.target, month) || self.takes_month_number(month))
    }

    fn takes_month_number(&mut self, month: &str) -> bool {
        quantities(month, None)
            .iter()
            .all(|number| self.target.take_quantity(number))
    }

    /// Searches for the same weekday.
    pub(super) fn names_weekday(&self, words: &str) -> bool {
        let (Some(from), Some(to)) = (self.source.lexicon, self.target.lexicon) else {
            return true;
        };
        let lower = words.to_lowercase();
        let mut named = from
            .all(WordKind::Day)
            .chain(from.all(WordKind::ShortDay))
            .filter(|(_, form)| lower.starts_with(form));
        let Some((day, _)) = named.next() else {
            return true;
        };
        to.forms(WordKind::Day, day)
            .iter()
            .any(|form| self.has_beginning(beginning(form, day, to)))
            || to
                .forms(WordKind::ShortDay, day)
                .iter()
                .any(|form| self.target.find(form).is_some())
    }

    fn has_beginning(&self, beginning: &str) -> bool {
        let whole = self.target.text.to_lowercase();
        if self.target.is_dense() {
            whole.contains(beginning)
        } else {
            starts_a_word(&whole, beginning)
        }
    }

    /// Searches for the currency's name or sign.
    pub(super) fn names_currency(&self, words: &str) -> bool {
        let Some((sign, codes)) = CURRENCIES.iter().find(|(sign, _)| words.contains(sign)) else {
            return true;
        };
        let Some(lexicon) = self.target.lexicon else {
            return true;
        };
        if self.target.text.contains(sign) {
            return true;
        }
        codes.iter().any(|code| {
            let forms = lexicon.forms(WordKind::Currency, code);
            self.target.text.contains(code) || forms.iter().any(|form| names(&self.target, form))
        })
    }

    /// Searches for the unit's name or symbol.
    pub(super) fn names_unit(&self, words: &str) -> bool {
        let Some(lexicon) = self.target.lexicon.filter(|_| !self.target.is_dense()) else {
            return true;
        };
        let Some(key) = self.unit_of(words) else {
            return true;
        };
        let is_symbol = self.target.find(&symbol(words)).is_some();
        is_symbol
            || lexicon
                .forms(WordKind::Unit, key)
                .iter()
                .any(|form| names(&self.target, form))
    }

    /// The key of the unit of a measure.
    pub(super) fn unit_of(&self, words: &str) -> Option<&'static str> {
        self.source
            .lexicon
            .and_then(|lexicon| unit_key(&symbol(words), lexicon))
    }
}

/// As many letters of a day's name as tell it from the other days, and at least four; names take many endings.
fn beginning<'f>(form: &'f str, day: &str, lexicon: &Lexicon) -> &'f str {
    let fewest = if form.chars().all(is_word_letter) {
        4
    } else {
        2
    };
    let ends = form
        .char_indices()
        .map(|(at, letter)| at + letter.len_utf8())
        .skip(fewest - 1);
    for end in ends {
        let beginning = &form[..end];
        if !lexicon
            .all(WordKind::Day)
            .any(|(other, name)| other != day && name.starts_with(beginning))
        {
            return beginning;
        }
    }
    form
}

/// The unit of a measure as it is written.
fn symbol(words: &str) -> String {
    let unit = words
        .trim_start_matches(|sign: char| !sign.is_alphabetic() && sign != '°')
        .to_lowercase();
    if unit == "lbs" { "lb".to_owned() } else { unit }
}

/// Key of a unit by its name.
fn unit_key(unit: &str, lexicon: &Lexicon) -> Option<&'static str> {
    let one = unit.strip_suffix('s').filter(|one| one.len() > 3);
    let found = lexicon
        .all(WordKind::Unit)
        .find(|(_, form)| *form == unit || one == Some(*form));
    found.map(|(key, _)| key)
}

/// Searches for a name of a unit or currency, or for one of its longer words.
fn names(side: &TextSide<'_>, form: &str) -> bool {
    if form.is_ascii() && form.len() < 4 && form.chars().any(char::is_alphabetic) {
        return side.find(form).is_some();
    }
    if side.is_dense() {
        // Of 米ドル people say ドル.
        let short: String = form.chars().skip(1).collect();
        return side.text.contains(form)
            || (short.chars().count() > 1 && side.text.contains(&short));
    }
    let mut words = form
        .split([' ', '-'])
        .filter(|word| word.chars().count() > 2);
    side.has_inflected(form)
        || words.any(|word| side.has_inflected(word))
        || side.text.contains(form)
}

/// Searches for the name of a month.
fn names_month(side: &TextSide<'_>, month: &str) -> bool {
    let Some(lexicon) = side.lexicon else {
        return true;
    };
    lexicon
        .forms(WordKind::Month, month)
        .iter()
        .any(|form| side.has_inflected(form))
        || lexicon
            .forms(WordKind::ShortMonth, month)
            .iter()
            .any(|form| side.find(form).is_some())
}

fn starts_a_word(text: &str, beginning: &str) -> bool {
    let is_free = beginning.starts_with(takes_prefixes);
    text.match_indices(beginning)
        .any(|(at, _)| is_free || !text[..at].ends_with(char::is_alphabetic))
}
