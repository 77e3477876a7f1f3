//! Which paths of a site are localized: gitignore-like patterns, of which the last that matches decides.
//!
//! A pattern with a slash before its end counts from the site's root, one without matches at any depth; `*` stays
//! inside one segment, `**` does not; a pattern also covers everything below what it names. Patterns are held
//! against decoded paths, so `/über/**` is written as people read it. Addresses with control characters never take part.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use percent_encoding::percent_decode_str;

use crate::model::PagePath;

/// Says which pages and files of a site take part.
#[derive(Clone, Debug, Default)]
pub struct PathFilter {
    set: GlobSet,
    /// The pattern of each glob of the set.
    rules: Vec<FilterRule>,
    /// Whether pages that no pattern names are left out.
    closed: bool,
    /// The patterns as they are written, of `include` and of `exclude`.
    written: (Vec<String>, Vec<String>),
}

/// The meaning of one glob of the set.
#[derive(Clone, Debug)]
struct FilterRule {
    /// True if the glob lets paths in.
    admits: bool,
    /// True if the glob names files, and not only folders or everything: its last part has more than `*`.
    names_files: bool,
    /// The pattern as written.
    pattern: String,
}

/// Says which pattern cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("path pattern {pattern:?} cannot be read: {reason}")]
pub struct FilterError {
    /// The pattern.
    pub pattern: String,
    /// What is wrong with it.
    pub reason: String,
}

impl PathFilter {
    /// Reads the patterns of `include` and, after them, `exclude`; a leading `!` turns a pattern around.
    pub fn new(include: &[String], exclude: &[String]) -> Result<Self, FilterError> {
        let mut set = GlobSetBuilder::new();
        let mut rules = Vec::new();
        let marked = include
            .iter()
            .map(|text| (text, true))
            .chain(exclude.iter().map(|text| (text, false)));
        for (text, admit) in marked {
            let error = |error: globset::Error| FilterError {
                pattern: text.clone(),
                reason: error.kind().to_string(),
            };
            let (pattern, admit) = text
                .strip_prefix('!')
                .map_or((text.as_str(), admit), |rest| (rest, !admit));
            for glob in globs(pattern) {
                let glob = GlobBuilder::new(&glob)
                    .literal_separator(true)
                    .build()
                    .map_err(error)?;
                let names_files = glob
                    .glob()
                    .rsplit('/')
                    .next()
                    .is_some_and(|last| last.contains(|c| c != '*'));
                set.add(glob);
                rules.push(FilterRule {
                    admits: admit,
                    names_files,
                    pattern: text.clone(),
                });
            }
        }
        let error = |error: globset::Error| FilterError {
            pattern: String::from("all"),
            reason: error.to_string(),
        };
        let written = (include.to_vec(), exclude.to_vec());
        Ok(Self {
            set: set.build().map_err(error)?,
            rules,
            closed: !include.is_empty(),
            written,
        })
    }

    /// Whether a page takes part; where `include` names anything, a page must be named.
    pub fn allows_page(&self, path: &PagePath) -> bool {
        self.decide(path).unwrap_or(!self.closed)
    }

    /// Whether a file takes part; pages need their files, so only an exclusion keeps one out.
    pub fn allows_file(&self, path: &PagePath) -> bool {
        self.decide(path).unwrap_or(true)
    }

    /// True if a pattern names a path and no later pattern takes it back.
    pub fn names(&self, path: &PagePath) -> bool {
        self.decide(path).unwrap_or(false)
    }

    /// True if a pattern leaves a path out.
    pub fn excludes(&self, path: &PagePath) -> bool {
        self.last(path).is_some_and(|rule| !rule.admits)
    }

    /// The pattern that decides about a path, as it is written.
    pub fn pattern(&self, path: &PagePath) -> Option<&str> {
        self.last(path).map(|rule| rule.pattern.as_str())
    }

    /// True if a pattern lets a file in by its name, and not only because of the folder that it lies in: `/files/*.sql` does, `/files/**`
    /// does not.
    pub fn names_file(&self, path: &PagePath) -> bool {
        self.last(path)
            .is_some_and(|rule| rule.admits && rule.names_files)
    }

    /// The patterns of `include` and of `exclude`, as they are written.
    pub fn written(&self) -> (&[String], &[String]) {
        (&self.written.0, &self.written.1)
    }

    fn decide(&self, path: &PagePath) -> Option<bool> {
        // One such page would stop publishing of the whole site.
        if path.has_control() {
            return Some(false);
        }
        self.last(path).map(|rule| rule.admits)
    }

