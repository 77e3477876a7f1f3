//! Agreement with sacrebleu 2.6.0: `pairs.tsv` has what was made, what was wanted, and its chrF and BLEU of each pair.

use super::*;

/// How far a figure may be from that of sacrebleu.
const NEAR: f64 = 0.01;

fn pairs() -> Vec<(&'static str, &'static str, f64, f64)> {
    let fields = |line: &'static str| line.split('\t').collect::<Vec<_>>();
    let pair = |fields: Vec<&'static str>| match fields.as_slice() {
        &[made, wanted, chrf, bleu] => (made, wanted, chrf.parse().unwrap(), bleu.parse().unwrap()),
        other => panic!("{other:?}"),
    };
    include_str!("pairs.tsv")
        .lines()
        .map(|line| pair(fields(line)))
        .collect()
}

fn assert_near(found: f64, expected: f64, what: &str) {
    assert!(
        (found - expected).abs() < NEAR,
        "{what}: {found}, and sacrebleu says {expected}"
    );
}

#[test]
fn each_text_scores_as_sacrebleu_says() {
    for (made, wanted, expected, bleu) in pairs() {
        let score = Score::of([(made, wanted)]);
        assert_near(score.chrf, expected, &format!("chrF of {made:?}"));
        assert_near(score.bleu, bleu, &format!("BLEU of {made:?}"));
        assert_near(chrf(made, wanted), expected, &format!("chrF of {made:?}"));
    }
}

#[test]
fn texts_together_score_as_sacrebleu_says() {
    let pairs = pairs();
    for (range, expected, bleu) in [
        (0..pairs.len(), 63.703_667, 54.220_247),
        (0..8, 61.867_237, 34.483_280),
        (8..17, 46.574_953, 24.168_109),
        (17..pairs.len(), 69.736_203, 65.030_380),
        (0..0, 0.0, 0.0),
    ] {
        let score = Score::of(
            pairs[range.clone()]
                .iter()
                .map(|(made, wanted, ..)| (*made, *wanted)),
        );
        assert_near(score.chrf, expected, &format!("chrF of {range:?}"));
        assert_near(score.bleu, bleu, &format!("BLEU of {range:?}"));
    }
}
