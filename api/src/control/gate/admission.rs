//! Who is let in: whoever sent a valid token or key, not too often, to what the token may see and do.

use std::net::IpAddr;
use std::time::Instant;

use hyper::HeaderMap;
use pipeline::config::SiteConfig;
use pipeline::model::{DeploymentId, Locale, PreviewId, RunId, SegmentKey, SiteId};
use pipeline::webhooks::{MessageId, WebhookId};

use super::named::NamedResources;
use crate::app::{Api, Counted};
use crate::auth::Caller;
use crate::control::form::one;
use crate::control::operations::{Key, Line, Rate};
use crate::control::route::Called;
use crate::http::error::ApiError;
use crate::http::household::Household;
use crate::http::limit::RateStatus;

/// Credentials of a request.
#[derive(Hash)]
enum Credential {
    /// A hash of the tokens and keys that were sent.
    Sent([u8; 32]),
    /// No token and no key: the address alone tells callers apart.
    Nothing(Household),
}

impl Credential {
    fn of(called: &Called<'_>, headers: &HeaderMap, household: Household) -> Self {
        let mut sent = [Some("authorization"), called.line.key.header()]
            .into_iter()
            .flatten()
            .flat_map(|name| headers.get_all(name))
            .peekable();
        if sent.peek().is_none() {
            return Self::Nothing(household);
        }
        let mut hasher = blake3::Hasher::new();
        for value in sent {
            hasher.update(value.as_bytes());
        }
        Self::Sent(hasher.finalize().into())
    }
}

/// A request that was looked at: how its caller's rate stands, and what its path names if the caller may.
pub(in crate::control) struct Admission {
    pub(in crate::control) standing: Option<RateStatus>,
    pub(in crate::control) named: Result<NamedResources, ApiError>,
}

impl Api {
    /// Identifies the caller; `None` on operations that need no token.
    pub(super) async fn identify(
        &self,
        called: &Called<'_>,
        headers: &HeaderMap,
        client: IpAddr,
    ) -> Result<Option<Caller>, ApiError> {
        if called.line.is_public {
            return Ok(None);
        }
        self.login(called, headers, Household::of(client), Instant::now())
            .await
    }

    /// Looks at what a caller may do, then at how often. What is not permitted costs a reading, whatever it was: a site's quota
    /// pays for nothing that its callers could not have ordered.
    pub(in crate::control) fn admit(
        &self,
        called: &Called<'_>,
        caller: Option<&Caller>,
        client: IpAddr,
    ) -> Admission {
        let named = self.permit(called, caller);
        let rate = if named.is_ok() {
            called.line.rate
        } else {
            Rate::Read
        };
        let site = named.as_ref().ok().and_then(|named| named.site_id.as_ref());
        let now = Instant::now();
        let who = caller.map_or(Counted::Address(Household::of(client)), |caller| {
            Counted::Subject(&caller.subject)
        });
        let counted = match (rate, site) {
            (Rate::Read, _) => self.reads.take(&who, now),
            (Rate::Crawl, Some(site)) => self.crawls.take(site, now),
            (Rate::Crawl | Rate::Write, _) => self.writes.take(&who, now),
            (Rate::Preview, _) => self.previewers.take(&who, now),
            (Rate::Edit, _) => self.edits.take(&who, now),
            (Rate::PreviewStatus, _) => self.preview_statuses.take(&who, now),
            (Rate::Stream, _) => self.followers.take(&who, now),
        };
        match counted {
            Ok(standing) => Admission { standing, named },
            Err(standing) => Admission {
                standing: None,
                named: Err(ApiError::Limited(standing)),
            },
        }
    }

    /// Whoever sent a valid token. Only what fails is counted: a wrong token for itself, and everything that is no valid
    /// one for its address. So nobody who shares an address with a guesser is shut out.
    async fn login(
        &self,
        called: &Called<'_>,
        headers: &HeaderMap,
        household: Household,
        now: Instant,
    ) -> Result<Option<Caller>, ApiError> {
        let credential = Credential::of(called, headers, household);
        self.failed_logins
            .look(&credential, now)
            .map_err(ApiError::Limited)?;
        let refused = match self.caller(called, headers).await {
            Err(refused @ (ApiError::MissingToken | ApiError::InvalidToken)) => refused,
            admitted => return admitted,
        };
        let own = self.failed_logins.take(&credential, now);
        own.and(self.failed_logins.take(&household, now))
            .map_err(ApiError::Limited)?;
        Err(refused)
    }

