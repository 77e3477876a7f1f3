//! Unit conversion: a translation may use the units of its readers.

use super::super::lexicon::{Lexicon, WordKind};
use super::super::quantities::{Quantity, quantities};
use super::side::TextSide;

/// Units by their key, and how many of other units one of them is.
const METRIC: [(&str, &[f64]); 10] = [
    ("mile", &[1.609]),
    ("yard", &[0.9144]),
    ("foot", &[0.3048, 30.48]),
    ("inch", &[2.54, 25.4]),
    ("pound", &[0.4536, 453.6]),
    ("ounce", &[28.35]),
    ("gallon", &[3.785]),
    ("mile-per-hour", &[1.609]),
    ("square-foot", &[0.0929]),
    ("kilometer", &[0.6214]),
];

/// A translator rounds: `eleven miles` are 18 km.
const ROUNDED: f64 = 0.1;

/// Converts an amount to the other units.
fn converted(amount: f64, unit: &str) -> Vec<f64> {
    if unit == "fahrenheit" {
        return vec![(amount - 32.0) / 1.8];
    }
    let factors = METRIC
        .iter()
        .find(|(key, _)| *key == unit)
        .map_or(&[][..], |(_, factors)| factors);
    factors.iter().map(|factor| amount * factor).collect()
}

/// Compares within the rounding tolerance.
fn is_about(quantity: &Quantity, wanted: f64) -> bool {
    quantity
        .meanings
        .iter()
        .any(|number| (number.approximate() - wanted).abs() <= wanted.abs() * ROUNDED)
}

/// Finds an amount of a unit in other units, and masks it.
pub(super) fn take_converted(target: &mut TextSide<'_>, amount: &Quantity, unit: &str) -> bool {
    let wanted: Vec<f64> = amount
        .meanings
        .iter()
        .flat_map(|number| converted(number.approximate(), unit))
        .collect();
    let mut there = quantities(target.masked(), target.lexicon).into_iter();
    match there.find(|other| wanted.iter().any(|wanted| is_about(other, *wanted))) {
        Some(quantity) => {
            target.mask(quantity.range);
            true
        }
        None => false,
    }
}

/// Recognizes the conversion of an amount in words: `eleven miles` and 18.
pub(super) fn is_converted(
    quantity: &Quantity,
    spoken: &[f64],
    text: &str,
    lexicon: Option<&Lexicon>,
) -> bool {
    let lower = text.to_lowercase();
    let units = METRIC.iter().map(|(key, _)| *key).filter(|key| {
        lexicon.is_some_and(|lexicon| {
            let forms = lexicon
                .forms(WordKind::Unit, key)
                .iter()
                .filter(|form| form.len() > 3);
            forms.into_iter().any(|form| lower.contains(form))
        })
    });
    units.into_iter().any(|unit| {
        spoken
            .iter()
            .flat_map(|amount| converted(*amount, unit))
            .any(|wanted| is_about(quantity, wanted))
    })
}
