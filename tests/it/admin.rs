//! The admin screen: who gets in, whose forms are taken, what each session may do, and how it looks in a browser.

use crate::support::api::{Api, free_address};
use crate::support::{self, Site, web};

mod needs_chromium;
mod screens;

/// The bakery with an API and an admin screen at an address of its own.
struct Screen {
    site: Site,
    server: Api,
    address: String,
}

/// What the screen answered.
struct Answer {
    status: u16,
    head: String,
    body: String,
}

impl Answer {
    fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines
            .filter(|(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, value)| value)
            .next()
    }
}

const OWN: &str = "Sec-Fetch-Site: same-origin\r\n";

impl Screen {
    fn new() -> Self {
        let site = Site::fixture("bakery");
        let address = free_address();
        let more = format!(
            "{}\n[admin]\nlisten = \"{address}\"\n[webhooks]\nallow_private = true\n[publish.live]\nkind = \"folder\"\nhost = \"nginx\"\n\
             to = \"www\"\n",
            support::api::NO_LIMITS
        );
        support::api::give_api(&site, &more);
        site.build(&[], 0);
        let server = Api::start(site.folder());
        Self {
            site,
            server,
            address,
        }
    }

    fn send(&self, request: &str) -> Answer {
        let text = web::exchange(&self.address, request.as_bytes());
        let (head, body) = text
            .split_once("\r\n\r\n")
            .unwrap_or_else(|| panic!("{text}"));
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Answer {
            status,
            head: head.to_owned(),
            body: body.to_owned(),
        }
    }

    fn get(&self, path: &str, headers: &str) -> Answer {
        self.send(&format!(
            "GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n{headers}\r\n",
            self.address
        ))
    }

    fn post(&self, path: &str, headers: &str, fields: &str) -> Answer {
        self.send(&format!(
            "POST {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Type: application/x-www-form-urlencoded\r\n\
             Content-Length: {}\r\n{headers}\r\n{fields}",
            self.address,
            fields.len()
        ))
    }

    /// A one-time code, with these scopes or all.
    fn code(&self, more: &[&str]) -> String {
        let ran = self.site.run(&[&["admin", "login"], more].concat());
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let address = String::from_utf8(ran.stdout).unwrap();
        let (start, code) = address.trim().split_once("login?code=").unwrap();
        assert_eq!(start, format!("http://{}/", self.address));
        code.to_owned()
    }

    /// Signs in; gives the header that says so.
    fn session(&self, more: &[&str]) -> String {
        let signed = self.post("/login", OWN, &format!("code={}", self.code(more)));
        assert_eq!(
            (signed.status, signed.header("location")),
            (303, Some("/")),
            "{}",
            signed.body
        );
        let cookie = signed.header("set-cookie").unwrap();
        assert!(
            cookie.ends_with("; HttpOnly; SameSite=Lax; Path=/"),
            "{cookie}"
        );
        format!("Cookie: {}\r\n", cookie.split(';').next().unwrap())
    }
}

/// Every form of the screen, with the scope that its operation wants.
fn actions(run: &str, webhook: &str) -> Vec<(String, &'static str, &'static str)> {
    let site = |path: &str| format!("/sites/bakery/{path}");
    vec![
        (site("build"), "", "crawl:write"),
        (site("plan"), "", "crawl:write"),
        (site("audit"), "", "crawl:write"),
        ("/access/doctor".to_owned(), "", "admin:read"),
        (site("publish/live"), "", "publish:write"),
        (site("locales/es/serve"), "enabled=false", "serve:write"),
        (site("locales/es/serve"), "enabled=true", "serve:write"),
        (
            site(&format!("deployments/{run}/activate")),
            "",
            "deploy:write",
        ),
        (site(&format!("runs/{run}/cancel")), "", "crawl:write"),
        (site(&format!("runs/{run}/accept")), "", "crawl:write"),
        (
            site("webhooks"),
            "url=http%3A%2F%2F127.0.0.1%3A9%2F&event=run.failed",
            "webhooks:write",
        ),
        (
            site(&format!("webhooks/{webhook}/secret")),
            "",
            "webhooks:write",
        ),
        (
            site(&format!("webhooks/{webhook}/test")),
            "",
            "webhooks:write",
        ),
        (
            site(&format!("webhooks/{webhook}/off")),
            "",
            "webhooks:write",
        ),
        (
            site(&format!("webhooks/{webhook}/on")),
            "",
            "webhooks:write",
        ),
        (
            site(&format!("webhooks/{webhook}/redeliver")),
            "",
            "webhooks:write",
        ),
        (
            site(&format!(
                "webhooks/{webhook}/deliveries/msg_{webhook}/redeliver"
            )),
            "",
            "webhooks:write",
        ),
        (
            site(&format!("webhooks/{webhook}/delete")),
            "",
            "webhooks:write",
        ),
        (
            "/digest".to_owned(),
            "email=ana%40example.com&frequency=weekly",
            "digest:write",
        ),
        (
            "/previews".to_owned(),
            "sourceUrl=https%3A%2F%2Flatimer.invalid%2F&sourceLang=en&targetLang=es",
            "preview:write",
        ),
        (format!("/previews/{run}/delete"), "", "preview:write"),
        (site("texts/undo"), "lang=es&batch=1", "translations:review"),
    ]
}

