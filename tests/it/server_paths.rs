//! Where on the server anything lies is nobody's business: no answer holds a path of its disk, whatever fails.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::support::api::{self, Api};
use crate::support::{Site, web};

const PAGE: &str = "<!doctype html><html lang=en><title>Bread</title><p>Fresh bread</p>";
const PO: &str = "msgid \"\"\nmsgstr \"\"\n\"Content-Type: text/plain; charset=UTF-8\\n\"\n\n";

/// What breaks in the folder that a site has for itself.
type Breaks = fn(&Path);

/// Sites, what is in their tables, and what breaks after the server was started.
const SITES: &[(&str, &str, Breaks)] = &[
    ("good", "engine = [\"pseudo\"]", |_| ()),
    ("gone", "engine = [\"pseudo\"]", |folder| {
        fs::remove_dir_all(folder.join("source")).unwrap()
    }),
    ("empty", "engine = [\"pseudo\"]", |folder| {
        fs::remove_file(folder.join("source/index.html")).unwrap()
    }),
    (
        "left-out",
        "engine = [\"pseudo\"]\nexclude = [\"/**\"]",
        |_| (),
    ),
    ("linked", "engine = [\"pseudo\"]", |folder| {
        std::os::unix::fs::symlink("/etc/hostname", folder.join("source/out.html")).unwrap();
        std::os::unix::fs::symlink("/nonexistent/page", folder.join("source/broken.html")).unwrap();
    }),
    (
        "large",
        "engine = [\"pseudo\"]\ncrawl = { max_page_bytes = 100 }",
        |folder| {
            fs::write(
                folder.join("source/large.html"),
                format!("{PAGE}{}", "x".repeat(200)),
            )
            .unwrap();
        },
    ),
    (
        "torn-po",
        "engine = [\"pseudo\"]\ntranslations = \"torn-po/{lang}.po\"",
        |folder| {
            fs::write(folder.join("es.po"), "msgid \"a\"\nmsgstr nothing\n").unwrap();
        },
    ),
    (
        "refused-po",
        "engine = [\"pseudo\"]\ntranslations = \"refused-po/{lang}.po\"",
        |folder| {
            fs::write(
                folder.join("source/index.html"),
                format!("{PAGE}<p>See <a href=/>all of it</a>"),
            )
            .unwrap();
            let entry =
                "msgid \"See <a id=\\\"1\\\">all of it</a>\"\nmsgstr \"Mira <b id=\\\"7\\\">\"\n";
            let plain = "\nmsgid \"Fresh bread\"\nmsgstr \"Pan <a id=\\\"3\\\">fresco</a>\"\n";
            fs::write(folder.join("es.po"), format!("{PO}{entry}{plain}")).unwrap();
        },
    ),
    (
        "po-is-folder",
        "engine = [\"pseudo\"]\ntranslations = \"po-is-folder/{lang}.po\"",
        |folder| {
            fs::create_dir(folder.join("es.po")).unwrap();
        },
    ),
    (
        "memory",
        "engine = [\"pseudo\"]\nmemory = \"memory/{lang}.jsonl\"",
        |folder| {
            fs::create_dir(folder.join("es.jsonl")).unwrap();
        },
    ),
    (
        "glossary",
        "engine = [\"pseudo\"]\nglossary = \"glossary/terms.csv\"",
        |folder| {
            let _ = fs::remove_file(folder.join("terms.csv"));
        },
    ),
    (
        "slugs",
        "engine = [\"pseudo\"]\nslugs = \"slugs/{lang}.csv\"",
        |folder| {
            fs::write(folder.join("es.csv"), "nothing,that,is\na\npath\n").unwrap();
        },
    ),
    (
        "templates",
        "engine = [\"pseudo\"]\nhtml = { templates = \"templates/own\" }",
        |folder| {
            fs::write(
                folder.join("own/notice.html"),
                "{{ nothing.of.this }}{% if %}",
            )
            .unwrap();
        },
    ),
    ("absent", "engine = [\"absent\"]", |_| ()),
    ("dying", "engine = [\"dying\"]", |_| ()),
    ("keyless", "engine = [\"keyless\"]", |_| ()),
    ("modelless", "engine = [\"modelless\"]", |_| ()),
];

