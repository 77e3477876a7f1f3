//! Handing one mail to a server, step by step, so that each failure says what may be done again.

use std::error::Error as _;
use std::future::Future;
use std::io::ErrorKind;
use std::time::Duration;

use lettre::Message;
use lettre::message::header::{ContentTransferEncoding, ContentType, HeaderName, HeaderValue};
use lettre::message::{Mailbox as Written, MultiPart, SinglePart};
use lettre::transport::smtp::Error;
use lettre::transport::smtp::authentication::{Credentials, Mechanism};
use lettre::transport::smtp::client::{AsyncSmtpConnection, TlsParameters};
use lettre::transport::smtp::commands::{Data, Mail, Rcpt};
use lettre::transport::smtp::extension::{ClientId, Extension, MailBodyParameter, MailParameter};

use url::Url;

use super::{Mailbox, Relay, Security};

/// How long connecting may take, and the answer to a command (RFC 5321 section 4.5.3.2 has five minutes and more).
const CONNECT: Duration = Duration::from_secs(30);
const ANSWER: Duration = Duration::from_secs(300);

/// A mail to one address.
#[derive(Clone, Debug)]
pub struct Letter {
    /// Where it goes.
    pub to: Mailbox,
    /// Its subject: one line.
    pub subject: String,
    /// What it says.
    pub text: String,
    /// The same as HTML, for those who read that.
    pub html: Option<String>,
    /// Where whoever gets it says that they want no more (RFC 8058).
    pub leave: Option<Url>,
    /// What stands left of the `@` in its `Message-ID`: the same for the same mail, so that nobody reads it twice.
    pub id: String,
}

/// Why a mail was not handed over, as far as anybody knows.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MailError {
    /// There was no connection, or it ended before the mail was sent. It may be tried again.
    #[error("the server cannot be reached: {0}")]
    Unreachable(String),
    /// TLS could not be agreed on. It may be tried again when that is mended.
    #[error("TLS could not be agreed on: {0}; look at the port and at the server's certificate")]
    Tls(String),
    /// The server did not let us in. It may be tried again when that is mended.
    #[error("the login was refused: {0}; look at the user in `smtp` and at `password_file`")]
    Login(String),
    /// The server said not now (4xx). It may be tried again.
    #[error("the server refused for now: {0}")]
    Later(String),
    /// The server said no (5xx); `recipient` says whether to this address.
    #[error("the server refused: {said}")]
    Refused {
        /// What it answered.
        said: String,
        /// Whether it refused the address that the mail goes to.
        recipient: bool,
    },
    /// The mail was sent and not answered: it may have been taken, so it must not be sent again.
    #[error("the mail was sent and the server did not answer, so it may have arrived: {0}")]
    Unknown(String),
    /// It can be handed to nobody as it is.
    #[error("the mail cannot be written: {0}")]
    Unwritable(String),
}

impl MailError {
    /// What whoever gets mail is told: of our server and its settings only that they do not work.
    pub fn for_callers(&self) -> String {
        match self {
            Self::Unreachable(_) | Self::Tls(_) | Self::Login(_) => {
                "the mail server cannot be used now; the log has the cause".to_owned()
            }
            Self::Unwritable(_) => "the mail cannot be written; the log has the cause".to_owned(),
            Self::Later(_) | Self::Refused { .. } | Self::Unknown(_) => self.to_string(),
        }
    }
}

/// Who hands mail over.
#[derive(Clone)]
pub struct Mailer {
    relay: Relay,
    password: Option<String>,
    from: Mailbox,
    answer: Duration,
}

/// A mail that a server is ready to take.
pub struct Offered {
    server: AsyncSmtpConnection,
    mail: Vec<u8>,
    answer: Duration,
}

impl Mailer {
    /// One that signs in with this password, if the server's address names a user.
    pub fn new(relay: Relay, password: Option<String>, from: Mailbox) -> Self {
        Self {
            relay,
            password,
            from,
            answer: ANSWER,
        }
    }

    /// Connects and signs in, and sends nothing.
    ///
    /// # Errors
    /// A [`MailError`] that says which of these did not work.
    pub async fn greet(&self) -> Result<(), MailError> {
        let mut server = self.connect().await?;
        let _ = tokio::time::timeout(CONNECT, server.quit()).await;
        Ok(())
    }

    /// Hands a mail over, once; gives what the server answered.
    ///
    /// # Errors
    /// A [`MailError`] that says what may be done again.
    pub async fn send(&self, letter: &Letter) -> Result<String, MailError> {
        self.offer(letter).await?.hand_over().await
    }

