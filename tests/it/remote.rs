//! The command line while a server has the state: `--server` lets the server do it.

use std::process::Stdio;

use serde_json::Value;

use crate::support::api::{self, Api};
use crate::support::recorder::Recorder;
use crate::support::{self, Site};

const PO: &str = "msgid \"\"\nmsgstr \"\"\n\"Content-Type: text/plain; charset=UTF-8\\n\"\n\n";

/// Code, standard output and standard error of a command that goes to a server, run in an empty folder.
fn ask(address: &str, token: &str, arguments: &[&str]) -> (i32, String, String) {
    let elsewhere = tempfile::TempDir::new().unwrap();
    let mut command = support::command(elsewhere.path());
    command
        .args(arguments)
        .args(["--server", address])
        .env("LATIMER_TOKEN", token)
        .stdin(Stdio::null());
    let output = command.output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (
        output.status.code().unwrap(),
        text(&output.stdout),
        text(&output.stderr),
    )
}

#[test]
fn server_builds_and_switches_for_the_command_line_with_the_same_exit_codes() {
    let site = Site::new(
        "locales = [\"es\", \"de\"]\nengine = [\"pseudo\"]\nurl = \"https://www.example.com/{lang}\"",
        &[("index.html", "<p>One</p>")],
    );
    api::give_api(&site, api::NO_LIMITS);
    let server = Api::start(site.folder());
    let token = api::token(site.folder(), "ana", "*");
    let address = format!("http://{}", server.address);
    let page = |path: &str| support::web::get(&server.address, path).status;

    // Without --server a build says what to do.
    site.run(&["build"])
        .failed(1, &["in use by", "--server URL"]);
    let (code, said, trouble) = ask(&address, &token, &["build"]);
    assert_eq!((code, page("/es/")), (0, 200), "{said}{trouble}");
    assert!(
        said.contains("completed") && said.contains("deployment ") && trouble.contains("publish"),
        "{said}{trouble}"
    );
    let (code, said, _) = ask(
        &address,
        &token,
        &[
            "build", "site", "--locale", "es", "--force", "--json", "--quiet",
        ],
    );
    let report: Value = serde_json::from_str(&said).unwrap();
    let run = &report["sites"][0]["run"];
    assert_eq!(
        (code, &run["status"], &run["targetLangs"]),
        (0, &"completed".into(), &serde_json::json!(["es"]))
    );
    assert!(run["charactersSent"].as_u64().unwrap() > 0, "{run}");

    let (code, said, trouble) = ask(&address, &token, &["locale", "site", "de", "off"]);
    assert_eq!((code, page("/de/")), (0, 307), "{said}{trouble}");
    assert!(
        said.contains("site de: off") && said.contains("completed"),
        "{said}"
    );

    std::fs::rename(site.path("source"), site.path("away")).unwrap();
    let (code, said, _) = ask(&address, &token, &["build"]);
    assert!(code == 1 && said.contains("source_failed"), "{said}");
}

#[test]
fn token_goes_to_no_proxy_of_the_environment_for_this_machine() {
    let proxy = Recorder::start();
    let ask = |address: &str| {
        let elsewhere = tempfile::TempDir::new().unwrap();
        let mut command = support::command(elsewhere.path());
        proxy.give_to(&mut command);
        command
            .args(["plan", "--server", address])
            .env("LATIMER_TOKEN", "hush")
            .stdin(Stdio::null());
        assert_eq!(
            command.output().unwrap().status.code(),
            Some(1),
            "{address}"
        );
        proxy.heads()
    };
    for host in [
        "127.0.0.1",
        "127.1",
        "localhost",
        "es.localhost",
        "[::1]",
        "[::ffff:127.0.0.1]",
    ] {
        assert_eq!(
            ask(&format!("http://{host}:9/")),
            Vec::<String>::new(),
            "{host}"
        );
    }
    // The proxy would have noted it.
    assert!(ask("http://latimer.invalid/")[0].starts_with("GET http://latimer.invalid/api/sites"));
}

#[test]
fn plan_comes_from_the_server_that_has_the_state_and_sends_nothing() {
    let engine = "[engine.dear]\nkind = \"pseudo\"\nprice_per_million = 20";
    let pages = [("index.html", "<p>One</p><p>Fresh bread</p>")];
    let site = Site::new(
        &format!("locales = [\"es\"]\nengine = [\"dear\"]\n{engine}"),
        &pages,
    );
    let here = String::from_utf8(site.run(&["plan", "--quiet"]).stdout).unwrap();
    api::give_api(&site, api::NO_LIMITS);
    let server = Api::start(site.folder());
    let token = api::token(site.folder(), "ana", "*");
    let address = format!("http://{}", server.address);
    site.run(&["plan"])
        .failed(1, &["in use by", "--server URL"]);
    let (code, said, trouble) = ask(&address, &token, &["plan", "--quiet"]);
    // What engines cost is for tokens with `admin:read`.
    let expected = here.replace(" in en\n", "\n").replace(", for 0.0003", "");
    assert_eq!((code, said), (0, expected), "{trouble}");
    let (code, said, _) = ask(
        &address,
        &token,
        &["plan", "site", "--locale", "es", "--json", "--quiet"],
    );
    let run = serde_json::from_str::<Value>(&said).unwrap()["sites"][0]["run"].clone();
    assert_eq!(
        (code, &run["kind"], &run["charactersSent"]),
        (0, &"plan".into(), &0.into()),
        "{run}"
    );
    assert!(run["plan"]["characters"].as_u64().unwrap() > 0, "{run}");
}

