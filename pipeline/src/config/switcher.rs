//! `[site.html.switcher]`: the language switcher that is put into pages.

use super::ConfigError;
use super::keys;
use super::reader::{ConfigField, ConfigTable};
use crate::page;

/// The language switcher: what it looks like and where it is put.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Switcher {
    /// What it looks like.
    pub template: SwitcherTemplate,
    /// Position of the switcher on a page without a marked place.
    pub placement: Placement,
}

/// Position of the language switcher on a page without a marked place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// After `<body>`.
    BodyStart,
    /// Before `</body>`.
    BodyEnd,
    /// Inside the element whose id the configuration names; a page without it gets no switcher.
    Waiting,
    /// No switcher.
    Nowhere,
}

/// The switchers that come with Latimer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SwitcherTemplate {
    /// Links side by side, in the page's flow.
    Inline,
    /// A list that unfolds, in a corner of the window.
    Disclosure,
    /// Links side by side in a rounded frame, in the page's flow.
    Pill,
    /// Links over a line, in the page's flow.
    Tabs,
    /// A list that unfolds from the language's tag, in the page's flow.
    Compact,
    /// Nothing to see: JSON for the page's own scripts.
    Headless,
}

/// How `switcher.placement` is written, where it is not the id of an element.
const PLACEMENTS: [(&str, Placement); 3] = [
    ("body-end", Placement::BodyEnd),
    ("body-start", Placement::BodyStart),
    ("none", Placement::Nowhere),
];

impl Default for Switcher {
    fn default() -> Self {
        Self {
            template: SwitcherTemplate::Disclosure,
            placement: Placement::BodyEnd,
        }
    }
}

impl SwitcherTemplate {
    /// All of them, in the order in which they are offered.
    pub const ALL: [Self; 6] = [
        Self::Inline,
        Self::Disclosure,
        Self::Pill,
        Self::Tabs,
        Self::Compact,
        Self::Headless,
    ];

    /// The one that is written so.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|template| template.name() == name)
    }

    /// The name as it is written.
    pub fn name(self) -> &'static str {
        match self {
            Self::Inline => "inline",
            Self::Disclosure => "disclosure",
            Self::Pill => "pill",
            Self::Tabs => "tabs",
            Self::Compact => "compact",
            Self::Headless => "headless",
        }
    }
}

/// The switcher; an element that waits for it becomes one of the page's rules.
pub(super) fn read(
    html: Option<&ConfigTable<'_>>,
    rules: &mut page::Rules,
) -> Result<Switcher, ConfigError> {
    let table = html
        .map(|table| table.table("switcher", &keys::SWITCHER))
        .transpose()?
        .flatten();
    let get = |key| table.as_ref().and_then(|table| table.get(key));
    let usual = Switcher::default();
    let templates = SwitcherTemplate::ALL.map(|template| (template.name(), template));
    let template = get("template")
        .map(|field| field.one_of(&templates))
        .transpose()?
        .unwrap_or(usual.template);
    let placement = match get("placement") {
        Some(field) => placement(&field, rules)?,
        None => usual.placement,
    };
    Ok(Switcher {
        template,
        placement,
    })
}

fn placement(field: &ConfigField<'_>, rules: &mut page::Rules) -> Result<Placement, ConfigError> {
    let text = field.text()?;
    if let Some((_, placement)) = PLACEMENTS.iter().find(|(word, _)| *word == text) {
        return Ok(*placement);
    }
    let id = text
        .strip_prefix('#')
        .filter(|id| !id.is_empty() && !id.contains(char::is_whitespace));
    let wanted = || {
        field.must_be(
            "\"body-end\", \"body-start\", \"none\" or the id of an element, \"#languages\"",
        )
    };
    rules.put_switcher_into(id.ok_or_else(wanted)?);
    Ok(Placement::Waiting)
}
