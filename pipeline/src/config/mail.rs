//! `[mail]`: who takes mail.

use std::path::PathBuf;

use super::error::ConfigError;
use super::keys;
use super::reader::Table;
use crate::mail::{MailError, Mailbox, Mailer, Relay};

/// `[mail]`: who takes mail, and who it is from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MailConfig {
    /// The server.
    pub relay: Relay,
    /// The file with the password of the server's user.
    pub password_file: Option<PathBuf>,
    /// The sender.
    pub from: Mailbox,
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
            if is_empty { Err(MailError::Login(format!("{place} is empty"))) } else { Ok(password) }
        };
        let password = self.password_file.as_ref().map(read).transpose()?;
        Ok(Mailer::new(self.relay.clone(), password, self.from.clone()))
    }
}

pub(super) fn read(root: &Table<'_>) -> Result<Option<MailConfig>, ConfigError> {
    let Some(table) = root.table("mail", &keys::MAIL)? else { return Ok(None) };
    let field = table.required("smtp", "the server, such as smtp = \"smtps://user@mail.example.com:465\"")?;
    let relay: Relay = field.text()?.parse().map_err(|error| field.error(format!("`smtp` {error}")))?;
    let password_file = table.get("password_file");
    match (&relay.user, &password_file) {
        (Some(_), None) => {
            return Err(
                field.error("`smtp` names a user; name the file with the password in `password_file`".to_owned())
            );
        }
        (None, Some(file)) => {
            return Err(file.error("`password_file` needs a user: smtp = \"smtps://user@…\"".to_owned()));
        }
        _ => {}
    }
    let password_file = password_file.map(|file| file.path()).transpose()?;
    let from = table.required("from", "the sender, such as from = \"Latimer <latimer@example.com>\"")?;
    let from = from.parse("an address of mail, such as \"Latimer <latimer@example.com>\"")?;
    Ok(Some(MailConfig { relay, password_file, from }))
}
