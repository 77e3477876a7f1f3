//! What the screens show: under which policy, in which language, and with what is wrong or not there.

use serde_json::json;

use super::*;

#[test]
fn every_screen_has_a_title_of_its_own_in_its_language() {
    let screen = Screen::new();
    let session = screen.session(&[]);
    let title = |path: &str, headers: &str| {
        let body = screen.get(path, &format!("{headers}{session}")).body;
        let (_, rest) = body.split_once("<title>").expect(path);
        rest.split_once("</title>").expect(path).0.to_owned()
    };
    let screens = "audit cost pages publish reports runs webhooks publish/live";
    let mut paths = vec!["/".to_owned(), "/sites/bakery".to_owned()];
    paths.extend(["/previews", "/digest", "/access", "/nowhere"].map(str::to_owned));
    paths.extend(screens.split(' ').map(|tab| format!("/sites/bakery/{tab}")));
    let titles: std::collections::BTreeMap<String, &String> =
        paths.iter().map(|path| (title(path, ""), path)).collect();
    assert_eq!(titles.len(), paths.len(), "{titles:#?}");
    for expected in [
        "Sites – Latimer",
        "Runs – bakery – Latimer",
        "Target live – bakery – Latimer",
    ] {
        assert!(titles.contains_key(expected), "{expected}: {titles:#?}");
    }
    assert_eq!(
        title("/sites/bakery/runs", "Accept-Language: es\r\n"),
        "Ejecuciones – bakery – Latimer"
    );
}

#[test]
fn every_answer_has_the_policy_and_nothing_of_others_becomes_markup() {
    let screen = Screen::new();
    let session = screen.session(&["--sub", "<b>\"ana\"</b>"]);
    let hostile = "http://127.0.0.1:9/?%3Cscript%3E";
    let fields = format!(
        "url={}&description=%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E",
        hostile
            .replace('%', "%25")
            .replace(':', "%3A")
            .replace('/', "%2F")
            .replace('?', "%3F")
    );
    let added = screen.post(
        "/sites/bakery/webhooks",
        &format!("{OWN}{session}"),
        &fields,
    );
    assert!(
        added.body.contains("whsec_") && added.body.contains("&lt;img src=x"),
        "{}",
        added.body
    );
    for path in [
        "/",
        "/login",
        "/nowhere",
        "/sites/bakery/webhooks",
        "/sites/%3Cb%3E",
        "/favicon.ico",
        "/previews",
    ] {
        let answer = screen.get(path, &session);
        let policy = answer.header("content-security-policy").unwrap();
        assert!(
            policy.starts_with("default-src 'none'; script-src 'self';"),
            "{policy}"
        );
        assert!(
            !policy.contains("unsafe") && policy.contains("frame-ancestors 'none'"),
            "{policy}"
        );
        assert_eq!(
            answer.header("x-content-type-options"),
            Some("nosniff"),
            "{path}"
        );
        for markup in ["<b>", "<img", "<script>", "style=", "onclick"] {
            assert!(
                !answer.body.contains(markup),
                "{path} has {markup}: {}",
                answer.body
            );
        }
        let is_kept = answer.header("cache-control") != Some("no-store");
        assert_eq!(is_kept, path == "/favicon.ico", "{path}");
    }
    let style = screen.get("/login", "").body;
    let style = style
        .split("href=\"")
        .find_map(|part| {
            part.split('"')
                .next()
                .filter(|to| to.starts_with("/style-"))
        })
        .unwrap();
    assert_eq!(
        screen.get(style, "").header("content-type"),
        Some("text/css; charset=utf-8")
    );
    // In the reader's language, where there are words.
    for (wanted, given) in [
        ("es-MX", "es"),
        ("ar", "ar"),
        ("ja;q=0.9, de", "ja"),
        ("de", "en"),
    ] {
        let page = screen.get("/login", &format!("Accept-Language: {wanted}\r\n"));
        assert_eq!(page.header("content-language"), Some(given), "{wanted}");
        assert!(
            page.body.contains(&format!("lang=\"{given}\"")),
            "{}",
            page.body
        );
    }
}

