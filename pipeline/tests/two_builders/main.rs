//! Two builders on one store, in every order of their steps.
//!
//! Each of them begins, writes its home page, writes its other pages, and finishes; one that is overtaken goes on as a run
//! does. All 70 ways to merge the steps of two are tried, with a sweep that looks at one moment and deletes at another, and with
//! the answer of one write lost; of the moments of a sweep, those of `LATIMER_ORDERS` in each test. Yesterday, drafts that were cut off and a deployment that was dropped wrote the very bytes that
//! the builders write today, so the sweep has them on its list.

#![allow(
    clippy::too_many_lines,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test stops at the first surprise"
)]

mod shelf;

use std::collections::BTreeMap;
use std::sync::Arc;

use pipeline::model::{Locale, PagePath, SiteId, Slugs};
use pipeline::store::{
    Draft, Encoding, Missing, Object, Objects, Published, ServingSettings, ServingSwitch,
    StoreError, Sweep, Tree, deployments, project_live, roll_back, sweep, turn_switch,
};
use shelf::Shelf;

type Pages = BTreeMap<&'static str, &'static str>;

const STEPS: usize = 4;
const KEEP: usize = 2;
/// So many writes no order needs.
const WRITES: usize = 40;

/// What happens next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Event {
    /// A builder takes its next step.
    Step(usize),
    /// A sweep finds out what may go.
    List,
    /// It deletes that.
    Delete,
    /// Somebody switches Spanish off.
    Switch,
    /// Somebody brings the deployment before the newest back.
    RollBack,
}

/// The pages of each builder. Homes have one length; `both.html` is the same for both.
fn pages(builder: usize) -> Pages {
    let (home, own) = if builder == 0 {
        ("first", "a.html")
    } else {
        ("other", "b.html")
    };
    BTreeMap::from([
        ("index.html", home),
        (own, "a page of its own"),
        ("both.html", "a page of both"),
    ])
}

fn site() -> SiteId {
    SiteId::parse("bakery").unwrap()
}

fn locale(tag: &str) -> Locale {
    Locale::parse(tag).unwrap()
}

fn tree() -> Tree {
    Tree::Locale(locale("es"))
}

fn settings() -> ServingSettings {
    ServingSettings {
        source_locale: locale("en"),
        locales: BTreeMap::from([(locale("es"), ServingSwitch::On)]),
        switches: 0,
        aliases: BTreeMap::new(),
        missing: Missing::Source307,
        redirects: BTreeMap::new(),
        slugs: Slugs::default(),
        former: BTreeMap::new(),
        parameters: Default::default(),
        singles: Default::default(),
        left_out: Default::default(),
        written: Default::default(),
        url: None,
        source_url: None,
        accept_language: false,
        variants: Encoding::ALL.into(),
    }
}

async fn put(draft: &Draft, pages: impl IntoIterator<Item = (&str, &str)>) {
    for (name, body) in pages {
        // Long enough to be compressed, so that each page is three objects.
        let body = format!(
            "<!doctype html><title>{body}</title>{}",
            "<p>bread and butter</p>".repeat(60)
        );
        let object = Object::new(
            name.to_owned(),
            PagePath::of_file(name),
            "text/html; charset=utf-8",
            body,
        );
        draft.put(&tree(), object).await.unwrap();
    }
}

/// What came of a builder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Deployed(u64),
    RolledBack,
}

#[derive(Default)]
struct Builder {
    number: usize,
    step: usize,
    began: u64,
    draft: Option<Draft>,
    outcome: Option<Outcome>,
}

impl Builder {
    async fn next(&mut self, objects: &Objects) {
        let pages = pages(self.number);
        match (self.step, &self.draft) {
            (0, _) => {
                let draft = Draft::begin(objects, &site()).await.unwrap();
                self.began = draft.previous().map_or(0, Published::deployment);
                self.draft = Some(draft);
            }
            (1, Some(draft)) => put(draft, [("index.html", pages["index.html"])]).await,
            (2, Some(draft)) => {
                put(
                    draft,
                    pages.into_iter().filter(|(name, _)| *name != "index.html"),
                )
                .await
            }
            (_, _) => self.outcome = Some(self.finish(&pages).await),
        }
        self.step += 1;
    }

