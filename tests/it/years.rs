//! The promises of docs/operating.md and docs/years.md to those who run a server: from the package to a page, a backup that
//! comes back as it was, restarts that lose no request.
//!
//! Their commands run as they are written, with three exceptions: `/etc`, `/srv` and `/var` lie in a folder of the test, there is no
//! `sudo`, and what systemd would start is started by hand.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use tempfile::TempDir;

use crate::support::documents::{blocks, section};
use crate::support::s3::{Bucket, Refuses};
use crate::support::web::Server;
use crate::support::{Site, api, copy, repository};

/// Commands that need the system's own services, or a person.
const NOT_HERE: [&str; 4] = [
    "sudo apt ",
    "sudo editor ",
    "sudo systemctl ",
    "sudo systemd-",
];

fn document(name: &str) -> String {
    fs::read_to_string(repository().join("docs").join(name)).unwrap()
}

/// A machine with the package: the folders that it makes, its configuration, and a site at the place that this names.
struct Machine(TempDir);

impl Machine {
    fn new() -> Self {
        let machine = Self(TempDir::new().unwrap());
        let site = repository().join("fixtures/sites/bakery/source");
        copy(&site, &machine.path("srv/site"), &|_| true);
        fs::create_dir_all(machine.path("etc/latimer")).unwrap();
        fs::create_dir_all(machine.path("var/lib/latimer")).unwrap();
        let text = document("debian/latimer.toml");
        fs::write(
            machine.path("etc/latimer/latimer.toml"),
            machine.moved(&text),
        )
        .unwrap();
        machine
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// A text with the machine's folders in it.
    fn moved(&self, text: &str) -> String {
        let root = self.0.path().display();
        let mut moved = text.to_owned();
        for folder in ["/etc/latimer", "/srv/", "/var/"] {
            moved = moved.replace(folder, &format!("{root}{folder}"));
        }
        moved.replace("--directory /", &format!("--directory {root}/"))
    }

    /// Runs a block of commands, but for those that cannot run here.
    #[track_caller]
    fn run(&self, block: &str, address: &str) {
        let lines = block
            .lines()
            .filter(|line| !NOT_HERE.iter().any(|begin| line.starts_with(begin)));
        let script = lines.map(|line| line.replace("sudo -u latimer ", "").replace("sudo ", ""));
        let script = self.moved(&script.collect::<Vec<_>>().join("\n"));
        let output = api::shell(self.0.path(), &script, address);
        assert!(
            output.status.success(),
            "{script}\n{}{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
    }

    /// Starts the program as a unit does, at a port that the system chooses.
    fn start(&self, unit: &str) -> Server {
        let line = unit
            .lines()
            .find_map(|line| line.strip_prefix("ExecStart=/usr/bin/latimer serve "))
            .unwrap();
        let line = self.moved(&line.replace("--listen 127.0.0.1:%i ", ""));
        Server::start_with(self.0.path(), &line.split(' ').collect::<Vec<_>>())
    }
}

/// Every page of the site and some of its files, as readers get them.
fn pages(server: &Server) -> BTreeMap<String, Vec<u8>> {
    let mut pages = BTreeMap::new();
    for path in [
        "/",
        "/menu/",
        "/files/menu.txt",
        "/en-XA/",
        "/en-XA/menu/",
        "/en-XA/legal/",
    ] {
        let answer = server.get(path);
        assert_eq!(answer.status, 200, "{path}");
        pages.insert(path.to_owned(), answer.body);
    }
    pages
}

fn unit() -> String {
    document("latimer.service")
}

mod needs_curl {
    use super::*;

    #[test]
    #[ignore = "needs curl"]
    fn the_commands_for_debian_lead_from_the_package_to_a_page() {
        let machine = Machine::new();
        let text = document("operating.md");
        let commands = blocks(section(&text, "## On Debian"), "sh");
        let [install, build, start] = commands.as_slice() else {
            panic!("{commands:?}")
        };
        assert!(install.contains("sudo apt install ./latimer_"), "{install}");
        machine.run(build, "127.0.0.1:1");
        let server = machine.start(&unit());
        machine.run(start, &server.address);
        let page = server.get("/en-XA/");
        assert!(
            page.status == 200 && page.text().contains("lang=\"en-XA\""),
            "{page:?}"
        );
    }
}

#[test]
fn a_backup_comes_back_as_it_was() {
    let machine = Machine::new();
    let text = document("years.md");
    let build = &blocks(section(&document("operating.md"), "## On Debian"), "sh")[1].to_owned();
    machine.run(build, "127.0.0.1:1");
    let before = pages(&machine.start(&unit()));
    machine.run(blocks(section(&text, "## Back up"), "sh")[0], "127.0.0.1:1");

    // The site goes on, and then the disk is gone.
    let home = machine.path("srv/site/index.html");
    fs::write(
        &home,
        fs::read_to_string(&home)
            .unwrap()
            .replace("<h1>", "<h1>Newer: "),
    )
    .unwrap();
    machine.run(build, "127.0.0.1:1");
    assert_ne!(pages(&machine.start(&unit())), before);
    fs::remove_dir_all(machine.path("var/lib/latimer/site")).unwrap();

    machine.run(blocks(section(&text, "## Restore"), "sh")[0], "127.0.0.1:1");
    assert_eq!(pages(&machine.start(&unit())), before);
    // The state came with it: a build has nothing to do but what changed since.
    machine.run(build, "127.0.0.1:1");
    assert_ne!(pages(&machine.start(&unit())), before);
}

#[test]
fn a_second_page_server_is_made_from_the_unit() {
    let machine = Machine::new();
    machine.run(
        blocks(section(&document("operating.md"), "## On Debian"), "sh")[1],
        "127.0.0.1:1",
    );
    let text = document("years.md");
    let block = blocks(section(&text, "## Two page servers"), "sh")[0];
    let own = repository().join("docs/latimer.service");
    let made = machine.path("pages.service");
    let block = block.replace(
        "/usr/lib/systemd/system/latimer.service",
        &format!("'{}'", own.display()),
    );
    let block = block.replace(
        "/etc/systemd/system/latimer-pages@.service",
        &made.display().to_string(),
    );
    machine.run(&block, "127.0.0.1:1");
    let made = fs::read_to_string(made).unwrap();
    assert!(
        made.contains("serve --pages-only --listen 127.0.0.1:%i -c /etc/latimer/latimer.toml"),
        "{made}"
    );
    let [first, second] = [machine.start(&made), machine.start(&made)];
    assert_eq!(pages(&first), pages(&second));
}

#[test]
fn a_page_server_reads_its_bucket_and_needs_nothing_else() {
    let folder = TempDir::new().unwrap();
    let bucket = Bucket::start(folder.path());
    let keys = format!(
        "locales = [\"es\"]\nengine = \"identity\"\nmin_translated = 0\n[store]\n{}",
        bucket.store()
    );
    let site = Site::new(
        &keys,
        &[("index.html", "<!doctype html><html lang=en><p>Fresh bread")],
    );
    site.build(&[], 0);
    let written = bucket.puts();
    bucket.refuse(Refuses::Writing);
    fs::remove_dir_all(site.path("source")).unwrap();
    fs::remove_dir_all(site.path(".latimer")).unwrap();
    let server = Server::start(site.folder());
    assert_eq!(server.get("/es/").status, 200);
    assert_eq!(bucket.puts(), written);
}

/// The keys of the package's configuration that name what the service writes.
#[test]
fn what_the_package_has_written_lies_in_the_folder_of_the_service() {
    let text = document("debian/latimer.toml");
    let written = [
        "objects = ",
        "state = ",
        "models = ",
        "memory = ",
        "translations = ",
    ];
    for key in written {
        let line = text
            .lines()
            .find(|line| line.trim_start_matches("# ").starts_with(key))
            .unwrap();
        assert!(line.contains("\"/var/lib/latimer/"), "{line}");
    }
    let unit = unit();
    for line in [
        "StateDirectory=latimer",
        "WorkingDirectory=/var/lib/latimer",
        "ProtectSystem=strict",
    ] {
        assert!(unit.lines().any(|found| found == line), "{line}");
    }
    let operating = document("operating.md");
    for line in text
        .lines()
        .filter_map(|line| line.split_once("\"/var/lib/latimer/"))
    {
        let place = format!("`/var/lib/latimer/{}`", line.1.split('"').next().unwrap());
        assert!(
            operating.contains(&place),
            "docs/operating.md lacks {place}"
        );
    }
}

#[test]
fn publishing_by_a_program_writes_nothing_beside_the_configuration() {
    let machine = Machine::new();
    let file = machine.path("etc/latimer/latimer.toml");
    let target = "[publish.program]\nkind = \"command\"\ncommand = [\"true\", \"{dir}\"]\n";
    fs::write(&file, fs::read_to_string(&file).unwrap() + target).unwrap();
    machine.run(
        "latimer build -c /etc/latimer/latimer.toml\nlatimer publish -c /etc/latimer/latimer.toml",
        "127.0.0.1:1",
    );
    assert!(
        machine
            .path("var/lib/latimer/publish/program/index.html")
            .exists()
    );
    assert_eq!(
        fs::read_dir(machine.path("etc/latimer")).unwrap().count(),
        1
    );
}

mod needs_hosts {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::{Duration, Instant};

    use super::*;
    use crate::support::at_strength;
    use crate::support::nginx::Nginx;
    use crate::support::web::{PATIENCE, get_from};

    const PATHS: [&str; 4] = ["/", "/es/", "/es/about.html", "/style.css"];

    /// Asks until the time is over; the statuses that are not 200, and how many answers there were.
    fn ask(address: &str, is_over: &AtomicBool) -> (usize, Vec<u16>) {
        let mut count = 0;
        let mut others = Vec::new();
        while !is_over.load(Ordering::Relaxed) {
            let status = get_from(address, "www.example.com", PATHS[count % PATHS.len()]).status;
            count += 1;
            others.extend((status != 200).then_some(status));
        }
        (count, others)
    }

    fn restart(server: &mut Server, site: &Site) {
        server.terminate();
        assert!(server.wait());
        *server = Server::start_at(site.folder(), &server.address.clone(), &["--pages-only"]);
        let deadline = Instant::now() + PATIENCE;
        while server.get("/_health/ready").status != 200 {
            assert!(Instant::now() < deadline, "{}", server.said());
            api::pause(Duration::from_millis(20));
        }
    }

    #[test]
    #[ignore = "needs nginx"]
    fn restarts_behind_nginx_lose_no_request() {
        let site = Site::new(
            "locales = [\"es\"]\nengine = \"identity\"\nmin_translated = 0",
            &[
                (
                    "index.html",
                    "<!doctype html><html lang=en><title>bread</title><p>All about bread",
                ),
                (
                    "about.html",
                    "<!doctype html><html lang=en><title>us</title><p>All about us",
                ),
                ("style.css", "p { margin: 0 }"),
            ],
        );
        site.build(&[], 0);
        let mut servers =
            [0, 1].map(|_| Server::start_at(site.folder(), "127.0.0.1:0", &["--pages-only"]));
        let front = api::free_address();
        let text = document("years.md");
        let mut http = blocks(section(&text, "## Two page servers"), "nginx")[0]
            .replace("listen 80;", &format!("listen {front};"));
        for (written, server) in ["127.0.0.1:8081", "127.0.0.1:8082"].iter().zip(&servers) {
            assert!(http.contains(written));
            http = http.replace(written, &server.address);
        }
        let _nginx = Nginx::start(&site.path("nginx"), &http, &front);
        let is_over = AtomicBool::new(false);
        let (count, others) = std::thread::scope(|scope| {
            let clients: Vec<_> = (0..4)
                .map(|_| scope.spawn(|| ask(&front, &is_over)))
                .collect();
            for _ in 0..at_strength("LATIMER_RESTARTS", 3) {
                servers.iter_mut().for_each(|server| restart(server, &site));
            }
            is_over.store(true, Ordering::Relaxed);
            let asked = clients.into_iter().map(|client| client.join().unwrap());
            asked.fold((0, Vec::new()), |(sum, all), (count, others)| {
                (sum + count, [all, others].concat())
            })
        });
        eprintln!(
            "{count} requests, {} of them without an answer of a page",
            others.len()
        );
        assert!(
            count > 500 && others.is_empty(),
            "{count} requests, and not 200: {others:?}"
        );
    }
}