/// What an owner looks for: what is wrong, where words come from, what a host lacks, what was spent on what.
#[test]
fn screens_tell_what_is_wrong_where_and_since_when() {
    let screen = Screen::new();
    let session = screen.session(&[]);
    let token = support::api::owners_token(screen.site.folder(), "ana");
    let form = format!("{OWN}{session}");
    let finish = |path: &str, fields: &str| {
        let begun = screen.post(path, &form, fields);
        let run = begun
            .header("location")
            .unwrap_or_else(|| panic!("{path}: {} {}", begun.status, begun.body));
        let run = format!("/api{run}");
        screen.server.wait_for(&run, &token)
    };
    let shown = |path: &str| {
        let answer = screen.get(path, &session);
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        answer.body
    };
    assert!(shown("/sites/bakery/audit").contains("was not audited yet"));
    assert_eq!(
        screen
            .server
            .call("GET", "/api/sites/bakery/audit", &token, "")
            .json["details"]["code"],
        "audit_not_found"
    );
    let audited = finish("/sites/bakery/audit", "");
    assert_eq!(
        (&audited["kind"], &audited["outcome"]),
        (&json!("audit"), &json!("ok")),
        "{audited:#}"
    );
    let before = screen
        .server
        .call("GET", "/api/sites/bakery/audit", &token, "")
        .json;
    assert_eq!(before["new"], 0, "{before:#}");
    // A link that leads nowhere comes, and is new once.
    let page = screen.site.read("source/menu/index.html");
    screen.site.write(
        "source/menu/index.html",
        &page.replacen(
            "<main id=\"content\">",
            "<main id=\"content\"><a href=\"/gone/\">Gone bread</a>",
            1,
        ),
    );
    finish("/sites/bakery/build", "");
    for (round, new) in [(1, true), (2, false)] {
        finish("/sites/bakery/audit", "");
        let found = screen
            .server
            .call(
                "GET",
                "/api/sites/bakery/audit?rule=link-broken",
                &token,
                "",
            )
            .json;
        let items = found["findings"]["items"].as_array().unwrap();
        let gone: Vec<_> = items
            .iter()
            .filter(|item| item["message"].as_str().unwrap().contains("/gone/"))
            .collect();
        assert!(
            !gone.is_empty() && gone.iter().all(|item| item["new"] == new),
            "{round}: {found:#}"
        );
        let body = shown("/sites/bakery/audit?rule=link-broken");
        assert_eq!(
            (body.contains("/gone/"), body.contains(">New</span>")),
            (true, new),
            "{body}"
        );
    }
    // Where the words of the page come from, and that the new text has none.
    let pages = shown("/sites/bakery/pages");
    assert!(
        pages.contains("href=\"/sites/bakery/pages/explain?page=%2Fmenu%2F\""),
        "{pages}"
    );
    let explained = shown("/sites/bakery/pages/explain?page=%2Fmenu%2F");
    assert!(
        explained.contains("Gone bread") && explained.contains("Nobody has words for it"),
        "{explained}"
    );
    assert!(shown("/sites/bakery/pages/explain?page=%2Fmenu%2F&texts=all").len() > explained.len());
    // Words of other languages say in which language they are.
    assert!(
        explained.contains("<td lang=\"ar\" dir=\"auto\" translate=\"no\">")
            && explained.contains("<th scope=\"row\" lang=\"en\" dir=\"auto\" translate=\"no\">"),
        "{explained}"
    );
    // The way to a preview of it, where its source is on the web.
    let preview = "/previews?sourceUrl=https%3A%2F%2Fwww.heronandrye.example%2Fmenu%2F&amp;sourceLang=en&amp;targetLang=es#make";
    assert!(explained.contains(preview), "{explained}");
    assert!(
        shown(&preview.replace("&amp;", "&"))
            .contains("value=\"https://www.heronandrye.example/menu/\"")
    );
    // A host: what would go there, that it went, and the way back.
    assert!(shown("/sites/bakery/publish/live").contains("Nothing was published there yet."));
    let published = finish("/sites/bakery/publish/live", "");
    assert_eq!(published["outcome"], "ok", "{published:#}");
    assert!(shown("/sites/bakery/publish/live").contains("Nothing differs"));
    let deployments = screen
        .server
        .call("GET", "/api/sites/bakery/deployments", &token, "")
        .json;
    let first = deployments["items"].as_array().unwrap().last().unwrap()["deploymentId"]
        .as_str()
        .unwrap();
    let differs = shown(&format!("/sites/bakery/publish/live?deploymentId={first}"));
    assert!(
        differs.contains("en/menu/index.html") || differs.contains(">menu/index.html<"),
        "{differs}"
    );
    let back = finish(
        "/sites/bakery/publish/live",
        &format!("deploymentId={first}"),
    );
    assert_eq!(back["deploymentId"], first, "{back:#}");
    let menu = std::fs::read_to_string(screen.site.path("www/current/menu/index.html")).unwrap();
    assert!(!menu.contains("Gone bread"));
    let unknown = "01939f1c-0000-7000-8000-000000000000";
    let refused = screen.server.call(
        "POST",
        &format!("/api/sites/bakery/publish/live?deploymentId={unknown}"),
        &token,
        "",
    );
    assert_eq!(
        (refused.status, &refused.json["details"]["code"]),
        (404, &json!("deployment_not_found"))
    );
    // What is wrong with the server, for whoever may see all of it.
    let found = screen.post("/access/doctor", &form, "").body;
    assert!(
        found.contains("bakery: source") && found.contains("in use by this server"),
        "{found}"
    );
    let state = screen.site.path(".latimer/state.redb");
    std::fs::set_permissions(&state, std::os::unix::fs::PermissionsExt::from_mode(0o644)).unwrap();
    assert!(
        screen
            .post("/access/doctor", &form, "")
            .body
            .contains("(mode 644)")
    );
    let poor = screen.session(&["--sub", "poor", "--site", "bakery"]);
    assert_eq!(
        screen
            .post("/access/doctor", &format!("{OWN}{poor}"), "")
            .status,
        403
    );
    assert!(!screen.get("/access", &poor).body.contains("/access/doctor"));
}