const ENGINES: &str = "[engine.absent]\nkind = \"command\"\nprogram = \"/nonexistent/engine\"\nargs = [\"--of\", \"ours\"]\n\
                       [engine.dying]\nkind = \"command\"\nprogram = \"/bin/sh\"\nargs = [\"-c\", \"exit 3\"]\n\
                       [engine.keyless]\nkind = \"deepl\"\nkey_file = \"gone.key\"\n\
                       [engine.modelless]\nkind = \"fx\"\nmodels = \"no-models\"\n\
                       [preview]\nallow_private = true\n";

/// A server, and everything that was heard of it.
struct Heard {
    server: Api,
    token: String,
    folder: String,
}

impl Heard {
    fn serve(site: &Site) -> Api {
        let mut server = Api::start(site.folder());
        // It says the names of its sites, which are not known everywhere.
        server.address = format!("127.0.0.1:{}", server.address.rsplit(':').next().unwrap());
        server
    }

    /// Ends the server and starts another one, with something between.
    fn restart(self, site: &Site, between: impl FnOnce()) -> Self {
        self.server.stop();
        between();
        Self {
            server: Self::serve(site),
            ..self
        }
    }

    /// No path of this machine, however a system writes it.
    #[track_caller]
    fn check(&self, case: &str, answer: &str) {
        let answer = answer.to_lowercase();
        let roots = [
            "/tmp/",
            "/root/",
            "/home/",
            "/usr/",
            "/var/",
            "/etc/",
            "/bin/",
            "/proc/",
            "/nonexistent",
            "/dev/",
        ];
        let own = self.folder.to_lowercase();
        let names = [
            own.as_str(),
            "gone.key",
            "jwt.secret",
            ".latimer",
            "state.redb",
            "no-models",
        ];
        for path in roots.iter().chain(&names) {
            let at = answer.find(path);
            let shown = at.map(|at| {
                answer
                    .get(at.saturating_sub(200)..(at + 100).min(answer.len()))
                    .unwrap_or(&answer)
            });
            assert!(
                at.is_none(),
                "{case} tells {path}: {}",
                shown.unwrap_or_default()
            );
        }
    }

    #[track_caller]
    fn call(&self, method: &str, path: &str, body: &str) -> api::Answer {
        let answer = self.server.call(method, path, &self.token, body);
        self.check(
            &format!("{method} {path}"),
            &format!("{}\n\n{}", answer.head, answer.json),
        );
        answer
    }

    #[track_caller]
    fn follow(&self, path: &str) -> String {
        let told = api::follow(
            &self.server.address,
            path,
            &format!("Authorization: Bearer {}\r\n", self.token),
        );
        self.check(&format!("the stream {path}"), &told);
        told
    }

    /// Everything that is read of a site.
    fn read(&self, site: &str) {
        for path in [
            "",
            "/runs",
            "/pages",
            "/deployments",
            "/translation-summaries",
            "/switcher-snippets",
            "/usage",
        ] {
            self.call("GET", &format!("/api/sites/{site}{path}"), "");
        }
        for path in [
            "explanation?page=/",
            "explanation?page=/nothing",
            "locales/es/translations?prefill=true",
        ] {
            self.call("GET", &format!("/api/sites/{site}/{path}"), "");
        }
    }

    /// Orders a run and hears of it until it is over; gives it.
    fn run(&self, site: &str) -> Value {
        let order = json!({ "targetLangs": ["es"], "force": true }).to_string();
        let ordered = self.call(
            "POST",
            &format!("/api/sites/{site}/crawl-translate"),
            &order,
        );
        let run = ordered
            .header("location")
            .unwrap_or_else(|| panic!("{site}: {}", ordered.json))
            .to_owned();
        self.follow(&format!("{run}/stream"));
        let planned = self.call(
            "POST",
            &format!("/api/sites/{site}/plan"),
            "{\"targetLangs\":[\"es\"]}",
        );
        if let Some(plan) = planned.header("location") {
            self.follow(&format!("{plan}/stream"));
        }
        self.call("POST", &format!("{run}/cancel"), "");
        self.call("POST", &format!("{run}/accept"), "");
        self.call("GET", &run, "").json
    }