    /// Everything before the mail itself: the server has taken the sender and the address. Until here all can be repeated.
    ///
    /// # Errors
    /// A [`MailError`] that says what may be done again, never [`MailError::Unknown`].
    pub async fn offer(&self, letter: &Letter) -> Result<Offered, MailError> {
        let mail = self.written(letter)?;
        let mut server = self.connect().await?;
        match self.introduce(&mut server, letter).await {
            Ok(()) => Ok(Offered {
                server,
                mail,
                answer: self.answer,
            }),
            Err(error) => {
                // Whoever was silent is not asked whether one may go.
                if !matches!(error, MailError::Unreachable(_)) {
                    say_goodbye(&mut server).await;
                }
                Err(error)
            }
        }
    }

    /// Connects, with TLS where that is wanted, and signs in.
    async fn connect(&self) -> Result<AsyncSmtpConnection, MailError> {
        let Relay {
            host,
            port,
            security,
            user,
        } = &self.relay;
        let tls = TlsParameters::new(host.clone()).map_err(|error| MailError::Tls(said(&error)))?;
        let hello = ClientId::Ipv4(std::net::Ipv4Addr::LOCALHOST);
        let at_once = (*security == Security::Tls).then(|| tls.clone());
        let connecting = AsyncSmtpConnection::connect_tokio1(
            (host.as_str(), *port),
            Some(CONNECT),
            &hello,
            at_once,
            None,
        );
        let connected = in_time(self.answer, connecting)
            .await
            .map_err(MailError::Unreachable)?;
        let mut server = connected.map_err(|error| match is_of_tls(&error) {
            true => MailError::Tls(said(&error)),
            false => MailError::Unreachable(said(&error)),
        })?;
        if *security == Security::StartTls && !server.can_starttls() {
            return Err(MailError::Tls(
                "it has no STARTTLS, and only a server on this machine may do without".to_owned(),
            ));
        }
        // Between programs of one machine only a password is worth hiding, and a mail server there often has a certificate
        // that nobody vouches for.
        let starts =
            *security == Security::StartTls || (*security == Security::Local && user.is_some());
        if starts && server.can_starttls() {
            let starting = in_time(self.answer, server.starttls(tls, &hello))
                .await
                .map_err(MailError::Tls)?;
            starting.map_err(|error| MailError::Tls(said(&error)))?;
        }
        if let (Some(user), Some(password)) = (user, &self.password) {
            let credentials = Credentials::new(user.clone(), password.clone());
            let login = server.auth(&[Mechanism::Plain, Mechanism::Login], &credentials);
            let login = in_time(self.answer, login)
                .await
                .map_err(MailError::Unreachable)?;
            login.map_err(|error| match error {
                error if error.is_transient() => MailError::Later(said(&error)),
                error if error.is_permanent() || error.is_client() => {
                    MailError::Login(said(&error))
                }
                error => MailError::Unreachable(said(&error)),
            })?;
        }
        Ok(server)
    }

    /// Says who the mail is from and where it goes.
    async fn introduce(
        &self,
        server: &mut AsyncSmtpConnection,
        letter: &Letter,
    ) -> Result<(), MailError> {
        let from = self.from.0.email.clone();
        let to = letter.to.0.email.clone();
        let mut parameters = Vec::new();
        let is_plain = |address: &lettre::Address| AsRef::<str>::as_ref(address).is_ascii();
        if !is_plain(&from) || !is_plain(&to) {
            if !server
                .server_info()
                .supports_feature(Extension::SmtpUtfEight)
            {
                let said =
                    "the server takes addresses in ASCII only (it has no SMTPUTF8)".to_owned();
                return Err(MailError::Refused {
                    said,
                    recipient: !is_plain(&to),
                });
            }
            parameters.push(MailParameter::SmtpUtfEight);
            parameters.push(MailParameter::Body(MailBodyParameter::EightBitMime));
        }
        ask(
            self.answer,
            server.command(Mail::new(Some(from), parameters)),
            false,
        )
        .await?;
        ask(self.answer, server.command(Rcpt::new(to, Vec::new())), true).await
    }

