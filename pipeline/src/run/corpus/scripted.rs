//! What is known of a page that scripts draw.

use crate::page::{Framework, Page, Rendering};
use crate::state::CachedDrawing;

/// A page that scripts draw.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Scripted {
    pub(crate) rendering: Rendering,
    pub(crate) framework: Option<Framework>,
    /// What the page says of what may be loaded.
    pub(in crate::run) policies: Vec<String>,
}

impl Scripted {
    /// What is known of a page, if scripts draw it.
    pub(in crate::run) fn of(page: &Page) -> Option<Self> {
        let rendering = page.rendering();
        let framework = page.framework();
        // A page of AMP gets nothing of ours that a policy could forbid.
        let policies = if page.is_amp() {
            Vec::new()
        } else {
            page.policies().to_vec()
        };
        (rendering != Rendering::Static || !policies.is_empty()).then_some(Self {
            rendering,
            framework,
            policies,
        })
    }

    /// Restores the facts of a page that was not read.
    pub(super) fn of_cached(policies: Vec<String>, drawn: Option<CachedDrawing>) -> Option<Self> {
        match drawn {
            Some(CachedDrawing {
                rendering,
                framework,
                ..
            }) => Some(Self {
                rendering,
                framework,
                policies,
            }),
            None if policies.is_empty() => None,
            None => Some(Self {
                policies,
                ..Self::default()
            }),
        }
    }
}
