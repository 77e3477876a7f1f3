//! Places for builds, given in turn: to the tenant who has the fewest now, and among those to the one who has waited
//! longest since the last one.
//!
//! A tenant is whoever put a site, with all the sites that are his; each site of the file is one of its own. So nobody is
//! kept waiting by how many sites another one has.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

/// Who takes turns.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Tenant {
    /// Whoever put sites.
    Subject(String),
    /// A site of the file.
    Site(String),
}

/// Places that are given in turn.
#[derive(Debug)]
pub(crate) struct Turns(Mutex<Inner>);

#[derive(Debug)]
struct Inner {
    free: usize,
    /// Who waits, by tenant.
    waiting: BTreeMap<Tenant, VecDeque<oneshot::Sender<Place>>>,
    /// Places that tenants have now, and the number of the last turn of each; who has none and is not waiting is forgotten
    /// when nobody waits.
    tenants: BTreeMap<Tenant, Has>,
    turn: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Has {
    places: usize,
    last: u64,
}

/// A place, given back with this value.
#[derive(Debug)]
pub(crate) struct Place {
    turns: Arc<Turns>,
    tenant: Tenant,
}

impl Turns {
    pub(crate) fn new(places: usize) -> Self {
        let (waiting, tenants) = (BTreeMap::new(), BTreeMap::new());
        Self(Mutex::new(Inner { free: places, waiting, tenants, turn: 0 }))
    }

    /// Waits for a place; who waits no more loses only the wait.
    pub(crate) async fn enter(self: &Arc<Self>, tenant: Tenant) -> Option<Place> {
        let (sender, place) = oneshot::channel();
        self.locked().waiting.entry(tenant).or_default().push_back(sender);
        self.give();
        place.await.ok()
    }

    /// Gives free places to those whose turn it is.
    fn give(self: &Arc<Self>) {
        loop {
            let Some((tenant, sender)) = self.locked().next() else { return };
            // Sent without the lock: one who waits no more gives the place back at once.
            let _ = sender.send(Place { turns: Arc::clone(self), tenant });
        }
    }

    fn locked(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn next(&mut self) -> Option<(Tenant, oneshot::Sender<Place>)> {
        if self.free == 0 {
            return None;
        }
        for senders in self.waiting.values_mut() {
            senders.retain(|sender| !sender.is_closed());
        }
        self.waiting.retain(|_, senders| !senders.is_empty());
        let rank = |tenant: &Tenant| self.tenants.get(tenant).copied().map_or((0, 0), |has| (has.places, has.last));
        let tenant = self.waiting.keys().min_by_key(|tenant| rank(tenant)).cloned();
        let Some(tenant) = tenant else {
            self.tenants.retain(|_, has| has.places > 0);
            return None;
        };
        let sender = self.waiting.get_mut(&tenant)?.pop_front()?;
        self.free -= 1;
        self.turn += 1;
        let has = self.tenants.entry(tenant.clone()).or_default();
        has.places += 1;
        has.last = self.turn;
        Some((tenant, sender))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        {
            let mut inner = self.turns.locked();
            inner.free += 1;
            if let Some(has) = inner.tenants.get_mut(&self.tenant) {
                has.places = has.places.saturating_sub(1);
            }
        }
        self.turns.give();
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;
    use futures::future::BoxFuture;

    use super::*;

    fn enter(turns: &Arc<Turns>, name: &str) -> BoxFuture<'static, Option<Place>> {
        let (turns, tenant) = (Arc::clone(turns), Tenant::Subject(name.to_owned()));
        async move { turns.enter(tenant).await }.boxed()
    }

    #[test]
    fn tenants_take_turns_however_many_runs_each_has() {
        let turns = Arc::new(Turns::new(1));
        let held = enter(&turns, "ana").now_or_never().flatten().unwrap();
        // Three of one tenant are there before the first of another.
        let names = ["ana", "ana", "ana", "bob", "bob", "eve"];
        let mut waiting: Vec<_> = names.iter().map(|name| (*name, enter(&turns, name))).collect();
        for (_, place) in &mut waiting {
            assert!(place.now_or_never().is_none());
        }
        // One who goes away keeps nobody waiting.
        drop(waiting.remove(1));
        let mut order = Vec::new();
        let mut place = Some(held);
        while !waiting.is_empty() {
            drop(place.take());
            let now = waiting.iter_mut().position(|(_, waits)| {
                place = waits.now_or_never().flatten();
                place.is_some()
            });
            order.push(waiting.remove(now.unwrap()).0);
        }
        assert_eq!(order, ["bob", "eve", "ana", "bob", "ana"]);
    }
}