    /// As a run does: on top of whoever was faster, but never over a rollback.
    async fn finish(&mut self, pages: &Pages) -> Outcome {
        let mut draft = self.draft.take().unwrap();
        for _ in 0..5 {
            if draft.undoes(self.began).is_some() {
                return Outcome::RolledBack;
            }
            draft.keep_tree(&tree()).await.unwrap();
            match draft.finish(settings()).await {
                Ok(finished) => return Outcome::Deployed(finished.deployment),
                Err(StoreError::Overtaken { .. }) => draft.begin_again().await.unwrap(),
                Err(error) => panic!("{error}"),
            }
            put(&draft, pages.iter().map(|(name, body)| (*name, *body))).await;
        }
        panic!("one of two builders starves");
    }
}

/// A site with two deployments that are kept, one that was dropped, and drafts that were cut off.
async fn yesterday(objects: &Objects) {
    for (home, more) in [
        ("first", "the first page"),
        ("second", "a page"),
        ("third", "a page"),
    ] {
        let draft = Draft::begin(objects, &site()).await.unwrap();
        put(&draft, [("index.html", home), ("common.html", more)]).await;
        draft.finish(settings()).await.unwrap();
    }
    sweep(objects, &site(), KEEP, None).await.unwrap();
    for builder in 0..2 {
        let draft = Draft::begin(objects, &site()).await.unwrap();
        put(&draft, pages(builder)).await;
    }
}

/// What is on the store at the end of an order.
struct Seen {
    builders: [Builder; 2],
    rollback: Option<u64>,
    is_switched: bool,
    /// File → the words of its title, of the newest deployment.
    files: BTreeMap<String, String>,
}

async fn run(objects: &Objects, order: &[Event]) -> Seen {
    let mut builders = [
        Builder::default(),
        Builder {
            number: 1,
            ..Builder::default()
        },
    ];
    let mut listed = None;
    let mut rollback = None;
    let mut is_switched = false;
    for event in order {
        let begins = match event {
            Event::Step(builder) => builders[*builder].step == 0,
            Event::Switch | Event::RollBack => true,
            Event::List | Event::Delete => false,
        };
        if begins && objects.is_folder() {
            // In a folder it waits until the sweep is done.
            delete(&mut listed).await;
        }
        match event {
            Event::Step(builder) => builders[*builder].next(objects).await,
            Event::List => listed = Sweep::list(objects, &site(), KEEP, None).await.unwrap(),
            Event::Delete => delete(&mut listed).await,
            Event::Switch => {
                turn_switch(
                    objects,
                    &site(),
                    &locale("es"),
                    ServingSwitch::Off,
                    &BTreeMap::new(),
                )
                .await
                .unwrap();
                is_switched = true;
            }
            Event::RollBack => {
                let before = deployments(objects, &site()).await.unwrap()[1]
                    .commit
                    .deployment;
                rollback = Some(roll_back(objects, &site(), before).await.unwrap());
            }
        }
    }
    delete(&mut listed).await;
    let newest = Published::newest(objects, &site(), None)
        .await
        .unwrap()
        .unwrap();
    Seen {
        builders,
        rollback,
        is_switched,
        files: files(objects, &newest).await,
    }
}

async fn delete(listed: &mut Option<Sweep>) {
    if let Some(sweep) = listed.take() {
        sweep.delete().await.unwrap();
    }
}

