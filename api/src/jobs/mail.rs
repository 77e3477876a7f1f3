//! Sending mail: slots are looked for, what is due is handed over one after the other, and how that went is written down.
//!
//! A mail is marked in the state when the server is ready to take it, and never again is it sent after that unless the server
//! said not now. Where the server itself cannot be reached, it is left alone for a while, whoever else waits.

use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use pipeline::config::{Config, MailConfig};
use pipeline::digest;
use pipeline::letters::{self, Setting};
use pipeline::mail::{Letter, MailError, Mailbox, Mailer, Zone};
use pipeline::run::{BuildError, Stores, now};
use pipeline::state::{MailKind, MailRecord, MailStatus, NextMail, State, StateError};
use tokio::sync::Notify;
use tokio::task::JoinSet;
use url::Url;

use super::on_state::on_state;
use crate::public::sites::Sites;

/// How long one waits at most before looking again, which is how late a digest is at most.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long a server is left alone that could not be reached, and the state after it failed.
const PAUSE: Duration = Duration::from_secs(60);
/// How often old mails are swept.
const SWEEP: Duration = Duration::from_secs(60 * 60);

/// Sends mail.
#[derive(Debug)]
pub(crate) struct Mail {
    stores: Stores,
    sites: Arc<Sites>,
    settings: RwLock<Arc<MailSettings>>,
    /// Notified when the settings change.
    changed: Notify,
}

/// Settings of mail.
#[derive(Debug, Default)]
struct MailSettings {
    mail: Option<MailConfig>,
    /// Where the admin screen is.
    screen: Option<Url>,
}

impl Mail {
    pub(crate) fn new(config: &Config, stores: Stores, sites: Arc<Sites>) -> Self {
        let mail = Self {
            stores,
            sites,
            settings: RwLock::default(),
            changed: Notify::new(),
        };
        mail.adopt(config);
        mail
    }

    /// Goes by another configuration from now on.
    pub(crate) fn adopt(&self, config: &Config) {
        let screen = config.admin.as_ref().map(|admin| admin.url.clone());
        self.stores.state.set_mailing(
            config.mail.is_some(),
            config.mail.as_ref().is_some_and(|mail| mail.confirm),
        );
        let settings = MailSettings {
            mail: config.mail.clone(),
            screen,
        };
        *self
            .settings
            .write()
            .unwrap_or_else(PoisonError::into_inner) = Arc::new(settings);
        self.changed.notify_one();
    }

    /// Starts sending, until `workers` end.
    pub(crate) fn start(self: &Arc<Self>, workers: &mut JoinSet<()>) {
        workers.spawn(Arc::clone(self).send());
        workers.spawn(Arc::clone(self).sweep());
    }

