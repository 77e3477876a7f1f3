//! Services that fail: every text ends, no placeholder breaks, and the number of requests stays bounded.

use super::*;
use crate::translate::CharacterBudget;

#[tokio::test]
async fn what_fails_once_is_asked_again() {
    for vendor in Vendor::ALL {
        // Silence takes its time and is the same for all.
        let silence = (vendor == Vendor::Deepl).then_some("silence");
        for fault in ["busy", "error", "end", "cut", "count"]
            .into_iter()
            .chain(silence)
        {
            let server = EngineServer::start(move |number, seen| {
                // LibreTranslate is asked for its languages first.
                let first = usize::from(vendor == Vendor::Libre);
                if number != first {
                    return vendor.well(seen);
                }
                let mut texts = vendor.done(seen);
                match (fault, vendor.answer(&texts)) {
                    ("busy", _) => ServerReply::status(503, ""),
                    ("error", _) => ServerReply::status(500, "oops"),
                    ("end", _) => ServerReply::End,
                    ("silence", _) => ServerReply::Silence,
                    ("count", _) if vendor != Vendor::Apy => {
                        texts.pop();
                        vendor.answer(&texts)
                    }
                    (_, ServerReply::Answer(status, headers, body)) => {
                        ServerReply::Answer(status, headers, body[..body.len() - 4].into())
                    }
                    (_, told) => told,
                }
            })
            .await;
            let (outcomes, _) = run(
                vendor,
                &server,
                &[plain("one day"), plain("two days")],
                "es",
            )
            .await;
            assert_eq!(outcomes, ["ONE DAY", "TWO DAYS"], "{vendor:?} {fault}");
            assert!(
                server.seen().len() <= 5,
                "{vendor:?} {fault}: {}",
                server.seen().len()
            );
        }
    }
}

#[tokio::test]
async fn what_always_fails_is_given_up_with_its_reason() {
    let texts: Vec<Segment> = (0..200).map(|n| plain(&format!("text {n}"))).collect();
    for vendor in Vendor::ALL {
        for (told, reason, most) in [
            (ServerReply::status(401, "no"), "refuses our credentials", 5),
            (ServerReply::status(503, ""), "rate-limited", 60),
            (ServerReply::End, "cannot be reached", 40),
            (ServerReply::ok("<html>".into()), "makes no sense", 80),
            (
                ServerReply::status(400, "{\"error\":\"never\"}"),
                "does not take the request",
                80,
            ),
        ] {
            let expected = reason;
            let server = EngineServer::start(move |_, seen| {
                if vendor.is_asked(seen) {
                    told.clone()
                } else {
                    languages()
                }
            })
            .await;
            let (outcomes, _) = run(vendor, &server, &texts, "es").await;
            assert!(
                outcomes.iter().all(|told| told.starts_with("! it: ")),
                "{outcomes:?}"
            );
            assert!(
                outcomes.iter().any(|told| told.contains(expected)),
                "{vendor:?} {expected}: {}",
                outcomes[0]
            );
            assert!(
                server.seen().len() <= most,
                "{vendor:?} {expected}: {} requests",
                server.seen().len()
            );
        }
    }
}

#[tokio::test]
async fn what_is_too_large_is_halved_until_it_fits() {
    for vendor in [
        Vendor::Libre,
        Vendor::Deepl,
        Vendor::Google,
        Vendor::Azure,
        Vendor::OpenAi,
    ] {
        let server = EngineServer::start(move |_, seen| {
            match vendor.is_asked(seen) && vendor.texts(seen).len() > 10 {
                true => ServerReply::status(413, ""),
                false => vendor.well(seen),
            }
        })
        .await;
        let texts: Vec<Segment> = (0..100).map(|n| plain(&format!("text {n}"))).collect();
        let (outcomes, _) = run(vendor, &server, &texts, "es").await;
        for (n, outcome) in outcomes.iter().enumerate() {
            assert_eq!(*outcome, format!("TEXT {n}"), "{vendor:?}");
        }
    }
}

#[tokio::test]
async fn requests_stay_below_the_size_that_a_service_takes() {
    for (vendor, most) in [
        (Vendor::Deepl, 128 << 10),
        (Vendor::Google, 100_000),
        (Vendor::Azure, 50_000),
    ] {
        let server = EngineServer::start(move |_, seen| vendor.well(seen)).await;
        let texts: Vec<Segment> = (0..60)
            .map(|n| {
                segment(
                    &format!("n{n} <x id=\"1\"/> {}", "\"word\" & ".repeat(400)),
                    &["code"],
                )
            })
            .collect();
        let (outcomes, _) = run(vendor, &server, &texts, "es").await;
        assert!(
            outcomes.iter().all(|told| !told.starts_with('!')),
            "{:?}",
            outcomes[0]
        );
        let longest = server
            .seen()
            .iter()
            .map(|seen| seen.body.len())
            .max()
            .unwrap();
        assert!(longest <= most, "{vendor:?}: {longest}");
    }
}