#[test]
fn pages_that_max_pages_leaves_out_are_exit_code_6_on_a_server_too() {
    let pages = [("index.html", "<p>One</p>"), ("a.html", "<p>Two</p>")];
    let site = Site::new(
        "locales = [\"es\"]\nengine = [\"pseudo\"]\n[site.crawl]\nmax_pages = 1",
        &pages,
    );
    api::give_api(&site, api::NO_LIMITS);
    let server = Api::start(site.folder());
    let token = api::token(site.folder(), "ana", "*");
    let (code, said, _) = ask(&format!("http://{}", server.address), &token, &["build"]);
    assert!(code == 6 && said.contains("(max_pages)"), "{code}: {said}");
}

#[test]
fn what_a_server_cannot_do_or_does_not_allow_is_said() {
    let site = Site::new(
        "locales = [\"es\"]\nengine = [\"pseudo\"]",
        &[("index.html", "<p>One</p>")],
    );
    api::give_api(&site, "");
    site.build(&[], 0);
    let server = Api::start(site.folder());
    let token = api::token(site.folder(), "ana", "site");
    let address = format!("http://{}", server.address);
    let secure = format!("https://{}", server.address);
    for (address, token, arguments, code, said) in [
        (&address, "", &["build"][..], 2, "LATIMER_TOKEN"),
        (&address, "x", &["build"], 1, "invalid_token"),
        (&address, &token, &["build", "other"], 2, "site_not_found"),
        (
            &address,
            &token,
            &["build", "--locale", "fr"],
            2,
            "locale_not_found",
        ),
        (
            &address,
            &token,
            &["build", "--offline"],
            2,
            "--offline does not go with --server",
        ),
        (
            &address,
            &token,
            &["locale", "site", "fr", "off"],
            2,
            "locale_not_found",
        ),
        (
            &address,
            &token,
            &["plan", "--offline"],
            2,
            "--offline does not go with --server",
        ),
        (
            &address,
            &token,
            &["plan", "--locale", "fr"],
            2,
            "locale_not_found",
        ),
        (&address, &token, &["doctor"], 2, "also while a server runs"),
        (
            &address,
            &token,
            &["explain", "/nothing.html"],
            2,
            "page_not_found",
        ),
        (
            &address,
            &token,
            &["explain", "/", "--locale", "fr"],
            2,
            "locale_not_found",
        ),
        (
            &address,
            &token,
            &["explain", "/", "--site", "other"],
            2,
            "site_not_found",
        ),
        (
            &address,
            &token,
            &["export", "--locale", "es"],
            2,
            "name the file",
        ),
        (
            &address,
            &token,
            &["export", "--locale", "fr", "fr.po"],
            2,
            "locale_not_found",
        ),
        (
            &address,
            &token,
            &["digest", "show", "--account", "bob"],
            1,
            "of the token's subject alone",
        ),
        (&address, &token, &["serve"], 2, "is a server itself"),
        (
            &"ftp://127.0.0.1".to_owned(),
            &token,
            &["build"],
            2,
            "https://",
        ),
        (
            &"http://127.0.0.1:1".to_owned(),
            &token,
            &["build"],
            1,
            "cannot ask the server at http://127.0.0.1:1",
        ),
        // A server without TLS is noticed before it gets the token.
        (
            &secure,
            &token,
            &["build"],
            1,
            "cannot ask the server at https://",
        ),
    ] {
        let (ended, _, trouble) = ask(address, token, arguments);
        assert!(
            ended == code && trouble.contains(said),
            "{arguments:?}: {ended} {trouble}"
        );
    }
}

