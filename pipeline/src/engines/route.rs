//! Routes for a pair of languages: a direct engine, or a detour of two engines through an intermediate language.
//! Benchmark figures decide if both exist (R-P2). Without figures, the neural engine through English goes before engines
//! that come after it.
//!
//! Figures are compared only within one set of texts: the site's own (`latimer eval --save`) or [`MEASURED`].

use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::pivot::Pivot;
use super::{Engine, Offer};
use crate::model::{LanguagePair, Locale};

/// Intermediate languages in the order to try: those that most engines know.
const VIA: [&str; 9] = ["en", "pt", "es", "fr", "de", "ca", "it", "ru", "sv"];

/// chrF on the Debian handbook by kinds of engines and languages (docs/engines.md).
const MEASURED: [(&str, [&str; 2], f64); 2] = [
    ("apertium", ["en", "es"], 57.7),
    ("fx > pt > apertium", ["en", "es"], 66.1),
];

/// A figure of a route on a site's own words.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RouteFigure {
    /// Names of engines in the configuration, such as `fx > pt > apertium`.
    pub route: String,
    /// The language of the source.
    pub from: Locale,
    /// The language wanted.
    pub to: Locale,
    /// chrF against human translations, 0 to 100.
    pub chrf: f64,
    /// BLEU against human translations.
    pub bleu: f64,
    /// Texts compared.
    pub texts: usize,
}

/// A file of figures.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FigureFile {
    figures: Vec<RouteFigure>,
}

/// The choice between routes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Routes {
    /// A site's own figures.
    pub figures: Vec<RouteFigure>,
    /// Puts an engine that has the pair first, whatever the figures.
    pub prefers_direct: bool,
}

