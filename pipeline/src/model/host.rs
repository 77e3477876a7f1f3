//! The hosts that Latimer can bring a site to, and the names that owners give to their targets.

use std::fmt;
use std::str::FromStr;

use super::SiteId;

/// A kind of web host, as `[publish.NAME]` names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Host {
    /// nginx, with a snippet to include.
    Nginx,
    /// Apache httpd, by `.htaccess`.
    Apache,
    /// Caddy, with a snippet to import.
    Caddy,
    /// Netlify.
    Netlify,
    /// Cloudflare Pages.
    CloudflarePages,
    /// Vercel.
    Vercel,
    /// GitHub Pages.
    GithubPages,
    /// GitLab Pages.
    GitlabPages,
    /// Firebase Hosting.
    Firebase,
    /// Azure Static Web Apps.
    AzureSwa,
    /// A bucket behind CloudFront.
    Cloudfront,
    /// A bucket that S3 serves as a website.
    S3Website,
    /// Any host that serves files and can be told nothing.
    Plain,
}

impl Host {
    /// Every host, with the name that the configuration has for it.
    pub const ALL: [(&'static str, Self); 13] = [
        ("nginx", Self::Nginx),
        ("apache", Self::Apache),
        ("caddy", Self::Caddy),
        ("netlify", Self::Netlify),
        ("cloudflare-pages", Self::CloudflarePages),
        ("vercel", Self::Vercel),
        ("github-pages", Self::GithubPages),
        ("gitlab-pages", Self::GitlabPages),
        ("firebase", Self::Firebase),
        ("azure-swa", Self::AzureSwa),
        ("cloudfront", Self::Cloudfront),
        ("s3-website", Self::S3Website),
        ("plain", Self::Plain),
    ];

    /// The name that the configuration has for it.
    pub fn name(self) -> &'static str {
        Self::ALL
            .iter()
            .find(|(_, host)| *host == self)
            .map_or("plain", |(name, _)| name)
    }
}

impl fmt::Display for Host {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// How redirects are made at a host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RedirectBy {
    /// By the host.
    #[default]
    Host,
    /// By small pages that lead on.
    Pages,
}

/// The name of a target of publishing, in the form of a site's id, so that it can be the name of a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TargetName(SiteId);

/// That a text is no name of a target.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no name of a target: write small letters, digits and hyphens")]
pub struct TargetNameError(String);

impl FromStr for TargetName {
    type Err = TargetNameError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        SiteId::parse(text)
            .map(Self)
            .map_err(|_| TargetNameError(text.to_owned()))
    }
}

impl fmt::Display for TargetName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}