/// What is absent in an answer is nothing on a screen, and never an error.
#[test]
fn screens_hold_with_whatever_is_not_there() {
    let site = Site::new("locales = [\"es\"]", &[("index.html", "<p>Hello</p>")]);
    let address = free_address();
    // A server that takes mail late: nothing listens, so the first mail waits.
    let more = format!(
        "{}\n[admin]\nlisten = \"{address}\"\n[mail]\nsmtp = \"smtp://127.0.0.1:9\"\nfrom = \"latimer@example.com\"\n\
         url = \"http://127.0.0.1:1\"\n",
        support::api::NO_LIMITS
    );
    support::api::give_api(&site, &more);
    site.build(&[], 0);
    let server = Api::start(site.folder());
    let screen = Screen {
        site,
        server,
        address,
    };
    let session = screen.session(&[]);
    let put = screen.post(
        "/digest",
        &format!("{OWN}{session}"),
        "email=ana%40example.com&frequency=weekly",
    );
    assert_eq!(put.status, 303, "{}", put.body);
    let of_site = [
        "",
        "/runs",
        "/pages",
        "/audit",
        "/cost",
        "/publish",
        "/webhooks",
    ];
    let of_site = of_site.map(|tab| format!("/sites/site{tab}"));
    for path in ["/", "/digest", "/access", "/previews"]
        .map(str::to_owned)
        .into_iter()
        .chain(of_site)
    {
        let answer = screen.get(&path, &session);
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
    }
}

/// Every link of every screen opens and every form is accepted, with each scope.
#[test]
fn no_screen_shows_a_control_that_the_session_may_not_use() {
    let screen = Screen::new();
    let alone = ["crawl:write", "admin:read"].map(str::to_owned).into_iter();
    let with_sites = support::api::SCOPES
        .split_whitespace()
        .map(|scope| format!("sites:read {scope}"));
    let people = ["write", "review"]
        .map(|leave| format!("sites:read translations:read translations:{leave}"));
    for scopes in alone.chain(with_sites).chain(people) {
        let session = screen.session(&["--sub", "poor", "--scope", &scopes]);
        let mut open = vec!["/".to_owned()];
        let mut seen = std::collections::BTreeSet::new();
        let mut forms = std::collections::BTreeSet::new();
        while let Some(path) = open.pop() {
            // One page is explained as all others are.
            let is_another = path.contains("/explain?")
                && seen
                    .iter()
                    .any(|known: &String| known.contains("/explain?"));
            if path.starts_with("/login") || is_another || !seen.insert(path.clone()) {
                continue;
            }
            let shown = screen.get(&path, &session);
            if let Some(to) = shown.header("location") {
                open.push(to.to_owned());
                continue;
            }
            assert_eq!(shown.status, 200, "{path} with {scopes}: {}", shown.body);
            for part in shown.body.split("href=\"/").skip(1) {
                let to = part.split('"').next().unwrap().replace("&amp;", "&");
                let is_file = [".css", ".js"].iter().any(|end| to.ends_with(end));
                open.extend((!is_file).then(|| format!("/{to}")));
            }
            for part in shown.body.split("action=\"/").skip(1) {
                let before = &shown.body[..part.as_ptr() as usize - shown.body.as_ptr() as usize];
                let is_get = before
                    .rsplit('<')
                    .next()
                    .unwrap()
                    .contains("method=\"get\"");
                let to = format!("/{}", part.split('"').next().unwrap());
                let ends = to == "/logout" || to.starts_with("/sessions/");
                forms.extend((!is_get && !ends).then_some(to));
            }
        }
        assert!(seen.len() > 1, "{scopes}: {seen:?}");
        for form in forms {
            let answer = screen.post(&form, &format!("{OWN}{session}"), "");
            assert_ne!(answer.status, 403, "{form} with {scopes}: {}", answer.body);
        }
    }
}