#[test]
fn explanations_and_exports_come_from_the_server_that_has_the_state() {
    let page =
        "<title>Bread</title><h1>Fresh bread</h1><p>See <a href=/>all of it</a><p translate=no>Ana";
    let site = Site::new(
        "locales = [\"es\", \"de\"]\nengine = [\"pseudo\"]\ntranslations = \"{lang}.po\"\n\
         url = \"https://www.example.com/{lang}\"\nexclude = [\"/left/**\"]",
        &[
            ("index.html", page),
            ("left/out.html", "<p>Out"),
            ("picture.svg", "<svg/>"),
        ],
    );
    site.write(
        "es.po",
        &format!("{PO}#. by hand\nmsgid \"Fresh bread\"\nmsgstr \"Pan fresco\"\n"),
    );
    api::give_api(&site, api::NO_LIMITS);
    site.build(&[], 0);
    let asked: [&[&str]; 8] = [
        &["explain", "/"],
        &["explain", "/", "--json"],
        &["explain", "https://www.example.com/es/", "BREAD"],
        &["explain", "/", "ana"],
        &["explain", "/", "nowhere in it"],
        &["explain", "/left/out.html"],
        &["explain", "/picture.svg"],
        &["explain", "/nothing.html"],
    ];
    let here: Vec<_> = asked.iter().map(|arguments| site.run(arguments)).collect();
    let exported = |name: &str, more: &[&str]| {
        let ran = site.run(&[&["export", "--locale", "es", "site", name], more].concat());
        assert_eq!(ran.code, 0, "{}", ran.stderr);
    };
    std::fs::copy(site.path("es.po"), site.path("empty.po")).unwrap();
    std::fs::copy(site.path("es.po"), site.path("full.po")).unwrap();
    exported("empty.po", &[]);
    exported("full.po", &["--prefill"]);

    let server = Api::start(site.folder());
    let (address, token) = (
        format!("http://{}", server.address),
        api::token(site.folder(), "ana", "site"),
    );
    // Where files lie on the server is nobody's business, so that a file has its name alone.
    let folder = format!("{}/", site.folder().display());
    for (arguments, here) in asked.iter().zip(here) {
        let (code, said, trouble) = ask(&address, &token, arguments);
        let expected = String::from_utf8(here.stdout).unwrap().replace(&folder, "");
        assert_eq!(
            (code, said),
            (here.code, expected),
            "{arguments:?}: {trouble}"
        );
    }
    let doctor = site.run(&["doctor"]);
    let said = String::from_utf8_lossy(&doctor.stdout).into_owned();
    assert!(
        doctor.code == 0 && said.contains("is in use by process"),
        "{said}{}",
        doctor.stderr
    );
    let elsewhere = tempfile::TempDir::new().unwrap();
    let file = elsewhere.path().join("es.po");
    let name = file.to_str().unwrap();
    for (more, expected) in [(&[][..], "empty.po"), (&["--prefill"], "full.po")] {
        let arguments = [&["export", "--locale", "es", name], more].concat();
        let (code, said, trouble) = ask(&address, &token, &arguments);
        assert_eq!((code, said), (0, format!("{name}\n")), "{trouble}");
        assert_eq!(std::fs::read_to_string(&file).unwrap(), site.read(expected));
        // What somebody may have written there is not lost.
        let (code, _, trouble) = ask(&address, &token, &arguments);
        assert!(
            code == 2 && trouble.contains("name a file that is new"),
            "{trouble}"
        );
        std::fs::remove_file(&file).unwrap();
    }
}

#[test]
fn digest_comes_from_the_server_that_has_the_state() {
    let site = Site::new(
        "locales = [\"es\"]\nengine = [\"pseudo\"]",
        &[("index.html", "<p>One</p>")],
    );
    api::give_api(&site, api::NO_LIMITS);
    site.build(&[], 0);
    let server = Api::start(site.folder());
    let ana = api::token(site.folder(), "ana", "site");
    let bob = api::token(site.folder(), "bob", "other");
    let address = format!("http://{}", server.address);
    site.run(&["digest", "show"])
        .failed(1, &["in use by", "--server URL"]);
    // Before the first digest is sent, what it is about begins a day before it is asked for.
    let timeless = |said: &str| match said.split_once(", since ").zip(said.split_once(" UTC:")) {
        Some(((before, _), (_, after))) => format!("{before}{after}"),
        None => said.to_owned(),
    };
    let show = |token: &str, more: &[&str]| {
        let (code, said, trouble) = ask(&address, token, &[&["digest", "show"], more].concat());
        (code, timeless(&said), trouble)
    };
    let nobody = "no account has a digest; callers of the API subscribe to one\n";
    assert_eq!(show(&ana, &[]), (0, nobody.to_owned(), String::new()));
    for (token, name) in [(&ana, "ana"), (&bob, "bob")] {
        let body = format!("{{\"email\":\"{name}@example.com\",\"frequency\":\"daily\"}}");
        assert_eq!(
            server
                .call("PUT", "/api/digests/subscription", token, &body)
                .status,
            200
        );
    }
    let expected = "ana <ana@example.com>\n  site es: 1 page, 1 new or changed\n";
    assert_eq!(show(&ana, &[]), (0, expected.to_owned(), String::new()));
    assert_eq!(show(&ana, &["--account", "ana"]).1, expected);
    // Each account sees its own digest, and of those sites alone that its subscription and its token name.
    assert_eq!(
        show(&bob, &[]).1,
        "bob <bob@example.com>\n  nothing happened\n"
    );
    let narrow = api::token(site.folder(), "ana", "other");
    assert_eq!(
        show(&narrow, &[]).1,
        "ana <ana@example.com>\n  nothing happened\n"
    );
    let without_time = |mut shown: Value| {
        let since = shown["digests"][0]
            .as_object_mut()
            .unwrap()
            .remove("since")
            .unwrap();
        assert!(since.as_str().unwrap().ends_with('Z'), "{since}");
        shown
    };
    let from_server: Value = serde_json::from_str(&show(&ana, &["--json"]).1).unwrap();
    drop(server);
    let here = site
        .run(&["digest", "show", "--account", "ana", "--json"])
        .json();
    assert_eq!(without_time(from_server), without_time(here));
}