    /// Whoever sent a valid token; nobody in particular where the operation's own key was sent.
    async fn caller(
        &self,
        called: &Called<'_>,
        headers: &HeaderMap,
    ) -> Result<Option<Caller>, ApiError> {
        let mut keys = called
            .line
            .key
            .header()
            .into_iter()
            .flat_map(|name| headers.get_all(name));
        let key = keys.next();
        let another = keys.next();
        if let (Some(key), None) = (key, another)
            && self.opens(called, &blake3::hash(key.as_bytes())).await?
        {
            return Ok(None);
        }
        match self.settings().verifier.caller(headers) {
            Err(ApiError::MissingToken) if key.is_some() => Err(ApiError::InvalidToken),
            caller => caller.map(Some),
        }
    }

    /// Whether a key opens an operation; that a preview is unknown looks like a wrong key.
    async fn opens(&self, called: &Called<'_>, given: &blake3::Hash) -> Result<bool, ApiError> {
        match called.line.key {
            Key::Nothing => Ok(false),
            Key::Preview => Ok(self.settings().preview_keys.order.have(given)),
            Key::PreviewStatus => {
                let id = called.preview.and_then(PreviewId::parse);
                let preview = match id {
                    Some(id) => self.previews.newest(id).await?,
                    None => None,
                };
                let own = preview.and_then(|preview| blake3::Hash::from_hex(preview.token).ok());
                Ok(own.is_some_and(|own| own == *given)
                    | self.settings().preview_keys.status.have(given))
            }
        }
    }

    /// Checks that a caller may do an operation, for a site that the caller sees.
    pub(crate) fn allow(
        &self,
        line: &Line,
        caller: Option<&Caller>,
        site: Option<&SiteConfig>,
    ) -> Result<(), ApiError> {
        if let Some((scope, caller)) = line.scope.zip(caller)
            && ![Some(scope), line.or_scope]
                .into_iter()
                .flatten()
                .any(|scope| caller.has(scope))
        {
            return Err(ApiError::MissingScope(scope));
        }
        if line.all_sites && !caller.is_some_and(Caller::sees_everything) {
            return Err(ApiError::MissingSites);
        }
        if line.crawls {
            let enabled = site.is_none_or(|site| site.enabled);
            match (self.settings().config.api.crawl_trigger_enabled, enabled) {
                (false, _) => return Err(ApiError::Disabled("crawl_trigger_disabled")),
                (true, false) => return Err(ApiError::Disabled("site_disabled")),
                (true, true) => {}
            }
        }
        Ok(())
    }

    /// What the path names, if the caller may.
    fn permit(
        &self,
        called: &Called<'_>,
        caller: Option<&Caller>,
    ) -> Result<NamedResources, ApiError> {
        let sees = |site: &SiteId| caller.is_none_or(|caller| caller.sees(site));
        let mut site = None;
        let mut site_id = None;
        if let Some(text) = called.site {
            let id = SiteId::parse(text)
                .ok()
                .filter(sees)
                .ok_or(ApiError::SiteNotFound)?;
            site = self.sites.get(&id).map(|known| known.config);
            if site.is_none() && !called.line.makes_site {
                return Err(ApiError::SiteNotFound);
            }
            site_id = Some(id);
        }
        self.allow(called.line, caller, site.as_deref())?;
        let run = called
            .run
            .map(|text| RunId::parse(text).ok_or(ApiError::RunNotFound))
            .transpose()?;
        let preview = called
            .preview
            .map(|text| PreviewId::parse(text).ok_or(ApiError::PreviewNotFound))
            .transpose()?;
        let deployment = called
            .deployment
            .map(|text| DeploymentId::parse(text).ok_or(ApiError::DeploymentNotFound))
            .transpose()?;
        let target = called
            .target
            .map(|text| text.parse().map_err(|_| ApiError::TargetNotFound))
            .transpose()?;
        let webhook = called
            .webhook
            .map(|text| WebhookId::parse(text).ok_or(ApiError::WebhookNotFound))
            .transpose()?;
        let message = called
            .delivery
            .map(|text| MessageId::parse(text).ok_or(ApiError::DeliveryNotFound))
            .transpose()?;
        let segment = called
            .segment
            .map(|text| SegmentKey::parse(text).ok_or(ApiError::SegmentNotFound))
            .transpose()?;
        let named = NamedResources {
            site,
            site_id,
            locale: None,
            run,
            preview,
            deployment,
            target,
            webhook,
            message,
            segment,
        };
        let Some(text) = called.locale else {
            return Ok(named);
        };
        let locale = Locale::parse(text).map_err(|_| {
            one(
                "targetLang",
                "invalid_language",
                "is no language tag such as pt-BR",
            )
        })?;
        if !named
            .site
            .as_ref()
            .is_some_and(|site| site.locales.contains(&locale))
        {
            return Err(ApiError::LocaleNotFound);
        }
        Ok(NamedResources {
            locale: Some(locale),
            ..named
        })
    }
}
