//! The example dashboard in a browser: it drives a running server from another origin.
//!
//! The page is served as it stands in the repository, with one script added that uses it. The browser's load event
//! waits for an image that comes when the script is done, so a picture shows the end. `PICTURES=FOLDER` keeps it.

use std::process::{Command, Stdio};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Condvar, Mutex};

use serde_json::{Value, json};

use crate::support::api::{self, Api};
use crate::support::web::{Loopback, PATIENCE, Reply, Request};
use crate::support::{self, Site, repository};

const DRIVER: &str = include_str!("support/dashboard_driver.js");

/// What serves the dashboard.
struct Host {
    settings: Mutex<Value>,
    seen: Sender<Value>,
    over: (Mutex<bool>, Condvar),
}

impl Host {
    fn end(&self) {
        *self.over.0.lock().unwrap() = true;
        self.over.1.notify_all();
    }

    /// Answers one request; `None` if there is no such file.
    fn answer(&self, request: &Request) -> Option<Reply> {
        let (kind, bytes) = match request.path.as_str() {
            "/seen" => {
                let seen = serde_json::from_slice(&request.body).unwrap();
                self.seen.send(seen).ok()?;
                ("text/plain", Vec::new())
            }
            "/settings.json" => (
                "application/json",
                self.settings.lock().unwrap().to_string().into_bytes(),
            ),
            "/driver.js" => ("text/javascript", DRIVER.as_bytes().to_vec()),
            "/wait.svg" => {
                let _over = self
                    .over
                    .1
                    .wait_while(self.over.0.lock().unwrap(), |over| !*over)
                    .unwrap();
                (
                    "image/svg+xml",
                    b"<svg xmlns='http://www.w3.org/2000/svg'/>".to_vec(),
                )
            }
            path => file(path)?,
        };
        Some(Reply::new(200, bytes).with(&format!("Content-Type: {kind}")))
    }
}

/// A file of the dashboard; its page with the script that uses it.
fn file(path: &str) -> Option<(&'static str, Vec<u8>)> {
    let name = if path == "/" {
        "index.html"
    } else {
        path.trim_start_matches('/')
    };
    let mut bytes = std::fs::read(repository().join("fixtures/dashboard").join(name)).ok()?;
    let kind = match name.rsplit('.').next()? {
        "html" => {
            let with = "<img src=\"/wait.svg\" alt=\"\" width=\"1\"><script type=\"module\" src=\"/driver.js\"></script></body>";
            bytes = String::from_utf8(bytes)
                .ok()?
                .replace("</body>", with)
                .into_bytes();
            "text/html; charset=utf-8"
        }
        "js" => "text/javascript",
        _ => "text/css",
    };
    Some((kind, bytes))
}

mod needs_chromium {
    use super::*;

    #[test]
    #[ignore = "needs Chromium"]
    fn example_dashboard_drives_a_server_of_another_origin() {
        let (sender, seen) = channel();
        let host = Arc::new(Host {
            settings: Mutex::default(),
            seen: sender,
            over: (Mutex::new(false), Condvar::new()),
        });
        let serving = Arc::clone(&host);
        let origin = Loopback::start(move |request| serving.answer(request)).address;
        let site = Site::fixture("bakery");
        api::give_api(
            &site,
            &format!(
                "cors_origins = [\"{origin}\"]\n\n[preview]\nallow_private = true\nengine = [\"pseudo\"]\n"
            ),
        );
        site.build(&[], 0);
        let server = Api::start(site.folder());
        let token = api::token(site.folder(), "ana", "bakery");
        let address = format!("http://{}", server.address);
        let page = format!("{address}/menu/");
        *host.settings.lock().unwrap() = json!({ "server": address, "token": token, "page": page });
        let profile = tempfile::TempDir::new().unwrap();
        let pictures =
            std::env::var("PICTURES").unwrap_or_else(|_| profile.path().display().to_string());
        let mut browser = Command::new("chromium");
        browser.args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
        ]);
        browser.args([
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
        ]);
        browser.arg(format!("--user-data-dir={}", profile.path().display()));
        browser.args([
            "--window-size=1000,1100",
            &format!("--screenshot={pictures}/dashboard.png"),
            &format!("{origin}/"),
        ]);
        let mut browser = browser
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let seen = seen
            .recv_timeout(PATIENCE)
            .expect("the dashboard comes to an end");
        host.end();
        browser.wait().unwrap();
        assert_eq!(seen["error"], Value::Null, "{seen:#}");
        assert_eq!(
            seen["locales"],
            json!(["es", "ar", "ja", "en-XA"]),
            "{seen:#}"
        );
        assert!(
            seen["events"].as_u64().unwrap() >= 2,
            "progress is live: {seen:#}"
        );
        assert!(
            seen["stages"]
                .as_array()
                .unwrap()
                .contains(&json!("render 14 of 14")),
            "{seen:#}"
        );
        assert_eq!(
            (&seen["off"], &seen["on"]),
            (&json!("disabled"), &json!("serving"))
        );
        assert_eq!(
            (&seen["preview"], &seen["trouble"]),
            (&json!("ready"), &Value::Null),
            "{seen:#}"
        );
        let preview = seen["previewUrl"].as_str().unwrap();
        let path = preview
            .strip_prefix(&address)
            .expect("the preview is on the server");
        let preview = support::web::get(&server.address, path);
        assert_eq!(preview.status, 200);
        assert!(
            preview.text().contains(&format!("{address}/")),
            "its style sheets lead to the source"
        );
    }
}
