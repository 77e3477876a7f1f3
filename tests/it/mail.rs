//! Mail: a real server takes it, with TLS and without, and what is wrong is told apart.

use crate::support::Site;

/// A site with `[mail]` for a server.
fn mailing(keys: &str) -> Site {
    let site = Site::fixture("bakery");
    let text = site.read("latimer.toml");
    site.write("latimer.toml", &format!("{text}\n[mail]\nfrom = \"Latimer <latimer@example.org>\"\n{keys}\n"));
    site
}

#[test]
fn what_is_wrong_with_a_server_is_said() {
    let site = Site::fixture("bakery");
    site.run(&["mail", "test", "ana@example.com"]).failed(2, &["has no [mail]"]);
    let site = mailing("smtp = \"smtp://127.0.0.1:1\"");
    site.run(&["mail", "test", "ana@example.com"]).failed(1, &["smtp://127.0.0.1:1", "cannot be reached"]);
    site.run(&["mail", "test", "ana"]).failed(2, &["no address of mail"]);
    site.run(&["mail", "test", "ana@example.com\nBcc: eve@example.net"]).failed(2, &["control character"]);
    for (keys, said) in [
        ("smtp = \"mail.example.com\"", "`smtp` must be an address such as"),
        ("smtp = \"smtps://ana:hush@mail.example.com\"", "`smtp` holds a password"),
        ("smtp = \"smtps://ana@mail.example.com\"", "name the file with the password"),
        ("smtp = \"smtps://mail.example.com\"\npassword_file = \"key\"", "`password_file` needs a user"),
        ("smtp = \"smtps://mail.example.com\"\nhour = 8", "is not in this version yet"),
    ] {
        mailing(keys).run(&["mail", "test", "ana@example.com"]).failed(2, &[said]);
    }
    let site = mailing("smtp = \"smtps://ana@mail.example.com\"\npassword_file = \"gone\"");
    site.run(&["mail", "test", "ana@example.com"]).failed(1, &["cannot read", "gone"]);
}

mod needs_mail {
    use std::io::{BufRead as _, BufReader};
    use std::process::{Child, Command, Stdio};

    use serde_json::Value;
    use tempfile::TempDir;

    use super::mailing;
    use crate::support::{Ran, Site, command, repository, tool};

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
            program.arg(repository().join("tests/it/support/mail.py")).arg(folder.path());
            program.stdout(Stdio::piped()).stderr(Stdio::null());
            let mut process = program.spawn().unwrap();
            let mut line = String::new();
            BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
            let ports = serde_json::from_str(&line).unwrap();
            Self { folder, ports, process }
        }

        /// A site that mails over one of its doors.
        fn site(&self, scheme: &str, user: &str, door: &str) -> Site {
            let port = &self.ports[door];
            let password = if user.is_empty() { "" } else { "password_file = \"password\"" };
            let site = mailing(&format!("smtp = \"{scheme}://{user}localhost:{port}\"\n{password}"));
            site.write("password", "hush\n");
            site
        }

        /// What is run where the machine trusts the authority that vouches for the server.
        fn run(&self, site: &Site, arguments: &[&str]) -> Ran {
            let mut program = command(site.folder());
            let ran = program.args(arguments).env("SSL_CERT_FILE", self.folder.path().join("authority.pem")).output();
            let ran = ran.unwrap();
            Ran { code: ran.status.code().unwrap(), stdout: ran.stdout, stderr: String::from_utf8(ran.stderr).unwrap() }
        }

        fn mails(&self) -> usize {
            let files = std::fs::read_dir(self.folder.path()).unwrap();
            files.filter(|file| file.as_ref().unwrap().path().extension().is_some_and(|kind| kind == "eml")).count()
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
        for (count, (scheme, user, door)) in
            [("smtp", "", "plain"), ("smtp", "ana@", "starttls"), ("smtps", "ana@", "tls")].into_iter().enumerate()
        {
            let site = sink.site(scheme, user, door);
            let ran = sink.run(&site, &test);
            assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{door}");
            let said = shown(&ran);
            assert!(said.ends_with("took a mail to ana@example.com: taken\n"), "{said}");
            assert_eq!(sink.mails(), count + 1, "{door}");
            let found = sink.run(&site, &["doctor", "--json"]).json();
            let findings = found["findings"].as_array().unwrap();
            let mail = findings.iter().find(|finding| finding["what"] == "mail").unwrap();
            assert_eq!(mail["health"], "good", "{mail}");
        }
        let mail = std::fs::read_to_string(sink.folder.path().join("0.eml")).unwrap();
        assert!(mail.contains("\r\nAuto-Submitted: auto-generated\r\n"), "{mail}");
        let arrived = sink.mails();

        let site = sink.site("smtps", "ana@", "tls");
        site.write("password", "other\n");
        sink.run(&site, &test).failed(1, &["the login was refused"]);
        let doctor = shown(&sink.run(&site, &["doctor"]));
        assert!(doctor.contains("mail: ") && doctor.contains("the login was refused"), "{doctor}");
        // A certificate of another name, one of an authority that nobody knows, and a server without TLS.
        sink.run(&sink.site("smtps", "", "other"), &test).failed(1, &["TLS could not be agreed on"]);
        sink.site("smtps", "", "other").run(&test).failed(1, &["TLS could not be agreed on"]);
        sink.run(&sink.site("smtps", "", "plain"), &test).failed(1, &["TLS could not be agreed on"]);
        let site = sink.site("smtp", "", "plain");
        sink.run(&site, &["mail", "test", "nobody@example.com"]).failed(1, &["refused", "there is nobody"]);
        // Without a login where one is wanted.
        sink.run(&sink.site("smtps", "", "tls"), &test).failed(1, &["refused", "530"]);
        assert_eq!(sink.mails(), arrived);
    }
}
