//! What the API needs besides the pages: what it goes by, who works for it, and how much callers may ask.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Instant;

use pipeline::config::{ApiLimits, Config};
use pipeline::inspect::SegmentIndexes;
use pipeline::model::SiteId;
use pipeline::preview::host_of;
use pipeline::run::{BuildOptions, Stores};
use pipeline::state::{DiskTrouble, State, StateError};
use pipeline::translate::Meter;
use tokio::task::JoinSet;

use crate::auth::{Caller, PreviewKeys, Sessions, Verifier};
use crate::http::error::ApiError;
use crate::http::household::Household;
use crate::http::limit::{Limiter, RateStatus};
use crate::http::metrics::Metrics;
use crate::jobs::mail::Mail;
use crate::jobs::previews::{PreviewContext, Previews};
use crate::jobs::reports::Reports;
use crate::jobs::runs::Jobs;
use crate::jobs::streams::Streams;
use crate::jobs::turns::{Tenant, Turns};
use crate::jobs::webhooks::WebhookDispatcher;
use crate::public::sites::Sites;
use crate::settings::{ApiSettings, CurrentSettings, ReloadError};

/// What the API needs besides the pages.
#[derive(Debug)]
pub struct Api {
    pub(crate) settings: Arc<CurrentSettings>,
    pub(crate) jobs: Arc<Jobs>,
    pub(crate) previews: Arc<Previews>,
    pub(crate) webhooks: Arc<WebhookDispatcher>,
    pub(crate) mail: Arc<Mail>,
    pub(crate) streams: Arc<Streams>,
    /// Where whole sites are read while somebody waits for the answer: one at a time.
    pub(crate) readings: Arc<Turns>,
    /// Segments of sites, to list and search.
    pub(crate) segments: Arc<SegmentIndexes>,
    pub(crate) sites: Arc<Sites>,
    pub(crate) meter: Meter,
    pub(crate) reads: Limiter,
    pub(crate) writes: Limiter,
    pub(crate) crawls: Limiter,
    pub(crate) previewers: Limiter,
    pub(crate) previewed_hosts: Limiter,
    pub(crate) preview_mails: Limiter,
    pub(crate) all_preview_mails: Limiter,
    pub(crate) preview_statuses: Limiter,
    pub(crate) edits: Limiter,
    pub(crate) followers: Limiter,
    pub(crate) failed_logins: Limiter,
    /// Who is signed in at the admin screen.
    pub(crate) sessions: Sessions,
    /// Texts that wait until enough readers saw them.
    pub(crate) reports: Reports,
}

/// Who is counted.
#[derive(Hash)]
pub(crate) enum Counted<'a> {
    Subject(&'a str),
    Address(Household),
}

/// A caller's standing in one limit.
pub(crate) struct Limited {
    pub(crate) name: &'static str,
    pub(crate) by: CountedBy,
    pub(crate) standing: RateStatus,
}

/// Subject of a limit.
pub(crate) enum CountedBy {
    Subject,
    Site(SiteId),
    Address,
}

/// Most sites whose limits are listed at a time.
const MOST_LISTED: usize = 100;

impl Api {
    /// An API over the configured sites; `options` says how runs work.
    pub fn new(verifier: Verifier, config: &Config, stores: Stores, options: BuildOptions) -> Self {
        let sites = Arc::new(Sites::new(config));
        let ApiLimits {
            read,
            write,
            crawl_translate,
            preview,
            preview_host,
            preview_mail,
            preview_mail_all,
            preview_status,
            edit,
            stream,
            failed_logins,
            connections: _,
            open_streams,
        } = config.api.limits;
        Self {
            settings: Arc::new(CurrentSettings::new(ApiSettings::new(verifier, config))),
            previews: Arc::new(Previews::new(config, stores.clone(), options.meter.clone())),
            mail: Arc::new(Mail::new(config, stores.clone(), Arc::clone(&sites))),
            webhooks: Arc::new(WebhookDispatcher::new(
                config,
                stores.clone(),
                Arc::clone(&sites),
            )),
            streams: Arc::new(Streams::new(open_streams)),
            readings: Arc::new(Turns::new(1)),
            segments: Arc::default(),
            meter: options.meter.clone(),
            jobs: Arc::new(Jobs::new(stores, options, Arc::clone(&sites), config)),
            sites,
            reads: Limiter::new(read),
            writes: Limiter::new(write),
            crawls: Limiter::new(crawl_translate),
            previewers: Limiter::new(preview),
            previewed_hosts: Limiter::new(preview_host),
            preview_mails: Limiter::new(preview_mail),
            all_preview_mails: Limiter::new(preview_mail_all),
            preview_statuses: Limiter::new(preview_status),
            edits: Limiter::new(edit),
            followers: Limiter::new(stream),
            failed_logins: Limiter::new(failed_logins),
            sessions: Sessions::default(),
            reports: Reports::default(),
        }
    }