#[test]
fn whoever_is_not_signed_in_sees_nothing_and_a_code_is_used_once() {
    let screen = Screen::new();
    for path in ["/", "/sites/bakery", "/sites/bakery/webhooks", "/access"] {
        let answer = screen.get(path, "Cookie: latimer_admin=0123\r\n");
        let to = answer.header("location").unwrap();
        assert_eq!(
            (
                answer.status,
                to.split('?').next().unwrap(),
                answer.body.as_str()
            ),
            (303, "/login", ""),
            "{path}"
        );
    }
    let code = screen.code(&[]);
    // Looking at the address uses nothing up: mail programs look at links.
    for _ in 0..2 {
        assert_eq!(screen.get(&format!("/login?code={code}"), "").status, 200);
    }
    let signed = screen.post(
        "/login",
        OWN,
        &format!("code={code}&next=%2Fsites%2Fbakery"),
    );
    assert_eq!(
        (signed.status, signed.header("location")),
        (303, Some("/sites/bakery"))
    );
    let again = screen.post("/login", OWN, &format!("code={code}"));
    assert!(
        again.status == 200
            && again.header("set-cookie").is_none()
            && again.body.contains("role=\"alert\"")
    );
    // Nobody is led elsewhere.
    for next in [
        "%2F%2Fevil.example",
        "https%3A%2F%2Fevil.example",
        "%2F%5Cevil.example",
        "%2F%09%2Fevil.example",
    ] {
        let signed = screen.post(
            "/login",
            OWN,
            &format!("code={}&next={next}", screen.code(&[])),
        );
        assert_eq!(signed.header("location"), Some("/"), "{next}");
    }
    let token = support::api::token(screen.site.folder(), "ana", "bakery");
    assert_eq!(
        screen.post("/login", OWN, &format!("token={token}")).status,
        303
    );
    // A proxy passes the token with every request.
    assert!(
        screen
            .get("/", &format!("Authorization: Bearer {token}\r\n"))
            .body
            .contains("bakery")
    );
    // The code is no token, nor does a session open the API.
    let session = screen.session(&[]);
    let api = format!("GET /api/sites HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{session}\r\n");
    assert!(web::exchange(&screen.server.address, api.as_bytes()).starts_with("HTTP/1.1 401 "));
    assert_eq!(
        screen
            .server
            .call("GET", "/api/sites", &screen.code(&[]), "")
            .status,
        401
    );
    let out = screen.post("/logout", &format!("{OWN}{session}"), "");
    assert!(out.header("set-cookie").unwrap().contains("Max-Age=0"));
    assert_eq!(screen.get("/", &session).status, 303);
}

#[test]
fn forms_of_other_origins_are_refused_and_looking_changes_nothing() {
    let screen = Screen::new();
    let session = screen.session(&[]);
    let host = &screen.address;
    let port = host.split(':').next_back().unwrap();
    let forged = [
        String::new(),
        "Sec-Fetch-Site: same-site\r\n".to_owned(),
        "Sec-Fetch-Site: cross-site\r\n".to_owned(),
        "Sec-Fetch-Site: none\r\n".to_owned(),
        "Sec-Fetch-Site: same-site\r\nOrigin: http://127.0.0.1:1\r\n".to_owned(),
        format!("Sec-Fetch-Site: same-site\r\nOrigin: http://{host}\r\n"),
        "Origin: http://127.0.0.1:1\r\n".to_owned(),
        format!("Origin: http://sub.127.0.0.1:{port}\r\n"),
        format!("Origin: https://{host}\r\n"),
        "Origin: null\r\n".to_owned(),
        format!("Referer: http://{host}/\r\n"),
        format!(
            "Sec-Fetch-Site: same-origin\r\nSec-Fetch-Site: cross-site\r\nOrigin: http://{host}\r\n"
        ),
    ];
    let none = "01939f1c-0000-7000-8000-000000000000";
    let before = screen
        .server
        .call("GET", "/api/sites/bakery/runs", &token(&screen), "")
        .json["total"]
        .clone();
    for headers in forged {
        for (path, fields, _) in actions(none, none) {
            let answer = screen.post(&path, &format!("{session}{headers}"), fields);
            assert_eq!(answer.status, 403, "{path} with {headers:?}");
        }
        assert_eq!(
            screen.post("/login", &headers, "code=0").status,
            403,
            "{headers:?}"
        );
    }
    for (path, _, _) in actions(none, none) {
        assert!(
            matches!(screen.get(&path, &session).status, 404 | 200),
            "{path}"
        );
    }
    let after = screen
        .server
        .call("GET", "/api/sites/bakery/runs", &token(&screen), "")
        .json["total"]
        .clone();
    assert_eq!(before, after);
    // Without Fetch Metadata the origin counts, as old browsers send it.
    let own = format!("{session}Origin: http://{host}\r\n");
    assert_eq!(
        screen
            .post("/sites/bakery/locales/es/serve", &own, "enabled=false")
            .status,
        303
    );
    // Another name for the machine is another host.
    let elsewhere = format!(
        "GET / HTTP/1.1\r\nHost: evil.example:{port}\r\nConnection: close\r\n{session}\r\n"
    );
    assert!(web::exchange(host, elsewhere.as_bytes()).starts_with("HTTP/1.1 400 "));
}

