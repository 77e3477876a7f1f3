//! `include` and `exclude`: which paths of the source belong to a site.

use globset::{GlobBuilder, GlobMatcher};

use crate::model::PagePath;

/// Rules in the manner of gitignore: all `include` rules in order, then all `exclude` rules; the last match wins.
///
/// A rule is matched against the whole path without its query; `*` stays inside a segment, `**` does not. A `!`
/// before a rule turns it around.
#[derive(Clone, Debug, Default)]
pub struct PathFilter {
    rules: Vec<(GlobMatcher, bool)>,
    /// Whether paths that no rule names are left out.
    closed: bool,
}

/// Says which rule cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("path pattern {pattern:?} cannot be read: {reason}")]
pub struct FilterError {
    /// The rule.
    pub pattern: String,
    /// What is wrong with it.
    pub reason: String,
}

impl PathFilter {
    /// Compiles the rules of `include` and, after them, `exclude`.
    ///
    /// # Errors
    /// A [`FilterError`] about the first rule that is none.
    pub fn new(include: &[String], exclude: &[String]) -> Result<Self, FilterError> {
        let all = include.iter().map(|rule| (rule, true)).chain(exclude.iter().map(|rule| (rule, false)));
        let rules = all.map(|(rule, admit)| compile(rule, admit)).collect::<Result<_, _>>()?;
        Ok(Self { rules, closed: !include.is_empty() })
    }

    /// Whether a page belongs to the site; where `include` names anything, a page must be named.
    pub fn allows_page(&self, path: &PagePath) -> bool {
        let path = path.as_str().split('?').next().unwrap_or_default();
        let last = self.rules.iter().rev().find(|(rule, _)| rule.is_match(path));
        last.map_or(!self.closed, |(_, admit)| *admit)
    }
}

fn compile(rule: &str, admit: bool) -> Result<(GlobMatcher, bool), FilterError> {
    let (pattern, admit) = rule.strip_prefix('!').map_or((rule, admit), |rest| (rest, !admit));
    let glob = GlobBuilder::new(pattern).literal_separator(true).build();
    let glob = glob.map_err(|error| FilterError { pattern: rule.to_owned(), reason: error.kind().to_string() })?;
    Ok((glob.compile_matcher(), admit))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(include: &[&str], exclude: &[&str], path: &str, allowed: bool) {
        let owned = |rules: &[&str]| rules.iter().map(|&rule| rule.to_owned()).collect::<Vec<_>>();
        let filter = PathFilter::new(&owned(include), &owned(exclude)).unwrap();
        assert_eq!(filter.allows_page(&PagePath::parse(path).unwrap()), allowed, "{include:?} {exclude:?} {path}");
    }

    #[test]
    fn the_last_match_wins() {
        let exclude = ["/internal/**", "!/internal/press/**", "/**/draft-*"];
        for (path, allowed) in [
            ("/", true),
            ("/about/", true),
            ("/internal/", false),
            ("/internal/x/y?z=1", false),
            ("/internal/press/", true),
            ("/internal/press/draft-1", false),
            ("/draft-1", false),
            ("/draft-1/page", true),
        ] {
            check(&["/**"], &exclude, path, allowed);
        }
        check(&["/docs/**"], &[], "/blog/", false);
        check(&["/docs/**"], &[], "/docs/", true);
    }

    #[test]
    fn rules_that_mean_nothing_are_refused() {
        assert!(PathFilter::new(&["/[a".to_owned()], &[]).is_err());
    }
}
