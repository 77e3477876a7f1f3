//! Tests of `route.rs`.

use async_trait::async_trait;

use super::*;
use crate::engines::{AskError, Caps, EngineAnswer, EngineError, EngineRequest};

/// An engine that has the pairs of some languages.
struct PairsEngine {
    kind: &'static str,
    pairs: &'static [[&'static str; 2]],
}

#[async_trait]
impl Engine for PairsEngine {
    fn caps(&self) -> &Caps {
        &Caps::LINKS
    }

    fn fingerprint(&self, _pair: LanguagePair<&Locale>) -> String {
        self.kind.into()
    }

    fn kind(&self) -> &'static str {
        self.kind
    }

    fn offers(&self, pair: LanguagePair<&Locale>) -> Offer {
        let languages = [pair.from.language(), pair.to.language()];
        if self.pairs.contains(&languages) {
            Offer::Yes
        } else {
            Offer::No("no pair".into())
        }
    }

    async fn translate(
        &self,
        _request: EngineRequest<'_>,
    ) -> Result<Vec<Result<EngineAnswer, AskError>>, EngineError> {
        Ok(Vec::new())
    }
}

const FX: (&str, PairsEngine) = (
    "fx",
    PairsEngine {
        kind: "fx",
        pairs: &[["en", "pt"]],
    },
);
const APERTIUM: (&str, PairsEngine) = (
    "apertium",
    PairsEngine {
        kind: "apertium",
        pairs: &[["en", "es"], ["pt", "es"], ["en", "ca"]],
    },
);

fn locale(tag: &str) -> Locale {
    Locale::parse(tag).unwrap()
}

const NEURAL_PAIRS: (&str, PairsEngine) = (
    "fx",
    PairsEngine {
        kind: "fx",
        pairs: &[["es", "en"], ["en", "ca"], ["en", "pt"]],
    },
);
const RULE_PAIRS: (&str, PairsEngine) = (
    "apertium",
    PairsEngine {
        kind: "apertium",
        pairs: &[["es", "ca"], ["es", "pt"], ["pt", "gl"]],
    },
);

