//! Places for streams of events: so many in all, and so many for each caller.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::turns::Tenant;
use crate::http::error::ApiError;
use crate::http::limit::RateStatus;

/// Streams that are open at the same time: fewer than there are connections.
const MOST: usize = 256;

/// The places.
#[derive(Debug)]
pub(crate) struct Streams(Mutex<OpenStreams>);

#[derive(Debug)]
struct OpenStreams {
    of_one: usize,
    all: usize,
    open: BTreeMap<Tenant, usize>,
}

/// A place, given back with this value.
#[derive(Debug)]
pub(crate) struct StreamPlace {
    streams: Arc<Streams>,
    tenant: Tenant,
}

impl Streams {
    pub(crate) fn new(of_one: u32) -> Self {
        let streams = Self(Mutex::new(OpenStreams {
            of_one: 0,
            all: 0,
            open: BTreeMap::new(),
        }));
        streams.set(of_one);
        streams
    }

    /// Most streams of one caller from now on; those that are open stay.
    pub(crate) fn set(&self, of_one: u32) {
        self.locked().of_one = usize::try_from(of_one).unwrap_or(usize::MAX);
    }

    /// A place, if there is one.
    pub(crate) fn take(self: &Arc<Self>, tenant: Tenant) -> Result<StreamPlace, ApiError> {
        let mut inner = self.locked();
        if inner
            .open
            .get(&tenant)
            .is_some_and(|open| *open >= inner.of_one)
        {
            return Err(ApiError::Busy(
                "too many of your streams are open; close one, or try again later",
            ));
        }
        if inner.all >= MOST {
            return Err(ApiError::Busy("too many streams are open; try again later"));
        }
        inner.all += 1;
        *inner.open.entry(tenant.clone()).or_default() += 1;
        Ok(StreamPlace {
            streams: Arc::clone(self),
            tenant,
        })
    }

    /// Streams that a caller has left.
    pub(crate) fn standing(&self, tenant: &Tenant) -> RateStatus {
        let inner = self.locked();
        let open = inner.open.get(tenant).copied().unwrap_or_default();
        let left = inner.of_one.saturating_sub(open).min(MOST - inner.all);
        RateStatus {
            limit: whole(inner.of_one),
            remaining: whole(left),
            reset: Duration::ZERO,
            retry: Duration::ZERO,
        }
    }

    fn locked(&self) -> MutexGuard<'_, OpenStreams> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn whole(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

impl Drop for StreamPlace {
    fn drop(&mut self) {
        let mut inner = self.streams.locked();
        inner.all -= 1;
        if let Some(open) = inner.open.get_mut(&self.tenant) {
            *open -= 1;
            if *open == 0 {
                inner.open.remove(&self.tenant);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_caller_has_some_places_and_all_have_no_more_than_there_are() {
        let streams = Arc::new(Streams::new(2));
        let take = |name: &str| streams.take(Tenant::Subject(name.to_owned()));
        let first = take("ana").unwrap();
        let _second = take("ana").unwrap();
        assert!(take("ana").is_err() && take("bob").is_ok());
        drop(first);
        let _third = take("ana").unwrap();
        streams.set(1000);
        let more: Vec<_> = std::iter::from_fn(|| take("bob").ok()).collect();
        assert_eq!(more.len(), MOST - 2);
        drop(more);
        let inner = streams.locked();
        assert_eq!((inner.all, inner.open.len()), (2, 1));
    }
}
