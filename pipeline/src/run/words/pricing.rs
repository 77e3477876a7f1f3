//! Prices of requests to engines, and tokens of a plan by the ratio of earlier builds (R-L20).

use std::collections::BTreeMap;

use crate::config::NamedEngine;
use crate::engines::{EngineSpec, EstimateBasis, Price, TokenEstimate, TokenUsage};
use crate::model::Locale;
use crate::run::context::Build;
use crate::run::error::BuildError;
use crate::state::LocaleRun;
use crate::translate::EngineUsage;

/// Number of latest builds that count for the ratio of tokens to characters, so that a changed model soon has its own.
const BUILDS: usize = 20;

/// Price of the requests to engines; `None` if no engine has a price for its requests.
pub(in crate::run) fn price(
    engines: &[NamedEngine],
    used: &BTreeMap<String, EngineUsage>,
) -> Option<Price> {
    let priced = engines.iter().filter_map(|engine| {
        let usage = used.get(&engine.name).filter(|usage| usage.calls > 0)?;
        engine.price_of(usage.characters, &usage.tokens)
    });
    let prices: Vec<f64> = priced.collect();
    if prices.is_empty() {
        None
    } else {
        Some(Price(prices.into_iter().sum()))
    }
}

/// Tokens by engine, without engines whose services reported none.
pub(in crate::run) fn tokens(used: &BTreeMap<String, EngineUsage>) -> BTreeMap<String, TokenUsage> {
    used.iter()
        .filter_map(|(name, usage)| Some((name.clone(), usage.tokens.named()?)))
        .collect()
}

/// Notices for engines with a price per token whose service reports no tokens, and for services without a price beside
/// others with one.
pub(super) fn unpriced(
    engines: &[NamedEngine],
    used: &BTreeMap<String, EngineUsage>,
) -> Vec<String> {
    let mut notices = Vec::new();
    let has_price = price(engines, used).is_some();
    for engine in engines {
        let is_used = used.get(&engine.name).is_some_and(|usage| usage.calls > 0);
        let is_free =
            !matches!(&engine.spec, EngineSpec::Service(_, service) if !service.allow_private);
        let has_none = engine.token_price.is_none() && engine.price_per_million.is_none();
        if has_price && is_used && has_none && !is_free {
            let name = &engine.name;
            notices.push(format!(
                "the price of this build is without engine {name}, which has no price"
            ));
        }
        let is_silent = used
            .get(&engine.name)
            .is_some_and(|usage| usage.translated > 0 && usage.tokens.is_empty());
        if engine.token_price.is_some() && is_silent {
            let name = &engine.name;
            notices.push(format!(
                "engine {name}: its `price` is per token, but the service reports no tokens; the price is unknown"
            ));
        }
    }
    notices
}

/// Tokens of the latest builds by language and engine.
#[derive(Clone, Debug, Default)]
pub(in crate::run) struct EarlierTokens(BTreeMap<Locale, BTreeMap<String, TokenUsage>>);

impl EarlierTokens {
    fn of(runs: BTreeMap<Locale, Vec<LocaleRun>>) -> Self {
        let mut earlier: BTreeMap<Locale, BTreeMap<String, TokenUsage>> = BTreeMap::new();
        for (locale, runs) in runs {
            let mut builds: BTreeMap<String, usize> = BTreeMap::new();
            let known = earlier.entry(locale).or_default();
            for (engine, tokens) in runs.into_iter().rev().flat_map(|run| run.tokens) {
                let count = builds.entry(engine.clone()).or_default();
                *count += 1;
                if *count <= BUILDS {
                    known.entry(engine).or_default().add(tokens);
                }
            }
        }
        Self(earlier)
    }

    /// Tokens for this many characters by an engine; `None` before the first build whose service reported any.
    pub(in crate::run) fn estimate(
        &self,
        engine: &str,
        locale: &Locale,
        characters: u64,
    ) -> Option<TokenEstimate> {
        let own = self.0.get(locale).and_then(|engines| engines.get(engine));
        if let Some(tokens) = own.and_then(|tokens| tokens.for_characters(characters)) {
            return Some(TokenEstimate::of(tokens, EstimateBasis::EarlierBuilds));
        }
        let mut all = TokenUsage::default();
        for tokens in self.0.values().filter_map(|engines| engines.get(engine)) {
            all.add(*tokens);
        }
        Some(TokenEstimate::of(
            all.for_characters(characters)?,
            EstimateBasis::OtherLanguages,
        ))
    }
}

/// Tokens of earlier builds of the site.
pub(in crate::run) async fn earlier_tokens(build: &Build<'_>) -> Result<EarlierTokens, BuildError> {
    let id = build.site.id.clone();
    Ok(EarlierTokens::of(
        build
            .stores
            .with_state(move |state| state.locale_runs(&id))
            .await?,
    ))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::config::Config;

    #[test]
    fn services_without_a_price_are_named_beside_a_price_r_l20() {
        let text = "[[site]]\nid = \"s\"\nsource = \"source\"\nsource_locale = \"en\"\nlocales = [\"es\"]\nengine = [\"a\", \"b\", \"own\"]\n\
            [engine.a]\nkind = \"google\"\nprice_per_million = 20\n[engine.b]\nkind = \"deepl\"\n\
            [engine.own]\nkind = \"libretranslate\"\nurl = \"http://127.0.0.1:5000\"\nallow_private = true\n";
        let config = Config::parse(text, Path::new("latimer.toml"), &|_| None).unwrap();
        let engines = &config.sites[0].engines;
        let mut used: BTreeMap<String, EngineUsage> = BTreeMap::new();
        for name in ["a", "b", "own"] {
            used.insert(
                name.to_owned(),
                EngineUsage {
                    calls: 1,
                    characters: 1_000_000,
                    ..EngineUsage::default()
                },
            );
        }
        assert_eq!(price(engines, &used), Some(Price(20.0)));
        assert_eq!(
            unpriced(engines, &used),
            ["the price of this build is without engine b, which has no price"]
        );
        used.remove("a");
        assert!(
            unpriced(engines, &used).is_empty(),
            "there is no price at all"
        );
    }
}
