//! Places for builds and for previews, given in turn: to the tenant who has the fewest now, and among those to the one who
//! has waited longest since the last one.
//!
//! A tenant is whoever put a site or ordered previews, with all that is his; each site of the file is one of its own. So
//! nobody is kept waiting by how much another one wants. What is slow for many tenants alike, such as a host, is a lane:
//! whoever waits for a place in a lane that is full lets others pass.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

use crate::http::household::Household;

/// Who takes turns.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Tenant {
    /// Whoever put sites or orders previews.
    Subject(String),
    /// A site of the file.
    Site(String),
    /// Whoever orders previews without a name.
    Address(Household),
    /// All who did so before the server was started.
    Earlier,
}

/// How many places there are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TurnLimits {
    /// In all.
    pub(crate) places: usize,
    /// Most for one tenant.
    pub(crate) of_one: usize,
    /// Most in one lane.
    pub(crate) of_a_lane: usize,
}

/// Places that are given in turn.
#[derive(Debug)]
pub(crate) struct Turns(Mutex<TurnQueue>);

#[derive(Debug)]
struct TurnQueue {
    room: TurnLimits,
    free: usize,
    /// Who waits, by tenant.
    waiting: BTreeMap<Tenant, VecDeque<WaitingTurn>>,
    /// Places that tenants have now, and the number of the last turn of each; who has none and is not waiting is forgotten
    /// when nobody waits.
    tenants: BTreeMap<Tenant, Has>,
    /// Places in lanes that have any.
    lanes: BTreeMap<String, usize>,
    turn: u64,
}

#[derive(Debug)]
struct WaitingTurn {
    lane: Option<String>,
    sender: oneshot::Sender<TurnPlace>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Has {
    places: usize,
    last: u64,
}

/// A place, given back with this value.
#[derive(Debug)]
pub(crate) struct TurnPlace {
    turns: Arc<Turns>,
    tenant: Tenant,
    lane: Mutex<Option<String>>,
}

impl Turns {
    /// Places that any tenant may have all of.
    pub(crate) fn new(places: usize) -> Self {
        Self::with(TurnLimits {
            places,
            of_one: places,
            of_a_lane: places,
        })
    }

    pub(crate) fn with(room: TurnLimits) -> Self {
        let waiting = BTreeMap::new();
        let tenants = BTreeMap::new();
        let lanes = BTreeMap::new();
        Self(Mutex::new(TurnQueue {
            room,
            free: room.places,
            waiting,
            tenants,
            lanes,
            turn: 0,
        }))
    }

    /// Waits for a place; who waits no more loses only the wait.
    pub(crate) async fn enter(self: &Arc<Self>, tenant: Tenant) -> Option<TurnPlace> {
        self.wait(tenant, None).await
    }

    /// The same for a place in a lane.
    pub(crate) async fn enter_lane(
        self: &Arc<Self>,
        tenant: Tenant,
        lane: String,
    ) -> Option<TurnPlace> {
        self.wait(tenant, Some(lane)).await
    }

    async fn wait(self: &Arc<Self>, tenant: Tenant, lane: Option<String>) -> Option<TurnPlace> {
        let (sender, place) = oneshot::channel();
        self.locked()
            .waiting
            .entry(tenant)
            .or_default()
            .push_back(WaitingTurn { lane, sender });
        self.give();
        place.await.ok()
    }

    /// Gives free places to those whose turn it is.
    fn give(self: &Arc<Self>) {
        loop {
            let Some((tenant, WaitingTurn { lane, sender })) = self.locked().next() else {
                return;
            };
            // Sent without the lock: one who waits no more gives the place back at once.
            let _ = sender.send(TurnPlace {
                turns: Arc::clone(self),
                tenant,
                lane: Mutex::new(lane),
            });
        }
    }