    fn last(&self, path: &PagePath) -> Option<&FilterRule> {
        let decoded = percent_decode_str(path.path()).decode_utf8_lossy();
        self.set
            .matches(&*decoded)
            .last()
            .and_then(|&last| self.rules.get(last))
    }
}

/// The globs that a pattern stands for: the thing itself, and what lies below it.
fn globs(pattern: &str) -> Vec<String> {
    let whole = pattern.trim_end_matches('/');
    let rooted = if whole
        .trim_end_matches("/**")
        .trim_start_matches('/')
        .contains('/')
        || pattern.starts_with('/')
    {
        format!("/{}", whole.trim_start_matches('/'))
    } else {
        format!("/**/{whole}")
    };
    match (rooted.ends_with("/**"), pattern.ends_with('/')) {
        (true, _) => vec![rooted],
        (false, true) => vec![format!("{rooted}/**")],
        (false, false) => vec![format!("{rooted}/**"), rooted],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(include: &[&str], exclude: &[&str], pages: &[(&str, bool)]) {
        let owned = |texts: &[&str]| {
            texts
                .iter()
                .map(|&text| text.to_owned())
                .collect::<Vec<_>>()
        };
        let filter = PathFilter::new(&owned(include), &owned(exclude)).unwrap();
        for &(path, allowed) in pages {
            let given = filter.allows_page(&PagePath::parse(path).unwrap());
            assert_eq!(
                given, allowed,
                "{path} with {include:?} without {exclude:?}"
            );
        }
    }

    #[test]
    fn the_last_match_wins() {
        check(&[], &[], &[("/", true), ("/a/b", true)]);
        check(
            &["/**"],
            &["/internal/**"],
            &[
                ("/", true),
                ("/internal/", false),
                ("/internal/a/b.html", false),
            ],
        );
        check(
            &["/**"],
            &["/internal/**"],
            &[("/internal", true), ("/internals/", true)],
        );
        check(
            &[],
            &["/internal"],
            &[
                ("/internal", false),
                ("/internal/a", false),
                ("/internals", true),
            ],
        );
        check(
            &["/blog/**"],
            &["!/blog/x", "/blog/y"],
            &[("/", false), ("/blog/a", true), ("/blog/y", false)],
        );
        check(
            &[],
            &["/a/**", "!/a/keep.html"],
            &[("/a/b", false), ("/a/keep.html", true)],
        );
        check(
            &[],
            &["*.pdf", "drafts/"],
            &[
                ("/x/y.pdf", false),
                ("/x/drafts/a", false),
                ("/drafts", true),
            ],
        );
        check(
            &[],
            &["/a/*.html"],
            &[("/a/b.html", false), ("/a/b/c.html", true)],
        );
        check(
            &[],
            &["/über/**"],
            &[("/%C3%BCber/a", false), ("/uber/a", true)],
        );
    }

    #[test]
    fn files_are_only_kept_out_by_an_exclusion() {
        let filter = PathFilter::new(&["/blog/**".to_owned()], &["/secret/**".to_owned()]).unwrap();
        let file = |path: &str| filter.allows_file(&PagePath::parse(path).unwrap());
        assert!(file("/css/site.css") && file("/blog/a.png") && !file("/secret/a.png"));
    }

    #[test]
    fn a_file_is_named_by_its_own_name_alone() {
        for (include, path, expected) in [
            ("/**", "/dump.sql", false),
            ("*", "/dump.sql", false),
            ("/files/**", "/files/dump.sql", false),
            ("/files/", "/files/dump.sql", false),
            ("/files", "/files/dump.sql", false),
            ("/files/*.sql", "/files/dump.sql", true),
            ("/dump.sql", "/dump.sql", true),
            ("dump.*", "/a/dump.sql", true),
        ] {
            let filter = PathFilter::new(&[include.to_owned()], &[]).unwrap();
            assert_eq!(
                filter.names_file(&PagePath::parse(path).unwrap()),
                expected,
                "{include} {path}"
            );
        }
        let filter = PathFilter::new(&["*.sql".to_owned()], &["/old/**".to_owned()]).unwrap();
        assert!(!filter.names_file(&PagePath::parse("/old/dump.sql").unwrap()));
    }

    #[test]
    fn a_bad_pattern_is_named() {
        let error = PathFilter::new(&["/a[".to_owned()], &[]).unwrap_err();
        assert_eq!(error.pattern, "/a[");
    }
}
