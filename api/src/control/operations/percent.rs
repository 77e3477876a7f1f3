//! Parts of a whole, in percent.

/// Which part of a whole is done, in percent with one digit after the point; 100 only where nothing is left.
#[expect(
    clippy::cast_precision_loss,
    reason = "sites have fewer than 2^52 words"
)]
pub(crate) fn percent(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        100.0
    } else {
        (part as f64 * 1000.0 / whole as f64).floor() / 10.0
    }
}
