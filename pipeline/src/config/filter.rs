//! `include` and `exclude`: which paths of the source belong to a site.

use globset::{Glob, GlobBuilder, GlobMatcher};
use percent_encoding::percent_decode_str;

use crate::model::PagePath;

/// Rules in the manner of gitignore: all `include` rules in order, then all `exclude` rules; the last match wins.
///
/// A rule begins with `/` and is matched against the whole path without its query; `*` stays inside a segment, `**`
/// does not. A `!` before an `exclude` rule takes back what an earlier one excluded.
#[derive(Clone, Debug)]
pub struct PathFilter {
    rules: Vec<(GlobMatcher, bool)>,
}

impl PathFilter {
    /// Includes everything.
    pub fn everything() -> Self {
        Self { rules: Vec::new() }
    }

    /// Compiles rules.
    ///
    /// # Errors
    /// A sentence about the first rule that is none.
    pub fn new<'a>(
        include: impl IntoIterator<Item = &'a str>,
        exclude: impl IntoIterator<Item = &'a str>,
    ) -> Result<Self, String> {
        let include = include.into_iter().map(|rule| (rule, true));
        let exclude = exclude.into_iter().map(|rule| match rule.strip_prefix('!') {
            Some(rule) => (rule, true),
            None => (rule, false),
        });
        let rules = include.chain(exclude).map(|(rule, taken)| Ok((compile(rule)?.compile_matcher(), taken)));
        Ok(Self { rules: rules.collect::<Result<_, String>>()? })
    }

    /// Whether the page at a path belongs to the site; without rules, every path does.
    pub fn allows(&self, path: &PagePath) -> bool {
        self.last_match(path).unwrap_or(self.rules.is_empty())
    }

    /// Whether a rule keeps the path out. A picture or style sheet that no rule names is still wanted, because pages
    /// that are included need it.
    pub fn excludes(&self, path: &PagePath) -> bool {
        self.last_match(path) == Some(false)
    }

    /// What the last rule says that matches the path as people read it, `/über/` and not `/%C3%BCber/`.
    fn last_match(&self, path: &PagePath) -> Option<bool> {
        let path = percent_decode_str(path.path()).decode_utf8_lossy();
        self.rules.iter().rev().find(|(rule, _)| rule.is_match(&*path)).map(|(_, taken)| *taken)
    }
}

fn compile(rule: &str) -> Result<Glob, String> {
    if !rule.starts_with('/') {
        return Err(format!("{rule:?} must begin with a slash, as in \"/internal/**\""));
    }
    GlobBuilder::new(rule)
        .literal_separator(true)
        .build()
        .map_err(|error| format!("{rule:?} is no pattern: {}", error.kind()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(include: &[&str], exclude: &[&str], path: &str, allowed: bool) {
        let filter = PathFilter::new(include.iter().copied(), exclude.iter().copied()).unwrap();
        assert_eq!(filter.allows(&PagePath::parse(path).unwrap()), allowed, "{include:?} {exclude:?} {path}");
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
        check(&["/**"], &["/über/**"], "/%C3%BCber/a", false);
    }

    #[test]
    fn files_are_only_kept_out_by_name() {
        let filter = PathFilter::new(["/docs/**"], ["/secret/**"]).unwrap();
        for (path, excluded) in [("/docs/a.png", false), ("/site.css", false), ("/secret/a.png", true)] {
            assert_eq!(filter.excludes(&PagePath::parse(path).unwrap()), excluded, "{path}");
        }
    }

    #[test]
    fn rules_that_mean_nothing_are_refused() {
        for rule in ["internal", "", "/[a"] {
            assert!(PathFilter::new([rule], []).is_err(), "{rule:?}");
        }
    }
}