/// All files of a deployment, with every variant readable and of the bytes that the deployment names.
async fn files(objects: &Objects, published: &Published) -> BTreeMap<String, String> {
    assert_eq!(
        published.check_bytes(objects).await.unwrap(),
        [],
        "of deployment {}",
        published.deployment()
    );
    let mut files = BTreeMap::new();
    for (name, entry) in published.manifest(&tree()).unwrap().objects.iter() {
        let body = published
            .read(objects, &tree(), name, entry, None)
            .await
            .unwrap();
        let text = String::from_utf8(body.to_vec()).unwrap();
        let title = text.split("title>").nth(1).unwrap().trim_end_matches("</");
        files.insert(name.to_owned(), title.to_owned());
    }
    files
}

/// Checks what must hold after any order.
async fn judge(objects: &Objects, order: &[Event], seen: &Seen) {
    // Whatever is kept can be served and brought back.
    let kept = deployments(objects, &site()).await.unwrap();
    for deployment in &kept {
        let published = Published::load(objects, &site(), deployment.commit.deployment, None)
            .await
            .unwrap();
        files(objects, &published).await;
    }
    let newest = Published::newest(objects, &site(), None)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(
        newest.settings().is_on(&locale("es")),
        !seen.is_switched,
        "{order:?}"
    );
    let mut deployed = BTreeMap::new();
    for builder in &seen.builders {
        match (builder.outcome.unwrap(), seen.rollback) {
            (Outcome::Deployed(number), Some(rollback)) if number > rollback => {
                assert!(
                    builder.began >= rollback,
                    "a rollback was undone in {order:?}"
                );
                deployed.insert(number, pages(builder.number));
            }
            (Outcome::Deployed(_), Some(_)) => {}
            (Outcome::Deployed(number), None) => {
                deployed.insert(number, pages(builder.number));
            }
            (Outcome::RolledBack, Some(rollback)) => assert!(builder.began < rollback, "{order:?}"),
            (Outcome::RolledBack, None) => panic!("nobody brought anything back in {order:?}"),
        }
    }
    assert_eq!(
        newest.deployment(),
        deployed.keys().copied().chain(seen.rollback).max().unwrap(),
        "{order:?}"
    );
    // On top of what was the site, each builder's pages in the order of their deployments.
    let mut expected: BTreeMap<String, String> = match seen.rollback {
        None => titles(&BTreeMap::from([
            ("index.html", "third"),
            ("common.html", "a page"),
        ])),
        Some(rollback) => {
            let there = kept
                .iter()
                .find(|deployment| deployment.commit.deployment == rollback);
            assert!(
                there.is_some_and(|there| there.commit.restores.is_some()),
                "{order:?}"
            );
            files(
                objects,
                &Published::load(objects, &site(), rollback, None)
                    .await
                    .unwrap(),
            )
            .await
        }
    };
    deployed
        .values()
        .for_each(|pages| expected.extend(titles(pages)));
    assert_eq!(seen.files, expected, "after {order:?}");
}

fn titles(pages: &Pages) -> BTreeMap<String, String> {
    pages
        .iter()
        .map(|(name, title)| ((*name).to_owned(), (*title).to_owned()))
        .collect()
}

/// Every way to merge the steps of two builders.
fn merges() -> Vec<Vec<Event>> {
    let all = (0_u32..1 << (2 * STEPS)).filter(|bits| bits.count_ones() as usize == STEPS);
    all.map(|bits| {
        (0..2 * STEPS)
            .map(|at| Event::Step(usize::from(bits >> at & 1 == 1)))
            .collect()
    })
    .collect()
}

/// The same order with something more at these places, the later one first.
fn with(order: &[Event], more: &[(usize, Event)]) -> Vec<Event> {
    let mut order = order.to_vec();
    more.iter()
        .for_each(|(at, event)| order.insert(*at, *event));
    order
}

/// The places of a sweep that looks at one and deletes at another.
fn sweeps() -> impl Iterator<Item = [(usize, Event); 2]> {
    let places = 0..=2 * STEPS;
    places.clone().flat_map(move |list| {
        places
            .clone()
            .filter(move |delete| *delete >= list)
            .map(move |delete| [(delete, Event::Delete), (list, Event::List)])
    })
}