    fn locked(&self) -> MutexGuard<'_, TurnQueue> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl TurnQueue {
    fn next(&mut self) -> Option<(Tenant, WaitingTurn)> {
        if self.free == 0 {
            return None;
        }
        for waiting in self.waiting.values_mut() {
            waiting.retain(|waiting| !waiting.sender.is_closed());
        }
        self.waiting.retain(|_, waiting| !waiting.is_empty());
        if self.waiting.is_empty() {
            self.tenants.retain(|_, has| has.places > 0);
            return None;
        }
        let has = |tenant: &Tenant| self.tenants.get(tenant).copied().unwrap_or_default();
        let is_open = |waiting: &WaitingTurn| {
            let taken = waiting
                .lane
                .as_ref()
                .and_then(|lane| self.lanes.get(lane))
                .copied();
            taken.unwrap_or(0) < self.room.of_a_lane
        };
        let may = self
            .waiting
            .iter()
            .filter(|(tenant, _)| has(tenant).places < self.room.of_one);
        let firsts =
            may.filter_map(|(tenant, waiting)| Some((tenant, waiting.iter().position(is_open)?)));
        let (tenant, index) =
            firsts.min_by_key(|(tenant, _)| (has(tenant).places, has(tenant).last))?;
        let tenant = tenant.clone();
        let next = self.waiting.get_mut(&tenant)?.remove(index)?;
        self.free -= 1;
        self.turn += 1;
        let has = self.tenants.entry(tenant.clone()).or_default();
        has.places += 1;
        has.last = self.turn;
        if let Some(lane) = &next.lane {
            *self.lanes.entry(lane.clone()).or_default() += 1;
        }
        Some((tenant, next))
    }

    fn leave(&mut self, lane: &str) {
        if let Some(places) = self.lanes.get_mut(lane) {
            *places -= 1;
            if *places == 0 {
                self.lanes.remove(lane);
            }
        }
    }
}

impl TurnPlace {
    /// Keeps the place and leaves the lane.
    pub(crate) fn leave_lane(&self) {
        if let Some(lane) = self.take_lane() {
            self.turns.locked().leave(&lane);
            self.turns.give();
        }
    }

    fn take_lane(&self) -> Option<String> {
        self.lane
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
    }
}

impl Drop for TurnPlace {
    fn drop(&mut self) {
        let lane = self.take_lane();
        {
            let mut inner = self.turns.locked();
            inner.free += 1;
            if let Some(has) = inner.tenants.get_mut(&self.tenant) {
                has.places = has.places.saturating_sub(1);
            }
            lane.iter().for_each(|lane| inner.leave(lane));
        }
        self.turns.give();
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;
    use futures::future::BoxFuture;

    use super::*;

    fn enter(turns: &Arc<Turns>, name: &str) -> BoxFuture<'static, Option<TurnPlace>> {
        let turns = Arc::clone(turns);
        let tenant = Tenant::Subject(name.to_owned());
        async move { turns.enter(tenant).await }.boxed()
    }

    #[test]
    fn tenants_take_turns_however_many_runs_each_has() {
        let turns = Arc::new(Turns::new(1));
        let held = enter(&turns, "ana").now_or_never().flatten().unwrap();
        // Three of one tenant are there before the first of another.
        let names = ["ana", "ana", "ana", "bob", "bob", "eve"];
        let mut waiting: Vec<_> = names
            .iter()
            .map(|name| (*name, enter(&turns, name)))
            .collect();
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

    fn enter_lane(
        turns: &Arc<Turns>,
        name: &str,
        lane: &str,
    ) -> BoxFuture<'static, Option<TurnPlace>> {
        let turns = Arc::clone(turns);
        let tenant = Tenant::Subject(name.to_owned());
        let lane = lane.to_owned();
        async move { turns.enter_lane(tenant, lane).await }.boxed()
    }

    #[test]
    fn neither_a_tenant_nor_a_lane_has_all_places() {
        let turns = Arc::new(Turns::with(TurnLimits {
            places: 5,
            of_one: 2,
            of_a_lane: 3,
        }));
        let asked = [
            "ana slow", "ana slow", "ana fast", "bob slow", "bob slow", "bob fast", "eve fast",
            "eve slow",
        ];
        let mut waits: Vec<_> = asked
            .iter()
            .map(|asked| {
                let (name, lane) = asked.split_once(' ').unwrap();
                enter_lane(&turns, name, lane)
            })
            .collect();
        let mut places: Vec<Option<TurnPlace>> = waits
            .iter_mut()
            .map(|wait| wait.now_or_never().flatten())
            .collect();
        let got = |places: &[Option<TurnPlace>]| {
            let has = asked
                .iter()
                .zip(places)
                .filter(|(_, place)| place.is_some());
            has.map(|(asked, _)| *asked).collect::<Vec<_>>().join(", ")
        };
        // Two of ana's are all that she may have; the lane is full when bob has one there.
        assert_eq!(
            got(&places),
            "ana slow, ana slow, bob slow, bob fast, eve fast"
        );
        if let Some(place) = &places[0] {
            place.leave_lane();
        }
        places[6] = None;
        places[7] = (&mut waits[7]).now_or_never().flatten();
        assert_eq!(
            got(&places),
            "ana slow, ana slow, bob slow, bob fast, eve slow"
        );
        drop((waits, places));
        let inner = turns.locked();
        assert_eq!((inner.free, inner.lanes.len()), (5, 0));
    }
}