/// A file of figures that cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum FigureError {
    /// Input or output error.
    #[error(transparent)]
    Disk(#[from] std::io::Error),
    /// Invalid content.
    #[error("it is no file of figures as `latimer eval --save` writes it: {0}")]
    Form(#[from] serde_json::Error),
}

impl RouteFigure {
    /// Reads a file of figures; empty if the file does not exist yet.
    ///
    /// # Errors
    /// A [`FigureError`] if it cannot be read.
    pub fn read_all(file: &Path) -> Result<Vec<Self>, FigureError> {
        match std::fs::read(file) {
            Ok(bytes) => Ok(serde_json::from_slice::<FigureFile>(&bytes)?.figures),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(error.into()),
        }
    }

    /// Adds the figure to a file, in the place of an earlier one of the same route and languages.
    ///
    /// # Errors
    /// A [`FigureError`] if the file cannot be read or written.
    pub fn save(self, file: &Path) -> Result<(), FigureError> {
        let mut figures = Self::read_all(file)?;
        figures.retain(|known| {
            (&known.route, &known.from, &known.to) != (&self.route, &self.from, &self.to)
        });
        figures.push(self);
        figures.sort_by(|one, other| {
            (&one.from, &one.to, &one.route).cmp(&(&other.from, &other.to, &other.route))
        });
        let text = serde_json::to_string_pretty(&FigureFile { figures })? + "\n";
        if let Some(folder) = file.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let draft = file.with_extension("draft");
        std::fs::write(&draft, text)?;
        Ok(std::fs::rename(&draft, file)?)
    }
}

/// The kind of the neural engine.
const NEURAL: &str = "fx";
/// The language that all neural models translate from or into.
const NEURAL_VIA: &str = "en";

/// An engine and its name in the configuration.
type RoutedEngine = (String, Arc<dyn Engine>);

/// Two engines joined by an intermediate language.
struct Detour {
    name: String,
    kind: String,
    pivot: Pivot,
}

/// Adds a detour if no engine offers the pair, or if it is better than the direct engine, which comes next then. Figures
/// decide; without them, a detour of the neural engine alone goes before the engines that come after it.
pub(crate) fn with_pivot(
    mut engines: Vec<RoutedEngine>,
    pair: LanguagePair<&Locale>,
    routes: &Routes,
) -> Vec<RoutedEngine> {
    let direct = engines
        .iter()
        .position(|(_, engine)| engine.offers(pair) == Offer::Yes);
    let (at, detour) = match direct {
        None => {
            let neural = neural_detour(&engines, pair).map(|(_, detour)| detour);
            (
                engines.len(),
                neural.or_else(|| detours(&engines, pair).next()),
            )
        }
        Some(at) if routes.prefers_direct => (at, None),
        Some(at) => (at, better_detour(&engines, at, pair, routes)),
    };
    if let Some(detour) = detour {
        engines.insert(at, (detour.name, Arc::new(detour.pivot)));
    }
    engines
}

/// The detour that goes before a direct engine.
fn better_detour(
    engines: &[RoutedEngine],
    at: usize,
    pair: LanguagePair<&Locale>,
    routes: &Routes,
) -> Option<Detour> {
    let (name, engine) = &engines[at];
    let straight = (name.clone(), engine.kind().to_owned());
    let mut best = None;
    let mut best_chrf = 0.0;
    for detour in detours(engines, pair) {
        let figures = routes.chrf(
            [straight.clone(), (detour.name.clone(), detour.kind.clone())],
            pair,
        );
        if let Some([straight, around]) = figures
            && around > straight
            && around > best_chrf
        {
            best_chrf = around;
            best = Some(detour);
        }
    }
    if best.is_some() {
        return best;
    }
    let (neural_at, neural) = neural_detour(engines, pair)?;
    // Figures that rate the direct engine above it have been looked at already.
    let is_measured = routes
        .chrf([straight, (neural.name.clone(), neural.kind.clone())], pair)
        .is_some();
    if neural_at < at && !is_measured {
        Some(neural)
    } else {
        None
    }
}

/// The detour of the neural engine through English, with its place among the engines.
fn neural_detour(engines: &[RoutedEngine], pair: LanguagePair<&Locale>) -> Option<(usize, Detour)> {
    let via = Locale::parse(NEURAL_VIA).ok()?;
    let legs = pair.via(&via);
    let at = engines.iter().position(|(_, engine)| {
        engine.kind() == NEURAL && legs.iter().all(|leg| engine.offers(*leg) == Offer::Yes)
    })?;
    let (name, engine) = &engines[at];
    let detour = Detour {
        name: format!("{name} > {via} > {name}"),
        kind: format!("{NEURAL} > {via} > {NEURAL}"),
        pivot: Pivot::new(Arc::clone(engine), Arc::clone(engine), via.clone()),
    };
    Some((at, detour))
}

/// Detours for a pair of languages, in the order of their intermediate languages.
fn detours<'e>(
    engines: &'e [RoutedEngine],
    pair: LanguagePair<&'e Locale>,
) -> impl Iterator<Item = Detour> + 'e {
    let between = VIA.iter().filter_map(|tag| Locale::parse(tag).ok());
    let between = between
        .filter(move |via| ![pair.from.language(), pair.to.language()].contains(&via.language()));
    between.filter_map(move |via| {
        let offers = |leg: LanguagePair<&Locale>| {
            engines
                .iter()
                .find(|(_, engine)| engine.offers(leg) == Offer::Yes)
        };
        let [first, second] = pair.via(&via);
        let ((one, first), (other, second)) = (offers(first)?, offers(second)?);
        let name = format!("{one} > {via} > {other}");
        let kind = format!("{} > {via} > {}", first.kind(), second.kind());
        Some(Detour {
            name,
            kind,
            pivot: Pivot::new(Arc::clone(first), Arc::clone(second), via),
        })
    })
}

impl Routes {
    /// Figures of two routes on the same texts, each known by its name and the kinds of its engines.
    fn chrf(&self, routes: [(String, String); 2], pair: LanguagePair<&Locale>) -> Option<[f64; 2]> {
        let own = |name: &str| {
            let is_it = |figure: &&RouteFigure| {
                figure.route == name && figure.from == *pair.from && figure.to == *pair.to
            };
            self.figures.iter().find(is_it)
        };
        let measured = |kind: &str| {
            let languages = [pair.from.language(), pair.to.language()];
            MEASURED
                .iter()
                .find(|(known, of, _)| *known == kind && *of == languages)
                .map(|(_, _, chrf)| *chrf)
        };
        let [straight, around] = &routes;
        // Figures for different numbers of texts were measured on different texts, so they do not compare.
        let own = own(&straight.0)
            .zip(own(&around.0))
            .filter(|(one, other)| one.texts == other.texts);
        let own = own.map(|(one, other)| (one.chrf, other.chrf));
        own.or_else(|| measured(&straight.1).zip(measured(&around.1)))
            .map(<[f64; 2]>::from)
    }
}

#[cfg(test)]
mod tests;
