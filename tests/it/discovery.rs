//! Texts that scripts put in, found by a browser that draws the pages and reaches nobody.

use std::os::unix::fs::PermissionsExt as _;

use tempfile::TempDir;

use crate::support::{Ran, Site};

/// A browser as `latimer` starts it, and the folder that it needs. Its sandbox does not start for root, so root's tests run
/// it as nobody, who has that folder alone; each start is noted.
fn browser(site: &Site) -> (String, TempDir) {
    let home = TempDir::new_in("/tmp").unwrap();
    std::fs::set_permissions(home.path(), std::fs::Permissions::from_mode(0o777)).unwrap();
    let script = "#!/bin/sh\necho started >>\"$(dirname \"$0\")/starts\"\nhome=$(mktemp -d -p HOME) && chmod 777 \"$home\"\n\
        nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups env HOME=\"$home\" TMPDIR=\"$home\" \"$@\"; }\n\
        [ \"$(id -u)\" = 0 ] || nobody() { \"$@\"; }\n\
        nobody unshare --user true 2>/dev/null || set -- \"$@\" --no-sandbox\n\
        nobody chromium \"$@\" --user-data-dir=\"$home/profile\"\n";
    site.write(
        "browser",
        &script.replace("HOME)", &format!("{})", home.path().display())),
    );
    std::fs::set_permissions(site.path("browser"), std::fs::Permissions::from_mode(0o755)).unwrap();
    (site.path("browser").to_str().unwrap().to_owned(), home)
}

fn keys(browser: &str, more: &str) -> String {
    format!(
        "locales = [\"en-XA\"]\nengine = \"pseudo\"\nurl = \"https://{{lang}}.example.com\"\n\
         translations = \"po/{{lang}}.po\"\n[site.scripts]\ndiscover = \"chromium\"\nbrowser = \"{browser}\"\n{more}"
    )
}

const EMPTY: &str = "<!doctype html><html lang=en><meta charset=utf-8><title>Shop</title>\
    <script src=/app.js defer></script><body><div id=root></div>";

/// An application that draws itself, then adds what it fetches, and has a shadow root.
const APPLICATION: &str = "const root = document.getElementById('root');
root.innerHTML = '<h1>Bread from Tern Street</h1><p title=\"From the oven\">We bake <b>slowly</b>.</p><x-hours></x-hours>';
customElements.define('x-hours', class extends HTMLElement {
  connectedCallback() { this.attachShadow({ mode: 'open' }).innerHTML = '<p>Open until noon</p>'; }
});
fetch('/news.json').then((answer) => answer.json()).then(({ text }) => setTimeout(() => {
  root.append(Object.assign(document.createElement('p'), { textContent: text }));
}, 100));
fetch('https://elsewhere.example/').catch(() => alert('No'));";