fn token(screen: &Screen) -> String {
    support::api::token(screen.site.folder(), "ana", "*")
}

#[test]
fn a_session_does_what_its_scopes_allow_and_sees_its_sites() {
    let screen = Screen::new();
    let all = screen.session(&[]);
    let added = screen.server.call(
        "POST",
        "/api/sites/bakery/webhooks",
        &token(&screen),
        r#"{"url":"http://127.0.0.1:9/"}"#,
    );
    let webhook = added.json["webhookId"].as_str().unwrap().to_owned();
    let none = "01939f1c-0000-7000-8000-000000000000";
    let known = support::api::SCOPES;
    for (path, fields, scope) in actions(none, &webhook) {
        let others: Vec<_> = known
            .split_whitespace()
            .filter(|known| *known != scope)
            .collect();
        let poor = screen.session(&["--sub", "poor", "--scope", &others.join(" ")]);
        let answer = screen.post(&path, &format!("{OWN}{poor}"), fields);
        assert_eq!(answer.status, 403, "{path} without {scope}");
        let foreign = screen.session(&["--sub", "foreign", "--site", "elsewhere"]);
        let answer = screen.post(&path, &format!("{OWN}{foreign}"), fields);
        assert!(
            !path.starts_with("/sites/") || answer.status == 404,
            "{path} of another site: {}",
            answer.status
        );
    }
    for (path, fields, _) in actions(none, &webhook) {
        let answer = screen.post(&path, &format!("{OWN}{all}"), fields);
        // What names nothing that is there is said so.
        let is_unknown = path.contains(none) || path.contains("msg_");
        let expected: &[u16] = if is_unknown { &[404] } else { &[200, 303] };
        assert!(
            expected.contains(&answer.status),
            "{path}: {} {}",
            answer.status,
            answer.body
        );
        for secret in ["Bearer", "whsec_"]
            .iter()
            .filter(|_| !path.contains("webhook"))
        {
            assert!(!answer.body.contains(secret), "{path}");
        }
    }
    // What a session of one subject sees of the others.
    let ana = screen.session(&["--sub", "ana", "--scope", "sites:read"]);
    let shown = screen.get("/access", &ana).body;
    assert!(
        shown.contains("ana") && !shown.contains(">owner<"),
        "{shown}"
    );
    assert!(screen.get("/access", &all).body.contains(">ana<"));
}

#[test]
fn the_screen_has_an_origin_of_its_own_or_is_not_there() {
    let site = Site::fixture("bakery");
    support::api::give_api(&site, "[admin]\nlisten = \"127.0.0.1:8080\"\n");
    site.run(&["build"])
        .failed(2, &["origin of its own", "127.0.0.1:8080"]);
    let site = Site::fixture("bakery");
    support::api::give_api(&site, "[admin]\nhosts = [\"admin.example.com\"]\n");
    site.run(&["build"]).failed(2, &["`hosts` needs `url`"]);
    let text = site.read("latimer.toml").replace(
        "hosts = [\"admin",
        "url = \"https://admin.example.com\"\nhosts = [\"admin",
    );
    site.write("latimer.toml", &text);
    site.build(&[], 0);
    let server = Api::start(site.folder());
    let at = |host: &str| {
        let request = format!("GET /login HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        web::exchange(&server.address, request.as_bytes())
    };
    let shown = at("admin.example.com");
    assert!(
        shown.starts_with("HTTP/1.1 200 ") && shown.contains("frame-ancestors 'none'"),
        "{shown}"
    );
    assert!(at("other.example.com").starts_with("HTTP/1.1 404 "));
    drop(server);
    let text = site
        .read("latimer.toml")
        .replace("[\"admin.example.com\"]", "[\"www.heronandrye.example\"]");
    site.write("latimer.toml", &text);
    site.run(&["serve", "--listen", "127.0.0.1:0"])
        .failed(2, &["origin of its own", "bakery"]);
}
