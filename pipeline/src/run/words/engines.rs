//! The engines of a site: each is started once, and one that cannot be started is passed over.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::config::{NamedEngine, SiteConfig};
use crate::engines::{Engine, EngineSpec, start};
use crate::model::Locale;
use crate::translate::{Chain, Meter};

/// Name of an engine with its instructions in a language.
type EngineKey = (String, Option<String>);

fn started_as(engine: &NamedEngine) -> EngineKey {
    let instructions = match &engine.spec {
        EngineSpec::Service(_, service) => service.settings.instructions.clone(),
        _ => None,
    };
    (engine.name.clone(), instructions)
}

/// Engines that were started or could not be.
pub(crate) struct RunEngines<'a> {
    site: &'a SiteConfig,
    meter: &'a Meter,
    /// Started engines by name and instructions; `None` for one that cannot be started.
    started: BTreeMap<EngineKey, Option<Arc<dyn Engine>>>,
    notices: Vec<String>,
}

impl<'a> RunEngines<'a> {
    /// The engines of a site, none of them started yet.
    pub(crate) fn of(site: &'a SiteConfig, meter: &'a Meter) -> Self {
        Self {
            site,
            meter,
            started: BTreeMap::new(),
            notices: Vec::new(),
        }
    }

    /// Those of a locale, as far as they can be started.
    pub(crate) fn chain(&mut self, locale: &Locale) -> Chain {
        let mut engines = Vec::new();
        for named in self.site.engines_for(locale) {
            let engine = self.started.entry(started_as(&named)).or_insert_with(|| {
                let started = start(&named.spec);
                self.meter.started(&named.name, started.is_ok());
                let notice = |error| self.notices.push(format!("engine {}: {error}", named.name));
                started.map_err(notice).ok()
            });
            engines.extend(engine.clone().map(|engine| (named.name, engine)));
        }
        let chain = Chain::of_pair(engines, self.site.pair_to(locale), &self.site.routes)
            .metered(self.meter);
        chain.with_manner(self.site.manner_in(locale))
    }

    /// Why engines could not be started, without what was taken before.
    pub(crate) fn take_notices(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notices)
    }

    /// The names of those that could not be started.
    pub(in crate::run) fn absent(&self) -> impl Iterator<Item = &String> {
        self.started
            .iter()
            .filter(|(_, engine)| engine.is_none())
            .map(|((name, _), _)| name)
    }

    /// Whether one of a locale could not be started.
    pub(super) fn lacks_one_of(&self, locale: &Locale) -> bool {
        self.site
            .engines_for(locale)
            .iter()
            .any(|named| matches!(self.started.get(&started_as(named)), Some(None)))
    }
}