    fn preview(&self, url: &str) -> Value {
        let body = json!({ "sourceUrl": url, "sourceLang": "en", "targetLang": "es" }).to_string();
        let ordered = self.call("POST", "/api/previews", &body);
        self.follow(ordered.json["streamUrl"].as_str().unwrap());
        let page = web::exchange(
            &self.server.address,
            format!(
                "GET {} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
                ordered.json["previewUrl"].as_str().unwrap()
            )
            .as_bytes(),
        );
        self.check(url, &page);
        self.call("GET", ordered.header("location").unwrap(), "")
            .json
    }

    /// A page, and what health checks say.
    fn look(&self, host: &str) {
        for path in ["/", "/nothing", "/_health/ready"] {
            let request =
                format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
            self.check(
                &format!("{host}{path}"),
                &web::exchange(&self.server.address, request.as_bytes()),
            );
        }
    }

    /// Everything that is asked and ordered of a site, whatever becomes of it.
    fn all(&self) {
        self.look("good.example");
        self.read("good");
        // It waits until the store is back.
        let order = json!({ "targetLangs": ["es"] }).to_string();
        let ordered = self.call("POST", "/api/sites/good/crawl-translate", &order);
        if let Some(run) = ordered.header("location") {
            self.call("GET", run, "");
            self.call("POST", &format!("{run}/cancel"), "");
        }
        self.preview("https://good.example/");
        let put =
            json!({ "sourceUrl": "https://new.example/", "sourceLocale": "en", "targetLangs": ["es"] }).to_string();
        for (method, path, body) in [
            ("PUT", "/api/sites/new", put.as_str()),
            ("DELETE", "/api/sites/new", ""),
            (
                "POST",
                "/api/sites/good/locales/es/serve",
                "{\"enabled\":false}",
            ),
            (
                "PUT",
                "/api/sites/good/locales/es/translation-summary",
                "{\"frequency\":\"daily\"}",
            ),
            (
                "PUT",
                "/api/digests/subscription",
                "{\"email\":\"ana@example.com\",\"frequency\":\"weekly\"}",
            ),
            ("POST", "/api/reload", ""),
            ("GET", "/api/openapi.json", ""),
            ("GET", "/api/sites", ""),
        ] {
            self.call(method, path, body);
        }
    }
}

/// A server with all the sites, while everything is still there.
fn start() -> (Site, Heard) {
    let site = Site::new(
        "locales = [\"es\"]\nengine = [\"pseudo\"]",
        &[("index.html", PAGE)],
    );
    let mut text = site.read("latimer.toml");
    for (id, keys, _) in SITES {
        text.push_str(&format!(
            "[[site]]\nid = \"{id}\"\nsource = \"{id}/source\"\nsource_locale = \"en\"\nlocales = [\"es\"]\n\
             url = \"https://{id}.example/{{lang}}\"\n{keys}\n"
        ));
        site.write(&format!("{id}/source/index.html"), PAGE);
    }
    site.write("glossary/terms.csv", "en,es\nbread,pan\n");
    site.write("templates/own/notice.html", "<p>{{ message }}</p>");
    site.write("latimer.toml", &format!("{text}{ENGINES}"));
    api::give_api(&site, api::NO_LIMITS);
    let server = Heard::serve(&site);
    let token = api::token(site.folder(), "ana", "*");
    let folder = site.folder().canonicalize().unwrap().display().to_string();
    (
        site,
        Heard {
            server,
            token,
            folder,
        },
    )
}

