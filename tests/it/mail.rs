//! Mail: a real server takes it, with TLS and without, what is wrong is told apart, and nothing is sent twice.
//!
//! One file: one mail server and its faults.

use crate::support::Site;

/// A site with `[mail]` for a server.
fn mailing(keys: &str) -> Site {
    let site = Site::fixture("bakery");
    let text = site.read("latimer.toml");
    let own = "from = \"Latimer <latimer@example.org>\"\nurl = \"https://www.example.com\"";
    site.write("latimer.toml", &format!("{text}\n[mail]\n{own}\n{keys}\n"));
    site
}

#[test]
fn what_is_wrong_with_a_server_is_said() {
    let site = Site::fixture("bakery");
    site.run(&["mail", "test", "ana@example.com"])
        .failed(2, &["has no [mail]"]);
    let site = mailing("smtp = \"smtp://127.0.0.1:1\"");
    site.run(&["mail", "test", "ana@example.com"])
        .failed(1, &["smtp://127.0.0.1:1", "cannot be reached"]);
    site.run(&["mail", "test", "ana"])
        .failed(2, &["no address of mail"]);
    site.run(&["mail", "test", "ana@example.com\nBcc: eve@example.net"])
        .failed(2, &["control character"]);
    for (keys, said) in [
        (
            "smtp = \"mail.example.com\"",
            "`smtp` must be an address such as",
        ),
        (
            "smtp = \"smtps://ana:hush@mail.example.com\"",
            "`smtp` holds a password",
        ),
        (
            "smtp = \"smtps://ana@mail.example.com\"",
            "name the file with the password",
        ),
        (
            "smtp = \"smtps://mail.example.com\"\npassword_file = \"key\"",
            "`password_file` needs a user",
        ),
        (
            "smtp = \"smtps://mail.example.com\"\nhour = 24",
            "`hour` must be",
        ),
        (
            "smtp = \"smtps://mail.example.com\"\nweekday = \"Monday\"",
            "\"monday\" or \"tuesday\"",
        ),
        (
            "smtp = \"smtps://mail.example.com\"\ntimezone = \"Madrid\"",
            "a time zone, such as",
        ),
    ] {
        mailing(keys)
            .run(&["mail", "test", "ana@example.com"])
            .failed(2, &[said]);
    }
    let site = mailing("smtp = \"smtps://mail.example.com\"");
    site.edit(
        "latimer.toml",
        "https://www.example.com",
        "https://www.example.com/latimer",
    );
    site.run(&["mail", "test", "ana@example.com"])
        .failed(2, &["`url` must be where people reach this server"]);
    site.edit(
        "latimer.toml",
        "url = \"https://www.example.com/latimer\"",
        "",
    );
    site.run(&["mail", "test", "ana@example.com"])
        .failed(2, &["has no `url`"]);
    let site = mailing("smtp = \"smtps://ana@mail.example.com\"\npassword_file = \"gone\"");
    site.run(&["mail", "test", "ana@example.com"])
        .failed(1, &["cannot read", "gone"]);
}

mod needs_mail {
    use std::io::{BufRead as _, BufReader};
    use std::process::{Child, Command, Stdio};
    use std::time::{Duration, Instant};

    use serde_json::{Value, json};
    use tempfile::TempDir;

    use super::mailing;
    use crate::support::api::{Api, NO_LIMITS, give_api, pause, token};
    use crate::support::web::{Loopback, Reply};
    use crate::support::{Ran, Site, at_strength, command, repository, tool};

    /// aiosmtpd on this machine.
    struct Sink {
        folder: TempDir,
        ports: Value,
        process: Child,
    }

    impl Sink {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let mut program = Command::new(tool("LATIMER_TEST_MAIL"));
            program
                .arg(repository().join("tests/it/support/mail.py"))
                .arg(folder.path());
            program.stdout(Stdio::piped()).stderr(Stdio::null());
            let mut process = program.spawn().unwrap();
            let mut line = String::new();
            BufReader::new(process.stdout.take().unwrap())
                .read_line(&mut line)
                .unwrap();
            let ports = serde_json::from_str(&line).unwrap();
            Self {
                folder,
                ports,
                process,
            }
        }

        /// A site that mails over one of its doors.
        fn site(&self, scheme: &str, user: &str, door: &str) -> Site {
            let port = &self.ports[door];
            let password = if user.is_empty() {
                ""
            } else {
                "password_file = \"password\""
            };
            let site = mailing(&format!(
                "smtp = \"{scheme}://{user}localhost:{port}\"\n{password}"
            ));
            site.write("password", "hush\n");
            site
        }

