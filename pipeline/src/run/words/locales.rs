//! Locales of a build, and their switches.
//!
//! A switch in the object store wins over the state, and the state over the configuration.

use std::collections::BTreeMap;

use crate::model::Locale;
use crate::run::clock::now;
use crate::run::context::Build;
use crate::run::error::BuildError;
use crate::state::State;
use crate::store::{self, Published, ServingSwitch, Switches};
use crate::webhooks::LocaleSwitched;

/// The configured locales in a build.
#[derive(Clone, Debug)]
pub(crate) struct BuildLocales {
    pub(crate) all: Vec<BuildLocale>,
    /// The record of switches that they follow.
    pub(in crate::run) record: u64,
}

/// A configured locale in this build.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BuildLocale {
    pub(crate) locale: Locale,
    /// Whether readers get it.
    pub(in crate::run) switch: ServingSwitch,
    /// Whether engines may be asked for it; otherwise people's words and the memory have to do.
    pub(in crate::run) selected: bool,
}

impl BuildLocale {
    pub(crate) fn is_built(&self) -> bool {
        self.switch == ServingSwitch::On
    }
}

/// Writes a damaged record of switches anew where somebody knows what it said, before anything follows from it.
pub(in crate::run) async fn mend_switches(build: &Build<'_>) -> Result<Option<String>, BuildError> {
    let id = build.site.id.clone();
    let known = build
        .stores
        .with_state(move |state| state.switches(&id))
        .await?;
    let known: BTreeMap<Locale, ServingSwitch> = known
        .into_iter()
        .map(|(locale, record)| (locale, record.enabled.into()))
        .collect();
    let lost = store::mend_switches(&build.stores.objects, &build.site.id, &known).await?;
    Ok(lost.map(|lost| {
        format!(
            "{lost}, which says which languages are on, is damaged and was written anew; what is not known to be off \
             stays as it was: look with `latimer doctor` and turn what is wrong with `latimer locale`"
        )
    }))
}

/// The configured locales. They start switched on; a switch that was turned later wins over the file.
pub(crate) async fn build_locales(
    build: &Build<'_>,
    previous: Option<&Published>,
) -> Result<BuildLocales, BuildError> {
    let turned = Switches::newest(&build.stores.objects, &build.site.id).await?;
    let id = build.site.id.clone();
    let facts = turned.clone();
    let follow = move |state: &State| {
        let known = state.switches(&id)?;
        // An older record than the newest says nothing new.
        for (locale, switch) in facts.iter().filter(|_| facts.lost().is_none()) {
            // Turned by somebody with another state.
            let enabled = switch == ServingSwitch::On;
            if known
                .get(locale)
                .is_none_or(|record| record.enabled != enabled)
            {
                let event = LocaleSwitched::new(locale, enabled, LocaleSwitched::ELSEWHERE);
                state.turn_switch(&id, locale, enabled, None, Some(event), now())?;
            }
        }
        state.switches(&id)
    };
    let switches = build.stores.with_state(follow).await?;
    let remembered = |locale: &Locale| {
        switches
            .get(locale)
            .map(|record| ServingSwitch::from(record.enabled))
    };
    let switch = |locale: &Locale| match (turned.get(locale), remembered(locale)) {
        (Some(ServingSwitch::On), Some(ServingSwitch::Off)) if turned.lost().is_some() => {
            ServingSwitch::Off
        }
        (Some(switch), _) | (None, Some(switch)) => switch,
        // A state that was lost leaves the pages as they are.
        (None, None) => previous
            .and_then(|site| site.settings().locales.get(locale))
            .copied()
            .unwrap_or(ServingSwitch::On),
    };
    let mut all = Vec::new();
    for locale in &build.site.locales {
        let selected = build.options.is_for(locale);
        all.push(BuildLocale {
            locale: locale.clone(),
            switch: switch(locale),
            selected,
        });
    }
    Ok(BuildLocales {
        all,
        record: turned.number(),
    })
}