    fn written(&self, letter: &Letter) -> Result<Vec<u8>, MailError> {
        let Written { email, .. } = &self.from.0;
        let header = |name, value| HeaderValue::new(HeaderName::new_from_ascii_str(name), value);
        let builder = Message::builder()
            .from(self.from.0.clone())
            .to(letter.to.0.clone())
            .subject(letter.subject.replace(char::is_control, " "))
            .message_id(Some(format!("<{}@{}>", letter.id, email.domain())))
            .date_now();
        let part = |kind, text: &str| {
            let part = SinglePart::builder()
                .header(kind)
                .header(ContentTransferEncoding::QuotedPrintable);
            part.body(text.to_owned())
        };
        let text = part(ContentType::TEXT_PLAIN, &letter.text);
        let built = match &letter.html {
            None => builder.singlepart(text),
            Some(html) => {
                let both = MultiPart::alternative()
                    .singlepart(text)
                    .singlepart(part(ContentType::TEXT_HTML, html));
                builder.multipart(both)
            }
        };
        let mut mail = built.map_err(|error| MailError::Unwritable(error.to_string()))?;
        // Nobody answers a machine (RFC 3834 section 5).
        mail.headers_mut()
            .insert_raw(header("Auto-Submitted", "auto-generated".to_owned()));
        if let Some(leave) = &letter.leave {
            mail.headers_mut()
                .insert_raw(header("List-Unsubscribe", format!("<{leave}>")));
            mail.headers_mut().insert_raw(header(
                "List-Unsubscribe-Post",
                "List-Unsubscribe=One-Click".to_owned(),
            ));
        }
        Ok(mail.formatted())
    }
}

impl Offered {
    /// Sends the mail itself, once; gives what the server answered.
    ///
    /// # Errors
    /// A [`MailError`]; where it is [`MailError::Unknown`], the mail must not be sent again.
    pub async fn hand_over(mut self) -> Result<String, MailError> {
        let sent = self.send().await;
        if !matches!(sent, Err(MailError::Unreachable(_) | MailError::Unknown(_))) {
            say_goodbye(&mut self.server).await;
        }
        sent
    }

    /// Takes the offer back.
    pub async fn withdraw(mut self) {
        say_goodbye(&mut self.server).await;
    }

    async fn send(&mut self) -> Result<String, MailError> {
        ask(self.answer, self.server.command(Data), false).await?;
        let answered = in_time(self.answer, self.server.message(&self.mail))
            .await
            .map_err(MailError::Unknown)?;
        let response = answered.map_err(|error| match error {
            error if error.is_transient() => MailError::Later(said(&error)),
            error if error.is_permanent() => MailError::Refused {
                said: said(&error),
                recipient: false,
            },
            error => MailError::Unknown(said(&error)),
        })?;
        Ok(response.message().collect::<Vec<_>>().join(" "))
    }
}

impl MailError {
    /// Whether it says something of the server, whatever the mail.
    pub fn is_of_server(&self) -> bool {
        matches!(self, Self::Unreachable(_) | Self::Tls(_) | Self::Login(_))
    }
}

impl std::fmt::Debug for Offered {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Offered").finish_non_exhaustive()
    }
}

/// The answer to a command before the mail itself.
async fn ask<T>(
    limit: Duration,
    asked: impl Future<Output = Result<T, Error>>,
    recipient: bool,
) -> Result<(), MailError> {
    let answered = in_time(limit, asked)
        .await
        .map_err(MailError::Unreachable)?;
    answered.map(drop).map_err(|error| match error {
        error if error.is_transient() => MailError::Later(said(&error)),
        error if error.is_permanent() => MailError::Refused {
            said: said(&error),
            recipient,
        },
        error => MailError::Unreachable(said(&error)),
    })
}

async fn say_goodbye(server: &mut AsyncSmtpConnection) {
    let _ = tokio::time::timeout(CONNECT, server.quit()).await;
}

/// Without the password.
impl std::fmt::Debug for Mailer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Mailer")
            .field("relay", &self.relay)
            .field("from", &self.from)
            .finish_non_exhaustive()
    }
}

async fn in_time<T>(limit: Duration, work: impl Future<Output = T>) -> Result<T, String> {
    tokio::time::timeout(limit, work)
        .await
        .map_err(|_| format!("no answer in {} seconds", limit.as_secs()))
}

/// Whether TLS is what failed: lettre calls a certificate that nobody vouches for an error of the connection.
fn is_of_tls(error: &Error) -> bool {
    let causes = std::iter::successors(error.source(), |cause| (*cause).source());
    let kinds = causes.filter_map(|cause| cause.downcast_ref::<std::io::Error>());
    error.is_tls()
        || kinds
            .map(std::io::Error::kind)
            .any(|kind| kind == ErrorKind::InvalidData)
}

/// An error and its causes, on one line.
fn said(error: &Error) -> String {
    crate::causes::chain(error)
        .replace(char::is_control, " ")
        .trim()
        .to_owned()
}

#[cfg(test)]
mod tests;
