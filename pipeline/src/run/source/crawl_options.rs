//! Options of a crawl, from the settings of a site.

use std::path::Path;

use url::Url;

use super::sources::{translated_prefixes, version_prefixes};
use crate::config::{CrawlConfig, SiteConfig};
use crate::crawl::CrawlOptions;
use crate::model::Locale;
use crate::net::FetchOptions;
use crate::run::error::BuildError;

/// How a site is crawled.
pub(crate) fn crawl_options(site: &SiteConfig) -> Result<CrawlOptions, BuildError> {
    let crawl = &site.crawl;
    let fetch = FetchOptions {
        max_page_bytes: crawl.max_page_bytes,
        user_agent: crawl.user_agent.clone(),
        allow_private: crawl.allow_private,
        headers: in_language(headers(crawl)?, &site.source_locale),
        max_retry_after: crawl.max_retry_after,
        ..FetchOptions::default()
    };
    Ok(CrawlOptions {
        fetch,
        max_pages: crawl.max_pages,
        concurrency: crawl.concurrency,
        delay: crawl.delay,
        filter: site.paths.clone(),
        translated: translated_prefixes(site),
        versions: version_prefixes(site),
        query: crawl.query.clone(),
        asks_for_rtl: site.turns_direction(),
        public: site
            .source_url
            .as_deref()
            .and_then(|address| Url::parse(address).ok()),
        ..CrawlOptions::default()
    })
}

/// The header lines that a site's own origin gets.
pub(crate) fn headers(crawl: &CrawlConfig) -> Result<Vec<(String, String)>, BuildError> {
    let Some(file) = &crawl.headers_file else {
        return Ok(Vec::new());
    };
    let error = |reason: String| BuildError::Headers {
        file: file.display().to_string(),
        reason,
    };
    let text = read(file).map_err(|source| error(source.to_string()))?;
    let line = |(index, line): (usize, &str)| match line.split_once(':') {
        Some((name, value)) => Ok((name.trim().to_owned(), value.trim().to_owned())),
        None => Err(error(format!("line {} has no colon", index + 1))),
    };
    text.lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
        .map(line)
        .collect()
}

/// Asks for pages in the language of the source (RFC 9110, section 12.5.4), unless the owner asks otherwise.
pub(in crate::run) fn in_language(
    mut headers: Vec<(String, String)>,
    source: &Locale,
) -> Vec<(String, String)> {
    if !headers
        .iter()
        .any(|(name, _)| name.eq_ignore_ascii_case("accept-language"))
    {
        let tag = source.as_str();
        let language = source.language();
        let wanted = if tag == language {
            format!("{tag},*;q=0.5")
        } else {
            format!("{tag},{language};q=0.9,*;q=0.5")
        };
        headers.push(("Accept-Language".to_owned(), wanted));
    }
    headers
}

fn read(file: &Path) -> std::io::Result<String> {
    std::fs::read_to_string(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_asked_for_in_the_language_of_the_source_r_s13() {
        for (own, source, expected) in [
            (None, "en", "en,*;q=0.5"),
            (None, "pt-BR", "pt-BR,pt;q=0.9,*;q=0.5"),
            (Some("accept-LANGUAGE"), "en", "de"),
        ] {
            let own = own.map(|name| (name.to_owned(), "de".to_owned()));
            let headers = in_language(own.into_iter().collect(), &Locale::parse(source).unwrap());
            assert_eq!(
                headers
                    .iter()
                    .map(|(_, value)| value.as_str())
                    .collect::<Vec<_>>(),
                [expected]
            );
        }
    }
}