/// The value of a hidden field of a form.
fn hidden<'a>(body: &'a str, name: &str) -> &'a str {
    let field = format!("name=\"{name}\" value=\"");
    let (_, value) = body
        .split_once(&field)
        .unwrap_or_else(|| panic!("{name}: {body}"));
    value.split('"').next().unwrap()
}

/// A change of several texts is shown first, is made once, and can be undone.
#[test]
fn several_texts_are_changed_on_the_screen_and_back_again() {
    let screen = Screen::new();
    let session = screen.session(&[]);
    let head = format!("{OWN}{session}");
    let list = "/sites/bakery/texts?lang=es&state=people";
    let count = |state: &str| screen.get(list, &session).body.matches(state).count();
    let approved = count(">Approved<");
    assert!(approved > 10, "{approved}");
    let asked = "lang=es&state=people&q=&page=&do=lock";
    let shown = screen.get(&format!("/sites/bakery/texts/change?{asked}"), &session);
    assert!(shown.body.contains("Lock them"), "{}", shown.body);
    assert_eq!(count(">Locked<"), 0, "a look changes nothing");
    let seen = hidden(&shown.body, "as_of").to_owned();
    let fields = format!("{asked}&as_of={seen}");
    let done = screen.post("/sites/bakery/texts/change", &head, &fields);
    assert_eq!(done.status, 303, "{}", done.body);
    let after = screen.get(done.header("location").unwrap(), &session);
    assert!(
        after.body.contains("The texts are changed."),
        "{}",
        after.body
    );
    assert_eq!((count(">Approved<"), count(">Locked<")), (0, approved));
    // Pressed again, the form finds nothing that it could change.
    let again = screen.post("/sites/bakery/texts/change", &head, &fields);
    assert!(
        again.body.contains("No text would change."),
        "{}",
        again.body
    );
    assert_eq!(count(">Locked<"), approved);
    let batch = hidden(&after.body, "batch");
    let undo = format!("lang=es&batch={batch}");
    let undone = screen.post("/sites/bakery/texts/undo", &head, &undo);
    assert_eq!(undone.status, 303, "{}", undone.body);
    assert_eq!((count(">Approved<"), count(">Locked<")), (approved, 0));
    // Two chosen texts, and words to replace.
    let text = screen.get(list, &session).body;
    let ids: Vec<&str> = text
        .split("name=\"id\" value=\"")
        .skip(1)
        .map(|part| part.split('"').next().unwrap())
        .collect();
    let chosen = format!("lang=es&state=people&id={}&id={}&do=", ids[0], ids[1]);
    let rejected = screen.get(
        &format!("/sites/bakery/texts/change?{chosen}reject"),
        &session,
    );
    assert!(
        rejected.body.contains("Texts that change: 2"),
        "{}",
        rejected.body
    );
    let replaced = screen.get(
        &format!("/sites/bakery/texts/change?{chosen}replace&find=&with=x"),
        &session,
    );
    assert!(
        replaced.body.contains("role=\"alert\""),
        "{}",
        replaced.body
    );
    let none = screen.get(
        &format!("/sites/bakery/texts/change?{chosen}replace&find=qqqq&with=x"),
        &session,
    );
    assert!(none.body.contains("No text would change."), "{}", none.body);
}
