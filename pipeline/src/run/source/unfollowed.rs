//! Files that programs name and a crawl does not have, as the report names them (R-S22).

use crate::crawl::Unfollowed;
use crate::model::PagePath;
use crate::run::report::named::named;

/// Notices for the owner.
pub(in crate::run) fn notices(unfollowed: &Unfollowed) -> Vec<String> {
    let mut notices = Vec::new();
    if !unfollowed.missing.is_empty() {
        let missing: Vec<String> = unfollowed.missing.iter().map(PagePath::to_string).collect();
        notices.push(format!(
            "scripts name files that the site does not have: {}",
            named(&missing)
        ));
    }
    if !unfollowed.computed.is_empty() {
        let computed: Vec<String> = unfollowed
            .computed
            .iter()
            .map(|(program, head)| format!("{program} ({head}…)"))
            .collect();
        notices.push(format!(
            "scripts compute the names of files that they load, so a crawl cannot take them: {}; name the files in a page (<link \
             rel=\"prefetch\">), or build from the folder that the site is published from",
            named(&computed)
        ));
    }
    notices
}
