//! Places for connections: so many at a time, and so many of one address.
//!
//! A full server closes a connection that waits for its client, for the next request or for the body of this one, and begins with
//! the address that has the most connections. A connection that is being answered is never closed. An address with all the places
//! it may have closes one of its own; if none of them waits, its new connection is closed.

use std::collections::HashMap;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use ipnet::IpNet;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout};

use crate::http::household::Household;

/// Most connections of one address, where nothing else is set.
const OF_ADDRESS: u32 = 256;
/// How often somebody idle is looked for while no place is free.
const LOOK: Duration = Duration::from_millis(50);
/// A client may need so long for its first or its next request.
const GRACE: Duration = Duration::from_millis(500);
/// In place of a time: the connection is being answered.
const BUSY: u64 = u64::MAX;

/// How many connections one address may have; copies are one limit.
#[derive(Clone, Debug, Default)]
pub(crate) struct AddressLimit(Arc<RwLock<AddressRule>>);

#[derive(Clone, Debug, Default)]
struct AddressRule {
    /// The limit that the configuration sets, for everybody.
    set: Option<u32>,
    /// Whose limit is none where nothing is set.
    trusted: Vec<IpNet>,
}

impl AddressLimit {
    /// A limit that nobody has yet.
    #[cfg(test)]
    fn new(set: Option<u32>, trusted: &[IpNet]) -> Self {
        let limit = Self::default();
        limit.set(set, trusted);
        limit
    }

    /// Changes the limit, for connections that come from now on. `set` counts for every address; without it, the usual limit counts for those of the internet that are no `trusted`
    /// proxies.
    pub(crate) fn set(&self, set: Option<u32>, trusted: &[IpNet]) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = AddressRule {
            set,
            trusted: trusted.to_vec(),
        };
    }

    fn of(&self, address: IpAddr) -> Option<u32> {
        let address = address.to_canonical();
        let is_near = match address {
            IpAddr::V4(address) => {
                address.is_loopback() || address.is_private() || address.is_link_local()
            }
            IpAddr::V6(address) => {
                address.is_loopback()
                    || address.is_unique_local()
                    || address.is_unicast_link_local()
            }
        };
        let rule = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let is_free = is_near
            || rule
                .trusted
                .iter()
                .any(|network| network.contains(&address));
        rule.set.or((!is_free).then_some(OF_ADDRESS))
    }
}

/// The places of one listener.
#[derive(Debug)]
pub(crate) struct ConnectionPlaces {
    free: Arc<Semaphore>,
    most: u32,
    limit: AddressLimit,
    began: Instant,
    guests: Mutex<Guests>,
}

#[derive(Debug, Default)]
struct Guests {
    next: u64,
    here: HashMap<u64, Arc<Guest>>,
    /// Connections of each address.
    of: HashMap<Household, usize>,
}

/// A connection that has a place.
#[derive(Debug)]
pub(super) struct Guest {
    household: Household,
    began: Instant,
    /// Since when it is idle, in milliseconds after `began`, or [`BUSY`].
    idle: AtomicU64,
    /// Its client owes the body of a request.
    owes_body: AtomicBool,
    leave: Notify,
}

/// A place that is taken; dropping it frees it.
#[derive(Debug)]
pub(super) struct ConnectionPlace {
    places: Arc<ConnectionPlaces>,
    number: u64,
    guest: Arc<Guest>,
    _permit: OwnedSemaphorePermit,
}

impl ConnectionPlaces {
    pub(crate) fn new(most: u32, limit: AddressLimit) -> Arc<Self> {
        let free = Arc::new(Semaphore::new(most as usize));
        Arc::new(Self {
            free,
            most,
            limit,
            began: Instant::now(),
            guests: Mutex::default(),
        })
    }

    /// Waits until there is a free place; whoever is idle makes room.
    pub(super) async fn free(&self) -> Option<OwnedSemaphorePermit> {
        loop {
            if let Ok(permit) = Arc::clone(&self.free).try_acquire_owned() {
                return Some(permit);
            }
            self.send_away(None);
            // The semaphore is never closed.
            if let Ok(permit) = timeout(LOOK, Arc::clone(&self.free).acquire_owned()).await {
                return permit.ok();
            }
        }
    }