/// The names of the route from English.
fn route(
    target: &str,
    engines: impl IntoIterator<Item = (&'static str, PairsEngine)>,
    routes: &Routes,
) -> String {
    route_of(["en", target], engines, routes)
}

fn catalan(engines: [(&'static str, PairsEngine); 2], routes: &Routes) -> String {
    route_of(["es", "ca"], engines, routes)
}

fn route_of(
    pair: [&str; 2],
    engines: impl IntoIterator<Item = (&'static str, PairsEngine)>,
    routes: &Routes,
) -> String {
    let mut named: Vec<RoutedEngine> = Vec::new();
    for (name, engine) in engines {
        named.push((name.to_owned(), Arc::new(engine)));
    }
    let [from, to] = pair.map(locale);
    let pair = LanguagePair {
        from: &from,
        to: &to,
    };
    with_pivot(named, pair, routes)
        .into_iter()
        .map(|(name, _)| name)
        .collect::<Vec<_>>()
        .join(", ")
}

fn figure(route: &str, pair: [&str; 2], chrf: f64) -> RouteFigure {
    let [from, to] = pair.map(locale);
    RouteFigure {
        route: route.to_owned(),
        from,
        to,
        chrf,
        bleu: 1.0,
        texts: 60,
    }
}

#[test]
fn two_engines_are_joined_where_none_has_the_pair() {
    let portuguese = (
        "a",
        PairsEngine {
            kind: "",
            pairs: &[["en", "pt"]],
        },
    );
    let spanish = (
        "b",
        PairsEngine {
            kind: "",
            pairs: &[["pt", "es"]],
        },
    );
    assert_eq!(
        route("es", [spanish, portuguese], &Routes::default()),
        "b, a, a > pt > b"
    );
    assert_eq!(
        route("ja", [FX, APERTIUM], &Routes::default()),
        "fx, apertium"
    );
    let direct = (
        "c",
        PairsEngine {
            kind: "",
            pairs: &[["en", "es"], ["pt", "es"]],
        },
    );
    assert_eq!(
        route("es", [FX, direct], &Routes::default()),
        "fx, c",
        "nobody knows how good they are"
    );
}

#[test]
fn the_neural_engine_goes_through_english_before_others_go_directly_r_p2() {
    let usual = Routes::default();
    assert_eq!(
        catalan([NEURAL_PAIRS, RULE_PAIRS], &usual),
        "fx, fx > en > fx, apertium"
    );
    assert_eq!(catalan([RULE_PAIRS, NEURAL_PAIRS], &usual), "apertium, fx");
    let galician = route_of(["es", "gl"], [NEURAL_PAIRS, RULE_PAIRS], &usual);
    assert_eq!(galician, "fx, apertium, apertium > pt > apertium");
    let direct = Routes {
        prefers_direct: true,
        ..Routes::default()
    };
    assert_eq!(catalan([NEURAL_PAIRS, RULE_PAIRS], &direct), "fx, apertium");
    for (straight, through, expected) in [
        (60.0, 50.0, "fx, apertium"),
        (50.0, 60.0, "fx, fx > en > fx, apertium"),
    ] {
        let figures = [("apertium", straight), ("fx > en > fx", through)]
            .map(|(name, chrf)| figure(name, ["es", "ca"], chrf));
        let measured = Routes {
            figures: figures.to_vec(),
            ..Routes::default()
        };
        assert_eq!(catalan([NEURAL_PAIRS, RULE_PAIRS], &measured), expected);
    }
}

#[test]
fn figures_decide_between_an_engine_and_two_r_p2() {
    let measured = Routes::default();
    assert_eq!(
        route("es", [FX, APERTIUM], &measured),
        "fx, fx > pt > apertium, apertium"
    );
    assert_eq!(
        route("es-MX", [APERTIUM, FX], &measured),
        "fx > pt > apertium, apertium, fx"
    );
    assert_eq!(route("ca", [FX, APERTIUM], &measured), "fx, apertium");
    let direct = Routes {
        prefers_direct: true,
        ..Routes::default()
    };
    assert_eq!(route("es", [FX, APERTIUM], &direct), "fx, apertium");
    let service = (
        "deepl",
        PairsEngine {
            kind: "deepl",
            pairs: &[["en", "es"]],
        },
    );
    assert_eq!(
        route("es", [service, FX, APERTIUM], &measured),
        "deepl, fx, apertium",
        "the first that has it"
    );
}

#[test]
fn own_figures_go_before_measured_ones_r_p2() {
    let folder = tempfile::TempDir::new().unwrap();
    let file = folder.path().join("words/figures.json");
    assert_eq!(RouteFigure::read_all(&file).unwrap(), []);
    let own = |figures: &[RouteFigure]| {
        route(
            "es",
            [FX, APERTIUM],
            &Routes {
                figures: figures.to_vec(),
                ..Routes::default()
            },
        )
    };
    figure("apertium", ["en", "es"], 70.0).save(&file).unwrap();
    let alone = RouteFigure::read_all(&file).unwrap();
    assert_eq!(
        own(&alone),
        "fx, fx > pt > apertium, apertium",
        "nothing to compare with on the same texts"
    );
    figure("fx > pt > apertium", ["en", "es"], 60.0)
        .save(&file)
        .unwrap();
    assert_eq!(own(&RouteFigure::read_all(&file).unwrap()), "fx, apertium");
    figure("fx > pt > apertium", ["en", "es"], 71.0)
        .save(&file)
        .unwrap();
    let figures = RouteFigure::read_all(&file).unwrap();
    assert_eq!(
        (own(&figures), figures.len()),
        ("fx, fx > pt > apertium, apertium".to_owned(), 2)
    );
    std::fs::write(&file, "[]").unwrap();
    assert!(
        RouteFigure::read_all(&file)
            .unwrap_err()
            .to_string()
            .contains("no file of figures")
    );
}
