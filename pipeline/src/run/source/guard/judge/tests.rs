//! The verdict at its boundary: what became of each known page in, what is lost and whether that is too much out.

use super::*;

fn path(name: &str) -> PagePath {
    PagePath::parse(&format!("/{name}")).unwrap()
}

fn print(words: &str, marks: &str) -> Option<TextPrint> {
    Some(TextPrint {
        words: words.to_owned(),
        marks: marks.to_owned(),
    })
}

/// A page whose words changed from some of its own to `words`.
fn became(number: usize, words: &str) -> PageFate {
    PageFate::Changed {
        before: print(&format!("own {number}"), ""),
        now: print(words, &number.to_string()),
    }
}

/// A page that was like the others but for its number.
fn numbered(number: usize, words: &str, keeps_its_number: bool) -> PageFate {
    let now = if keeps_its_number {
        number.to_string()
    } else {
        "incident".to_owned()
    };
    PageFate::Changed {
        before: print("page #", &number.to_string()),
        now: print(words, &now),
    }
}

/// A site of `pages` pages beside its home page, of which some met a fate.
fn case(pages: usize, fates: impl IntoIterator<Item = PageFate>) -> Case {
    let mut known: BTreeMap<PagePath, PageFate> = (0..pages)
        .map(|number| (path(&number.to_string()), PageFate::Same))
        .collect();
    known.insert(path(""), PageFate::Same);
    known.extend(
        fates
            .into_iter()
            .enumerate()
            .map(|(number, fate)| (path(&number.to_string()), fate)),
    );
    Case {
        known,
        new: BTreeSet::new(),
        home: path(""),
        lost_before: 0,
        alike_before: BTreeMap::new(),
        errors: BTreeSet::new(),
        max_lost: Allowance::Percent(20),
        max_new: Allowance::Percent(50),
    }
}

#[track_caller]
fn check(case: &Case, lost: usize, is_too_much: bool) {
    let verdict = judge(case);
    assert_eq!(
        (verdict.lost.len(), verdict.loses_too_much),
        (lost, is_too_much),
        "{:?}",
        verdict.lost
    );
    assert!(!verdict.floods);
}

fn all(count: usize, fate: impl Fn(usize) -> PageFate) -> impl Iterator<Item = PageFate> {
    (0..count).map(fate)
}

#[test]
fn more_than_a_fifth_is_too_much_and_five_pages_never_are() {
    check(&case(99, all(20, |_| PageFate::Vanished)), 20, false);
    check(&case(99, all(21, |_| PageFate::Vanished)), 21, true);
    check(&case(9, all(5, |_| PageFate::Vanished)), 5, false);
    check(&case(9, all(6, |_| PageFate::Vanished)), 6, true);
    check(
        &Case {
            max_lost: Allowance::Count(3),
            ..case(99, all(4, |_| PageFate::Vanished))
        },
        4,
        true,
    );
    check(
        &Case {
            max_lost: Allowance::Percent(100),
            ..case(99, all(99, |_| PageFate::Vanished))
        },
        99,
        false,
    );
    // Redirects to one address, or to many, count like pages that are not there.
    check(
        &case(99, all(21, |_| PageFate::Redirected(path("login")))),
        21,
        true,
    );
    check(
        &case(
            99,
            all(21, |number| {
                PageFate::Redirected(path(&format!("login?{number}")))
            }),
        ),
        21,
        true,
    );
    check(
        &case(
            99,
            all(90, |number| PageFate::Moved(path(&format!("new/{number}")))),
        ),
        0,
        false,
    );
}

#[test]
fn the_home_page_and_all_pages_are_too_much_at_once() {
    let mut home = case(99, []);
    home.known.insert(path(""), PageFate::Vanished);
    check(&home, 1, true);
    let mut whole = case(2, all(2, |_| PageFate::Vanished));
    whole.known.remove(&path(""));
    check(&whole, 2, true);
    check(
        &Case {
            max_lost: Allowance::Count(9),
            ..home
        },
        1,
        true,
    );
}