/// A site whose one page is drawn by its script.
fn application() -> (Site, TempDir) {
    let site = Site::new(
        "",
        &[
            ("index.html", EMPTY),
            ("app.js", APPLICATION),
            ("news.json", r#"{"text":"The oven is warm"}"#),
        ],
    );
    let (program, home) = browser(&site);
    site.configure(&keys(&program, ""));
    (site, home)
}

/// The words that all pages of the locale share.
fn words(site: &Site) -> String {
    let folder = site.path("dist/site/en-XA/_latimer");
    let names = std::fs::read_dir(folder)
        .map(|files| files.map(|file| file.unwrap().file_name()))
        .into_iter()
        .flatten();
    let name = names
        .map(|name| name.into_string().unwrap())
        .find(|name| name.starts_with("words."));
    name.map(|name| site.read(&format!("dist/site/en-XA/_latimer/{name}")))
        .unwrap_or_default()
}

fn said(ran: &Ran) -> String {
    String::from_utf8_lossy(&ran.stdout).into_owned()
}

fn starts(site: &Site) -> usize {
    std::fs::read_to_string(site.path("starts")).map_or(0, |starts| starts.lines().count())
}

#[test]
fn a_browser_that_is_missing_is_said_and_takes_nothing_away() {
    let site = Site::new("", &[("index.html", EMPTY), ("app.js", APPLICATION)]);
    site.configure(&keys("/nowhere/chromium", ""));
    let report = site.build(&[], 0);
    let notices = report["notices"].to_string();
    assert!(
        notices.contains("cannot start the browser `/nowhere/chromium`"),
        "{notices}"
    );
    assert!(
        notices.contains("install Chromium, or name the program with `browser` in [site.scripts]"),
        "{notices}"
    );
    assert_eq!(report["locales"][0]["pages"], 1);
    let doctor = site.run(&["doctor"]);
    assert!(
        doctor.code != 0 && said(&doctor).contains("/nowhere/chromium"),
        "{}",
        said(&doctor)
    );
}

mod needs_chromium {
    use std::net::{TcpListener, UdpSocket};
    use std::time::Duration;

    use serde_json::json;

    use super::*;

    #[test]
    #[ignore = "needs Chromium"]
    fn what_scripts_put_in_is_translated_and_looked_for_once() {
        let (site, _home) = application();
        let report = site.build(&[], 0);
        for text in [
            "Bread from Tern Street",
            "From the oven",
            "We bake",
            "slowly",
            "Open until noon",
            "The oven is warm",
        ] {
            assert!(
                words(&site).contains(&format!("\"{text}\":")),
                "{text}: {}",
                words(&site)
            );
        }
        let notices = report["notices"].to_string();
        assert!(
            notices.contains("refused requests to other hosts: elsewhere.example;"),
            "{notices}"
        );
        assert_eq!(
            report["locales"][0]["words"]["engine"],
            json!(18),
            "{report:#}"
        );
        assert!(
            site.run(&["export", "--locale", "en-XA"]).code == 0
                && site.read("po/en-XA.po").contains("Open until noon")
        );
        let explained = site.run(&["explain", "/", "oven is warm"]);
        assert!(
            said(&explained).contains("The oven is warm"),
            "{}",
            said(&explained)
        );

        // Nothing changed: nothing is drawn again, and what was found stays.
        let first = words(&site);
        site.build(&[], 0);
        site.build(&["--offline"], 0);
        assert_eq!((starts(&site), words(&site)), (1, first.clone()));
        // What was found is in the deployment, too: without a state it is only looked for once more.
        std::fs::remove_dir_all(site.path(".latimer")).unwrap();
        site.build(&["--offline"], 0);
        assert_eq!((starts(&site), words(&site)), (1, first.clone()));
        let report = site.build(&[], 0);
        assert_eq!(
            (starts(&site), words(&site), &report["written"]),
            (2, first, &json!(0))
        );
        // Another script, other words.
        site.edit("source/app.js", "Bread from", "Cakes from");
        site.build(&[], 0);
        assert!(
            starts(&site) == 3 && words(&site).contains("\"Cakes from Tern Street\""),
            "{}",
            words(&site)
        );
        assert!(!words(&site).contains("Bread from"), "{}", words(&site));
    }

    #[test]
    #[ignore = "needs Chromium"]
    fn a_hostile_page_reaches_nobody() {
        let own = UdpSocket::bind("0.0.0.0:0").unwrap();
        // No packet is sent: it only says which address of ours others see.
        let seen = own
            .connect("192.0.2.1:9")
            .and_then(|()| own.local_addr())
            .map_or([127, 0, 0, 2].into(), |own| own.ip());
        let hosts = [
            "127.0.0.1".to_owned(),
            "localhost".to_owned(),
            seen.to_string(),
        ];
        let tcp = TcpListener::bind("0.0.0.0:0").unwrap();
        let udp = UdpSocket::bind("0.0.0.0:0").unwrap();
        let port = tcp.local_addr().unwrap().port();
        let stun = udp.local_addr().unwrap().port();
        tcp.set_nonblocking(true).unwrap();
        udp.set_read_timeout(Some(Duration::from_millis(200)))
            .unwrap();
        let page = EMPTY.replace("<title>", &prefetches(&hosts, port));
        let script = include_str!("support/hostile_page.js")
            .replace("HOSTS", &json!(hosts).to_string())
            .replace("PORT", &port.to_string())
            .replace("STUN", &stun.to_string());
        let site = Site::new(
            "",
            &[
                ("index.html", &page),
                ("app.js", &script),
                ("worker.js", &script),
            ],
        );
        let (program, _home) = browser(&site);
        site.configure(&keys(&program, ""));
        site.build(&[], 0);
        assert_eq!(starts(&site), 1);
        assert!(
            words(&site).contains("\"It ran to its end\":"),
            "{}",
            words(&site)
        );
        assert!(tcp.accept().is_err(), "a connection was made");
        assert!(udp.recv(&mut [0; 64]).is_err(), "a packet was sent");
    }

    fn prefetches(hosts: &[String], port: u16) -> String {
        let link = |host: &String| {
            [
                "preconnect",
                "dns-prefetch",
                "prefetch",
                "modulepreload",
                "manifest",
                "icon",
                "stylesheet",
            ]
            .map(|rel| format!("<link rel={rel} href=http://{host}:{port}/{rel}>"))
            .concat()
        };
        hosts.iter().map(link).collect::<String>() + "<title>"
    }
}
