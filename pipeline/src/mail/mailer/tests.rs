//! What a server may do at each step, and what that says of trying again.

use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpListener;

use super::*;

/// What the server does where the mail has come to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Act {
    Answers(&'static str),
    Ends,
    Waits,
}

const FINE: Act = Act::Answers("250 fine");

/// A server that takes one mail and does at the greeting, at `MAIL`, `RCPT`, `DATA` and the end of the mail as is said; gives
/// what came of the mail, and what it read of it.
async fn tried(acts: [Act; 5]) -> (Result<String, MailError>, String) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = tokio::spawn(async move {
        let (stream, _) = listener.accept().await.unwrap();
        let mut stream = BufReader::new(stream);
        let mut step = 0;
        let mut heard = String::new();
        let mut is_mail = false;
        loop {
            let act = acts[step];
            let answers = match act {
                Act::Answers(text) => format!("{text}\r\n"),
                Act::Ends => return heard,
                Act::Waits => std::future::pending().await,
            };
            stream
                .get_mut()
                .write_all(answers.as_bytes())
                .await
                .unwrap();
            is_mail |= step == 3;
            loop {
                let mut line = String::new();
                if stream.read_line(&mut line).await.unwrap_or(0) == 0 {
                    return heard;
                }
                heard.push_str(&line);
                match line.split([' ', ':', '\r']).next().unwrap() {
                    "EHLO" => stream
                        .get_mut()
                        .write_all(b"250-here\r\n250 8BITMIME\r\n")
                        .await
                        .unwrap(),
                    "QUIT" => return heard,
                    "MAIL" if !is_mail => step = 1,
                    "RCPT" if !is_mail => step = 2,
                    "DATA" if !is_mail => step = 3,
                    "." if is_mail => step = 4,
                    _ => continue,
                }
                if !line.starts_with("EHLO") {
                    break;
                }
            }
        }
    });
    let relay = format!("smtp://127.0.0.1:{port}").parse().unwrap();
    let answer = Duration::from_millis(300);
    let mailer = Mailer {
        relay,
        password: None,
        from: "Latimer <latimer@example.org>".parse().unwrap(),
        answer,
    };
    let letter = Letter {
        to: "ana@example.com".parse().unwrap(),
        subject: "Häuser\r\nBcc: eve@example.net".to_owned(),
        text: "Grüße\n.\n.dot\n".to_owned(),
        html: None,
        leave: None,
        id: "slot.1".to_owned(),
    };
    let sent = mailer.send(&letter).await;
    server.abort();
    (sent, server.await.unwrap_or_default())
}

#[tokio::test]
async fn a_mail_says_who_wrote_it_and_has_no_header_of_its_subject() {
    let (sent, heard) = tried([FINE_GREETING, FINE, FINE, GO_ON, FINE]).await;
    assert_eq!(sent.as_deref(), Ok("fine"));
    for line in [
        "MAIL FROM:<latimer@example.org>",
        "RCPT TO:<ana@example.com>",
        "From: Latimer <latimer@example.org>",
        "To: ana@example.com",
        "Message-ID: <slot.1@example.org>",
        "Auto-Submitted: auto-generated",
        "Gr=C3=BC=C3=9Fe",
        // A line of one point would end the mail (RFC 5321 section 4.5.2).
        "..",
        "..dot",
    ] {
        assert!(heard.lines().any(|said| said == line), "{line}: {heard}");
    }
    assert!(
        !heard.lines().any(|said| said.starts_with("Bcc")),
        "{heard}"
    );
}

const FINE_GREETING: Act = Act::Answers("220 here");
const GO_ON: Act = Act::Answers("354 go on");

fn kind(error: &MailError) -> &'static str {
    match error {
        MailError::Unreachable(_) => "unreachable",
        MailError::Tls(_) => "tls",
        MailError::Login(_) => "login",
        MailError::Later(_) => "later",
        MailError::Refused {
            recipient: true, ..
        } => "refused recipient",
        MailError::Refused {
            recipient: false, ..
        } => "refused",
        MailError::Unknown(_) => "unknown",
        MailError::Unwritable(_) => "unwritable",
    }
}

#[tokio::test]
async fn only_what_is_sure_may_be_tried_again() {
    let cases = [
        (0, Act::Answers("421 full"), "unreachable"),
        (0, Act::Ends, "unreachable"),
        (0, Act::Waits, "unreachable"),
        (1, Act::Answers("451 not now"), "later"),
        (1, Act::Answers("530 sign in first"), "refused"),
        (1, Act::Ends, "unreachable"),
        (2, Act::Answers("450 busy"), "later"),
        (2, Act::Answers("550 nobody"), "refused recipient"),
        (2, Act::Waits, "unreachable"),
        (3, Act::Answers("554 no"), "refused"),
        (3, Act::Ends, "unreachable"),
        (4, Act::Answers("451 not now"), "later"),
        (4, Act::Answers("554 no"), "refused"),
        (4, Act::Ends, "unknown"),
        (4, Act::Waits, "unknown"),
    ];
    for (case, (step, act, expected)) in cases.into_iter().enumerate() {
        let mut acts = [FINE_GREETING, FINE, FINE, GO_ON, FINE];
        acts[step] = act;
        let (sent, _) = tried(acts).await;
        let error = sent.unwrap_err();
        assert_eq!(kind(&error), expected, "case {case}: {error:?}");
    }
}

#[tokio::test]
async fn a_server_elsewhere_without_starttls_gets_nothing() {
    // The name is one of this machine, and the address says that it is not.
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = tokio::spawn(async move {
        let (stream, _) = listener.accept().await.unwrap();
        let mut stream = BufReader::new(stream);
        let mut heard = String::new();
        stream.get_mut().write_all(b"220 here\r\n").await.unwrap();
        while stream.read_line(&mut heard).await.unwrap_or(0) > 0 {
            stream.get_mut().write_all(b"250 here\r\n").await.unwrap();
        }
        heard
    });
    let mut relay: Relay = format!("smtp://localhost:{port}").parse().unwrap();
    relay.host = "127.0.0.1".to_owned();
    relay.security = Security::StartTls;
    relay.user = Some("ana".to_owned());
    let mailer = Mailer::new(
        relay,
        Some("hush".to_owned()),
        "latimer@example.org".parse().unwrap(),
    );
    let error = mailer.greet().await.unwrap_err();
    assert!(
        matches!(&error, MailError::Tls(said) if said.contains("no STARTTLS")),
        "{error:?}"
    );
    let heard = server.await.unwrap();
    assert!(
        !heard.contains("AUTH") && !heard.contains("MAIL"),
        "{heard}"
    );
}
