//! Host and path → file: which site, which tree, which file, or where to go instead. Pure.
//!
//! What an address of a site answers is the same at every host ([`pipeline::hosts`]); here it becomes an answer of this
//! server. On a loopback host pages lie where the URL pattern puts them, with and without its base path.

use hyper::header::{CACHE_CONTROL, HeaderValue, LOCATION};
use hyper::{Response, StatusCode};
use pipeline::hosts::{self, CANONICAL, File, SOURCE};
use pipeline::model::Locale;
use pipeline::store::{ManifestEntry, Published, Tree};

use super::place::{self, PlacedRequest, RequestSpot};
use super::snapshot::ServedSite;
use crate::Body;
use crate::http::error::HttpRefusal;
use crate::http::target::HttpTarget;

/// What a request for a public page leads to.
#[derive(Debug)]
pub(crate) enum Resolution<'a> {
    /// A published file.
    File(ResolvedFile<'a>),
    /// Another address.
    Redirect(ResolvedRedirect),
    /// Nothing.
    NotFound,
    /// A page that this locale does not have.
    Gone,
}

/// A published file, and how it answers.
#[derive(Clone, Debug)]
pub(crate) struct ResolvedFile<'a> {
    pub(crate) published: &'a Published,
    pub(crate) tree: &'a Tree,
    pub(crate) name: &'a str,
    pub(crate) entry: &'a ManifestEntry,
    /// 200, or the status of an error that this page is shown for.
    pub(crate) status: StatusCode,
}

/// Another address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ResolvedRedirect {
    pub(crate) location: String,
    pub(crate) status: u16,
}

/// Finds what a request leads to.
pub(crate) fn resolve<'a>(sites: &'a [ServedSite], target: &'a HttpTarget) -> Resolution<'a> {
    let spot = match place::of(sites, target) {
        Some(PlacedRequest::At(spot)) => spot,
        Some(PlacedRequest::Elsewhere(location)) => {
            return Resolution::Redirect(ResolvedRedirect {
                location: target.with_query(location),
                status: CANONICAL,
            });
        }
        None => return Resolution::NotFound,
    };
    let redirect = |location: String, status| {
        Resolution::Redirect(ResolvedRedirect {
            location: target.with_query(location),
            status,
        })
    };
    if spot.rest.is_empty() {
        return redirect(format!("{}/", spot.prefix), CANONICAL);
    }
    let found = |File { tree, name, entry }: File<'a>, status| {
        Resolution::File(ResolvedFile {
            published: spot.place.published,
            tree,
            name,
            entry,
            status,
        })
    };
    match spot.place.answer(spot.rest, target.query.as_deref()) {
        hosts::HostAnswer::File(file) => found(file, StatusCode::OK),
        hosts::HostAnswer::Moved(path, status) => {
            redirect(format!("{}{path}", spot.prefix), status)
        }
        hosts::HostAnswer::Source(location) => redirect(location, SOURCE),
        hosts::HostAnswer::NotFound(None) => Resolution::NotFound,
        hosts::HostAnswer::Gone(None) => Resolution::Gone,
        hosts::HostAnswer::NotFound(Some(page)) => found(page, HttpRefusal::NotFound.status()),
        hosts::HostAnswer::Gone(Some(page)) => found(page, HttpRefusal::Gone.status()),
    }
}

/// The site, the locale and the page's own path that a target names, whether there is such a page or not.
pub(crate) fn placed<'a>(
    sites: &'a [ServedSite],
    target: &'a HttpTarget,
) -> Option<(&'a Published, Option<&'a Locale>, &'a str)> {
    match place::of(sites, target)? {
        PlacedRequest::At(RequestSpot { place, rest, .. }) => {
            Some((place.published, place.locale, rest))
        }
        PlacedRequest::Elsewhere(_) => None,
    }
}

impl ResolvedFile<'_> {
    /// The language of the file, if it is one's.
    pub(crate) fn locale(&self) -> Option<&Locale> {
        match self.tree {
            Tree::Locale(locale) => Some(locale),
            Tree::Shared => None,
        }
    }
}

impl ResolvedRedirect {
    /// The answer a reader gets. A page that is missing may be there at any moment, so nobody keeps that answer.
    pub(crate) fn response(self) -> Response<Body> {
        let Ok(location) = HeaderValue::try_from(self.location) else {
            return HttpRefusal::NotFound.response();
        };
        let mut response = Response::new(Body::Left(http_body_util::Full::default()));
        *response.status_mut() =
            StatusCode::from_u16(self.status).unwrap_or(StatusCode::TEMPORARY_REDIRECT);
        let cache = if self.status == SOURCE {
            "no-store"
        } else {
            "public, max-age=60"
        };
        response.headers_mut().insert(LOCATION, location);
        response
            .headers_mut()
            .insert(CACHE_CONTROL, HeaderValue::from_static(cache));
        response
    }
}