/// Runs orders in a bucket as it was a day after [`yesterday`]; each loses the answer of another write.
async fn try_in_a_bucket(orders: impl Iterator<Item = Vec<Event>>) {
    let shelf = Shelf::new();
    yesterday(&Objects::over(Arc::new(shelf.clone()))).await;
    let mut tried = 0;
    let orders: Vec<_> = orders.collect();
    // An odd part of them, so that each merge meets other moments.
    let wanted =
        std::env::var("LATIMER_ORDERS").map_or(450, |orders| orders.parse().expect("a number"));
    let part = (orders.len() / wanted).max(1) | 1;
    for order in orders.into_iter().step_by(part) {
        let shelf = shelf.a_day_later().await;
        let objects = Objects::over(Arc::new(shelf.clone()));
        shelf.lose_answer_after(tried % WRITES);
        let seen = run(&objects, &order).await;
        judge(&objects, &order, &seen).await;
        tried += 1;
    }
    assert!(tried >= 70, "{tried} orders");
}

#[tokio::test(start_paused = true)]
async fn every_merge_with_a_sweep_and_a_lost_answer_leaves_a_whole_site() {
    let merges = merges();
    try_in_a_bucket(
        merges
            .iter()
            .flat_map(|order| sweeps().map(|sweep| with(order, &sweep))),
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn every_merge_obeys_a_switch() {
    try_in_a_bucket(everywhere(Event::Switch)).await;
}

#[tokio::test(start_paused = true)]
async fn no_merge_undoes_a_rollback() {
    try_in_a_bucket(everywhere(Event::RollBack)).await;
}

/// Every merge with this event at every place; the sweep is at another place in each.
fn everywhere(event: Event) -> impl Iterator<Item = Vec<Event>> {
    let sweeps: Vec<_> = sweeps().collect();
    let orders = merges()
        .into_iter()
        .flat_map(move |order| (0..=2 * STEPS).map(move |at| (order.clone(), at)));
    orders.enumerate().map(move |(number, (order, at))| {
        with(
            &with(&order, &sweeps[number * 7 % sweeps.len()]),
            &[(at, event)],
        )
    })
}

/// The orders in which builders harmed each other when objects lay under the number of a deployment, and all merges.
#[tokio::test]
async fn builders_in_one_folder_leave_a_whole_site() {
    let orders = [
        // Both begin, both write homes of one length, both finish.
        [0, 1, 0, 1, 0, 1, 0, 1],
        // One finishes, then the other, which had begun before, writes.
        [1, 0, 0, 0, 0, 1, 1, 1],
        // One writes, then the other begins, then the first finishes.
        [0, 0, 0, 1, 0, 1, 1, 1],
    ];
    let orders = orders
        .into_iter()
        .map(|order| order.map(Event::Step).to_vec())
        .chain(merges());
    let sweeps: Vec<_> = sweeps().collect();
    for (number, order) in orders.enumerate() {
        let folder = scratch();
        let objects = Objects::folder(folder.path()).unwrap();
        yesterday(&objects).await;
        let order = with(&order, &sweeps[number * 7 % sweeps.len()]);
        let seen = run(&objects, &order).await;
        judge(&objects, &order, &seen).await;
        project_live(&objects, &site(), None).await.unwrap();
        let home = std::fs::read_to_string(folder.path().join("bakery/es/index.html")).unwrap();
        assert!(
            home.contains(&format!("<title>{}</title>", seen.files["index.html"])),
            "after {order:?}"
        );
    }
}

/// A folder in memory, where the system has such a place.
fn scratch() -> tempfile::TempDir {
    let memory = std::path::Path::new("/dev/shm");
    if memory.is_dir() {
        tempfile::tempdir_in(memory).unwrap()
    } else {
        tempfile::tempdir().unwrap()
    }
}