    /// A free place, if there is one now.
    pub(super) fn free_now(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.free).try_acquire_owned().ok()
    }

    /// Gives a place to a connection; none where its address has as many as it may have and all are busy.
    pub(super) fn take(
        self: &Arc<Self>,
        permit: OwnedSemaphorePermit,
        address: IpAddr,
    ) -> Option<ConnectionPlace> {
        let household = Household::of(address);
        if let Some(limit) = self.limit.of(address)
            && self.count(household) >= limit as usize
            && !self.send_away(Some(household))
        {
            return None;
        }
        let idle = AtomicU64::new(millis(self.began.elapsed()));
        let owes_body = AtomicBool::new(false);
        let leave = Notify::new();
        let guest = Arc::new(Guest {
            household,
            began: self.began,
            idle,
            owes_body,
            leave,
        });
        let mut guests = self.guests();
        let number = guests.next;
        guests.next += 1;
        guests.here.insert(number, Arc::clone(&guest));
        *guests.of.entry(household).or_default() += 1;
        Some(ConnectionPlace {
            places: Arc::clone(self),
            number,
            guest,
            _permit: permit,
        })
    }

    /// How many places there are.
    pub(super) fn most(&self) -> usize {
        self.most as usize
    }

    /// Waits until every place is free.
    pub(super) async fn all_free(&self) {
        let _ = self.free.acquire_many(self.most).await;
    }

    fn count(&self, household: Household) -> usize {
        self.guests()
            .of
            .get(&household)
            .copied()
            .unwrap_or_default()
    }

    /// Lets an idle connection go, of this address or of the one that has the most; says whether there was one.
    fn send_away(&self, of: Option<Household>) -> bool {
        let guests = self.guests();
        let idle = guests
            .here
            .values()
            .filter(|guest| of.is_none_or(|household| guest.household == household));
        let now = millis(self.began.elapsed());
        let is_idle = |since: u64| since != BUSY && now.saturating_sub(since) >= millis(GRACE);
        let idle = idle
            .map(|guest| (guest.idle.load(Ordering::Acquire), guest))
            .filter(|(since, _)| is_idle(*since));
        let longest = idle
            .max_by_key(|(since, guest)| (guests.of.get(&guest.household).copied(), BUSY - since));
        if let Some((_, guest)) = longest {
            // Whoever is asked to leave is not asked twice.
            guest.idle.store(BUSY, Ordering::Release);
            guest.leave.notify_one();
        }
        longest.is_some()
    }

    /// Never held across an await; a thread that panicked while holding it left whole records.
    fn guests(&self) -> MutexGuard<'_, Guests> {
        self.guests.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ConnectionPlace {
    pub(super) fn guest(&self) -> Arc<Guest> {
        Arc::clone(&self.guest)
    }
}

impl Drop for ConnectionPlace {
    fn drop(&mut self) {
        let mut guests = self.places.guests();
        guests.here.remove(&self.number);
        if let Some(count) = guests.of.get_mut(&self.guest.household) {
            *count -= 1;
            if *count == 0 {
                guests.of.remove(&self.guest.household);
            }
        }
    }
}

impl Guest {
    /// A request has begun.
    pub(super) fn is_asking(&self) {
        self.idle.store(BUSY, Ordering::Release);
    }

    /// True while the request's body is outstanding.
    pub(super) fn owes_body(&self) -> bool {
        self.owes_body.load(Ordering::Acquire)
    }

    /// The body is waited for. The wait began when it was first missed: a client that sends it byte by byte is as idle as one
    /// that sends nothing.
    fn misses_body(&self) {
        if !self.owes_body.swap(true, Ordering::AcqRel) {
            self.idle
                .store(millis(self.began.elapsed()), Ordering::Release);
        }
    }

    /// Marks the body as received or given up.
    fn has_body(&self) {
        if self.owes_body.swap(false, Ordering::AcqRel) {
            self.is_asking();
        }
    }

    /// Is done when the connection has to give way.
    pub(super) async fn leaves(&self) {
        self.leave.notified().await;
    }
}

/// The body of a request, which says while it is waited for.
pub(crate) struct AwaitedBody<B = Incoming> {
    body: B,
    guest: Arc<Guest>,
}

impl<B> AwaitedBody<B> {
    pub(super) fn new(body: B, guest: Arc<Guest>) -> Self {
        Self { body, guest }
    }
}

impl<B> Drop for AwaitedBody<B> {
    fn drop(&mut self) {
        self.guest.has_body();
    }
}

impl<B: Body<Data = Bytes> + Unpin> Body for AwaitedBody<B> {
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(context);
        match &polled {
            Poll::Pending => self.guest.misses_body(),
            Poll::Ready(Some(Ok(_))) => {}
            Poll::Ready(Some(Err(_)) | None) => self.guest.has_body(),
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// A body that says when it was given away as a whole.
pub(super) struct Answered<B> {
    body: B,
    guest: Arc<Guest>,
}

impl<B> Answered<B> {
    pub(super) fn new(body: B, guest: Arc<Guest>) -> Self {
        Self { body, guest }
    }
}

impl<B> Drop for Answered<B> {
    fn drop(&mut self) {
        self.guest
            .idle
            .store(millis(self.guest.began.elapsed()), Ordering::Release);
    }
}

impl<B: Body<Data = Bytes> + Unpin> Body for Answered<B> {
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(BUSY - 1)
}

#[cfg(test)]
mod tests;