    /// The same API with tokens for previews that are no bearer tokens.
    pub fn with_preview_keys(self, keys: PreviewKeys) -> Self {
        self.settings
            .change(|settings| settings.preview_keys = Arc::new(keys));
        self
    }

    /// What the configuration says now.
    pub(crate) fn settings(&self) -> Arc<ApiSettings> {
        self.settings.get()
    }

    /// Takes settings, keys, tokens and sites of another configuration, all or none; gives a sentence for each site of a
    /// caller that cannot be used with it.
    pub(crate) async fn follow(&self, config: &Config) -> Result<Vec<String>, ReloadError> {
        let now = self.settings();
        let sites = Arc::clone(&self.sites);
        let state = self.state();
        let of = config.clone();
        let read = move || {
            let settings = now.read_again(of)?;
            let trouble = sites.restore(&state, &settings.config)?;
            Ok::<_, ReloadError>((settings, trouble))
        };
        let done = tokio::task::spawn_blocking(read).await;
        let (settings, trouble) =
            done.map_err(|error| ReloadError::Broken(error.to_string()))??;
        if !settings.verifier.is_same(&self.settings().verifier) {
            self.sessions.end_those_of_tokens();
        }
        self.settings.change(|known| *known = settings);
        self.set_limits(&config.api.limits);
        self.jobs.adopt(config);
        self.previews.previewer.adopt(config);
        self.webhooks.adopt(config);
        self.mail.adopt(config);
        self.jobs.hire();
        Ok(trouble)
    }

    fn set_limits(&self, limits: &ApiLimits) {
        self.streams.set(limits.open_streams);
        for (limiter, rate) in [
            (&self.reads, limits.read),
            (&self.writes, limits.write),
            (&self.crawls, limits.crawl_translate),
            (&self.previewers, limits.preview),
            (&self.previewed_hosts, limits.preview_host),
            (&self.preview_mails, limits.preview_mail),
            (&self.all_preview_mails, limits.preview_mail_all),
            (&self.preview_statuses, limits.preview_status),
            (&self.edits, limits.edit),
            (&self.followers, limits.stream),
            (&self.failed_logins, limits.failed_logins),
        ] {
            limiter.set(rate);
        }
    }

    /// Whether an address may try to sign in.
    pub(crate) fn may_sign_in(&self, client: IpAddr) -> Result<(), ApiError> {
        self.failed_logins
            .look(&Household::of(client), Instant::now())
            .map_err(ApiError::Limited)
    }

    /// Counts that an address failed to sign in.
    pub(crate) fn failed_to_sign_in(&self, client: IpAddr) {
        // Whoever has none left is refused the next time.
        let _ = self
            .failed_logins
            .take(&Household::of(client), Instant::now());
    }

    /// The state, for work on the blocking pool.
    pub(crate) fn state(&self) -> Arc<State> {
        Arc::clone(&self.jobs.stores().state)
    }

    pub(crate) fn readings(&self) -> &Arc<Turns> {
        &self.readings
    }

    pub(crate) fn jobs(&self) -> &Arc<Jobs> {
        &self.jobs
    }

    pub(crate) fn webhooks(&self) -> &Arc<WebhookDispatcher> {
        &self.webhooks
    }

    pub(crate) fn previews(&self) -> &Arc<Previews> {
        &self.previews
    }