/// The inline codes of a text in the notation, in order.
fn codes(markup: &str) -> Vec<&str> {
    markup
        .split('<')
        .skip(1)
        .filter_map(|rest| rest.split('>').next())
        .collect()
}

#[tokio::test]
async fn no_broken_placeholder_passes() {
    let markup = "Open <g id=\"1\">the door</g> with <x id=\"2\"/> now";
    let texts = [segment(markup, &["a", "code"])];
    let breaks: [fn(&str) -> String; 6] = [
        |text| text.split(['<', '>']).step_by(2).collect(),
        |text| format!("{text} {text}"),
        |text| text.replacen("</", "<", 1),
        |text| text.replace("id=\"2\"", "id=\"3\""),
        |text| text.replacen('<', "<script>x</script><", 1),
        |text| {
            text.replace("XC1", "")
                .replace("</span>", "")
                .replace("</g>", "")
        },
    ];
    for vendor in Vendor::ALL {
        for (number, broken) in breaks.into_iter().enumerate() {
            let server = EngineServer::start(move |_, seen| match vendor.is_asked(seen) {
                true => vendor.answer(
                    &vendor
                        .texts(seen)
                        .iter()
                        .map(|text| broken(text))
                        .collect::<Vec<_>>(),
                ),
                false => languages(),
            })
            .await;
            let (outcomes, _) = run(vendor, &server, &texts, "es").await;
            // A text that is asked for in parts keeps its codes (R-L15).
            let has_codes = codes(&outcomes[0]) == codes(markup);
            assert!(
                has_codes || outcomes[0].starts_with('!'),
                "{vendor:?} {number}: {}",
                outcomes[0]
            );
        }
    }
}

#[tokio::test]
async fn new_tries_that_may_cost_again_come_out_of_the_budget() {
    for (budget, requests) in [(7, 1), (14, 2), (28, 4)] {
        let server = EngineServer::start(|_, _| ServerReply::ok("{".into())).await;
        let engine = start(&Vendor::Deepl.spec(&server.url)).unwrap();
        let budget = Arc::new(CharacterBudget::new(Some(budget)));
        let chain = Chain::new(vec![("it".into(), engine)])
            .at_pace(PACE)
            .within(budget);
        let mut told = 0;
        chain
            .translate(
                LanguagePair {
                    from: &locale("en"),
                    to: &locale("es"),
                },
                &[plain("one day")],
                &mut |_, _| told += 1,
            )
            .await;
        assert_eq!((told, server.seen().len()), (1, requests));
    }
}

/// One request in ten is refused with 503 and one in twenty with 429; some hang, are cut, lack an answer or lose a
/// code.
#[tokio::test]
async fn a_bad_day_costs_at_most_half_as_much_again() {
    // As many as make some dozens of requests.
    for (vendor, count) in [
        (Vendor::OpenAi, 500),
        (Vendor::Deepl, 2_000),
        (Vendor::Libre, 500),
    ] {
        let page = |n| {
            segment(
                &format!("Page {n} has <g id=\"1\">a link</g> and <x id=\"2\"/> in it"),
                &["a", "code"],
            )
        };
        let texts: Vec<Segment> = (0..count).map(page).collect();
        let good = EngineServer::start(move |_, seen| vendor.well(seen)).await;
        let (_, tally) = run(vendor, &good, &texts, "es").await;
        assert_eq!(usize::try_from(tally.translated).unwrap(), count);
        let bad = EngineServer::start(move |number, seen| stormy(vendor, number, seen)).await;
        let (outcomes, tally) = run(vendor, &bad, &texts, "es").await;
        let translated = outcomes
            .iter()
            .filter(|told| !told.starts_with('!'))
            .count();
        let calm = good.seen().len();
        let storm = bad.seen().len();
        println!(
            "{vendor:?}: {calm} requests on a good day, {storm} on a bad one, {translated} of {count} translated"
        );
        assert!(
            storm * 2 <= calm * 3,
            "{vendor:?}: {storm} requests instead of {calm}"
        );
        assert_eq!(
            usize::try_from(tally.translated + tally.refused).unwrap(),
            texts.len()
        );
        assert!(translated + 5 >= count, "{vendor:?}: {translated}");
    }
}

fn stormy(vendor: Vendor, number: usize, seen: &SeenRequest) -> ServerReply {
    if !vendor.is_asked(seen) {
        return languages();
    }
    let mut texts = vendor.done(seen);
    match number % 50 {
        3 | 13 | 23 | 33 | 43 => ServerReply::status(503, "busy"),
        6 | 27 | 46 => ServerReply::Answer(
            429,
            vec![("retry-after", (number % 2).to_string())],
            String::new(),
        ),
        11 => ServerReply::Silence,
        17 => match vendor.answer(&texts) {
            ServerReply::Answer(status, headers, body) => {
                ServerReply::Answer(status, headers, body[..body.len() / 2].into())
            }
            other => other,
        },
        21 => {
            texts.pop();
            vendor.answer(&texts)
        }
        8 => {
            texts[0] = texts[0].replace("<x id=\"2\"/>", "").replace("XC1", "");
            vendor.answer(&texts)
        }
        _ => vendor.answer(&texts),
    }
}