    fn settings(&self) -> Arc<MailSettings> {
        Arc::clone(&self.settings.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Sends what is due, without end.
    async fn send(self: Arc<Self>) {
        match self.state(State::recover_mails).await {
            Ok(0) => {}
            Ok(count) => tracing::warn!(
                "{count} mails were being sent when the server stopped: they may have arrived"
            ),
            Err(error) => tracing::error!("mails cannot be read: {error}"),
        }
        loop {
            let settings = self.settings();
            let wait = match &settings.mail {
                None => PATIENCE,
                Some(mail) => self.turn(&settings, mail).await.unwrap_or_else(|error| {
                    tracing::warn!("mail cannot be seen to, it is tried again: {error}");
                    PAUSE
                }),
            };
            tokio::select! {
                () = self.stores.state.mail_news(), if wait != PAUSE => {}
                () = self.changed.notified() => {}
                () = tokio::time::sleep(wait) => {}
            }
        }
    }

    /// Looks once what there is to do, does it, and says how long to wait.
    async fn turn(
        &self,
        settings: &MailSettings,
        mail: &MailConfig,
    ) -> Result<Duration, BuildError> {
        let sites = self.sites.list();
        let schedule = mail.schedule.clone();
        let sites: Vec<_> = sites
            .values()
            .map(|known| (*known.config).clone())
            .collect();
        let look = move |state: &State| {
            let now = now();
            state.ask_for_confirmations(now)?;
            digest::fill(&sites, state, &schedule, now)
        };
        self.state(look).await?;
        loop {
            match self.state(|state| state.next_mail(now())).await? {
                NextMail::Due { place, mail: due } => {
                    if !self.hand_over(settings, mail, place, &due).await? {
                        return Ok(PAUSE);
                    }
                }
                NextMail::At(next) => {
                    let wait = next.map_or(PATIENCE, |next| next.since(now()));
                    return Ok(wait.min(PATIENCE));
                }
            }
        }
    }

    /// Tries a mail once; says whether the server can be asked for more.
    async fn hand_over(
        &self,
        settings: &MailSettings,
        mail: &MailConfig,
        place: u64,
        due: &MailRecord,
    ) -> Result<bool, BuildError> {
        let offered = match self.letter(settings, mail, due).await? {
            Err(error) => Err(error),
            Ok((mailer, letter)) => mailer.offer(&letter).await,
        };
        let tried = match offered {
            Err(error) => Err(error),
            Ok(offered) => match self
                .state(move |state| state.begin_mail(place, now()))
                .await
            {
                Ok(true) => offered.hand_over().await,
                kept => {
                    offered.withdraw().await;
                    return kept.map(|_| true);
                }
            },
        };
        let goes_on = !tried.as_ref().is_err_and(MailError::is_of_server);
        let kind = due.kind;
        let cause = tried
            .as_ref()
            .err()
            .map(|error| without(&error.to_string(), &due.to));
        let noted = self
            .state(move |state| state.record_mail(place, &tried, now()))
            .await?;
        if let Some(noted) = noted {
            note(kind, &noted, &cause.unwrap_or_default());
        }
        Ok(goes_on)
    }

    /// What is handed over, and who does it.
    async fn letter(
        &self,
        settings: &MailSettings,
        mail: &MailConfig,
        due: &MailRecord,
    ) -> Result<Result<(Mailer, Letter), MailError>, BuildError> {
        let account = due.account.clone().unwrap_or_default();
        let to = due.to.clone();
        let consent = due.consent().to_owned();
        let known =
            move |state: &State| Ok((state.recipient(&account)?, state.address(&consent, &to)?));
        let (recipient, address) = self.state(known).await?;
        let own = recipient
            .timezone
            .and_then(|name| name.parse::<Zone>().ok());
        let setting = Setting {
            url: &mail.url,
            screen: settings.screen.as_ref(),
            zone: own.as_ref().unwrap_or(&mail.schedule.zone),
            language: letters::nearest(due.locale.as_ref().or(recipient.locale.as_ref())),
            leave: address.as_ref().map(|address| address.leave.as_str()),
        };
        let is_listed = match due.kind {
            MailKind::Digest | MailKind::PreviewReady | MailKind::WebhookDisabled => true,
            MailKind::Confirmation | MailKind::PreviewConfirmation => false,
        };
        let whole = || {
            let unwritable = |error: String| MailError::Unwritable(error);
            let to = due
                .to
                .parse::<Mailbox>()
                .map_err(|error| unwritable(error.to_string()))?;
            let written =
                letters::written(due, &setting).map_err(|error| unwritable(error.to_string()))?;
            let letter = Letter {
                to,
                subject: written.subject,
                text: written.text,
                html: Some(written.html),
                leave: letters::leave_url(&setting).filter(|_| is_listed),
                id: due.id.clone(),
            };
            Ok((mail.mailer()?, letter))
        };
        Ok(whole())
    }

    /// Forgets old mails, now and every hour.
    async fn sweep(self: Arc<Self>) {
        let mut ticks = tokio::time::interval(SWEEP);
        loop {
            ticks.tick().await;
            if let Err(error) = self.state(|state| state.sweep_mails(now())).await {
                tracing::warn!("old mails cannot be swept, it is tried again: {error}");
            }
        }
    }

    async fn state<T: Send + 'static>(
        &self,
        work: impl FnOnce(&State) -> Result<T, StateError> + Send + 'static,
    ) -> Result<T, BuildError> {
        on_state(&self.stores.state, work).await
    }
}

/// What a server said, without the address that it repeats.
fn without(said: &str, address: &str) -> String {
    let is_part = |sign: char| sign.is_alphanumeric() || "@._-+".contains(sign);
    let lower = address.to_lowercase();
    let words = said.split_inclusive(|sign: char| !is_part(sign));
    let shown = words.map(|word| {
        let plain = word.trim_end_matches(|sign: char| !is_part(sign));
        let is_address = !plain.is_empty() && plain.contains('@') || plain.to_lowercase() == lower;
        if is_address {
            word.replacen(plain, "…", 1)
        } else {
            word.to_owned()
        }
    });
    shown.collect()
}

/// Says how a mail went, and why, without the address that it went to.
fn note(kind: MailKind, mail: &MailRecord, said: &str) {
    let id = &mail.id;
    match mail.status {
        MailStatus::Sent => tracing::info!("mail {id} ({kind:?}) was sent"),
        MailStatus::Waiting => tracing::warn!("mail {id} ({kind:?}) is tried again: {said}"),
        MailStatus::Unknown => tracing::warn!("mail {id} ({kind:?}) is not sent again: {said}"),
        MailStatus::Refused | MailStatus::Failed => {
            tracing::warn!("mail {id} ({kind:?}) was not sent: {said}")
        }
        MailStatus::Sending | MailStatus::Dropped => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_that_a_server_repeats_are_not_logged() {
        let said = "the server refused: 550 5.1.1 <Ana.Lopez+x@example.org>: no such user, ask postmaster@example.org.";
        let shown = without(said, "ana.lopez+x@example.org");
        assert_eq!(
            shown,
            "the server refused: 550 5.1.1 <…>: no such user, ask …"
        );
        assert_eq!(
            without("454 4.7.0 try later", "a@example.org"),
            "454 4.7.0 try later"
        );
    }
}
