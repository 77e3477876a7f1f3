//! What is kept of the policies that servers send with pages: what they say of scripts, without what differs in each answer.

use crate::site_files;

/// What policies say of scripts.
pub(super) fn policies_of_scripts(policies: &[String]) -> Vec<String> {
    policies.iter().map(|policy| of_scripts(policy)).filter(|policy| !policy.is_empty()).collect()
}

/// What a policy says of scripts, without what differs in each answer.
fn of_scripts(value: &str) -> String {
    let word = |word: &str| match word.starts_with("'nonce-") {
        true => word.rfind('\'').map_or("'nonce-'".to_owned(), |end| format!("'nonce-{}", &word[end..])),
        false => word.to_owned(),
    };
    let is_of_scripts = |directive: &&str| {
        let name = directive.split_ascii_whitespace().next().unwrap_or_default().to_ascii_lowercase();
        matches!(name.as_str(), "default-src" | "script-src" | "script-src-elem" | "script-src-attr" | "sandbox")
    };
    let directive = |directive: &str| directive.split_ascii_whitespace().map(word).collect::<Vec<_>>().join(" ");
    // Of several policies each is one.
    let policy = |policy: &str| policy.split(';').filter(is_of_scripts).map(directive).collect::<Vec<_>>().join("; ");
    site_files::policies(value).map(policy).filter(|policy| !policy.is_empty()).collect::<Vec<_>>().join(", ")
}
