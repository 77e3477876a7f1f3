//! The words everything else speaks: sites, locales, paths and segment keys.
//!
//! Text from outside becomes one of these types at the door, or an error; after the door nobody checks again.
//! Pure: no file, socket, clock or global.

mod answer_head;
mod claims;
mod hidden;
mod host;
mod language_pair;
mod link_header;
mod manner;
mod moment;
mod month;
mod name_clue;
mod path;
mod preview;
mod query;
mod render_cause;
mod reported;
mod rtl_sheets;
mod run;
mod same_site;
mod seen_file;
mod sitemap_trust;
mod slugs;
mod source;
mod source_sitemaps;
mod spelling;
mod suspect;
mod web_address;

pub use ::page::{Direction, Locale, LocaleError, SegmentKey};
pub use answer_head::{AnswerHead, KnownAnswer};
pub use claims::{Claimed, Claims};
pub use hidden::is_hidden;
pub use host::{Host, RedirectBy, TargetName, TargetNameError};
pub use language_pair::LanguagePair;
pub use link_header::LinkHeader;
pub use manner::{Digits, Manner};
pub use moment::Moment;
pub use month::{Month, MonthError};
pub use name_clue::NameClue;
pub(crate) use path::without_session;
pub use path::{PagePath, PathError, assign_names, encoded_name, object_name};
pub use preview::{PreviewId, StatusToken};
pub use query::PageParameters;
pub use render_cause::RenderCause;
pub use reported::ReportedText;
pub(crate) use rtl_sheets::{added_rtl_sheet, rtl_sheets};
pub use run::{DeploymentId, PageSelection, RunId, SelectionError};
pub(crate) use same_site::same_site;
pub use seen_file::{FileStat, SeenFile};
pub use sitemap_trust::{SitemapFinding, SitemapTrust};
pub use slugs::Slugs;
pub use source::{DrawnSource, SourceKind, SourceRecord, SourceRecords};
pub use source_sitemaps::{SitemapEntry, SourceSitemaps};
pub use spelling::{AddressForms, FileForm, FolderForm, Spelling};
pub(crate) use spelling::{mark as mark_of_address, stem as page_stem};
pub use suspect::{Doubt, DoubtfulPage, SourceSuspect};
pub use web_address::{
    WebAddressError, base_address, begins_with_host, has_user, is_this_machine, likely_scheme,
    web_address, without_user,
};

use std::fmt;

use serde::{Deserialize, Serialize};

/// Names a site in configuration, paths and the store: `^[a-z0-9][a-z0-9-]{0,62}$`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct SiteId(String);

/// Says why a text is no site id.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "site id {0:?} is not 1 to 63 lower-case letters, digits and hyphens that start with a letter or digit"
)]
pub struct SiteIdError(String);

impl SiteId {
    /// Checks a site id.
    pub fn parse(text: &str) -> Result<Self, SiteIdError> {
        let ok = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        let bytes = text.as_bytes();
        match bytes.first() {
            Some(&first)
                if ok(first)
                    && bytes.len() <= 63
                    && bytes.iter().all(|&byte| ok(byte) || byte == b'-') =>
            {
                Ok(Self(text.to_owned()))
            }
            _ => Err(SiteIdError(text.to_owned())),
        }
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SiteId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl TryFrom<String> for SiteId {
    type Error = SiteIdError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text)
    }
}

impl From<SiteId> for String {
    fn from(id: SiteId) -> Self {
        id.0
    }
}