        /// What is run where the machine trusts the authority that vouches for the server.
        fn run(&self, site: &Site, arguments: &[&str]) -> Ran {
            let mut program = command(site.folder());
            let ran = program
                .args(arguments)
                .env("SSL_CERT_FILE", self.folder.path().join("authority.pem"))
                .output();
            let ran = ran.unwrap();
            Ran {
                code: ran.status.code().unwrap(),
                stdout: ran.stdout,
                stderr: String::from_utf8(ran.stderr).unwrap(),
            }
        }

        /// The mails, with the soft ends of their lines taken out.
        fn read(&self) -> Vec<String> {
            let file = |number: usize| self.folder.path().join(format!("{number}.eml"));
            let read = |number: usize| {
                std::fs::read_to_string(file(number))
                    .unwrap()
                    .replace("=\r\n", "")
            };
            (0..self.mails()).map(read).collect()
        }

        /// Waits until so many arrived.
        fn wait_for(&self, count: usize) {
            let begun = Instant::now();
            while self.mails() < count {
                assert!(
                    begun.elapsed() < Duration::from_secs(60),
                    "{} of {count} mails arrived",
                    self.mails()
                );
                pause(Duration::from_millis(20));
            }
        }

        fn mails(&self) -> usize {
            let files = std::fs::read_dir(self.folder.path()).unwrap();
            files
                .filter(|file| {
                    file.as_ref()
                        .unwrap()
                        .path()
                        .extension()
                        .is_some_and(|kind| kind == "eml")
                })
                .count()
        }
    }

    impl Drop for Sink {
        fn drop(&mut self) {
            let _ = self.process.kill();
            let _ = self.process.wait();
        }
    }

    fn shown(ran: &Ran) -> String {
        String::from_utf8_lossy(&ran.stdout).into_owned()
    }

    #[test]
    fn a_mail_arrives_once_and_each_failure_has_its_name() {
        let sink = Sink::new();
        let test = ["mail", "test", "ana@example.com"];
        for (count, (scheme, user, door)) in [
            ("smtp", "", "plain"),
            ("smtp", "ana@", "starttls"),
            ("smtps", "ana@", "tls"),
        ]
        .into_iter()
        .enumerate()
        {
            let site = sink.site(scheme, user, door);
            let ran = sink.run(&site, &test);
            assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{door}");
            let said = shown(&ran);
            assert!(
                said.ends_with("took a mail to ana@example.com: taken\n"),
                "{said}"
            );
            assert_eq!(sink.mails(), count + 1, "{door}");
            let found = sink.run(&site, &["doctor", "--json"]).json();
            let findings = found["findings"].as_array().unwrap();
            let mail = findings
                .iter()
                .find(|finding| finding["what"] == "mail")
                .unwrap();
            assert_eq!(mail["health"], "good", "{mail}");
        }
        let mail = std::fs::read_to_string(sink.folder.path().join("0.eml")).unwrap();
        assert!(
            mail.contains("\r\nAuto-Submitted: auto-generated\r\n"),
            "{mail}"
        );
        let arrived = sink.mails();

        let site = sink.site("smtps", "ana@", "tls");
        site.write("password", "other\n");
        sink.run(&site, &test).failed(1, &["the login was refused"]);
        let doctor = shown(&sink.run(&site, &["doctor"]));
        assert!(
            doctor.contains("mail: ") && doctor.contains("the login was refused"),
            "{doctor}"
        );
        // A certificate of another name, one of an authority that nobody knows, and a server without TLS.
        sink.run(&sink.site("smtps", "", "other"), &test)
            .failed(1, &["TLS could not be agreed on"]);
        sink.site("smtps", "", "other")
            .run(&test)
            .failed(1, &["TLS could not be agreed on"]);
        sink.run(&sink.site("smtps", "", "plain"), &test)
            .failed(1, &["TLS could not be agreed on"]);
        let site = sink.site("smtp", "", "plain");
        sink.run(&site, &["mail", "test", "nobody@example.com"])
            .failed(1, &["refused", "there is nobody"]);
        // Without a login where one is wanted.
        sink.run(&sink.site("smtps", "", "tls"), &test)
            .failed(1, &["refused", "530"]);
        assert_eq!(sink.mails(), arrived);
    }

    fn subscribe(server: &Api, token: &str, email: &str) -> Option<u16> {
        let body = json!({ "email": email, "frequency": "daily" }).to_string();
        Some(
            server
                .try_call("PUT", "/api/digests/subscription", token, &body)?
                .status,
        )
    }

    /// What follows a text in a mail, up to white space.
    fn after<'m>(mail: &'m str, text: &str) -> &'m str {
        let (_, rest) = mail
            .split_once(text)
            .unwrap_or_else(|| panic!("{text} is not in {mail}"));
        rest.split(['\r', '\n', '"', '>', ' ']).next().unwrap()
    }

    /// Opening links changes nothing, whatever opens them; the form does, once, and so does a mail program.
    #[test]
    fn digests_go_only_where_somebody_confirmed_and_until_they_leave() {
        let sink = Sink::new();
        let site = sink.site("smtp", "", "plain");
        give_api(&site, NO_LIMITS);
        let server = Api::start(site.folder());
        let token = token(site.folder(), "ana", "*");
        assert_eq!(subscribe(&server, &token, "ana@example.com"), Some(200));
        sink.wait_for(1);
        let mail = sink.read().remove(0);
        assert!(
            mail.contains("To: ana@example.com\r\n") && !mail.contains("List-Unsubscribe"),
            "{mail}"
        );
        let path = after(&mail, "https://www.example.com").to_owned();
        assert!(path.starts_with("/_latimer/confirm/"), "{path}");
        let call = |method: &str, path: &str| server.call(method, path, "", "");
        let frequency = || {
            let answer = server.call("GET", "/api/digests/subscription", &token, "");
            answer.json["subscription"]["frequency"]
                .as_str()
                .unwrap()
                .to_owned()
        };
        for _ in 0..2 {
            let page = call("GET", &path);
            assert_eq!(page.status, 200);
            assert!(
                page.body.contains("<h1>Do you want digests?</h1>"),
                "{}",
                page.body
            );
            assert_eq!(page.header("cache-control"), Some("no-store"));
            assert_eq!(page.header("referrer-policy"), Some("no-referrer"));
        }
        assert!(
            call("POST", &path)
                .body
                .contains("<h1>Digests will be sent</h1>")
        );
        for wrong in [
            "/_latimer/confirm/x",
            "/_latimer/unsubscribe/x",
            "/_latimer/unsubscribe/",
        ] {
            assert_eq!(
                (call("GET", wrong).status, call("POST", wrong).status),
                (404, 404),
                "{wrong}"
            );
        }
        // A link of one kind is none of the other.
        let other = path.replace("confirm", "unsubscribe");
        assert_eq!(
            (call("POST", &other).status, frequency().as_str()),
            (404, "daily")
        );
        // The same wish again asks nobody.
        assert_eq!(subscribe(&server, &token, "ana@example.com"), Some(200));
        pause(Duration::from_millis(300));
        assert_eq!(sink.mails(), 1);
        server.stop();
    }

    /// Killed at any moment, the server sends no mail twice, and says of which it does not know whether they arrived.
    #[test]
    fn a_killed_server_sends_nothing_twice() {
        let sink = Sink::new();
        let site = sink.site("smtp", "", "plain");
        give_api(&site, NO_LIMITS);
        let kills = at_strength("LATIMER_KILLS", 5) as usize * 2;
        let mut wanted = Vec::new();
        for kill in 0..kills {
            let server = Api::start(site.folder());
            for number in 0..3 {
                let account = format!("{kill}-{number}");
                let token = token(site.folder(), &account, "*");
                let email = format!("slow-{account}@example.com");
                if subscribe(&server, &token, &email) == Some(200) {
                    wanted.push((email, token));
                }
            }
            pause(Duration::from_millis(13 * (kill as u64 % 10)));
            server.kill();
        }
        let server = Api::start(site.folder());
        let mut unknown = 0;
        for (email, token) in &wanted {
            let begun = Instant::now();
            let status = loop {
                let mails = server.call("GET", "/api/digests/mails", token, "").json;
                let status = mails["items"][0]["status"]
                    .as_str()
                    .unwrap_or("none")
                    .to_owned();
                if !matches!(status.as_str(), "none" | "waiting" | "sending") {
                    break status;
                }
                assert!(
                    begun.elapsed() < Duration::from_secs(60),
                    "{email}: {mails}"
                );
                pause(Duration::from_millis(50));
            };
            let arrived = sink
                .read()
                .iter()
                .filter(|mail| mail.contains(&format!("To: {email}\r\n")))
                .count();
            match status.as_str() {
                "sent" => assert_eq!(arrived, 1, "{email}"),
                "unknown" => {
                    unknown += 1;
                    assert!(arrived <= 1, "{email}");
                }
                other => panic!("{email}: {other}"),
            }
        }
        println!("{} mails, {kills} kills, {unknown} unknown", wanted.len());
    }

    /// Whoever ordered a preview is told once, five times a day at most; those who get digests learn that an endpoint is off.
    #[test]
    fn previews_and_endpoints_are_told_of() {
        let sink = Sink::new();
        let site = sink.site("smtp", "", "plain");
        let more = "[preview]\nengine = \"pseudo\"\nallow_private = true\n[webhooks]\nallow_private = true\n";
        give_api(&site, &format!("{more}{NO_LIMITS}"));
        site.build(&[], 0);
        let server = Api::start(site.folder());
        let ana = token(site.folder(), "ana", "*");
        let order = json!({
            "sourceUrl": format!("http://{}/", server.address),
            "sourceLang": "en",
            "targetLang": "es",
            "email": "bob@example.com",
            "locale": "es",
        });
        for number in 0..7 {
            let ordered = server.call("POST", "/api/previews", &ana, &order.to_string());
            assert_eq!(ordered.status, 202, "{}", ordered.json);
            let of = format!(
                "/api/previews/{}",
                ordered.json["previewId"].as_str().unwrap()
            );
            server.wait_until(&of, &ana, |preview| preview["status"] == "ready");
            if number == 0 {
                // The first mail asks bob for consent.
                sink.wait_for(1);
                let asked = sink.read().remove(0);
                assert!(
                    asked.contains("To: bob@example.com\r\n")
                        && !asked.contains("List-Unsubscribe"),
                    "{asked}"
                );
                let link = after(&asked, "https://www.example.com");
                assert!(
                    link.starts_with("/_latimer/confirm/") && !asked.contains("/_preview/"),
                    "{asked}"
                );
                assert_eq!(server.call("POST", link, "", "").status, 200);
            }
        }
        sink.wait_for(6);
        let mail = sink.read().remove(1);
        assert!(
            mail.contains("To: bob@example.com\r\n")
                && mail.contains("https://www.example.com/_preview/"),
            "{mail}"
        );
        assert!(!mail.contains("Heron"), "{mail}");
        assert!(
            mail.contains("\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n"),
            "{mail}"
        );
        // Its language is the one that was ordered.
        assert!(mail.contains("lang=3D\"es\""), "{mail}");

        let endpoint = Loopback::start(|_| Reply::status(410));
        assert_eq!(subscribe(&server, &ana, "ana@example.com"), Some(200));
        sink.wait_for(7);
        let asked = sink.read().remove(6);
        assert_eq!(
            server
                .call("POST", after(&asked, "https://www.example.com"), "", "")
                .status,
            200
        );
        let hook = json!({ "url": format!("{}/secret-path", endpoint.address) }).to_string();
        assert_eq!(
            server
                .call("POST", "/api/sites/bakery/webhooks", &ana, &hook)
                .status,
            201
        );
        server.call(
            "POST",
            "/api/sites/bakery/locales/ja/serve",
            &ana,
            r#"{"enabled":false}"#,
        );
        sink.wait_for(8);
        let told = sink.read().remove(7);
        assert!(
            told.contains("Subject: A webhook of bakery was switched off\r\n"),
            "{told}"
        );
        assert!(
            told.contains("127.0.0.1") && !told.contains("secret-path"),
            "{told}"
        );
        assert!(
            told.contains("\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n"),
            "{told}"
        );
        // A mail program's button: without a login or a cookie, and once is enough.
        let leave = after(&told, "\r\nList-Unsubscribe: <https://www.example.com").to_owned();
        assert!(leave.starts_with("/_latimer/unsubscribe/"), "{leave}");
        let frequency = || {
            server
                .call("GET", "/api/digests/subscription", &ana, "")
                .json["subscription"]
                .clone()
        };
        assert_eq!(server.call("GET", &leave, "", "").status, 200);
        assert_eq!(frequency()["frequency"], "daily");
        for _ in 0..2 {
            let left = server.call("POST", &leave, "", "List-Unsubscribe=One-Click");
            assert!(
                left.status == 200 && left.body.contains("<h1>No more digests will be sent</h1>"),
                "{}",
                left.body
            );
        }
        assert_eq!(frequency()["frequency"], "off");
        server.stop();
    }
}
