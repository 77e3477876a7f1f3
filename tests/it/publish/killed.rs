//! Publishings that are killed while readers read, and publishers that meet.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime};

use super::{URL, edition, folder, publish, published, site};
use crate::support::api::pause;
use crate::support::s3::Bucket;
use crate::support::web::PATIENCE;
use crate::support::{self, MARKING, Site, at_strength, files};

/// A reader who looks at all pages over and over.
struct Reader {
    has_left: Arc<AtomicBool>,
    thread: JoinHandle<usize>,
}

impl Reader {
    /// Begins to read a folder that is there; in `releases`, a tree has one edition.
    fn of(root: PathBuf, in_releases: bool) -> Self {
        let has_left = Arc::new(AtomicBool::new(false));
        let leaves = Arc::clone(&has_left);
        let thread = std::thread::spawn(move || {
            let mut looks = 0;
            while !leaves.load(Ordering::Relaxed) {
                if in_releases {
                    look_at_release(&root)
                } else {
                    look_at_pages(&root)
                }
                looks += 1;
            }
            looks
        });
        Self { has_left, thread }
    }

    /// Ends the reading; gives how often it looked.
    fn leave(self) -> usize {
        self.has_left.store(true, Ordering::Relaxed);
        self.thread.join().expect("what readers see is whole")
    }
}

/// The names of all pages of [`edition`].
fn pages() -> impl Iterator<Item = String> {
    ["", "es/"].into_iter().flat_map(|language| {
        (0..60).map(move |page| format!("{language}part{}/page{page}.html", page % 7))
    })
}

/// The edition of a page.
fn edition_of(html: &str) -> usize {
    let (_, rest) = html.split_once("/s-").expect("a page names its script");
    rest.split('.').next().unwrap().parse().unwrap()
}

/// Each page that is there has its script.
fn look_at_pages(root: &Path) {
    for name in pages() {
        let read = || edition_of(&fs::read_to_string(root.join(&name)).expect(&name));
        let has_script = |edition: usize| root.join(format!("s-{edition}.js")).exists();
        let seen = read();
        // A page of before may have been replaced, and its script removed, since it was read.
        let lacks = !has_script(seen) && read() == seen && !has_script(seen);
        assert!(
            !lacks,
            "{name} names the script of edition {seen}, which is not there"
        );
    }
}

/// All pages of the tree that is shown are of one edition, with its script.
fn look_at_release(root: &Path) {
    let Ok(tree) = fs::canonicalize(root) else {
        panic!("{} leads nowhere", root.display())
    };
    let mut editions = BTreeSet::new();
    for name in pages() {
        match fs::read_to_string(tree.join(&name)) {
            Ok(html) => drop(editions.insert(edition_of(&html))),
            // The tree is two switches old, and gone.
            Err(error)
                if error.kind() == io::ErrorKind::NotFound
                    && fs::canonicalize(root).unwrap() != tree =>
            {
                return;
            }
            Err(error) => panic!("{name}: {error}"),
        }
    }
    let [edition] = editions.iter().copied().collect::<Vec<_>>()[..] else {
        panic!("a mixed tree: {editions:?}")
    };
    let is_gone = || fs::canonicalize(root).unwrap() != tree;
    assert!(
        tree.join(format!("s-{edition}.js")).exists() || is_gone(),
        "edition {edition} lacks its script"
    );
}

/// Kills publishings at many moments; `root` is where readers find what is there.
#[expect(
    clippy::disallowed_methods,
    reason = "nothing is waited for: the moment itself is what is tested"
)]
fn kill_often(target: &str, root: impl Fn(&Site) -> PathBuf, in_releases: bool) {
    let keys = format!("locales = [\"es\"]\nengine = \"marking\"\n{URL}\n");
    let site = Site::new(&format!("{keys}{MARKING}{target}keep = \"0\"\n"), &[]);
    edition(&site, 0);
    site.build(&[], 0);
    let start = Instant::now();
    published(&site, &[]);
    let whole = start.elapsed();
    let root = root(&site);
    let reader = Reader::of(root.clone(), in_releases);
    let kills = at_strength("LATIMER_KILLS", 10) / 2;
    for kill in 1..=kills {
        edition(&site, usize::try_from(kill).unwrap());
        site.build(&[], 0);
        let mut child = support::command(site.folder());
        let mut child = child
            .args(["publish", "--quiet"])
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(
            whole
                .mul_f64(f64::from(kill) / f64::from(kills))
                .max(Duration::from_millis(1)),
        );
        let _ = child.kill();
        child.wait().unwrap();
        let seen = pages_and_scripts(&root);
        assert!(
            !in_releases || seen.len() == 1,
            "a release is of one edition: {seen:?}"
        );
        // The next one may lead anywhere, also back.
        let wanted = if kill % 3 == 0 { kill } else { kill + 1 }.to_string();
        let arguments: &[&str] = if kill % 3 == 0 {
            &["--deployment", &wanted]
        } else {
            &[]
        };
        published(&site, arguments);
        let seen = pages_and_scripts(&root);
        let edition = wanted.parse::<usize>().unwrap() - 1;
        assert_eq!(
            seen.into_iter().collect::<Vec<_>>(),
            [(edition, 120)],
            "kill {kill}"
        );
        published(&site, &[]);
    }
    let looks = reader.leave();
    assert!(looks > 10, "a reader who looked {looks} times saw little");
}

