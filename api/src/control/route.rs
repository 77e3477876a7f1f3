//! Path and method → the operation of the API that is asked for.

use hyper::Method;

use super::operations::{Line, OPERATIONS};
use crate::http::error::ApiError;

/// The operation that a request names, with the segments that stand in braces.
#[derive(Debug)]
pub(crate) struct Called<'a> {
    pub(crate) line: &'static Line,
    pub(crate) site: Option<&'a str>,
    pub(crate) locale: Option<&'a str>,
    pub(crate) run: Option<&'a str>,
    pub(crate) preview: Option<&'a str>,
    pub(crate) deployment: Option<&'a str>,
    pub(crate) target: Option<&'a str>,
    pub(crate) webhook: Option<&'a str>,
    pub(crate) delivery: Option<&'a str>,
    pub(crate) segment: Option<&'a str>,
}

impl<'a> Called<'a> {
    /// Finds the operation; reading may also be asked for its head alone.
    pub(crate) fn of(path: &'a str, method: &Method) -> Result<Self, ApiError> {
        let method = if *method == Method::HEAD {
            "GET"
        } else {
            method.as_str()
        };
        let at_path = Self::at(path);
        if at_path.is_empty() {
            return Err(ApiError::NoSuchRoute);
        }
        let allowed = methods(&at_path);
        at_path
            .into_iter()
            .find(|called| called.line.method == method)
            .ok_or(ApiError::MethodNotAllowed(allowed))
    }

    /// The methods of a path, for `Allow`.
    pub(crate) fn methods(path: &'a str) -> Option<String> {
        let at_path = Self::at(path);
        (!at_path.is_empty()).then(|| methods(&at_path))
    }

    /// The operations of a path. A segment that stands in the path of one is no value of another's.
    fn at(path: &'a str) -> Vec<Self> {
        let mut at_path: Vec<Self> = OPERATIONS
            .iter()
            .filter_map(|line| Self::matching(line, path))
            .collect();
        let values = |called: &Self| called.line.path.matches('{').count();
        let fewest = at_path.iter().map(values).min();
        at_path.retain(|called| Some(values(called)) == fewest);
        at_path
    }

    fn matching(line: &'static Line, path: &'a str) -> Option<Self> {
        let mut called = Self {
            line,
            site: None,
            locale: None,
            run: None,
            preview: None,
            deployment: None,
            target: None,
            webhook: None,
            delivery: None,
            segment: None,
        };
        let mut wanted = line.path.split('/');
        let mut given = path.split('/');
        loop {
            match (wanted.next(), given.next()) {
                (None, None) => return Some(called),
                (Some("{siteId}"), Some(site)) => called.site = Some(site),
                (Some("{targetLang}"), Some(locale)) => called.locale = Some(locale),
                (Some("{runId}"), Some(run)) => called.run = Some(run),
                (Some("{previewId}"), Some(preview)) => called.preview = Some(preview),
                (Some("{deploymentId}"), Some(deployment)) => called.deployment = Some(deployment),
                (Some("{target}"), Some(target)) => called.target = Some(target),
                (Some("{webhookId}"), Some(webhook)) => called.webhook = Some(webhook),
                (Some("{deliveryId}"), Some(delivery)) => called.delivery = Some(delivery),
                (Some("{segmentId}"), Some(segment)) => called.segment = Some(segment),
                (Some(wanted), Some(given)) if wanted == given => {}
                _ => return None,
            }
        }
    }
}

fn methods(called: &[Called<'_>]) -> String {
    let names = called.iter().map(|called| {
        if called.line.method == "GET" {
            "GET, HEAD"
        } else {
            called.line.method
        }
    });
    names.chain(["OPTIONS"]).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_segment_of_one_path_is_no_value_of_another() {
        let path = "/api/sites/bakery/locales/es/segments/actions";
        let called = Called::of(path, &Method::POST).unwrap();
        assert_eq!((called.line.id, called.segment), ("segments.act", None));
        assert_eq!(
            Called::of(path, &Method::PUT).unwrap_err(),
            ApiError::MethodNotAllowed("POST, OPTIONS".to_owned())
        );
        let path = "/api/sites/bakery/locales/es/segments/8c2f";
        let called = Called::of(path, &Method::PUT).unwrap();
        assert_eq!(called.segment, Some("8c2f"));
    }
}