#[test]
fn pages_that_become_one_text_are_lost() {
    check(
        &case(99, all(21, |number| became(number, "back soon"))),
        21,
        true,
    );
    check(
        &case(99, all(20, |number| became(number, "back soon"))),
        20,
        false,
    );
    check(
        &case(
            99,
            all(60, |number| became(number, &format!("new {number}"))),
        ),
        0,
        false,
    );
    check(&case(99, [became(0, "back soon")]), 0, false);
    // They were one text before and are one now.
    let same = |now: &'static str| PageFate::Changed {
        before: print("nothing here", "t"),
        now: print(now, "t"),
    };
    check(&case(99, all(60, |_| same("no entries"))), 0, false);
    // They differ by their numbers before and now; or they did, and have lost them.
    check(
        &case(99, all(60, |number| numbered(number, "article #", true))),
        0,
        false,
    );
    check(
        &case(99, all(60, |number| numbered(number, "back soon", false))),
        60,
        true,
    );
    // Nobody knows what they said before.
    let unknown = |_| PageFate::Changed {
        before: None,
        now: print("back soon", ""),
    };
    check(&case(99, all(60, unknown)), 60, true);
}

#[test]
fn a_known_error_counts_on_a_single_page() {
    let errors = BTreeSet::from(["back soon".to_owned()]);
    check(
        &Case {
            errors,
            ..case(99, [became(0, "back soon")])
        },
        1,
        true,
    );
    let alike_before = BTreeMap::from([(path("7"), "back soon".to_owned())]);
    check(
        &Case {
            alike_before,
            ..case(99, [became(0, "back soon")])
        },
        1,
        false,
    );
}

#[test]
fn losses_of_a_day_count_together() {
    check(
        &Case {
            lost_before: 19,
            ..case(80, all(15, |_| PageFate::Vanished))
        },
        15,
        true,
    );
    check(
        &Case {
            lost_before: 15,
            ..case(84, all(5, |_| PageFate::Vanished))
        },
        5,
        false,
    );
    check(
        &Case {
            lost_before: 40,
            ..case(60, [])
        },
        0,
        false,
    );
    let alike_before = (50..69)
        .map(|number| (path(&number.to_string()), "soon".to_owned()))
        .collect();
    check(
        &Case {
            alike_before,
            ..case(99, all(2, |number| became(number, "soon")))
        },
        2,
        true,
    );
}

#[test]
fn what_settings_or_the_origin_let_go_is_no_loss() {
    check(&case(99, all(99, |_| PageFate::Gone)), 0, false);
    check(&case(99, all(90, |_| PageFate::Beyond)), 0, false);
}

#[test]
fn a_flood_of_new_pages_is_held_back() {
    let with = |pages: usize, new: usize| {
        let new = (0..new)
            .map(|number| path(&format!("new/{number}")))
            .collect();
        judge(&Case {
            new,
            ..case(pages, [])
        })
        .floods
    };
    assert!(!with(91, 100) && with(91, 101) && !with(399, 200) && with(399, 201));
    // Pages that moved are not new.
    let moved = case(
        150,
        all(150, |number| {
            PageFate::Moved(path(&format!("new/{number}")))
        }),
    );
    let new = (0..150)
        .map(|number| path(&format!("new/{number}")))
        .collect();
    assert!(!judge(&Case { new, ..moved }).floods);
}

#[test]
fn a_fingerprint_is_that_of_the_findings() {
    let of = |case: &Case| judge(case).fingerprint();
    let lost = case(99, all(30, |_| PageFate::Vanished));
    assert_eq!(
        of(&lost),
        of(&Case {
            lost_before: 3,
            ..lost.clone()
        })
    );
    let edited = case(
        99,
        all(30, |_| PageFate::Vanished).chain([became(30, "edited")]),
    );
    assert_eq!(
        of(&lost),
        of(&edited),
        "what is not suspect is not accepted either"
    );
    for other in [
        case(99, all(31, |_| PageFate::Vanished)),
        case(99, all(29, |_| PageFate::Vanished)),
        case(99, all(30, |_| PageFate::Redirected(path("login")))),
        case(99, all(30, |number| became(number, "back soon"))),
    ] {
        assert_ne!(of(&lost), of(&other));
    }
}

/// Whatever a crawl brings, accepted losses of a day never sum up to more than the limit.
#[test]
fn no_series_of_losses_passes_the_limit() {
    for step in 1..40 {
        let mut left = 200_usize;
        let mut lost_before = 0;
        loop {
            let verdict = judge(&Case {
                lost_before,
                ..case(left, all(step.min(left), |_| PageFate::Vanished))
            });
            if verdict.loses_too_much {
                break;
            }
            left -= verdict.lost.len();
            lost_before += verdict.lost.len();
        }
        assert!(lost_before <= 201 / 5, "{step}: {lost_before}");
    }
}
