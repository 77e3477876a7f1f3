//! What Latimer itself adds to a site: the language switcher, notices and sitemaps.
//!
//! The texts come from tera templates that are embedded in the program or that the site brings; every one of them
//! escapes what is put in. This is the only room that names tera.

mod json;
mod live;
mod patterns;
mod policy;
mod references;
mod served_policy;
mod sitemap;
mod snippets;
mod switcher;
mod templates;
mod words;

pub use live::{
    OwnScript, SharedWords, addressed_script, import_map, live_block, live_script, report_script,
    scripts_named,
};
pub use patterns::Pattern;
pub use policy::{forbidding, forbidding_style, forbids_handlers, forbids_inline};
pub use references::{
    ERROR_PAGE, ERROR_PAGES, SOURCE_ALTERNATES, SOURCE_SITEMAP, alternates_json, is_error_page,
    link_header, robots,
};
pub use served_policy::{ServedPolicies, policies};
pub use sitemap::{SitemapPage, SitemapSaid, sitemaps};
pub use snippets::{FALLBACK_IDS, SwitcherSnippet, snippets};
pub use switcher::{SwitcherLink, switcher_links, switcher_style};
pub use templates::{MARKER, TemplateError, Templates};
pub use words::has_words;