/// How many pages there are of each edition, each of which has its script.
fn pages_and_scripts(root: &Path) -> BTreeMap<usize, usize> {
    let tree = files(root);
    let mut editions = BTreeMap::new();
    for (name, html) in tree.iter().filter(|(name, _)| name.ends_with(".html")) {
        let html = String::from_utf8_lossy(html);
        if html.contains("/s-") {
            let edition = edition_of(&html);
            assert!(
                tree.contains_key(&format!("s-{edition}.js")),
                "{name} lacks the script of edition {edition}"
            );
            *editions.entry(edition).or_default() += 1;
        }
    }
    editions
}

#[test]
fn no_page_lacks_its_files_in_a_folder_whenever_a_publishing_is_killed() {
    kill_often(&folder("plain"), |site| site.path("www"), false);
}

#[test]
fn no_tree_is_mixed_whenever_a_publishing_is_killed() {
    kill_often(&folder("releases"), |site| site.path("www/current"), true);
}

#[test]
fn no_page_lacks_its_files_in_a_bucket_whenever_a_publishing_is_killed() {
    let folder = tempfile::TempDir::new().unwrap();
    let bucket = Bucket::start(folder.path());
    kill_often(
        &bucket.target("plain"),
        |_| folder.path().join("pages/www"),
        false,
    );
}

#[test]
fn of_two_publishers_the_second_is_told_of_the_first() {
    let target = "[publish.live]\nkind = \"command\"\nhost = \"cloudflare-pages\"\ncommand = [\"sh\", \"upload.sh\"]\n";
    let site = site(URL, target);
    site.build(&[], 0);
    site.write(
        "upload.sh",
        "echo > begun\nuntil [ -e go ]; do sleep 0.1; done\n",
    );
    let mut first = support::command(site.folder());
    let mut first = first
        .args(["publish", "--quiet"])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let deadline = Instant::now() + PATIENCE;
    while !site.path("begun").exists() {
        assert!(Instant::now() < deadline, "the program was not run");
        pause(Duration::from_millis(20));
    }
    let by = format!("`latimer publish`, process {}", first.id());
    publish(&site, &[]).failed(1, &[&by, "wait until it is done"]);
    site.write("go", "");
    assert!(first.wait().unwrap().success());
    assert_eq!(published(&site, &[])["sent"], 0, "the target is free again");
}

#[test]
fn in_a_bucket_whoever_gave_no_sign_for_long_is_at_it_no_more() {
    let folder = tempfile::TempDir::new().unwrap();
    let bucket = Bucket::start(folder.path());
    let store = format!("[store]\n{}", bucket.store());
    let site = site(URL, &format!("{}{store}", super::folder("plain")));
    site.build(&[], 0);
    let lock = folder
        .path()
        .join("pages/some/prefix/site/_deployments/targets/live.lock");
    fs::create_dir_all(lock.parent().unwrap()).unwrap();
    let put = |minutes: u64| {
        fs::write(
            &lock,
            "{\"who\":\"somebody else\",\"deployment\":1,\"id\":\"1\"}\n",
        )
        .unwrap();
        let file = fs::File::options().write(true).open(&lock).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(minutes * 60))
            .unwrap();
    };
    put(3);
    publish(&site, &[]).failed(
        1,
        &["somebody else", "if it was killed, try again in 7 min"],
    );
    assert!(!site.path("www").exists());
    put(11);
    published(&site, &[]);
    assert!(site.path("www/index.html").exists() && !lock.exists());
}
