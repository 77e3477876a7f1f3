//! `[mail]`: who takes mail, and when digests go.

use std::path::PathBuf;

use url::Url;

use super::admin::web_origin;
use super::error::ConfigError;
use super::keys;
use super::reader::ConfigTable;
use crate::mail::{Day, MailError, Mailbox, Mailer, Relay, Schedule, Zone};

const URL: &str = "where people reach this server, such as \"https://www.example.com\", without a path: links in mails begin with it";

/// `[mail]`: who takes mail, who it is from, and when digests go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MailConfig {
    /// The server.
    pub relay: Relay,
    /// The file with the password of the server's user.
    pub password_file: Option<PathBuf>,
    /// The sender.
    pub from: Mailbox,
    /// Where whoever gets a mail reaches this server.
    pub url: Url,
    /// When digests go.
    pub schedule: Schedule,
    /// Whether whoever has an address must say so before they get digests.
    pub confirm: bool,
}

impl MailConfig {
    /// Who hands mail over; reads the password.
    ///
    /// # Errors
    /// A [`MailError::Login`] when the file cannot be read, or is empty.
    pub fn mailer(&self) -> Result<Mailer, MailError> {
        let read = |file: &PathBuf| {
            let place = file.display();
            let text = std::fs::read_to_string(file)
                .map_err(|error| MailError::Login(format!("cannot read {place}: {error}")))?;
            let password = text.trim_end_matches(['\r', '\n']).to_owned();
            let is_empty = password.is_empty();
            if is_empty {
                Err(MailError::Login(format!("{place} is empty")))
            } else {
                Ok(password)
            }
        };
        let password = self.password_file.as_ref().map(read).transpose()?;
        Ok(Mailer::new(self.relay.clone(), password, self.from.clone()))
    }
}

pub(super) fn read(root: &ConfigTable<'_>) -> Result<Option<MailConfig>, ConfigError> {
    let Some(table) = root.table("mail", &keys::MAIL)? else {
        return Ok(None);
    };
    let field = table.required(
        "smtp",
        "the server, such as smtp = \"smtps://user@mail.example.com:465\"",
    )?;
    let relay: Relay = field
        .text()?
        .parse()
        .map_err(|error| field.error(format!("`smtp` {error}")))?;
    let password_file = table.get("password_file");
    match (&relay.user, &password_file) {
        (Some(_), None) => {
            return Err(field.error(
                "`smtp` names a user; name the file with the password in `password_file`"
                    .to_owned(),
            ));
        }
        (None, Some(file)) => {
            return Err(
                file.error("`password_file` needs a user: smtp = \"smtps://user@…\"".to_owned())
            );
        }
        _ => {}
    }
    let password_file = password_file.map(|file| file.path()).transpose()?;
    let from = table.required(
        "from",
        "the sender, such as from = \"Latimer <latimer@example.com>\"",
    )?;
    let from = from.parse("an address of mail, such as \"Latimer <latimer@example.com>\"")?;
    let url = table.required("url", URL)?;
    let url = web_origin(&url).ok_or_else(|| url.must_be(URL))?;
    let zone = table
        .get("timezone")
        .map(|field| field.parse("a time zone, such as \"Europe/Madrid\""))
        .transpose()?;
    let hour = table
        .get("hour")
        .map(|field| field.whole(0..=23))
        .transpose()?;
    let days: Vec<(&str, Day)> = Day::names().collect();
    let day = table
        .get("weekday")
        .map(|field| field.one_of(&days))
        .transpose()?;
    let usual = Schedule::default();
    let schedule = Schedule {
        zone: zone.unwrap_or(Zone::UTC),
        hour: hour
            .and_then(|hour| u8::try_from(hour).ok())
            .unwrap_or(usual.hour),
        day: day.unwrap_or(usual.day),
    };
    let confirm = table
        .get("confirm")
        .map_or(Ok(true), |field| field.flag())?;
    Ok(Some(MailConfig {
        relay,
        password_file,
        from,
        url,
        schedule,
        confirm,
    }))
}
