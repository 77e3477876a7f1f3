//! Host and path → file: which site, which tree, which file, or where to go instead. Pure.
//!
//! What an address of a site answers is the same at every host ([`pipeline::hosts`]); here it becomes an answer of this
//! server. On a loopback host pages lie where the URL pattern puts them, with and without its base path.

use hyper::header::{CACHE_CONTROL, HeaderValue, LOCATION};
use hyper::{Response, StatusCode};
use pipeline::hosts::{self, CANONICAL, File, SOURCE};
use pipeline::model::Locale;
use pipeline::store::{Entry, Published, Tree};

use super::place::{self, Placed, Spot};
use super::snapshot::Site;
use crate::Body;
use crate::http::error::Refusal;
use crate::http::target::Target;

/// What a request for a public page leads to.
#[derive(Debug)]
pub(crate) enum Answer<'a> {
    /// A published file.
    File(Found<'a>),
    /// Another address.
    Redirect(Redirect),
    /// Nothing.
    NotFound,
    /// A page that this locale does not have.
    Gone,
}

/// A published file, and how it answers.
#[derive(Clone, Debug)]
pub(crate) struct Found<'a> {
    pub(crate) published: &'a Published,
    pub(crate) tree: &'a Tree,
    pub(crate) name: &'a str,
    pub(crate) entry: &'a Entry,
    /// 200, or the status of an error that this page is shown for.
    pub(crate) status: StatusCode,
}

/// Another address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Redirect {
    pub(crate) location: String,
    pub(crate) status: u16,
}

/// Finds what a request leads to.
pub(crate) fn resolve<'a>(sites: &'a [Site], target: &'a Target) -> Answer<'a> {
    let spot = match place::of(sites, target) {
        Some(Placed::At(spot)) => spot,
        Some(Placed::Elsewhere(location)) => {
            return Answer::Redirect(Redirect {
                location: target.with_query(location),
                status: CANONICAL,
            });
        }
        None => return Answer::NotFound,
    };
    let redirect = |location: String, status| {
        Answer::Redirect(Redirect {
            location: target.with_query(location),
            status,
        })
    };
    if spot.rest.is_empty() {
        return redirect(format!("{}/", spot.prefix), CANONICAL);
    }
    let found = |File { tree, name, entry }: File<'a>, status| {
        Answer::File(Found {
            published: spot.place.published,
            tree,
            name,
            entry,
            status,
        })
    };
    match spot.place.answer(spot.rest, target.query.as_deref()) {
        hosts::Answer::File(file) => found(file, StatusCode::OK),
        hosts::Answer::Moved(path, status) => redirect(format!("{}{path}", spot.prefix), status),
        hosts::Answer::Source(location) => redirect(location, SOURCE),
        hosts::Answer::NotFound(None) => Answer::NotFound,
        hosts::Answer::Gone(None) => Answer::Gone,
        hosts::Answer::NotFound(Some(page)) => found(page, Refusal::NotFound.status()),
        hosts::Answer::Gone(Some(page)) => found(page, Refusal::Gone.status()),
    }
}

/// The site, the locale and the page's own path that a target names, whether there is such a page or not.
pub(crate) fn placed<'a>(
    sites: &'a [Site],
    target: &'a Target,
) -> Option<(&'a Published, Option<&'a Locale>, &'a str)> {
    match place::of(sites, target)? {
        Placed::At(Spot { place, rest, .. }) => Some((place.published, place.locale, rest)),
        Placed::Elsewhere(_) => None,
    }
}

impl Found<'_> {
    /// The language of the file, if it is one's.
    pub(crate) fn locale(&self) -> Option<&Locale> {
        match self.tree {
            Tree::Locale(locale) => Some(locale),
            Tree::Shared => None,
        }
    }
}

impl Redirect {
    /// The answer a reader gets. A page that is missing may be there at any moment, so nobody keeps that answer.
    pub(crate) fn response(self) -> Response<Body> {
        let Ok(location) = HeaderValue::try_from(self.location) else {
            return Refusal::NotFound.response();
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