#[test]
fn no_answer_tells_where_anything_lies() {
    let (site, heard) = start();
    heard.run("site");
    let mut codes = Vec::new();
    for (id, _, breaks) in SITES {
        breaks(&site.path(id));
        let run = heard.run(id);
        let said = [&run["failures"], &run["warnings"]]
            .map(|list| list.as_array().cloned().unwrap_or_default());
        let code = said
            .concat()
            .first()
            .map(|said| said["code"].as_str().unwrap().to_owned());
        codes.push(format!(
            "{id}: {}",
            code.unwrap_or_else(|| run["outcome"].as_str().unwrap().to_owned())
        ));
        heard.read(id);
        heard.look(&format!("{id}.example"));
        heard.preview(&format!("https://{id}.example/"));
    }
    println!("{}", codes.join("\n"));
    for path in [
        "/api/engines",
        "/api/me",
        "/api/openapi.json",
        "/api/digests/subscription",
    ] {
        heard.call("GET", path, "");
    }
    for url in [
        "https://good.example/none",
        "http://127.0.0.1:1/",
        "http://nobody.invalid/",
        "http://[::",
        "https://a..b:9/",
    ] {
        let preview = heard.preview(url);
        assert_eq!(preview["status"], "failed", "{preview}");
    }
    for (case, edit) in [
        ("an unknown key", "nonsense = 1\n"),
        (
            "a key of another table",
            "[store]\nsource = \"/etc/passwd\"\n",
        ),
        (
            "no templates",
            "[[site]]\nid = \"more\"\nsource = \"more\"\nsource_locale = \"en\"\nhtml = { templates = \"nowhere\" }\n",
        ),
        (
            "no source",
            "[[site]]\nid = \"more\"\nsource = \"/nonexistent\"\nsource_locale = \"en\"\nlocales = [\"es\"]\n",
        ),
        (
            "no engine",
            "[[site]]\nid = \"more\"\nsource = \"more\"\nsource_locale = \"en\"\nengine = \"/nonexistent\"\n",
        ),
    ] {
        let good = site.read("latimer.toml");
        site.write("latimer.toml", &format!("{edit}{good}"));
        heard.call("POST", "/api/reload", "");
        site.write("latimer.toml", &format!("{good}{edit}"));
        let answer = heard.call("POST", "/api/reload", "");
        println!("{case}: {} {}", answer.status, answer.json);
        site.write("latimer.toml", &good);
    }
    for name in ["jwt.secret", "latimer.toml"] {
        let text = site.read(name);
        fs::remove_file(site.path(name)).unwrap();
        assert_eq!(heard.call("POST", "/api/reload", "").status, 409, "{name}");
        site.write(name, &text);
    }
}

#[test]
fn no_answer_tells_where_a_store_or_state_lay_that_is_gone() {
    let (site, heard) = start();
    heard.run("site");
    heard.run("good");
    fs::rename(site.path("dist"), site.path("moved")).unwrap();
    heard.all();
    fs::write(site.path("dist"), "no folder").unwrap();
    heard.all();
}

const NOTES: usize = 4000;

/// Damages what is kept of long notes. With a damaged page, instead of what stands on it, no server would start.
fn damage(state: &Path) {
    let mut bytes = fs::read(state).unwrap();
    let notes = [b'x'; NOTES];
    let mut at = 0;
    while let Some(found) = bytes[at..]
        .windows(NOTES)
        .position(|window| window == notes)
    {
        bytes[at + found..at + found + NOTES].fill(0xa5);
        at += found + NOTES;
    }
    fs::write(state, bytes).unwrap();
}

#[test]
fn no_answer_tells_where_a_damaged_state_lies() {
    let (site, heard) = start();
    heard.run("good");
    heard.all();
    // So much for each site that it has a page of the file to itself.
    let summary = json!({ "summary": { "notes": "x".repeat(NOTES) } }).to_string();
    for (id, _, _) in SITES {
        heard.call(
            "PUT",
            &format!("/api/sites/{id}/locales/es/translation-summary"),
            &summary,
        );
    }
    let heard = heard.restart(&site, || {
        damage(&site.path(".latimer/state.redb"));
    });
    for (id, _, _) in SITES {
        let answer = heard.call("GET", &format!("/api/sites/{id}/translation-summaries"), "");
        assert_eq!(
            (answer.status, &answer.json["details"]["code"]),
            (500, &json!("internal")),
            "{id}: {}",
            answer.json
        );
    }
    heard.all();
    heard.call("GET", "/api/digests/next", "");
    heard.look("good.example");
}