    /// Starts the work on previews, until `workers` end.
    ///
    /// # Errors
    /// When the state cannot be read, or there is no thread.
    pub(crate) fn start_previews(
        &self,
        metrics: &Arc<Metrics>,
        workers: &mut JoinSet<()>,
    ) -> std::io::Result<()> {
        let sites = Arc::clone(&self.sites);
        let settings = Arc::clone(&self.settings);
        self.previews.start(
            PreviewContext {
                sites,
                settings,
                metrics: Arc::clone(metrics),
            },
            workers,
        )
    }

    /// The caller's standing in each limit, named as in the configuration: limits by subject, by site that the caller may see, and by
    /// address.
    pub(crate) fn standings(&self, caller: &Caller, client: IpAddr) -> Vec<Limited> {
        let who = Counted::Subject(&caller.subject);
        let now = Instant::now();
        let of_subject = [
            ("read", &self.reads),
            ("write", &self.writes),
            ("edit", &self.edits),
            ("preview", &self.previewers),
            ("preview_mail", &self.preview_mails),
            ("preview_status", &self.preview_statuses),
            ("stream", &self.followers),
        ];
        let mut all = Vec::new();
        let mut add = |name, by, standing: Option<RateStatus>| {
            all.extend(standing.map(|standing| Limited { name, by, standing }));
        };
        for (name, limiter) in of_subject {
            add(name, CountedBy::Subject, limiter.standing(&who, now));
        }
        add(
            "open_streams",
            CountedBy::Subject,
            Some(
                self.streams
                    .standing(&Tenant::Subject(caller.subject.clone())),
            ),
        );
        let sites = self.site_ids();
        for site in sites
            .into_iter()
            .filter(|site| caller.sees(site))
            .take(MOST_LISTED)
        {
            let standing = self.crawls.standing(&site, now);
            add("crawl_translate", CountedBy::Site(site), standing);
        }
        add(
            "failed_logins",
            CountedBy::Address,
            self.failed_logins.standing(&Household::of(client), now),
        );
        all
    }

    /// What engines were asked.
    pub(crate) fn meter(&self) -> &Meter {
        &self.meter
    }

    /// Segments of sites.
    pub(crate) fn segments(&self) -> &Arc<SegmentIndexes> {
        &self.segments
    }

    /// Places for streams.
    pub(crate) fn streams(&self) -> &Arc<Streams> {
        &self.streams
    }

    /// Counts a preview of a page for the page's host.
    pub(crate) fn take_for_host(&self, url: &str) -> Result<(), ApiError> {
        self.previewed_hosts
            .take(&host_of(url), Instant::now())
            .map(drop)
            .map_err(ApiError::Limited)
    }

    /// Counts an order of a preview with an e-mail address, against the caller's limit and the server's.
    pub(crate) fn take_for_mail(
        &self,
        caller: Option<&Caller>,
        client: IpAddr,
    ) -> Result<(), ApiError> {
        let now = Instant::now();
        let who = caller.map_or(Counted::Address(Household::of(client)), |caller| {
            Counted::Subject(&caller.subject)
        });
        // Take from the caller's own limit first, so that a caller without any left takes nothing from the server's.
        self.preview_mails
            .take(&who, now)
            .map_err(ApiError::Limited)?;
        self.all_preview_mails
            .take(&(), now)
            .map(drop)
            .map_err(ApiError::Limited)
    }

    /// Adds the sites that callers added before; gives a sentence for each that cannot be used any more.
    ///
    /// # Errors
    /// A [`StateError`] when the state cannot be read.
    pub fn restore_sites(&self) -> Result<Vec<String>, StateError> {
        self.sites.restore(&self.state(), &self.settings().config)
    }

    /// The names of the sites, those that callers added among them.
    pub fn site_ids(&self) -> Vec<SiteId> {
        self.sites.list().keys().cloned().collect()
    }

    /// Why nothing can be kept now, without saying where: everybody may ask.
    pub(crate) fn trouble(&self) -> Option<String> {
        let text = match self.jobs.stores().state.trouble()? {
            DiskTrouble::NoRoom => "the disk of the state is full",
            DiskTrouble::Unusable => "the state cannot be used",
        };
        Some(text.to_owned())
    }

    /// The sites that are known.
    pub(crate) fn sites(&self) -> &Arc<Sites> {
        &self.sites
    }
}
